"""A second, naive reader of records behind schema ids: what the decoder has to agree with.

It follows Avro's specification 1.11 and what is recorded of TiCDC's schemas (tests/avro), value by value, and asks
`tidewire.mysql` only what a declared type is. It gives the events of a message as plain tuples, or raises
MalformedError; it does not say where.
"""

from __future__ import annotations

import json
import struct
import uuid
from collections.abc import Callable
from decimal import Context, Decimal
from typing import Any, NamedTuple

import flattened
from debezium.values import Declared, Unit, moment
from flattened import Image
from json_twin import LaterError, MalformedError, bits, decimal, need

from avro.schema_twin import ColumnSchema, RecordSchema, Scalar, schema_of
from tidewire.runtime.batch import EventColumns

CONTEXT = Context(prec=100)
HANDLE = 2
ABOUT_CHECKSUM = ("_tidb_checksum_version", "_tidb_corrupted")
"""What says nothing where there is no checksum."""
Texts = Callable[[Any], str | None]
"""By id the text of a schema; None where there is none."""


class Flat(NamedTuple):
    """An event. Images are columns with their values: name, type, flags, declared type, value."""

    kind: str
    commit_ts: int | None = None
    commit_ms: int | None = None
    schema: str | None = None
    table: str | None = None
    new: Image = None
    old: Image = None
    types_from: str | None = None
    checksums: tuple[int | None, int | None, int | None, bool | None] = (None, None, None, None)
    """Of the new row and of the old one, their version, and whether the producer found a difference."""
    ddl_type: int | None = None
    query: str | None = None


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
        return [] if key is None else [_gone(key, texts, None)]
    if value[:1] == b"\x01":
        return [_statement(value[1:])]
    if value[:1] == b"\x02":
        need(len(value) == 9, "watermark")
        return [Flat("watermark", int.from_bytes(value[1:], "big"))]
    if value[:1] == b"\x03" and len(value) == 9:
        return [] if key is None else [_gone(key, texts, int.from_bytes(value[1:], "big"))]
    keyed: frozenset[str] = frozenset()
    if key is not None:
        try:
            keyed = frozenset(one.name for one in _schema(Reader(key), texts, True).columns)
        except LaterError:
            raise
        except MalformedError:  # of another converter
            keyed = frozenset()
    return [_row(value, keyed, texts)]


