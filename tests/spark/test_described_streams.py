"""Streams that need table descriptions from other messages: micro-batches, restarts, shared locations."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from spark_streams import DEBEZIUM, SIMPLE, Described, Stream, corrupt, frame, images, slices

from tidewire.runtime.errors import OptionError
from tidewire.spark import from_ticdc, rows_from_ticdc, table_schema

BOTH = pytest.mark.parametrize("protocol", [SIMPLE, DEBEZIUM], ids=["simple", "debezium"])


def read_with_what_was_left(
    spark: SparkSession, protocol: Described, rows: DataFrame, place: dict[str, str]
) -> Counter[str]:
    """The row images of a stream, and of its corrupt records, which can be read when all descriptions are known."""
    again = protocol.rows(corrupt(rows), place)
    assert [row.reason for row in corrupt(again).collect()] == []
    return images(rows) + images(again)


@cache
def whole(spark: SparkSession, protocol: Described, scenario: str) -> Counter[str]:
    """The row images of a scenario, read as one batch."""
    found = protocol.recorded(scenario)
    made = images(protocol.rows(frame(spark, found), {"mode": "FAILFAST"}))
    assert sum(made.values()) == protocol.number_of_images(found) > 0
    return made


@BOTH
def test_micro_batches_and_a_restart_find_what_was_known(
    spark: SparkSession, tmp_path: Path, protocol: Described
) -> None:
    statements, others = protocol.parted(protocol.recorded("unsigned"))
    first, second = slices(others, 2)
    stream = Stream(spark, tmp_path, protocol, {"schemaLocation": str(tmp_path / "tables")})
    stream.put(1, statements)
    stream.put(2, first)
    assert corrupt(stream.run()).count() == 0
    stream.put(3, second)
    again = stream.run()
    assert corrupt(again).count() == 0
    assert images(again) == whole(spark, protocol, "unsigned")


@BOTH
def test_new_processes_find_what_was_known(spark: SparkSession, tmp_path: Path, protocol: Described) -> None:
    found = protocol.recorded("vectors")
    from_ticdc(frame(spark, found), protocol.protocol, {"schemaLocation": str(tmp_path)}).collect()
    _, rows = protocol.parted(found)
    program = (
        "import base64, json, sys; from tidewire.spark.known_tables import task_decoder; "
        "from tidewire.spark.options import read_options; "
        "protocol, place, given = sys.argv[1:]; "
        "of = task_decoder(protocol, read_options(protocol, {'schemaLocation': place}, 'UTC'), None); "
        "decoder, _ = of.__enter__(); "
        "read = lambda text: None if text is None else base64.b64decode(text); "
        "found = decoder.decode(*([read(one[at]) for one in json.loads(given)] for at in (1, 0))); "
        "print(len(found.errors), sum(layout.num_rows for layout in found.layouts))"
    )
    given = [[None if one is None else base64.b64encode(one).decode() for one in (row.key, row.value)] for row in rows]
    arguments = [protocol.protocol, str(tmp_path), json.dumps(given)]
    ran = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True)
    assert ran.stdout.split() == ["0", str(protocol.number_of_images(found))], ran.stderr


@pytest.mark.parametrize(
    ("protocol", "store"), [(SIMPLE, ""), (DEBEZIUM, "local://")], ids=["simple, a path", "debezium, a URL"]
)
def test_two_queries_share_a_place(spark: SparkSession, tmp_path: Path, protocol: Described, store: str) -> None:
    found = protocol.recorded("fractions-and-dst")
    place = {"schemaLocation": f"{store}{tmp_path / 'tables'}"}
    one, other = (Stream(spark, tmp_path, protocol, place, name) for name in ("one", "other"))
    one.files, other.files = 1, 2
    parts = list(slices(found, 4))
    for restart in (0, 2):
        for at in (restart, restart + 1):
            one.put(at + 1, parts[at])
        queries = [one.query(), other.query()]
        for query in queries:
            query.awaitTermination()
    assert {path.name for path in (tmp_path / "tables").iterdir()} == protocol.files(found)
    # each file of the first is a micro-batch of its own, so that it misses nothing
    assert corrupt(one.written()).count() == 0
    for stream in (one, other):
        made = read_with_what_was_left(spark, protocol, stream.written(), place)
        assert made == whole(spark, protocol, "fractions-and-dst")


@pytest.mark.parametrize("scenario", ["keys-more", "ddl"])
@BOTH
def test_rows_of_a_stream_that_miss_their_table_are_read_from_the_corrupt_records_later(
    spark: SparkSession, tmp_path: Path, protocol: Described, scenario: str
) -> None:
    statements, others = protocol.parted(protocol.recorded(scenario))
    place = {"schemaLocation": str(tmp_path / "tables")}
    stream = Stream(spark, tmp_path, protocol, place)
    stream.put(1, others)
    stream.put(2, statements)
    rows = stream.run()
    bad = corrupt(rows)
    assert bad.count() > 0
    assert bad.where("reason NOT LIKE '%is not described%'").count() == 0
    assert read_with_what_was_left(spark, protocol, rows, place) == whole(spark, protocol, scenario)


@pytest.mark.parametrize("scenario", ["lengths", "ddl"])
@BOTH
def test_no_row_is_lost_where_tasks_of_one_micro_batch_read_rows_and_descriptions(
    spark: SparkSession, tmp_path: Path, protocol: Described, scenario: str
) -> None:
    statements, others = protocol.parted(protocol.recorded(scenario))
    place = {"schemaLocation": str(tmp_path / "tables")}
    stream = Stream(spark, tmp_path, protocol, place)
    stream.files = 3
    for at, part in enumerate((others[::2], statements, others[1::2])):
        stream.put(at, part)
    rows = stream.run()
    assert read_with_what_was_left(spark, protocol, rows, place) == whole(spark, protocol, scenario)


@pytest.mark.parametrize("scenario", ["rename-columns", "ddl"])
@BOTH
def test_rows_behind_a_statement_that_another_task_has_yet_to_read_are_not_read_by_an_older_one(
    spark: SparkSession, tmp_path: Path, protocol: Described, scenario: str
) -> None:
    statements, others = protocol.parted(protocol.recorded(scenario))
    place = {"schemaLocation": str(tmp_path / "tables")}
    stream = Stream(spark, tmp_path, protocol, place)
    for at, part in enumerate((statements[:2], others, statements[2:])):
        stream.put(at, part)
    rows = stream.run()
    assert images(rows)
    assert corrupt(rows).count() > 0
    assert read_with_what_was_left(spark, protocol, rows, place) == whole(spark, protocol, scenario)


@BOTH
def test_a_stream_has_typed_rows(spark: SparkSession, tmp_path: Path, protocol: Described) -> None:
    found = protocol.recorded("integers")
    options = {"schemaLocation": str(tmp_path / "tables"), "keep": "offset", "mode": "FAILFAST"}
    table = next(event.table for event in protocol.events(found) if getattr(event, "table", None))
    schema = table_schema(frame(spark, found), protocol.protocol, ("test", table))
    stream = Stream(spark, tmp_path, protocol, options)
    stream.put(1, found)
    rows = rows_from_ticdc(stream.messages(), protocol.protocol, ("test", table), schema, options)
    stream.write(rows).awaitTermination()
    batch = rows_from_ticdc(frame(spark, found), protocol.protocol, ("test", table), schema, {"keep": "offset"})
    own = batch.drop("_corrupt_record")
    made, expected = (Counter(str(row.asDict()) for row in one.collect()) for one in (stream.written(), own))
    assert made == expected
    assert sum(expected.values()) > 3


def test_a_stream_of_simple_needs_a_place(spark: SparkSession, tmp_path: Path) -> None:
    stream = Stream(spark, tmp_path, SIMPLE, {})
    frames: list[Callable[[], DataFrame]] = [
        lambda: from_ticdc(stream.messages(), "simple"),
        lambda: rows_from_ticdc(stream.messages(), "simple", None, "variant"),
        lambda: rows_from_ticdc(stream.messages(), "simple", "test.t", "id INT"),
    ]
    for make in frames:
        with pytest.raises(OptionError, match="a stream needs option schemaLocation"):
            make()


@BOTH
def test_a_place_that_cannot_be_written_is_an_error_at_the_first_description(
    spark: SparkSession, tmp_path: Path, protocol: Described
) -> None:
    (tmp_path / "file").write_text("")
    place = {"schemaLocation": str(tmp_path / "file" / "tables")}
    with pytest.raises(OptionError, match=r"option schemaLocation: .*\.json cannot be (written|read): NotADirectory"):
        from_ticdc(frame(spark, protocol.recorded("bits")), protocol.protocol, place)
