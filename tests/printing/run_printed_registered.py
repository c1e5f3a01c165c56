"""Runs in a process of its own: the codec of records whose schemas a registry has, printed elsewhere, interpreted.

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
from tidewire.runtime.errors import DecodeError, EncodeError  # noqa: E402
from tidewire.tables import TableDescription, TableStore  # noqa: E402

codec: Any = importlib.import_module("tidewire.every_registered_word")

TABLE = TableDescription.from_json(
    {
        "schema": "s1",
        "table": "t_1",
        "version": 1,
        "columns": [
            {"name": "id", "mysql_type": "int", "nullable": False, "id": 9},
            {"name": "n", "mysql_type": "bigint", "unsigned": True, "nullable": True, "default": "7", "id": 1},
            {"name": "s", "mysql_type": "smallint", "unsigned": True, "nullable": True, "id": 2},
            {"name": "d", "mysql_type": "decimal", "length": 9, "scale": 2, "nullable": True, "id": 3},
            {"name": "flags", "mysql_type": "bit", "length": 12, "nullable": True, "id": 4},
            {"name": "e", "mysql_type": "enum", "labels": ["a", "b,c"], "nullable": True, "id": 5},
            {"name": "m", "mysql_type": "set", "labels": ["x", "y", "z"], "nullable": True, "id": 6},
            {"name": "z", "mysql_type": "varchar", "length": 20, "charset": "utf8mb4", "nullable": True, "id": 7},
            {"name": "b", "mysql_type": "varbinary", "length": 9, "nullable": True, "id": 8},
            {"name": "f", "mysql_type": "float", "nullable": True, "id": 10},
            {"name": "y", "mysql_type": "year", "nullable": True, "id": 11},
        ],
        "indexes": [
            {"name": "primary", "primary": True, "unique": True, "columns": ["id"]},
            {"name": "once", "primary": False, "unique": True, "columns": ["id"]},
        ],
    }
)
NEW = {
    "id": -1,
    "n": 2**64 - 1,
    "s": 65535,
    "d": "-1.28",
    "flags": 0x00C,
    "e": 2,
    "m": 5,
    "z": "ä<",
    "b": b"\xff\0",
    "f": 0.5,
    "y": 2020,
}
OLD = {"id": 1, **dict.fromkeys(list(NEW)[1:])}
FACTS: dict[str, Any] = {"table_version": 3, "handle_key_only": False, "claim_check": "where"}


def events(timed: bool, sums: bool) -> list[Event]:
    """Rows of a table, a statement, a watermark."""
    columns: list[Column] = list(TABLE.row_columns())
    at = [10, 11, 12] if timed else [None] * 3
    new: dict[str, Any] = {"checksum": 7} if sums else {}
    old: dict[str, Any] = {"checksum_before": 2**32 - 1} if sums else {}
    version: dict[str, Any] = {"checksum_version": 2} if sums else {}
    rows: dict[str, Any] = {"columns": columns, **FACTS, **version}
    return [
        RowChange("insert", at[0], "s1", "t_1", new=NEW, **rows, **new),
        RowChange("update", at[1], "s1", "t_1", NEW, OLD, **rows, **new),
        RowChange("delete", at[2], "s1", "t_1", old=OLD, **rows, **old),
        Ddl(13, "s1", None, 4, "drop table t"),
        Watermark(14),
    ]


def shown(value: bytes | None) -> str | None:
    return None if value is None else value.hex()


def round_trip(producer: str, **chosen: Any) -> dict[str, Any]:
    """Events to messages and back, the messages again, and what damage does to them."""
    options = codec.Options(producer=producer, **chosen)
    sent = events(bool(chosen.get("with_times")), bool(chosen.get("with_sums")))
    schemas = MemorySchemas()
    known = {"options": options, "schemas": schemas}
    messages = codec.encode(sent, tables=TableStore([TABLE]), **known)
    found = [event for one in messages for event in codec.decode(one.value, one.key, **known)]
    accepted = 0
    for one in messages:
        for size in range(len(one.value or b"")):
            try:
                codec.decode(one.value[:size], one.key, **known)
                accepted += 1
            except DecodeError:
                pass
    values, keys = [one.value for one in messages], [one.key for one in messages]
    again = codec.encode(found, tables=TableStore([TABLE]), **known)
    return {
        "keys": list(map(shown, keys)),
        "values": list(map(shown, values)),
        "subjects": [one.subject for one in schemas.schemas],
        "texts": [json.loads(one.text) for one in schemas.schemas],
        "kinds": [event.kind for event in found],
        "rows": [[getattr(event, "new", None), getattr(event, "old", None)] for event in found]
        == [[getattr(event, "new", None), getattr(event, "old", None)] for event in _read(found, sent)],
        "times": [event.commit_ts for event in found],
        "facts": [[getattr(event, name, None) for name in FACTS] for event in found],
        "sums": [[getattr(event, name, None) for name in ("checksum", "checksum_before")] for event in found],
        "named": [[event.schema, event.table] for event in found if not isinstance(event, Watermark)],
        "again": [(one.value, one.key) for one in again] == [(one.value, one.key) for one in messages],
        "batch": list(codec.decode_batch(values, keys, **known)) == found,
        "accepted": accepted,
    }


def _read(found: list[Event], sent: list[Event]) -> list[Event]:
    """What was sent of the events that were read: an event of which only the key is told has that of its row."""
    kept = [one for one in sent if one.kind in {other.kind for other in found}]
    return [
        RowChange("delete", None, "s1", "t_1", old={"id": 1}) if len(getattr(read, "old", None) or ()) == 1 else one
        for one, read in zip(kept, found, strict=True)
    ]


def refused() -> list[str]:
    """What is said of an event that lacks what its message needs."""
    said = []
    for options in (codec.Options(with_times=True), codec.Options(with_was=True)):
        try:
            codec.encode(events(False, False)[:1], options, schemas=MemorySchemas() if options.with_times else None)
        except EncodeError as error:
            said.append(str(error))
    return said


result = {
    "compiled": tidewire.runtime.compiled,
    "less": round_trip("left"),
    "left": round_trip("left", with_times=True, with_was=True, with_sums=True),
    "right": round_trip("right", with_times=True, big_numbers="digits", with_sayings=False),
    "refused": refused(),
}
print(json.dumps(result))
