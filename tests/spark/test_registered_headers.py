"""Schema ids in Kafka headers, in the form of Spark's Kafka source with `includeHeaders`."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from registered import HEAD, Sent, one_topic, registered_streams
from spark_streams import AVRO, LAYOUT, images

from tidewire.messages.registry import MemorySchemas, RegisteredSchema
from tidewire.spark import from_ticdc, rows_from_ticdc, table_schema

Header = tuple[str, bytes | None]
HEADERS = "headers ARRAY<STRUCT<key: STRING, value: BINARY>>"
KEY, VALUE = "__key_schema_id", "__value_schema_id"


def headed(message: Sent) -> tuple[bytes | None, bytes | None, list[Header]]:
    """The message with the ids of its schemas in headers, beside others."""
    headers: list[Header] = [("trace", b"\1\2"), (VALUE, b"\0\0\0\0\0"), ("empty", None)]
    parts: list[bytes | None] = []
    for name, part in zip((KEY, VALUE), message, strict=True):
        if part is None:
            parts.append(None)
            continue
        headers.append((name, part[:HEAD]))
        parts.append(part[HEAD:])
    if message.value is None:
        headers.append((VALUE, None))
    return parts[0], parts[1], headers


def frame(spark: SparkSession, messages: Sequence[Sent], partitions: int = 1) -> DataFrame:
    """Messages as Spark's Kafka source gives them, with headers."""
    rows = [(*headed(one)[:2], "t", 0, at, headed(one)[2]) for at, one in enumerate(messages)]
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, partitions), f"{LAYOUT}, {HEADERS}")


def saved(path: Path, schemas: MemorySchemas) -> dict[str, str]:
    schemas.save(str(path))
    return {"schema-registry": str(path)}


@pytest.fixture(scope="module")
def topic() -> tuple[list[Sent], MemorySchemas]:
    messages, schemas = one_topic(registered_streams("tiflow"))
    rows = [one for one in messages if (one.value or b"\0")[:1] == b"\0" and one != Sent(None, None)]
    assert {one.value is None for one in rows} == {True, False}
    return rows, schemas


def plain(spark: SparkSession, messages: Sequence[Sent]) -> DataFrame:
    rows = [(*one, "t", 0, at) for at, one in enumerate(messages)]
    return spark.createDataFrame(rows, LAYOUT)


def test_rows_are_those_of_messages_with_ids_before_them(
    spark: SparkSession, topic: tuple[list[Sent], MemorySchemas], tmp_path: Path
) -> None:
    messages, schemas = topic
    place = {**saved(tmp_path / "schemas.json", schemas), "mode": "FAILFAST"}
    wanted = images(AVRO.rows(plain(spark, messages), place))
    assert sum(wanted.values()) > 400
    assert images(AVRO.rows(frame(spark, messages, 3), place)) == wanted
    # a message without such headers has its ids before key and value
    none = [("trace", b"\0")]
    rows = [(*one, "t", 0, at, none if at % 2 else None) for at, one in enumerate(messages)]
    assert images(AVRO.rows(spark.createDataFrame(rows, f"{LAYOUT}, {HEADERS}"), place)) == wanted
    tables = {table_schema(df, "avro", "test.k_comp", place) for df in (frame(spark, messages), plain(spark, messages))}
    assert len(tables) == 1


def test_what_rows_keep_is_what_came(
    spark: SparkSession, topic: tuple[list[Sent], MemorySchemas], tmp_path: Path
) -> None:
    messages, schemas = topic
    messages = [one for one in messages if one.key is not None and one.value is not None][:20]
    options = {**saved(tmp_path / "schemas.json", schemas), "keep": "key, value AS sent, headers"}
    found = from_ticdc(frame(spark, messages), "avro", options).orderBy("offset").collect()
    assert [(row.key, row.sent, [tuple(one) for one in row.headers]) for row in found] == [
        (bytearray(key or b""), bytearray(value or b""), headers) for key, value, headers in map(headed, messages)
    ]


def test_corrupt_records_can_be_read_again_without_headers(
    spark: SparkSession, topic: tuple[list[Sent], MemorySchemas], tmp_path: Path
) -> None:
    messages, schemas = topic
    nothing = saved(tmp_path / "none.json", MemorySchemas())
    refused = AVRO.rows(frame(spark, messages), nothing).where("_corrupt_record IS NOT NULL")
    kept = refused.select("_corrupt_record.*")
    assert kept.count() == len(messages)
    place = saved(tmp_path / "schemas.json", schemas)
    assert images(AVRO.rows(kept, place)) == images(AVRO.rows(plain(spark, messages), place))


def test_a_header_with_a_uuid(spark: SparkSession, tmp_path: Path) -> None:
    guid = uuid.UUID("89791762-2336-4186-9674-299b90a802e2")
    text = '{"type":"record","name":"t","namespace":"default.d","fields":[{"name":"a","type":"string"}]}'
    place = saved(tmp_path / "schemas.json", MemorySchemas([RegisteredSchema(guid, "s", 1, text)]))
    sent = [(None, b"\2a", "t", 0, 0, [(VALUE, b"\1" + guid.bytes)]), (None, b"\2a", "t", 0, 1, [(VALUE, b"\1")])]
    rows = rows_from_ticdc(spark.createDataFrame(sent, f"{LAYOUT}, {HEADERS}"), "avro", "d.t", "a STRING", place)
    first, second = rows.orderBy("_corrupt_record").collect()
    assert (first.a, first._corrupt_record) == ("a", None)
    assert bytes(second._corrupt_record.value) == b"\1\2a"  # with what the header has, which is no id


def test_a_column_of_another_type_is_no_headers(
    spark: SparkSession, topic: tuple[list[Sent], MemorySchemas], tmp_path: Path
) -> None:
    messages, schemas = topic
    place = saved(tmp_path / "schemas.json", schemas)
    rows = [(*one, "t", 0, at, "x") for at, one in enumerate(messages)]
    found = AVRO.rows(spark.createDataFrame(rows, f"{LAYOUT}, headers STRING"), place)
    assert images(found) == images(AVRO.rows(plain(spark, messages), place))


def test_streams_read_headers(spark: SparkSession, topic: tuple[list[Sent], MemorySchemas], tmp_path: Path) -> None:
    messages, schemas = topic
    place = saved(tmp_path / "schemas.json", schemas)
    folder = str(tmp_path / "messages")
    frame(spark, messages, 4).write.parquet(folder)
    stream = spark.readStream.schema(f"{LAYOUT}, {HEADERS}").option("maxFilesPerTrigger", 1).parquet(folder)
    rows = AVRO.rows(stream, {**place, "mode": "FAILFAST"})
    query = rows.writeStream.format("memory").queryName("headed").trigger(availableNow=True).start()
    query.awaitTermination()
    assert images(spark.table("headed")) == images(AVRO.rows(plain(spark, messages), place))
