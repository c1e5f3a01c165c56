"""Constructed events whose expected messages tests know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidewire.events import Event, RowChange
from tidewire.runtime.batch.rows import Row


def changed(event: Event) -> RowChange:
    """An event of a row."""
    assert isinstance(event, RowChange)
    return event


def new_of(event: Event) -> Row:
    """The row as it is from then on."""
    image = changed(event).new
    assert isinstance(image, Row)
    return image


def values_of(event: Event) -> Mapping[str, Any]:
    """Its values, by name."""
    return dict(new_of(event))
