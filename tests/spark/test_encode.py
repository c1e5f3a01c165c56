"""Encoding events in Spark: every recorded message is reproduced byte for byte."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import PythonException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from recorded import bench_value, craft_messages
from spark_frames import Frame, RecordedFrame

from tidewire import craft
from tidewire.events import Ddl, Events, RowChange
from tidewire.reading.message_batch import MessageBatch
from tidewire.runtime.batch import Column
from tidewire.schemas import EVENTS
from tidewire.spark import OptionError, SchemaError, from_ticdc, to_ticdc
from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.encode import EncodeTask, event_columns
from tidewire.spark.events import EventsTask
from tidewire.spark.options import read_options, write_options

# the producer's FLOAT defect is not reproduced: those streams are there a second time with it mended
PATCHED = {"decimals"}


def test_every_recorded_message_comes_back(recorded_frame: RecordedFrame) -> None:
    events = from_ticdc(recorded_frame("*", "*"), "craft", {"mode": "FAILFAST", "invalidText": "bytes"})
    found = to_ticdc(events, "craft", {"messages": "keep", "max-batch-size": "1000"}).collect()
    recorded = list(craft_messages())
    assert len(found) == len(recorded) > 500
    different = [
        f"{message.scenario}/{message.option_set} {message.number}"
        for message, row in zip(recorded, found, strict=True)
        if bytes(row.value) != message.value
        and (message.scenario not in PATCHED or message.option_set.endswith("-float8"))
    ]
    assert different == []
    assert sum(row.events for row in found) == sum(len(message.events) for message in recorded)


def test_rows_are_gathered_whatever_the_arrow_batches_are(spark: SparkSession, frame: Frame) -> None:
    values = [bench_value(64), bench_value(4), bench_value(1)] * 3
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "7")
    try:
        events = from_ticdc(frame(values), "craft", {"mode": "FAILFAST"})
        found = to_ticdc(events, "craft", {"max-batch-size": "10"}).collect()
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    assert [row.events for row in found] == [10] * 20 + [7]
    expected = craft.encode(
        [event for value in values for event in craft.decode(value)], craft.Options(max_batch_size=10)
    )
    assert [bytes(row.value) for row in found] == [message.value for message in expected]
    assert all(row.key is None for row in found)


def test_the_columns_are_those_of_a_kafka_sink(frame: Frame) -> None:
    events = from_ticdc(frame([bench_value(1)]), "craft")
    assert to_ticdc(events, "craft").columns == ["key", "value", "events"]
    (row,) = to_ticdc(events, "craft", {"topic": "copy"}).collect()
    assert row.topic == "copy"


def test_events_that_were_made_in_spark(spark: SparkSession) -> None:
    events = spark.sql(
        """
        select 'insert' kind, 470607709161390080 _commit_version, 'shop' schema, 'orders' table,
               parse_json('{"id": 1, "price": 1.5, "name": "é"}') new, cast(null as variant) old,
               parse_json('[{"name":"id","type":3,"flags":10},{"name":"name","type":15,"flags":64},
                            {"name":"price","type":5,"flags":64}]') columns
        """
    )
    (row,) = to_ticdc(events, "craft").collect()
    (event,) = craft.decode(bytes(row.value))
    assert isinstance(event, RowChange)
    assert event.new is not None
    assert (event.kind, event.schema, event.table) == ("insert", "shop", "orders")
    assert dict(event.new.items()) == {"id": 1, "name": "é", "price": 1.5}
    assert [column[:3] for column in event.columns] == [("id", 3, 10), ("name", 15, 64), ("price", 5, 64)]


def test_what_other_protocols_say_goes_through_a_frame() -> None:
    """Milliseconds instead of a TSO, keys, truth values and declared types, into a frame's rows and back."""
    column = Column("id", 3, 11, "int(10) unsigned")
    given = Events.of(
        [
            RowChange(
                *("insert", None, "s", "t", {"id": 1}),
                columns=[column],
                commit_ms=1767323045678,
                sent_ms=5,
                row_key=b"t\xff",
                handle_key_only=True,
                claim_check="s3://x",
            ),
            Ddl(470607536966860800, "s", None, None, "create table t (id int)", ddl_class="CREATE"),
        ]
    )
    task = EventsTask("craft", read_options("craft", {"mode": "FAILFAST"}, "UTC"), arrow_schema(EVENTS))
    values = pa.array([b"", b""], pa.binary())
    given.columns.events = given.columns.events.set_column(0, "message", pa.array([0, 1], pa.int64()))
    batch = task.process(MessageBatch(pa.record_batch([values], ["value"])), given.columns)
    assert batch is not None
    first, second = batch.select([name for name in batch.schema.names if name not in ("new", "columns")]).to_pylist()
    assert (first["_commit_version"], first["_commit_timestamp"].timestamp()) == (None, 1767323045.678)
    assert (first["sent_ms"], first["row_key"], first["handle_key_only"]) == (5, b"t\xff", True)
    assert (first["claim_check"], first["ddl_class"]) == ("s3://x", None)
    assert (second["_commit_version"], second["handle_key_only"]) == (470607536966860800, None)
    assert (second["ddl_type"], second["ddl_class"]) == (None, "CREATE")
    assert list(Events(event_columns("craft", batch))) == list(given)
    back = Events(event_columns("craft", batch.drop_columns(["row_key", "sent_ms", "claim_check", "handle_key_only"])))
    assert [event.commit_time for event in back] == [event.commit_time for event in given]
    assert back[0].columns == (column,)
    assert back[0].row_key is None


