"""Debezium as classic TiCDC prints it: payloads, and the schema blocks that say what they are. Not timed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal

from benchmarks.cases import (
    BIGINT,
    DATE,
    DATETIME,
    DECIMAL,
    DOUBLE,
    FLOAT,
    HANDLE_KEY,
    INT,
    SIGNED_TYPES,
    TINYINT,
    UNSIGNED,
    VARCHAR,
    Change,
    ColumnDef,
    Value,
    as_float32,
)
from benchmarks.peers.base import Message

SENT_MS = 1767323045678
NULLABLE = 0x40
DAY_MS = 86_400_000
_FIRST_DAY = date(1970, 1, 1).toordinal()
_FORMS = {
    TINYINT: ("tinyint", "int16", ""),
    INT: ("int", "int32", ""),
    BIGINT: ("bigint", "int64", ""),
    FLOAT: ("float", "float", ""),
    DOUBLE: ("double", "double", ""),
    DECIMAL: ("decimal", "double", ""),
    VARCHAR: ("varchar", "string", ""),
    DATE: ("date", "int32", "io.debezium.time.Date"),
    DATETIME: ("datetime", "int64", "io.debezium.time.Timestamp"),
}
"""TiDB's name, Kafka Connect's type and Debezium's name of the types that are measured."""
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_SOURCE_FIELDS = (
    ("string", False, "version"),
    ("string", False, "connector"),
    ("string", False, "name"),
    ("int64", False, "ts_ms"),
    ("string", True, "snapshot"),
    ("string", False, "db"),
    ("string", True, "sequence"),
    ("string", True, "table"),
    ("int64", False, "server_id"),
    ("string", True, "gtid"),
    ("string", False, "file"),
    ("int64", False, "pos"),
    ("int32", False, "row"),
    ("int64", True, "thread"),
    ("string", True, "query"),
)
_TRANSACTION_FIELDS = (
    ("string", False, "id"),
    ("int64", False, "total_order"),
    ("int64", False, "data_collection_order"),
)


def day_of(text: str) -> int:
    """A date as days since 1970-01-01."""
    return date.fromisoformat(text).toordinal() - _FIRST_DAY


def milliseconds_of(text: str) -> int:
    """A date and time as milliseconds since 1970-01-01."""
    when = datetime.fromisoformat(text)
    seconds = 3600 * when.hour + 60 * when.minute + when.second
    return (when.toordinal() - _FIRST_DAY) * DAY_MS + 1000 * seconds + when.microsecond // 1000


def day_text(day: int) -> str:
    """`day_of` backwards."""
    return date.fromordinal(day + _FIRST_DAY).isoformat()


def time_text(milliseconds: int, digits: int | None) -> str:
    """`milliseconds_of` backwards, with so many digits behind the seconds; None: as many as it takes."""
    days, rest = divmod(milliseconds, DAY_MS)
    seconds, parts = divmod(rest, 1000)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    fraction = f"{parts:03d}".rstrip("0") if digits is None else f"{parts:03d}"[:digits]
    return f"{day_text(days)} {clock}.{fraction}" if fraction else f"{day_text(days)} {clock}"


def plain(value: float) -> str:
    """The shortest digits that make a double, without an exponent."""
    digits = format(Decimal(repr(value)), "f")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def carried_value(column: ColumnDef, value: Value, digits: int | None) -> Value:
    """What Debezium carries of a value: of a decimal what a double holds of it, of a time its milliseconds.

    Args:
        column: of the value.
        value: as any row has it.
        digits: behind the seconds, where a description tells how many a column has; None: as many as it takes.
    """
    if column.type == DECIMAL and isinstance(value, str):
        return plain(float(value))
    if column.type == DATETIME and isinstance(value, str):
        seconds, _, parts = value.partition(".")
        parts = parts.rstrip("0") if digits is None else parts.ljust(digits, "0")
        return f"{seconds}.{parts}" if parts else seconds
    return value


def cell(column: ColumnDef, value: Value) -> str:
    """A value as TiCDC prints it."""
    if value is None:
        return "null"
    if column.type == VARCHAR:
        return _compact(value)
    if column.type == DATE:
        return str(day_of(str(value)))
    if column.type == DATETIME:
        return str(milliseconds_of(str(value)))
    if column.type in SIGNED_TYPES:
        return str(value)
    number = float(value)
    shortest = repr(number)
    if column.type == FLOAT:
        shortest = next(
            t for t in (f"{number:.{digits}g}" for digits in range(1, 18)) if as_float32(float(t)) == number
        )
    return plain(float(shortest)) if 1e-6 <= abs(number) < 1e21 or number == 0 else shortest


