"""Compares records that the decoder and the twin accept with fastavro, if it accepts their schemas."""

from __future__ import annotations

import io
import json
from typing import Any

import fastavro
from avro.twin import Flat
from json_twin import bits

from tidewire.mysql import ColumnType

COARSE = {ColumnType.ENUM, ColumnType.SET, ColumnType.DECIMAL, ColumnType.JSON}
"""Types whose values fastavro gives as texts and rounded numbers, or as what JSON is made of."""
TIMES = {ColumnType.DATE, ColumnType.TIME, ColumnType.DATETIME}
"""Types that are texts here and can be numbers there."""


def read(schema: bytes, body: bytes) -> dict[str, Any] | str:
    """What fastavro reads in a record; or what it has against it, empty where it does not take the schema.

    Args:
        schema: of the writer.
        body: the record behind the id of its schema.
    """
    try:
        parsed = fastavro.parse_schema(_without_times(json.loads(schema)))
    except Exception:  # names and defaults that it does not take, in errors of many kinds
        return ""
    data = io.BytesIO(body)
    try:
        found: Any = fastavro.schemaless_reader(data, parsed, None, handle_unicode_errors="surrogateescape")
    except Exception as error:
        return f"fastavro does not read it: {type(error).__name__}: {error}"
    if data.read():
        return "fastavro leaves bytes over"
    assert isinstance(found, dict)
    return found


def objection(schema: bytes, body: bytes, event: Flat) -> str:
    """What fastavro reads otherwise in a record; empty where it agrees, or does not take the schema.

    Args:
        schema: of the writer.
        body: the record behind the id of its schema.
        event: what was read.
    """
    found = read(schema, body)
    if not isinstance(found, dict):
        return found
    image = event.old if event.kind == "delete" else event.new
    for name, kind, _, declared, value in image or ():
        wanted = _converted(kind, declared, found[name])
        if kind in TIMES and isinstance(wanted, int):
            continue
        if kind not in COARSE and bits(wanted) != value:
            return f"fastavro reads {wanted!r} in {name}, and not {value!r}"
    return ""


def _without_times(node: Any) -> Any:
    """A schema without logical types of dates and times, of which fastavro takes fewer values."""
    if isinstance(node, dict):
        time = node.get("logicalType") != "decimal"
        return {name: _without_times(one) for name, one in node.items() if not (time and name == "logicalType")}
    return [_without_times(one) for one in node] if isinstance(node, list) else node


def _converted(kind: int, declared: str, value: Any) -> Any:
    """A value of fastavro's as events have it."""
    if value is None:
        return None
    if kind == ColumnType.BIT:
        return int.from_bytes(value, "big")
    if declared == "bigint unsigned":
        return int(value) % 2**64
    return int(value) if isinstance(value, bool) else value
