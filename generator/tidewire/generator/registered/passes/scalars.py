"""Scalar fields of records: their contents, and their values if there is no content.

- A default means no value: it is 0, false or an empty text. Fields without data of the event have none; fields whose
  event value can be absent have one.
- Fixed contents match the field's type: a constant is a number or a text, an option's text is a text.
- A number has the range of its event field.
- Fields contain the names of a row's table only if schemas are translated from Kafka Connect: then both names, always,
  as texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from ...plan.events import NAMED
from ...problems import Problem, problem, quoted
from ..model import BOOLEAN, INT, LONG, STRING, RecordScalar
from .context import SIGNED, RegisteredContext

NOTHING = {BOOLEAN: False, INT: 0, LONG: 0, STRING: ""}
"""The value written for each type if there is no content."""
ALWAYS_THERE = ("tso", "physical", "sent")
"""The roles of event fields that an encoder requires, or computes itself."""


def check(context: RegisteredContext) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    for record in context.protocol.records.values():
        for scalar in record.scalars:
            found += _same(scalar)
            found += _default(context, scalar)
            found += _room(context, scalar)
    found += _names(context)
    return found


def _same(scalar: RecordScalar) -> Iterator[Problem]:
    """Problems of fields with fixed contents."""
    if scalar.option is not None and scalar.type != STRING:
        yield problem(scalar.type.location, f"an option's text is no {scalar.type}", "Say string.")
    if scalar.const is None:
        return
    if isinstance(scalar.const, str) != (scalar.type == STRING) or scalar.type == BOOLEAN:
        text = f"the constant of {quoted(scalar.id)} is no {scalar.type}"
        yield problem(scalar.at("const"), text, "Say string for a text, and int or long for a number.")
    elif isinstance(scalar.const, int) and not _within(scalar.const, SIGNED[scalar.type]):
        low, high = SIGNED[scalar.type]
        text = f"the constant {scalar.const} has no room in {scalar.type}"
        yield problem(scalar.at("const"), text, f"It holds {low} to {high}.")


def _within(number: int, limits: tuple[int, int]) -> bool:
    return limits[0] <= number <= limits[1]


def _default(context: RegisteredContext, scalar: RecordScalar) -> Iterator[Problem]:
    nothing = NOTHING[scalar.type]
    if not scalar.is_told:
        if scalar.default is not None:
            text = f"{quoted(scalar.id)} says nothing of the event, so nothing has to stand for that"
            yield problem(scalar.at("default"), text, "Remove it.")
    elif scalar.default is None:
        for name in (scalar.event, scalar.of_old):
            field = None if name is None else context.spec.events.fields[name]
            if field is not None and field.optional and field.means not in ALWAYS_THERE and name not in NAMED:
                text = f"nothing stands for an event without {quoted(field.name)}"
                yield problem(scalar.location, text, f"Say default: {json.dumps(nothing)}.")
    elif type(scalar.default) is not type(nothing) or scalar.default != nothing:
        text = f"the default of {quoted(scalar.id)} does not stand for nothing"
        yield problem(scalar.at("default"), text, f"Say default: {json.dumps(nothing)}.")


def _room(context: RegisteredContext, scalar: RecordScalar) -> Iterator[Problem]:
    """Problems of 32-bit numbers whose event field has a larger range."""
    for name in (scalar.event, scalar.of_old) if scalar.type == INT else ():
        field = None if name is None else context.spec.events.fields[name]
        limits = None if field is None else field.limits
        if field is not None and limits is not None and limits[0] < SIGNED[INT][0]:
            text = f"the field {quoted(field.name)} can be {limits[0]}, which has no room in int"
            yield problem(scalar.type.location, text, "Say long.")


def _names(context: RegisteredContext) -> Iterator[Problem]:
    """Problems of fields with the names of a row's table."""
    said = [one for one in context.protocol.scalars if one.event in NAMED]
    for scalar in said:
        if context.protocol.schemas.connect is None:
            text = f"{quoted(scalar.id)} says the {scalar.event} of a row, which the names of its record say"
            yield problem(scalar.location, text, "Remove it, or say connect: under schemas.")
        elif scalar.when:
            text = f"a reader needs {quoted(scalar.id)}, which is only there with {scalar.when[0]}"
            yield problem(scalar.at("when"), text, "Remove when:.")
    for scalar in said if len(said) == 1 else ():
        other = next(name for name in NAMED if name != scalar.event)
        text = f"{quoted(scalar.id)} says the {scalar.event} of a row, and nothing its {other}"
        yield problem(scalar.location, text, f"Say event: {other} in a field, too.")
