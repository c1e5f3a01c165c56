"""Debezium-Avro in frames: events, typed rows and messages, where statements among the messages describe tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import recorded
from debezium_avro.envelopes import known
from debezium_avro.recordings import STREAMS, messages, schemas, stream
from debezium_avro.test_rows_without_table_of_records import message, without
from pyspark.sql import SparkSession
from registered import Sent, one_topic, registry_file, sent
from schema_server import SchemaServer, schema_server
from spark_streams import corrupt, frame, image_text

from tidewire import debezium_avro
from tidewire.events import RowChange
from tidewire.messages.registry import MemorySchemas
from tidewire.spark import from_ticdc, rows_from_ticdc, table_schema, to_ticdc

Topic = tuple[list[Sent], MemorySchemas]


@pytest.fixture(scope="module")
def topic() -> Topic:
    return one_topic([one for one in STREAMS if recorded.option_set(one) in ("default", "tidb-extension")])


@pytest.fixture(scope="module")
def server(topic: Topic) -> Iterator[SchemaServer]:
    with schema_server(topic[1]) as running:
        yield running


def test_events_are_those_that_are_decoded_without_spark(
    spark: SparkSession, topic: Topic, server: SchemaServer
) -> None:
    given, known = topic
    found = from_ticdc(
        frame(spark, given, 5), "debezium-avro", {"schema-registry": server.url, "invalidText": "bytes"}
    ).collect()
    decoded = debezium_avro.decode_batch(
        [one.value for one in given],
        [one.key for one in given],
        debezium_avro.Options(invalid_text="bytes"),
        schemas=known,
    )
    assert not decoded.errors
    rows: list[Any] = list(decoded)
    assert len(found) == len(rows) > 250
    wanted = Counter((one.kind, one.commit_ts, one.table) for one in rows)
    assert Counter((one.kind, one._commit_version, one.table) for one in found) == wanted


def test_messages_of_a_stream_come_out_as_they_were(spark: SparkSession) -> None:
    own = stream("times", "tidb-extension")
    place = {"schema-registry": str(registry_file(own))}
    events = from_ticdc(frame(spark, sent(own)), "debezium-avro", {**place, "mode": "FAILFAST"})
    options = {"enable-tidb-extension": "true", **place, "messages": "keep"}
    again = to_ticdc(events, "debezium-avro", options).select("key", "value").collect()
    assert [Sent(bytes(row.key), bytes(row.value)) for row in again] == list(sent(own))


def test_a_table_has_typed_rows_with_both_images(spark: SparkSession, topic: Topic, server: SchemaServer) -> None:
    options = {"schema-registry": server.url, "keep": "offset"}
    given = frame(spark, topic[0], 2)
    schema = table_schema(given, "debezium-avro", "test.k_comp", options)
    assert schema.simpleString() == "struct<a:int,b:string,c:timestamp_ntz,v:int>"
    rows = rows_from_ticdc(given, "debezium-avro", "test.k_comp", None, options)
    assert rows.where("_corrupt_record IS NOT NULL").count() == 0
    kinds = {row._change_type: row["count"] for row in rows.groupBy("_change_type").count().collect()}
    assert set(kinds) >= {"insert", "delete", "update_preimage", "update_postimage"}
    assert kinds["update_preimage"] == kinds["update_postimage"]
    assert rows.where("_commit_version IS NULL").count() == 0


def test_statements_and_watermarks_are_events_too(spark: SparkSession) -> None:
    own = stream("ddl", "watermark")
    place = {"schema-registry": str(registry_file(own)), "mode": "FAILFAST"}
    events = from_ticdc(frame(spark, sent(own), 1), "debezium-avro", place)
    kinds = Counter(row.kind for row in events.collect())
    assert kinds == Counter(message.kind if message.kind != "row" else _kind(message, own) for message in messages(own))
    described = events.where("kind = 'ddl' AND table_after IS NOT NULL").count()
    assert described > 5


def _kind(message: Any, own: Path) -> str:
    (event,) = debezium_avro.decode(message.value, message.key, schemas=schemas(own))
    assert isinstance(event, RowChange)
    assert image_text(event.table, event.new or event.old or {})
    return event.kind


def test_a_message_that_cannot_be_read_costs_one_row(spark: SparkSession, topic: Topic, server: SchemaServer) -> None:
    good = topic[0][0]
    assert good.value is not None
    given = [good, Sent(good.key, good.value[:-3]), Sent(good.key, b"\0\0\0\x27\x0f" + good.value[5:]), good]
    events = from_ticdc(frame(spark, given), "debezium-avro", {"schema-registry": server.url})
    assert events.where("kind IS NOT NULL").count() == 2
    reasons = sorted(row.reason for row in corrupt(events).collect())
    assert len(reasons) == 2
    assert any("9999" in one for one in reasons)


def test_rows_that_name_no_table_are_of_the_one_that_is_asked_for(spark: SparkSession, tmp_path: Path) -> None:
    schema = without("source")
    place = tmp_path / "schemas.json"
    known(schema).save(str(place))
    given = frame(spark, [Sent(None, message(schema, {}, v)) for v in "xy"])
    options = {"schema-registry": str(place), "mode": "FAILFAST"}
    rows = rows_from_ticdc(given, "debezium-avro", "shop.orders", "id INT, v STRING", options)
    assert sorted((row.id, row.v) for row in rows.collect()) == [(1, "x"), (1, "y")]
    events = from_ticdc(given, "debezium-avro", {**options, "table": "shop.orders"})
    assert {(row.schema, row.table) for row in events.collect()} == {("shop", "orders")}
