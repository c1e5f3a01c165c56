"""A second, naive reader of Canal-JSON over the standard library's: what the decoder has to agree with.

It gives the events of a value as plain tuples, or raises MalformedError; it does not say where.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import struct
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from tidewire.mysql import DDL_TYPES, ddl_class, told
from tidewire.runtime.batch import EventColumns

IMAGES = {"INSERT": ("data", None), "INIT": ("data", None), "UPDATE": ("data", "old"), "DELETE": (None, "data")}
KINDS = {"INSERT": "insert", "INIT": "insert", "UPDATE": "update", "DELETE": "delete"}
SKIPPED = ("GTID", "XACOMMIT", "XAROLLBACK", "MHEARTBEAT")
CLASSES = {ddl_class(code) for code in DDL_TYPES}
ROOT = [
    "id",
    "database",
    "table",
    "pkNames",
    "isDdl",
    "type",
    "es",
    "ts",
    "sql",
    "sqlType",
    "mysqlType",
    "data",
    "old",
    "_tidb",
]
EXTENSION = ["commitTs", "watermarkTs", "onlyHandleKey", "claimCheckLocation", "rowkey"]
INTEGERS, TEXTS = (1, 2, 3, 8, 9), (0, 7, 10, 11, 12, 14, 225, 245, 246)
STRINGS = (15, 249, 250, 251, 252, 253, 254)


class MalformedError(Exception):
    """The value is not what it has to be."""


class Number(str):
    """A number as it stands in the text."""


class Pairs(list[tuple[str, Any]]):
    """An object: its members in order, those that are given twice too."""


class Written:
    """A value as it stands in the message, of which only the parsed form is known here: equal to every text of it."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Written):
            return bool(self.value == other.value)
        return isinstance(other, str) and bool(_DECODER.decode(other) == self.value)

    __hash__ = None  # type: ignore[assignment]


class Flat(NamedTuple):
    """An event. Images are columns with their values: name, type, flags, declared type, value."""

    kind: str
    commit_ts: int | None
    commit_ms: int | None
    sent_ms: int | None
    schema: str | None
    table: str | None
    row_key: bytes | None = None
    handle_key_only: bool | None = None
    claim_check: str | None = None
    ddl_class: str | None = None
    query: str | None = None
    new: tuple[Any, ...] | None = None
    old: tuple[Any, ...] | None = None


def _refuse(_: object) -> Any:
    raise MalformedError("NaN")


_DECODER = json.JSONDecoder(
    object_pairs_hook=Pairs, parse_int=Number, parse_float=Number, parse_constant=_refuse, strict=True
)
_SPACE = re.compile(r"[ \t\n\r]*")


def read(value: bytes, terminator: str = "") -> list[Flat]:
    """The events of a value.

    Raises:
        MalformedError: it has to be refused.
    """
    try:
        text = value.decode()
    except UnicodeDecodeError as error:
        raise MalformedError(str(error)) from None
    at = _SPACE.match(text).end()  # type: ignore[union-attr]
    found: list[Flat] = []
    while True:
        try:
            parsed, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            raise MalformedError(str(error)) from None
        found += _message(parsed)
        while True:
            at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
            if not terminator or not text.startswith(terminator, at):
                break
            at += len(terminator)
        if at == len(text):
            return found


def _need(right: bool, what: str = "") -> None:
    if not right:
        raise MalformedError(what)


def _members(value: Any, names: list[str]) -> dict[str, Any]:
    _need(isinstance(value, Pairs), "no object")
    found: dict[str, Any] = {}
    for name, one in value:
        if name in names:
            _need(name not in found, "twice")
            found[name] = one
    return found


def _text(value: Any) -> str | None:
    _need(value is None or (type(value) is str and _encodable(value)), "no text")
    return value  # type: ignore[no-any-return]


def _encodable(text: str) -> bool:
    return not any(0xD800 <= ord(c) < 0xE000 for c in text)


def _string(value: Any) -> str | None:
    _need(value is None or type(value) is str, "no string")
    return value  # type: ignore[no-any-return]


def _integer(value: Any, low: int, high: int) -> int | None:
    if value is None:
        return None
    _need(type(value) is Number and re.fullmatch("-?[0-9]+", value) is not None, "no integer")
    number = _int(value)
    _need(low <= number <= high, "outside")
    return number


