"""The columns of an event batch that a protocol fills."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..model import KIND_FIELD, Events
from .events import EventColumn, event_columns


def carried_columns(events: Events, fields: Iterable[str]) -> tuple[EventColumn, ...]:
    """The columns for these fields and those common to all events, in the usual order but renumbered. Other columns do
    not exist in the protocol's batches.
    """
    absent = set(events.fields) - {*fields, KIND_FIELD, "table"}
    kept = [one for one in event_columns(events) if one.name not in absent]
    return tuple(replace(one, position=at) for at, one in enumerate(kept))