@pytest.mark.parametrize(
    ("column", "expression", "sentence"),
    [
        (
            "kind",
            "'upsert'",
            "craft event 1: kind is one of insert, .*, bootstrap, not upsert",
        ),
        ("kind", "null", "craft event 1: kind is one of .*a corrupt record"),
        (
            "_commit_version",
            "null",
            "craft event 1: an event needs commit_ts",
        ),
        ("_commit_version", "-1L", "craft event 1: _commit_version is negative"),
        ("columns", "null", "craft event 1: it has a row image and no `columns`"),
        ("columns", "parse_json('[1]')", "craft event 1: `columns` is an array of objects"),
        ("new", "parse_json('{\"id\":1}')", "craft event 1: row image: it lacks the column 'big'"),
    ],
)
def test_events_that_cannot_be_written(column: str, expression: str, sentence: str, frame: Frame) -> None:
    events = from_ticdc(frame([bench_value(4)]), "craft", {"mode": "FAILFAST"})
    kind = events.schema[column].dataType
    broken = F.when(F.col("event") == 1, F.expr(expression).cast(kind)).otherwise(F.col(column))
    with pytest.raises(PythonException, match=f"EncodeError: {sentence}"):
        to_ticdc(events.withColumn(column, broken), "craft").collect()


def test_frames_that_are_none_of_events(frame: Frame) -> None:
    with pytest.raises(SchemaError, match="it lacks kind STRING, lacks _commit_version BIGINT"):
        to_ticdc(frame([b""]), "craft")
    events = from_ticdc(frame([bench_value(1)]), "craft")
    with pytest.raises(SchemaError, match="it has query INT, not STRING"):
        to_ticdc(events.withColumn("query", F.lit(1)), "craft")
    with pytest.raises(OptionError, match="max-batch-size is an integer from 1"):
        to_ticdc(events, "craft", {"max-batch-size": "0"})


# --- files of messages that are too long


def long_rows() -> list[pa.RecordBatch]:
    """Rows of an event frame, of which every third is too long for a message, each in a batch of its own."""
    columns = [Column("id", 3, 11), Column("c", 15, 64)]
    events = [
        RowChange("insert", 7, "s", "t", new={"id": k, "c": "x" * (900 if k % 3 == 0 else 3)}, columns=columns)
        for k in range(10)
    ]
    given = Events.of(events)
    given.columns.events = given.columns.events.set_column(0, "message", pa.array(range(10), pa.int64()))
    task = EventsTask("craft", read_options("craft", {"mode": "FAILFAST"}, "UTC"), arrow_schema(EVENTS))
    numbers = pa.array(range(10), pa.int64())
    sent = {"value": pa.array([b""] * 10), "topic": pa.array(["t"] * 10), "partition": pa.array([0] * 10, pa.int32())}
    messages = MessageBatch(pa.record_batch({**sent, "offset": numbers}))
    batch = task.process(messages, given.columns)
    assert batch is not None
    return [batch.slice(k, 1) for k in range(10)]


@pytest.mark.parametrize("size", [1, 2, 5, 10])
@pytest.mark.parametrize("messages", ["gather", "keep"])
@pytest.mark.parametrize("protocol", ["open-protocol", "canal-json"])
def test_each_message_that_points_to_a_file_has_one_and_no_other_is_written(
    tmp_path: Path, protocol: str, messages: str, size: int
) -> None:
    """Whatever the Arrow batches are: the last message of one is written again with what follows."""
    codec = {
        "max-message-bytes": "500",
        "large-message-handle-option": "claim-check",
        "claim-check-storage-uri": tmp_path.as_uri(),
        **({"enable-tidb-extension": "true"} if protocol == "canal-json" else {"max-batch-size": "4"}),
    }
    options = write_options(protocol, {"messages": messages, **codec})
    schema = pa.schema([("key", pa.binary()), ("value", pa.binary()), ("events", pa.int32())])
    rows = long_rows()
    batches = [pa.Table.from_batches(rows[k : k + size]).combine_chunks().to_batches()[0] for k in range(0, 10, size)]
    made = pa.Table.from_batches(EncodeTask(protocol, options, schema)(batches)).to_pylist()
    assert sum(row["events"] for row in made) == 10
    text = b"".join((row["key"] or b"") + row["value"] for row in made).decode("utf-8", "replace")
    named = re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json", text)
    assert len(named) == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(named)