def _int(text: str) -> int:
    text = text.lstrip("-").lstrip("0") if text[:1] != "-" else "-" + text[1:].lstrip("0")
    _need(len(text) < 40, "outside")
    return int(text) if text not in ("", "-") else 0


def _message(parsed: Any) -> list[Flat]:
    root = _members(parsed, ROOT)
    switch = _string(root.get("type"))
    schema, table = _string(root.get("database")), _string(root.get("table"))
    query = _string(root.get("sql"))
    commit_ms = _integer(root.get("es"), -(2**63), 2**63 - 1)
    sent_ms = _integer(root.get("ts"), -(2**63), 2**63 - 1)
    extension = None if root.get("_tidb") is None else _members(root["_tidb"], EXTENSION)
    carried = extension or {}
    commit_ts = _integer(carried.get("commitTs"), 0, 2**64 - 1)
    watermark_ts = _integer(carried.get("watermarkTs"), 0, 2**64 - 1)
    handle_key_only = carried.get("onlyHandleKey")
    _need(handle_key_only in (None, True, False), "no bool")
    claim_check, row_key = _string(carried.get("claimCheckLocation")), _string(carried.get("rowkey"))
    _need(
        switch is not None
        and (switch in IMAGES or switch in SKIPPED or switch in CLASSES or switch == "TIDB_WATERMARK")
    )
    assert switch is not None
    schema, table = _text(schema) or None, _text(table) or None
    if switch in SKIPPED:
        return []
    if switch not in IMAGES and switch != "TIDB_WATERMARK" and root.get("isDdl") is False:
        _need(root.get("data") in (None, []) and root.get("old") in (None, []), "rows of what is none")
        return []
    _need(switch in IMAGES or extension is not None or commit_ms is not None, "neither time")
    if extension is not None:
        commit_ms = None
    if switch == "TIDB_WATERMARK":
        return [Flat("watermark", None if extension is None else watermark_ts or 0, commit_ms, sent_ms, schema, table)]
    if switch not in IMAGES:
        ts = None if extension is None else commit_ts or 0
        return [Flat("ddl", ts, commit_ms, sent_ms, schema, table, ddl_class=switch, query=_text(query) or None)]
    _need(extension is None or commit_ts is not None)
    types = _types(root.get("mysqlType"))
    keys = _keys(root.get("pkNames"))
    new, old = (None if name is None else _rows(root.get(name), types, keys) for name in IMAGES[switch])
    _need(new is None or old is None or len(new) == len(old), "count")
    key = None if row_key is None else _base64(_text(row_key))
    return [
        Flat(
            KINDS[switch], None if extension is None else commit_ts, commit_ms, sent_ms, schema, table, key,
            handle_key_only, _text(claim_check), None, None, None if new is None else new[k],
            None if old is None else old[k],
        )
        for k in range(len(new or old or ()))
    ]  # fmt: skip


def _base64(text: str | None) -> bytes:
    assert text is not None
    try:
        found = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, ValueError):
        raise MalformedError("base64") from None
    _need(base64.b64encode(found) == text.encode(), "base64")
    return found


def _types(value: Any) -> dict[str, str | None]:
    if value is None:
        return {}
    _need(isinstance(value, Pairs), "types")
    found: dict[str, str | None] = {}
    for name, one in value:
        _need(name not in found and _text(name) is not None and (one is None or type(one) is str), "type")
        found[name] = _text(one)
    return found


def _keys(value: Any) -> set[str]:
    if value is None:
        return set()
    _need(type(value) is list and all(type(one) is str and _encodable(one) for one in value), "names")
    _need(len(set(value)) == len(value), "twice")
    return set(value)


def _rows(value: Any, types: dict[str, str | None], keys: set[str]) -> list[tuple[Any, ...]]:
    _need(type(value) is list and len(value) > 0, "rows")
    found = []
    for row in value:
        _need(isinstance(row, Pairs), "row")
        names = [name for name, _ in row]
        _need(len(set(names)) == len(names) and all(_encodable(name) for name in names), "columns")
        found.append(tuple(_cell(name, types.get(name), name in keys, one) for name, one in row))
    return found


def _cell(name: str, type_text: str | None, key: bool, value: Any) -> tuple[Any, ...]:
    kind = told(type_text or "")
    flags = kind.flags | (2 | 8 if key else 0)
    return name, kind.type, flags, type_text, _bits(_value(kind, flags, value))


def _bits(value: Any) -> Any:
    return struct.pack("<d", value) if isinstance(value, float) else value


