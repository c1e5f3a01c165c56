"""Static structure of records, in addition to the writer's schema; generated from a spec."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

UNREAD = -1
"""Field number of a field that is not used: readers skip it."""


class RowColumns(NamedTuple):
    """The columns of a row, each a field of the record."""

    field: int
    """Field number of a column, for errors."""


class ScalarField(NamedTuple):
    """A number, string or boolean with a property of the event."""

    name: str
    type: str
    """An Avro primitive type."""
    default: str | None
    """Default in the schema, as JSON; None: it has none, and is always written."""
    field: int
    """Field number; `UNREAD`: it is not used."""
    when: tuple[str, ...] = ()
    """Written if one of these options is set; empty: always."""
    nullable: bool = False
    """Whether it is a union of null and the type, with default null."""
    tells: str = ""
    """``schema`` or ``table``: it has that name of the row, more exactly than the record's name; ``time``: it selects
    the version of the table's description; empty: none of these.
    """
    refused: bool = False
    """Whether no producer writes it, and records with a value in it are refused."""


class RecordInside(NamedTuple):
    """A nested record."""

    name: str
    part: RecordPart
    when: tuple[str, ...] = ()
    """Written if one of these options is set; empty: always."""
    always: bool = False
    """Whether it is never null."""


@dataclass(frozen=True)
class RecordPart:
    """A record with a row's columns or with other fields. Derived properties are cached: parts are constants, and every
    schema of a topic needs them.
    """

    named: str
    """Its name; ``{table}`` is replaced by the table's name."""
    fields: tuple[RowColumns | ScalarField | RecordInside, ...]
    version: int | None = None
    """Version that a Kafka Connect schema states."""

    @cached_property
    def column_field(self) -> int:
        """Field number of its columns, for errors; `UNREAD`: it has none."""
        return next((one.field for one in self.fields if isinstance(one, RowColumns)), UNREAD)

    @cached_property
    def any_column_field(self) -> int:
        """As `column_field`; if it has no columns itself, that of a nested record with columns."""
        own = (one.part.column_field for one in self.inside if one.part.has_columns)
        return self.column_field if self.has_columns else next(own, UNREAD)

    @cached_property
    def tells_table(self) -> bool:
        """Whether its records name their table."""
        return any(one.tells == "table" for one in self.scalars)

    @cached_property
    def without_columns(self) -> RecordPart:
        """The record without columns, also in nested records."""
        fields = [one for one in self.fields if not isinstance(one, RowColumns)]
        inner = [
            one._replace(part=one.part.without_columns) if isinstance(one, RecordInside) else one for one in fields
        ]
        return replace(self, fields=tuple(inner))

    def knows(self, name: str) -> bool:
        """Whether a field of this name, other than a column, is defined."""
        return any(not isinstance(one, RowColumns) and one.name == name for one in self.fields)

    @cached_property
    def has_columns(self) -> bool:
        """Whether it has a row's columns as fields."""
        return self.column_field != UNREAD

    @cached_property
    def inside(self) -> tuple[RecordInside, ...]:
        """Its nested records."""
        return tuple(one for one in self.fields if isinstance(one, RecordInside))

    @cached_property
    def images(self) -> tuple[RecordInside | None, ...]:
        """The row images in order: None for the record itself, otherwise a nested record."""
        own: tuple[None, ...] = (None,) if self.has_columns else ()
        return (*own, *(one for one in self.inside if one.part.has_columns))

    def is_of_row(self, names: Container[str]) -> bool:
        """Whether a record with these field names is a row.

        A record with columns of its own always is.
        """
        images = self.images
        return None in images or not images or any(one.name in names for one in images if one is not None)

    @cached_property
    def scalars(self) -> tuple[ScalarField, ...]:
        """All fields with properties of the event, including those of nested records, in order."""
        return tuple(self._scalars())

    def _scalars(self) -> Iterator[ScalarField]:
        for one in self.fields:
            if isinstance(one, RecordInside):
                yield from one.part.scalars
            elif isinstance(one, ScalarField) and one.field != UNREAD:
                yield one


def is_written(when: tuple[str, ...], options: Mapping[str, Any]) -> bool:
    """Whether a field is written with these options."""
    return not when or any(options[one] for one in when)
