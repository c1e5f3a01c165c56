"""Mutations of messages in Kafka Connect envelopes: payloads, schema blocks, keys, and combinations."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from random import Random
from typing import Any

from open_protocol.wire import Made

from . import text_edits
from .text_edits import LONG

HEAD, BETWEEN = b'{"payload":', b',"schema":'
NUMBERS = (
    *(b"0", b"-0", b"-1", b"1", b"7", b"255", b"19000", b"-354285", b"2932896", b"2932897", b"1577836800000"),
    *(b"-1", b"3020399000000", b"3599999999999", b"3600000000000", b"1577836800123456", b"9223372036854775807"),
    *(b"-9223372036854775808", b"9223372036854775808", b"18446744073709551615", b"18446744073709551616", b"1.5"),
    *(b"-0.0", b"1e2", b"1E+21", b"1e-7", b"3.4028236e38", b"1e400", b"0.10", b"1e99", b"1e100", b"1" * 400),
)
TEXTS = (
    *(b'""', b'"a"', b'"AP8="', b'"AP9="', b'"AA"', b'"\\u0041A=="', b'"\\u00e9"', b'"\\ud800"', b'"x,y"', b'"x,"'),
    *(b'"true"', b'"1"', b'"2155"', b'"-1.50"', b'"{}"', b'"[1,2]"', b'"NaN"', b'"Infinity"', b'"1e400"', b'","'),
    *(b'"2020-01-01T00:00:00Z"', b'"2020-01-01T23:59:59.120+08:00"', b'"0000-01-01T00:00:00+01:00"'),
    *(b'"9999-12-31T23:59:59.999999Z"', b'"2020-02-30T00:00:00Z"', b'"2020-01-01T00:00:00.Z"', b'"2020-01-01Z"'),
    *(b'"2020x01x01T00:00:00Z"', b'"1970-01-01T00:00:00.1234567890Z"', b'"12:00:00.5Z"', b'"default"', b'"test"'),
    *(b'"%b"' % (b"x" * size) for size in LONG),
)
VALUES = (*NUMBERS, *TEXTS, b"null", b"true", b"false", b"{}", b"[]", b'{"wkb":"AP8=","srid":null}', b'{"a":[1]}')
CONNECT = (
    *("boolean", "bytes", "int8", "int16", "int32", "int64", "float", "double", "string", "struct", "array", "map"),
    *("int33", "", "INT32", "float32"),
)
NAMES = (
    *(f"io.debezium.data.{one}" for one in ("Bits", "Enum", "EnumSet", "Json", "TiDBVectorFloat32", "Xml")),
    *(f"io.debezium.time.{one}" for one in ("Date", "Timestamp", "MicroTimestamp", "MicroTime", "Year")),
    *(f"io.debezium.time.{one}" for one in ("ZonedTimestamp", "NanoTimestamp", "NanoTime", "IsoDate", "Interval")),
    *("org.apache.kafka.connect.data.Decimal", "io.debezium.data.geometry.Point", "my.Own", "", "\ud800"),
)
TYPES = (
    *("tinyint", "smallint", "mediumint", "int", "bigint", "bit", "year", "float", "double", "decimal", "date"),
    *("datetime", "time", "timestamp", "enum", "set", "json", "vector", "char", "varchar", "text", "longtext"),
    *("binary", "varbinary", "blob", "longblob", "geometry", "null", "unspecified", "nosuch", "", "int(11)"),
    *(
        "bigint unsigned",
        "int unsigned",
        "INT UNSIGNED",
        "enum('a')",
        "datetime(3)",
        "decimal(10,2)",
        "bit(1)",
        "enum(",
    ),
)
ALLOWED = ("x,y", "", "a", ",", "x,x", r"a\,b,c", r"a\\,b", "it's,\\", "é,\0", ",".join(map(str, range(70))))
FACTS: dict[bytes, tuple[bytes, ...]] = {
    b"op": (*(b'"%b"' % one for one in (b"c", b"u", b"d", b"r", b"m", b"t", b"x", b"")), b"null", b"1"),
    **dict.fromkeys((b"commit_ts", b"ts_ms", b"start_ts", b"length", b"scale", b"position"), (*NUMBERS, b"null")),
    **dict.fromkeys((b"db", b"table", b"ddl", b"id", b"charsetName", b"comment", b"name", b"databaseName"), TEXTS),
    b"typeName": tuple(json.dumps(one.upper()).encode() for one in (*TYPES, "int unsigned zerofill")),
    b"type": (b'"CREATE"', b'"ALTER"', b'"DROP"', b'"X"', *(json.dumps(one).encode() for one in CONNECT)),
    b"tidb_type": tuple(json.dumps(one).encode() for one in TYPES),
    **dict.fromkeys((b"enumValues", b"primaryKeyColumnNames"), (b"[]", b"null", b'["a"]', b"[\"'x'\"]", b'["id"]')),
    **dict.fromkeys((b"optional", b"autoIncremented", b"generated"), (b"true", b"false", b"null", b"1")),
    **dict.fromkeys((b"defaultValueExpression", b"default"), TEXTS),
    b"tableChanges": (b"[]", b"null", b"{}", b"[[]]", b"[null]"),
    b"transaction": (b"{}", b"[[1]]", b'"\\ud800"'),
}
"""What is said instead of something else."""
_FACT = re.compile(rb'"(%b)":("(?:[^"\\]|\\.)*"|\[[^\[\]{}]*\]|[^,{}\[\]"]+)' % b"|".join(FACTS))
_CELL = re.compile(rb'"((?:[^"\\]|\\.)*)":("(?:[^"\\]|\\.)*"|[^,{}\[\]"]+)')


class _OfAny(dict[bytes, Sequence[bytes]]):
    """Of any name, the values that can stand anywhere."""

    def __missing__(self, name: bytes) -> Sequence[bytes]:
        return VALUES


PIECES = (
    *text_edits.PIECES,
    *(b'"op":"c",', b'"after":{', b'"before":null,', b'"source":{', b'"schema":null,', b'"payload":{}', b'"fields":[]'),
    *(HEAD, BETWEEN, b'"tidb_type":"int",', b'"type":"int32",', b"[" * 2000, b'{"a":' * 500, b"1" * 5000),
)
"""What is put into messages."""


def compact(value: Any) -> bytes:
    """A value as TiCDC writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def halved(message: bytes) -> tuple[bytes, bytes | None]:
    """Payload and block of a message that is as TiCDC writes it; of another one, all and none."""
    if not message.startswith(HEAD) or message[-1:] != b"}":
        return message, None
    payload, between, block = message[len(HEAD) : -1].rpartition(BETWEEN)
    return (payload, block) if between else (block, None)


