"""Every name in a protocol of registered records refers to something of the right kind.

- There is a key; key and value are registered; parts are records, those of marks are objects; ids are unique; images
  are fields.
- Event fields, kinds and images are in events.yaml; options and producers in this file; flags and types in
  mysql_types.yaml; codecs are those of records.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...json.model import Scalar
from ...passes.common import by_producer, named, one_of_such
from ...problems import Problem, problem, quoted
from ...words import Word
from ..model import (
    InnerRecord,
    OtherMessages,
    RecordCase,
    RecordMember,
    RegisteredRecord,
    RowFields,
    ValueMark,
)
from .context import RegisteredContext

RECORD, RECORDS = "part that is a record", "parts that are records"


def check(context: RegisteredContext) -> list[Problem]:
    """The problems of this pass."""
    protocol, types = context.protocol, context.spec.mysql_types
    found: list[Problem] = []
    if protocol.key is None:
        text = "nothing tells rows that are gone, as messages have no key"
        found.append(problem(protocol.at("root"), text, "Say key: PART."))
    else:
        found += one_of_such(protocol.key, "part that is registered", protocol.roots, "parts that are registered")
    for root in protocol.roots.values():
        found += one_of_such(root.record, RECORD, protocol.records, RECORDS)
        found += named(root.tombstone, "kind of event", context.spec.events.kinds, "kinds of event")
        for mark in root.marks:
            found += _mark(context, mark)
        if root.others is not None:
            found += _others(context, root.others)
    for record in protocol.records.values():
        found += _record(context, record)
    for held in protocol.objects.values():
        found += (one for member in held.again for one in _again(member.id))
        for member in held.members.values():
            if isinstance(member, Scalar):
                found += named(member.event, "event field", context.spec.events.fields)
    found += named(protocol.described_by, "event field", context.spec.events.fields)
    for flag in protocol.described_flags:
        found += named(flag, "flag", types.flags)
    for word, said in protocol.spelling.says.items():
        if said.by:
            found += by_producer(protocol, map(_word, said.by), protocol.spelling.at(word))
    return [*found, *_schemas(context)]


def _word(key: str) -> Word:
    """A key of a mapping by producer."""
    assert isinstance(key, Word)
    return key


def _again(id: Word) -> Iterator[Problem]:
    yield problem(id.location, f"{quoted(id)} is there already", "Take another id.")


def _others(context: RegisteredContext, others: OtherMessages) -> Iterator[Problem]:
    protocol = context.protocol
    known = {name: one for name, one in context.spec.protocols.items() if name != protocol.name}
    yield from one_of_such(others.protocol, "other protocol", (*known, *context.spec.unreadable), "other protocols")
    for kind in others.kinds:
        yield from named(kind, "kind of event", context.spec.events.kinds, "kinds of event")
    yield from named(others.when, "option", protocol.options)


def _mark(context: RegisteredContext, mark: ValueMark) -> Iterator[Problem]:
    protocol = context.protocol
    yield from named(mark.event, "kind of event", context.spec.events.kinds, "kinds of event")
    yield from one_of_such(mark.part, "part that is an object", protocol.objects, "parts that are objects")
    yield from named(mark.carries, "event field", context.spec.events.fields)
    yield from named(mark.when, "option", protocol.options)
    for producer in mark.producers:
        yield from named(producer, "producer", protocol.producers)


def _record(context: RegisteredContext, record: RegisteredRecord) -> Iterator[Problem]:
    for again in record.again:
        yield from _again(again.id)
    for field in record.fields.values():
        yield from _field(context, field)
    for case in record.cases.values():
        yield from _case(context, record, case)
    yield from named(record.missing, "kind of event", context.spec.events.kinds, "kinds of event")


def _field(context: RegisteredContext, field: RecordMember) -> Iterator[Problem]:
    protocol = context.protocol
    if isinstance(field, RowFields):
        if field.by:
            yield from by_producer(protocol, field.by, field.at("columns"))
        for flag in dict.fromkeys(field.flags.values()):
            yield from named(flag, "flag", context.spec.mysql_types.flags)
        for name in (field.known_by, field.utc):
            yield from named(name, "event field", context.spec.events.fields)
        return
    for option in field.when:
        yield from named(option, "option", protocol.options)
    if isinstance(field, InnerRecord):
        yield from one_of_such(field.part, RECORD, protocol.records, RECORDS)
        for kind, option in field.sent.items():
            yield from named(kind, "kind of event", context.spec.events.kinds, "kinds of event")
            yield from named(option, "option", protocol.options)
    else:
        yield from named(field.option, "option", protocol.options)
        yield from named(field.event, "event field", context.spec.events.fields)


def _case(context: RegisteredContext, record: RegisteredRecord, case: RecordCase) -> Iterator[Problem]:
    events = context.spec.events
    if case.alias is not None:
        others = {name: one for name, one in record.cases.items() if one.alias is None}
        yield from one_of_such(case.alias, "case that is a kind of event", others, "cases that are kinds of events")
        return
    yield from named(case.event, "kind of event", events.kinds, "kinds of event")
    yield from named(case.when, "option", context.protocol.options)
    images = {str(image): None for cls in events.classes.values() for image in cls.images}
    for image, id in case.images.items():
        yield from named(image, "row image", images)
        yield from named(id, "field", record.fields)


def _schemas(context: RegisteredContext) -> Iterator[Problem]:
    protocol, said, types = context.protocol, context.protocol.schemas, context.spec.mysql_types
    for option in (said.registry, said.topic):
        yield from named(option, "option", protocol.options)
    yield from named(said.namespace_option, "option", protocol.options)
    for producer in said.unsent:
        yield from named(producer, "producer", protocol.producers)
    for name in said.refused:
        yield from named(name, "column type", types.types, "column types")
