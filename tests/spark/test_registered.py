"""Records whose schemas a registry has, in batches: all recorded streams on one topic of several partitions."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import PythonException
from pyspark.sql import SparkSession
from registered import Sent, codec_options, one_topic, registered_stream, registered_streams, registry_file, sent
from schema_server import SchemaServer, schema_server
from spark_streams import AVRO, corrupt, frame, image_text, images

from tidewire import avro
from tidewire.events import RowChange
from tidewire.messages.registry import MemorySchemas
from tidewire.runtime.errors import OptionError
from tidewire.spark import from_ticdc, rows_from_ticdc, table_schema, to_ticdc
from tidewire.spark import registries as spark_registries
from tidewire.spark.decoding import DecodeTask
from tidewire.spark.events import EventsTask

Topic = tuple[list[Sent], MemorySchemas]


@pytest.fixture(scope="module")
def topic() -> Topic:
    return one_topic(registered_streams())


@pytest.fixture(scope="module")
def server(topic: Topic) -> Iterator[SchemaServer]:
    with schema_server(topic[1]) as running:
        yield running


def own_images(topic: Topic) -> Counter[str]:
    """The row images of messages, decoded without Spark."""
    messages, schemas = topic
    events = avro.decode_batch([one.value for one in messages], [one.key for one in messages], schemas=schemas)
    assert not events.columns.errors
    rows = [event for event in events if isinstance(event, RowChange)]
    return Counter(image_text(one.table, image) for one in rows for image in (one.old, one.new) if image is not None)


def read_by(server: SchemaServer) -> dict[str, str]:
    return {"schema-registry": server.url}


def test_all_recorded_streams_have_the_same_images_in_spark(
    spark: SparkSession, topic: Topic, server: SchemaServer
) -> None:
    rows = AVRO.rows(frame(spark, topic[0], 8), {**read_by(server), "mode": "FAILFAST"})
    found = images(rows)
    assert found == own_images(topic)
    assert sum(found.values()) == 1650
    # each process asked once for each schema, and two of them worked
    most = Counter(server.asked).most_common(1)[0][1]
    assert most <= 4 < len(topic[0]) / len(set(server.asked))


def test_deleted_rows_are_told_by_keys_alone(spark: SparkSession, topic: Topic, server: SchemaServer) -> None:
    gone = [one for one in topic[0] if one.value is None and one.key is not None]
    assert len(gone) > 200
    events = from_ticdc(frame(spark, gone, 3), "avro", {**read_by(server), "mode": "FAILFAST"}).collect()
    assert {event.kind for event in events} == {"delete"}
    assert len(events) == len(gone)
    assert {event._commit_version for event in events} == {None}
    assert {event._commit_timestamp for event in events} == {None}
    assert all(event.new is None and event.old.toPython() for event in events)


def test_events_become_messages_that_say_the_same(spark: SparkSession, topic: Topic, server: SchemaServer) -> None:
    for producer, option_set in (("tiflow", "default"), ("ticdc", "before-tidb-extension")):
        chosen = [one for one in registered_streams(producer) if one.name.split(".")[1] == option_set]
        messages, schemas = one_topic(chosen)
        assert len(messages) > 100
        with schema_server(schemas) as own:
            events = from_ticdc(frame(spark, messages, 3), "avro", {**read_by(own), "mode": "FAILFAST"})
            options = {**codec_options(chosen[0]), **read_by(own), "messages": "keep", "topic": "changes"}
            again = [Sent(*row) for row in to_ticdc(events, "avro", options).select("key", "value").collect()]
        before, after = (
            avro.decode_batch([one.value for one in part], [one.key for one in part], schemas=schemas)
            for part in (messages, again)
        )
        assert not after.columns.errors
        assert len(after) == len(before)
        assert list(after) == list(before)
        assert "changes-value" in {one.subject for one in schemas.schemas}


def test_messages_of_a_stream_come_out_as_they_were(spark: SparkSession, tmp_path: Path) -> None:
    stream = registered_stream("tiflow/batches/avro.default")
    place = {"schema-registry": str(registry_file(stream))}
    events = from_ticdc(frame(spark, sent(stream)), "avro", {**place, "mode": "FAILFAST"})
    messages = to_ticdc(events, "avro", {**codec_options(stream), **place, "messages": "keep"})
    assert [(row.key, row.value) for row in messages.collect()] == list(sent(stream))


def test_a_table_has_typed_rows_and_a_schema_with_its_columns_in_order(
    spark: SparkSession, topic: Topic, server: SchemaServer
) -> None:
    options = {**read_by(server), "keep": "offset"}
    messages = frame(spark, topic[0], 2)
    schema = table_schema(messages, "avro", "test.k_comp", options)
    assert schema.simpleString() == "struct<a:int,b:string,c:timestamp_ntz,v:int>"
    rows = rows_from_ticdc(messages, "avro", "test.k_comp", None, options)
    assert rows.where("_corrupt_record IS NOT NULL").count() == 0
    deleted = rows.where("_change_type = 'delete' AND _commit_version IS NULL")
    assert {(row.a is None, row.b is None) for row in deleted.collect()} == {(False, False)}
    assert deleted.where("v IS NULL").count() > 0
    ordered = rows.orderBy("offset").select("_change_type").distinct().collect()
    assert {row._change_type for row in ordered} >= {"insert", "delete", "update_postimage"}


# ---- messages that say nothing, and such that cannot be read


def test_messages_with_neither_key_nor_value_are_lost_and_no_errors(
    spark: SparkSession, server: SchemaServer, topic: Topic
) -> None:
    good = next(one for one in topic[0] if one.key is not None and one.value is not None)
    messages = [good, Sent(None, None), good, Sent(None, b"\x03" + bytes(8))]
    for mode in ("PERMISSIVE", "FAILFAST"):
        found = from_ticdc(frame(spark, messages), "avro", {**read_by(server), "mode": mode}).collect()
        assert [(row.kind, row.offset) for row in found] == [("insert", 0), ("insert", 2)]


def test_a_task_says_once_that_messages_say_nothing(
    topic: Topic, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow as pa

    from tidewire.spark.arrow_types import arrow_schema
    from tidewire.spark.options import read_options
    from tidewire.spark.outputs import event_schema

    monkeypatch.setattr(spark_registries, "_told", set())
    (tmp_path / "schemas.json").write_text("[]")
    options = read_options("avro", {"schema-registry": str(tmp_path / "schemas.json")}, "UTC")
    task: DecodeTask = EventsTask("avro", options, arrow_schema(event_schema(options)))
    nothing = pa.record_batch({"key": pa.nulls(1200, pa.binary()), "value": pa.nulls(1200, pa.binary())})
    with caplog.at_level(logging.WARNING, "tidewire.spark"):
        assert list(task([nothing])) == []
        assert list(task([nothing])) == []
    (said,) = [one.getMessage() for one in caplog.records]
    assert said.startswith("tidewire: 1,200 messages of a task have neither key nor record, and are left out")


def test_junk_costs_the_messages_beside_it_nothing(spark: SparkSession, topic: Topic, server: SchemaServer) -> None:
    good = [one for one in topic[0] if one.key is not None and one.value is not None][:35]
    junk = [
        Sent(None, b""),
        Sent(None, b'{"kind": "insert"}'),
        Sent(None, b"\0\0"),
        Sent(good[0].key, (good[0].value or b"") + b"!"),
        Sent(good[0].key, (good[0].value or b"")[:7]),
        Sent(b"\0\xff\xff\xff\xff1", None),
        Sent(None, b"\1{}"),
    ]
    mixed = [one for pair in zip(good, junk * 5, strict=True) for one in pair]
    rows = AVRO.rows(frame(spark, mixed, 4), read_by(server))
    assert images(rows) == own_images((good, topic[1]))
    bad = corrupt(rows).collect()
    assert Counter((row.key, row.value) for row in bad) == Counter(junk * 5)
    assert all(row.reason.startswith("avro ") for row in bad)
    with pytest.raises(PythonException, match="MalformedError: topic t, partition 0, offset 1: avro "):
        AVRO.rows(frame(spark, mixed), {**read_by(server), "mode": "FAILFAST"}).collect()


def test_what_has_no_schema_is_kept_and_read_when_there_is_one(spark: SparkSession, topic: Topic) -> None:
    messages, schemas = topic
    head = messages[:200]
    some = MemorySchemas(one for one in schemas.schemas if isinstance(one.id, int) and one.id % 2)
    with schema_server(some) as server:
        # an id that the registry did not know is not asked for again at once
        rows = AVRO.rows(frame(spark, head, 3), read_by(server)).cache()
        bad = corrupt(rows).cache()
        reasons = {row.reason for row in bad.collect()}
        assert all(f"cannot be had ({server.url}): the registry does not know it" in reason for reason in reasons)
        assert bad.where("value IS NULL AND key IS NOT NULL").count() > 0
        assert 0 < bad.count() < len(head)
    with schema_server(schemas) as server:
        again = AVRO.rows(bad, read_by(server))
        assert corrupt(again).count() == 0
        assert images(rows) + images(again) == own_images((head, schemas))


# ---- where schemas are


def test_a_saved_file_serves_where_tasks_see_it(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = registered_stream("ticdc/keys/avro.default")
    (tmp_path / "schemas.json").write_bytes(registry_file(stream).read_bytes())
    monkeypatch.chdir(tmp_path)
    rows = AVRO.rows(frame(spark, sent(stream), 2), {"schema-registry": "schemas.json", "mode": "FAILFAST"})
    found = images(rows)
    assert sum(found.values()) > 5
    (tmp_path / "schemas.json").unlink()
    events = from_ticdc(frame(spark, sent(stream)), "avro", {"schema-registry": "no.json"})
    for made in (rows, events):
        with pytest.raises(PythonException, match=r"option schema-registry: there is no file /.*\.json on "):
            made.collect()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "messages of avro are records whose schemas are elsewhere: set option schema-registry to the URL"),
        ({"schema-registry": "ftp://u:geheim@here"}, "one of them is no URL of a registry"),
        ({"schema-registry": "saved.json", "schema-registry-user": "u"}, "schema-registry-user is for a registry that"),
        ({"schema-registry-token": "geheim"}, "schema-registry-token is for a registry that is asked"),
        ({"schema-registry": "http://h", "schema-registry-token": "geheim\n"}, "registry token: it holds a line break"),
        (
            {"schema-registry": "http://h", "schema-registry-token": "geheim", "schema-registry-user": "u"},
            "there is a token and a user or password",
        ),
        (
            {"schema-registry": "http://u:geheim@h", "schema-registry-password": "geheim2"},
            "user or password of h differ from those given elsewhere",
        ),
    ],
)
def test_options_that_are_refused_on_the_driver(spark: SparkSession, options: dict[str, str], sentence: str) -> None:
    messages = frame(spark, [Sent(None, b"")])
    events = from_ticdc(messages, "avro", {"schema-registry": "http://h"})
    with pytest.raises(OptionError, match=sentence) as caught:
        to_ticdc(events, "avro", options)
    assert "geheim" not in str(caught.value)
    with pytest.raises(OptionError, match=sentence) as caught:
        from_ticdc(messages, "avro", options)
    assert "geheim" not in str(caught.value)


def test_the_time_zone_of_the_changefeed_is_that_of_checksums_too(spark: SparkSession, tmp_path: Path) -> None:
    stream = registered_stream("tiflow/checksum/avro.checksum")
    place = {"schema-registry": str(registry_file(stream)), "schemaLocation": str(tmp_path), "verify-checksum": "true"}
    messages = frame(spark, sent(stream), 1)
    for name, wrong in (("timezone", 0), ("time-zone", 2)):
        zone = "+08:00" if wrong else "UTC"
        found = from_ticdc(messages, "avro", {**place, name: zone}).where("_corrupt_record IS NOT NULL").collect()
        assert ["came with the checksum" in row._corrupt_record.reason for row in found] == wrong * [True]
    with pytest.raises(OptionError, match="options timezone and time-zone are both the time zone of the changefeed"):
        from_ticdc(messages, "avro", {**place, "timezone": "UTC", "time-zone": "+08:00"})
    with pytest.raises(OptionError, match=r"option time-zone .* is not known"):
        from_ticdc(messages, "avro", {**place, "time-zone": "Mars"})


def test_verifying_checksums_needs_descriptions_of_tables(spark: SparkSession, tmp_path: Path) -> None:
    messages = frame(spark, [Sent(None, b"")])
    place = {"schema-registry": "http://here"}
    location = {"schemaLocation": str(tmp_path)}
    with pytest.raises(OptionError, match="option verify-checksum: messages of avro do not describe tables"):
        AVRO.rows(messages, {**place, "verify-checksum": "true"})
    with pytest.raises(OptionError, match="option schemaLocation is for verify-checksum, which is not set"):
        AVRO.rows(messages, {**place, **location})
    AVRO.rows(messages, {**place, **location, "verify-checksum": "true"})
