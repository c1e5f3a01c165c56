"""A second, naive reader of Debezium-Avro: what the decoder has to agree with.

It follows Avro's specification 1.11 and FACTS.md, value by value. It gives the events of a message as plain tuples, or
raises MalformedError; it does not say where. A message that is of no row is what `tidewire.debezium` reads in its
payload, written as JSON.
"""

from __future__ import annotations

import base64
import json
import re
from decimal import Context, Decimal
from typing import Any, NamedTuple

import flattened
from avro.twin import HANDLE, Reader, Texts, text_at
from avro.types_twin import Type, record_of
from debezium.values import Declared, Unit, fraction_of, moment, zoned
from flattened import Image
from json_twin import LaterError, MalformedError, bits, decimal, need

from tidewire import debezium
from tidewire.events import Event, Events, RowChange
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.errors import TidewireError

from .schema_twin import ColumnSchema, ImageSchema, PlainField, SourceSchema, called, key_of, row_of

CONTEXT = Context(prec=100)
OPERATIONS = {b"c": "insert", b"r": "insert", b"u": "update", b"d": "delete"}
MOST_NAME = 256
ISO_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})Z")
ISO_TIME = re.compile(r"((?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])(\.[0-9]+)?Z")


class Flat(NamedTuple):
    """An event. Images are columns with their values: name, type, flags, declared type, value."""

    kind: str
    commit_ts: int | None = None
    commit_ms: int | None = None
    sent_ms: int | None = None
    schema: str | None = None
    table: str | None = None
    new: Image = None
    old: Image = None
    types_from: str | None = None
    zone: str | None = None
    other: str = ""
    """An event that is of no row, as a text."""


def read(key: bytes | None, value: bytes | None, texts: Texts) -> list[Flat]:
    """The events of a message.

    Args:
        key: the Kafka key.
        value: the Kafka value.
        texts: of schemas.

    Raises:
        MalformedError: it has to be refused.
    """
    if value is None:
        return []
    k = None if key is None else Reader(key)
    named = None
    try:
        named = None if k is None else key_of(text_at(k, texts))
    except LaterError:
        raise
    except MalformedError:
        k = None  # of another converter
    r = Reader(value)
    writer = text_at(r, texts)
    schema = row_of(writer)
    if isinstance(schema, Type):
        payload = _object(r, schema)
        need(r.at == len(value), "left over")
        told = None
        if k is not None and named is not None:
            told = {name: _value(k, one) for name, one, _ in named[0].fields or ()}
            need(k.at == len(k.data), "left over")
        space, own, _ = record_of(writer)
        return _other(payload, told, json.loads(writer).get("connect.name") or f"{space}.{own}".lstrip("."))
    keyed = frozenset() if named is None else frozenset(one.name for one in named[1])
    images: dict[str, Image] = {}
    said: dict[str, Any] = {}
    for name, one in schema.fields:
        if isinstance(one, PlainField):
            _tell(r, one, said, name)
        elif not _null(r, one.null):
            if isinstance(one, ImageSchema):
                images[name] = tuple(_cell(r, column, keyed) for column in one.columns)
            else:
                assert isinstance(one, SourceSchema)
                for field in one.fields:
                    _tell(r, field, said, f"source/{field.name}")
    need(r.at == len(value), "left over")
    schema_name, table = (_decoded(said.get(f"source/{one}", b"")) or None for one in ("db", "table"))
    kind = OPERATIONS.get(said.get("op", b""))
    need(kind is not None, "operation")
    assert kind is not None
    new, old = images.get("after"), images.get("before")
    need((old if kind == "delete" else new) is not None, "image")
    need({"insert": old, "update": None, "delete": new}[kind] is None, "rows that nothing is said of")
    need(not said.get("source/schema") and not said.get("source/collection"), "connector")
    need(said.get("source/connector") in (None, b"", b"mysql", b"mariadb", b"TiCDC"), "connector")
    ts = said.get("source/commit_ts")
    columns = schema.columns
    return [
        Flat(
            kind, None if ts is None else ts % 2**64, None if ts is not None else said.get("source/ts_ms"),
            said.get("ts_ms"), schema_name, table, None if kind == "delete" else new, None if kind == "insert" else old,
            None if all(one.exact for one in columns) else "connect",
            "UTC" if any(one.form == "zoned" for one in columns) else None,
        )
    ]  # fmt: skip


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise MalformedError("UTF-8") from None


def _null(r: Reader, null: int | None) -> bool:
    """Whether a value is null, where it can be."""
    if null is None:
        return False
    branch = r.number()
    need(branch in (0, 1), "branch")
    return branch == null


def _tell(r: Reader, field: PlainField, said: dict[str, Any], name: str) -> None:
    """A field that is no column, and what it says of the event."""
    if not field.told:
        _pass(r, field.type)
    elif not _null(r, field.type.null):
        said[name] = r.primitive(field.type.name)


def _pass(r: Reader, type: Type, checked: bool = False) -> None:
    """Goes behind a value; numbers may have 64 bits. Checked, texts are texts, as in any message of no row."""
    if type.empty or _null(r, type.null):
        return
    match type.name:
        case "int" | "long":
            r.number()
        case "record":
            need(type.fields is not None, "a record in itself")
            for _, one, _ in type.fields or ():
                _pass(r, one, checked)
        case "enum":
            need(0 <= r.number() < len(type.words["symbols"]), "symbol")
        case "fixed":
            r.take(type.words["size"])
        case "union":
            branch = r.number()
            need(0 <= branch < len(type.inside), "branch")
            _pass(r, type.inside[branch], checked)
        case "array" | "map":
            for _ in _blocks(r, type):
                if type.name == "map":
                    (r.text if checked else r.sized)()
                _pass(r, type.inside[0], checked)
        case "string" if checked:
            r.text()
        case _:
            r.primitive(type.name)


