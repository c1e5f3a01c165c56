"""Valid messages of Debezium-Avro with content that no recording has."""

from __future__ import annotations

import io
import json
from functools import cache
from typing import Any

import fastavro
from debezium_avro.envelopes import ENVELOPE, KEY, ROW, SOURCE, record
from debezium_avro.schema_twin import MOST_DIGITS

from .connect_mutations import OTHERS
from .registered_inputs import Made, joined, named


def _body(schema: Any, record: Any) -> bytes:
    found = io.BytesIO()
    fastavro.schemaless_writer(found, fastavro.parse_schema(json.loads(json.dumps(schema))), record)
    return found.getvalue()


def _message(schema: Any, record: Any, key: Any = None) -> bytes:
    text = json.dumps(schema).encode()
    own = json.dumps(KEY).encode()
    value = named(text, _body(schema, record))
    if key is None:
        return joined(Made(None, text, None, value))
    return joined(Made(own, text, named(own, _body(KEY, {"id": key})), value))


_TIME = "io.debezium.time."
_COLUMNS: tuple[tuple[Any, Any], ...] = (
    ("boolean", True), ("int", -(2**31)), ("long", 2**63 - 1), ("float", 1.5), ("double", float("nan")),
    ("string", "é😀\0"), ("bytes", b"\xff\0"), (("int", "int16"), 32767), (("int", _TIME + "Date"), -354285),
    (("long", _TIME + "Timestamp"), -1), (("long", _TIME + "MicroTimestamp"), -62167219200000000),
    (("long", _TIME + "NanoTimestamp"), 1577836800123456789), (("long", _TIME + "NanoTime"), -1),
    (("long", _TIME + "MicroTime"), -3020399000000),
    (("string", _TIME + "ZonedTimestamp"), "2020-01-01T00:00:00.5+23:59"),
    (("string", _TIME + "IsoDate"), "2020-02-29Z"), (("string", _TIME + "IsoTime"), "23:59:59.120Z"),
    (("string", _TIME + "IsoTimestamp"), "0001-01-01T00:00:00Z"), (("int", _TIME + "Year"), 2155),
    (("bytes", "io.debezium.data.Bits"), b"\1\2"), (("string", "io.debezium.data.Json"), "[1]"),
    (("string", "io.debezium.data.EnumSet", "x,y,'"), "x,y"), (("string", "io.debezium.data.Enum", "a,b\\,c,"), ""),
)  # fmt: skip
"""Columns as Confluent's converter has those of Debezium's own connector, with a value of each."""


def _wide() -> bytes:
    """A row with a column of each kind."""
    fields: list[Any] = []
    image = b""
    for place, (type, value) in enumerate(_COLUMNS):
        plain, word, allowed = (*type, None, None)[:3] if isinstance(type, tuple) else (type, None, None)
        words: Any = {"type": plain}
        if word is not None:
            words |= {"connect.type" if word == "int16" else "connect.name": word, "connect.version": 1}
        if allowed is not None:
            words["connect.parameters"] = {"allowed": allowed}
        fields.append({"name": f"c{place}", "type": ["null", words] if place % 2 else words})
        image += (b"\2" if place % 2 else b"") + _body(plain, value)
    decimal = {"type": "bytes", "logicalType": "decimal", "precision": MOST_DIGITS, "scale": 30}
    fields.append({"name": "d", "type": {**decimal, "connect.name": "org.apache.kafka.connect.data.Decimal"}})
    image += b"\4\xff\x85"
    schema = json.loads(json.dumps(ENVELOPE))
    schema["fields"][0]["type"][1] = {**ROW, "fields": fields}
    rest = {**schema, "fields": schema["fields"][2:]}
    text = json.dumps(schema).encode()
    return joined(Made(None, text, None, named(text, b"\2" + image + b"\2" + image + _body(rest, record(op="u")))))


@cache
def made() -> list[bytes]:
    """What no recording has."""
    row = record()["after"]
    timed = {**SOURCE, "fields": [*SOURCE["fields"], {"name": "commit_ts", "type": "long"}]}
    bare = {"type": "record", "name": "E", "fields": [
        {"name": "op", "type": "string"}, {"name": "ts_ms", "type": "long"}, {"name": "source", "type": timed},
    ]}  # fmt: skip
    statement = {**bare, "fields": [
        {"name": "source", "type": SOURCE}, {"name": "ts_ms", "type": "long"},
        {"name": "d", "connect.field": "ddl", "type": ["null", "string"]},
        {"name": "databaseName", "type": "string"}, {"name": "odd", "type": {"type": "array", "items": "bytes"}},
    ]}  # fmt: skip
    said: dict[str, Any] = {
        **record(),
        "databaseName": "d",
        "odd": [b"", b"x"],
        "d": "create table t (a int)",
        "ts_ms": 5,
    }
    watermark = {**record(op="m", source={"commit_ts": 5}), "ts_ms": 1}
    found = [
        _message(ENVELOPE, record(), 7),
        _message(ENVELOPE, record(op="r")),
        _message(ENVELOPE, record(op="d", before=row, after=None), 7),
        _message(ENVELOPE, record(op="u", before={**row, "id": 6}), 7),
        _message(ENVELOPE, record(source={"table": None})),
        _message(statement, said),
        _message(bare, watermark),
        _message(bare, {**watermark, "op": "t"}),
        joined(Made(None, None, None, None)),
        _wide(),
    ]
    value = _body(ENVELOPE, record())
    for type, body in OTHERS:
        text = json.dumps({**ENVELOPE, "fields": [*ENVELOPE["fields"], {"name": "more", "type": type}]}).encode()
        found.append(joined(Made(None, text, None, named(text, value + body))))
    return found
