"""Tables that change while they are read: added, dropped and retyped columns."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType, VariantVal
from spark_frames import kafka_table, task_rows

from tidewire import craft
from tidewire.events import Column, RowChange
from tidewire.reading import table_rows
from tidewire.reading.options import ReadOptions
from tidewire.runtime.batch import Layout
from tidewire.spark import MalformedError, SchemaError, drift, rows_from_ticdc
from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.outputs import as_sent, row_schema
from tidewire.spark.table_rows import RowsTask

TSO = 470607709161390080
INT, DATE, VARCHAR, JSON, BLOB, TINYINT, TIMESTAMP = 3, 10, 15, 245, 252, 1, 7
ID = Column("id", INT, 2 | 8)


def change(row: dict[str, Any] | None, *columns: Column, old: dict[str, Any] | None = None, **more: Any) -> RowChange:
    """An insert, update or delete of shop.orders."""
    kind = "insert" if old is None else "delete" if row is None else "update"
    return RowChange(kind, TSO, "shop", "orders", row, old, columns=[ID, *columns], **more)


def task(schema: str | StructType, **options: Any) -> RowsTask:
    """The task that makes rows of shop.orders, of Craft's messages."""
    chosen = ReadOptions(**options)
    columns = struct(schema) if isinstance(schema, str) else schema
    sent, table = as_sent(row_schema(columns, chosen), columns, chosen)
    return RowsTask("craft", chosen, arrow_schema(sent), ("shop", "orders"), table)


