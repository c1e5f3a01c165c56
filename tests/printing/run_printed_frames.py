"""Runs in a process of its own: the codec of frames that uses every word, printed elsewhere. Prints JSON.

Argument: the directory it was printed to.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

import tidewire
import tidewire.runtime

tidewire.__path__.insert(0, sys.argv[1])

from tidewire.events import Column, Ddl, Event, RowChange, Watermark  # noqa: E402
from tidewire.runtime.errors import DecodeError  # noqa: E402

codec: Any = importlib.import_module("tidewire.every_frames_word")

COLUMNS = [
    Column("id", 3, 11),
    Column("b", 15, 65),
    Column("a", 15, 64),
    Column("t", 252, 64),
    Column("z", 252, 65),
    Column("n", 8, 196),
    Column("f", 5, 1),
]
SENT = 1767323045678


def row(number: int) -> dict[str, Any]:
    text = None if number == 3 else f"tä<{number}"
    return {"id": -number, "b": b"\xff\0", "a": text, "t": "T", "z": b"\x89\n", "n": 2**64 - 1, "f": 1e-7}


def events(**facts: Any) -> list[Event]:
    """Events of every kind, with the fields that the protocol carries; `facts` are of the rows."""
    given: dict[str, Any] = {"columns": COLUMNS, "sent_ms": SENT, **facts}
    return [
        Watermark(5, sent_ms=SENT),
        RowChange("insert", 10, "s", "t", new=row(1), **given),
        RowChange("insert", 11, "s", "t", new=row(3), handle_key_only=True, **given),
        RowChange("update", 30, "s", "u", row(1), row(3), claim_check="where", **given),
        RowChange("delete", 31, "z", "u", old=row(2), **given),
        Ddl(40, "s", None, 3, "create table x", sent_ms=SENT),
    ]


def round_trip(facts: dict[str, Any], **given: Any) -> dict[str, Any]:
    """Events to messages and back, the messages again, truncated ones, and what the dissector sees."""
    options = codec.Options(**given)
    want = events(**facts)
    messages = codec.encode(want, options)
    found = [event for one in messages for event in codec.decode(one.value, one.key, options)]
    plain = given.get("squeeze", "none") == "none"
    accepted = 0
    for one in messages if plain else []:
        for value, key in [(one.value[:size], one.key) for size in range(len(one.value))] + [
            (one.value, one.key[:size]) for size in range(len(one.key))
        ]:
            # the whole one beside it can be read, so that nobody looks which other protocol the cut one could be of
            read = codec.decode_batch([value, one.value], [key, one.key], options)
            if [error.message for error in read.errors] != [0]:
                accepted += value != b"" or one is not messages[0]  # a watermark needs no frame in its value
    batch = codec.decode_batch([one.value for one in messages], [one.key for one in messages], options)
    spans = [span for one in messages if plain for span in codec.dissect(one.value, one.key)]
    return {
        "messages": [one.events for one in messages],
        "equal": found == want,
        "again": [(one.value, one.key) for one in codec.encode(found, options)]
        == [(one.value, one.key) for one in messages],
        "batch": list(batch) == want,
        "accepted": accepted,
        "trouble": [span.meaning for span in spans if span.type == "trouble"],
    }


def shown(**given: Any) -> list[str]:
    """Key and value of the update's message, without lengths."""
    (one,) = codec.encode(events(row_key=b"k")[3:4], codec.Options(**given))
    return [one.key[16:].decode(), one.value[8:].decode()]


def spoiled() -> list[list[str]]:
    """What is said of messages that are spoiled in one place: what was changed, the error's id, part and field."""
    (one,) = codec.encode(events()[1:2])
    cases: list[tuple[str, str, bytes, bytes]] = [
        ("key", "magic", (77).to_bytes(8, "big"), (78).to_bytes(8, "big")),
        ("key", "sort", b'003e":40', b'003e":41'),
        ("key", "unknown", b'"commit":10', b'"commti":10'),
        ("value", "kind", b'"is ":', b'"it ":'),
        ("value", "type", b'"code":3', b'"code":a'),
        ("value", "no type", b'"code":3,', b'"coda":3,'),
        ("value", "number", b'"%":-1}', b'"%":-x}'),
        ("value", "range", b'"%":18446744073709551615', b'"%":18446744073709551616'),
        ("value", "base64", b'"%":"/wA="', b'"%":"/wB="'),
        ("value", "quotes", b"\\\\x89", b"\\\\x8g"),
        ("value", "length", b"\0" * 6, b"\1" + b"\0" * 5),
    ]
    said = []
    for part, what, old, new in cases:
        key, value = one.key, one.value
        before = key if part == "key" else value
        assert before.count(old) >= 1, what
        after = before.replace(old, new, 1)
        key, value = (after, value) if part == "key" else (key, after)
        try:
            codec.decode(value, key)
            said.append([what, "accepted", "", ""])
        except DecodeError as error:
            said.append([what, error.code, error.part, error.field])
    return said


result = {
    "compiled": tidewire.runtime.compiled,
    "plain": round_trip({"row_key": b"t\xff\0"}),
    "second": round_trip({}, producer="second", with_keys=False),
    "alone": round_trip({"table_id": 7}, most_rows=1, with_keys=False),
    "squeezed": round_trip({}, squeeze="lz4"),
    "shown": shown(),
    "shown second": shown(producer="second", less=True),
    "spoiled": spoiled(),
}
print(json.dumps(result))
