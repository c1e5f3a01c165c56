"""A second, naive reader of TiCDC's Debezium over the standard library's JSON: what the decoder has to agree with.

It gives the event of a key and a value as plain tuples, or raises MalformedError; it does not say where. What columns
are is told by `tidb_type` in the schema block, else by the tables that the caller keeps (`read` adds those of DDL
messages), else by connect's types as far as they tell: `exact` says whether it was one of the first two. A row without
any of them raises UndescribedError. FACTS.md says what the reader relies on.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from json_twin import DECODER, MalformedError, Pairs, integer, members, need, text

from debezium.values import CONNECT, NEAREST, Declared, typed

U64, I64 = 2**64 - 1, 2**63 - 1
KINDS = {"c": "insert", "u": "update", "d": "delete"}
PAYLOAD = (
    "source",
    "ts_ms",
    "transaction",
    "op",
    "before",
    "after",
    "databaseName",
    "schemaName",
    "ddl",
    "tableChanges",
)
SOURCE = ("version", "connector", "name", "ts_ms", "db", "table", "commit_ts", "start_ts", "cluster_id")
FIELD = ("tidb_type", "type", "optional", "name", "version", "parameters", "field", "default", "fields")


class UndescribedError(MalformedError):
    """Nothing says what the row's columns are: schema, table."""


class Field(NamedTuple):
    """A column in a schema block. `default` is as it stands in the message."""

    name: str
    connect: str
    semantic: str | None
    optional: bool
    tidb_type: str | None
    allowed: str | None
    default: Any


Table = dict[str, Declared]
Tables = dict[tuple[str, str], Table]


class Flat(NamedTuple):
    """An event. Key and images are values by column name; fields those of the schema block, by name."""

    kind: str
    commit_ts: int
    sent_ms: int
    schema: str | None = None
    table: str | None = None
    cluster: str | None = None
    start_ts: int | None = None
    ddl_class: str | None = None
    query: str | None = None
    key: dict[str, Any] | None = None
    new: dict[str, Any] | None = None
    old: dict[str, Any] | None = None
    exact: bool = True
    fields: dict[str, Field] | None = None


def read(key: bytes, value: bytes, tables: Tables) -> Flat:
    """The event of a key and a value without compression; adds what a DDL message describes to the tables.

    Raises:
        MalformedError: it has to be refused.
        UndescribedError: nothing says what the row's columns are.
    """
    key_schema, key_payload = _wrapped(key)
    block, payload = _wrapped(value)
    need((key_schema is None) == (block is None), "a schema on one side")
    said = members(payload, PAYLOAD)
    source = members(said.get("source"), SOURCE)
    start = integer(source.get("start_ts"), 0, U64)
    plain = Flat(
        "", _number(source, "commit_ts", 0, U64), _number(said, "ts_ms", -I64 - 1, I64), text(source.get("db")) or None,
        text(source.get("table")) or None, text(source.get("cluster_id")), start,
    )  # fmt: skip
    need(integer(source.get("ts_ms"), 0, I64) == plain.commit_ts >> 18, "two times")
    switch = text(said.get("op"))
    if switch is None:
        return _ddl(plain, said, tables)
    if switch == "m":
        return plain._replace(kind="watermark")
    need(switch in KINDS and plain.schema is not None and plain.table is not None, "op")
    declared = tables.get((plain.schema or "", plain.table or ""), {})
    fields = _columns(block)
    if fields is None and not declared:
        raise UndescribedError(f"{plain.schema}.{plain.table}")
    kind = KINDS[switch]
    images = [_image(said.get(side), fields, declared) for side in ("after", "before")]
    (new, exact), (old, exact_old) = images
    need((new is None) == (kind == "delete") and (kind != "insert" or old is None), "images")
    need(old is not None or kind != "delete", "images")
    key_fields = None if key_schema is None else _fields(key_schema)
    keys, _ = _image(key_payload, key_fields, declared)
    return plain._replace(
        kind=kind, key=keys, new=new, old=old, exact=exact and exact_old, fields=fields
    )  # fmt: skip


def _wrapped(data: bytes) -> tuple[Any, Any]:
    try:
        found = members(DECODER.decode(data.decode()), ("payload", "schema"))
    except (ValueError, RecursionError) as error:
        raise MalformedError(str(error)) from None
    need("payload" in found, "no payload")
    return found.get("schema"), found["payload"]


def _number(found: dict[str, Any], name: str, low: int, high: int) -> int:
    value = integer(found.get(name), low, high)
    need(value is not None, "missing")
    assert value is not None
    return value


