"""Table descriptions, and what they state about rows."""

from __future__ import annotations

from tidewire.runtime.tables.columns import length_of_bits
from tidewire.tables import ColumnDescription, IndexDescription, TableDescription

from ..cases import (
    BINARY,
    DOUBLE,
    FLOAT,
    HANDLE,
    INTEGERS,
    MULTIPLE,
    NULLABLE,
    PRIMARY,
    UNIQUE,
    UNSIGNED,
    YEAR,
    Column,
    Table,
)
from .base import Text

NULL = 6
_LENGTHS = {1: 4, 2: 6, 3: 11, 9: 9, 8: 20}
"""What TiCDC says of a column whose length TiDB does not say: -1 for other types."""


def described_table(table: Table, digits: bool = False) -> TableDescription:
    """What TiCDC says of a table that the oracle makes of these columns.

    Args:
        table: the table.
        digits: whether the digits of FLOAT and DOUBLE are told.
    """
    columns = [_column(one, digits) for one in table.columns]
    return TableDescription(table.schema, table.name, columns, _indexes(table), table.id, table.version)


def as_described(table: Table, column: Column, digits: bool = False) -> tuple[int, int, Text]:
    """What follows from the description: of flags those of the key only, as it is the only index."""
    flags = column.flags & (BINARY | NULLABLE | UNSIGNED)
    key, primary = key_of(table)
    if column in key:
        several = MULTIPLE if len(key) > 1 else 0
        # a unique index of one integer that is described again as a primary key counts as both
        both = len(key) == 1 and column.type in INTEGERS
        flags |= HANDLE | several | (PRIMARY if primary or both else 0) | (0 if primary else UNIQUE)
    declared = column.declared
    assert declared is not None
    bare = column.type == NULL or (column.type in (FLOAT, DOUBLE) and not digits)
    return column.type, flags, declared.short if bare else declared.full


def _column(column: Column, digits: bool) -> ColumnDescription:
    declared = column.declared
    assert declared is not None
    default = declared.default
    binary = bool(column.flags & BINARY)
    length = _LENGTHS.get(column.type, -1) if declared.flen is None else declared.flen
    scale = (0 if column.type in (*INTEGERS, YEAR) else -1) if declared.decimal is None else declared.decimal
    return ColumnDescription(
        column.name,
        declared.short.split(" ")[0],
        unsigned=bool(column.flags & UNSIGNED),
        zerofill=declared.zerofill,
        length=length or None,
        scale=_scale(column, scale, digits),
        labels=declared.elems,
        charset="binary" if binary else "utf8mb4",
        collation="binary" if binary else "utf8mb4_bin",
        nullable=bool(column.flags & NULLABLE),
        default=int.from_bytes(default, "big") if isinstance(default, bytes) else default,
        default_length=length_of_bits(default) if isinstance(default, bytes) else None,
    )


def _scale(column: Column, scale: int, digits: bool) -> int | None:
    """The scale of a column; of a float 0 is one, where digits are told."""
    if column.type in (FLOAT, DOUBLE):
        return scale if digits and scale >= 0 else None
    return scale or None


def key_of(table: Table) -> tuple[list[Column], bool]:
    """The columns that the oracle makes a key of, and whether it is the primary one."""
    for flag in (PRIMARY, HANDLE):
        found = [one for one in table.columns if one.flags & flag]
        if found:
            return found, flag == PRIMARY
    return [], False


def _indexes(table: Table) -> list[IndexDescription]:
    """The key; one that is a unique index once more, as TiCDC does it."""
    columns, primary = key_of(table)
    if not columns:
        return []
    names = tuple(one.name for one in columns)
    if primary and not (len(columns) == 1 and columns[0].type in INTEGERS):
        return [IndexDescription("PRIMARY", names, True, True, False)]
    handle = IndexDescription("primary", names, True, True, False)
    return [handle] if primary else [IndexDescription("uk", names, True, False, False), handle]
