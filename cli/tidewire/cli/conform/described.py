"""Table descriptions from the recorded events."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tidewire.mysql import declared, type_text
from tidewire.runtime.tables.columns import length_of_bits
from tidewire.tables import ColumnDescription, IndexDescription, TableDescription

AUTO_INCREMENT, ON_UPDATE = 1 << 9, 1 << 13
"""MySQL's flags of a column: pingcap/tidb pkg/parser/mysql/type.go."""


def description(found: Mapping[str, Any], schema: str | None, table: str | None) -> TableDescription | None:
    """The table description in a recorded event; None if it has none.

    Args:
        found: the event, or its member with the table before the change.
        table: its name.
    """
    columns = found.get("columns")
    if not columns or not table or "charset" not in columns[0]:
        return None
    described = TableDescription(
        schema=schema,
        table=table,
        columns=tuple(_column(column, position) for position, column in enumerate(columns, 1)),
        indexes=tuple(_indexes(found, columns)),
        id=found.get("table_id"),
        version=version(found),
        charset=found.get("table_charset"),
    )
    key = described.implicit_key
    if not key or described.primary_key:
        return described
    # without a primary key, TiCDC repeats a unique index as an index "primary"
    again = IndexDescription(name="primary", columns=key, unique=True, primary=True, nullable=False)
    return described.replaced(indexes=(*described.indexes, again))


def version(found: Mapping[str, Any]) -> int | None:
    """The version of the event's table, as messages contain it."""
    return found.get("table_update_ts") or found.get("table_info_version") or None


def _column(column: Mapping[str, Any], position: int) -> ColumnDescription:
    said = declared(column["mysql_type"])
    name = type_text(said.type, said.flags)
    name = name.split()[0]
    scale = column["decimal"]
    return ColumnDescription(
        name=column["name"],
        mysql_type=name,
        unsigned=column["unsigned"],
        zerofill=column["zerofill"],
        length=column["flen"] or None,
        # undeclared is recorded as 0, for floats as -1
        scale=None if scale == (-1 if name in ("float", "double") else 0) else scale,
        labels=tuple(column["elems"] or ()),
        charset=column["charset"],
        collation=column["collation"],
        nullable=column["nullable"],
        default=_default(column["default"], name),
        default_length=_default_length(column["default"], name),
        auto_increment=_flagged(column, AUTO_INCREMENT),
        on_update=_flagged(column, ON_UPDATE),
        comment=column.get("comment") or None,
        position=position,
        id=column["id"],
    )


def _flagged(column: Mapping[str, Any], flag: int) -> bool | None:
    """Whether MySQL's flags contain a flag; None if they were not recorded."""
    flags = column.get("mysql_flags")
    return None if flags is None else bool(flags & flag)


def _default(found: Mapping[str, str] | None, type: str) -> str | int | None:
    """A default, recorded in the form of values: an object with one member that names the kind."""
    if found is None:
        return None
    ((kind, text),) = found.items()
    if kind != "bytes":
        return text
    value = base64.b64decode(text)
    return int.from_bytes(value, "big") if type == "bit" else value.decode(errors="replace")


def _default_length(found: Mapping[str, str] | None, type: str) -> int | None:
    """Byte length of a BIT default whose literal is longer than its number needs."""
    bits = None if found is None or type != "bit" else found.get("bytes")
    return None if bits is None else length_of_bits(base64.b64decode(bits))


def _indexes(found: Mapping[str, Any], columns: Sequence[Mapping[str, Any]]) -> Iterator[IndexDescription]:
    """The indexes, including the primary key of a table whose rows are stored by an integer key, which comes last."""
    nullable = {column["name"]: column["nullable"] for column in columns}
    for index in found.get("indexes") or ():
        names = tuple(one["name"] for one in index["columns"])
        yield IndexDescription(
            name=index["name"],
            columns=names,
            unique=index["unique"],
            primary=index["primary"],
            nullable=any(nullable[name] for name in names),
        )
    if found.get("pk_is_handle"):
        names = tuple(column["name"] for column in columns if column["is_pk"])
        yield IndexDescription(name="primary", columns=names, unique=True, primary=True, nullable=False)
