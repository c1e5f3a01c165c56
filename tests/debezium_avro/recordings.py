"""The recordings of Debezium-Avro: keys, values, and their schemas."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import fastavro
import recorded
from avro.recordings import Message, messages, schemas

from tidewire import debezium_avro

__all__ = ["STREAMS", "Message", "by_fastavro", "framed", "messages", "options_of", "schemas", "stream"]

STREAMS = recorded.streams("debezium-avro", own=False)


def stream(scenario: str, option_set: str) -> Path:
    """One of them."""
    return next(one for one in STREAMS if one.parent.name == scenario and recorded.option_set(one) == option_set)


def options_of(stream: Path, **more: Any) -> debezium_avro.Options:
    """Those that the stream was written with."""
    said = recorded.header(stream)["options"]
    known = {name.replace("-", "_").replace(".", "_"): value for name, value in said.items()}
    own = {one.python_name: known[one.python_name] for one in debezium_avro.OPTIONS if one.python_name in known}
    return debezium_avro.Options(**{**own, "schema_registry": "", **more})


def by_fastavro(data: bytes, stream: Path) -> dict[str, Any]:
    """The record behind the five bytes before it."""
    schema = json.loads(schemas(stream).schema(int.from_bytes(data[1:5], "big")))
    body = io.BytesIO(data[5:])
    found = fastavro.schemaless_reader(body, schema, None, handle_unicode_errors="surrogateescape")
    assert body.read() == b""
    assert isinstance(found, dict)
    return found


def framed(id: int, schema: Any, record: dict[str, Any]) -> bytes:
    """A record as fastavro writes it, behind the number of its schema."""
    body = io.BytesIO()
    fastavro.schemaless_writer(body, fastavro.parse_schema(schema), record)
    return b"\0" + id.to_bytes(4, "big") + body.getvalue()
