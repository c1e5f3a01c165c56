"""Names stand for something: fields and kinds of events, value tables."""

from __future__ import annotations

from tidewire.generator.passes.common import named
from tidewire.generator.problems import Problem

from .context import LineContext


def check(context: LineContext) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    protocol, events = context.protocol, context.spec.events
    for one in protocol.fields:
        found += named(one.event, "event field", events.fields)
        found += named(one.values, "value table", protocol.values)
    for case in protocol.cases:
        found += named(case.event, "kind of event", events.kinds, "kinds of event")
    return found
