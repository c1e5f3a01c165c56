"""Mutations of a record's schema, as JSON or as text."""

from __future__ import annotations

import json
from random import Random
from typing import Any

NAMES: tuple[Any, ...] = (
    "", "id", "a", "t", "_tidb_op", "_tidb_commit_ts", "_ticdc_before", "_tidb_row_level_checksum", "_tidb_corrupted",
    "_tidb_checksum_version", "_tidb_commit_physical_time", "a.b", ".", "a.", ".a", "1", " ", "é", "\0", "\ud800", "'",
    "x" * 3000, "default.test.t", "null", "string", "record", "{table}", "%s", 0, None, True, [], {"a": 1},
)  # fmt: skip
"""What stands in place of a name."""
TYPES: tuple[Any, ...] = (
    "null", "boolean", "int", "long", "float", "double", "bytes", "string", "t", "default.test.t", "union", "any", "",
    None, 1, [], ["null"], ["null", "null"], ["null", "string", "long"], ["string"], ["null", ["null", "int"]],
    {"type": "array", "items": "int"}, {"type": "map", "values": "t"}, {"type": "array"}, {"type": {"type": "int"}},
    {"type": "enum", "name": "e", "symbols": ["a"]}, {"type": "fixed", "name": "f", "size": 2**62}, {"type": []},
    {"type": "record", "name": "r", "fields": []}, {"type": "record", "name": "r"}, {"type": "error", "name": "r"},
    {"type": "record", "name": "r", "fields": [{"name": "a", "type": "r"}]}, {"type": ["null", "long"]}, {"type": "t"},
    {"type": "record", "name": "r", "fields": [{"name": "a", "type": ["null", "int"]}]},
)  # fmt: skip
WORDS: tuple[Any, ...] = (
    "INT", "INT UNSIGNED", "BIGINT", "BIGINT UNSIGNED", "YEAR", "BIT", "FLOAT", "DOUBLE", "DECIMAL", "TEXT", "BLOB",
    "ENUM", "SET", "JSON", "DATE", "DATETIME", "TIMESTAMP", "TIME", "TiDBVECTORFloat32", "int", "", "x" * 200, None, 3,
    [], {}, "\ud800",
)  # fmt: skip
ALLOWED: tuple[Any, ...] = (
    "", ",", "a,b", "a\\,b", "a\\", "\\\\", "'", "','", "',',\\'", "a,a", "\0", "é,\n", None, 1, [], {}, "\ud800",
    ",".join(map(str, range(70))),
    ",".join("ab" * 3000), "\\,\\,\\\\,", "')", "\x1a",
)  # fmt: skip
NUMBERS: tuple[Any, ...] = (
    0,
    1,
    -1,
    2,
    10,
    30,
    64,
    65,
    66,
    255,
    256,
    2**31,
    2**64,
    10**30,
    1.5,
    1e400,
    True,
    None,
    "5",
    "",
    "064",
    "²",
    "10",
    [],
    {},
)
NESTED = 90
"""How deep types are nested that are nested too deep."""


