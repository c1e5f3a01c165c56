"""Topics of a real broker: read in batches and streams, written with `to_ticdc` and read again."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from commands import events, tidewire
from pyspark.sql import DataFrame, SparkSession
from topics import EXAMPLES, capture, fill, source

from demo.broker import Broker, Record
from tidewire.spark import from_ticdc, rows_from_ticdc, table_schema, to_ticdc

ZONE = {"timezone": "Asia/Shanghai"}
AVRO = {**ZONE, "schema-registry": str(EXAMPLES / "avro_topic.registry.json")}
CAPTURED = "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP"


def captured(spark: SparkSession, name: str) -> DataFrame:
    """A shipped capture without Kafka."""
    return spark.read.schema(CAPTURED).json(str(EXAMPLES / f"{name}_topic.jsonl.gz"))


def found(rows: DataFrame) -> Counter[str]:
    return Counter(str(row) for row in rows.collect())


@pytest.mark.parametrize(
    ("name", "protocol", "options"), [("craft", "craft", ZONE), ("avro", "avro", AVRO)], ids=["craft", "avro"]
)
def test_a_batch_reads_what_was_sent(
    spark: SparkSession, a_broker: Broker, name: str, protocol: str, options: dict[str, str]
) -> None:
    """Keys, tombstones and partitions are those that the capture has."""
    topic = f"batch-{name}"
    fill(a_broker, topic, capture(name))
    messages = spark.read.format("kafka").options(**source(a_broker, topic)).load()
    assert {row.topic for row in messages.select("topic").distinct().collect()} == {topic}
    table = captured(spark, name)
    schema = table_schema(table, protocol, "test.k_comp", options)
    options = {**options, "keep": "partition, key"}
    of_kafka, of_file = (rows_from_ticdc(one, protocol, "test.k_comp", schema, options) for one in (messages, table))
    assert found(of_kafka) == found(of_file)
    assert found(of_kafka).total() > 2


def test_a_stream_goes_on_where_it_was(spark: SparkSession, a_broker: Broker, tmp_path: Path) -> None:
    every = capture("craft")
    half = len(every) // 2
    a_broker.create("stream", 3)
    schema = table_schema(captured(spark, "craft"), "craft", "test.k_comp", ZONE)

    options = source(a_broker, "stream", maxOffsetsPerTrigger=40)

    def run() -> Counter[str]:
        messages = spark.readStream.format("kafka").options(**options).load()
        rows = rows_from_ticdc(messages, "craft", "test.k_comp", schema, ZONE)
        writer = rows.writeStream.format("parquet").option("path", str(tmp_path / "out"))
        query = writer.option("checkpointLocation", str(tmp_path / "state")).trigger(availableNow=True).start()
        query.awaitTermination()
        return found(spark.read.schema(rows.schema).parquet(str(tmp_path / "out")))

    a_broker.send("stream", every[:half])
    first = run()
    a_broker.send("stream", every[half:])
    a_broker.restart()
    second = run()
    assert first < second == found(rows_from_ticdc(captured(spark, "craft"), "craft", "test.k_comp", schema, ZONE))


KEYED = ["open-protocol", "debezium"]


@pytest.mark.parametrize(
    ("protocol", "options"),
    [
        ("craft", {}),
        ("canal-json", {"enable-tidb-extension": "true"}),
        ("open-protocol", {}),
        ("simple", {}),
        ("debezium", {"enable-tidb-extension": "true"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_written_into_a_topic_is_read_from_it(
    spark: SparkSession, a_broker: Broker, protocol: str, options: dict[str, Any]
) -> None:
    """Key and value are the same bytes, and the events those that were written."""
    name = protocol.replace("-", "_")
    topic = f"written-{protocol}"
    a_broker.create(topic)
    events = from_ticdc(captured(spark, name).coalesce(1), protocol, {**ZONE, **options})
    written = to_ticdc(events.where("kind IS NOT NULL"), protocol, {**options, "topic": topic, "mode": "DROPMALFORMED"})
    written = written.cache()
    written.write.format("kafka").option("kafka.bootstrap.servers", a_broker.servers).save()
    read = spark.read.format("kafka").options(**source(a_broker, topic)).load().orderBy("offset")
    sent, got = ([(row.key, row.value) for row in one.select("key", "value").collect()] for one in (written, read))
    assert sent == got
    assert len(got) > 50
    assert any(key is not None for key, _ in got) is (protocol in KEYED)
    what = ("kind", "schema", "table", "_commit_version")
    assert found(from_ticdc(read, protocol, options).select(*what)) == found(events.select(*what))


def test_ids_of_schemas_in_headers_are_read(spark: SparkSession, a_broker: Broker) -> None:
    """Spark's source gives them with `includeHeaders`."""
    head = 5
    records = [
        Record(
            one.partition,
            None if one.key is None else one.key[head:],
            None if one.value is None else one.value[head:],
            [
                ("trace", None),
                *([] if one.key is None else [("__key_schema_id", one.key[:head])]),
                *([] if one.value is None else [("__value_schema_id", one.value[:head])]),
            ],
        )
        for one in capture("avro")
        if (one.value or b"\0")[:1] == b"\0"
    ]
    fill(a_broker, "headed", tuple(records))
    messages = spark.read.format("kafka").options(**source(a_broker, "headed", includeHeaders="true")).load()
    options = {**AVRO, "keep": "partition"}
    schema = table_schema(captured(spark, "avro"), "avro", "test.k_comp", AVRO)
    rows = found(rows_from_ticdc(messages, "avro", "test.k_comp", schema, options))
    assert rows == found(rows_from_ticdc(captured(spark, "avro"), "avro", "test.k_comp", schema, options))
    assert rows.total() > 2


def test_what_the_console_consumer_prints_is_read(a_broker: Broker, tmp_path: Path) -> None:
    """All that it can be asked for stands before the message."""
    every = [*capture("debezium"), Record(0, capture("debezium")[-1].key, None)]
    a_broker.create("printed")
    a_broker.send("printed", [one._replace(partition=0) for one in every])
    asked = [f"print.{name}=true" for name in ("key", "timestamp", "partition", "offset", "headers")]
    command = [
        *a_broker.run("org.apache.kafka.tools.consumer.ConsoleConsumer"),
        *("--bootstrap-server", a_broker.servers, "--topic", "printed", "--from-beginning"),
        *("--max-messages", str(len(every)), "--timeout-ms", "300000"),
        *(part for one in asked for part in ("--formatter-property", one)),
    ]
    printed = tmp_path / "printed.txt"
    with printed.open("wb") as out:
        subprocess.run(command, stdout=out, stderr=subprocess.DEVNULL, check=True, timeout=600)
    read, wanted = (tidewire("decode", "debezium", file) for file in (printed, EXAMPLES / "debezium_topic.jsonl.gz"))
    assert (read.exit_code, wanted.exit_code) == (0, 0)
    places = {"topic", "partition", "offset", "timestamp"}
    got, sent = ([{name: one[name] for name in one.keys() - places} for one in events(of)] for of in (read, wanted))
    assert got == sent
    assert [one["offset"] for one in events(read)] == sorted({one["offset"] for one in events(read)})
    assert "1 tombstone" in read.stderr or "1 message without" in read.stderr
