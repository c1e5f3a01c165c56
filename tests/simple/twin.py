"""A second, naive reader of Simple in JSON over the standard library's: what the decoder has to agree with.

It gives the event of a value as plain tuples, or raises MalformedError; it does not say where. Descriptions of tables
are kept by the caller: `read` adds those of DDL and bootstrap messages, and rows are read by them. A row that nobody
described raises UndescribedError. FACTS.md says what the reader relies on.
"""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

from json_twin import (
    DECODER,
    MalformedError,
    Number,
    Pairs,
    Written,
    decimal,
    double,
    integer,
    members,
    need,
    single,
    string,
    text,
    unpacked,
    whole,
)

U64, I64 = 2**64 - 1, 2**63 - 1
ROWS = {"INSERT": ("data", None), "UPDATE": ("data", "old"), "DELETE": (None, "old")}
CLASSES = ("CREATE", "RENAME", "CINDEX", "DINDEX", "ERASE", "TRUNCATE", "ALTER", "QUERY")
SIGNED = ("tinyint", "smallint", "mediumint", "int", "bigint")
TEXTS = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext", "decimal", "date", "datetime", "time", "json")
BYTES = ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob")
ENVELOPE = (
    "version", "database", "table", "tableID", "type", "sql", "commitTs", "buildTs", "schemaVersion",
    "claimCheckLocation", "handleKeyOnly", "checksum", "data", "old", "tableSchema", "preTableSchema",
)  # fmt: skip
NOT_FINITE = {"NaN": math.nan, "+Inf": math.inf, "-Inf": -math.inf}
SPELLED = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
"""A FLOAT or DOUBLE; one of ZEROFILL may have zeros in front, as integers may."""


class UndescribedError(MalformedError):
    """Nobody described the row's table: schema, table, version."""


class Column(NamedTuple):
    """A column as a table schema describes it; what the message leaves out is None, False or ()."""

    name: str
    mysql_type: str
    charset: str
    collation: str
    length: int | None
    scale: int | None
    labels: tuple[str, ...]
    unsigned: bool
    zerofill: bool
    nullable: bool
    default: str | int | None
    default_length: int | None = None
    """How many bytes a default of bits has in a record, where they are more than its number needs."""


class Index(NamedTuple):
    """An index as a table schema describes it."""

    name: str
    unique: bool
    primary: bool
    nullable: bool
    columns: tuple[str, ...]


class Table(NamedTuple):
    """A table schema."""

    schema: str
    table: str
    table_id: int
    version: int
    columns: tuple[Column, ...]
    indexes: tuple[Index, ...]


Tables = dict[tuple[str, str, int], Table]


class Located(str):
    """The text of a TIMESTAMP; `zone` is the location that it was written in."""

    zone: str


class Flat(NamedTuple):
    """An event. Images are values by column name; checksum is version, corrupted, current, previous."""

    kind: str
    commit_ts: int
    sent_ms: int
    schema: str | None = None
    table: str | None = None
    table_id: int | None = None
    table_version: int | None = None
    handle_key_only: bool = False
    claim_check: str | None = None
    checksum: tuple[int, bool, int, int] | None = None
    ddl_class: str | None = None
    query: str | None = None
    after: Table | None = None
    before: Table | None = None
    new: dict[str, Any] | None = None
    old: dict[str, Any] | None = None


def read(value: bytes, tables: Tables) -> Flat:
    """The event of a value without compression; adds what it describes to the tables.

    Raises:
        MalformedError: it has to be refused.
        UndescribedError: its table is not among the tables.
    """
    try:
        root = members(DECODER.decode(value.decode()), ENVELOPE)
    except (ValueError, RecursionError) as error:
        raise MalformedError(str(error)) from None
    # Also what says nothing of a message of this kind has to be what it is.
    for name in ("sql", "claimCheckLocation"):
        string(root.get(name))
    # Names are texts in any message: Go's JSON would make all that are none the same name, with U+FFFD in it.
    for name in ("database", "table"):
        text(root.get(name))
    integer(root.get("tableID"), -I64 - 1, I64)
    integer(root.get("schemaVersion"), 0, U64)
    _flag(root.get("handleKeyOnly"))
    checksum = _checksum(root.get("checksum"))
    kind = _given(text(root.get("type")))
    integer(root.get("commitTs"), 0, U64)
    commit_ts = 0 if kind == "BOOTSTRAP" else _number(root, "commitTs", 0, U64)
    sent_ms = _number(root, "buildTs", -I64 - 1, I64)
    for name in {"data", "old"} - set(ROWS.get(kind, ())):
        need(root.get(name) in (None, [], Pairs()), "rows that nothing is said of")
    if kind in ("WATERMARK", "BOOTSTRAP"):
        need(not root.get("sql"), "a statement that would be lost")
    if kind == "WATERMARK":
        return Flat("watermark", commit_ts, sent_ms)
    if kind in ROWS:
        return _row(root, kind, commit_ts, sent_ms, tables)._replace(checksum=_whole(checksum))
    need(kind == "BOOTSTRAP" or kind in CLASSES, "type")
    # What was before says nothing of a bootstrap, and is not looked at.
    after, before = _table(root.get("tableSchema")), None if kind == "BOOTSTRAP" else _table(root.get("preTableSchema"))
    for found in (after, before):
        if found is not None:
            tables.setdefault((found.schema, found.table, found.version), found)
    if kind == "BOOTSTRAP":
        return Flat("bootstrap", commit_ts, sent_ms, after=after)
    return Flat("ddl", commit_ts, sent_ms, ddl_class=kind, query=text(root.get("sql")), after=after, before=before)


def _given(value: Any) -> Any:
    need(value is not None, "missing")
    return value


