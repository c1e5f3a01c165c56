"""Message columns that rows and events keep."""

from __future__ import annotations

from datetime import datetime

import pytest
from pyspark.sql import DataFrame, SparkSession
from recorded import bench_value

from tidewire import craft
from tidewire.events import Column, RowChange
from tidewire.runtime.errors import OptionError
from tidewire.spark import SchemaError, from_ticdc, rows_from_ticdc, table_schema
from tidewire.spark.options import read_options

AT = datetime(2026, 1, 2, 3, 4, 5, 678901)
MESSAGES = (
    "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp, timestampType int, "
    "headers array<struct<key:string,value:binary>>"
)
MESSAGES_OF_TWO = "value binary, offset bigint"


@pytest.fixture(scope="module")
def kafka(spark: SparkSession) -> DataFrame:
    """An update, a message that is none, a tombstone and two inserts, as the Kafka source gives them."""
    rows = [
        (None, bench_value(1), "t", 3, 7, AT, 0, [("trace", b"\x00\x01"), ("empty", None)]),
        (b"k", b"\x01", "t", 3, 8, AT, 0, []),
        (b"k", None, "t", 3, 9, AT, 0, None),
        (b"k", bench_value(4), "t", 3, 10, None, 0, None),
    ]
    return spark.createDataFrame(rows, MESSAGES).coalesce(1)


def test_rows_keep_what_is_named(kafka: DataFrame) -> None:
    keep = "Topic, partition,offset AS at, timestamp,headers , `key` as `Kafka key`,timestampType"
    rows = rows_from_ticdc(kafka, "craft", "test.bench", "id int", {"keep": keep})
    assert rows.columns[-8:] == [
        *("Topic", "partition", "at", "timestamp", "headers", "Kafka key", "timestampType", "_corrupt_record")
    ]
    assert rows.schema["headers"].dataType == kafka.schema["headers"].dataType
    found = sorted(rows.collect(), key=lambda row: row.at)
    assert [(row.at, row._change_type) for row in found] == [
        (7, "update_preimage"),
        (7, "update_postimage"),
        (8, None),
        *[(10, f"update_{which}image") for _ in range(4) for which in ("pre", "post")],
    ]
    first, bad, last = found[0], found[2], found[-1]
    assert (first.Topic, first.partition, first.timestamp, first["Kafka key"], first.timestampType) == (
        *("t", 3, AT, None, 0),
    )
    assert [(header.key, header.value) for header in first.headers] == [("trace", b"\x00\x01"), ("empty", None)]
    # a message that could not be decoded too
    assert (bad.Topic, bad.timestamp, bytes(bad["Kafka key"]), bad.headers) == ("t", AT, b"k", [])
    assert bad._corrupt_record.offset == 8
    assert (last.timestamp, last.headers) == (None, None)


def test_what_is_dropped_takes_what_it_kept_with_it(spark: SparkSession) -> None:
    columns = [Column("id", 3, 10)]
    changes = [RowChange("insert", 7 << 18, "s", "t", {"id": at}, columns=columns) for at in (1, 300, 2)]
    values = [message.value for message in craft.encode(changes, craft.Options(max_batch_size=1))]
    messages = spark.createDataFrame([(value, at) for at, value in enumerate([b"\x01", *values])], MESSAGES_OF_TWO)
    options = {"keep": ["offset"], "mode": "DROPMALFORMED"}
    rows = rows_from_ticdc(messages.coalesce(1), "craft", "s.t", "id tinyint", options).collect()
    assert [(row.id, row.offset) for row in rows] == [(1, 1), (2, 3)]


def test_variant_rows_and_events_keep_them_too(kafka: DataFrame) -> None:
    rows = rows_from_ticdc(kafka, "craft", None, "variant", {"keep": "offset,timestamp"})
    assert rows.columns[-3:] == ["offset", "timestamp", "_corrupt_record"]
    events = from_ticdc(kafka, "craft", {"keep": "topic,offset,timestamp,headers,offset as again"})
    # topic and offset are there in any case
    assert events.columns[-4:] == ["timestamp", "headers", "again", "_corrupt_record"]
    found = events.select("offset", "again", "timestamp", "kind").collect()
    assert [(row.offset, row.again, row.timestamp) for row in found] == [
        (7, 7, AT),
        *[(10, 10, None)] * 4,
        (None, 8, AT),
    ]


def test_variant_rows_have_the_names_of_their_key(spark: SparkSession) -> None:
    two = [Column("b", 3, 10), Column("A b", 3, 10), Column("c", 3, 64)]
    changes = [
        RowChange("insert", 7 << 18, "s", "t", {"b": 1, "A b": 2, "c": 3}, columns=two),
        RowChange("delete", 8 << 18, "s", "u", None, {"id": 1}, columns=[Column("id", 3, 10)]),
        RowChange("insert", 10 << 18, "s", "none", {"c": 1}, columns=[Column("c", 3, 64)]),
        RowChange("update", 9 << 18, "s", "t", {"b": 1, "A b": 2, "c": 4}, {"b": 1, "A b": 2, "c": 3}, columns=two),
    ]
    values = [*(message.value for message in craft.encode(changes, craft.Options(max_batch_size=4))), b"\x01"]
    messages = spark.createDataFrame([(value, at) for at, value in enumerate(values)], MESSAGES_OF_TWO).coalesce(1)
    rows = rows_from_ticdc(messages, "craft", None, "variant")
    assert rows.columns[:4] == ["schema", "table", "row", "key"]
    found = [(row.table, row.key) for row in rows.orderBy("_commit_version", "_commit_rank").collect()]
    assert found == [
        (None, None),
        ("t", ["b", "A b"]),
        ("u", ["id"]),
        ("t", ["b", "A b"]),
        ("t", ["b", "A b"]),
        ("none", []),
    ]
    kept = spark.createDataFrame([(b"k", values[0], 1)], "key BINARY, value BINARY, offset LONG")
    with pytest.raises(SchemaError, match="column 'key' is there twice"):
        rows_from_ticdc(kept, "craft", None, "variant", {"keep": "key"})
    assert bytes(rows_from_ticdc(kept, "craft", "s.t", "variant", {"keep": "key AS k"}).collect()[0].k) == b"k"


def test_the_schema_of_a_table_is_without_them(kafka: DataFrame) -> None:
    options = {"keep": "offset"}
    assert "offset" not in table_schema(kafka, "craft", "test.bench", options).names


def test_what_cannot_be_kept(kafka: DataFrame) -> None:
    def refused(keep: str, schema: str = "id int", df: DataFrame = kafka) -> str:
        with pytest.raises(SchemaError) as caught:
            rows_from_ticdc(df, "craft", "test.bench", schema, {"keep": keep})
        return str(caught.value)

    assert refused("timestmap").startswith("keep: the messages have no column 'timestmap'; they have key BINARY, ")
    assert refused("timestmap").endswith("Did you mean timestamp?")
    assert refused("headers", df=kafka.drop("headers")).endswith("with the option includeHeaders=true")
    for text in (refused("offset", "id int, OFFSET bigint"), refused("offset, timestamp as offset")):
        assert "is there twice: behind the other columns come _change_type, " in text
        assert "keep takes 'offset AS kafka_offset'" in text


@pytest.mark.parametrize("keep", ["", ",", "topic,", "a b", "a as", "topic as a b"])
def test_what_names_no_columns(keep: str) -> None:
    with pytest.raises(OptionError, match="option keep lists columns of the messages, such as topic,partition"):
        read_options("craft", {"keep": keep}, "UTC")
