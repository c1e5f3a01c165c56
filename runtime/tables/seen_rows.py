"""What rows tell of the table that they are of, where no message describes it."""

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
"""What TiDB calls a primary key."""
HANDLE = "handle_key"
"""What the unique index is called here that identifies rows: rows do not tell its name."""


def table_of_rows(
    made: type[T], schema: str | None, table: str, columns: Sequence[Column], version: int, flags: int
) -> T:
    """The description of a table as its rows show it: columns, their types, and the key.

    What rows do not tell is not said: lengths and labels where the columns are not declared in full, character sets,
    defaults, comments, expressions of generated columns, and other indexes than the key. The columns of a key are
    taken for being in the order of the table.

    Args:
        made: the class of descriptions.
        schema: the database.
        table: the table.
        columns: of the rows.
        version: of the description.
        flags: the column flags that rows tell, as bits. Where that does not include NULLABLE, every column outside of
            the key may be null.

    Raises:
        DescriptionError: it cannot be described: a column has no type that TiDB has, two have one name.
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
    """What a row tells of a column."""
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
