"""Every name that refers to something names something of the right kind.

- parts that are objects, members, value tables, options, producers of this file
- event classes, fields, kinds and images of events.yaml; flags and mappings of mysql_types.yaml
"""

from __future__ import annotations

from collections.abc import Iterator

from ...passes.common import by_producer, named
from ...problems import Problem, problem
from ..model import (
    ByProducer,
    DeclaredMember,
    JsonObject,
    MappedMember,
    Member,
    NamesMember,
    ObjectMember,
    RowsMember,
    Scalar,
)
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    protocol = context.protocol
    found: list[Problem] = []
    for one in protocol.objects.values():
        for member in one.members.values():
            found += _member(context, member)
        found += _object(context, one)
    for word, said in protocol.spelling.says.items():
        if said.by:
            text = "is said by producer, and whoever writes an object spells it alike"
            found.append(problem(protocol.spelling.at(word), text, "Say it once for all."))
    for lines in protocol.lines.values():
        found += named(lines.part, "object", protocol.objects)
        found += named(lines.terminator, "option", protocol.options)
    return found


def _member(context: JsonContext, member: Member) -> Iterator[Problem]:
    protocol, events, types = context.protocol, context.spec.events, context.spec.mysql_types
    yield from named(member.when, "option", protocol.options)
    for cls in (*member.of, *member.may_miss_of):
        yield from named(cls, "event class", events.classes, "event classes")
    if isinstance(member, Scalar):
        yield from named(member.event, "event field", events.fields)
        for told in (member.tells, *member.omit_zero):
            yield from named(told, "event class", events.classes, "event classes")
    elif isinstance(member, ObjectMember):
        yield from named(member.part, "object", protocol.objects)
    elif isinstance(member, RowsMember):
        yield from named(member.values, "value table", protocol.values)
    elif isinstance(member, ByProducer) and member.empty_by:
        yield from by_producer(protocol, member.empty_by, member.at("empty"))
    if isinstance(member, NamesMember):
        for flag in member.flags:
            yield from named(flag, "flag", types.flags)
    elif isinstance(member, MappedMember):
        kinds = dict.fromkeys(kind for one in types.types.values() for kind in one.mappings)
        yield from named(member.mapping, "mapping", kinds)
    elif isinstance(member, DeclaredMember):
        yield from named(member.full, "option", protocol.options)


def _object(context: JsonContext, one: JsonObject) -> Iterator[Problem]:
    events, options = context.spec.events, context.protocol.options
    for cls, names in one.order.items():
        yield from named(cls, "event class", events.classes, "event classes")
        for name in names:
            yield from named(name, "member", one.members)
    for case in one.cases.values():
        yield from named(case.event, "kind of event", events.kinds, "kinds of event")
        yield from named(case.when, "option", options)
        kind = events.kinds.get(case.event) if case.event is not None else None
        cls_ = events.classes.get(kind.cls) if kind is not None else None
        for image, name in case.images.items():
            if cls_ is not None:
                yield from named(image, "row image", cls_.images)
            yield from named(name, "member", one.members)
    if one.rest is not None:
        yield from named(one.rest.event, "kind of event", events.kinds, "kinds of event")
        yield from named(one.rest.names, "event field", events.fields)
        yield from named(one.rest.when, "option", options)
