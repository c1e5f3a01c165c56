"""The classes of events of members.

- Each class in `of`, `is`, `may_miss`, `omit_zero` or `zero` has a case, and the object around the member is present
  for it.
- Only statements have types; where several texts stand for statements, each says of which types, and all that are
  written have the same option, or none.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...facts import DDL_TYPE
from ...model import Word
from ...problems import Problem, listed, problem, quoted
from ..model import JsonCase, Scalar
from .context import JsonContext, Standing


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    every = (*context.standing, *context.standing_in_keys)
    found = [found for one in every for found in _classes(context, one)]
    return [*found, *_actions(context)]


def _actions(context: JsonContext) -> Iterator[Problem]:
    number = context.spec.events.meaning(DDL_TYPE)
    message = context.protocol.message
    kinds = [str(case.event) for case in message.cases.values()]
    yield from _options(context)
    for case in message.all_cases:
        if case.event is None:
            continue
        cls = context.spec.events.classes[context.spec.events.kinds[case.event].cls]
        if case.actions and number not in cls.fields:
            text = f"events of class {quoted(cls.key)} are no statements, which have types"
            yield problem(case.at("const"), text, "Remove const:.")
        elif number in cls.fields and not case.actions and case.text in message.cases and kinds.count(case.event) > 1:
            text = f"statements have several texts, and nothing says which of them are {quoted(case.text)}"
            yield problem(case.location, text, f"Say const: {{{number}: [TYPES]}}.")


def _options(context: JsonContext) -> Iterator[Problem]:
    """Texts of a kind of event that are written with another option than its first one."""
    first: dict[str, JsonCase] = {}
    for case in context.protocol.message.cases.values():
        if case.event is not None and not case.reads:
            other = first.setdefault(case.event, case)
            if case.when != other.when:
                text = f"statements have several texts, and {quoted(other.text)} has another when:"
                yield problem(case.location, text, "Say the same when: in both, or in neither.")


def _classes(context: JsonContext, one: Standing) -> Iterator[Problem]:
    member, carried = one.member, context.carried()
    words: list[tuple[str, tuple[Word, ...]]] = [("of", member.of), ("may_miss", member.may_miss_of)]
    if isinstance(member, Scalar):
        words.append(("zero", (*member.omit_zero, *member.zero)))
        if member.tells is not None:
            words.append(("class", (member.tells,)))
    for word, names in words:
        for cls in names:
            if cls not in carried:
                text = f"no case carries events of class {quoted(cls)}"
                yield problem(cls.location, text, f"Carried are {listed(carried)}.")
            elif cls not in one.around:
                text = f"{quoted(one.inside)}, which holds the member, is not there for class {quoted(cls)}"
                yield problem(cls.location, text, f"It is there for {listed(one.around)}.")
            elif word != "of" and not member.is_of(cls):
                text = f"the member is not there for events of class {quoted(cls)}"
                yield problem(cls.location, text, f"It is of {listed(member.of)}.")
