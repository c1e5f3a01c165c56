"""Streams with a schema registry: micro-batches, restarts, new schemas, and a registry that stops."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from registered import HEAD, Sent, one_topic, registered_stream, registered_streams
from schema_server import SchemaServer, schema_server
from spark_streams import AVRO, Stream, corrupt, frame, images, slices

from tidewire.messages.registry import MemorySchemas
from tidewire.spark import from_ticdc, rows_from_ticdc

FORGOTTEN = 6
"""Seconds after which a process asks again for a schema that it could not get."""


def whole(spark: SparkSession, messages: list[Sent], server: SchemaServer) -> Counter[str]:
    """The row images of messages, read as one batch."""
    found = images(AVRO.rows(frame(spark, messages), {"schema-registry": server.url, "mode": "FAILFAST"}))
    assert sum(found.values()) > 0
    return found


def test_micro_batches_of_several_tasks_and_a_restart(spark: SparkSession, tmp_path: Path) -> None:
    messages, schemas = one_topic(registered_streams("ticdc")[:24])
    with schema_server(schemas) as server:
        stream = Stream(spark, tmp_path, AVRO, {"schema-registry": server.url})
        stream.files = 3
        parts = list(slices(messages, 12))
        for at, part in enumerate(parts[:9]):
            stream.put(at + 1, part)
        assert corrupt(stream.run()).count() == 0
        for at, part in enumerate(parts[9:]):
            stream.put(at + 10, part)
        rows = stream.run()
        assert corrupt(rows).count() == 0
        assert images(rows) == whole(spark, messages, server)


def test_a_new_schema_in_mid_stream_needs_nothing(spark: SparkSession, tmp_path: Path) -> None:
    stream_of_ddl = registered_stream("tiflow/ddl/avro.tidb-extension")
    messages, schemas = one_topic([stream_of_ddl])
    rows = [one for one in messages if one.value is not None and one.value[:1] == b"\0"]
    ids = list(dict.fromkeys((one.value or b"")[1:HEAD] for one in rows))
    assert len(ids) > 3
    known = MemorySchemas()
    with schema_server(known) as server:
        stream = Stream(spark, tmp_path, AVRO, {"schema-registry": server.url})
        query = stream.write_on(AVRO.rows(stream.messages(), stream.options))
        try:
            for number, id in enumerate(ids):
                # the producer registers a schema, then uses it; the query runs on
                for one in schemas.schemas:
                    if one.id in _used(rows, id):
                        known.add(one)
                stream.put(number + 1, [one for one in rows if (one.value or b"")[1:HEAD] == id])
                query.processAllAvailable()
        finally:
            query.stop()
        found = stream.written()
        assert corrupt(found).count() == 0
        assert images(found) == whole(spark, rows, server)


def _used(rows: list[Sent], id: bytes) -> set[int]:
    """The ids of the schemas that messages with a value of this id have."""
    chosen = [one for one in rows if (one.value or b"")[1:HEAD] == id]
    return {int.from_bytes(part[1:HEAD], "big") for one in chosen for part in one if part is not None}


def test_messages_that_come_while_the_registry_is_dead_are_kept_and_read_later(
    spark: SparkSession, tmp_path: Path
) -> None:
    messages, schemas = one_topic(registered_streams("tiflow")[:8])
    with schema_server(schemas) as server:
        stream = Stream(spark, tmp_path, AVRO, {"schema-registry": server.url, "keep": "offset AS place"})
        parts = list(slices(messages, 2))
        stream.put(1, parts[0])
        stream.run()
        asked = len(server.asked)
        server.stop()
        fresh = [*parts[1], *parts[0]]
        stream.put(2, fresh)
        rows = stream.run()
        bad = corrupt(rows)
        assert bad.count() > 0
        # the tasks know the schemas that they had asked for, and read those messages still
        assert all("cannot be had (http://127.0.0.1" in row.reason for row in bad.collect())
        time.sleep(FORGOTTEN)
        server.start()
        again = AVRO.rows(bad, stream.options)
        assert corrupt(again).count() == 0
        assert len(server.asked) > asked
        assert images(rows) + images(again) == whole(spark, [*parts[0], *fresh], server)


def test_a_query_that_is_to_fail_goes_on_where_it_was_when_the_registry_is_back(
    spark: SparkSession, tmp_path: Path
) -> None:
    messages, schemas = one_topic(registered_streams("ticdc")[30:36])
    with schema_server(schemas) as server:
        stream = Stream(spark, tmp_path, AVRO, {"schema-registry": server.url, "mode": "FAILFAST"})
        server.stop()
        stream.put(1, messages)
        with pytest.raises(StreamingQueryException, match="MalformedError"):
            stream.query().awaitTermination()
        time.sleep(FORGOTTEN)
        server.start()
        assert images(stream.run()) == whole(spark, messages, server)


def test_streams_need_no_place_for_descriptions(spark: SparkSession, tmp_path: Path) -> None:
    stream = Stream(spark, tmp_path, AVRO, {"schema-registry": "http://127.0.0.1:9"})
    frames: list[DataFrame] = [
        from_ticdc(stream.messages(), "avro", stream.options),
        rows_from_ticdc(stream.messages(), "avro", "test.t", "id INT", stream.options),
    ]
    assert all(one.isStreaming for one in frames)
