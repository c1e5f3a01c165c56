"""The parts of cases: tables, rows, DDL statements, watermarks, and encoder options."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from tidewire.mysql import ColumnFlag

from .declared import Declared

Value = int | float | str | bytes | None

INTEGERS = {1: 8, 2: 16, 3: 32, 8: 64, 9: 24}
"""Integer types and their width in bits."""
YEAR, BIT, VECTOR, JSON, DECIMAL, ENUM, SET, FLOAT, DOUBLE = 13, 16, 225, 245, 246, 247, 248, 4, 5
STRINGS = (15, 249, 250, 251, 252, 253, 254)
"""Types whose values TiCDC has as bytes, text or not."""
DATES = (7, 10, 11, 12)
NEWDATE, VAR_STRING = 14, 253
BINARY, HANDLE, GENERATED, PRIMARY, UNIQUE, MULTIPLE, NULLABLE, UNSIGNED = (
    int(flag)
    for flag in (
        ColumnFlag.BINARY,
        ColumnFlag.HANDLE_KEY,
        ColumnFlag.GENERATED,
        ColumnFlag.PRIMARY_KEY,
        ColumnFlag.UNIQUE_KEY,
        ColumnFlag.MULTIPLE_KEY,
        ColumnFlag.NULLABLE,
        ColumnFlag.UNSIGNED,
    )
)


class Column(NamedTuple):
    """Name, MySQL's type byte, TiCDC's flags; how it was declared, where the protocol tells that."""

    name: str
    type: int
    flags: int
    declared: Declared | None = None


@dataclass(frozen=True)
class Table:
    """A table. `sane`: its flags are those of a table that TiDB can have. Id and version are told where tables are
    described apart from rows.
    """

    schema: str
    name: str
    columns: tuple[Column, ...]
    partitioned: bool
    sane: bool
    id: int = 0
    version: int = 0
    shuffled: bool = False
    """The ids of its columns are in another order than the columns."""

    def ids(self) -> list[int]:
        """The ids of the columns."""
        if self.shuffled:
            return [zlib.crc32(column.name.encode()) + 1 for column in self.columns]
        return list(range(1, len(self.columns) + 1))


@dataclass(frozen=True)
class Row:
    """A row change; images are aligned with the table's columns."""

    kind: str
    commit_ts: int
    table: Table
    partition: int | None
    new: tuple[Value, ...] | None
    old: tuple[Value, ...] | None
    row_id: int | None = None
    """The integer handle; None where there is another one or none."""
    checksum: int | None = None
    """Of the new row; None: the producer has computed none."""


@dataclass(frozen=True)
class Statement:
    """A DDL statement."""

    commit_ts: int
    schema: str
    table: str
    type: int
    query: str


@dataclass(frozen=True)
class Mark:
    """A watermark."""

    commit_ts: int


@dataclass(frozen=True)
class Description:
    """What a table is: told ahead of its rows, or by a statement on it.

    Attributes:
        statement: the DDL type and the statement; None where the table is told alone (a bootstrap).
        before: the table before the statement.
    """

    commit_ts: int
    table: Table
    statement: tuple[int, str] | None = None
    before: Table | None = None


Happening = Row | Statement | Mark | Description
Options = Mapping[str, Any]
"""Under TiCDC's names, and the oracle's own."""


@dataclass(frozen=True)
class Case:
    """Events and the options to encode them with."""

    name: str
    options: Options = field(default_factory=dict)
    events: tuple[Happening, ...] = ()

    def types(self) -> set[int]:
        """The types of all columns."""
        return {c.type for e in self.events if isinstance(e, Row) for c in e.table.columns}

    def apart_from(self, numbers: Collection[int]) -> Case:
        """The case without the events with these numbers; where one of them describes a table, without its rows."""
        gone = {id(e.table) for n, e in enumerate(self.events) if n in numbers and isinstance(e, Description)}
        kept = (e for n, e in enumerate(self.events) if n not in numbers)
        return replace(self, events=tuple(e for e in kept if not isinstance(e, Row) or id(e.table) not in gone))

    def without(self, first: int, count: int) -> Case:
        """The case without some events."""
        return replace(self, events=self.events[:first] + self.events[first + count :])