def spoiled_schema(chance: Random, schema: bytes) -> bytes:
    """A schema with something else in it, or other bytes."""
    if chance.random() < 0.12:
        return spoiled_text(chance, schema)
    try:
        top = json.loads(schema.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return spoiled_text(chance, schema)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        top = changed(chance, top)
    return written(chance, top)


def respelled(chance: Random, schema: bytes) -> bytes:
    """A schema that says the same: its members in another order, with white space and escapes."""
    try:
        top = json.loads(schema)
    except (ValueError, RecursionError):
        return schema
    return json.dumps(_shuffled(chance, top), indent=chance.choice((None, 0, 3)), ensure_ascii=True).encode()


def written(chance: Random, top: Any) -> bytes:
    """A schema as text."""
    text = json.dumps(top, ensure_ascii=chance.random() < 0.5)
    return text.encode("utf-8", "surrogatepass" if chance.random() < 0.1 else "replace")


def _shuffled(chance: Random, node: Any) -> Any:
    if isinstance(node, list):
        return [_shuffled(chance, one) for one in node]
    if isinstance(node, dict):
        items = list(node.items())
        chance.shuffle(items)
        return {name: _shuffled(chance, one) for name, one in items}
    return node


def spoiled_text(chance: Random, schema: bytes) -> bytes:
    image = bytearray(schema)
    at = chance.randrange(len(image) + 1)
    match chance.randrange(5):
        case 0 if at < len(image):
            image[at] ^= 1 << chance.randrange(8)
        case 1:
            del image[at : at + chance.randrange(1, 30)]
        case 2:
            image[at:at] = chance.choice(
                (
                    b'"',
                    b"{",
                    b"}",
                    b"[",
                    b"]",
                    b",",
                    b"\\",
                    b"\\ud800",
                    b"\xff",
                    b"\0",
                    b"[" * 2000,
                    b"9" * 5000,
                    b"1e400",
                    b"NaN",
                )
            )
        case 3:
            del image[at:]
        case _:
            image += chance.choice((b" ", b"\n", b"x", b"{}", b"\0"))
    return bytes(image)


def changed(chance: Random, top: Any) -> Any:
    """The schema with one change."""
    if not isinstance(top, dict) or chance.random() < 0.1:
        return _of_top(chance, top)
    fields = top.get("fields")
    if not isinstance(fields, list) or not fields:
        return {**top, "fields": [{"name": "a", "type": "int"}]}
    place = chance.randrange(len(fields))
    field = fields[place]
    put = list(fields)
    match chance.randrange(14):
        case 0:
            del put[place]
        case 1:
            put.insert(chance.randrange(len(put) + 1), field)
        case 2:
            other = chance.randrange(len(put))
            put[place], put[other] = put[other], field
        case 3:
            put = put[:place] + many(chance) + put[place:]
        case 4 if isinstance(field, dict):
            put[place] = {**field, "name": chance.choice(NAMES)}
        case 5:
            put[place] = chance.choice((None, [], {}, "a", {"name": "a"}, {"type": "int"}, 1))
        case 6 if isinstance(field, dict):
            put[place] = {**field, "type": chance.choice(TYPES)}
        case 7 if isinstance(field, dict) and isinstance(field.get("type"), list):
            put[place] = {**field, "type": field["type"][::-1]}
        case 8 if isinstance(field, dict):
            put[place] = {**field, "type": _wrapped(chance, field.get("type"))}
        case 9:
            put[place] = {"name": "_ticdc_before", "type": ["null", _before(chance, top, fields)]}
        case _ if isinstance(field, dict):
            put[place] = {**field, "type": _type(chance, field.get("type"))}
    return {**top, "fields": put}


def _of_top(chance: Random, top: Any) -> Any:
    if not isinstance(top, dict):
        return chance.choice(TYPES)
    match chance.randrange(6):
        case 0:
            return {**top, "name": chance.choice(NAMES)}
        case 1:
            return {**top, "namespace": chance.choice(NAMES)}
        case 2:
            return {name: one for name, one in top.items() if name != chance.choice(list(top))}
        case 3:
            return {**top, "type": chance.choice(TYPES)}
        case 4:
            return {**top, "fields": chance.choice((None, {}, "a", [], [[]], 1))}
    return _wrapped(chance, top)


def _before(chance: Random, top: Any, fields: list[Any]) -> Any:
    """The record of the row before, or what stands in its place."""
    columns = [one for one in fields if isinstance(one, dict) and not str(one.get("name")).startswith("_ti")]
    inner = {"type": "record", "name": chance.choice(("b", "t_before")), "namespace": "default.d", "fields": columns}
    return chance.choice((inner, inner, inner, top.get("name"), changed(chance, inner), "b", {**inner, "fields": []}))


def many(chance: Random) -> list[Any]:
    """Many columns; seldom more than are taken."""
    count = chance.choice((2, 10, 100, 1000)) if chance.random() < 0.3 else 2
    return [{"name": f"m{k}", "type": chance.choice(("int", "string", ["null", "long"]))} for k in range(count)]


def _wrapped(chance: Random, type: Any) -> Any:
    """A type in another one."""
    for _ in range(NESTED if chance.random() < 0.1 else 1):
        match chance.randrange(4):
            case 0:
                type = {"type": type}
            case 1:
                type = [type]
            case 2:
                type = ["null", type] if chance.random() < 0.5 else [type, "null"]
            case _:
                type = {"type": "array", "items": type}
    return type


def _type(chance: Random, type: Any) -> Any:
    """A type that says something else of the column."""
    if isinstance(type, list):
        if not type:
            return type
        place = chance.randrange(len(type))
        return [*type[:place], _type(chance, type[place]), *type[place + 1 :]]
    if not isinstance(type, dict):
        return {"type": type, "connect.parameters": {"tidb_type": chance.choice(WORDS)}}
    said = type.get("connect.parameters")
    parameters = dict(said) if isinstance(said, dict) else {}
    match chance.randrange(9):
        case 0:
            return {**type, "type": chance.choice(TYPES)}
        case 1:
            return {**type, "connect.parameters": {**parameters, "tidb_type": chance.choice(WORDS)}}
        case 2:
            return {**type, "connect.parameters": {**parameters, "allowed": chance.choice(ALLOWED)}}
        case 3:
            return {**type, "connect.parameters": {**parameters, "length": chance.choice(NUMBERS)}}
        case 4:
            return {**type, "precision": chance.choice(NUMBERS)}
        case 5:
            return {**type, "scale": chance.choice(NUMBERS)}
        case 6:
            logical: tuple[Any, ...] = ("decimal", "date", "time-millis", "timestamp-micros", "", None, 1, [], "uuid")
            return {**type, "logicalType": chance.choice(logical)}
        case 7:
            return {**type, "connect.parameters": chance.choice((None, {}, [], "a", 1, {"tidb_type": "ENUM"}))}
    words = [name for name in type if name != "type"]
    gone = chance.choice(words) if words else ""
    return {name: one for name, one in type.items() if name != gone}