def struct(ddl: str) -> StructType:
    """A schema without Spark: names and plain types."""
    fields = [field.split() for field in ddl.split(", ")]
    return StructType.fromJson(
        {"fields": [{"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in fields]}
    )


def rescued(row: dict[str, Any]) -> object:
    """The rescued data of a row, as Python."""
    found = row["_rescued"]
    return found if found is None else VariantVal(found["value"], found["metadata"]).toPython()


CHANGED = [
    change({"id": 1, "v": 7}, Column("v", INT, 64)),
    change({"id": 2, "v": "2026-01-02"}, Column("v", DATE, 64)),
    change({"id": 3, "v": None}, Column("v", DATE, 64)),
    change({"id": 4, "v": 8}, Column("v", INT, 64)),
]
CANNOT = (
    "shop.orders, column 'v': DATE values (stored as string) cannot be INT; declare DATE, BINARY, STRING and cast "
    "afterwards"
)


def test_a_column_that_the_schema_cannot_hold_any_more_is_null_with_its_reason() -> None:
    rows = task_rows(task("id integer, v integer"), CHANGED)
    assert [(row["id"], row["v"]) for row in rows] == [(1, 7), (2, None), (3, None), (4, 8)]
    reasons = [row["_corrupt_record"] and row["_corrupt_record"]["reason"] for row in rows]
    assert reasons == [None, CANNOT, None, None]
    assert rows[1]["_corrupt_record"]["value"] == b"m1"


def test_it_is_dropped_or_fails_as_the_mode_says() -> None:
    dropped = task_rows(task("id integer, v integer", mode="DROPMALFORMED"), CHANGED)
    assert [row["id"] for row in dropped] == [1, 3, 4]
    with pytest.raises(MalformedError, match=r"message 1 of an Arrow batch: shop\.orders, column 'v': DATE values"):
        task_rows(task("id integer, v integer", mode="FAILFAST"), CHANGED)


def test_both_images_of_an_update_that_changed_between_types() -> None:
    events = [change({"id": 1, "v": 7}, Column("v", INT, 64), old={"id": 1, "v": 6}), *CHANGED]
    rows = task_rows(task("id integer, v date"), events)
    assert [(row["id"], str(row["v"])) for row in rows if row["_corrupt_record"] is None] == [
        *((2, "2026-01-02"), (3, "None")),
    ]


DRIFTED = [
    change({"id": 1, "tel": "+1"}, Column("tel", VARCHAR, 64)),
    change({"id": 2, "tel": "+2", "phone": None}, Column("tel", VARCHAR, 64), Column("phone", VARCHAR, 64)),
    change({"id": 3, "phone": "+3"}, Column("phone", VARCHAR, 64)),
    change({"id": 300, "phone": "+3"}, Column("phone", VARCHAR, 64)),
    change(None, old={"id": 5}),
]


def test_what_the_schema_lacks_or_cannot_hold_is_rescued_by_name() -> None:
    rows = task_rows(task("id byte, tel string", rescued_column="_rescued"), DRIFTED)
    assert [(row["id"], row["tel"], rescued(row)) for row in rows] == [
        (1, "+1", None),
        (2, "+2", {"phone": None}),
        (3, None, {"phone": "+3", "_absent": "tel"}),
        (None, None, {"phone": "+3", "_absent": "tel", "id": 300}),
        (5, None, {"_absent": "tel"}),
    ]
    assert all(row["_corrupt_record"] is None for row in rows)


@pytest.mark.parametrize("mode", ["PERMISSIVE", "DROPMALFORMED", "FAILFAST"])
def test_what_is_rescued_is_no_trouble_in_any_mode(mode: str) -> None:
    rows = task_rows(task("id integer, v integer", mode=mode, rescued_column="_rescued"), CHANGED)
    assert [(row["id"], row["v"], rescued(row)) for row in rows] == [
        (1, 7, None),
        (2, None, {"v": "2026-01-02"}),
        (3, None, None),
        (4, 8, None),
    ]


def test_rescued_values_are_exact_and_rows_keep_their_order() -> None:
    columns = [Column("u", 8, 128), Column("d", 246, 0), Column("b", BLOB, 1), Column("s", TINYINT, 0)]
    values = {"u": 2**64 - 1, "d": "1.10", "b": b"\xff\x00", "s": 1}
    events = [
        change({"id": at, **values, "s": 1 if at % 3 else 100, "u": at if at % 2 else 2**64 - 1}, *columns)
        for at in range(40)
    ]
    rows = task_rows(task("id integer, u long, s boolean, D decimal(2,1)", rescued_column="_rescued"), events)
    assert [row["id"] for row in rows] == list(range(40))
    for at, row in enumerate(rows):
        kept = {"b": b"\xff\x00"}
        if at % 2 == 0:
            kept["u"] = 2**64 - 1  # type: ignore[assignment]
        assert rescued(row) == kept
        assert row["u"] == (at if at % 2 else None)
        assert str(row["D"]) == "1.1"


def test_a_column_that_has_the_name_of_our_member() -> None:
    columns = [Column("_absent", VARCHAR, 64), Column("__absent", VARCHAR, 64)]
    rows = task_rows(
        task("id integer, gone string", rescued_column="_rescued"),
        [change({"id": 1, "_absent": "a", "__absent": "b"}, *columns)],
    )
    assert rescued(rows[0]) == {"_absent": "a", "__absent": "b", "___absent": "gone"}


def test_columns_that_differ_in_case_only() -> None:
    columns = [Column("v", INT, 64), Column("V", INT, 64)]
    (row,) = task_rows(
        task("id integer, v integer", rescued_column="_rescued"), [change({"id": 1, "v": 2, "V": 3}, *columns)]
    )
    assert (row["v"], rescued(row)) == (None, {"V": 3, "v": 2})


def test_a_damaged_float_is_not_rescued() -> None:
    columns = [Column("f", 4, 64), Column("g", 4, 64)]
    values = [(0.5, 0.5), (7.957484216e-315, 0.25), (0.5, None)]
    events = [change({"id": at, "f": f, "g": g}, *columns) for at, (f, g) in enumerate(values)]
    rows = task_rows(task("id integer, f double, g integer", rescued_column="_rescued"), events)
    assert [(row["f"], rescued(row)) for row in rows] == [(0.5, {"g": 0.5}), (None, {"g": 0.25}), (0.5, None)]
    reasons = [row["_corrupt_record"] and row["_corrupt_record"]["reason"] for row in rows]
    assert (reasons[0], reasons[2]) == (None, None)
    assert "column 'f': '7.957484216e-315' is no 32-bit float, as every FLOAT is; float-overwritten: " in reasons[1]


def test_a_zero_date_is_rescued_where_null_is_not_its_policy() -> None:
    events = [change({"id": 1, "v": "0000-00-00"}, Column("v", DATE, 64))]
    (row,) = task_rows(task("id integer, v date", rescued_column="_rescued", zero_date="error"), events)
    assert (row["v"], rescued(row)) == (None, {"v": "0000-00-00"})
    (row,) = task_rows(task("id integer, v date", rescued_column="_rescued"), events)
    assert (row["v"], rescued(row)) == (None, None)


def warnings(caplog: pytest.LogCaptureFixture, schema: str, *batches: Sequence[RowChange], **options: Any) -> list[str]:
    """What is said of the table while these batches are read."""
    drift._known.clear()
    drift._told.clear()
    caplog.clear()
    one = task(schema, **options)
    with caplog.at_level(logging.WARNING, "tidewire.spark"):
        for batch in batches:
            task_rows(one, batch)
    return caplog.messages


def test_a_column_that_comes_or_goes_is_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    before, both, after = ([DRIFTED[at]] * 2 for at in range(3))
    assert warnings(caplog, "id integer, TEL string", before, both, after, before, both, after) == [
        "tidewire: rows of shop.orders have got a column 'phone', which the schema lacks: it is left out; option "
        "rescuedDataColumn says so in each row",
        "tidewire: rows of shop.orders no longer have a column 'tel', which is null in them; option rescuedDataColumn "
        "says so in each row",
    ]
    assert warnings(caplog, "id integer, tel string", before, both, after, rescued_column="_rescued") == []


def test_what_is_no_change_of_the_table_is_not_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    before, both, after = ([DRIFTED[at]] for at in range(3))
    # fewer columns than the table has; deletes of keys; rows of which there is the key; a newer schema
    assert warnings(caplog, "id integer", both, both) == []
    assert warnings(caplog, "id integer, tel string", before, [change(None, old={"id": 1})]) == []
    assert warnings(caplog, "id integer, tel string", before, [change({"id": 1}, handle_key_only=True)]) == []
    assert warnings(caplog, "id integer, tel string, phone string", before, both) == []
    assert warnings(caplog, "id integer, phone string", before, both, after) == []


def test_a_time_zone_that_nobody_says_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    at = Column("at", TIMESTAMP, 64)
    event = change({"id": 1, "at": "2026-01-02 03:04:05"}, at)
    said = [
        "tidewire: shop.orders has TIMESTAMP columns, and neither its messages nor option timezone say the time zone "
        "of the changefeed: they are read as in UTC, the session's"
    ]
    assert warnings(caplog, "id integer, at timestamp", [event], [event]) == said
    assert warnings(caplog, "id integer, at timestamp", [event], zoned=True) == []
    assert warnings(caplog, "id integer, at string", [event]) == [], "it is text as it was sent"
    told = change({"id": 1, "at": "2026-01-02 03:04:05"}, at, time_zone="Asia/Tokyo")
    assert warnings(caplog, "id integer, at timestamp", [told]) == []


def test_what_is_remembered_of_tables_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    drift._known.clear()
    drift._told.clear()
    monkeypatch.setattr(drift, "MOST_KEPT", 3)
    for at in range(10):
        columns = (Column("n" * 300, INT, 64), *(Column(f"c{at}{n}", INT, 64) for n in range(5000)))
        drift.watch(("shop", f"t{at}"), Layout(0, columns, [], 0), ["id"])
        drift.watch(("shop", f"t{at}"), Layout(0, columns[:9], [], 0), [columns[20].name])
    assert len(drift._known) <= 3
    assert max(map(len, drift._known.values())) <= 2 * 5000
    assert all(len(name) < 300 for names in drift._known.values() for name in names)
    assert len(drift._told) <= 3


def test_plans_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_rows, "MOST_PLANS", 3)
    one = task("id integer")
    for at in range(10):
        assert task_rows(one, [change({"id": at, f"c{at}": 1}, Column(f"c{at}", INT, 64))])[0]["id"] == at
    assert len(one.plans) <= 3


def test_a_long_value_is_cut_in_its_reason() -> None:
    (row,) = task_rows(task("id integer, v byte"), [change({"id": 1, "v": 10**6}, Column("v", INT, 64))])
    assert "'1000000' does not fit TINYINT" in row["_corrupt_record"]["reason"]
    (row,) = task_rows(task("id integer, v decimal(2,1)"), [change({"id": 1, "v": "9" * 65}, Column("v", 246, 64))])
    assert "9" * 65 in row["_corrupt_record"]["reason"]
    text = "9" * 5000
    (row,) = task_rows(task("id integer, v date"), [change({"id": 1, "v": text}, Column("v", DATE, 64))])
    assert len(row["_corrupt_record"]["reason"]) < 250


def test_a_stream_goes_on_through_all_of_it(spark: SparkSession, tmp_path: Path) -> None:
    events = [*CHANGED, change({"id": 5, "v": 9, "more": "é"}, Column("v", INT, 64), Column("more", VARCHAR, 64))]
    values = [message.value for message in craft.encode(events, craft.Options(max_batch_size=1))]
    (tmp_path / "in").mkdir()
    for number, part in enumerate((values[:1], values[1:3], values[3:])):
        pq.write_table(kafka_table(part, ["t"] * len(part)), tmp_path / "in" / f"{number}.parquet")
    columns = "key binary, value binary, topic string, partition int, offset bigint"
    stream = spark.readStream.schema(columns).option("maxFilesPerTrigger", 1).parquet(str(tmp_path / "in"))
    rows = rows_from_ticdc(stream, "craft", "shop.orders", "id int, v int", {"rescuedDataColumn": "_rescued"})
    assert rows.columns[-2:] == ["_rescued", "_corrupt_record"]
    assert rows.schema["_rescued"].dataType.simpleString() == "string"
    plain = rows_from_ticdc(stream, "craft", "shop.orders", "id int, v int")
    for name, one in {"rescued": rows, "plain": plain}.items():
        writer = one.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / f"{name}.state"))
        query = writer.trigger(availableNow=True).start(str(tmp_path / name))
        query.awaitTermination()
        assert query.exception() is None
    found = pq.read_table(tmp_path / "rescued").sort_by("id").to_pylist()
    assert [(row["v"], row["_rescued"] and json.loads(row["_rescued"])) for row in found] == [
        *((7, None), (None, {"v": "2026-01-02"}), (None, None), (8, None), (9, {"more": "é"})),
    ]
    found = pq.read_table(tmp_path / "plain").sort_by("id").to_pylist()
    assert [row["_corrupt_record"] and row["_corrupt_record"]["reason"] for row in found] == [
        *(None, CANNOT, None, None, None),
    ]


def test_the_column_has_a_name_of_its_own() -> None:
    with pytest.raises(SchemaError, match="column '_corrupt_record' is there twice"):
        row_schema(struct("id integer"), ReadOptions(rescued_column="_corrupt_record"))
