"""A second, naive reader of Canal-JSON over the standard library's: what the decoder has to agree with.

It gives the events of a value as plain tuples, or raises MalformedError; it does not say where.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import flattened
from json_twin import (
    DECODER,
    SPACE,
    MalformedError,
    Number,
    Pairs,
    Written,
    bits,
    decimal,
    double,
    encodable,
    integer,
    members,
    need,
    plain,
    single,
    string,
    text,
    unpacked,
    whole,
)

from tidewire.mysql import DDL_TYPES, ddl_class, declared_or_undeclared
from tidewire.runtime.batch import EventColumns

IMAGES = {"INSERT": ("data", None), "INIT": ("data", None), "UPDATE": ("data", "old"), "DELETE": (None, "data")}
KINDS = {"INSERT": "insert", "INIT": "insert", "UPDATE": "update", "DELETE": "delete"}
SKIPPED = ("GTID", "XACOMMIT", "XAROLLBACK", "MHEARTBEAT")
ALONE = {
    "type": "text", "id": "integer", "database": "text", "table": "text", "pkNames": "texts", "isDdl": "false",
    "es": "integer", "ts": "integer", "sql": "nothing", "sqlType": "integers by name", "mysqlType": "texts by name",
    "data": "nothing", "old": "nothing", "gtid": "text", "_tidb": "nothing",
}  # fmt: skip
"""What a message has that is skipped."""
XA = ALONE | {"sql": "xa"}
OF_ROWS = XA | {"type": "query", "sql": "rows"}
STATEMENTS = {
    "xa": ["xa commit", "xa rollback"],
    "rows": ["insert", "replace", "update", "delete", "load", "with", "select", "call", "do", "set"],
}
"""How the statements begin that such messages have."""
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


def read(value: bytes, terminator: str = "") -> list[Flat]:
    """The events of a value.

    Raises:
        MalformedError: it has to be refused.
    """
    try:
        decoded = value.decode()
    except UnicodeDecodeError as error:
        raise MalformedError(str(error)) from None
    at = SPACE.match(decoded).end()  # type: ignore[union-attr]
    found: list[Flat] = []
    while True:
        try:
            parsed, at = DECODER.raw_decode(decoded, at)
        except (ValueError, RecursionError) as error:
            raise MalformedError(str(error)) from None
        found += _message(parsed)
        while True:
            at = SPACE.match(decoded, at).end()  # type: ignore[union-attr]
            if not terminator or not decoded.startswith(terminator, at):
                break
            at += len(terminator)
        if at == len(decoded):
            return found


def _message(parsed: Any) -> list[Flat]:
    root = members(parsed, ROOT)
    if all(name in ROOT for name, _ in parsed):  # the only row may stand without an array
        root |= {name: [root[name]] for name in ("data", "old") if isinstance(root.get(name), Pairs)}
    switch = string(root.get("type"))
    schema, table = string(root.get("database")), string(root.get("table"))
    query = string(root.get("sql"))
    commit_ms = integer(root.get("es"), -(2**63), 2**63 - 1)
    sent_ms = integer(root.get("ts"), -(2**63), 2**63 - 1)
    extension = None if root.get("_tidb") is None else members(root["_tidb"], EXTENSION)
    carried = extension or {}
    commit_ts = integer(carried.get("commitTs"), 0, 2**64 - 1)
    watermark_ts = integer(carried.get("watermarkTs"), 0, 2**64 - 1)
    handle_key_only = carried.get("onlyHandleKey")
    need(handle_key_only in (None, True, False), "no bool")
    claim_check, row_key = string(carried.get("claimCheckLocation")), string(carried.get("rowkey"))
    need(
        switch is not None
        and (switch in IMAGES or switch in SKIPPED or switch in CLASSES or switch == "TIDB_WATERMARK")
    )
    assert switch is not None
    schema, table = text(schema) or None, text(table) or None
    if switch != "UPDATE":
        need(root.get("old") in (None, [], Pairs()), "rows that nothing is said of")
    if switch not in IMAGES:
        need(root.get("data") in (None, [], Pairs()), "rows that nothing is said of")
    if switch in SKIPPED:
        need(_skips(parsed, XA if switch.startswith("XA") else ALONE), "more than a message that is skipped has")
        return []
    if switch not in IMAGES and switch != "TIDB_WATERMARK" and root.get("isDdl") is False and _skips(parsed, OF_ROWS):
        return []
    if switch == "TIDB_WATERMARK":
        need(not query and root.get("isDdl") in (None, False), "a statement")
    need(switch in IMAGES or extension is not None or commit_ms is not None, "neither time")
    if extension is not None:
        commit_ms = None
    if switch == "TIDB_WATERMARK":
        return [Flat("watermark", None if extension is None else watermark_ts or 0, commit_ms, sent_ms, schema, table)]
    if switch not in IMAGES:
        ts = None if extension is None else commit_ts or 0
        return [Flat("ddl", ts, commit_ms, sent_ms, schema, table, ddl_class=switch, query=text(query) or None)]
    need(extension is None or commit_ts is not None)
    types = _types(root.get("mysqlType"))
    keys = _keys(root.get("pkNames"))
    new, old = (None if name is None else _rows(root.get(name), types, keys) for name in IMAGES[switch])
    need(new is None or old is None or len(new) == len(old), "count")
    outlined = isinstance(root.get("sqlType"), Pairs) and bool(root["sqlType"])
    told = isinstance(root.get("mysqlType"), Pairs) or switch == "DELETE"
    whole = (old if new is None else new) or []
    need(all(whole) or (told and not types and not outlined), "a row without columns")
    key = None if row_key is None else unpacked(text(row_key))
    return [
        Flat(
            KINDS[switch], None if extension is None else commit_ts, commit_ms, sent_ms, schema, table, key,
            handle_key_only, text(claim_check), None, None, None if new is None else new[k],
            None if old is None else old[k],
        )
        for k in range(len(new or old or ()))
    ]  # fmt: skip


def _skips(parsed: Any, alone: dict[str, str]) -> bool:
    return all(name in alone and (one is None or _holds(one, alone[name])) for name, one in parsed)


def _holds(value: Any, kind: str) -> bool:
    if kind in STATEMENTS:
        words = re.findall(r"/\*.*?\*/|--\s[^\n]*|#[^\n]*|[\w$]+|\S", value, re.DOTALL) if type(value) is str else [""]
        begun = " ".join(one.lower() for one in words if re.match(r"[\w$]", one))
        return not words or any(f"{begun} ".startswith(f"{one} ") for one in STATEMENTS[kind])
    if kind == "false":
        return value is False
    if kind == "query":
        return bool(value == "QUERY")
    if kind == "integer":
        return type(value) is Number and value.lstrip("-").isdigit()
    if kind in ("texts", "integers by name", "texts by name"):
        items = [one for _, one in value] if isinstance(value, Pairs) and "by name" in kind else value
        right = isinstance(value, Pairs) == ("by name" in kind) and isinstance(items, list)
        each = "integer" if "integers" in kind else "text"
        return right and all(one is None or _holds(one, each) for one in items)
    if kind == "nothing":
        return value in ("", [], Pairs()) and type(value) is not Number
    return type(value) is (bool if kind == "bool" else str)


def _types(value: Any) -> dict[str, str | None]:
    if value is None:
        return {}
    need(isinstance(value, Pairs), "types")
    found: dict[str, str | None] = {}
    for name, one in value:
        need(name not in found and text(name) is not None and (one is None or type(one) is str), "type")
        found[name] = text(one)
    return found


def _keys(value: Any) -> set[str]:
    if value is None:
        return set()
    need(type(value) is list and all(type(one) is str and encodable(one) for one in value), "names")
    need(len(set(value)) == len(value), "twice")
    return set(value)


def _rows(value: Any, types: dict[str, str | None], keys: set[str]) -> list[tuple[Any, ...]]:
    need(type(value) is list and len(value) > 0, "rows")
    found = []
    for row in value:
        need(isinstance(row, Pairs), "row")
        names = [name for name, _ in row]
        need(len(set(names)) == len(names) and all(encodable(name) for name in names), "columns")
        found.append(tuple(_cell(name, types.get(name), name in keys, one) for name, one in row))
    return found


def _cell(name: str, type_text: str | None, key: bool, value: Any) -> tuple[Any, ...]:
    kind = declared_or_undeclared(type_text or "")
    digits = re.fullmatch("[0-9]{1,64}", str(value)) if type(value) in (str, Number) else None
    if type_text is not None and kind.type in INTEGERS and not kind.flags & 128 and digits:
        wide = declared_or_undeclared(f"{type_text} unsigned")
        if 2**63 <= int(digits[0]) < 2**64 and wide.type == kind.type == 8:
            type_text, kind = f"{type_text} unsigned", wide
    flags = kind.flags | (2 | 8 if key else 0)
    return name, kind.type, flags, type_text, bits(_value(kind, flags, value))


def _value(kind: Any, flags: int, value: Any) -> Any:
    if value is None:
        return None
    bare = type(value) is Number
    if type(value) not in (str, Number):
        if kind.type in TEXTS or (kind.type in STRINGS and not flags & 1):
            return Written(value)
        need(type(value) is bool and (kind.type in INTEGERS or kind.type in (13, 16)), "kind")
        return int(value)
    if kind.type == 255 or (kind.type in STRINGS and flags & 1):
        need(not bare and encodable(value) and all(ord(c) < 256 for c in value), "latin-1")
        return value.encode("latin-1")
    if kind.type in STRINGS or kind.type in TEXTS:
        found = plain(value) if bare else text(value)
        return decimal(found) if kind.type == 246 else found
    need(kind.type != 6 and encodable(value), "nothing")
    if kind.type in INTEGERS or kind.type in (13, 16):
        unsigned = kind.type == 16 or (kind.type != 13 and flags & 128)
        need(re.fullmatch("-?[0-9]+", value) is not None, "digits")
        number = whole(value)
        need(0 <= number < 2**64 if unsigned else -(2**63) <= number < 2**63, "outside")
        return number
    if kind.type in (4, 5):
        need(re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?", value) is not None, "float")
        return double(value) if kind.type == 5 else single(value)
    if bare or re.fullmatch("[0-9]+", value):
        need(re.fullmatch("-?[0-9]+", value) is not None, "label")
        number = whole(value)
        need(0 <= number < 2**64, "outside")
        return number
    places = {label: kind.members.index(label) for label in kind.members}
    if kind.type == 247:
        need(value in places or value == "", "label")
        return places[value] + 1 if value in places else 0
    labels = value.split(",")
    if value == "" and value not in places:
        return 0
    need(all(label in places for label in labels), "label")
    return sum({1 << places[label] for label in labels})


def flat(columns: EventColumns) -> dict[int, list[Flat]]:
    """What the decoder gave, by message."""
    return flattened.flat(columns, Flat)
