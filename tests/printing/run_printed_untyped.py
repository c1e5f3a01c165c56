"""Runs in a process of its own: the JSON codec whose rows say no types, printed elsewhere, interpreted.

Prints JSON. Argument: the directory it was printed to.
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
from tidewire.runtime.errors import EncodeError  # noqa: E402
from tidewire.tables import TableDescription  # noqa: E402

codec: Any = importlib.import_module("tidewire.every_untyped_word")

COLUMNS = [Column("id", 3, 11, "int"), Column("f", 5, 0, "double")]
TABLE = TableDescription.from_json(
    {"schema": "s", "table": "t", "columns": [{"name": "id", "mysql_type": "int"}], "indexes": []}
)
ROW, WAS = {"id": 1, "f": -0.0}, {"id": 1, "f": 0.0}
SUMS: dict[str, Any] = {"checksum": 1, "checksum_before": 2, "sent_ms": 5}
EVENTS: list[Event] = [
    RowChange("insert", None, "s", "t", new=ROW, columns=COLUMNS, commit_ms=-1000, sent_ms=5, table_id=3),
    RowChange("update", None, "s", "t", ROW, WAS, columns=COLUMNS, commit_ms=2000, sent_ms=5),
    RowChange("delete", None, "s", "t", old=WAS, columns=COLUMNS, commit_ms=2000, **SUMS),
    Watermark(5, sent_ms=-7),
    Ddl(6, "s", "t", None, "create table t (id int)", sent_ms=1),
    Ddl(6, "s", "t", None, "drop table t", table_before=TABLE, sent_ms=1),
]
READ = {
    "op": "put",
    "at": 1,
    "sent": 1500,
    "base": "s",
    "whose": "t",
    "begun": 9,
    "key": "AQI=",
    "key_only": True,
    "is": {"id": 1},
    "sums": None,
}
"""A row with the members that are only read."""


def round_trip(producer: str) -> dict[str, Any]:
    """Events to messages and back, and the messages again."""
    options = codec.Options(producer=producer, column_types="s.t (id int, f double)")
    messages = codec.encode(EVENTS, options)
    values = [message.value for message in messages]
    found = [event for value in values for event in codec.decode(value, options=options)]
    return {
        "values": [value.decode() for value in values],
        # a deleted row has its key only, and nothing says again which columns these are
        "again": [one.value for one in codec.encode(found[:2] + found[3:], options)] == values[:2] + values[3:],
        "times": [[event.sent_ms, getattr(event, "commit_ms", None)] for event in found],
        "keys": [None if one.key is None else one.key.decode() for one in messages],
        "shown": [
            [span.path, span.type, span.value, span.meaning]
            for one in messages[2:5]
            for span in codec.dissect(one.value, one.key)
            if span.part == "key"
        ],
        "trouble": [s.meaning for one in messages for s in codec.dissect(*one[1::-1]) if s.type == "trouble"],
    }


def refused() -> str:
    """What is said of a time whose microseconds have no 64 bits."""
    try:
        codec.encode([Watermark(5, sent_ms=2**62)])
    except EncodeError as error:
        return error.reason
    return ""


(row,) = codec.decode(json.dumps(READ).encode())
print(
    json.dumps(
        {
            "compiled": tidewire.runtime.compiled,
            "old": round_trip("old"),
            "new": round_trip("new"),
            "read": [row.start_ts, row.row_key.hex(), row.handle_key_only, row.sent_ms, row.commit_ms],
            "refused": refused(),
        }
    )
)
