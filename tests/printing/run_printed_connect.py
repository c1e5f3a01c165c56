"""Runs in a process of its own: the JSON codec whose messages are in envelopes, printed elsewhere, interpreted.

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
from tidewire.runtime.errors import DecodeError  # noqa: E402
from tidewire.tables import TableDescription, TableStore  # noqa: E402

codec: Any = importlib.import_module("tidewire.every_connect_word")

TABLE = TableDescription.from_json(
    {
        "schema": "s",
        "table": "t 1",
        "version": 1,
        "columns": [
            {"name": "id", "mysql_type": "bigint", "nullable": False, "unsigned": True, "default": "7"},
            {"name": "z", "mysql_type": "varchar", "length": 20, "charset": "utf8mb4", "nullable": True},
            {"name": "b", "mysql_type": "varbinary", "length": 9, "nullable": True},
            {"name": "flag", "mysql_type": "bit", "length": 1, "default": "1", "nullable": True},
            {"name": "flags", "mysql_type": "bit", "length": 12, "nullable": True},
            {"name": "e", "mysql_type": "enum", "labels": ["a", "b,c"], "nullable": True},
            {"name": "day", "mysql_type": "date", "nullable": True},
            {"name": "at", "mysql_type": "datetime", "scale": 3, "nullable": True},
            {"name": "then", "mysql_type": "datetime", "scale": 6, "nullable": True},
            {"name": "clock", "mysql_type": "time", "nullable": True},
            {"name": "seen", "mysql_type": "timestamp", "nullable": True},
        ],
        "indexes": [{"name": "primary", "primary": True, "unique": True, "columns": ["id"]}],
    }
)
NEW = {
    "id": 2**64 - 1,
    "z": "ä<",
    "b": b"\xff\0",
    "flag": 1,
    "flags": 0xABC,
    "e": 2,
    "day": "2020-01-02",
    "at": "2020-01-02 03:04:05.678",
    "then": "2020-01-02 03:04:05.678901",
    "clock": "-838:59:59",
    "seen": "2020-01-02 11:04:05",
}
READ = {**NEW, "seen": "2020-01-02 03:04:05"}
"""The same as it is read: times of instants are in UTC."""
OLD = {"id": 1, **dict.fromkeys(list(NEW)[1:])}
READ_OLD = {**OLD, "flag": 1}
"""NULL in a column with a default is read as the default."""


def events() -> list[Event]:
    """Rows of a table, a statement, a watermark."""
    columns: list[Column] = list(TABLE.row_columns())
    rows: dict[str, Any] = {"columns": columns, "time_zone": "Asia/Shanghai"}
    return [
        RowChange("insert", 10, "s", "t 1", new=NEW, **rows),
        RowChange("update", 11, "s", "t 1", NEW, OLD, **rows),
        RowChange("delete", 12, "s", "t 1", old=OLD, **rows),
        Ddl(13, "s", "t 1", None, "drop table t"),
        Watermark(14),
    ]


def round_trip(producer: str, **chosen: Any) -> dict[str, Any]:
    """Events to messages and back, the messages again, and what the dissector sees."""
    options = codec.Options(producer=producer, marks=True, native_types=True, whose="me & co", **chosen)
    messages = codec.encode(events(), options, tables=TableStore([TABLE]))
    store = TableStore([TABLE])
    found = [event for one in messages for event in codec.decode(one.value, one.key, options=options, tables=store)]
    accepted = 0
    for one in messages:
        for size in range(1, len(one.value) - 1, 7):
            # the whole one beside it can be read, so that nobody looks which other protocol the cut one could be of
            cut = [one.value[:size], one.value]
            read = codec.decode_batch(cut, [one.key] * 2, options=options, tables=TableStore([TABLE]))
            accepted += [error.message for error in read.errors] != [0]
    again = codec.encode(found, options, tables=TableStore([TABLE]))
    spans = [span for one in messages for span in codec.dissect(one.value, one.key, tables=store)]
    return {
        "keys": [one.key.decode() for one in messages],
        "values": [one.value.decode() for one in messages],
        "again": again == messages,
        "rows": [[getattr(event, "new", None) == READ, getattr(event, "old", None) == READ_OLD] for event in found],
        "kinds": [event.kind for event in found],
        "types_from": [getattr(event, "types_from", None) for event in found],
        "accepted": accepted,
        "trouble": [span.meaning for span in spans if span.type == "trouble"],
    }


def undescribed() -> list[Any]:
    """What is said of a row whose columns neither a block nor a description tells."""
    (message,) = codec.encode(events()[:1], codec.Options(bare=True), tables=TableStore([TABLE]))
    try:
        codec.decode(message.value, message.key, tables=TableStore())
    except DecodeError as error:
        return [error.code, str(error)]
    return []


result = {
    "compiled": tidewire.runtime.compiled,
    "left": round_trip("left"),
    "right": round_trip("right", padded=True),
    "bare": round_trip("left", bare=True),
    "undescribed": undescribed(),
}
print(json.dumps(result))
