"""A second, naive reader of Open Protocol over the standard library's JSON: what the decoder has to agree with.

It gives the events of a message as plain tuples, or raises MalformedError; it does not say where.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Any, NamedTuple

import flattened
from json_twin import (
    DECODER,
    SPACE,
    MalformedError,
    Number,
    Pairs,
    bits,
    decimal,
    double,
    encodable,
    integer,
    members,
    need,
    single,
    text,
    unpacked,
)

from tidewire.runtime.batch import EventColumns

ROW, DDL, WATERMARK = 1, 2, 3
KEY = ("ts", "scm", "tbl", "rid", "ptn", "t", "ohk", "ccl")
COLUMN = ("t", "h", "f", "v")
HANDLE, BINARY, UNSIGNED = 2, 1, 128
INTEGERS, STRINGS, BLOBS = (1, 2, 3, 8, 9), (15, 253, 254), (249, 250, 251, 252)
TEXTS = (7, 10, 11, 12, 14, 225, 245, 246)
NUMBERS = (16, 247, 248)
U64 = 2**64 - 1

_QUOTED = re.compile(
    r"""[^\\"\n]|\\[abfnrtv\\"]|\\x[0-9a-fA-F]{2}|\\[0-3][0-7]{2}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}""", re.DOTALL
)
_SHORT = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92, '"': 34}


class Flat(NamedTuple):
    """An event. Images are columns with their values: name, type, flags, value."""

    kind: str
    commit_ts: int
    schema: str | None = None
    table: str | None = None
    row_id: int | None = None
    partition_id: int | None = None
    handle_key_only: bool | None = None
    claim_check: str | None = None
    ddl_type: int | None = None
    query: str | None = None
    new: tuple[Any, ...] | None = None
    old: tuple[Any, ...] | None = None


def read(key: bytes | None, value: bytes | None) -> list[Flat]:
    """The events of a message. Without a value there are none.

    Raises:
        MalformedError: it has to be refused.
    """
    if value is None:
        return []
    need(key is not None and key[:8] == (1).to_bytes(8, "big"), "version")
    assert key is not None
    keys, values = _frames(key[8:]), _frames(value)
    need(len(values) <= len(keys), "more values than keys")
    return [_event(_object(one), other) for one, other in zip_longest(keys, values)]


def _frames(data: bytes) -> list[bytes]:
    found, at = [], 0
    while at < len(data):
        need(len(data) - at >= 8, "length")
        size = int.from_bytes(data[at : at + 8], "big")
        at += 8
        need(size <= len(data) - at, "content")
        found.append(data[at : at + size])
        at += size
    return found


def _object(data: bytes) -> Any:
    try:
        decoded = data.decode()
        parsed, at = DECODER.raw_decode(decoded, SPACE.match(decoded).end())  # type: ignore[union-attr]
    except (ValueError, RecursionError) as error:
        raise MalformedError(str(error)) from None
    need(SPACE.match(decoded, at).end() == len(decoded), "trailing")  # type: ignore[union-attr]
    return parsed


def _event(parsed: Any, value: bytes | None) -> Flat:
    found = members(parsed, KEY, ("ohk",))
    commit_ts = integer(found.get("ts"), 0, U64)
    kind = integer(found.get("t"), -(2**63), 2**63 - 1)
    row_id, partition = (integer(found.get(name), -(2**63), 2**63 - 1) for name in ("rid", "ptn"))
    only, claim = found.get("ohk"), text(found.get("ccl"))
    schema, table = text(found.get("scm")) or None, text(found.get("tbl")) or None
    need(commit_ts is not None and kind in (ROW, DDL, WATERMARK), "key")
    # it may be said twice, and the first has to be one as well
    need(all(said in (None, True, False) for name, said in parsed if name == "ohk"), "ohk")
    assert commit_ts is not None
    if kind == WATERMARK:
        # A producer may leave the last watermarks' empty frames out.
        need(not value, "a value of a watermark")
        return Flat("watermark", commit_ts)
    need(value is not None, "fewer values than keys")
    assert value is not None
    body = _object(value)
    if kind == DDL:
        statement = members(body, ("q", "t"))
        ddl_type = integer(statement.get("t"), 0, 255)
        query = text(statement.get("q"))
        need(ddl_type is not None and query is not None, "statement")
        return Flat("ddl", commit_ts, schema, table, ddl_type=ddl_type, query=query)
    images = {name: _image(image) for name, image in members(body, ("u", "p", "d")).items()}
    new, old, deleted = (images.get(name) for name in "upd")
    happened = "delete" if deleted else "insert" if old is None else "update"
    if happened == "delete":
        need(not new and not old, "rows that nothing is said of")
        new, old = None, deleted
    need(bool(new) or happened == "delete", "no row")
    need(schema is not None and table is not None, "a row of no table")
    return Flat(
        happened, commit_ts, schema, table, row_id or None, partition, only or None, claim, None, None, new, old
    )


def _image(value: Any) -> tuple[Any, ...] | None:
    if value is None:
        return None
    need(isinstance(value, Pairs), "no columns")
    names = [name for name, _ in value]
    need(len(set(names)) == len(names) and all(encodable(name) for name in names), "columns")
    return tuple(_cell(name, column) for name, column in value)


def _cell(name: str, parsed: Any) -> tuple[Any, ...]:
    column = members(parsed, COLUMN)
    need("v" in column and column.get("h") in (None, True, False), "column")
    kind, flags = integer(column.get("t"), 0, 255), integer(column.get("f"), 0, U64)
    need(kind is not None, "type")
    assert kind is not None
    value = _value(kind, flags, column["v"])
    return name, kind, flags if flags is not None else HANDLE if column.get("h") else 0, bits(value)


def _value(kind: int, flags: int | None, value: Any) -> Any:
    if value is None:
        return None
    told = flags or 0
    if kind in INTEGERS or kind == 13 or kind in NUMBERS:
        unsigned = kind in NUMBERS or (kind != 13 and told & UNSIGNED)
        return integer(value, *((0, U64) if unsigned else (-(2**63), 2**63 - 1)))
    if kind in (4, 5):
        need(type(value) is Number, "no number")
        return double(value) if kind == 5 else single(value)
    need(kind in TEXTS or kind in STRINGS or kind in BLOBS, "a value of no type")
    need(type(value) is str, "no text")
    if kind in TEXTS or (kind in STRINGS and flags is not None and not told & BINARY):
        return decimal(text(value)) if kind == 246 else text(value)
    if kind in STRINGS and flags is not None:
        return _unquoted(text(value) or "")
    data = unpacked(value)
    return data if told & BINARY else _decoded(data)


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise MalformedError(str(error)) from None


def _unquoted(quoted: str) -> bytes:
    """The bytes of a text as Go's strconv.Quote writes it, without the quotes around it."""
    pieces = _QUOTED.findall(quoted)
    need(sum(map(len, pieces)) == len(quoted), "quoted")
    found = bytearray()
    for piece in pieces:
        sign = piece[1:2]
        if not sign:
            found += piece.encode()
        elif sign in _SHORT:
            found.append(_SHORT[sign])
        elif sign in "uU":
            code = int(piece[2:], 16)
            need(code < 0x110000 and not 0xD800 <= code < 0xE000, "no character")
            found += chr(code).encode()
        else:
            found.append(int(piece[2:], 16) if sign == "x" else int(piece[1:], 8))
    return bytes(found)


def flat(columns: EventColumns) -> dict[int, list[Flat]]:
    """What the decoder gave, by message."""
    return flattened.flat(columns, Flat, facts=3)
