"""What a binary protocol carries of the neutral events."""

from __future__ import annotations

from dataclasses import replace

from ..model import KIND_FIELD, Events
from ..plan.events import EventColumn, event_columns
from .resolve import Resolved


def carried_columns(events: Events, resolved: Resolved) -> tuple[EventColumn, ...]:
    """The columns of a batch of events that a protocol fills, in the same order but with places of their own; the
    others cost it nothing.
    """
    every = event_columns(events)
    fields = set(events.fields) - {one.event.name for one in resolved.bindings}
    absent = fields - {KIND_FIELD, "table"}
    kept = [one for one in every if one.name not in absent]
    return tuple(replace(one, position=at) for at, one in enumerate(kept))


def carried_kinds(events: Events, resolved: Resolved) -> tuple[str, ...]:
    """The kinds of events that a protocol has messages for, in the order of events.yaml."""
    classes = {str(case.event) for case in resolved.switch.struct.cases.values()}
    return tuple(kind for kind, one in events.kinds.items() if one.cls in classes)


def carried_fields(events: Events, resolved: Resolved) -> tuple[str, ...]:
    """The fields that a protocol says, in the order of events.yaml."""
    said = {KIND_FIELD, *(one.event.name for one in resolved.bindings)}
    return tuple(name for name in events.fields if name in said)