def whole(payload: bytes, block: bytes | None) -> bytes:
    """The message that has them."""
    return HEAD + payload + (b"" if block is None else BETWEEN + block) + b"}"


def edited(chance: Random, corpus: Sequence[bytes], content: bytes) -> bytes:
    """What is said of something, or a value, told otherwise or left out; or any change."""
    kind = chance.random()
    told = None
    if kind < 0.3:
        told = text_edits.told_otherwise(chance, content, FACTS, _FACT, PIECES)
    elif kind < 0.55:
        told = text_edits.told_otherwise(chance, content, _OfAny(), _CELL, PIECES)
    return text_edits.edited(chance, content, corpus, PIECES) if told is None else told


def exchanged(chance: Random, made: Made, other: Made) -> Made:
    """Parts of two messages put together, left out, or in another order."""
    payload, block = halved(made.value)
    key, key_block = halved(made.key)
    choice = chance.randrange(12)
    if choice < 3:
        return made._replace(value=whole(payload, halved(other.value)[1]))
    if choice == 3:
        return made._replace(key=other.key)
    if choice == 4:
        return made._replace(value=whole(payload, None), key=whole(key, None))
    if choice == 5:
        return made._replace(key=b"")
    if choice == 6:
        return made._replace(key=whole(key, halved(other.key)[1] if chance.random() < 0.5 else block))
    if choice == 7:
        return made._replace(value=payload, key=key)
    if choice == 8 and block is not None:  # as Kafka Connect's converter has it
        before = b'{"schema":' + block + b',"payload":' + payload + b"}"
        return Made(b'{"schema":' + (key_block or b"null") + b',"payload":' + key + b"}", before)
    if choice == 9:
        space = chance.choice((b" ", b"\n", b"\t \r\n"))
        parts = [HEAD, payload, BETWEEN, block or b"null", b"}"]
        parts.insert(chance.randrange(6), space)
        return made._replace(value=b"".join(parts))
    if choice == 10:
        more = chance.choice((b',"x":1', b',"payload":{}', b',"schema":{}', b',"source":{}', b"x"))
        return made._replace(value=HEAD + payload + more + BETWEEN + (block or b"null") + b"}")
    return made._replace(value=whole(chance.choice((b"null", b"5", b"[]", b"{}", b'""')), block))


def reworded(chance: Random, made: Made) -> Made:
    """A message whose block says something else of a column, is huge or deep, or has columns more or less."""
    on_key = chance.random() < 0.15
    payload, block = halved(made.key if on_key else made.value)
    try:
        top = json.loads(block or b"")
        inner = [one["fields"] for one in top["fields"] if isinstance(one.get("fields"), list)]
        for _ in range(chance.choice((1, 1, 2, 3))):
            # behind `before` comes `after`, which counts
            rows = inner[1] if len(inner) > 1 and chance.random() < 0.6 else top["fields"]
            _reword(chance, top, rows if chance.random() < 0.8 else chance.choice([top["fields"], *inner]))
        said = compact(top)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return made
    return made._replace(key=whole(payload, said)) if on_key else made._replace(value=whole(payload, said))


def _reword(chance: Random, top: Any, fields: list[Any]) -> None:
    column = chance.choice(fields) if fields else {}
    choice = chance.randrange(13)
    if choice < 2:
        column["type"] = chance.choice(CONNECT)
    elif choice < 4:
        column["name"] = chance.choice((*NAMES, None, 5))
    elif choice < 6:
        column["tidb_type"] = chance.choice((*TYPES, None, 1, []))
    elif choice == 6:
        column.pop(chance.choice(("type", "name", "tidb_type", "field", "parameters", "optional", "fields")), None)
    elif choice == 7:
        key = chance.choice(("allowed", "length", "scale", "connect.decimal.precision"))
        said: tuple[Any, ...] = (*ALLOWED, "1", "9", "65", "999", "1234", "-1", 0, 5, None, [])
        column["parameters"] = chance.choice(({}, [], None, 0, "", {key: chance.choice(said)}))
    elif choice == 8:
        fields.append(dict(chance.choice(fields)) if fields else {"field": "v", "type": "int32"})
    elif choice == 9 and fields:
        fields.pop(chance.randrange(len(fields)))
    elif choice == 10:
        column["field"] = chance.choice(("id", "a", "before", "after", "v", "", "\ud800", None, 7))
    elif choice == 11:
        fields += [{"type": "int32", "optional": True, "field": f"c{k}"} for k in range(chance.choice((3, 300)))]
    else:
        deep: Any = {}
        for _ in range(chance.choice((5, 500, 600))):
            deep = {"x": deep} if chance.random() < 0.5 else [deep]
        top["version"] = deep