def _blocks(r: Reader, type: Type) -> Any:
    """The items of an array or a map, of which there are no more in a block than bytes; none of those without any."""
    while True:
        count = r.number()
        left = len(r.data) - r.at
        if count < 0:
            count = -count
            need(0 <= r.number() <= len(r.data) - r.at, "size of a block")
        need(count <= min(left, len(r.data) - r.at), "too many items")
        if count == 0:
            return
        if type.name == "map" or not type.inside[0].empty:
            yield from range(count)


# ---- messages of no row


def _object(r: Reader, type: Type) -> dict[str, Any]:
    need(type.fields is not None, "a record in itself")
    found = {}
    for name, one, words in type.fields or ():
        if not one.empty:
            need(len(called(name, words)) <= MOST_NAME, "name")
            found[called(name, words)] = _value(r, one)
    return found


def _value(r: Reader, type: Type) -> Any:
    """A value as JSON has it."""
    if _null(r, type.null):
        return None
    match type.name:
        case "record":
            return _object(r, type)
        case "array":
            return [_value(r, type.inside[0]) for _ in _blocks(r, type)]
        case "bytes":
            return base64.b64encode(r.sized()).decode()
        case "string":
            return r.text()
        case "int" | "long":
            return r.number()
        case "boolean" | "float" | "double":
            return r.primitive(type.name)
    start = r.at
    _pass(r, type._replace(null=None), checked=True)
    return {"type": type.name, "bytes": r.at - start}


def _other(payload: dict[str, Any], key: dict[str, Any] | None, name: str) -> list[Flat]:
    """The event of another message."""
    value, own = ({"payload": one} for one in (payload, key))
    try:
        keys = None if key is None else json.dumps(own).encode()
        events = debezium.decode(json.dumps(value).encode(), keys, debezium.Options(enable_tidb_extension=True))
    except TidewireError:
        raise MalformedError("payload") from None
    skipped = "Heartbeat" if payload.get("status") is None else "TransactionMetadataValue"
    need(bool(events) or name == f"io.debezium.connector.common.{skipped}", "the name of a schema")
    need(not any(isinstance(one, RowChange) for one in events), "a row")
    return [Flat(one.kind, other=repr(one)) for one in events]


# ---- rows


def _cell(r: Reader, column: ColumnSchema, keyed: frozenset[str]) -> tuple[Any, ...]:
    flags = column.flags | (HANDLE if column.name in keyed else 0)
    value = None if _null(r, column.type.null) else bits(_typed(column, r.primitive(column.type.name)))
    return (column.name, column.code, flags, column.declared, value)


def _typed(column: ColumnSchema, found: Any) -> Any:
    """A value as events have it."""
    match column.form:
        case "natural":
            need(found >= 0, "below 0")
        case "wrapped":
            return found % 2**64
        case "digits":
            need(found.isdigit() and int(found) < 2**64, "digits")
            return int(found)
        case "text":
            return decimal(_decoded(found)) if column.code == 246 else _decoded(found)
        case "flag":
            return int(found)
        case "bits":
            need(len(found) <= 8, "bits")
            return int.from_bytes(found, "little")
        case "decimal":
            need(1 <= len(found) <= 32, "decimal")
            return f"{Decimal(int.from_bytes(found, 'big', signed=True)).scaleb(-column.scale, CONTEXT):f}"
        case "label" | "labels":
            assert column.labels is not None
            text = found.decode("utf-8", "surrogateescape")
            return column.labels.label(text) if column.form == "label" else column.labels.labels(text)
        case "zoned":
            return zoned(_decoded(found), None)
        case "iso":
            return _iso(_decoded(found))
        case "number":
            return found
        case _:
            return _moment(column.form, found)
    return found


def _moment(form: str, number: int) -> str:
    """A date or a time, with as many digits behind the point as it takes."""
    unit = {"days": Unit.DAYS, "millis": Unit.MILLIS, "micros": Unit.MICROS, "micros of a day": Unit.OF_DAY}.get(form)
    if unit is None:  # nanoseconds
        whole, behind = (abs(number) if form == "nanos of a day" else number).__divmod__(1000)
        behind_point = f"{whole % 1_000_000:06}{behind:03}".rstrip("0")
        if form == "nanos":
            text = moment(_kind(Unit.MICROS), "datetime", whole - whole % 1_000_000)
        else:
            text = moment(_kind(Unit.OF_DAY), "time", whole - whole % 1_000_000)
            text = f"-{text}" if number < 0 else text
        return f"{text}.{behind_point}" if behind_point else text
    name = {"days": "date", "micros of a day": "time"}.get(form, "datetime")
    return moment(_kind(unit), name, number)


def _kind(unit: Unit) -> Declared:
    return Declared("", False, None, (), unit)


def _iso(text: str) -> str:
    """What a text of ISO 8601 says."""
    if date := ISO_DATE.fullmatch(text):
        assert zoned(f"{date[1]}T00:00:00Z", None)
        return date[1]
    if time := ISO_TIME.fullmatch(text):
        digits = (time[2] or ".")[1:]
        need(not digits[9:].strip("0"), "digits")
        return time[1] + fraction_of(None, digits[:9])
    need(text.endswith("Z"), "zone")
    return zoned(text, None)


def flat(columns: EventColumns) -> dict[int, list[Flat]]:
    """What the decoder gave, by message."""
    events = iter(Events(columns))
    rows = flattened.flat(columns, Flat)
    return {message: [_told(one, next(events)) for one in told] for message, told in rows.items()}


def _told(found: Flat, event: Event) -> Flat:
    return found if isinstance(event, RowChange) else Flat(found.kind, other=repr(event))
