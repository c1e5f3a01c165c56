"""Runs in a process of its own: the JSON codec that uses every word, printed elsewhere, interpreted. Prints JSON.

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

from tidewire.events import Column, Ddl, Event, Events, RowChange, Watermark  # noqa: E402
from tidewire.runtime.errors import DecodeError  # noqa: E402

codec: Any = importlib.import_module("tidewire.every_json_word")

COLUMNS = [
    Column("id", 3, 11, "int(11)"),
    Column("n", 8, 196, "bigint(20) unsigned"),
    Column("t", 15, 64, "varchar(20)"),
    Column("b", 15, 65, "varbinary(9)"),
    Column("f", 5, 1, "double"),
    Column("y", 13, 129, "year(4)"),
    Column("d", 246, 1, "decimal(10,3)"),
]
SENT = 1767323045678


def row(number: int) -> dict[str, Any]:
    decimal = None if number == 3 else "12.340"
    return {"id": -number, "n": 2**64 - 1, "t": f"tä<{number}", "b": b"\xff\0", "f": 1.5, "y": 2020, "d": decimal}


def events(**facts: Any) -> list[Event]:
    """Events of every kind, with the fields that the protocol carries; `facts` are of the rows."""
    return [
        Watermark(None, commit_ms=5, sent_ms=SENT),
        RowChange("insert", 10, "s", "t", new=row(1), columns=COLUMNS, table_id=7, sent_ms=SENT, **facts),
        RowChange("insert", 11, "s", "t", new=row(3), columns=COLUMNS, table_id=7, sent_ms=SENT, **facts),
        RowChange("update", 30, "s", "u", row(1), row(3), columns=COLUMNS, sent_ms=SENT, **facts),
        RowChange("delete", 31, "z", "u", old=row(2), columns=COLUMNS, sent_ms=SENT, **facts),
        Ddl(40, "s", "t", None, "create table x", sent_ms=SENT, ddl_class="CREATE"),
    ]


def round_trip(facts: dict[str, Any], **given: Any) -> dict[str, Any]:
    """Events to messages and back, the messages again, truncated ones, and what the dissector sees."""
    options = codec.Options(**given)
    # a file of rows has nothing else
    want = [event for event in events(**facts) if "line_end" not in given or isinstance(event, RowChange)]
    values = [message.value for message in codec.encode(want, options)]
    found = [event for value in values for event in codec.decode(value, options=options)]
    plain = given.get("squeeze", "none") == "none"
    accepted = 0
    # behind the last brace there is the terminator only
    for value in values if plain else []:
        for size in range(1, value.rindex(b"}") if b"\r\n" not in value else 1):
            # the whole one beside it can be read, so that nobody looks which other protocol the cut one could be of
            read = codec.decode_batch([value[:size], value], options=options)
            accepted += [error.message for error in read.errors] != [0]
    return {
        "messages": len(values),
        "equal": found == want,
        "again": [message.value for message in codec.encode(found, options)] == values,
        "batch": list(codec.decode_batch(values, options=options)) == want,
        "accepted": accepted,
        "trouble": [s.meaning for value in values if plain for s in codec.dissect(value) if s.type == "trouble"],
    }


def spoiled() -> list[list[str]]:
    """What is said of messages that are spoiled in one place: the place, the error's id and its field."""
    values = [json.loads(message.value) for message in codec.encode(events())]
    values[0]["mark"] = False  # what is then no watermark has to have no rows
    cases: list[tuple[str, int, Any]] = [
        ("version", 1, 4),
        ("whole", 1, False),
        ("<sign>", 1, "x"),
        ("op", 1, None),
        ("more", 1, 1),
        ("after", 1, None),
        ("was", 3, "x"),
        ("after.0.id", 1, "x"),
        ("after.0.n", 1, "18446744073709551616"),
        ("after.0.b", 1, "Ā"),
        ("head.commit", 1, -1),
        ("head.commit", 1, "10"),
        ("head.Table", 1, 1),
        ("head.where.stored", 1, 7),
        ("columns.declared.id", 1, 3),
        ("after", 0, [{"id": "1"}]),
    ]
    said = []
    for path, at, value in cases:
        message = json.loads(json.dumps(values[at]))
        part = message
        *steps, last = path.split(".")
        for step in steps:
            part = part[int(step) if step.isdigit() else step]
        part[last] = value
        try:
            codec.decode(json.dumps(message).encode())
            said.append([path, "accepted", ""])
        except DecodeError as error:
            said.append([path, error.code, error.field])
    return said


def changed() -> list[Any]:
    """Of an old row what changed only, and a type in full."""
    message = json.loads(codec.encode(events()[3:4], codec.Options(full_types=True))[0].value)
    return [message["was"][0], message["columns"]["declared"]["n"]]


def keyed(**given: Any) -> list[Any]:
    """Each message's key and number of events. Rows share a message as long as their keys are the same."""
    numbers = (7, 7, 8, 7)
    rows: list[Event] = [
        RowChange("insert", 10, "s", "t", new=row(1), columns=COLUMNS, table_id=number, sent_ms=SENT)
        for number in numbers
    ]
    # behind a terminator there are rows only
    sent = [*rows[:1], Ddl(40, None, None, None, "x", ddl_class="CREATE"), *rows[1:], Watermark(None, commit_ms=5)]
    found = codec.encode(sent, codec.Options(**given))
    batch = codec.encode_batch(Events.columns_of(sent), codec.Options(**given))
    assert batch.column("key").to_pylist() == [message.key for message in found]
    assert batch.column("events").to_pylist() == [message.events for message in found]
    return [[None if one.key is None else one.key.decode(), one.events] for one in found]


keys = {"row_key": b"t\xff\0"}
result = {
    "compiled": tidewire.runtime.compiled,
    "plain": round_trip({}),
    "second": round_trip(keys, producer="second", with_keys=True),
    "lines": round_trip({}, line_end="\r\n"),
    "squeezed": round_trip({}, squeeze="lz4"),
    "changed": changed(),
    "spoiled": spoiled(),
    "keyed": keyed(send_marks=True, send_statements=True),
    "keyed lines": keyed(line_end="\n"),
    "keyed lines by more": keyed(line_end="\n", with_keys=True, producer="second"),
}
print(json.dumps(result))
