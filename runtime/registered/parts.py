"""What records are made of besides what a writer's schema says: printed from a spec."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class RowColumns(NamedTuple):
    """The columns of a row, each a field of its own."""

    field: int
    """The number of the field of a column, for errors."""


class ScalarField(NamedTuple):
    """A field that says something of the event."""

    name: str
    type: str
    """A primitive type of Avro."""
    default: str
    """The default in its schema, as JSON."""
    field: int
    """Its number among the fields of messages."""
    when: tuple[str, ...]
    """The options with one of which it is written; none: it always is."""


class RecordInside(NamedTuple):
    """A record in the record: another image of the row, or null."""

    name: str
    part: RecordPart
    when: tuple[str, ...]
    """The options with one of which it is written."""


class RecordPart(NamedTuple):
    """A record of a row."""

    named: str
    """Its name, in which ``{table}`` stands for the table's."""
    fields: tuple[RowColumns | ScalarField | RecordInside, ...]

    @property
    def column_field(self) -> int:
        """The number of the field of its columns, for errors."""
        return next(one.field for one in self.fields if isinstance(one, RowColumns))

    @property
    def scalars(self) -> tuple[ScalarField, ...]:
        """The fields that say something of the event."""
        return tuple(one for one in self.fields if isinstance(one, ScalarField))

    @property
    def inner(self) -> RecordInside | None:
        """The record in it."""
        return next((one for one in self.fields if isinstance(one, RecordInside)), None)


def is_written(when: tuple[str, ...], options: Mapping[str, Any]) -> bool:
    """Whether a field is written with these options."""
    return not when or any(options[one] for one in when)
