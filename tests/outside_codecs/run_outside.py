"""Runs in a process of its own, in a tree that has the codecs from outside. Prints what came of it as JSON."""

from __future__ import annotations

import importlib
import json
from typing import Any

import tidewire.runtime
from tidewire.events import Column, Event, RowChange
from tidewire.runtime.errors import DecodeError, EncodeError

COLUMNS = [
    Column("id", 3, 11, mysql_type="int"),
    Column("born", 10, 64, mysql_type="date"),
    Column("face", 252, 65, mysql_type="blob"),
    Column("died", 10, 64, mysql_type="date"),
    Column("name", 15, 64, mysql_type="varchar"),
]
ROWS: list[dict[str, Any]] = [
    {"id": 1, "born": "1970-01-01", "face": b"\x89PNG\x00", "died": None, "name": "tä"},
    {"id": 2, "born": "0001-01-01", "face": b"", "died": "9999-12-31", "name": '"'},
    {"id": 3, "born": None, "face": None, "died": "2026-02-28", "name": None},
]


def changes(columns: list[Column], rows: list[dict[str, Any]]) -> list[Event]:
    found: list[Event] = [RowChange("insert", 5 + n, "s", "t", new=row, columns=columns) for n, row in enumerate(rows)]
    found.append(RowChange("update", 20, "s", "t", rows[0], rows[1], columns=columns))
    found.append(RowChange("delete", 21, "s", "t", old=rows[2], columns=columns))
    return found


def refused(codec: Any, messages: list[bytes]) -> list[list[Any]]:
    """Of messages in one batch: the field and the offset of each error, or how many events there are."""
    found: list[list[Any]] = []
    for message in messages:
        try:
            found.append(["events", len(codec.decode(message))])
        except DecodeError as error:
            found.append([error.field, error.offset, error.needed, message[error.offset or 0 :][:8].hex()])
    return found


def round_trip(codec: Any, given: list[Event]) -> dict[str, Any]:
    messages = [message.value for message in codec.encode(given)]
    found = [event for message in messages for event in codec.decode(message)]
    return {
        "equal": found == given,
        "again": [message.value for message in codec.encode(found)] == messages,
        "batch": list(codec.decode_batch(messages)) == given,
        "shown": [[span.type, span.value] for span in codec.dissect(messages[0]) if span.column == "born"][-1],
    }


def unwritten(codec: Any, value: str) -> list[Any]:
    given = changes(COLUMNS, [{**ROWS[0], "born": value}, *ROWS[1:]])
    try:
        codec.encode(given[1:] + given[:1])
    except EncodeError as error:
        return [error.event, error.column, error.reason]
    return []


binary: Any = importlib.import_module("tidewire.outside_binary")
text: Any = importlib.import_module("tidewire.outside_json")
events = changes(COLUMNS, ROWS)
spoiled = [message.value for message in text.encode(events[1:2])]
one = binary.encode(events[:1])[0].value
print(
    json.dumps(
        {
            "compiled": tidewire.runtime.compiled,
            "binary": round_trip(binary, events),
            "json": round_trip(text, events),
            "text": text.encode(events[:1])[0].value.decode(),
            "refused_json": refused(
                text,
                [
                    spoiled[0].replace(b'"face":""', b'"face":"8"'),
                    spoiled[0].replace(b'"face":""', b'"face":"8g"'),
                    spoiled[0].replace(b'"face":""', b'"face":"8\xc3\xa4"'),
                    spoiled[0].replace(b'"face":""', b'"face":"\\u0038\\u0039"'),
                    spoiled[0].replace(b'"face":""', b'"face":12'),
                    spoiled[0].replace(b"-719162", b"-719163"),
                    spoiled[0].replace(b"-719162", b"99999999999999999999"),
                    spoiled[0].replace(b"-719162", b"1e3"),
                    spoiled[0].replace(b"-719162", b'"1"'),
                ],
            ),
            # the first date of this message is a zero between the id and the bytes
            "refused_binary": refused(binary, [one, one.replace(b"\x02\x00\x89PNG", b"\x02\x80\x89PNG")]),
            "unwritten": [unwritten(codec, value) for codec in (binary, text) for value in ("0000-00-00", "x")],
        }
    )
)
