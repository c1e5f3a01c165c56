"""What carries the fields of the events (`event:`).

- The types fit: a number carries a number that it can hold, a text a text, a bool a bool, base64 bytes. A reader
  refuses numbers that the field cannot hold.
- For every class that is carried: each field is carried at most once, each that is not optional or that the class
  `needs` at least once, whatever the options. Of the fields that say when it was committed there is at least one.
  `kind` is not carried: it follows from the case.
- Classes that a member is `of`, that it tells (`is`) or for which 0 is left out have a case, and the object around the
  member is there for them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...facts import COMMIT_TIMES
from ...model import FIELD_RANGES, KIND_FIELD, EventField, Word
from ...problems import Problem, listed, problem, quoted
from ..model import BASE64, BOOL, INTEGER, TEXT, UNSIGNED, Scalar
from .context import JsonContext, Standing

FIELD_TYPES = {TEXT: "text", BOOL: "bool", BASE64: "bytes"}
"""Scalars that are no numbers, and the fields that they can carry."""
NUMBERS = {INTEGER: (-(2**63), 2**63 - 1), UNSIGNED: (0, 2**64 - 1)}
"""Scalars that are numbers, and what they can hold."""


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    for one in context.standing:
        found += _classes(context, one)
        if isinstance(one.member, Scalar) and one.member.event is not None:
            found += _fits(one.member, context.spec.events.fields[one.member.event])
            found += _has(context, one, one.member.event)
    for name in context.spec.events.fields:
        found += _twice(context, name)
    for cls in context.carried():
        found += _needed(context, cls)
    return found


def _classes(context: JsonContext, one: Standing) -> Iterator[Problem]:
    member, carried = one.member, context.carried()
    around = [cls for cls in carried if all(outer.is_of(cls) for outer in one.path)]
    words: list[tuple[str, tuple[Word, ...]]] = [("of", member.of), ("may_miss", member.may_miss_of)]
    if isinstance(member, Scalar):
        words.append(("omit_zero", member.omit_zero))
        if member.tells is not None:
            words.append(("is", (member.tells,)))
    for word, names in words:
        for cls in names:
            if cls not in carried:
                text = f"no case carries events of class {quoted(cls)}"
                yield problem(cls.place, text, f"Carried are {listed(carried)}.")
            elif cls not in around:
                text = f"{quoted(one.path[-1].name)}, which holds the member, is not there for class {quoted(cls)}"
                yield problem(cls.place, text, f"It is there for {listed(around)}.")
            elif word != "of" and not member.is_of(cls):
                text = f"the member is not there for events of class {quoted(cls)}"
                yield problem(cls.place, text, f"It is of {listed(member.of)}.")


def _fits(member: Scalar, field: EventField) -> Iterator[Problem]:
    limits = NUMBERS.get(member.type)
    if field.name == KIND_FIELD:
        text = "the kind of an event follows from the case"
        yield problem(member.at("event"), text, "Remove event:.")
        return
    field_limits = FIELD_RANGES[field.type] if field.type != "bool" else None
    if limits is None or field_limits is None:
        if FIELD_TYPES.get(member.type) != field.type:
            text = f"the field {quoted(field.name)} is {field.type}, a member of type {member.type} is not"
            yield problem(member.at("event"), text, "Use another type.")
        return
    low, high = field.range if field.range is not None else field_limits
    if low < limits[0] or high > limits[1]:
        text = f"the field {quoted(field.name)} can be {low if low < limits[0] else high}, {member.type} can not"
        yield problem(member.at("event"), text, f"Use {UNSIGNED if low >= 0 else INTEGER}.")


def _has(context: JsonContext, one: Standing, event: Word) -> Iterator[Problem]:
    """Some class that the member is there for has the field."""
    classes = context.spec.events.classes
    if event != KIND_FIELD and one.classes and not any(event in classes[cls].fields for cls in one.classes):
        text = f"events of class {listed(one.classes)} have no field {quoted(event)}"
        yield problem(event.place, text, "Name one that they have, or remove the member.")


def _twice(context: JsonContext, field: str) -> Iterator[Problem]:
    rest = context.protocol.message.rest
    first: dict[str, Word] = {}
    """The member that carries the field, by class of events; of the rest's, the switch does."""
    if rest is not None and rest.names == field:
        first[context.kind(rest).cls] = context.protocol.switch.name
    for one in context.carriers(field):
        again = [cls for cls in one.classes if cls in first]
        if again:
            text = f"{quoted(field)} of class {listed(again)} is carried twice, first by {quoted(first[again[0]])}"
            yield problem(one.member.at("event"), text, "Two could disagree; keep one.")
        first |= {cls: one.member.name for cls in one.classes if cls not in first}


def _needed(context: JsonContext, name: str) -> Iterator[Problem]:
    cls = context.spec.events.classes[name]
    fields = context.spec.events.fields
    rest = context.protocol.message.rest
    case = next(one for one in context.told if context.kind(one).cls == name)
    times = [one for one in cls.fields if fields[one].means in COMMIT_TIMES]
    always: set[str] = {KIND_FIELD}
    for field in cls.fields:
        carriers = [one for one in context.carriers(field) if name in one.classes]
        whole = rest is not None and rest.names == field and context.kind(rest).cls == name
        needed = field in cls.needs or not fields[field].optional
        if whole or any(not one.options for one in carriers):
            always.add(str(field))
        elif needed and carriers:
            text = f"events of class {quoted(name)} need {quoted(field)}, which is only written with"
            yield problem(carriers[0].member.at("event"), f"{text} {carriers[0].options[0]}", "Carry it always.")
        elif needed and field != KIND_FIELD:
            text = f"events of class {quoted(name)} need {quoted(field)}, which nothing carries"
            yield problem(case.place, text, f"Say event: {field} in a member.")
    if times and not always & set(times):
        text = f"nothing says when events of class {quoted(name)} were committed, whatever the options"
        yield problem(case.place, text, f"Say event: {times[0]} in a member{f', or {times[1]}' if times[1:] else ''}.")
