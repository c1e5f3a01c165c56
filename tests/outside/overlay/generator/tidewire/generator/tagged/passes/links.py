"""Names stand for something: fields and kinds of events, row images, parts, value tables, options."""

from __future__ import annotations

from tidewire.generator.passes.common import named
from tidewire.generator.problems import Problem

from .context import TaggedContext


def check(context: TaggedContext) -> list[Problem]:
    """The problems of this pass."""
    protocol, events = context.protocol, context.spec.events
    found = list(named(protocol.unlisted, "option", protocol.options))
    for one in (*protocol.fields, *protocol.column):
        found += named(one.event, "event field", events.fields)
        found += named(one.image, "row image", [image for cls in events.classes.values() for image in cls.images])
        found += named(one.part, "part", protocol.parts)
        found += named(one.values, "value table", protocol.values)
    for case in protocol.cases:
        found += named(case.kind, "kind of event", events.kinds, "kinds of event")
    return found
