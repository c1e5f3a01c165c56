"""Row images: the columns of a row before or after a change.

- A case has a place for exactly the row images of its events.
- Facts about columns (such as how their values are read) are present exactly once for every class of events with row
  images, whatever the options.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..meaning import CarriedCase, ColumnFact, images_of
from ..problems import Problem, listed, problem, quoted
from .common import CommonContext


def check(context: CommonContext) -> list[Problem]:
    """The problems of this pass."""
    found = [one for case in context.carried_cases for one in _case(context, case)]
    with_rows = {str(one.cls.key): one for one in reversed(context.carried_cases) if one.cls.images and one.images}
    for what in dict.fromkeys([*context.remedies.columns, *(one.says for one in context.meaning.facts)]):
        facts = [one for one in context.meaning.facts if one.says == what]
        found += _once(what, facts)
        if what in context.remedies.columns:
            found += _said(context, what, facts, with_rows)
    return found


def _case(context: CommonContext, case: CarriedCase) -> Iterator[Problem]:
    images = list(dict.fromkeys(image for kind in case.kinds for image in images_of(context.spec, kind)))
    for image in case.images:
        if image not in images:
            text = f"events of {case.name} have no row image {quoted(image)}"
            yield problem(image.location, text, f"They have {listed(images)}.")
    missing = [image for image in images if image not in case.images]
    if missing:
        text = f"events of {case.name} have the row image {listed(missing)}, which nothing carries"
        yield problem(case.location, text, context.remedies.image.format(missing[0]))


def _once(what: str, facts: list[ColumnFact]) -> Iterator[Problem]:
    first: dict[str, ColumnFact] = {}
    for one in facts:
        again = [first[cls] for cls in one.classes if cls in first]
        if again:
            text = f"{quoted(again[0].name)} says the columns' {what} already"
            yield problem(one.location, text, "Two could disagree; keep one.")
        first = dict.fromkeys(one.classes, one) | first


def _said(
    context: CommonContext, what: str, facts: list[ColumnFact], with_rows: dict[str, CarriedCase]
) -> Iterator[Problem]:
    for one in facts:
        for option in one.options:
            text = f"the columns' {what} are only written with {option}"
            yield problem(one.holder, text, "Nothing else says them; remove the when:.")
    missing = [cls for cls in with_rows if not any(cls in one.classes for one in facts)]
    if missing and facts:
        text = f"events of class {listed(sorted(missing))} have rows, whose columns' {what} nothing says"
        yield problem(facts[0].holder, text, context.remedies.of)
    elif missing:
        case = with_rows[missing[0]]
        text = f"nothing says the columns' {what}, so nothing says how rows are read"
        yield problem(case.rows or case.location, text, context.remedies.columns[what])
