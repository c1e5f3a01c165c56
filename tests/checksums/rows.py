"""Rows with checksums, their tables, and the expected checksums from a plain second implementation."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from simple.checksums import value_bytes
from simple.twin import Located

from tidewire import simple
from tidewire.events import ROLES, Column, Events, RowChange
from tidewire.messages.checksums.checking import Checked, Plans
from tidewire.messages.checksums.verifying import verify
from tidewire.runtime.batch import EventColumns
from tidewire.tables import ColumnDescription, TableDescription, TableStore

VERIFYING = simple.Options(verify_checksum=True)
COMPUTING = simple.Options(compute_checksum=True)

TYPES = {
    "tinyint": 1,
    "smallint": 2,
    "int": 3,
    "float": 4,
    "double": 5,
    "timestamp": 7,
    "bigint": 8,
    "mediumint": 9,
    "date": 10,
    "time": 11,
    "datetime": 12,
    "year": 13,
    "varchar": 15,
    "bit": 16,
    "vector": 225,
    "json": 245,
    "decimal": 246,
    "enum": 247,
    "set": 248,
    "blob": 252,
    "char": 254,
}
"""Type codes by the names of types."""
NAMES = {code: name for name, code in TYPES.items()}

NUMBERS = [Column("a", 3, 0), Column("b", 3, 0)]
ROW = {"a": 1, "b": 2}
"""A row of two numbers."""


def row_sum(columns: Sequence[Column], row: Mapping[str, Any], time_zone: str | None = None) -> int:
    """The checksum of a row.

    Args:
        columns: in the order in which they count.
        row: values by the names of columns.
        time_zone: of TIMESTAMP values.

    Raises:
        NoSuchTime: the zone has not the time that a value says.
    """
    given = [(NAMES[one.type], row[one.name]) for one in columns if one.name in row]
    return zlib.crc32(b"".join(value_bytes(kind, located(kind, value, time_zone)) for kind, value in given))


def located(kind: str, value: Any, time_zone: str | None) -> Any:
    """A TIMESTAMP's text with its zone; any other value as it is."""
    if kind != "timestamp" or value is None:
        return value
    text = Located(value)
    text.zone = time_zone or ""
    return text


def declared(name: str, mysql_type: str, **more: Any) -> ColumnDescription:
    """A column of that type."""
    labels = ("a", "b") if mysql_type in ("enum", "set") else ()
    text = labels or mysql_type in ("char", "varchar")
    return ColumnDescription(name, mysql_type, labels=labels, charset="utf8mb4" if text else "binary", **more)


DESCRIBED = [declared("a", "int"), declared("b", "int")]
MOMENT = [Column("a", 7, 1)]


def store_of(described: list[ColumnDescription], **more: Any) -> TableStore:
    """The store with one table, `s`.`t`, in version 5."""
    store = TableStore()
    store.add(TableDescription("s", "t", described, id=1, version=5, **more))
    return store


def events_of(rows: list[dict[str, Any]], columns: list[Column], sums: list[int], **more: Any) -> EventColumns:
    """Inserted rows of it, with these checksums."""
    return Events.columns_of(
        [
            RowChange("insert", 1, "s", "t", new=row, columns=columns, table_version=5, checksum=one, **more)
            for row, one in zip(rows, sums, strict=True)
        ]
    )


TIMES = store_of([declared("a", "timestamp")])


def checked(columns: EventColumns, store: TableStore, by_id: bool = True) -> Checked:
    """What is wrong with the checksums of events."""
    return verify(columns, Plans(store, by_id, "table_version", ROLES))
