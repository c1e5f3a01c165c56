"""Messages whose keys carry data, in the form of Spark's Kafka source."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from recorded import golden_open

from tidewire import open_protocol
from tidewire.events import RowChange
from tidewire.reading.types import SchemaError
from tidewire.spark import from_ticdc, rows_from_ticdc, to_ticdc

Sent = tuple[bytes | None, bytes | None]


def recorded(producer: str, name: str) -> list[Sent]:
    lines = (golden_open() / producer / name).read_text("utf-8").splitlines()[1:]
    found = [json.loads(line) for line in lines]
    return [(base64.b64decode(one["key"]), base64.b64decode(one["value"])) for one in found if "value" in one]


def frame(spark: SparkSession, sent: Sequence[Sent]) -> DataFrame:
    keys, values = (pa.array([one[part] for one in sent], pa.binary()) for part in (0, 1))
    table = pa.table({"key": keys, "value": values, "offset": pa.array(range(len(sent)), pa.int64())})
    return spark.createDataFrame(table).coalesce(1)


@pytest.mark.parametrize("producer", ["tiflow", "ticdc"])
def test_messages_with_keys_become_events_and_the_same_messages_again(spark: SparkSession, producer: str) -> None:
    sent = recorded(producer, "batches/open-protocol.default.jsonl")
    events = from_ticdc(frame(spark, sent), "open-protocol")
    own = [event for key, value in sent for event in open_protocol.decode(value or b"", key)]
    assert [row.kind for row in events.select("kind").collect()] == [
        getattr(event, "kind", type(event).__name__.lower()) for event in own
    ]
    options = {"producer": producer, "messages": "keep", "max-batch-size": "1000"}
    named = events.drop("topic", "partition").selectExpr("*", "'t' AS topic", "0 AS partition")
    again = to_ticdc(named.drop("_corrupt_record"), "open-protocol", options).collect()
    assert [(bytes(row.key), bytes(row.value)) for row in again] == sent


def test_a_frame_without_keys_is_refused_before_anything_runs(spark: SparkSession) -> None:
    messages = frame(spark, recorded("tiflow", "batches/open-protocol.default.jsonl")[:2])
    for given, has in (
        (messages.drop("key"), "value BINARY, offset BIGINT"),
        (messages.selectExpr("CAST(key AS STRING) AS key", "value"), "key STRING, value BINARY"),
    ):
        with pytest.raises(SchemaError, match="are read with their keys: select `key` BINARY beside `value`") as caught:
            from_ticdc(given, "open-protocol")
        assert str(caught.value).endswith(f"this frame has {has}")


def test_a_message_without_its_key_is_kept_with_the_reason(spark: SparkSession) -> None:
    ((key, value), *_) = recorded("tiflow", "batches/open-protocol.default.jsonl")
    broken = (key or b"")[:20]
    found = from_ticdc(frame(spark, [(None, value), (broken, value), (key, value), (key, None)]), "open-protocol")
    bad = [row._corrupt_record for row in found.where("_corrupt_record IS NOT NULL").collect()]
    assert [(one.key and bytes(one.key), bytes(one.value), one.offset) for one in bad] == [
        (None, value, 0), (broken, value, 1),
    ]  # fmt: skip
    assert "it is missing, and is needed to know what the events are" in bad[0].reason
    assert bad[1].reason.startswith("open-protocol key ")
    assert found.where("kind IS NOT NULL").count() == 1


def test_typed_rows_are_read_with_keys(spark: SparkSession) -> None:
    sent = recorded("ticdc", "batches/open-protocol.snappy.jsonl")
    options = {"large-message-handle-compression": "snappy"}
    rows = rows_from_ticdc(frame(spark, sent), "open-protocol", "test.b1", "id INT, name STRING", options)
    assert rows.where("_corrupt_record IS NOT NULL").count() == 0
    plain = open_protocol.Options(large_message_handle_compression="snappy")
    events = [event for key, value in sent for event in open_protocol.decode(value or b"", key, plain)]
    rows_of_b1 = [event for event in events if isinstance(event, RowChange) and event.table == "b1"]
    inserted = [event.new for event in rows_of_b1 if event.kind == "insert" and event.new is not None]
    found = rows.where("_change_type = 'insert'").collect()
    assert [(row.id, row.name) for row in found] == [(new["id"], new["name"]) for new in inserted]
