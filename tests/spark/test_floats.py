"""FLOATs damaged by a producer, and other events that a protocol cannot carry: null with a reason, or an error."""

from __future__ import annotations

import struct

import pytest
from pyspark.errors import PythonException
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F
from recorded import craft_messages
from spark_frames import Frame, RecordedFrame

from tidewire import canal_json, craft
from tidewire.events import RowChange
from tidewire.mysql import ColumnType
from tidewire.runtime.batch import Column
from tidewire.spark import SchemaError, from_ticdc, rows_from_ticdc, to_ticdc

TSO = 470607536966860800
ID = Column("id", ColumnType.BIGINT, 10)
FLOATS = [0.5, 7.957484216e-315, -2.6815628646567256e154, float("nan"), 0.1, None, -0.0, 3.4028234663852886e38]
DAMAGED = {1, 2, 3, 4}
NAME = next(iter(craft.FACTS.defects))


def change(number: int, value: float | None) -> RowChange:
    columns = [ID, Column("f", ColumnType.FLOAT, 64), Column("d", ColumnType.DOUBLE, 64)]
    return RowChange("insert", TSO, "s", "t", {"id": number, "f": value, "d": value}, columns=columns)


def messages() -> list[bytes]:
    """A message for each of the values."""
    return [craft.encode([change(k, value)])[0].value or b"" for k, value in enumerate(FLOATS)]


@pytest.mark.parametrize("kind", ["FLOAT", "DOUBLE", "STRING"])
def test_a_float_that_is_none_is_null_with_a_reason(frame: Frame, kind: str) -> None:
    rows = rows_from_ticdc(frame(messages()), "craft", "s.t", f"id BIGINT, f {kind}, d DOUBLE").collect()
    assert {row.id for row in rows if row.f is None} == DAMAGED | {5}
    for row in rows:
        if row.id in DAMAGED:
            assert "s.t, column 'f': " in row._corrupt_record.reason
            assert f"is no 32-bit float, as every FLOAT is; {NAME}: " in row._corrupt_record.reason
        else:
            assert row._corrupt_record is None
        value = FLOATS[row.id]
        assert value is None or struct.pack("<d", row.d) == struct.pack("<d", value)


def test_what_modes_do_about_it(frame: Frame) -> None:
    schema = "id BIGINT, f FLOAT"
    left = rows_from_ticdc(frame(messages()), "craft", "s.t", schema, {"mode": "DROPMALFORMED"}).collect()
    assert {row.id for row in left} == set(range(len(FLOATS))) - DAMAGED
    with pytest.raises(PythonException, match=f"topic t, partition 0, offset 1: .*is no 32-bit float.*{NAME}"):
        rows_from_ticdc(frame(messages()), "craft", "s.t", schema, {"mode": "FAILFAST"}).collect()


def test_recorded_floats_show_no_wrong_zero(recorded_frame: RecordedFrame) -> None:
    """Of the recorded ones none that cannot be right is shown; those of the mended producer all are."""
    for option_set, bad in (("default", 15), ("default-float8", 0)):
        events = craft.decode_batch([message.value for message in craft_messages("decimals", option_set)])
        tables = {f"{schema}.{table}" for schema, table in events.columns.tables if table}
        reasons = []
        for table in sorted(tables):
            rows = rows_from_ticdc(recorded_frame("decimals", option_set), "craft", table).collect()
            reasons += [row._corrupt_record.reason for row in rows if row._corrupt_record is not None]
        assert sum(reason.count(f"is no 32-bit float, as every FLOAT is; {NAME}") for reason in reasons) == bad


# ---- events that cannot be written


def values(rows: list[Row]) -> list[int]:
    """The ids in messages."""
    events = canal_json.decode_batch([bytes(row.value) for row in rows if row.value is not None])
    return [event.new["id"] for event in events if isinstance(event, RowChange) and event.new is not None]


def test_an_event_that_cannot_be_written_is_named(frame: Frame) -> None:
    events = from_ticdc(frame(messages()), "craft", {"mode": "FAILFAST"})
    sentence = (
        r"canal-json event 1, column 'f': 7.957484216e-315 is no 32-bit float.* \(kind insert, schema s, table t, "
        f"_commit_version {TSO}, .*topic t, partition 0, offset 1.*Mode PERMISSIVE keeps such events"
    )
    with pytest.raises(PythonException, match=sentence):
        to_ticdc(events, "canal-json").collect()


@pytest.mark.parametrize("size", ["10000", "3", "1"])
def test_permissive_keeps_it_with_its_reason(spark: SparkSession, frame: Frame, size: str) -> None:
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", size)
    try:
        events = from_ticdc(frame(messages()), "craft", {"mode": "FAILFAST"})
        given = {"mode": "permissive", "topic": "out", "columnNameOfCorruptRecord": "bad"}
        rows = to_ticdc(events, "canal-json", given).collect()
        dropped = to_ticdc(events, "canal-json", {"mode": "DROPMALFORMED"}).collect()
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    good = [k for k in range(len(FLOATS)) if k not in {1, 2, 3}]
    assert values(rows) == values(dropped) == good
    assert dropped[0].__fields__ == ["key", "value", "events"]
    bad = [row for row in rows if row.bad is not None]
    assert [row.bad.offset for row in bad] == [1, 2, 3]
    assert all((row.value, row.topic, row.bad.topic, row.bad.partition) == (None, None, "t", 0) for row in bad)
    assert bad[0].bad.reason.startswith("column 'f': 7.957484216e-315 is no 32-bit float")
    assert [row.topic for row in rows if row.bad is None] == ["out"] * len(good)


def test_rows_that_are_no_events_are_kept_too(frame: Frame) -> None:
    events = from_ticdc(frame(messages()[:3]), "craft", {"mode": "FAILFAST"})
    broken = events.withColumn("kind", F.when(F.col("offset") == 1, "upsert").otherwise(F.col("kind")))
    broken = broken.withColumn("columns", F.when(F.col("offset") == 0, F.lit(None)).otherwise(F.col("columns")))
    rows = to_ticdc(broken, "craft", {"mode": "PERMISSIVE"}).collect()
    reasons = {row._corrupt_record.offset: row._corrupt_record.reason for row in rows if row._corrupt_record}
    assert reasons.keys() == {0, 1}
    assert "no `columns`" in reasons[0]
    assert "kind is one of" in reasons[1]
    assert sum(row.events or 0 for row in rows) == 1


def test_the_column_needs_a_name_of_its_own(frame: Frame) -> None:
    events = from_ticdc(frame(messages()[:1]), "craft")
    with pytest.raises(SchemaError, match="columnNameOfCorruptRecord needs another name than Value"):
        to_ticdc(events, "craft", {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": "Value"})
