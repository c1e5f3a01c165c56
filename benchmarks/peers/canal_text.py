"""Canal-JSON as TiCDC prints it, and what a consumer by hand knows of it: names, types, texts of values. Not timed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from benchmarks.cases import (
    BIGINT,
    BLOB,
    DATE,
    DATETIME,
    DECIMAL,
    DOUBLE,
    FLOAT,
    INT,
    TINYINT,
    UNSIGNED,
    VARCHAR,
    Change,
    ColumnDef,
    Value,
    as_float32,
)
from benchmarks.peers.base import Message, as_go_escapes

SENT_MS = 1767323045678
PRIMARY_KEY = 0x08
_TYPES = {
    TINYINT: ("tinyint", -6),
    INT: ("int", 4),
    BIGINT: ("bigint", -5),
    FLOAT: ("float", 7),
    DOUBLE: ("double", 8),
    DECIMAL: ("decimal", 3),
    VARCHAR: ("varchar", 12),
    DATETIME: ("datetime", 93),
    DATE: ("date", 91),
    BLOB: ("text", 2005),
}
"""MySQL's name and Java's code of the types that are measured."""
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def mysql_types(columns: Sequence[ColumnDef]) -> dict[str, str]:
    """``mysqlType`` of a table, in table order (TiCDC's is random)."""
    return {c.name: _TYPES[c.type][0] + (" unsigned" if c.flags & UNSIGNED else "") for c in columns}


def sql_types(columns: Sequence[ColumnDef]) -> dict[str, int]:
    """``sqlType`` of a table; none of the unsigned values measured is above the signed range."""
    return {c.name: _TYPES[c.type][1] for c in columns}


def keys(columns: Sequence[ColumnDef]) -> list[str]:
    """``pkNames``."""
    return [c.name for c in columns if c.flags & PRIMARY_KEY]


def text(column: ColumnDef, value: Value) -> str | None:
    """A value as TiCDC prints it: floats with the fewest digits of their own width, never with an exponent."""
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, float):
        return str(value)
    shortest = repr(value)
    if column.type == FLOAT:
        shortest = next(t for t in (f"{value:.{digits}g}" for digits in range(1, 18)) if as_float32(float(t)) == value)
    plain = format(Decimal(shortest), "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def exact(batches: Sequence[Sequence[Change]]) -> list[Message]:
    """The messages that TiCDC writes for these rows, with the TiDB extension, a message for each."""
    return [Message(None, _exact(row).encode()) for rows in batches for row in rows]


def _exact(row: Change) -> str:
    old = [_image(row, row.old)] if row.kind == "update" else None
    message: dict[str, Any] = {
        "id": 0,
        "database": row.schema,
        "table": row.table,
        "pkNames": keys(row.columns),
        "isDdl": False,
        "type": row.kind.upper(),
        "es": row.commit_ts >> 18,
        "ts": SENT_MS,
        "sql": "",
        "sqlType": sql_types(row.columns),
        "mysqlType": mysql_types(row.columns),
        "old": old,
        "data": [_image(row, row.new)],
        "_tidb": {"commitTs": row.commit_ts},
    }
    return as_go_escapes(_compact(message))


def _image(row: Change, values: Mapping[str, Value]) -> dict[str, str | None]:
    return {column.name: text(column, values[column.name]) for column in row.columns}