def _value(kind: Any, flags: int, value: Any) -> Any:
    if value is None:
        return None
    bare = type(value) is Number
    if type(value) not in (str, Number):
        if kind.type in TEXTS or (kind.type in STRINGS and not flags & 1):
            return Written(value)
        _need(type(value) is bool and (kind.type in INTEGERS or kind.type in (13, 16)), "kind")
        return int(value)
    if kind.type == 255 or (kind.type in STRINGS and flags & 1):
        _need(not bare and _encodable(value) and all(ord(c) < 256 for c in value), "latin-1")
        return value.encode("latin-1")
    if kind.type in STRINGS or kind.type in TEXTS:
        return _plain(value) if bare else _text(value)
    _need(kind.type != 6 and _encodable(value), "nothing")
    if kind.type in INTEGERS or kind.type in (13, 16):
        unsigned = kind.type == 16 or (kind.type != 13 and flags & 128)
        _need(re.fullmatch("-?[0-9]+", value) is not None, "digits")
        number = _int(value)
        _need(0 <= number < 2**64 if unsigned else -(2**63) <= number < 2**63, "outside")
        return number
    if kind.type in (4, 5):
        _need(re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?", value) is not None, "float")
        return _float(value) if kind.type == 5 else _float32(value)
    if bare or re.fullmatch("[0-9]+", value):
        _need(re.fullmatch("-?[0-9]+", value) is not None, "label")
        number = _int(value)
        _need(0 <= number < 2**64, "outside")
        return number
    places = {label: kind.members.index(label) for label in kind.members}
    if kind.type == 247:
        _need(value in places or value == "", "label")
        return places[value] + 1 if value in places else 0
    labels = value.split(",")
    if value == "" and value not in places:
        return 0
    _need(all(label in places for label in labels), "label")
    return sum({1 << places[label] for label in labels})


def _plain(number: str) -> str:
    """A number's digits, without an exponent that is not too great."""
    exponent = re.search(r"[eE][-+]?0*([0-9]*)", number)
    return number if exponent is None or len(exponent[1]) > 2 else format(Decimal(number), "f")


def _float(text: str) -> float:
    found = float(text)
    _need(found not in (float("inf"), float("-inf")), "outside")
    return found


def _float32(text: str) -> float:
    """The nearest float32, found by comparing exactly; of two that are as near, the even one."""
    near = _single(_float(text))
    exact = Fraction(text)
    bits = struct.unpack("<i", struct.pack("<f", near))[0]
    around = {near}
    for step in (-1, 1):
        if 0 <= (bits & 0x7FFFFFFF) + step < 0x7F800000:
            around.add(struct.unpack("<f", struct.pack("<i", bits + step))[0])
    distances = sorted((abs(Fraction(one) - exact), one != near) for one in around)
    if distances[0][0] == distances[1][0]:
        return near
    return next(one for one in around if abs(Fraction(one) - exact) == distances[0][0])


def _single(value: float) -> float:
    try:
        found: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        raise MalformedError("outside") from None
    return found


def flat(columns: EventColumns) -> dict[int, list[Flat]]:
    """What the decoder gave, by message."""
    kinds = {1: "insert", 2: "update", 3: "delete", 4: "ddl", 5: "watermark"}
    layouts = [[array.to_pylist() for array in layout.arrays] for layout in columns.layouts]

    def image(layout: int, row: int) -> tuple[Any, ...] | None:
        if layout < 0:
            return None
        described = columns.layouts[layout].columns
        return tuple((*one, _bits(layouts[layout][k][row])) for k, one in enumerate(described))

    found: dict[int, list[Flat]] = {}
    for event in columns.events.to_pylist():
        schema, table = columns.tables[event["table"]]
        only = event["handle_key_only"]
        found.setdefault(event["message"], []).append(
            Flat(
                kinds[event["kind"]], event["commit_ts"], event["commit_ms"], event["sent_ms"], schema, table,
                event["row_key"], None if only is None else bool(only), event["claim_check"], event["ddl_class"],
                event["query"], image(event["new_layout"], event["new_row"]),
                image(event["old_layout"], event["old_row"]),
            )
        )  # fmt: skip
    return found


def outcomes(columns: EventColumns, count: int) -> Iterator[list[Flat] | str]:
    """For each message its events, or the code of its error."""
    events = flat(columns)
    errors = {error.message: error.code for error in columns.errors}
    for message in range(count):
        yield errors[message] if message in errors else events.get(message, [])
