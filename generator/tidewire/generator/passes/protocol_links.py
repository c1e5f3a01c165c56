"""Every name in the common part of protocols refers to something of the right kind.

- codecs, column types and flags of value tables; a codec must be possible in its containers
- event classes, fields, producers and options in `batching`
- options in `implies` and `needs`, `compression`, `unnamed` and `large`; choices in `needs`, `aliases` and `ways`
- kinds of events, images and flags in `keep`; flags and event fields in `ways`
- producers of options, defects, differences and `exchanged`; the last two list every producer
- column types of defects and losses, and the codecs that overwrite their values, if values are in shared bytes
- row images of defects, if rows are objects by column name; losses of rows, if keys identify rows
- kinds of events of defects, if schemas are registered
"""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Batching, Defect, Large, Option
from ..problems import Problem, listed, problem
from .common import CommonContext, by_producer, named, named_codec


def check(context: CommonContext) -> list[Problem]:
    """The problems of this pass."""
    protocol = context.protocol
    found = [*_values(context)]
    for option in protocol.options.values():
        found += _option(context, option)
    for chosen in (protocol.compression, protocol.unnamed):
        found += named(chosen, "option", protocol.options)
    if protocol.batching is not None:
        found += _batching(context, protocol.batching)
    if protocol.large is not None:
        found += _large(context, protocol.large)
    for defect in protocol.defects.values():
        for producer in defect.producers:
            found += named(producer, "producer", protocol.producers)
        for name in defect.types:
            found += named(name, "column type", context.spec.mysql_types.types, "column types")
        found += _overwritten(context, defect)
        found += _nameless(context, defect)
        found += _first_schema(context, defect)
    for lost in protocol.losses.values():
        if lost.keyless and not context.keyed_rows:
            text = "messages of this protocol say what row they are of without a key"
            found.append(problem(lost.at("lost"), text, "Remove it, or say types:."))
        for name in lost.types:
            found += named(name, "column type", context.spec.mysql_types.types, "column types")
    for difference in protocol.differences.values():
        for producer in difference.says:
            found += named(producer, "producer", protocol.producers)
        silent = [one for one in protocol.producers if one not in difference.says]
        if silent:
            text = f"nothing is said of the producer {listed(silent)}"
            found.append(problem(difference.location, text, "Say what each does, also where it is nothing."))
    if protocol.exchanged:
        found += by_producer(protocol, protocol.exchanged, protocol.at("exchanged"))
    return found


def _values(context: CommonContext) -> Iterator[Problem]:
    types = context.spec.mysql_types
    for table in context.protocol.values.values():
        wire = context.wire_of(table)
        for case in table.cases:
            for name in case.types:
                yield from named(name, "column type", types.types, "column types")
            for flag in case.flagged:
                yield from named(flag, "flag", types.flags)
            if case.by_producer:
                yield from by_producer(context.protocol, case.by_producer, case.at("codec"))
            unflagged = (case.unflagged,) if case.unflagged else ()
            for codec in (case.codec, *case.by_producer.values(), *case.flagged.values(), *unflagged):
                yield from named_codec(context.spec, codec, wire)


def _overwritten(context: CommonContext, defect: Defect) -> Iterator[Problem]:
    damage = defect.overwritten
    if damage is None:
        return
    if not context.overwrites:
        text = "values of this protocol have no bytes that others overwrite"
        yield problem(damage.location, text, "Remove overwritten:.")
        return
    codecs = {
        str(codec): None
        for table in context.protocol.values.values()
        for case in table.cases
        for codec in (case.codec, *case.flagged.values())
    }
    for codec in damage.by:
        yield from named(codec, "codec", codecs)


def _nameless(context: CommonContext, defect: Defect) -> Iterator[Problem]:
    image = defect.nameless
    if image is not None and not context.named_objects:
        text = "rows of this protocol are no objects of columns by name, of which a name could be lost"
        yield problem(image.location, text, "Remove lost: names.")
        return
    images = {str(one): None for cls in context.spec.events.classes.values() for one in cls.images}
    yield from named(image, "row image", images)


def _first_schema(context: CommonContext, defect: Defect) -> Iterator[Problem]:
    if defect.first_schema and not context.registers:
        text = "messages of this protocol have no schemas that are registered"
        yield problem(defect.at("of"), text, "Remove it, or say types:.")
        return
    for cls in defect.first_schema:
        yield from named(cls, "event class", context.spec.events.classes, "event classes")


def _option(context: CommonContext, option: Option) -> Iterator[Problem]:
    events, protocol = context.spec.events, context.protocol
    for name in (*option.implies, *option.needs, *(one for names in option.choice_needs.values() for one in names)):
        yield from named(name, "option", protocol.options)
    if option.choices:
        for choice in option.choice_needs:
            yield from named(choice, "choice", option.choices)
        for choice in option.aliases.values():
            yield from named(choice, "choice", option.choices)
    for producer in option.producers:
        yield from named(producer, "producer", protocol.producers)
    if option.keep is not None and option.keep.changed_by:
        yield from by_producer(protocol, option.keep.changed_by, option.keep.at("changed"))
    if option.keep is not None:
        yield from named(option.keep.event, "kind of event", events.kinds, "kinds of event")
        yield from named(option.keep.flagged, "flag", context.spec.mysql_types.flags)
        kind = events.kinds.get(option.keep.event)
        cls = events.classes.get(kind.cls) if kind is not None else None
        if cls is not None:
            yield from named(option.keep.image, "row image", cls.images)


def _batching(context: CommonContext, batching: Batching) -> Iterator[Problem]:
    protocol, events = context.protocol, context.spec.events
    yield from named(batching.gather, "event class", events.classes, "event classes")
    yield from named(batching.count, "option", protocol.options)
    yield from named(batching.bytes, "option", protocol.options)
    for option in dict.fromkeys(batching.bytes_of.values()):
        yield from named(option, "option", protocol.options)
    if batching.agree_by:
        yield from by_producer(protocol, batching.agree_by, batching.at("by"))
    for field in batching.gathered_by:
        yield from named(field, "event field", events.fields)


def _large(context: CommonContext, large: Large) -> Iterator[Problem]:
    options = context.protocol.options
    yield from named(large.option, "option", options)
    yield from named(large.bytes, "option", options)
    for kind in large.kinds:
        yield from named(kind, "kind of event", context.spec.events.kinds, "kinds of event")
    option = options.get(large.option)
    for way in large.ways.values():
        if option is not None and option.choices:
            yield from named(way.choice, "choice", option.choices)
        yield from named(way.keep, "flag", context.spec.mysql_types.flags)
        for field in (way.mark, *way.also):
            yield from named(field, "event field", context.spec.events.fields)
        yield from named(way.store, "option", options)
        yield from named(way.raw, "option", options)