def _number(found: dict[str, Any], name: str, low: int, high: int) -> int:
    value: int = _given(integer(found.get(name), low, high))
    return value


def _flag(value: Any) -> bool:
    need(value is None or type(value) is bool, "no bool")
    return bool(value)


def _checksum(value: Any) -> tuple[Any, ...] | None:
    """Version, corrupted, current and previous, None where they are not said."""
    if value is None:
        return None
    said = members(value, ("version", "corrupted", "current", "previous"))
    sums = [integer(said.get(name), 0, 2**32 - 1) for name in ("current", "previous")]
    corrupted = said.get("corrupted")
    _flag(corrupted)
    return integer(said.get("version"), -(2**31), 2**31 - 1), corrupted, *sums


def _whole(checksum: tuple[Any, ...] | None) -> Any:
    need(checksum is None or None not in checksum, "checksum")
    return checksum


def _row(root: dict[str, Any], kind: str, commit_ts: int, sent_ms: int, tables: Tables) -> Flat:
    schema, table = _given(text(root.get("database"))), _given(text(root.get("table")))
    version = _number(root, "schemaVersion", 0, U64)
    described = tables.get((schema, table, version))
    if described is None:
        raise UndescribedError(f"{schema}.{table} {version}")
    partial = _flag(root.get("handleKeyOnly"))
    wanted = ROWS[kind]
    # A row whose table has no handle key has no image at all when only the handle key is sent.
    new, old = (None if name is None else _image(root.get(name), described, partial) for name in wanted)
    zones = {cell.zone for image in (new, old) for cell in (image or {}).values() if isinstance(cell, Located)}
    need(len(zones) < 2, "locations")
    return Flat(
        kind.lower(), commit_ts, sent_ms, schema, table, integer(root.get("tableID"), -I64 - 1, I64), version, partial,
        text(root.get("claimCheckLocation")), new=new, old=old,
    )  # fmt: skip


def _image(value: Any, table: Table, partial: bool) -> dict[str, Any]:
    if value is None and partial:
        return {}
    need(isinstance(value, Pairs), "no image")
    columns = {column.name: column for column in table.columns}
    found: dict[str, Any] = {}
    for name, cell in value:
        need(name in columns and name not in found, "column")
        found[name] = typed(columns[name], cell)
    return found


def typed(column: Column, value: Any) -> Any:
    """The value of a cell, as its column is described."""
    kind = column.mysql_type
    if value is None:
        return None
    if kind == "timestamp":
        said = members(value, ("location", "value"))
        located = Located(_given(text(said.get("value"))))
        located.zone = _given(text(said.get("location")))
        return located
    if type(value) is Number:
        value = str(value)  # as it stands there
    if kind in TEXTS or kind == "vector":
        found = text(value) if type(value) is str else Written(value)
        return decimal(found) if kind == "decimal" else found
    need(type(value) is str, "no text")
    if kind in BYTES:
        return unpacked(value)
    if kind in ("float", "double"):
        if value in NOT_FINITE:
            return NOT_FINITE[value]
        need(SPELLED.fullmatch(value) is not None, "float")
        return single(value) if kind == "float" else double(value)
    need(re.fullmatch("-?[0-9]+", value) is not None, "digits")
    number = whole(value)
    # a number may be wider than its column, and have no label: that is for who knows the table to say
    if (kind in SIGNED and not column.unsigned) or kind == "year":
        need(-I64 - 1 <= number <= I64, "outside")
    else:
        need(kind in SIGNED or kind in ("bit", "enum", "set"), "type")
        need(0 <= number <= U64, "outside")
    return number


def _table(value: Any) -> Table | None:
    if value is None:
        return None
    said = members(value, ("schema", "table", "tableID", "version", "columns", "indexes"))
    return Table(
        _name(said, "schema"), _name(said, "table"), _number(said, "tableID", -I64 - 1, I64),
        _number(said, "version", 0, U64), tuple(map(_column, _list(said, "columns", True))),
        tuple(map(_index, _list(said, "indexes", True))),
    )  # fmt: skip


def _name(found: dict[str, Any], name: str) -> str:
    value: str = _given(text(found.get(name)))
    return value


def _list(found: dict[str, Any], name: str, optional: bool = False) -> list[Any]:
    value = found.get(name)
    if value is None and optional:
        return []
    need(type(value) is list, "no list")
    assert isinstance(value, list)
    return value


def _texts(found: dict[str, Any], name: str) -> tuple[str, ...]:
    return tuple(_given(text(one)) for one in _list(found, name))


def _column(value: Any) -> Column:
    said = members(value, ("name", "dataType", "nullable", "default"))
    kinds = ("mysqlType", "charset", "collate", "length", "decimal", "elements", "unsigned", "zerofill")
    kind = members(said.get("dataType"), kinds)
    default = said.get("default")
    default = integer(default, 0, U64) if kind.get("mysqlType") == "bit" else text(default)
    return Column(
        _name(said, "name"), _name(kind, "mysqlType"), _name(kind, "charset"), _name(kind, "collate"),
        integer(kind.get("length"), -1, U64), integer(kind.get("decimal"), -1, U64),
        _texts(kind, "elements") if kind.get("elements") is not None else (), _flag(kind.get("unsigned")),
        _flag(kind.get("zerofill")), _flag(_given(said.get("nullable"))), default,
    )  # fmt: skip


def _index(value: Any) -> Index:
    said = members(value, ("name", "unique", "primary", "nullable", "columns"))
    unique, primary, nullable = (_flag(_given(said.get(name))) for name in ("unique", "primary", "nullable"))
    return Index(_name(said, "name"), unique, primary, nullable, _texts(said, "columns"))