def _columns(block: Any) -> dict[str, Field] | None:
    """The columns of a value's schema block: those of `before` and of `after` are the same."""
    if block is None:
        return None
    need(isinstance(block, Pairs), "schema")
    sides = [one for one in dict(block)["fields"] if dict(one).get("field") in ("before", "after")]
    need(len(sides) == 2, "sides")
    before, after = map(_fields, sides)
    need(before == after, "sides differ")
    return after


def _fields(block: Any) -> dict[str, Field]:
    found: dict[str, Field] = {}
    for one in members(block, FIELD)["fields"]:
        said = members(one, FIELD)
        name, connect = text(said.get("field")), text(said.get("type"))
        need(name is not None and connect is not None and said.get("optional") in (True, False), "field")
        assert name is not None
        assert connect is not None
        parameters = members(said.get("parameters", Pairs()), ("allowed", "length"))
        field = Field(
            name, connect, text(said.get("name")), said["optional"], text(said.get("tidb_type")),
            text(parameters.get("allowed")), said.get("default"),
        )  # fmt: skip
        # A virtual column may stand there twice, but not as two things.
        need(found.setdefault(name, field) == field, "two fields of a name")
    return found


def _image(value: Any, fields: dict[str, Field] | None, declared: Table) -> tuple[dict[str, Any] | None, bool]:
    """An image, and whether the type of every column was told."""
    if value is None:
        return None, True
    need(isinstance(value, Pairs), "no image")
    found: dict[str, Any] = {}
    exact = True
    for name, cell in value:
        field = None if fields is None else fields.get(name)
        need(fields is None or field is not None, "no field")
        kind = kind_of(field, declared.get(name))
        need(kind is not None, "no column")
        assert kind is not None
        exact = exact and kind.exact
        # A NULL in a column of bytes with a default stands there twice, the second time not in base64.
        if name not in found:
            found[name] = typed(kind, cell)
    return found, exact


def kind_of(field: Field | None, declared: Declared | None) -> Declared | None:
    """What a column is, by its field and by its table."""
    if field is None:
        return declared
    unit = CONNECT.get((field.connect, field.semantic))
    need(unit is not None, "connect's type")
    assert unit is not None
    labels = split(field.allowed) if field.allowed is not None else ()
    if field.tidb_type is not None:
        bare = field.tidb_type.removesuffix(" unsigned")
        told = Declared(bare, bare != field.tidb_type, None, labels, unit)
        if declared is not None and declared.mysql_type == bare:
            return declared._replace(unit=unit, unsigned=told.unsigned)
        return told
    if declared is not None:
        return declared._replace(unit=unit)
    return Declared(NEAREST[unit], False, None, labels, unit, exact=False)


def split(allowed: str) -> tuple[str, ...]:
    """The labels of `parameters.allowed`: parted by commas; those inside of labels have a backslash before them."""
    return tuple(re.sub(r"\\,", ",", one) for one in re.split(r"(?<!\\),", allowed))


# ---- DDL


def _ddl(plain: Flat, said: dict[str, Any], tables: Tables) -> Flat:
    changes = said.get("tableChanges")
    need(type(changes) is list and len(changes) < 2, "changes")
    assert isinstance(changes, list)
    need(text(said.get("databaseName")) == (plain.schema or ""), "database")
    kind = None
    for one in changes:
        change = members(one, ("type", "id", "table"))
        kind = text(change.get("type"))
        need(kind in ("CREATE", "ALTER", "DROP") and text(change.get("id")) is not None, "change")
        if change.get("table") is not None and plain.table is not None:
            columns = members(change["table"], ("columns",))["columns"]
            tables[plain.schema or "", plain.table] = dict(map(_declared, columns))
    return plain._replace(kind="ddl", ddl_class=kind, query=text(said.get("ddl")))


def _declared(value: Any) -> tuple[str, Declared]:
    said = members(value, ("name", "typeName", "length", "enumValues"))
    name, kind = text(said.get("name")), text(said.get("typeName"))
    need(name is not None and kind is not None, "column")
    assert name is not None
    assert kind is not None
    bare, _, suffix = kind.lower().partition(" ")
    labels = tuple((text(one) or "''")[1:-1] for one in said.get("enumValues") or ())
    length = integer(said.get("length"), -1, I64)
    # Only times have their fraction there; of those without one it is null or 0.
    scale = (length or 0) if bare in ("datetime", "timestamp", "time") else None
    return name, Declared(bare, "unsigned" in suffix, scale, labels, None)
