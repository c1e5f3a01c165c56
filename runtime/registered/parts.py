"""What records are made of besides what a writer's schema says: printed from a spec."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

UNREAD = -1
"""Stands for the number of a field that says nothing of the event: a reader passes it."""


class RowColumns(NamedTuple):
    """The columns of a row, each a field of its own."""

    field: int
    """The number of the field of a column, for errors."""


class ScalarField(NamedTuple):
    """A number, a text, true or false."""

    name: str
    type: str
    """A primitive type of Avro."""
    default: str | None
    """The default in its schema, as JSON; None: it is always written, and has none."""
    field: int
    """Its number among the fields of messages; `UNREAD`: it says nothing of the event."""
    when: tuple[str, ...] = ()
    """The options with one of which it is written; none: it always is."""
    nullable: bool = False
    """Whether it is a union of null and the type, and null."""
    tells: str = ""
    """Whether it is the name of the row's ``schema`` or ``table``, which the names of records tell less well, or the
    ``time`` by which the table's description is chosen."""
    refused: bool = False
    """Whether nobody writes it, and a record with something in it is refused."""


class RecordInside(NamedTuple):
    """A record in the record."""

    name: str
    part: RecordPart
    when: tuple[str, ...] = ()
    """The options with one of which it is written."""
    always: bool = False
    """Whether it is there always; else it can be null."""


@dataclass(frozen=True)
class RecordPart:
    """A record of a row, or of what stands beside rows. What follows from its fields is found out once: parts are
    constants, and each schema of a topic asks.
    """

    named: str
    """Its name, in which ``{table}`` stands for the table's."""
    fields: tuple[RowColumns | ScalarField | RecordInside, ...]
    version: int | None = None
    """The version that a schema of Kafka Connect says."""

    @cached_property
    def column_field(self) -> int:
        """The number of the field of its columns, for errors; `UNREAD`: it has none."""
        return next((one.field for one in self.fields if isinstance(one, RowColumns)), UNREAD)

    @cached_property
    def any_column_field(self) -> int:
        """The same, where it is none of its own that of the columns of a record in it."""
        own = (one.part.column_field for one in self.inside if one.part.has_columns)
        return self.column_field if self.has_columns else next(own, UNREAD)

    @cached_property
    def tells_table(self) -> bool:
        """Whether records say of which table they are."""
        return any(one.tells == "table" for one in self.scalars)

    @cached_property
    def without_columns(self) -> RecordPart:
        """What it has besides columns, and what records in it have."""
        fields = [one for one in self.fields if not isinstance(one, RowColumns)]
        inner = [
            one._replace(part=one.part.without_columns) if isinstance(one, RecordInside) else one for one in fields
        ]
        return replace(self, fields=tuple(inner))

    def knows(self, name: str) -> bool:
        """Whether a field of this name, which is no column, is one of the record's."""
        return any(not isinstance(one, RowColumns) and one.name == name for one in self.fields)

    @cached_property
    def has_columns(self) -> bool:
        """Whether fields of it are the columns of a row."""
        return self.column_field != UNREAD

    @cached_property
    def inside(self) -> tuple[RecordInside, ...]:
        """The records in it."""
        return tuple(one for one in self.fields if isinstance(one, RecordInside))

    @cached_property
    def images(self) -> tuple[RecordInside | None, ...]:
        """Where row images are, in their order: None stands for the record itself, others for a record in it."""
        own: tuple[None, ...] = (None,) if self.has_columns else ()
        return (*own, *(one for one in self.inside if one.part.has_columns))

    def is_of_row(self, names: Container[str]) -> bool:
        """Whether a record whose fields have these names is of a row; else it is of no row.

        A record that has columns itself is one whatever its fields are.
        """
        images = self.images
        return None in images or not images or any(one.name in names for one in images if one is not None)

    @cached_property
    def scalars(self) -> tuple[ScalarField, ...]:
        """The fields that say something of the event, those of records in it among them, in their order."""
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
