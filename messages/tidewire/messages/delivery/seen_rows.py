"""Derives the description of a table from its rows, if no message describes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from tidewire.runtime.batch.table_parts import Column
from tidewire.runtime.shortened import shown
from tidewire.runtime.tables.columns import ColumnDescription, IndexDescription, wrong
from tidewire.runtime.tables.description import DescribedTable
from tidewire.runtime.tables.facts import TypesOfTables

T = TypeVar("T", bound=DescribedTable)

PRIMARY = "PRIMARY"
"""TiDB's name of a primary key."""
HANDLE = "handle_key"
"""The name given to a unique index that identifies rows; rows do not state its name."""


def table_of_rows(
    made: type[T], schema: str | None, table: str, columns: Sequence[Column], version: int, flags: int
) -> T:
    """The description of a table as far as its rows state it: columns, types, and the key.

    Not included are: lengths and labels of columns without a full declared type, character sets, defaults, comments,
    expressions of generated columns, and indexes other than the key. The columns of a key are assumed to be in the
    order of the table.

    Args:
        made: class of descriptions.
        schema: the database.
        table: name of the table.
        flags: mask of the column flags that rows state. Without NULLABLE, every column outside of the key may be null.

    Raises:
        DescriptionError: a column has a type that TiDB does not have, or two have the same name.
    """
    types = made.TYPES
    primary, handle = (types.flag(name) for name in ("PRIMARY_KEY", "HANDLE_KEY"))
    key_flag = primary if any(one.flags & primary for one in columns) else handle
    key = tuple(one.name for one in columns if one.flags & key_flag)
    described = []
    for at, one in enumerate(columns):
        if one.type == types.types.undeclared_code or not types.types.has(one.type):
            text = f"rows tell no type that TiDB has of the column {shown(one.name)}, and a description has to"
            wrong(table, f"columns/{at}/mysql_type", text)
        nullable = types.flag("NULLABLE")
        may_be_null = bool(one.flags & nullable) if flags & nullable else not one.flags & key_flag
        described.append(_column(one, types, may_be_null))
    indexes = [IndexDescription(PRIMARY if key_flag == primary else HANDLE, key, True, key_flag == primary, False)]
    return made(schema, table, described, indexes if key else [], version=version)


def _column(column: Column, types: TypesOfTables, nullable: bool) -> ColumnDescription:
    """The description of a column as far as rows state it."""
    said = None if column.mysql_type is None else types.types.declared_or_undeclared(column.mysql_type)
    if said is not None and said.type != column.type:
        said = None  # it contradicts the type by which the value was read
    written = "" if said is None or column.mysql_type is None else column.mysql_type.partition("(")[0].split(" ")[0]
    text = types.takes_charset(column.type, column.flags)
    return ColumnDescription(
        column.name,
        types.base_name(column.type, column.flags, written.lower()),
        unsigned=bool(column.flags & types.flag("UNSIGNED")),
        zerofill=said is not None and said.zerofill,
        length=None if said is None else said.length or None,
        scale=None if said is None else said.decimals or None,
        labels=() if said is None else said.members,
        charset=None if text else "binary",
        collation=None if text else "binary",
        nullable=nullable,
    )
