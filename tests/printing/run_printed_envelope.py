"""Runs in a process of its own: the codec of envelopes that are records, printed elsewhere, interpreted.

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
from tidewire.messages.registry import MemorySchemas  # noqa: E402
from tidewire.runtime.errors import DecodeError  # noqa: E402
from tidewire.tables import TableDescription, TableStore  # noqa: E402

codec: Any = importlib.import_module("tidewire.every_envelope_word")

TABLE = TableDescription.from_json(
    {
        "schema": "s 1",
        "table": "t 1",
        "version": 1,
        "columns": [
            {"name": "id", "mysql_type": "bigint", "nullable": False, "unsigned": True, "default": "7"},
            {"name": "small", "mysql_type": "tinyint", "nullable": True},
            {"name": "count", "mysql_type": "smallint", "nullable": True, "default": "-3"},
            {"name": "z", "mysql_type": "varchar", "length": 20, "charset": "utf8mb4", "nullable": True},
            {"name": "b", "mysql_type": "varbinary", "length": 9, "nullable": True},
            {"name": "flag", "mysql_type": "bit", "length": 1, "default": "1", "nullable": True},
            {"name": "flags", "mysql_type": "bit", "length": 12, "nullable": True},
            {"name": "f", "mysql_type": "float", "nullable": True},
            {"name": "exact", "mysql_type": "decimal", "length": 9, "scale": 2, "nullable": True},
            {"name": "e", "mysql_type": "enum", "labels": ["a", "b,c"], "nullable": True},
            {"name": "m", "mysql_type": "set", "labels": ["x", "y"], "nullable": True},
            {"name": "y", "mysql_type": "year", "nullable": True, "default": "2000"},
            {"name": "day", "mysql_type": "date", "nullable": True, "default": "1970-01-03"},
            {"name": "at", "mysql_type": "datetime", "scale": 3, "nullable": True},
            {"name": "then", "mysql_type": "datetime", "scale": 6, "nullable": True},
            {"name": "clock", "mysql_type": "time", "nullable": True},
            {"name": "seen", "mysql_type": "timestamp", "nullable": True},
        ],
        "indexes": [{"name": "primary", "primary": True, "unique": True, "columns": ["id"]}],
    }
)
NEW = {
    "id": 2**63 - 1,
    "small": -128,
    "count": 300,
    "z": "ä<",
    "b": b"\xff\0",
    "flag": 0,
    "flags": 0xABC,
    "f": 0.5,
    "exact": "-1.28",
    "e": 2,
    "m": 3,
    "y": 2020,
    "day": "2020-01-02",
    "at": "2020-01-02 03:04:05.678",
    "then": "2020-01-02 03:04:05.678901",
    "clock": "-838:59:59",
    "seen": "2020-01-02 11:04:05",
}
READ = {**NEW, "seen": "2020-01-02 03:04:05"}
"""The same as it is read: times of instants are in UTC."""
OLD = {"id": 1, **dict.fromkeys(list(NEW)[1:])}
READ_OLD = {**OLD, "count": -3, "flag": 1, "y": 2000, "day": "1970-01-03"}
"""NULL in a column with a default is read as the default."""


def events() -> list[Event]:
    """Rows of a table, a statement, a watermark."""
    columns: list[Column] = list(TABLE.row_columns())
    rows: dict[str, Any] = {"columns": columns, "time_zone": "Asia/Shanghai", "claim_check": "where"}
    return [
        RowChange("insert", 10, "s 1", "t 1", new=NEW, **rows),
        RowChange("update", 11, "s 1", "t 1", NEW, OLD, **rows),
        RowChange("delete", 12, "s 1", "t 1", old=OLD, **rows),
        Ddl(13, "s 1", "t 1", None, "truncate table `t 1`"),
        Watermark(14),
    ]


def shown(value: bytes | None) -> str | None:
    return None if value is None else value.hex()


def round_trip(producer: str, described: bool, **chosen: Any) -> dict[str, Any]:
    """Events to messages and back, the messages again, what damage does to them, and what the dissector sees."""
    options = codec.Options(producer=producer, whose="me & co", **chosen)
    schemas = MemorySchemas()
    tables = TableStore([TABLE])
    messages = codec.encode(events(), options, tables=tables, schemas=schemas)
    given: dict[str, Any] = {"options": options, "schemas": schemas, "tables": TableStore([TABLE] if described else [])}
    found = [event for one in messages for event in codec.decode(one.value, one.key, **given)]
    accepted = 0
    for one in messages:
        for size in range(len(one.value)):
            try:
                codec.decode(one.value[:size], one.key, **given)
                accepted += 1
            except DecodeError:
                pass
    values, keys = [one.value for one in messages], [one.key for one in messages]
    again = codec.encode(found, options, tables=tables, schemas=schemas)
    spans = [span for one in messages for span in codec.dissect(one.value, one.key, schemas=schemas)]
    return {
        "keys": list(map(shown, keys)),
        "values": list(map(shown, values)),
        "subjects": [one.subject for one in schemas.schemas],
        "texts": [json.loads(one.text) for one in schemas.schemas],
        "again": again == messages,
        "batch": list(codec.decode_batch(values, keys, **given)) == found,
        "kinds": [event.kind for event in found],
        "rows": [[getattr(event, "new", None) == READ, getattr(event, "old", None) == READ_OLD] for event in found],
        "facts": [[getattr(event, name, None) for name in ("types_from", "claim_check")] for event in found],
        "named": [[event.schema, event.table] for event in found if not isinstance(event, Watermark)],
        "times": [event.commit_ts for event in found],
        "accepted": accepted,
        "trouble": [span.meaning for span in spans if span.type == "trouble"],
    }


result = {
    "compiled": tidewire.runtime.compiled,
    "left": round_trip("left", True, with_others=True, with_more=True, native_types=True),
    "right": round_trip("right", False, with_others=True, with_was=False, native_types=True),
    "bare": round_trip("left", True, with_deletes=False),
}
print(json.dumps(result))
