"""Envelopes of Debezium's own connector as Confluent's converter encodes them."""

from __future__ import annotations

import json
from typing import Any

from tidewire.messages.registry import MemorySchemas, RegisteredSchema

ROW = {
    "type": "record",
    "name": "Value",
    "namespace": "server.d.t",
    "fields": [
        {"name": "id", "type": "int"},
        {
            "name": "at",
            "type": [
                "null",
                {"type": "long", "connect.version": 1, "connect.name": "io.debezium.time.MicroTimestamp"},
            ],
        },
        {"name": "small", "type": {"type": "int", "connect.type": "int16"}},
        {
            "name": "label",
            "type": {
                "type": "string",
                "connect.version": 1,
                "connect.parameters": {"allowed": "a,b"},
                "connect.name": "io.debezium.data.Enum",
            },
        },
    ],
}
SOURCE = {
    "type": "record",
    "name": "Source",
    "namespace": "io.debezium.connector.mysql",
    "fields": [
        {"name": "version", "type": "string"},
        {"name": "ts_ms", "type": "long"},
        {"name": "snapshot", "type": [{"type": "string", "connect.default": "false"}, "null"], "default": "false"},
        {"name": "db", "type": "string"},
        {"name": "table", "type": ["null", "string"], "default": None},
        {"name": "server_id", "type": "long"},
        {"name": "more", "type": {"type": "map", "values": ["null", "long", "string"]}},
    ],
}
TRANSACTION: dict[str, Any] = {
    "type": "record",
    "name": "block",
    "namespace": "event",
    "fields": [{"name": "id", "type": "string"}, {"name": "parts", "type": {"type": "array", "items": "double"}}],
}
ENVELOPE = {
    "type": "record",
    "name": "Envelope",
    "namespace": "server.d.t",
    "fields": [
        {"name": "before", "type": ["null", ROW], "default": None},
        {"name": "after", "type": ["null", "Value"], "default": None},
        {"name": "source", "type": SOURCE},
        {"name": "transaction", "type": ["null", TRANSACTION], "default": None},
        {"name": "op", "type": "string"},
        {"name": "ts_ms", "type": ["null", "long"], "default": None},
        {"name": "state", "type": {"type": "enum", "name": "State", "symbols": ["on", "off"]}},
        {"name": "mark", "type": {"type": "fixed", "name": "Mark", "size": 3}},
    ],
}
"""As Confluent's converter registers a schema of Debezium's own connector, and fields that nobody knows."""
KEY = {"type": "record", "name": "Key", "namespace": "server.d.t", "fields": [{"name": "id", "type": "int"}]}


def known(*texts: Any) -> MemorySchemas:
    return MemorySchemas(RegisteredSchema(k, f"s{k}", 1, json.dumps(text)) for k, text in enumerate(texts, 1))


def record(**more: Any) -> dict[str, Any]:
    source = {"version": "3", "ts_ms": 5, "snapshot": "false", "db": "d", "table": "t", "server_id": 1}
    return {
        "before": None,
        "after": {"id": 7, "at": 1_000_001, "small": -3, "label": "b"},
        "source": {**source, "more": {"a": 1, "b": None, "c": "text"}, **more.pop("source", {})},
        "transaction": {"id": "x", "parts": [1.0, 2.0]},
        "op": "c",
        "ts_ms": None,
        "state": "off",
        "mark": b"abc",
        **more,
    }
