"""Runs in a process of its own: the JSON codec whose tables other messages describe, printed elsewhere, interpreted.

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

from tidewire.events import Bootstrap, Column, Ddl, Event, RowChange  # noqa: E402
from tidewire.runtime.errors import DecodeError  # noqa: E402
from tidewire.tables import TableDescription, TableStore  # noqa: E402

codec: Any = importlib.import_module("tidewire.every_described_word")

TABLE = TableDescription.from_json(
    {
        "schema": "s",
        "table": "t",
        "version": 9,
        "id": 5,
        "columns": [
            {"name": "z", "mysql_type": "varchar", "length": 20, "charset": "utf8mb4"},
            {"name": "id", "mysql_type": "int", "nullable": False, "unsigned": True},
            {"name": "b", "mysql_type": "varbinary", "length": 9},
            {"name": "at", "mysql_type": "timestamp"},
            {"name": "e", "mysql_type": "enum", "labels": ["a", "b"]},
        ],
        "indexes": [{"name": "primary", "primary": True, "unique": True, "columns": ["id"]}],
    }
)


def described(options: Any) -> TableDescription:
    """The table as a message says it: what this protocol has no word for is unknown."""
    message = codec.encode([Bootstrap(None, "s", "t", table_after=TABLE)], options)[0].value
    (event,) = codec.decode(message, options=options)
    found: TableDescription = event.table_after
    return found


def events(options: Any = None, **sums: int) -> list[Event]:
    """A description, rows of it, perhaps with checksums, and a statement."""
    table = described(options)
    columns: list[Column] = list(table.row_columns())
    new = {"z": "ä<", "id": 2**32 - 1, "b": b"\xff\0", "at": "2020-01-02 03:04:05", "e": 2}
    old = {"z": None, "id": 1, "b": None, "at": None, "e": None}
    rows: dict[str, Any] = {"columns": columns, "table_id": 5, "table_version": 9, **sums}
    return [
        Bootstrap(None, "s", "t", table_after=table),
        RowChange("insert", 10, "s", "t", new=new, time_zone="Asia/Shanghai", **rows),
        RowChange("update", 11, "s", "t", new, old, time_zone="UTC", **rows),
        RowChange("delete", 12, "s", "t", old=old, **rows),
        Ddl(13, "s", "t", None, "drop table t", ddl_class="ERASE", table_before=table),
    ]


def round_trip(producer: str) -> dict[str, Any]:
    """Events to messages and back, the messages again, and what the dissector sees."""
    options = codec.Options(producer=producer)
    values = [message.value for message in codec.encode(events(), options)]
    store = TableStore()
    found = [event for value in values for event in codec.decode(value, options=options, tables=store)]
    accepted = 0
    for value in values:
        for size in range(1, len(value) - 1):
            # the whole one beside it can be read, so that nobody looks which other protocol the cut one could be of
            read = codec.decode_batch([value[:size], value], options=options, tables=TableStore(store))
            accepted += [error.message for error in read.errors] != [0]
    return {
        "values": [value.decode() for value in values],
        "again": [message.value for message in codec.encode(found, options)] == values,
        "batch": list(codec.decode_batch(values, options=options, tables=TableStore())) == found,
        "equal": found == events(),
        "accepted": accepted,
        "trouble": [s.meaning for value in values for s in codec.dissect(value, tables=store) if s.type == "trouble"],
    }


def as_records(producer: str) -> dict[str, Any]:
    """The same events as records and back, and what damage does to them."""
    options = codec.Options(producer=producer, written_as="binary", with_sums=True)
    sent = events(options, checksum=7, checksum_before=0)
    values = [message.value for message in codec.encode(sent, options)]
    store = TableStore()
    found = [event for value in values for event in codec.decode(value, options=options, tables=store)]
    accepted = 0
    for value in values:
        for size in range(len(value)):
            # the whole one beside it can be read, so that nobody looks which other protocol the cut one could be of
            read = codec.decode_batch([value[:size], value], options=options, tables=TableStore(store))
            accepted += [error.message for error in read.errors] != [0] and size > 0
    spans = [span for value in values for span in codec.dissect(value, tables=store)]
    return {
        "values": [value.hex() for value in values],
        "again": [message.value for message in codec.encode(found, options)] == values,
        "batch": list(codec.decode_batch(values, options=options, tables=TableStore())) == found,
        "equal": found == sent,
        "sums": [one.checksum for one in found if isinstance(one, RowChange)],
        "accepted": accepted,
        "trouble": [one.meaning for one in spans if one.type == "trouble"],
        "shown": [[one.path, one.type, str(one.value)] for one in codec.dissect(values[1], tables=store)],
    }


def undescribed() -> list[Any]:
    """What is said of a row whose table nobody described."""
    value = codec.encode(events()[1:2])[0].value
    try:
        codec.decode(value, tables=TableStore())
    except DecodeError as error:
        return [error.code, str(error)]
    return []


result = {
    "compiled": tidewire.runtime.compiled,
    "left": round_trip("left"),
    "right": round_trip("right"),
    "left records": as_records("left"),
    "right records": as_records("right"),
    "undescribed": undescribed(),
}
print(json.dumps(result))
