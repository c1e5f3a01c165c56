"""Events as JSON: what is written is read back exactly."""

from __future__ import annotations

import json
from typing import Any

import pytest
from recorded import golden

from tidewire.cli.eventjson import EventJsonError, from_json, to_json, value_from_json, value_to_json
from tidewire.runtime.batch import Column


@pytest.mark.parametrize(
    ("column", "value"),
    [
        (Column("c", 8, 0), -(2**63)),
        (Column("c", 8, 128), 2**64 - 1),
        (Column("c", 5, 0), -0.0),
        (Column("c", 5, 0), 5e-324),
        (Column("c", 5, 0), float("inf")),
        (Column("c", 15, 0), 'quote"s, \0 and é 🦀'),
        (Column("c", 15, 0), b"\xff\xfe"),
        (Column("c", 15, 1), b"plain"),
        (Column("c", 246, 0), "-99999999999999999999999999999999999999999999999999999999999999999"),
        (Column("c", 11, 0), "-838:59:59"),
        (Column("c", 248, 0), 2**63),
        (Column("c", 3, 0), None),
    ],
)
def test_values_survive_json(column: Column, value: Any) -> None:
    back = value_from_json(column, json.loads(json.dumps(value_to_json(column, value))))
    assert repr(back) == repr(value)


@pytest.mark.parametrize("bits", ["7ff8000000000000", "fff0000000000001", "7ff8dead0000beef"])
def test_every_nan_survives_json(bits: str) -> None:
    import struct

    column = Column("c", 5, 0)
    value = struct.unpack(">d", bytes.fromhex(bits))[0]
    back = value_from_json(column, value_to_json(column, value))
    assert struct.pack(">d", back) == struct.pack(">d", value)


def test_images_with_other_columns_survive_json() -> None:
    columns = [{"name": "id", "type": 3, "flags": 11}, {"name": "v", "type": 15, "flags": 64}]
    line = {"kind": "update", "commit_ts": 5, "schema": "s", "table": "t", "table_id": 8, "partition_id": 9}
    line |= {
        "columns": columns,
        "old_columns": columns[:1],
        "new": [{"int": "1"}, {"text": "a"}],
        "old": [{"int": "1"}],
    }
    assert to_json(from_json(line)) == line


def test_whatever_an_event_has_survives_json() -> None:
    columns = [{"name": "id", "type": 3, "flags": 11, "mysql_type": "int(11)"}, {"name": "v", "type": 15, "flags": 64}]
    row: dict[str, Any] = {
        "kind": "insert",
        "commit_ts": None,
        "commit_ms": 5,
        "sent_ms": 6,
        "schema": "s",
        "table": "t",
    }
    row |= {"table_id": 8, "row_key": "dIA=", "handle_key_only": False, "claim_check": "s3://x", "columns": columns}
    row |= {"new": [{"int": "1"}, {"text": "a"}], "old": None}
    ddl = {"kind": "ddl", "commit_ts": 7, "sent_ms": 6, "schema": "s", "table": None, "ddl_type": None}
    ddl |= {"ddl_class": "QUERY", "query": "create database s"}
    watermark = {"kind": "watermark", "commit_ts": None, "commit_ms": 5}
    bootstrap: dict[str, Any] = {"kind": "bootstrap", "commit_ts": 0, "sent_ms": 6, "schema": "s", "table": "t"}
    bootstrap["table_id"] = 8
    bootstrap |= {"columns": columns}
    for line in (row, ddl, watermark, bootstrap):
        assert to_json(from_json(line)) == line


def test_partition_ids_come_from_recorded_events_too() -> None:
    recorded = [
        json.loads(line) for line in (golden() / "tiflow/partitions/events.jsonl").read_text("utf-8").splitlines()
    ]
    row = next(event for event in recorded if event["kind"] == "insert" and event["is_partition"])
    assert to_json(from_json(row))["partition_id"] == row["physical_table_id"]


def test_an_object_that_is_no_event_is_an_error() -> None:
    with pytest.raises(EventJsonError, match="kind is null"):
        from_json({})
