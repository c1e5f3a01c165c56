"""Tables of Iceberg that people partition and order: steps write into the transaction, in the layout of the table."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from sync.frames import frame_of
from tidewire.spark.sync.changelog import Position
from tidewire.spark.sync.targets import AddColumn, ChangeType, Column, iceberg
from tidewire.spark.sync.targets.iceberg import RESOLVED, IcebergTable, IcebergTables
from tidewire.spark.sync.targets.into_transaction import merged

COLUMNS = (Column("id", "bigint"), Column("v", "int"), Column("note", "string"), Column("ts", "timestamp"))
SCHEMA = "id bigint, v int, note string, ts timestamp"
Row = tuple[Any, ...]

_numbers: Iterator[int] = iter(range(1000))


def row(id: int, v: int) -> Row:
    return (id, v, "abc"[v % 3] * 3, datetime.datetime(2026, 1, 1 + v, v))


def made(spark: SparkSession) -> IcebergTable:
    table = IcebergTables(spark, "ice.{schema}.{table}").table(f"layout{next(_numbers)}.t", "shop/1")
    table.create(COLUMNS, Position(10))
    return table


def merge(table: IcebergTable, rows: list[Row], at: int, to: int, few: bool = False) -> None:
    changes = frame_of(table.spark, rows, f"_change_type string, {SCHEMA}")
    table.apply(changes, ["id"], Position(at), Position(to), few)


def rows(table: IcebergTable) -> set[Row]:
    return {tuple(one) for one in table.read(table.version()).collect()}


PARTITIONS = ("bucket(4, id)", "truncate(2, note)", "hours(ts)", "v")
LAYOUTS = {
    "years": ["add partition field years(ts)", "add partition field bucket(3, note)"],
    "months": ["add partition field months(ts)", "add partition field truncate(10, id)"],
    "days": ["add partition field days(ts)", "write ordered by days(ts), bucket(2, id)"],
    "hash": [*(f"add partition field {one}" for one in PARTITIONS), "write distributed by partition"],
    "none": [*(f"add partition field {one}" for one in PARTITIONS), "write unordered"],
    "range": ["write ordered by hours(ts) desc, truncate(1, note), bucket(4, id), v"],
    "local": [
        "add partition field bucket(4, id)",
        "write distributed by partition locally ordered by truncate(2, note)",
    ],
    "fanout": [
        "add partition field hours(ts)",
        "set tblproperties ('write.spark.fanout.enabled' = 'true', 'write.merge.distribution-mode' = 'range')",
    ],
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_table_in_any_layout_is_merged_appended_to_and_rewritten(spark: SparkSession, layout: str) -> None:
    """Of few rows and of many, which Spark brings to the tasks and the order that the table asks for."""
    table = made(spark)
    for text in LAYOUTS[layout]:
        spark.sql(f"alter table {table.ref} {text}")
    steps: list[Callable[[], None]] = [
        lambda: merge(table, [("insert", *row(i, i)) for i in range(6)], 10, 20),
        lambda: merge(table, [("update", *row(i, i + 10)) for i in (1, 2, 9)], 20, 30),
        lambda: merge(table, [("delete", 3, None, None, None), ("update", *row(1, 4))], 30, 40, few=True),
        lambda: table.append(frame_of(spark, [row(50, 5), row(51, 6)], SCHEMA), Position(40), Position(50)),
        lambda: table.alter([AddColumn("n", "int", "7"), ChangeType("v", "bigint")], Position(50), Position(60)),
    ]
    for number, step in enumerate(steps):
        before = commits(table)
        step()
        assert commits(table) == before + (2 if number == 4 else 1)
        assert table._load().currentSnapshot().summary().get(RESOLVED) == str(20 + number * 10)
        assert table.position() == (20 + number * 10, 0)
    want = ((0, 0), (1, 4), (2, 12), (4, 4), (5, 5), (9, 19), (50, 5), (51, 6))
    assert rows(table) == {(*row(i, v), 7) for i, v in want}
    if layout in ("hash", "none", "local"):
        assert spark.sql(f"select partition.id_bucket_4 from {table.ref}.files group by 1").count() > 1


def test_rows_of_another_session_that_come_meanwhile_are_kept(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark writes into the transaction, and does not load the table anew by its name before it does."""
    table = made(spark)
    spark.sql(f"alter table {table.ref} add partition field bucket(4, id)")
    spark.sql(f"alter table {table.ref} write distributed by partition locally ordered by truncate(1, note)")
    merge(table, [("insert", *row(i, i)) for i in range(4)], 10, 20)
    other = spark.newSession()

    def late(*arguments: Any) -> None:
        monkeypatch.undo()
        other.sql(f"insert into {table.ref} values (90, 9, 'theirs', null)")
        before = table.version()
        merged(*arguments)
        assert table.version() == before

    monkeypatch.setattr(iceberg, "merged", late)
    merge(table, [("update", *row(1, 8)), ("delete", 2, None, None, None)], 20, 30)
    assert rows(table) == {row(0, 0), row(1, 8), row(3, 3), (90, 9, "theirs", None)}
    assert table.position() == (30, 0)
    positions = [one.summary().get(RESOLVED) for one in table._load().snapshots()]
    assert positions == ["10", "20", None, "30"]


def commits(table: IcebergTable) -> int:
    return int(table._load().operations().current().previousFiles().size())
