"""Debezium in Spark: rows that a schema block describes need nothing else; others are read by descriptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from recorded import Recorded, messages, stream_name, streams

from tidewire import debezium
from tidewire.events import Ddl, RowChange
from tidewire.runtime.errors import OptionError
from tidewire.spark import from_ticdc, known_tables, rows_from_ticdc, table_schema, to_ticdc

LAYOUT = "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT"


@cache
def recorded(name: str) -> tuple[Recorded, ...]:
    """The messages of a recorded stream."""
    (path,) = (one for one in streams("debezium", own=False) if stream_name(one) == name)
    return tuple(messages(path))


def frame(spark: SparkSession, found: Sequence[Recorded], partitions: int = 1) -> DataFrame:
    """Messages, in so many Spark partitions, one after the other."""
    rows = [(one.key, one.value, "t", 0, at) for at, one in enumerate(found)]
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, partitions), LAYOUT)


def describes(one: Recorded) -> bool:
    return b'"tableChanges"' in one.value


def decoded(found: Sequence[Recorded]) -> Iterable[Any]:
    """The events of messages, decoded without Spark."""
    return debezium.decode_batch([one.value for one in found], [one.key for one in found])


def images_of(found: Sequence[Recorded]) -> Counter[str]:
    """Their row images."""
    made: Counter[str] = Counter()
    for event in decoded(found):
        if isinstance(event, RowChange):
            made.update(_said(event.table, image) for image in (event.old, event.new) if image is not None)
    assert made
    return made


def _said(table: str | None, image: Any) -> str:
    values = {name: str(value) for name, value in image.items()}
    return f"{table} {sorted(values.items())}"


def images(rows: DataFrame) -> Counter[str]:
    return Counter(_said(row.table, row.row.toPython()) for row in rows.where("row IS NOT NULL").collect())


def corrupt(rows: DataFrame) -> list[str]:
    return [row._corrupt_record.reason for row in rows.where("_corrupt_record IS NOT NULL").collect()]


@pytest.mark.parametrize("producer", ["tiflow", "ticdc"])
@pytest.mark.parametrize("options", ["default", "no-schema", "tidb-extension"])
def test_a_batch_reads_rows_before_their_statements_and_in_other_tasks(
    spark: SparkSession, producer: str, options: str
) -> None:
    found = recorded(f"{producer}/integers/debezium.{options}")
    rows = rows_from_ticdc(frame(spark, sorted(found, key=describes), 2), "debezium", None, "variant")
    assert corrupt(rows) == []
    assert images(rows) == images_of(found)


def test_events_become_the_same_messages_again(spark: SparkSession) -> None:
    found = recorded("tiflow/integers/debezium.default")
    events = from_ticdc(frame(spark, found), "debezium", {"mode": "FAILFAST"})
    again = to_ticdc(events, "debezium", {"producer": "tiflow", "messages": "keep"}).collect()
    assert [(row.key and bytes(row.key), bytes(row.value)) for row in again] == [(one.key, one.value) for one in found]


def test_typed_rows(spark: SparkSession) -> None:
    found = recorded("tiflow/integers/debezium.tidb-extension")
    given = frame(spark, found)
    schema = table_schema(given, "debezium", "test.ints")
    assert schema["bu"].dataType.simpleString() == "decimal(20,0)"
    assert schema["id"].metadata["handle_key"] is True
    typed = rows_from_ticdc(given, "debezium", "test.ints", schema, {"mode": "FAILFAST"})
    first = typed.where("_change_type = 'insert'").orderBy("_commit_version").first()
    assert first is not None
    assert (first.id, first.t, first.b) == (1, -128, -(2**63))


def stream_of(
    spark: SparkSession, tmp_path: Path, found: Sequence[Sequence[Recorded]], options: dict[str, str]
) -> DataFrame:
    """The rows of a query, each of whose micro-batches is restarted after it."""
    source, out, state = tmp_path / "in", tmp_path / "out", tmp_path / "state"
    for part in found:
        frame(spark, part).coalesce(1).write.mode("append").parquet(str(source))
        read = spark.readStream.schema(LAYOUT).parquet(str(source))
        writer = rows_from_ticdc(read, "debezium", None, "variant", options).writeStream.format("parquet")
        writer = writer.option("path", str(out)).option("checkpointLocation", str(state))
        writer.trigger(availableNow=True).start().awaitTermination()
    return spark.read.parquet(str(out))


def test_a_stream_with_blocks_needs_no_descriptions(spark: SparkSession, tmp_path: Path) -> None:
    found = [one for one in recorded("tiflow/integers/debezium.tidb-extension") if not describes(one)]
    rows = stream_of(spark, tmp_path, [found], {})
    assert corrupt(rows) == []
    assert images(rows) == images_of(found)


def test_a_stream_without_blocks_finds_descriptions_in_files_after_a_restart(
    spark: SparkSession, tmp_path: Path
) -> None:
    found = recorded("tiflow/integers/debezium.no-schema")
    place = {"schemaLocation": str(tmp_path / "tables")}
    statements, others = ([one for one in found if describes(one) is wanted] for wanted in (True, False))
    from_ticdc(frame(spark, statements), "debezium", place).collect()
    # the versions are found by the time at which a row was committed, so that a process that knows none lists them
    known_tables._with_files.clear()
    rows = stream_of(spark, tmp_path, [others[:3], others[3:]], place)
    assert corrupt(rows) == []
    assert images(rows) == images_of(found)


def test_what_nobody_described_is_kept_with_that_reason_and_read_once_it_is_known(
    spark: SparkSession, tmp_path: Path
) -> None:
    found = recorded("tiflow/integers/debezium.no-schema")
    statements, others = ([one for one in found if describes(one) is wanted] for wanted in (True, False))
    places: list[dict[str, str]] = [{}, {"schemaLocation": str(tmp_path / "tables")}]
    for options in places:
        rows = rows_from_ticdc(frame(spark, others), "debezium", None, "variant", options)
        bad = rows.where("_corrupt_record IS NOT NULL").select("_corrupt_record.*")
        reasons = [row.reason for row in bad.collect()]
        assert len(reasons) == len([one for one in others if b'"op"' in one.value])
        assert all("`test`.`ints` is not described in any version" in reason for reason in reasons)
        assert all("read this message again once the table is described" in reason for reason in reasons)
    kept = spark.createDataFrame(bad.toArrow())
    from_ticdc(frame(spark, statements), "debezium", options).collect()
    again = rows_from_ticdc(kept, "debezium", None, "variant", options)
    assert corrupt(again) == []
    assert images(again) == images_of(found)


def query_of(spark: SparkSession, folder: Path, name: str, files: int, options: dict[str, str]) -> StreamingQuery:
    """A query over messages in files, with its own output and state."""
    read = spark.readStream.schema(LAYOUT).option("maxFilesPerTrigger", str(files)).parquet(str(folder / "in"))
    writer = rows_from_ticdc(read, "debezium", None, "variant", options).writeStream.format("parquet")
    writer = writer.option("path", str(folder / name)).option("checkpointLocation", str(folder / f"state-{name}"))
    return writer.trigger(availableNow=True).start()


@pytest.mark.parametrize("store", ["", "local://"])
def test_two_queries_share_a_place(spark: SparkSession, tmp_path: Path, store: str) -> None:
    found = recorded("tiflow/integers/debezium.no-schema")
    for part in (found[: len(found) // 2], found[len(found) // 2 :]):
        frame(spark, part).coalesce(1).write.mode("append").parquet(str(tmp_path / "in"))
    place = {"schemaLocation": f"{store}{tmp_path / 'tables'}"}
    queries = [query_of(spark, tmp_path, name, 1, place) for name in ("one", "other")]
    for query in queries:
        query.awaitTermination()
    versions = {event.commit_ts for event in decoded(found) if isinstance(event, Ddl) and event.table_after}
    names = {path.name for path in (tmp_path / "tables").iterdir()}
    assert names == {f"test.ints.{version}.json" for version in versions}
    for name in ("one", "other"):
        rows = spark.read.parquet(str(tmp_path / name))
        bad = rows.where("_corrupt_record IS NOT NULL").select("_corrupt_record.*")
        again = rows_from_ticdc(bad, "debezium", None, "variant", place)
        assert corrupt(again) == []
        assert images(rows) + images(again) == images_of(found)


def test_no_row_is_lost_where_tasks_of_one_micro_batch_read_rows_and_statements(
    spark: SparkSession, tmp_path: Path
) -> None:
    found = recorded("tiflow/integers/debezium.no-schema")
    statements, others = ([one for one in found if describes(one) is wanted] for wanted in (True, False))
    for part in (others[::2], statements, others[1::2]):
        frame(spark, part).coalesce(1).write.mode("append").parquet(str(tmp_path / "in"))
    place = {"schemaLocation": str(tmp_path / "tables")}
    query_of(spark, tmp_path, "out", 3, place).awaitTermination()
    rows = spark.read.parquet(str(tmp_path / "out"))
    bad = rows.where("_corrupt_record IS NOT NULL").select("_corrupt_record.*")
    again = rows_from_ticdc(bad, "debezium", None, "variant", place)
    assert corrupt(again) == []
    assert images(rows) + images(again) == images_of(found)


def test_a_place_that_cannot_be_written_is_an_error_at_the_first_statement(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    place = {"schemaLocation": str(tmp_path / "file" / "tables")}
    with pytest.raises(OptionError, match=r"option schemaLocation: .*\.json cannot be (written|read): NotADirectory"):
        from_ticdc(frame(spark, recorded("tiflow/integers/debezium.no-schema")), "debezium", place)
