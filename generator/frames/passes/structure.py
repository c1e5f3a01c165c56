"""How the parts of a protocol of frames contain each other.

- Key and value are frames; a number in the key's object selects the case of an event, and each number has one case.
- Lengths and the number before them have 64 bits, big endian.
- All producers escape the member names of a column's object alike.
- Every object is the key's, or the value's of some case. In a column's object the value comes last.
- The kinds of a case belong to its class, each with images that do not already select an earlier kind.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...json.member_types import INTEGER, UNSIGNED
from ...json.model import ImageMember, Scalar
from ...json.spelling import spelled
from ...problems import Problem, listed, problem, quoted
from ..model import ColumnPart, FrameCase, Frames
from .context import FramesContext

LENGTHS = ("u64be",)
"""The primitives that lengths may use."""


def check(context: FramesContext) -> list[Problem]:
    """The problems of this pass."""
    protocol = context.protocol
    found = [*_lengths(protocol.key_frames), *_lengths(protocol.value_frames), *_switch(context), *_used(context)]
    for column in protocol.columns.values():
        found += [*_column(column), *_spelled(context, column)]
    for case in protocol.cases:
        found += _kinds(context, case)
    return found


def _lengths(frames: Frames) -> Iterator[Problem]:
    if frames.size not in LENGTHS:
        text = f"a length is no {frames.size}"
        yield problem(frames.size.location, text, f"Lengths are {listed(LENGTHS)}.")
    if frames.head is not None and frames.head.type not in LENGTHS:
        text = f"the number before the frames is no {frames.head.type}"
        yield problem(frames.head.type.location, text, f"It is {listed(LENGTHS)}.")


def _switch(context: FramesContext) -> Iterator[Problem]:
    message = context.protocol.message
    switches = [one for one in message.members.values() if isinstance(one, Scalar) and one.switch]
    if not switches:
        text = f"no member of {quoted(message.name)} says what an event is"
        yield problem(message.location, text, "Say switch: true in the number that does.")
    for again in switches[1:]:
        text = f"{quoted(switches[0].id or '')} says what an event is already"
        yield problem(again.at("switch"), text, "They could disagree; keep one.")
    by = f"{message.name}.{switches[0].id}" if switches else ""
    if switches and context.protocol.by is not None and context.protocol.by != by:
        text = f"what an event is, is said by {by}"
        yield problem(context.protocol.by.location, text, f"Say by: {by}.")
    for one in switches:
        if one.type not in (INTEGER, UNSIGNED):
            yield problem(one.at("type"), f"what an event is, is said by a number, not {one.type}", "Say integer.")
    for held in context.protocol.objects.values():
        for member in held.members.values():
            if held is not message and isinstance(member, Scalar) and member.switch:
                text = f"{quoted(held.name)} is not the key's object, which says what an event is"
                yield problem(member.at("switch"), text, "Say event: here.")


def _spelled(context: FramesContext, column: ColumnPart) -> Iterator[Problem]:
    """The JSON before a column's value must be the same for all producers, as it is printed once."""
    protocol = context.protocol
    for fact in column.facts:
        if len({spelled(str(fact.name), protocol.spelling.of(producer)) for producer in protocol.producers}) > 1:
            text = f"producers spell the name {quoted(fact.name)} differently"
            yield problem(fact.name.location, text, "Take a name without what only some of them escape.")


def _used(context: FramesContext) -> Iterator[Problem]:
    protocol = context.protocol
    bodies = {str(one.body) for one in protocol.cases}
    for held in protocol.objects.values():
        if held is not protocol.message and held.name not in bodies:
            text = f"nothing holds the object {quoted(held.name)}"
            yield problem(held.location, text, "Name it in a case of the choice, or remove it.")
    parts = {str(image.part) for image in protocol.images}
    for column in protocol.columns.values():
        if column.name not in parts:
            text = f"no row image has columns as {quoted(column.name)}"
            yield problem(column.location, text, "Name it under by_column:, or remove it.")
    if len(parts) > 1:
        text = f"columns are written as {listed(sorted(parts))}"
        yield problem(protocol.images[-1].part.location, text, "A column has one way to be written.")


def _column(column: ColumnPart) -> Iterator[Problem]:
    last = column.facts[-1]
    if last.says != "value" and column.saying("value") is not None:
        text = f"{quoted(last.name)} stands behind the value"
        yield problem(last.location, text, "Type and flags say how the value is read: list it last.")


def _kinds(context: FramesContext, case: FrameCase) -> Iterator[Problem]:
    cls = context.spec.events.classes[case.cls]
    if case.body is None or not case.kinds:
        if cls.images:
            yield problem(case.location, f"nothing says which kind events of {quoted(case.cls)} are", "Say kinds:.")
        return
    body = context.protocol.objects[case.body]
    before: list[set[str]] = []
    for name, held in case.kinds.items():
        kind = context.spec.events.kinds[name]
        if kind.cls != case.cls:
            yield problem(name.location, f"{quoted(name)} is no kind of class {quoted(case.cls)}", "Remove it.")
            continue
        members = {str(one) for one in held.values()}
        told = next((one for one in before if one <= members), None)
        if told is not None:
            text = f"what has {listed(sorted(members))} is of a kind above it"
            yield problem(name.location, text, "List kinds with more images first.")
        before.append(members)
        for member in held.values():
            if not isinstance(body.members[member], ImageMember):
                yield problem(
                    member.location, f"the member {quoted(member)} is no row image", "Name one with by_column:."
                )
