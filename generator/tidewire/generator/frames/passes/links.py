"""Every name in a protocol of frames refers to something of the right kind.

- parts, members, value tables, options, producers of this file; the primitive of lengths and of the number before them
- event classes, fields, kinds and images of events.yaml; flags of mysql_types.yaml
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...json.model import ImageMember, JsonObject, Member, Scalar
from ...passes.common import by_producer, named, one_of_such
from ...problems import Problem, listed, problem, quoted
from ...words import Word
from ..model import ColumnPart, FrameCase, Frames
from .context import FramesContext

OBJECT, OBJECTS = "part that is an object", "parts that are objects"


def check(context: FramesContext) -> list[Problem]:
    """The problems of this pass."""
    protocol = context.protocol
    found: list[Problem] = []
    for side in (protocol.key_frames, protocol.value_frames):
        found += one_of_such(side.name, "part that is frames", protocol.frames, "parts that are frames")
    for frames in protocol.frames.values():
        found += _frames(context, frames)
    if protocol.key_frames.name in protocol.frames:
        found += one_of_such(protocol.key_frames.part, OBJECT, protocol.objects, OBJECTS)
    if protocol.value_frames.name in protocol.frames:
        part = protocol.value_frames.part
        found += one_of_such(part, "part that is a choice", protocol.choices, "parts that are choices")
    for one in protocol.objects.values():
        for member in one.members.values():
            found += _member(context, one, member)
    for column in protocol.columns.values():
        found += _column(context, column)
    for case in protocol.cases:
        found += _case(context, case)
    for producer in words(protocol.orders):
        names = protocol.orders[producer]
        found += named(producer, "producer", protocol.producers)
        for name in names:
            found += named(name, "member", protocol.message.members)
        missing = [name for name in protocol.message.members if name not in names]
        if missing:
            text = f"the order of {quoted(producer)} lacks {listed(missing)}"
            found.append(problem(producer.location, text, "List every member."))
    for word, said in protocol.spelling.says.items():
        if said.by:
            found += by_producer(protocol, words(said.by), protocol.spelling.at(word))
    return found


def _frames(context: FramesContext, frames: Frames) -> Iterator[Problem]:
    primitives = context.spec.primitives.primitives
    yield from named(frames.size, "primitive", primitives)
    if frames.head is not None:
        yield from named(frames.head.type, "primitive", primitives)


def _member(context: FramesContext, one: JsonObject, member: Member) -> Iterator[Problem]:
    protocol, events = context.protocol, context.spec.events
    yield from named(member.when, "option", protocol.options)
    for cls in member.of:
        yield from named(cls, "event class", events.classes, "event classes")
    for producer in member.producers:
        yield from named(producer, "producer", protocol.producers)
    if member.absent_by:
        yield from by_producer(context.protocol, words(member.absent_by), member.at("absent"))
    if isinstance(member, Scalar):
        yield from named(member.event, "event field", events.fields)
        yield from named(member.beside, "member", one.members)
    elif isinstance(member, ImageMember):
        what = "whose members all say something of a column"
        yield from one_of_such(member.part, f"part {what}", protocol.columns, f"parts {what}")
        if member.empty_by:
            yield from by_producer(context.protocol, member.empty_by, member.at("empty"))


def words(said: Mapping[str, object]) -> Iterator[Word]:
    """The keys of a mapping by producer."""
    for key in said:
        assert isinstance(key, Word)
        yield key


def _column(context: FramesContext, column: ColumnPart) -> Iterator[Problem]:
    for fact in column.facts:
        yield from named(fact.flagged, "flag", context.spec.mysql_types.flags)
        yield from named(fact.values, "value table", context.protocol.values)
    for producer in column.sorted:
        yield from named(producer, "producer", context.protocol.producers)


def _case(context: FramesContext, case: FrameCase) -> Iterator[Problem]:
    events, protocol = context.spec.events, context.protocol
    yield from named(case.cls, "event class", events.classes, "event classes")
    yield from one_of_such(case.body, OBJECT, protocol.objects, OBJECTS)
    cls = events.classes.get(case.cls)
    body = None if case.body is None else protocol.objects.get(case.body)
    for kind, images in case.kinds.items():
        yield from named(kind, "kind of event", events.kinds, "kinds of event")
        for image, name in images.items():
            if cls is not None:
                yield from named(image, "row image", cls.images)
            if body is not None:
                yield from named(name, "member", body.members)
