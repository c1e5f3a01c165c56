"""Batches whose rows need table descriptions from other messages, with and without schemaLocation."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from spark_frames import frame, images, number_of_images
from tables.described import folder

from tidewire import simple
from tidewire.events import RowChange
from tidewire.runtime.errors import OptionError
from tidewire.spark import from_ticdc, rows_from_ticdc, table_schema, table_schemas, to_ticdc


@cache
def recorded(scenario: str = "*", option_set: str = "json") -> tuple[bytes, ...]:
    """The recorded messages of a scenario, or of all, in their order."""

    def found() -> Iterator[bytes]:
        for path in sorted(folder().glob(f"*/{scenario}/simple.{option_set}.jsonl")):
            for line in map(json.loads, path.read_text("utf-8").splitlines()[1:]):
                if line.get("value"):
                    yield base64.b64decode(line["value"])

    values = tuple(found())
    assert values
    return values


def describes(value: bytes) -> bool:
    return b'"tableSchema"' in value or b'"preTableSchema"' in value


def rows_first(values: Sequence[bytes]) -> list[bytes]:
    """The messages with those behind all others that describe tables."""
    return sorted(values, key=describes)


def changes(values: Sequence[bytes]) -> Counter[str]:
    """The row images that messages have, decoded without Spark."""
    found: Counter[str] = Counter()
    for event in simple.decode_batch(list(values)):
        if isinstance(event, RowChange):
            found.update(str((event.table, dict(image))) for image in (event.old, event.new) if image is not None)
    return found


@pytest.mark.parametrize("located", [False, True])
@pytest.mark.parametrize("partitions", [1, 3])
def test_rows_before_their_descriptions_and_in_other_tasks_are_read_in_a_batch(
    spark: SparkSession, tmp_path: Path, located: bool, partitions: int
) -> None:
    values = rows_first(recorded())
    options = {"schemaLocation": str(tmp_path / "tables")} if located else {}
    rows = rows_from_ticdc(frame(spark, values, partitions), "simple", None, "variant", options)
    assert rows.where("_corrupt_record IS NOT NULL").count() == 0
    assert number_of_images(rows) == sum(changes(recorded()).values()) > 300
    if located:
        assert len(list((tmp_path / "tables").iterdir())) == len({*described(recorded())})


def described(values: Sequence[bytes]) -> Iterator[tuple[str | None, str, int | None]]:
    for event in simple.decode_batch(list(values)):
        for name in ("table_after", "table_before"):
            one = getattr(event, name, None)
            if one is not None:
                yield one.schema, one.table, one.version


def test_a_batch_without_a_place_for_descriptions_reads_all_surfaces(spark: SparkSession) -> None:
    values = rows_first(recorded())
    messages = frame(spark, values, 2)
    rows = rows_from_ticdc(messages, "simple", None, "variant")
    assert images(rows) == images(rows_from_ticdc(frame(spark, recorded()), "simple", None, "variant"))
    assert sum(images(rows).values()) == sum(changes(recorded()).values())
    events = from_ticdc(messages, "simple", {"mode": "FAILFAST"})
    own = Counter(event.kind if isinstance(event, RowChange) else "" for event in simple.decode_batch(list(recorded())))
    assert events.where("kind IN ('insert', 'update', 'delete')").count() == sum(own.values()) - own[""]
    schemas = table_schemas(messages, "simple")
    assert {name for _, name in schemas} == {
        event.table for event in simple.decode_batch(list(recorded())) if isinstance(event, RowChange)
    }
    assert table_schema(messages, "simple", "test.dec65") == schemas["test", "dec65"]


def test_typed_and_inferred_rows_have_the_values_of_the_messages(spark: SparkSession) -> None:
    values = recorded("rows-checked", "json-checksum")
    messages = frame(spark, rows_first(values), 2)
    fields = {field.name: field for field in table_schema(messages, "simple", "test.ck2")}
    assert fields["u"].dataType.simpleString() == "decimal(20,0)"
    assert fields["d"].dataType.simpleString() == "decimal(30,10)"
    assert fields["id"].metadata["handle_key"] is True
    assert fields["e"].metadata["members"] == ["x", "y"]
    inferred = rows_from_ticdc(messages, "simple", "test.ck2", options={"mode": "FAILFAST", "enum": "label"})
    first = inferred.where("_change_type = 'insert'").orderBy("_commit_version").first()
    assert first is not None
    assert (first.id, first.u, str(first.d), first.v) == (1, 2**64 - 1, "-1.5000000000", "中😀")
    assert (first.e, bytes(first.vb), first.t) == ("y", b"\x00?\xff"[:1] + b"\xff", "-838:59:59.000")
    typed = rows_from_ticdc(messages, "simple", "test.ck2", "id INT, u DECIMAL(20,0), v STRING", {"mode": "FAILFAST"})
    assert number_of_images(typed) == sum(changes(values).values())


def test_events_become_the_same_messages_again(spark: SparkSession) -> None:
    values = list(recorded())
    events = from_ticdc(frame(spark, values), "simple", {"mode": "FAILFAST"})
    options = {"producer": "tiflow", "messages": "keep"}
    again = [bytes(row.value) for row in to_ticdc(events, "simple", options).collect()]
    assert again == values


def test_what_nobody_described_is_kept_with_that_reason_and_read_once_it_is_known(
    spark: SparkSession, tmp_path: Path
) -> None:
    values = recorded("bits")
    rows = [value for value in values if not describes(value)]
    place = {"schemaLocation": str(tmp_path)}
    found = rows_from_ticdc(frame(spark, rows), "simple", None, "variant", place)
    bad = [row._corrupt_record for row in found.where("_corrupt_record IS NOT NULL").collect()]
    missed = [one for one in bad if "is not described in version" in one.reason]
    assert len(missed) == len(bad) > 5
    assert f"nor a file below {tmp_path}; read this message again once the table is described" in bad[0].reason
    kept = spark.createDataFrame([(bytes(one.value),) for one in bad], "value BINARY")
    # another job reads what describes the table, with the same place
    from_ticdc(frame(spark, [value for value in values if describes(value)]), "simple", place).collect()
    again = rows_from_ticdc(kept, "simple", None, "variant", place)
    assert again.where("_corrupt_record IS NOT NULL").count() == 0
    assert number_of_images(again) == sum(changes(values).values())
    with pytest.raises(Exception, match="is not described in version"):
        rows_from_ticdc(frame(spark, rows), "simple", None, "variant", {"mode": "FAILFAST"}).collect()
    dropped = rows_from_ticdc(frame(spark, rows), "simple", None, "variant", {"mode": "DROPMALFORMED"})
    assert dropped.count() == 0


def test_corrupt_records_of_a_batch_are_a_frame_of_messages_and_can_be_read_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    values = recorded("json")
    place = {"schemaLocation": str(tmp_path)}
    found = from_ticdc(frame(spark, [value for value in values if not describes(value)]), "simple", place)
    corrupt = found.where("_corrupt_record IS NOT NULL").select("_corrupt_record.*").toArrow()
    later = spark.createDataFrame(corrupt).unionByName(
        frame(spark, [value for value in values if describes(value)]), allowMissingColumns=True
    )
    again = rows_from_ticdc(later, "simple", None, "variant", place)
    assert again.where("_corrupt_record IS NOT NULL").count() == 0
    assert number_of_images(again) == sum(changes(values).values())


def test_compressed_messages_are_looked_through_for_descriptions(spark: SparkSession) -> None:
    values = recorded("*", "json-lz4")
    options = {"large-message-handle-compression": "lz4"}
    # the order is unknown without a decoder: descriptions come last in the reversed frame
    rows = rows_from_ticdc(frame(spark, values[::-1], 2), "simple", None, "variant", options)
    assert rows.where("_corrupt_record IS NOT NULL").count() == 0
    assert images(rows) == images(rows_from_ticdc(frame(spark, recorded()), "simple", None, "variant"))


def test_tables_that_change_are_read_by_one_schema(spark: SparkSession) -> None:
    values = recorded("rename-columns")
    options = {"rescuedDataColumn": "_rescued", "mode": "FAILFAST"}
    rows = rows_from_ticdc(frame(spark, values), "simple", "test.rc", "id INT", options).collect()
    left = {name for row in rows for name in json.loads(row._rescued or "{}")}
    schema = table_schema(frame(spark, values), "simple", "test.rc")
    assert left == {field.name for field in schema} - {"id"}
    assert len({tuple(json.loads(row._rescued)) for row in rows}) > 1


def test_a_version_that_goes_back_is_read_by_its_own_description(spark: SparkSession, tmp_path: Path) -> None:
    values = recorded("rename-columns")
    versions = {version for _, _, version in described(values)}
    assert len(versions) > 2
    back = [*values, *reversed(values)]
    for options in ({}, {"schemaLocation": str(tmp_path)}):
        rows = rows_from_ticdc(frame(spark, back, 2), "simple", None, "variant", options)
        assert rows.where("_corrupt_record IS NOT NULL").count() == 0
        assert number_of_images(rows) == 2 * sum(changes(values).values())


def test_a_description_that_contradicts_the_place_is_an_error_of_its_message(
    spark: SparkSession, tmp_path: Path
) -> None:
    values = list(recorded("bits"))
    (at,) = [at for at, value in enumerate(values) if b'"type":"CREATE"' in value][:1]
    changed = values[at].replace(b'"mysqlType":"bit"', b'"mysqlType":"int"', 1)
    assert changed != values[at]
    place = {"schemaLocation": str(tmp_path)}
    from_ticdc(frame(spark, values), "simple", place).collect()
    found = from_ticdc(frame(spark, [changed]), "simple", place).collect()
    (record,) = [row._corrupt_record for row in found]
    assert "is described already, and there it is 'bit', here 'int'" in record.reason
    both = from_ticdc(frame(spark, [values[at], changed]), "simple").collect()
    assert [row._corrupt_record is None for row in both].count(False) == 1


def test_a_place_that_cannot_be_read_leaves_rows_as_corrupt_records(spark: SparkSession, tmp_path: Path) -> None:
    values = recorded("bits")
    for _, table, version in described(values):
        (tmp_path / f"test.{table}.{version}.json").write_text("{")
    rows = frame(spark, [one for one in values if not describes(one)])
    found = from_ticdc(rows, "simple", {"schemaLocation": str(tmp_path)})
    reasons = {row._corrupt_record.reason for row in found.where("_corrupt_record IS NOT NULL").collect()}
    assert reasons
    assert all("holds no description of a table" in reason and "delete it" in reason for reason in reasons)


def test_the_option_is_refused_where_it_says_nothing(spark: SparkSession, tmp_path: Path) -> None:
    messages = frame(spark, recorded("bits")[:1])
    with pytest.raises(OptionError, match="messages of craft say themselves what the columns of their rows are"):
        from_ticdc(messages, "craft", {"schemaLocation": str(tmp_path)})
    with pytest.raises(OptionError, match="not empty"):
        from_ticdc(messages, "simple", {"schemaLocation": " "})
    with pytest.raises(OptionError, match=r"s3://… has something behind \?") as caught:
        from_ticdc(messages, "simple", {"schemaLocation": "s3://bucket/x?secret=hush"})
    assert "hush" not in str(caught.value)
    with pytest.raises(OptionError, match="nosuch://host/x' cannot be used") as caught:
        from_ticdc(messages, "simple", {"schemaLocation": "nosuch://me:hush@host/x"})
    assert "hush" not in str(caught.value)