def image(columns: Sequence[ColumnDef], values: Mapping[str, Value]) -> str:
    """A row, or the key of one."""
    return "{" + ",".join(f"{_compact(column.name)}:{cell(column, values[column.name])}" for column in columns) + "}"


def key_columns(columns: Sequence[ColumnDef]) -> list[ColumnDef]:
    """Those of the handle key."""
    return [column for column in columns if column.flags & HANDLE_KEY]


def payload(row: Change) -> str:
    """The payload of a value."""
    before = image(row.columns, row.old) if row.kind == "update" else "null"
    source = {
        "version": "2.4.0.Final",
        "connector": "TiCDC",
        "name": "default",
        "ts_ms": row.commit_ts >> 18,
        "snapshot": "false",
        "db": row.schema,
        "table": row.table,
        "server_id": 0,
        "gtid": None,
        "file": "",
        "pos": 0,
        "row": 0,
        "thread": 0,
        "query": None,
        "commit_ts": row.commit_ts,
        "cluster_id": "default",
    }
    op = "u" if row.kind == "update" else "c"
    return (
        f'{{"source":{_compact(source)},"ts_ms":{SENT_MS},"transaction":null,"op":"{op}",'
        f'"before":{before},"after":{image(row.columns, row.new)}}}'
    )


def _field(column: ColumnDef) -> dict[str, object]:
    tidb, type_, name = _FORMS[column.type]
    if column.flags & UNSIGNED and column.type in SIGNED_TYPES:
        tidb += " unsigned"
        type_ = {"int16": "int16", "int32": "int64"}.get(type_, type_)
    said: dict[str, object] = {"tidb_type": tidb, "type": type_, "optional": bool(column.flags & NULLABLE)}
    if name:
        said |= {"name": name, "version": 1}
    return said | {"field": column.name}


def _named(fields: Sequence[tuple[str, bool, str]]) -> list[dict[str, object]]:
    return [{"type": type_, "optional": optional, "field": name} for type_, optional, name in fields]


def value_block(schema: str, table: str, columns: Sequence[ColumnDef]) -> str:
    """The block of a row's value, with TiDB's types."""
    fields = [_field(column) for column in columns]
    name = f"default.{schema}.{table}"
    source = _named(_SOURCE_FIELDS)
    source[4] = {
        "type": "string",
        "optional": True,
        "name": "io.debezium.data.Enum",
        "version": 1,
        "parameters": {"allowed": "true,last,false,incremental"},
        "default": "false",
        "field": "snapshot",
    }
    images = [
        {"type": "struct", "optional": True, "name": f"{name}.Value", "field": side, "fields": fields}
        for side in ("before", "after")
    ]
    block = {
        "type": "struct",
        "optional": False,
        "name": f"{name}.Envelope",
        "version": 1,
        "fields": [
            *images,
            {
                "type": "struct",
                "fields": source,
                "optional": False,
                "name": "io.debezium.connector.mysql.Source",
                "field": "source",
            },
            *_named((("string", False, "op"), ("int64", True, "ts_ms"))),
            {
                "type": "struct",
                "fields": _named(_TRANSACTION_FIELDS),
                "optional": True,
                "name": "event.block",
                "version": 1,
                "field": "transaction",
            },
        ],
    }
    return _compact(block)


def key_block(schema: str, table: str, columns: Sequence[ColumnDef]) -> str:
    """The block of a row's key."""
    fields = [_field(column) for column in key_columns(columns)]
    name = f"default.{schema}.{table}.Key"
    return _compact({"type": "struct", "name": name, "optional": False, "fields": fields})


def exact(batches: Sequence[Sequence[Change]], blocks: bool) -> list[Message]:
    """The messages that TiCDC writes for these rows, with the TiDB extension, a message for each."""
    known: dict[tuple[str, str], tuple[str, str]] = {}
    messages = []
    for row in (row for rows in batches for row in rows):
        table = row.schema, row.table
        if blocks and table not in known:
            known[table] = (
                f',"schema":{key_block(*table, row.columns)}',
                f',"schema":{value_block(*table, row.columns)}',
            )
        key_tail, tail = known.get(table, ("", ""))
        key = f'{{"payload":{image(key_columns(row.columns), row.new)}{key_tail}}}'
        messages.append(Message(key.encode(), f'{{"payload":{payload(row)}{tail}}}'.encode()))
    return messages
