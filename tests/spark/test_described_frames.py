"""Table descriptions in frames of events: decoding and encoding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType
from tables.described import simple_descriptions, tables
from tables.test_described_events import EVERY, SECOND

from tidewire.events import Ddl, Event, Events
from tidewire.reading.message_batch import MessageBatch
from tidewire.runtime.errors import EncodeError
from tidewire.schemas import EVENTS
from tidewire.spark import to_ticdc
from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.descriptions import from_struct, nothing, to_struct
from tidewire.spark.encode import event_columns
from tidewire.spark.events import EventsTask
from tidewire.spark.options import read_options
from tidewire.tables import TableDescription

KIND = arrow_schema(EVENTS).field("table_after").type


def frame(events: list[Event]) -> pa.RecordBatch:
    """The events as rows of a frame."""
    columns = Events.of(events).columns
    columns.events = columns.events.set_column(0, "message", pa.array(range(len(events)), pa.int64()))
    task = EventsTask("craft", read_options("craft", {"mode": "FAILFAST"}, "UTC"), arrow_schema(EVENTS))
    values = pa.array([b""] * len(events), pa.binary())
    batch = task.process(MessageBatch(pa.record_batch([values], ["value"])), columns)
    assert batch is not None
    return batch


@given(tables())
def test_a_description_is_a_struct_and_back(one: TableDescription) -> None:
    (found,) = pa.array([to_struct(one)], KIND).to_pylist()
    assert from_struct(found) == one


def test_events_with_descriptions_go_through_a_frame() -> None:
    events = [one for one in EVERY if one.kind != "watermark"]
    batch = frame(events)
    assert list(Events(event_columns("craft", batch))) == events
    row = batch.column("table_after").to_pylist()[1]
    assert (row["schema"], row["table"], row["id"], int(row["version"])) == ("s", "t", 8, 6)
    assert [one["name"] for one in row["columns"]] == ["id", "v"]
    assert row["indexes"] == [
        {"name": "PRIMARY", "columns": ["id"], "unique": True, "primary": True, "nullable": False}
    ]
    again = Events(event_columns("craft", batch))[2]
    assert (again.checksum, again.checksum_before, again.checksum_version) == (2**32 - 1, 0, 1)


def test_every_recorded_description_goes_through_a_frame() -> None:
    events: list[Event] = [Ddl(1, one.schema, one.table, 3, "q", table_after=one) for _, one in simple_descriptions()]
    assert list(Events(event_columns("craft", frame(events)))) == events


def test_a_struct_that_describes_no_table_is_an_error_of_its_event() -> None:
    batch = frame([EVERY[1]])
    struct: Any = batch.column("table_after").to_pylist()[0]
    struct["columns"][0]["name"] = None
    at = batch.schema.get_field_index("table_after")
    bad = batch.set_column(at, "table_after", pa.array([struct], KIND))
    with pytest.raises(EncodeError, match=r"craft event 7: `table_after`: .*columns/0/name: it is missing"):
        event_columns("craft", bad, 7)


@pytest.mark.parametrize("rows", [0, 1, 9])
def test_events_without_descriptions_send_few_bytes_for_them(rows: int) -> None:
    found = nothing(rows, KIND)
    found.validate(full=True)
    assert found.null_count == rows
    assert found.to_pylist() == pa.nulls(rows, KIND).to_pylist()
    assert nothing(6400, KIND).nbytes < 60 * 6400


def test_descriptions_go_through_spark_and_files(spark: SparkSession, tmp_path: Path) -> None:
    """Into the JVM, into a file, out of it, and into messages' events again."""
    events: list[Event] = EVERY[:2]
    events += [Ddl(5, one.schema, one.table, 3, "q", table_after=one) for _, one in list(simple_descriptions())[:40]]
    batch = frame(events).drop_columns(["new", "old", "columns", "old_columns"])
    schema = StructType([one for one in EVENTS if one.name in batch.schema.names])

    def made(_: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield batch

    path = str(tmp_path / "events")
    spark.range(1).coalesce(1).mapInArrow(made, schema).write.parquet(path)
    found = spark.read.parquet(path)
    assert found.schema["table_after"].dataType == EVENTS["table_after"].dataType
    query = "table_after.version = 6 and exists(table_after.columns, one -> one.name = 'v')"
    assert found.where(query).count() == sum(getattr(one, "table_after", None) == SECOND for one in events)
    (back,) = found.coalesce(1).toArrow().combine_chunks().to_batches()
    assert list(Events(event_columns("craft", back.cast(batch.schema)))) == events
    messages = to_ticdc(found.coalesce(1).where("kind = 'ddl'"), "craft").collect()
    assert sum(row.events for row in messages) == len(events) - 1
