"""Every name refers to something of the right kind.

- parts that are objects, members, value tables, options, producers of this file
- event classes, fields, kinds and images of events.yaml; flags and mappings of mysql_types.yaml
"""

from __future__ import annotations

from collections.abc import Iterator

from ...facts import DDL_TYPE
from ...passes.common import by_producer, named, one_of_such
from ...problems import Problem, problem
from ...words import Word
from ..described_model import INSIDE, ONE, SEVERAL, TELLS, DescribedPart, EachMember, InnerMember
from ..member_types import NOTHING
from ..model import (
    ByProducer,
    ChangesMember,
    DeclaredMember,
    DescriptionMember,
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
    protocol, events = context.protocol, context.spec.events
    found: list[Problem] = []
    for one in protocol.objects.values():
        for member in one.members.values():
            found += _member(context, member)
        found += _object(context, one)
    for word, said in protocol.spelling.says.items():
        if said.by:
            text = "is said by producer, and whoever writes an object spells it alike"
            found.append(problem(protocol.spelling.at(word), text, "Say it once for all."))
    for part in protocol.parts_described.values():
        found += _described(context, part)
    if protocol.described is not None:
        found += named(protocol.described.by, "event field", events.fields)
        for flag in protocol.described.flags:
            found += named(flag, "flag", context.spec.mysql_types.flags)
    for lines in protocol.lines.values():
        found += named(lines.part, "object", protocol.objects)
        found += named(lines.terminator, "option", protocol.options)
    for envelope in protocol.envelopes.values():
        found += named(envelope.unless, "option", protocol.options)
        found += named(envelope.payload, "object", protocol.objects)
    parts = (*protocol.objects, *protocol.flagged_columns)
    for cls, key in protocol.keys.items():
        found += named(cls, "event class", events.classes, "event classes")
        found += one_of_such(key, "part that is an object or columns", parts, "parts that are objects or columns")
    for columns in protocol.flagged_columns.values():
        found += named(columns.flagged, "flag", context.spec.mysql_types.flags)
        found += named(columns.values, "value table", protocol.values)
    return found


def _member(context: JsonContext, member: Member) -> Iterator[Problem]:
    protocol, events, types = context.protocol, context.spec.events, context.spec.mysql_types
    if member.absent_by:
        text = "is said by producer, and whoever writes an object leaves out the same"
        yield problem(member.at("absent"), text, "Say it once for all.")
    for kind, option in (*member.when_of.items(), *((None, one) for one in (member.when,))):
        yield from named(kind, "kind of event", events.kinds, "kinds of event")
        yield from named(option, "option", protocol.options)
    zero = member.zero if isinstance(member, Scalar) else ()
    if isinstance(member, Scalar):
        yield from named(member.instead, "event field", events.fields)
        yield from named(member.option, "option", protocol.options)
        beside = dict.fromkeys(str(one.id) for one in _scalars(context) if one.event == member.event and not one.again)
        again = member.beside if member.again else None
        yield from one_of_such(again, "member with the same field", beside, "members with the same field")
    for cls in (*member.of, *member.may_miss_of, *zero):
        yield from named(cls, "event class", events.classes, "event classes")
    if isinstance(member, Scalar):
        yield from named(member.event, "event field", events.fields)
        for told in (member.tells, *member.omit_zero):
            yield from named(told, "event class", events.classes, "event classes")
    elif isinstance(member, ObjectMember):
        yield from named(member.part, "object", (*protocol.objects, *protocol.flagged_columns))
    elif isinstance(member, DescriptionMember):
        one = "change" if isinstance(member, ChangesMember) else "table"
        yield from _part(context, member.part, one)
        yield from named(member.event, "event field", events.fields)
        if isinstance(member, ChangesMember):
            yield from _mapping(context, member.mapping)
            for ddl_type in (one for names in (*member.classed.values(), *member.lists.values()) for one in names):
                yield from named(ddl_type, "DDL type", types.ddl_types)
    elif isinstance(member, RowsMember):
        yield from named(member.values, "value table", protocol.values)
        for field in (member.utc, member.known_by):
            yield from named(field, "event field", events.fields)
        for producer in member.sorted:
            yield from named(producer, "producer", protocol.producers)
    elif isinstance(member, ByProducer) and member.empty_by:
        yield from by_producer(protocol, member.empty_by, member.at("empty"))
    if isinstance(member, NamesMember):
        for flag in member.flags:
            yield from named(flag, "flag", types.flags)
    elif isinstance(member, MappedMember):
        yield from _mapping(context, member.mapping)
    elif isinstance(member, DeclaredMember):
        yield from named(member.full, "option", protocol.options)


def _scalars(context: JsonContext) -> Iterator[Scalar]:
    for one in context.protocol.objects.values():
        yield from (member for member in one.members.values() if isinstance(member, Scalar))


def _mapping(context: JsonContext, name: Word) -> Iterator[Problem]:
    """A mapping of column types."""
    kinds = dict.fromkeys(kind for one in context.spec.mysql_types.types.values() for kind in one.mappings)
    yield from named(name, "mapping", kinds)


def _part(context: JsonContext, name: Word, *things: str) -> Iterator[Problem]:
    """A part that describes one of these things."""
    one = " or ".join(ONE[what] for what in things or SEVERAL["table"])
    parts = [part for part, held in context.protocol.parts_described.items() if held.describes in things]
    yield from one_of_such(name, f"part that describes {one}", parts, f"parts that describe {one}")


def _described(context: JsonContext, part: DescribedPart) -> Iterator[Problem]:
    """The names in a described part. An inner part describes the same thing; a part in a list describes another one."""
    protocol = context.protocol
    for member in part.members.values():
        if isinstance(member, InnerMember):
            yield from _part(context, member.part, INSIDE.get(part.describes, part.describes))
        elif isinstance(member, EachMember):
            yield from _part(context, member.part, *SEVERAL.get(part.describes, ()))
            for producer in (*member.sorted, *member.hides):
                yield from named(producer, "producer", protocol.producers)
        elif member.type != NOTHING:
            what = f"to tell of {ONE[part.describes]}"
            yield from one_of_such(member.tells, f"thing {what}", TELLS[part.describes], f"things {what}")
            for name in (*member.numbers, *member.silent):
                yield from named(name, "column type", context.spec.mysql_types.types, "column types")


def _object(context: JsonContext, one: JsonObject) -> Iterator[Problem]:
    events, options = context.spec.events, context.protocol.options
    for cls, names in one.order.items():
        yield from named(cls, "class or kind of event", (*events.classes, *events.kinds), "classes and kinds of events")
        for name in names:
            yield from named(name, "member", one.members)
    for case in one.all_cases:
        yield from named(case.has, "member", one.members)
        for name, values in case.const.items():
            fields = [one.name for one in events.fields.values() if one.means == DDL_TYPE]
            yield from one_of_such(name, "event field that a case can say", fields, "event fields that a case can say")
            for value in values:
                yield from named(value, "DDL type", context.spec.mysql_types.ddl_types)
        yield from named(case.event, "kind of event", events.kinds, "kinds of event")
        yield from named(case.when, "option", options)
        if case.keep is not None:
            yield from named(case.keep.flagged, "flag", context.spec.mysql_types.flags)
            if case.keep.changed_by:
                yield from by_producer(context.protocol, case.keep.changed_by, case.keep.at("changed"))
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
        types = context.spec.mysql_types
        for who, cls_name, names in one.rest.classed:
            yield from named(cls_name, "class of DDL types", types.ddl_classes, "classes of DDL types")
            yield from named(who, "producer", context.protocol.producers)
            for ddl_type in names:
                yield from named(ddl_type, "DDL type", types.ddl_types)