class Reader:
    """Values of Avro's binary encoding, one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, size: int) -> bytes:
        need(0 <= size <= len(self.data) - self.at, "too short")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, width: int = 64) -> int:
        found = shift = 0
        while True:
            byte = self.take(1)[0]
            found |= (byte & 127) << shift
            need(found < 1 << 64 and shift < 70, "too long a number")
            shift += 7
            if byte < 128:
                break
        value = (found >> 1) ^ -(found & 1)
        need(-(1 << (width - 1)) <= value < 1 << (width - 1), "too great a number")
        return value

    def sized(self) -> bytes:
        return self.take(self.number())

    def text(self) -> str:
        return _decoded(self.sized())

    def primitive(self, type: str) -> Any:
        """A value of a primitive type."""
        if type in ("int", "long"):
            return self.number(32 if type == "int" else 64)
        if type == "boolean":
            value = self.take(1)[0]
            need(value < 2, "boolean")
            return bool(value)
        if type in ("float", "double"):
            size, form = (4, "<f") if type == "float" else (8, "<d")
            return struct.unpack(form, self.take(size))[0]
        return self.sized()


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise MalformedError("UTF-8") from None


def text_at(r: Reader, texts: Texts) -> str:
    """The text of the schema that the next bytes name."""
    first = r.take(1)
    if first == b"\x03":
        need(r.take(1) == b"\0", "compressed")
        text = texts(uuid.UUID(bytes=r.take(16)))
    else:
        need(first == b"\0", "mark")
        text = texts(int.from_bytes(r.take(4), "big"))
    need(text is not None, "unknown schema")
    assert text is not None
    return text


def _schema(r: Reader, texts: Texts, key: bool) -> RecordSchema:
    """The schema that the next bytes name."""
    return schema_of(text_at(r, texts), key)


def _gone(key: bytes, texts: Texts, commit_ts: int | None) -> Flat:
    r = Reader(key)
    schema = _schema(r, texts, True)
    image, _, _ = _record(r, schema, frozenset(one.name for one in schema.columns))
    need(r.at == len(key), "left over")
    return Flat("delete", commit_ts, None, schema.database, schema.table, None, image, schema.types_from)


def _record(r: Reader, schema: RecordSchema, keyed: frozenset[str]) -> tuple[Image, Image, dict[str, Any]]:
    """The row, the row in the row, and what the record says besides."""
    cells: list[Any] = []
    inner: Image = None
    said: dict[str, Any] = {}
    for one in schema.fields:
        null = False
        if one.null is not None:
            branch = r.number()
            need(branch in (0, 1), "branch")
            null = branch == one.null
        if isinstance(one, ColumnSchema):
            value = None if null else bits(_value(r, one))
            flags = one.flags | (HANDLE if one.name in keyed else 0)
            cells.append((one.name, one.type, flags, one.declared, value))
        elif null:
            continue
        elif isinstance(one, Scalar):
            said[one.name] = r.primitive(one.primitive)
        else:
            inner, _, _ = _record(r, one, keyed)
    return tuple(cells), inner, said


def _value(r: Reader, column: ColumnSchema) -> Any:
    """A value of a column as events have it."""
    found = r.primitive(column.primitive)
    match column.form:
        case "unsigned":
            need(found >= 0, "below 0")
        case "wrapped":
            return found % 2**64
        case "digits":
            need(found.isdigit() and int(found) < 2**64, "digits")
            return int(found)
        case "text":
            return decimal(_decoded(found)) if column.type == 246 else _decoded(found)
        case "flag":
            return int(found)
        case "bits":
            need(len(found) <= 8, "bits")
            return int.from_bytes(found, "big")
        case "number":
            number = int.from_bytes(found, "big", signed=True)
            need(0 <= number < 2**64, "number")
            return number
        case "days" | "millis" | "micros":
            unit = Unit.MICROS if column.form == "micros" else Unit.MILLIS
            return moment(declared_in(unit), "date" if column.form == "days" else "datetime", found)
        case "millis of a day" | "micros of a day":
            return moment(declared_in(Unit.OF_DAY), "time", found * (1000 if column.form == "millis of a day" else 1))
        case "decimal":
            need(1 <= len(found) <= 32, "decimal")
            number = int.from_bytes(found, "big", signed=True)
            return f"{Decimal(number).scaleb(-column.scale, CONTEXT):f}"
        case "label":
            return column.numbers.label(_lossless(found))
        case "labels":
            return column.numbers.labels(_lossless(found))
    return found


def declared_in(unit: Unit) -> Declared:
    return Declared("", False, None, (), unit)


def _lossless(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _row(value: bytes, keyed: frozenset[str], texts: Texts) -> Flat:
    r = Reader(value)
    schema = _schema(r, texts, False)
    image, inner, said = _record(r, schema, keyed)
    need(r.at == len(value), "left over")
    kind = {b"c": "insert", b"u": "update", b"d": "delete", None: "insert"}.get(said.get("_tidb_op"))
    need(kind is not None, "operation")
    assert kind is not None
    digits = said.get("_tidb_row_level_checksum")
    checksum = None
    if digits:
        need(digits.isdigit() and int(digits) < 2**32, "checksum")
        checksum = int(digits)
    images = {"insert": (image, None), "update": (image, inner), "delete": (None, image)}[kind]
    sums = (None, checksum) if kind == "delete" else (checksum, None)
    ts = said.get("_tidb_commit_ts")
    return Flat(
        kind,
        None if ts is None else ts % 2**64,
        None if ts is not None else said.get("_tidb_commit_physical_time"),
        schema.database,
        schema.table,
        *images,
        types_from=schema.types_from,
        checksums=(*sums, *((said.get(one) for one in ABOUT_CHECKSUM) if digits else (None, None))),
    )


def _statement(text: bytes) -> Flat:
    try:
        found = json.loads(_decoded(text))
    except (ValueError, RecursionError):
        raise MalformedError("JSON") from None
    need(isinstance(found, dict), "an object")
    query, type, ts = (found.get(name) for name in ("query", "type", "commitTs"))
    names = [None if found.get(name) == "" else found.get(name) for name in ("schema", "table")]
    for one in (query, *names):
        need(one is None or isinstance(one, str), "a text")
        need(one is None or not any("\ud800" <= letter <= "\udfff" for letter in one), "half a pair")
    need(query is not None, "query")
    for number, most in ((type, 255), (ts, 2**64 - 1)):
        need(number.__class__ is int and 0 <= number <= most, "a number")
    return Flat("ddl", ts, None, names[0], names[1], ddl_type=type, query=query)


def flat(columns: EventColumns) -> dict[int, list[Flat]]:
    """What the decoder gave, by message."""
    return flattened.flat(columns, Flat)
