"""Iceberg tables with user-defined partitions and sort order: steps keep the layout."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from pyspark.sql import SparkSession

from sync.frames import frame_of
from tidewire.spark.sync.changelog import Position
from tidewire.spark.sync.targets import (
    AddColumn,
    Change,
    ChangeType,
    Column,
    DropColumn,
    RenameColumn,
    TargetError,
    Truncate,
    iceberg,
)
from tidewire.spark.sync.targets.iceberg import RESOLVED, IcebergTable, IcebergTables
from tidewire.spark.sync.targets.iceberg_layout import reshape
from tidewire.spark.sync.targets.into_transaction import merged

COLUMNS = (Column("id", "bigint"), Column("v", "int"), Column("note", "string"), Column("ts", "timestamp"))
SCHEMA = "id bigint, v int, note string, ts timestamp"
Row = tuple[Any, ...]

_numbers: Iterator[int] = iter(range(1000))


def row(id: int, v: int) -> Row:
    return (id, v, "abc"[v % 3] * 3, datetime.datetime(2026, 1, 1 + v, v))


def made(spark: SparkSession, properties: Mapping[str, str] | None = None) -> IcebergTable:
    table = IcebergTables(spark, "ice.{schema}.{table}", properties).table(f"layout{next(_numbers)}.t", "shop/1")
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
        assert commits(table) == before + 1
        assert table._view().currentSnapshot().summary().get(RESOLVED) == str(20 + number * 10)
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
    positions = [one.summary().get(RESOLVED) for one in table._view().snapshots()]
    assert positions == ["10", "20", None, "30"]


@pytest.mark.parametrize("few", [False, True])
def test_a_table_of_the_first_format_says_what_to_do(spark: SparkSession, few: bool) -> None:
    for setting in ("'format-version' = '2'", "'write.merge.mode' = 'copy-on-write'"):
        table = made(spark, {"format-version": "1"})
        merge(table, [("insert", *row(i, i)) for i in range(3)], 10, 20, few)
        with pytest.raises(TargetError, match="is of Iceberg's format 1"):
            merge(table, [("update", *row(1, 5))], 20, 30, few)
        assert table.position() == (20, 0)
        spark.sql(f"alter table {table.ref} set tblproperties ({setting})")
        merge(table, [("update", *row(1, 5)), ("delete", 2, None, None, None)], 20, 30, few)
        assert (rows(table), table.position()) == ({row(0, 0), row(1, 5)}, (30, 0))


def test_a_table_that_is_partitioned_while_files_are_added_to_it_takes_none(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would be of no partition, and rows of them would not be found."""
    table = made(spark)
    path = str(tmp_path / "staged.parquet")
    values = {"id": pa.array([1], pa.int64()), "v": pa.array([1], pa.int32()), "note": ["a"]}
    parquet.write_table(pa.table({**values, "ts": pa.array([0], pa.timestamp("us", "UTC"))}), path)
    real = os.link

    def late(*names: str) -> None:
        real(*names)
        spark.newSession().sql(f"alter table {table.ref} add partition field bucket(4, id)")

    monkeypatch.setattr(os, "link", late)
    assert not table.adopt([path], Position(10), Position(20))
    assert (os.stat(path).st_nlink, table.position()) == (1, (10, 0))
    table.append(spark.read.parquet(path), Position(10), Position(20))
    assert (rows(table), table.position()) == ({(1, 1, "a", datetime.datetime(1970, 1, 1))}, (20, 0))


def commits(table: IcebergTable) -> int:
    return int(table._view().operations().current().previousFiles().size())


def test_columns_of_the_order_change_and_rows_are_ordered_on(spark: SparkSession) -> None:
    table = made(spark)
    spark.sql(f"alter table {table.ref} write ordered by v desc nulls last, truncate(2, note), days(ts), id")
    merge(table, [("insert", *row(i, i)) for i in range(4)], 10, 20)
    before = table.version()
    changes: list[Change] = [ChangeType("v", "string"), RenameColumn("v", "w"), RenameColumn("note", "v")]
    table.alter(changes, Position(20), Position(30))
    schema = table._view().schema()
    order = [
        (schema.findColumnName(one.sourceId()), str(one.transform()), str(one.direction()), str(one.nullOrder()))
        for one in table._view().sortOrder().fields()
    ]
    assert order == [
        ("w", "identity", "DESC", "NULLS LAST"),
        ("v", "truncate[2]", "ASC", "NULLS FIRST"),
        ("ts", "day", "ASC", "NULLS FIRST"),
        ("id", "identity", "ASC", "NULLS FIRST"),
    ]
    # a column that goes, and a type that the function takes no values of
    table.alter([DropColumn("w"), ChangeType("ts", "string", "cast({0} as string)")], Position(30), Position(40))
    fields = [str(one) for one in table._view().sortOrder().fields()]
    assert fields == ["truncate[2](3) ASC NULLS FIRST", "identity(1) ASC NULLS FIRST"]
    table.append(frame_of(spark, [(9, "n", "t")], "id bigint, v string, ts string"), Position(40), Position(50))
    assert {one[:2] for one in rows(table)} == {*((i, "abc"[i % 3] * 3) for i in range(4)), (9, "n")}
    assert {tuple(one) for one in table.read(before).collect()} == {row(i, i) for i in range(4)}


