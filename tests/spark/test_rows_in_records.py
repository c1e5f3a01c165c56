"""Simple's Avro records in Spark: the same rows as from its JSON, and the same messages again."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import recorded
from pyspark.sql import SparkSession
from spark_frames import frame, images, number_of_images

from tidewire import simple
from tidewire.events import Bootstrap, Ddl, RowChange
from tidewire.runtime.errors import DecodeError
from tidewire.spark import from_ticdc, rows_from_ticdc, to_ticdc
from tidewire.tables import TableStore

AVRO = {"encoding-format": "avro"}


@cache
def values(option_set: str) -> tuple[bytes, ...]:
    """The recorded messages of classic TiCDC."""
    protocol = "simple-records" if option_set.startswith("avro") else "simple"
    streams = [one for one in recorded.streams(protocol, own=False) if one.parts[-3] == "tiflow"]
    chosen = [one for one in streams if recorded.option_set(one) == option_set]
    return tuple(message.value for one in chosen for message in recorded.messages(one))


def rows_first(found: tuple[bytes, ...]) -> list[bytes]:
    """The messages with those behind all others that describe tables."""
    options = simple.Options(encoding_format="avro")
    described = []
    for value in found:
        try:
            (event,) = simple.decode(value, options=options, tables=TableStore())
        except DecodeError:
            described.append(False)
        else:
            described.append(isinstance(event, Ddl | Bootstrap))
    return [value for last in (False, True) for value, one in zip(found, described, strict=True) if one == last]


@pytest.mark.parametrize("located", [False, True])
def test_a_batch_has_the_rows_of_the_objects(spark: SparkSession, tmp_path: Path, located: bool) -> None:
    place = {"schemaLocation": str(tmp_path / "tables")} if located else {}
    sent = rows_first(values("avro"))
    rows = rows_from_ticdc(frame(spark, sent, 3), "simple", None, "variant", {**AVRO, **place})
    assert rows.where("_corrupt_record IS NOT NULL").count() == 0
    objects = rows_from_ticdc(frame(spark, values("json"), 2), "simple", None, "variant")
    assert number_of_images(rows) == number_of_images(objects) > 100
    # the columns of objects are in the order of their names
    ordered = [sorted(one) for one in images(rows).elements()]
    assert sorted(ordered) == sorted(sorted(one) for one in images(objects).elements())


def test_messages_that_are_compressed_and_have_checksums(spark: SparkSession) -> None:
    packed = {**AVRO, "large-message-handle-compression": "snappy"}
    rows = rows_from_ticdc(frame(spark, values("avro-snappy"), 2), "simple", None, "variant", packed)
    assert images(rows) == images(rows_from_ticdc(frame(spark, values("avro")), "simple", None, "variant", AVRO))
    sums = {**AVRO, "verify-checksum": "true"}
    rows = rows_from_ticdc(frame(spark, values("avro-checksum")), "simple", None, "variant", sums)
    assert rows.where("_corrupt_record IS NOT NULL").count() == 0
    damaged = [value.replace(b"1.25", b"1.75") for value in values("avro-checksum")]
    damaged = [value.replace(b'{"a": 1}', b'{"a": 2}') for value in damaged]
    rows = rows_from_ticdc(frame(spark, damaged), "simple", None, "variant", sums)
    assert "checksum" in str(rows.where("_corrupt_record IS NOT NULL").first())


def test_events_become_messages_that_say_the_same(spark: SparkSession) -> None:
    events = from_ticdc(frame(spark, values("avro")), "simple", {"mode": "FAILFAST", **AVRO})
    assert events.count() == len(values("avro"))
    again = [bytes(row.value) for row in to_ticdc(events, "simple", {**AVRO, "messages": "keep"}).collect()]
    options = simple.Options(encoding_format="avro")
    sent, got = (list(simple.decode_batch(found, options=options)) for found in (list(values("avro")), again))
    assert got == sent
    objects = [bytes(row.value) for row in to_ticdc(events, "simple", {"messages": "keep"}).collect()]
    assert all(value.startswith(b"{") for value in objects)
    rows = [one for one in simple.decode_batch(objects) if isinstance(one, RowChange)]
    assert [dict(one.new or {}) for one in rows] == [
        {name: (one.new or {})[name] for name in sorted(one.new or {}, key=str.encode)}
        for one in sent
        if isinstance(one, RowChange)
    ]
