"""Decoded messages are compared with what fastavro reads by the same schemas."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pytest
import recorded

from avro.recordings import STREAMS, messages, options_of, schemas
from tidewire import avro
from tidewire.events import Ddl, Event, RowChange
from tidewire.mysql import ColumnType, declared
from tidewire.runtime.batch import Column

pytestmark = pytest.mark.codec

EXTENSION = {
    "_tidb_op": None,
    "_tidb_commit_ts": "commit_ts",
    "_tidb_commit_physical_time": None,
    "_tidb_row_level_checksum": None,
    "_tidb_corrupted": "checksum_corrupted",
    "_tidb_checksum_version": "checksum_version",
}
"""Fields of records that are no columns, and what events call them."""
KINDS = {"c": "insert", "u": "update", "d": "delete"}


def by_fastavro(data: bytes, stream: Path) -> dict[str, Any]:
    """The record behind the five bytes before it."""
    schema = json.loads(schemas(stream).schema(int.from_bytes(data[1:5], "big")))
    body = io.BytesIO(data[5:])
    found = fastavro.schemaless_reader(body, schema, None, handle_unicode_errors="surrogateescape")
    assert body.read() == b""
    assert isinstance(found, dict)
    return found


def expected(value: Any, column: Column) -> Any:
    """A value of fastavro's as events have it."""
    if value is None:
        return None
    if column.type == ColumnType.BIT:
        return int.from_bytes(value, "big")
    if column.type == ColumnType.ENUM:
        return declared(column.mysql_type or "").members.index(value) + 1
    if column.type == ColumnType.SET:
        members = declared(column.mysql_type or "").members
        return sum(1 << members.index(label) for label in value.split(",") if value)
    if column.type == ColumnType.BIGINT and "unsigned" in (column.mysql_type or ""):
        return int(value) % (1 << 64)
    if isinstance(value, Decimal):
        return f"{value:f}"
    return value


def row(image: Any, found: dict[str, Any]) -> None:
    columns = {column.name: column for column in image.columns}
    names = [name for name in found if name not in EXTENSION and name != "_ticdc_before"]
    assert list(columns) == names
    for name, column in columns.items():
        wanted, got = expected(found[name], column), image[name]
        if isinstance(got, float):
            assert wanted == got
        elif isinstance(wanted, str) and isinstance(got, bytes):  # text that is not UTF-8
            assert wanted.encode("utf-8", "surrogateescape") == got
        else:
            assert wanted == got, name


def compare(event: Event, key: bytes | None, value: bytes | None, stream: Path) -> None:
    assert isinstance(event, RowChange)
    if value is None or value[0] == 3:
        assert (event.kind, event.new) == ("delete", None)
        assert key is not None
        row(event.old, by_fastavro(key, stream))
        assert event.commit_ts == (None if value is None else int.from_bytes(value[1:], "big"))
        return
    found = by_fastavro(value, stream)
    assert event.kind == KINDS[found.get("_tidb_op", "c")]
    for name, member in EXTENSION.items():
        if name in found and member is not None:
            assert getattr(event, member) == found[name]
    checksum = event.checksum_before if event.kind == "delete" else event.checksum
    assert (str(checksum) if checksum is not None else "") == found.get("_tidb_row_level_checksum", "")
    row(event.old if event.kind == "delete" else event.new, found)
    if event.kind == "update" and "_ticdc_before" in found:
        row(event.old, found["_ticdc_before"])
    keys = set() if key is None else set(by_fastavro(key, stream))
    image = event.old if event.kind == "delete" else event.new
    assert {column.name for column in image.columns if column.flags & 2} == keys  # type: ignore[union-attr]


@pytest.mark.parametrize("stream", STREAMS, ids=recorded.stream_name)
def test_rows_are_as_fastavro_reads_them(stream: Path) -> None:
    decoder = avro.Decoder(options_of(stream, invalid_text="bytes"), schemas=schemas(stream))
    for message in messages(stream):
        columns = decoder.decode([message.value], [message.key])
        assert columns.errors == []
        (events,) = (list(avro._codec._events(columns)),)
        if message.key is None and (message.value is None or message.value[:1] == b"\x03"):
            assert (events, columns.tombstones) == ([], [0])
        elif message.kind == "row":
            compare(events[0], message.key, message.value, stream)


def test_statements_and_watermarks() -> None:
    stream = next(one for one in STREAMS if one.parts[-3:] == ("ticdc", "ddl", "avro.watermark.jsonl"))
    truth = recorded.stream_truth(stream)
    kinds = {"ddl": 0, "watermark": 0}
    for message in messages(stream):
        if message.kind in kinds:
            kinds[message.kind] += 1
            happened = truth[message.events[0]]
            (event,) = avro.decode(message.value, message.key)  # no schema is asked for
            assert (event.kind, event.commit_ts) == (message.kind, happened["commit_ts"])
            if message.kind == "ddl":
                names = (happened.get("schema") or None, happened.get("table") or None)
                assert isinstance(event, Ddl)
                assert (event.schema, event.table, event.query, event.ddl_type) == (
                    *names,
                    happened["query"],
                    happened["ddl_type"],
                )
    assert kinds["ddl"] > 5
    assert kinds["watermark"] > 0
