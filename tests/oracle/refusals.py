"""Events that no message can carry: TiCDC's encoder panics or loses data, ours raises an error."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from tidewire.runtime.errors import EncodeError

from .bridge import made, request
from .cases import HANDLE, Case, Column, Row, Table
from .checks import Different, check, messages_of
from .client import Oracle
from .declared import Declared
from .protocols import Protocol

KEY_ONLY = {"delete-only-output-handle-key-columns": True}
_KEY = Column("id", 3, HANDLE, Declared("int(11)", "int"))
_TABLE = Table("s", "t", (_KEY, Column("v", 15, 64, Declared("varchar(20)", "varchar", 20))), False, False, 7, 5)
_INSERT = Row("insert", 1, _TABLE, None, (1, b"v"), None)

REFUSED: dict[str, Case] = {
    "delete without handle key columns, and only those are sent": Case(
        "",
        KEY_ONLY,
        (Row("delete", 1, replace(_TABLE, columns=_TABLE.columns[1:]), None, None, (b"v",)),),
    ),
    "row without a schema": Case("", {}, (replace(_INSERT, table=replace(_TABLE, schema="")),)),
    "row without a table": Case("", {}, (replace(_INSERT, table=replace(_TABLE, name="")),)),
    "insert without an image": Case("", {}, (replace(_INSERT, new=None),)),
    "delete without an image": Case("", {}, (replace(_INSERT, kind="delete", new=None),)),
    "row without columns": Case("", {}, (replace(_INSERT, table=replace(_TABLE, columns=()), new=()),)),
}
"""Shapes that both refuse, TiCDC by a panic, unless the protocol takes them."""

WRONG: list[tuple[int, int, Any, dict[str, str]]] = [
    (3, 0, "1", {"text": "1"}),
    (3, 128, -1, {"int": "-1"}),
    (13, 128, "2020", {"text": "2020"}),
    (16, 128, "1", {"text": "1"}),
    (247, 0, "a", {"text": "a"}),
    (5, 0, "0.5", {"text": "0.5"}),
    (10, 0, 20200101, {"int": "20200101"}),
    (246, 0, 1.5, {"f64": "1.5"}),
    (15, 1, 1, {"int": "1"}),
    (245, 0, 1, {"int": "1"}),
    (225, 0, 1.5, {"f64": "1.5"}),
]
"""Values of a wrong type: type, flags, ours, TiCDC's."""

EMPTY_TEXT = "empty-text-becomes-null"
"""TiCDC writes null for an empty text of these types. None of them can be empty in TiDB; ours keeps the text."""
TEXTS = (7, 10, 11, 12, 14, 245, 246)
VALUELESS = "value-of-no-type-dropped"
"""TiCDC writes null for whatever is in a column of a type without values; ours refuses the value."""


def refusals(oracle: Oracle, protocol: Protocol, counts: Counter[str]) -> None:
    """Every one of them through both.

    Raises:
        Different: one of the two takes what the other refuses.
    """
    for name, case in REFUSED.items():
        if name in protocol.takes_shapes:
            check(oracle, protocol, case, counts)
            continue
        if name in protocol.laxer:
            _encoded(protocol, case)
            counts["refused by TiCDC"] += 1
            continue
        if name in protocol.stricter:
            _ours(protocol, name, case)
            counts["refused by ours"] += 1
            continue
        tables, events = request(case)
        _both(oracle, protocol, name, case, tables, events)
        counts["refused by both"] += 1
    for kind, flags, value, theirs in WRONG:
        table = replace(_TABLE, columns=(Column("v", kind, flags, Declared("", "")),))
        case = Case("", {}, (replace(_INSERT, table=table, new=(value,)),))
        if not protocol.wrong_refused:
            _ours(protocol, f"{value!r} in a column of type {kind}", case)
            counts["refused by ours"] += 1
            continue
        tables, events = request(replace(case, events=(replace(_INSERT, table=table, new=(None,)),)))
        events[0]["new"] = [theirs]
        _both(oracle, protocol, f"{value!r} in a column of type {kind}", case, tables, events)
        counts["refused by both"] += 1
    if not protocol.empty_texts:
        _empty_texts(oracle, protocol, counts)
        _valueless(oracle, protocol, counts)


def _empty_texts(oracle: Oracle, protocol: Protocol, counts: Counter[str]) -> None:
    for kind in TEXTS:
        if kind == 246:
            continue  # an empty text is no DECIMAL
        table = replace(_TABLE, columns=(Column("v", kind, 0),))
        case = Case("", {}, (replace(_INSERT, table=table, new=("",)),))
        ours = _encoded(protocol, case)
        null = _encoded(protocol, replace(case, events=(replace(_INSERT, table=table, new=(None,)),)))
        tables, events = request(case)
        ((message,), _) = messages_of(oracle.encode(protocol.protocol_name, events, tables=tables))
        if message.value != null or ours == null:
            raise Different(f"{EMPTY_TEXT}: type {kind}: TiCDC {message.value.hex()}, ours {ours.hex()}")
        counts[EMPTY_TEXT] += 1


def _valueless(oracle: Oracle, protocol: Protocol, counts: Counter[str]) -> None:
    for kind in (0, 6, 17, 255):
        table = replace(_TABLE, columns=(Column("v", kind, 0),))
        case = Case("", {}, (replace(_INSERT, table=table, new=(1,)),))
        tables, events = request(case)
        messages_of(oracle.encode(protocol.protocol_name, events, tables=tables))
        try:
            _encoded(protocol, case)
        except EncodeError:
            counts[VALUELESS] += 1
        else:
            raise Different(f"{VALUELESS}: we take a value in a column of type {kind}")


def _encoded(protocol: Protocol, case: Case) -> bytes:
    (message,) = protocol.encoded(made(protocol, case), case.options, case)
    found: bytes = message.value or b""
    return found


def _both(oracle: Oracle, protocol: Protocol, name: str, case: Case, tables: list[Any], events: list[Any]) -> None:
    answer = oracle.encode(protocol.protocol_name, events, protocol.asked(case.options), tables=tables, flush="run")
    messages = answer.get("messages") or []
    refused = bool(messages) and all("error" in message for message in messages)
    try:
        _encoded(protocol, case)
    except EncodeError as error:
        if not refused:
            raise Different(f"{name}: TiCDC takes it, we do not: {error}") from None
        return
    raise Different(f"{name}: we take it; TiCDC {'refuses it' if refused else 'too: it belongs among the cases'}")


def _ours(protocol: Protocol, name: str, case: Case) -> None:
    try:
        _encoded(protocol, case)
    except EncodeError:
        return
    raise Different(f"{name}: we take it")
