"""Debezium in Spark: rows with schema blocks need no descriptions; others are read with descriptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from recorded import Recorded
from spark_streams import DEBEZIUM, Stream, frame, image_text, images, recorded

from tidewire.events import RowChange
from tidewire.spark import from_ticdc, rows_from_ticdc, table_schema, to_ticdc


def images_of(found: Sequence[Recorded]) -> Counter[str]:
    """The row images of messages, decoded without Spark."""
    made: Counter[str] = Counter()
    for event in DEBEZIUM.events(found):
        if isinstance(event, RowChange):
            made.update(image_text(event.table, image) for image in (event.old, event.new) if image is not None)
    assert made
    return made


def corrupt(rows: DataFrame) -> list[str]:
    return [row._corrupt_record.reason for row in rows.where("_corrupt_record IS NOT NULL").collect()]


@pytest.mark.parametrize("producer", ["tiflow", "ticdc"])
@pytest.mark.parametrize("options", ["default", "no-schema", "tidb-extension"])
def test_a_batch_reads_rows_before_their_statements_and_in_other_tasks(
    spark: SparkSession, producer: str, options: str
) -> None:
    found = recorded(f"{producer}/integers/debezium.{options}")
    rows = rows_from_ticdc(frame(spark, sorted(found, key=DEBEZIUM.describes), 2), "debezium", None, "variant")
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


def test_a_stream_with_blocks_needs_no_descriptions(spark: SparkSession, tmp_path: Path) -> None:
    found = [one for one in recorded("tiflow/integers/debezium.tidb-extension") if not DEBEZIUM.describes(one)]
    stream = Stream(spark, tmp_path, DEBEZIUM, {})
    stream.put(1, found)
    rows = stream.run()
    assert corrupt(rows) == []
    assert images(rows) == images_of(found)


def test_what_nobody_described_is_kept_with_that_reason_and_read_once_it_is_known(
    spark: SparkSession, tmp_path: Path
) -> None:
    found = recorded("tiflow/integers/debezium.no-schema")
    statements, others = DEBEZIUM.parted(found)
    places: list[dict[str, str]] = [{}, {"schemaLocation": str(tmp_path / "tables")}]
    for options in places:
        rows = rows_from_ticdc(frame(spark, others), "debezium", None, "variant", options)
        bad = rows.where("_corrupt_record IS NOT NULL").select("_corrupt_record.*")
        reasons = [row.reason for row in bad.collect()]
        assert len(reasons) == len([one for one in others if b'"op"' in one.value])
        assert all("`test`.`ints` is not described" in reason for reason in reasons)
        assert all("read this message again once the table is described" in reason for reason in reasons)
    kept = spark.createDataFrame(bad.toArrow())
    from_ticdc(frame(spark, statements), "debezium", options).collect()
    again = rows_from_ticdc(kept, "debezium", None, "variant", options)
    assert corrupt(again) == []
    assert images(again) == images_of(found)