def test_a_column_of_the_partitions_can_change_when_nothing_lies_by_it(spark: SparkSession) -> None:
    """Iceberg writes no MERGE where a partition field has lost its column: it is said before, with what to do."""
    cases: list[tuple[str, Change, str]] = [
        ("bucket(3, v)", DropColumn("v"), r"v_bucket_3 \(bucket\[3\] of v\), so that Iceberg cannot change it"),
        ("v", ChangeType("v", "string"), r"v \(identity of v\), so that Iceberg cannot change it"),
        ("v", RenameColumn("v", "w"), ""),
    ]
    for field, change, text in cases:
        table = made(spark)
        spark.sql(f"alter table {table.ref} add partition field {field}")
        merge(table, [("insert", *row(i, i)) for i in range(4)], 10, 20)
        merge(table, [("update", *row(1, 5))], 20, 30)
        if not text:
            table.alter([change], Position(30), Position(31))
            change, text = AddColumn("v", "string", "new"), "cannot give another column the name of it"
        at = table.position()
        assert at is not None
        with pytest.raises(TargetError, match=text):
            table.alter([change], at, Position(40))
        with pytest.raises(TargetError, match=text):
            table.alter([Truncate(), change], at, Position(40))
        assert (table.position(), len(rows(table))) == (at, 4)
        name = table.ref.replace("`", "")
        for statement in (
            f"alter table {table.ref} drop partition field `{table._view().spec().fields()[0].name()}`",
            f"call ice.system.rewrite_data_files(table => '{name}', options => map('rewrite-all', 'true'))",
            f"call ice.system.rewrite_position_delete_files(table => '{name}', options => map('rewrite-all', 'true'))",
            f"insert into {table.ref} select * from {table.ref} where false",
            f"call ice.system.expire_snapshots(table => '{name}', older_than => timestamp '2999-01-01',"
            " retain_last => 1, clean_expired_metadata => true)",
        ):
            spark.sql(statement)
        table.alter([change], at, Position(40))
        table.apply(
            frame_of(spark, [("delete", 2)], "_change_type string, id bigint"), ["id"], Position(40), Position(50)
        )
        assert ({one[0] for one in rows(table)}, table.position()) == ({0, 1, 3}, (50, 0))


THEIRS = {
    "rows": ("insert into {0} (id, v, note) values (90, 9, 'theirs')", "delete from {0} where id = 1"),
    "a column": (
        "alter table {0} add column z int",
        "alter table {0} add partition field bucket(2, id)",
        "insert into {0} (id, v, z) values (90, 9, 3)",
    ),
}
OURS: dict[str, list[Change]] = {
    "rewrite": [ChangeType("v", "string"), AddColumn("n", "int", "7"), DropColumn("note")],
    "add": [AddColumn("n", "int"), RenameColumn("v", "w")],
    "truncate": [Truncate(), ChangeType("v", "string")],
}


@pytest.mark.parametrize("theirs", THEIRS)
@pytest.mark.parametrize("ours", OURS)
def test_what_another_session_does_while_columns_change_is_kept(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, ours: str, theirs: str
) -> None:
    table = made(spark)
    merge(table, [("insert", *row(i, i)) for i in range(3)], 10, 20)
    other = spark.newSession()
    real = reshape

    def late(*arguments: Any) -> None:
        monkeypatch.undo()
        real(*arguments)
        for text in THEIRS[theirs]:
            other.sql(text.format(table.ref))

    monkeypatch.setattr("tidewire.spark.sync.targets.iceberg.reshape", late)
    table.alter(OURS[ours], Position(20), Position(30))
    found = {one.id: one for one in table.read(table.version()).collect()}
    want = set() if ours == "truncate" else {0, 2, 90} if theirs == "rows" else {0, 1, 2, 90}
    assert (set(found), table.position()) == (want, (30, 0))
    named = {one.name for one in table.columns() or ()}
    assert named == {
        "rewrite": {"id", "v", "ts", "n"},
        "add": {"id", "w", "note", "ts", "n"},
        "truncate": {"id", "v", "note", "ts"},
    }[ours] | ({"z"} if theirs == "a column" else set())
    if 90 in found and ours == "rewrite":
        assert (found[90].v, found[90].n) == ("9", 7)
    if 90 in found and theirs == "a column":
        assert found[90].z == 3
    assert table._view().spec().isPartitioned() == (theirs == "a column")
    written = [one.summary().get(RESOLVED) for one in table._view().snapshots()]
    assert written.count("30") == 1
