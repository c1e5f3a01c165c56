"""Mutations of schemas with Kafka Connect's attributes: envelopes, and their records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from .schema_mutations import ALLOWED, NAMES, NUMBERS, TYPES, changed, spoiled_text, written

_TIME, _DATA = "io.debezium.time.", "io.debezium.data."
SEMANTICS: tuple[Any, ...] = (
    *(_TIME + one for one in (
        "Date", "Timestamp", "MicroTimestamp", "NanoTimestamp", "MicroTime", "NanoTime", "ZonedTimestamp", "IsoDate",
        "IsoTime", "IsoTimestamp", "Year", "Time",
    )),
    *(_DATA + one for one in ("Bits", "Enum", "EnumSet", "Json", "TiDBVectorFloat32", "Xml")),
    "org.apache.kafka.connect.data.Decimal", "", "x", None, 1, [], {}, "\ud800",
)  # fmt: skip
"""What stands as `connect.name`."""
EXACT: tuple[Any, ...] = (
    "tinyint", "tinyint unsigned", "smallint", "mediumint unsigned", "int", "int unsigned", "bigint",
    "bigint unsigned", "year", "bit", "bit(1)", "float", "double", "decimal", "decimal(65,30)", "varchar",
    "varbinary", "char", "longtext", "longblob", "enum", "enum('a')", "set", "json", "TiDBVECTORFloat32", "vector",
    "date", "datetime", "datetime(3)", "timestamp", "time", "geometry", "null", "nothing", "", "int(", "x" * 3000,
    None, 1, [], {}, "\ud800", "\0",
)  # fmt: skip
"""What stands as `tidb_type`."""
FIELDS: tuple[Any, ...] = ("before", "after", "source", "op", "ts_ms", "db", "table", "commit_ts", "snapshot", "id")
OTHERS: tuple[tuple[Any, bytes], ...] = (
    ("null", b""), ("boolean", b"\1"), ("int", b"\1"), ("long", b"\xff" * 9 + b"\1"), ("float", b"\0" * 4),
    ("double", b"\0" * 8), ("bytes", b"\4\xff\0"), ("string", b"\2x"), (["null", "long"], b"\0"), (["int"], b"\0\2"),
    (["null", "int", "string"], b"\4\2y"), ({"type": "array", "items": "null"}, b"\4\2\0"),
    ({"type": "array", "items": ["null", "string"]}, b"\3\6\0\2\2z\0"), ({"type": "map", "values": "null"}, b"\2\2k\0"),
    ({"type": "enum", "name": "e1", "symbols": ["a", "b"]}, b"\2"), ({"type": "fixed", "name": "f1", "size": 2}, b"ab"),
    ({"type": "fixed", "name": "f2", "size": 0}, b""), ({"type": "record", "name": "r1", "fields": []}, b""),
    ({"type": "fixed", "name": "f3", "size": 2**70}, b""), ({"type": "fixed", "name": "f4"}, b""),
    ({"type": "fixed", "name": "f5", "size": "2"}, b""), ({"type": "enum", "name": "e2"}, b"\0"),
    ({"type": "enum", "name": "e3", "symbols": "ab"}, b"\0"), ({"type": "enum", "name": "e4", "symbols": []}, b"\0"),
    ({"type": "record", "name": "r2", "fields": [{"name": "a", "type": ["null", "r2"]}]}, b"\0"),
    ({"type": "record", "name": "r3", "fields": [{"name": "a", "type": "null"}, {"name": "b", "type": "int"}]}, b"\2"),
    ({"type": "array", "items": {"type": "record", "name": "r4", "fields": [{"name": "a", "type": "null"}]}}, b"\4\0"),
    ({"type": "array", "items": {"type": "array", "items": {"type": "map", "values": ["long"]}}},
     b"\2\2\2\2k\0\2\0\0\0"),
)  # fmt: skip
"""Fields that nobody knows, and a value of each."""


def spoiled_envelope(chance: Random, schema: bytes) -> bytes:
    """A schema with something else in it, or other bytes."""
    try:
        top = json.loads(schema.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return spoiled_text(chance, schema)
    if chance.random() < 0.08:
        return spoiled_text(chance, schema)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        records = list(_records(top))
        if not records or chance.random() < 0.05:
            top = changed(chance, top)
            continue
        node = chance.choice(records)
        new = changed(chance, node) if chance.random() < 0.35 else _reworded(chance, node)
        top = _replaced(top, node, new)
    return written(chance, top)


def widened(chance: Random, schema: bytes, body: bytes) -> tuple[bytes, bytes] | None:
    """A schema with a field behind the others, and a body that has its value; None of what is no schema."""
    try:
        top = json.loads(schema)
        fields = top["fields"]
        type, value = chance.choice(OTHERS)
        count = chance.choice((1, 1, 1, 3))
        if count > 1 and isinstance(type, dict) and "name" in str(type):
            count = 1
        more = [{"name": f"more{len(fields)}_{k}", "type": type} for k in range(count)]
        return json.dumps({**top, "fields": [*fields, *more]}).encode(), body + value * count
    except (ValueError, RecursionError, TypeError, KeyError):
        return None


def _records(node: Any) -> Iterator[dict[str, Any]]:
    """All records in a schema."""
    found = [node]
    while found:
        one = found.pop()
        if isinstance(one, list):
            found += one
        elif isinstance(one, dict):
            if isinstance(one.get("fields"), list):
                yield one
                found += one["fields"]
            found += [one[name] for name in ("type", "items", "values") if isinstance(one.get(name), dict | list)]


def _replaced(node: Any, old: Any, new: Any) -> Any:
    """A schema with another part in place of one."""
    if node is old:
        return new
    if isinstance(node, list):
        return [_replaced(one, old, new) for one in node]
    return {name: _replaced(one, old, new) for name, one in node.items()} if isinstance(node, dict) else node


def _reworded(chance: Random, record: dict[str, Any]) -> dict[str, Any]:
    """A record, of one of whose fields something else is said."""
    fields = list(record["fields"])
    places = [place for place, one in enumerate(fields) if isinstance(one, dict) and "type" in one]
    if not places:
        return record
    place = chance.choice(places)
    field = dict(fields[place])
    match chance.randrange(8):
        case 0:
            field["connect.field"] = chance.choice((*NAMES, *FIELDS))
        case 1 | 2:
            field["tidb_type"] = chance.choice(EXACT)
        case 3:
            field["name"] = chance.choice(FIELDS)
        case 4:
            field["type"] = chance.choice((*TYPES, "Value", "Envelope", record.get("name"), OTHERS[-1][0]))
        case 5 if "tidb_type" in field:
            del field["tidb_type"]
        case _:
            field["type"] = _meant(chance, field["type"])
    fields[place] = field
    return {**record, "fields": fields}


def _meant(chance: Random, type: Any) -> Any:
    """A type that Kafka Connect takes for another one."""
    if isinstance(type, list) and type:
        place = chance.randrange(len(type))
        return [*type[:place], _meant(chance, type[place]), *type[place + 1 :]]
    words = dict(type) if isinstance(type, dict) else {"type": type}
    parameters = words.get("connect.parameters")
    said = dict(parameters) if isinstance(parameters, dict) else {}
    match chance.randrange(9):
        case 0 | 1:
            words["connect.name"] = chance.choice(SEMANTICS)
        case 2:
            words["connect.type"] = chance.choice(("int16", "int8", "int64", "", None, 1, [], {}))
        case 3:
            words["connect.parameters"] = chance.choice((None, {}, [], "a", 1, {"allowed": "a"}, {"length": "9"}))
        case 4:
            words["connect.parameters"] = {**said, "allowed": chance.choice(ALLOWED)}
        case 5:
            words["connect.parameters"] = {**said, "length": chance.choice(NUMBERS)}
        case 6:
            words[chance.choice(("precision", "scale"))] = chance.choice(NUMBERS)
        case 7:
            words["logicalType"] = chance.choice(("decimal", "date", "", None, 1, [], "uuid"))
        case _:
            words["type"] = chance.choice(("boolean", "int", "long", "float", "double", "bytes", "string", "null"))
    return words
