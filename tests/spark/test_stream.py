"""Streams of messages give the same rows as batches."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from recorded import craft_messages
from spark_frames import kafka_table

from tidewire.spark import SchemaError, from_ticdc, rows_from_ticdc, table_schema, to_ticdc

SCHEMA = "key binary, value binary, topic string, partition int, offset bigint"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Recorded messages and one that is none, in two files."""
    values = [message.value for message in craft_messages("batches", "batch1")] + [b"\x01"]
    half = len(values) // 2
    (tmp_path / "in").mkdir()
    for number, part in enumerate((values[:half], values[half:])):
        pq.write_table(kafka_table(part, ["t"] * len(part)), tmp_path / "in" / f"{number}.parquet")
    return tmp_path


def test_rows_and_events_of_a_stream(spark: SparkSession, folder: Path) -> None:
    stream = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
    columns = "id int, name string, amount decimal(10,2)"
    rows = rows_from_ticdc(stream, "craft", "test.b1", columns)
    messages = to_ticdc(from_ticdc(stream, "craft", {"mode": "DROPMALFORMED"}), "craft", {"max-batch-size": 1})
    for name, frame in {"rows": rows, "messages": messages}.items():
        writer = frame.writeStream.format("parquet").option("checkpointLocation", str(folder / f"{name}.checkpoint"))
        query = writer.trigger(availableNow=True).start(str(folder / name))
        query.awaitTermination()
        assert query.exception() is None
    batch = spark.read.schema(SCHEMA).parquet(str(folder / "in"))
    expected = rows_from_ticdc(batch, "craft", "test.b1", columns)
    found = spark.read.parquet(str(folder / "rows"))
    assert found.count() == expected.count() == 19 + 2 * 4 + 1
    assert found.exceptAll(expected).count() == 0
    written = {bytes(row.value) for row in spark.read.parquet(str(folder / "messages")).collect()}
    assert written == {message.value for message in craft_messages("batches", "batch1")}


def test_a_stream_has_no_derived_schema(spark: SparkSession, folder: Path) -> None:
    stream = spark.readStream.schema(SCHEMA).parquet(str(folder / "in"))
    with pytest.raises(SchemaError, match="a stream has no end to derive a schema from"):
        table_schema(stream, "craft", "test.b1")


def drain(frame: DataFrame, folder: Path, name: str) -> None:
    """Runs a stream until it has read all there is, from where its checkpoint says."""
    writer = frame.writeStream.format("parquet").option("checkpointLocation", str(folder / f"{name}.checkpoint"))
    query = writer.trigger(availableNow=True).start(str(folder / name))
    query.awaitTermination()
    assert query.exception() is None


def test_a_stream_goes_on_where_it_stopped(spark: SparkSession, canal: DataFrame, tmp_path: Path) -> None:
    lines = canal.collect()
    (tmp_path / "in").mkdir()

    def arrive(number: int, first: int, stop: int) -> None:
        values = [bytes(line.value) for line in lines[first:stop]]
        pq.write_table(kafka_table(values, ["t"] * len(values)), tmp_path / "in" / f"{number}.parquet")

    def frames(messages: DataFrame) -> dict[str, DataFrame]:
        return {
            "typed": rows_from_ticdc(messages, "canal-json", "test.k_comp", "a int, b string, v int"),
            "any": rows_from_ticdc(messages, "canal_json", None, "variant").selectExpr(
                "* except (row)", "to_json(row) as row"
            ),
        }

    stream = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(tmp_path / "in"))
    arrive(0, 0, 60)
    arrive(1, 60, 100)
    for name, frame in frames(stream).items():
        drain(frame, tmp_path, name)
    before = spark.read.parquet(str(tmp_path / "any")).count()
    arrive(2, 100, len(lines))
    for name, frame in frames(stream).items():
        drain(frame, tmp_path, name)
    for name, expected in frames(spark.read.schema(SCHEMA).parquet(str(tmp_path / "in"))).items():
        found = spark.read.parquet(str(tmp_path / name))
        assert found.count() == expected.count() > 0
        assert found.exceptAll(expected).count() == 0
    # 63 inserts, 26 updates, 21 deletes
    assert before < spark.read.parquet(str(tmp_path / "any")).count() == 63 + 2 * 26 + 21
