"""One topic per table: option `topic` with the table's names in it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, SparkSession
from registered import one_topic, registered_streams
from spark_streams import frame

from tidewire.messages.registry import MemorySchemas, SavedSchemas
from tidewire.spark import from_ticdc, to_ticdc

TOPIC = "cdc.{schema}.{table}"
EXTENSION = {"enable-tidb-extension": "true"}


@pytest.fixture
def events(spark: SparkSession, tmp_path: Path) -> DataFrame:
    """The rows of many tables, whose names need not be fit for a topic."""
    messages, schemas = one_topic(
        [one for one in registered_streams("tiflow") if one.name == "avro.tidb-extension.jsonl"]
    )
    schemas.save(str(tmp_path / "read.json"))
    rows = [one for one in messages if one.value is not None and one.value[:1] == b"\0"]
    return from_ticdc(frame(spark, rows, 2), "avro", {"schema-registry": str(tmp_path / "read.json")})


def expected(schema: str, table: str) -> str:
    """As TiCDC makes it: other characters than letters of ASCII, digits, dots, - and _ are _."""
    fit = "".join(one if one.isascii() and (one.isalnum() or one in "._-") else "_" for one in f"{schema}.{table}")
    return f"cdc.{fit}"[:249]


def test_messages_have_the_topic_of_their_table(events: DataFrame, tmp_path: Path) -> None:
    options = {**EXTENSION, "schema-registry": str(tmp_path / "written.json"), "topic": TOPIC}
    written = to_ticdc(events.coalesce(1), "avro", options)
    assert written.columns == ["key", "value", "events", "topic"]
    found = written.collect()
    assert Counter(row.topic for row in found) == Counter(
        expected(row.schema, row.table) for row in events.select("schema", "table").collect()
    )
    assert len({row.topic for row in found}) > 10
    subjects = {one.subject for one in SavedSchemas(str(tmp_path / "written.json")).schemas}
    assert {one for one in subjects if one.endswith("-value")} == {
        f"{row.topic.replace('.', '_')}-value" for row in found if row.value is not None
    }


def test_events_of_no_table_have_no_such_topic(spark: SparkSession, events: DataFrame, tmp_path: Path) -> None:
    marks = {**EXTENSION, "avro-enable-watermark": "true", "schema-registry": str(tmp_path / "written.json")}
    statement = spark.sql(
        "SELECT 'ddl' kind, 470607536135340034L _commit_version, 'shop' schema, CAST(NULL AS STRING) table, "
        "'CREATE DATABASE shop' query, 1 ddl_type UNION ALL "
        "SELECT 'watermark', 470607536135340035L, NULL, NULL, NULL, NULL"
    ).coalesce(1)
    with pytest.raises(PythonException, match="it is of no table, of which the topic"):
        to_ticdc(statement, "avro", {**marks, "topic": TOPIC}).collect()
    kept = to_ticdc(statement, "avro", {**marks, "topic": TOPIC, "mode": "PERMISSIVE"}).collect()
    assert [(row.value, row.topic, row._corrupt_record.reason[:21]) for row in kept] == [
        (None, None, "it is of no table, of")
    ] * 2
    assert {row.topic for row in to_ticdc(statement, "avro", {**marks, "topic": "all"}).collect()} == {"all"}
    # without the option they have no message, and so need no topic
    assert (
        to_ticdc(statement, "avro", {**EXTENSION, "schema-registry": str(tmp_path / "w.json"), "topic": TOPIC}).count()
        == 0
    )


def test_other_protocols_have_the_topic_as_it_is(events: DataFrame) -> None:
    assert {row.topic for row in to_ticdc(events.limit(3), "canal-json", {"topic": TOPIC}).collect()} == {TOPIC}


def test_schemas_are_registered_for_the_topic_in_a_stream(
    spark: SparkSession, events: DataFrame, tmp_path: Path
) -> None:
    place = str(tmp_path / "written.json")
    options = {**EXTENSION, "schema-registry": place, "topic": "{schema}_{table}", "mode": "FAILFAST"}
    wanted = Counter(row.topic for row in to_ticdc(events, "avro", options).collect())
    events.select(
        "kind", "_commit_version", "_commit_timestamp", "schema", "table", "new", "old", "columns"
    ).write.parquet(str(tmp_path / "events"))
    stream = spark.readStream.schema(spark.read.parquet(str(tmp_path / "events")).schema).parquet(
        str(tmp_path / "events")
    )
    query = (
        to_ticdc(stream, "avro", options).writeStream.format("memory").queryName("topics").trigger(availableNow=True)
    )
    query.start().awaitTermination()
    assert Counter(row.topic for row in spark.table("topics").collect()) == wanted
    assert MemorySchemas(SavedSchemas(place).schemas).schemas
