"""Runs in a process of its own: codecs that were printed elsewhere, interpreted. Prints what came of it as JSON.

Arguments: the directory they were printed to, then what to do.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

import tidewire
import tidewire.runtime

directory, task, *rest = sys.argv[1:]
tidewire.__path__.insert(0, directory)

from tidewire.events import Column, Ddl, Event, RowChange, Watermark  # noqa: E402

COLUMNS = [
    Column("id", 3, 11),
    Column("n", 8, 192),
    Column("t", 15, 64),
    Column("b", 15, 65),
    Column("f", 5, 1),
    Column("y", 13, 129),
    Column("d", 246, 1),
]


def row(number: int) -> dict[str, Any]:
    return {
        "id": -number,
        "n": 2**64 - 1,
        "t": f"tä{number}",
        "b": b"\xff\x00",
        "f": 1.5,
        "y": 2020,
        "d": None if number == 3 else "12.340",
    }


def events(partition: int | None, ddl: bool) -> list[Event]:
    found: list[Event] = [Watermark(5)]
    found += [
        RowChange("insert", 10 + n, "s", "t", new=row(n), columns=COLUMNS, partition_id=partition) for n in range(7)
    ]
    found.append(RowChange("update", 30, "s", "u", row(1), row(2), partition_id=partition, columns=COLUMNS))
    found.append(
        RowChange("delete", 31, "z", "u", old={"id": None, "n": 3}, partition_id=partition, columns=COLUMNS[:2])
    )
    if ddl:
        found.append(Ddl(40, "s", None, 3, "create table x"))
    return found


def told(events: list[Event], carries: frozenset[str]) -> list[Event]:
    """The events as a protocol says them that carries these fields."""
    for event in events:
        if isinstance(event, RowChange) and "row_key" in carries:
            event.row_key, event.handle_key_only, event.claim_check = b"t\xff\x00", event.kind == "delete", "där"
        if "commit_ms" in carries:
            event.commit_ms, event.commit_ts = event.commit_ts, None  # type: ignore[attr-defined]
            event.sent_ms = 1767323045678  # type: ignore[attr-defined]
    return events


def round_trip(name: str, partition: int | None, ddl: bool) -> dict[str, Any]:
    """Events to messages and back, the messages again, truncated ones, and what the dissector sees."""
    module = importlib.import_module(f"tidewire.{name}")
    given = told(events(partition, ddl), module.CARRIES)
    messages = module.encode(given)
    values = [message.value for message in messages]
    found = [event for value in values for event in module.decode(value)]
    refused = accepted = 0
    for value in values:
        for size in range(len(value)):
            try:
                module.decode(value[:size])
                accepted += 1
            except ValueError as error:
                refused += type(error).__name__ == "DecodeError"
    spans = [module.dissect(value) for value in values]
    return {
        "compiled": tidewire.runtime.compiled,
        "events": [message.events for message in messages],
        "equal": found == given,
        "again": [message.value for message in module.encode(found)] == values,
        "batch": list(module.decode_batch(values)) == given,
        "truncations": sum(map(len, values)),
        "refused": refused,
        "accepted": accepted,
        "dissected": [sum(s.end - s.start for s in one if s.value is not None) for one in spans],
        "sizes": [len(value) for value in values],
        "trouble": [s.meaning for one in spans for s in one if s.type == "trouble"],
    }


if task == "round-trip":
    result: Any = round_trip(rest[0], int(rest[1]) if rest[1] else None, rest[2] == "ddl")
elif task == "watermark":
    result = importlib.import_module(f"tidewire.{rest[0]}").encode([Watermark(9)])[0].value.hex()
else:
    options = importlib.import_module(f"tidewire.{rest[0]}").Options
    result = {name: getattr(options(), name) for name in options.__dataclass_fields__}
print(json.dumps(result))
