"""Transcoding between Debezium-Avro and the other six protocols: losses and refusals."""

from __future__ import annotations

from pathlib import Path

import pytest
from avro import recordings as avro_recordings
from debezium.test_debezium_transcoding import lost
from debezium.test_debezium_transcoding import recorded as streams_of
from recorded import messages as recorded_messages
from recorded import stream_name

import tidewire
from tidewire.events import Ddl, Events, RowChange, Watermark
from tidewire.messages.registry import MemorySchemas
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.batch import Column

from .recordings import STREAMS, messages, schemas

pytestmark = pytest.mark.codec

TS = 470607536966860800
OTHERS = ("craft", "open-protocol", "canal-json", "simple", "debezium")
MOST = {"enable-tidb-extension": "true", "avro-enable-watermark": "true"}
LOST = {
    *(("field", name) for name in ("partition_id", "row_id", "start_ts", "table_id", "table_version", "time_zone")),
    *(("field", name) for name in ("table_after", "table_before", "types_from", "ddl_class", "ddl_type")),
    *(("flag", name) for name in ("binary", "generated", "multiple_key", "nullable", "primary_key", "unique_key")),
    *(("flag", "unsigned"), ("column", "mysql_type"), ("column", "type"), ("value", "of a column"), ("kind", "ddl")),
}
"""What is not carried of what the other protocols say."""
REFUSED = (
    "describe its table (tables=)",  # digits of a DECIMAL, which a schema says
    "the column has 0 labels",
    "labels of the column",
    "has other columns than the other one",
    "needs a row image `old`",
    "needs commit_ts",
    "cannot carry a bootstrap event",
    "rename one of them",
    "more than a long of Avro has room for",
    "has something else than up to 3 digits",  # nothing says that the column has more
    "a BIT(1) is 0 or 1",  # nor that it has more bits
)
"""Why rows of the others are refused."""


def back_options(protocol: str) -> dict[str, str]:
    return {"enable-tidb-extension": "true"} if protocol in ("canal-json", "debezium") else {}


@pytest.mark.once
@pytest.mark.parametrize("protocol", OTHERS)
def test_recorded_messages_of_others_and_back(protocol: str) -> None:
    written = 0
    for path in streams_of(protocol)[::5]:
        given = list(recorded_messages(path))
        values, keys = [one.value for one in given], [one.key for one in given]
        registry = MemorySchemas()
        there, report = tidewire.transcode(
            values, protocol, "debezium-avro", keys=keys, target_options=MOST, schemas=registry
        )
        assert lost(report) <= LOST, stream_name(path)
        assert [one.reason for one in report.refused if not any(why in one.reason for why in REFUSED)] == []
        back, again = tidewire.transcode(
            there.column("value"),
            "debezium-avro",
            protocol,
            keys=there.column("key"),
            target_options=back_options(protocol),
            schemas=registry,
        )
        assert again.errors == [], stream_name(path)
        written += there.num_rows
        assert back.num_rows or again.refused or not again.events
    assert written > 100


@pytest.mark.once
@pytest.mark.parametrize("stream", STREAMS[::9], ids=stream_name)
def test_recorded_messages_to_all_others(stream: Path) -> None:
    found = list(messages(stream))
    values, keys = [one.value for one in found], [one.key for one in found]
    for protocol in OTHERS:
        batch, report = tidewire.transcode(
            *(values, "debezium-avro", protocol, {"invalid-text": "bytes"}, back_options(protocol)),
            keys=keys,
            schemas=schemas(stream),
        )
        assert report.errors == [], protocol
        assert batch.num_rows or report.refused or not report.events


def test_records_of_avro_and_envelopes_become_each_other() -> None:
    """One registry has the schemas of both."""
    written = 0
    for stream in avro_recordings.STREAMS[::20]:
        found = [one for one in avro_recordings.messages(stream) if one.value is not None]
        registry = MemorySchemas(avro_recordings.schemas(stream).schemas)
        there, report = tidewire.transcode(
            *([one.value for one in found], "avro", "debezium-avro", {"invalid-text": "bytes"}, MOST),
            keys=[one.key for one in found],
            schemas=registry,
        )
        assert report.errors == []
        back, again = tidewire.transcode(
            *(there.column("value"), "debezium-avro", "avro", None, MOST),
            keys=there.column("key"),
            schemas=registry,
        )
        assert again.errors == []
        assert back.num_rows + len(again.refused) == there.num_rows
        written += there.num_rows
    assert written > 20


def test_the_protocol_to_itself_loses_nothing() -> None:
    columns = [
        Column("id", ColumnType.BIGINT, int(ColumnFlag.HANDLE_KEY), "bigint"),
        Column("name", ColumnType.VARCHAR, 0, "varchar(20)"),
    ]
    new, old = {"id": 1, "name": "b"}, {"id": 1, "name": None}
    happened = [
        RowChange("insert", TS, "s", "t", new, columns=columns),
        RowChange("update", TS, "s", "t", new, old, columns=columns),
        RowChange("delete", TS, "s", "t", None, old, columns=columns),
        Ddl(TS, "s", "t", 3, "create table t (id bigint primary key, name varchar(20))"),
        Watermark(TS),
    ]
    registry = MemorySchemas()
    first, _ = tidewire.transcode(
        Events.of(happened).columns, "debezium-avro", "debezium-avro", None, MOST, schemas=registry
    )
    assert first.num_rows == 5
    again, report = tidewire.transcode(
        first.column("value"), "debezium-avro", "debezium-avro", None, MOST, first.column("key"), schemas=registry
    )
    assert [one.name for one in report.losses] == ["ddl_type"]  # a reader tells it from the statement
    assert again == first
