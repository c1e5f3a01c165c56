"""What carries the event fields (`event:`).

- Types fit: a number carries a number, a text a text, bytes carry bytes, a boolean or a number from 0 to 1 carries a
  bool. If readers refuse values that the field cannot hold, the carrier holds all values of the field; otherwise it
  holds no others.
- The kind is not carried: it follows from the case.
- A field is carried for classes that have it; if some lack it, absence is representable.
- For every carried class: each field is carried at most once, and each that is required, or that the class `needs`, at
  least once, whatever the options. At least one field with the commit time is carried, unless the class has rows and
  the protocol's rows may lack it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..meaning import CarriedCase, Carrier
from ..model import COMMIT_TIMES, FIELD_RANGES, KIND_FIELD
from ..problems import Problem, listed, problem, quoted
from .common import CommonContext

PYTHON = {"text": "str", "bytes": "bytes", "description": "description"}
"""The Python types of fields that are not numbers."""


def check(context: CommonContext) -> list[Problem]:
    """The problems of this pass."""
    carriers = context.meaning.carriers
    found: list[Problem] = []
    for one in carriers:
        if one.field.name == KIND_FIELD:
            found.append(problem(one.location, "the kind of an event follows from the case", "Remove event:."))
        else:
            found += [*fits(one), *has_field(context, one)]
    for name in context.spec.events.fields:
        found += _twice([one for one in carriers if one.field.name == name])
    by_class: dict[str, CarriedCase] = {}
    for case in context.carried_cases:
        by_class.setdefault(case.cls.key, case)
    for case in by_class.values():
        found += _needed(context, case)
    return found


def fits(one: Carrier) -> Iterator[Problem]:
    """Values of the field that the carrier cannot hold, or the reverse."""
    field, limits = one.field, FIELD_RANGES[one.field.type]
    if one.python == "bool" and field.type == "bool":
        return
    if limits is None or one.range is None or (field.type == "bool" and one.checked):
        if limits is not None or one.python != PYTHON.get(field.type):
            text = f"the field {quoted(field.name)} is {field.type}, {one.what} is not"
            yield problem(one.location, text, "Use another.")
        return
    low, high = field.range if field.range is not None else limits
    bottom, top = one.range
    if one.checked:
        if low < bottom or high > top:
            text = f"the field {quoted(field.name)} can be {low if low < bottom else high}, {one.what} can not"
            yield problem(one.location, text, f"Take one that holds {low} to {high}.")
        return
    if bottom < low:
        text = f"a reader can find {bottom}, the field {quoted(field.name)} begins at {low}"
        yield problem(one.location, text, "Use an unsigned one.")
    if top > high:
        text = f"a reader can find {top}, the field {quoted(field.name)} ends at {high}"
        yield problem(one.location, text, f"Take one that ends at {high}.")


def has_field(context: CommonContext, one: Carrier) -> Iterator[Problem]:
    """Classes of events with the carrier that lack the field."""
    classes = context.spec.events.classes
    lacking = [cls for cls in one.classes if one.field.name not in classes[cls].fields]
    if not lacking:
        return
    text = f"events of class {listed(lacking)} have no field {quoted(one.field.name)}"
    if len(lacking) == len(one.classes):
        yield problem(one.location, text, "Name one that they have, or remove it.")
    elif not one.absent:
        yield problem(one.location, f"{text}, and nothing stands for absent", context.remedies.absent)


def _twice(carriers: list[Carrier]) -> Iterator[Problem]:
    """Classes with two carriers of a field."""
    first: dict[str, Carrier] = {}
    for one in carriers:
        again = [cls for cls in one.classes if cls in first]
        if again:
            line = first[again[0]].location.line
            text = f"{quoted(one.field.name)} of class {listed(again)} is carried twice, first in line {line}"
            yield problem(one.location, text, "Two could disagree; keep one.")
        first = dict.fromkeys(one.classes, one) | first


def _needed(context: CommonContext, case: CarriedCase) -> Iterator[Problem]:
    cls, fields = case.cls, context.spec.events.fields
    times = [str(one) for one in cls.fields if fields[one].means in COMMIT_TIMES]
    always = {KIND_FIELD}
    for name in cls.fields:
        carriers = [one for one in context.meaning.carriers if one.field.name == name and cls.key in one.classes]
        needed = name in cls.needs or not fields[name].optional
        written = [one for one in carriers if not one.reads]
        if any(not one.options for one in written):
            always.add(str(name))
        elif needed and carriers and not written:
            text = f"events of class {quoted(cls.key)} need {quoted(name)}, which is only read"
            yield problem(carriers[0].location, text, "Remove reads:, or carry it in what is written, too.")
        elif needed and carriers:
            text = f"events of class {quoted(cls.key)} need {quoted(name)}, which is only written with"
            yield problem(written[0].location, f"{text} {written[0].options[0]}", "Carry it always.")
        elif needed and name != KIND_FIELD:
            text = f"events of class {quoted(cls.key)} need {quoted(name)}, which nothing carries"
            yield problem(case.location, text, context.remedies.carry.format(name))
    if times and not always & set(times) and not (context.untimed_rows and cls.images):
        text = f"nothing says when events of class {quoted(cls.key)} were committed, whatever the options"
        yield problem(case.location, text, context.remedies.carry.format(" or ".join(times)))
