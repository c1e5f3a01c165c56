"""The same cases for Parquet, Iceberg and Delta: results of steps, crashes, two writers, odd names."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from sync.frames import frame_of
from sync.lake_tables import COLUMNS, SCHEMA, Lake, Rows, names, numbers, rows
from tidewire.spark.sync.changelog import Position
from tidewire.spark.sync.targets import (
    AddColumn,
    Change,
    ChangeType,
    Column,
    CopyColumn,
    DropColumn,
    FenceError,
    RenameColumn,
    Table,
    TargetError,
    Truncate,
    find,
)
from tidewire.spark.sync.targets.confs import java
from tidewire.spark.sync.targets.delta import DeltaTable
from tidewire.spark.sync.targets.iceberg import RESOLVED, IcebergTable, IcebergTables
from tidewire.spark.sync.targets.parquet import ParquetTable

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "exhaustive"


@pytest.mark.parametrize("few", [False, True])
def test_changes_are_merged_once_and_versions_stay(lake: Lake, few: bool) -> None:
    lake.few = few
    table = lake.table()
    assert (table.found_owner(), table.columns(), table.position()) == (None, None, None)
    table = lake.made()
    assert (table.columns(), table.position(), rows(table)) == (COLUMNS, (10, 0), set())
    table.create(COLUMNS, Position(10))
    lake.merge(table, [("insert", 1, 1, "a"), ("insert", 2, 2, "b"), ("delete", 3, None, None)], 10, 20)
    first = table.version()
    assert (rows(table), table.position()) == ({(1, 1, "a"), (2, 2, "b")}, (20, 0))
    changes = [("update", 2, 20, None), ("delete", 1, None, None), ("insert", 4, 4, "d"), ("update", 5, 5, "e")]
    for _ in range(2):  # the second time is a replay
        lake.merge(table, changes, 20, 30)
        assert table.position() == (30, 0)
    assert rows(table) == {(2, 20, None), (4, 4, "d"), (5, 5, "e")}
    lake.merge(table, [("delete", 2, None, None)], 10, 20)  # an older step is done as well
    assert rows(table, first) == {(1, 1, "a"), (2, 2, "b")}
    # a repair: where the table is, and twice is as once
    for _ in range(2):
        lake.merge(table, [("update", 2, 21, "r")], 30, 30)
    assert (rows(table), table.position()) == ({(2, 21, "r"), (4, 4, "d"), (5, 5, "e")}, (30, 0))
    lake.merge(table, [("delete", 99, None, None)], 30, 40)  # nothing to write
    assert (table.position(), len(rows(table))) == ((40, 0), 3)
    table.collect(first, first)
    assert rows(table, first) == {(1, 1, "a"), (2, 2, "b")}


def test_few_rows_are_merged_into_iceberg_by_one_job_and_one_commit(lake: Lake) -> None:
    """Of which a micro-batch has one for each table: into one that is empty, and into one with rows."""
    table = lake.made()
    if not isinstance(table, IcebergTable):
        return
    lake.few = True
    jobs = lake.spark.sparkContext._jsc.sc().dagScheduler().numTotalJobs
    for at in (10, 20, 30):
        changes = frame_of(
            lake.spark, [("insert", at, 1, "a"), ("delete", 20, None, None)], f"_change_type string, {SCHEMA}"
        )
        commits, begun = table._view().operations().current().previousFiles().size(), jobs()
        table.apply(changes.coalesce(1), ["id"], Position(at), Position(at + 10), few=True)
        assert jobs() - begun == 1
        assert table._view().operations().current().previousFiles().size() - commits == 1
    assert rows(table) == {(10, 1, "a"), (30, 1, "a")}


def test_iceberg_keeps_the_position_where_ticdc_does(lake: Lake) -> None:
    table = lake.filled()
    if isinstance(table, IcebergTable):
        assert table._view().currentSnapshot().summary().get(RESOLVED) == "20"
        assert "delete" not in lake.spark.sql(f"select * from {table.ref}.refs").collect()[0].name
        assert lake.spark.sql(f"select * from {table.ref}.refs").count() == 1
        # what another tool commits says nothing of it, and is kept
        table._view().newAppend().commit()
        assert table.position() == (20, 0)
        lake.merge(table, [("delete", 1, None, None)], 20, 30)
        assert rows(table) == {(2, 2, "b")}
    if isinstance(table, DeltaTable):
        assert [(one.appId(), one.version()) for one in _transactions(table)] == [("shop/1", 20)]
        lake.spark.sql(f"optimize {table.ref}")
        assert table.position() == (20, 0)


def _transactions(table: DeltaTable) -> Any:
    return java(table.spark).scala.jdk.javaapi.CollectionConverters.asJava(table._view().setTransactions())


ALTERED: list[tuple[list[Change], list[tuple[str, str]], Rows]] = [
    (
        [AddColumn("n", "int"), AddColumn("d", "decimal(10,2)", "1.50"), AddColumn("b", "binary", b"\x00'")],
        [("id", "bigint"), ("v", "int"), ("note", "string"), ("n", "int"), ("d", "decimal(10,2)"), ("b", "binary")],
        {(1, 1, "a", None, Decimal("1.50"), b"\x00'"), (2, 2, "b", None, Decimal("1.50"), b"\x00'")},
    ),
    (
        [RenameColumn("NOTE", "a.b c"), AddColumn("note", "string", "it's \\ new")],
        [("id", "bigint"), ("v", "int"), ("a.b c", "string"), ("note", "string")],
        {(1, 1, "a", "it's \\ new"), (2, 2, "b", "it's \\ new")},
    ),
    ([ChangeType("V", "bigint"), DropColumn("note")], [("id", "bigint"), ("v", "bigint")], {(1, 1), (2, 2)}),
    (
        [ChangeType("v", "string"), RenameColumn("v", "Note"), DropColumn("nothing")],
        [("id", "bigint"), ("Note", "string")],
        {(1, "1"), (2, "2")},
    ),
    (
        [CopyColumn("v", "w"), ChangeType("w", "decimal(5,1)"), DropColumn("note"), AddColumn("note", "int")],
        [("id", "bigint"), ("v", "int"), ("w", "decimal(5,1)"), ("note", "int")],
        {(1, 1, Decimal(1), None), (2, 2, Decimal(2), None)},
    ),
    ([RenameColumn("v", "x"), RenameColumn("note", "v"), RenameColumn("x", "note")], [], {(1, 1, "a"), (2, 2, "b")}),
    (
        [Truncate(), AddColumn("n", "int", "7"), ChangeType("v", "date")],
        [("id", "bigint"), ("v", "date"), ("note", "string"), ("n", "int")],
        set(),
    ),
]


LEFT_TO_LONG = {"delta": (0, 3, 4, 5)}
"""Cases that a format does by what another case does, too: in the long mode alone."""


@pytest.mark.parametrize("case", range(len(ALTERED)))
def test_columns_change_in_one_commit(lake: Lake, case: int) -> None:
    if case in LEFT_TO_LONG.get(lake.format, ()) and not LONG:
        return
    changes, columns, want = ALTERED[case]
    table = lake.filled()
    before = table.version()
    for _ in range(2):
        table.alter(changes, Position(20), Position(25, 2))
    assert (rows(table), table.position()) == (want, (25, 2))
    if columns:
        assert sorted(names(table)) == sorted(columns)
    if case == 1:
        assert rows(table, before) == {(1, 1, "a"), (2, 2, "b")}
    if case == 1:
        changed = frame_of(lake.spark, [("update", 1, "x")], "_change_type string, ID bigint, `A.B c` string")
        table.apply(changed, ["ID"], Position(25, 2), Position(30))
        assert rows(table) == {(1, None, "x", None), (2, 2, "b", "it's \\ new")}


def test_what_would_be_lost_or_spelled_otherwise_is_refused(lake: Lake) -> None:
    table = lake.filled()
    with pytest.raises(TargetError, match="have the column extra, and the table has not"):
        lake.merge(table, [("insert", 3, "x")], 20, 30, "id bigint, extra string")
    table.alter([AddColumn("f", "double")], Position(20), Position(21))
    with pytest.raises(TargetError, match="converted from double to string by the database"):
        table.alter([ChangeType("f", "string")], Position(21), Position(22))
    assert table.position() == (21, 0)
    with pytest.raises(Exception, match=r"CAST_INVALID_INPUT|cannot be cast"):
        table.alter([ChangeType("note", "int")], Position(21), Position(22))
    assert (table.position(), rows(table)) == ((21, 0), {(1, 1, "a", None), (2, 2, "b", None)})
    assert len(names(table)) == 4


def test_of_two_writers_from_one_base_one_is_refused(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.filled()
    slow, fast = lake.table(), lake.table()
    held = {"parquet": "_record", "iceberg": "_exchanged", "delta": "_by_spark"}[lake.format]
    real = getattr(slow, held)

    def late(*arguments: Any, **named: Any) -> None:
        lake.merge(fast, [("update", 1, 100, "fast")], 20, 40)
        real(*arguments, **named)

    monkeypatch.setattr(slow, held, late)
    with pytest.raises(FenceError, match="another process writes it") as caught:
        lake.merge(slow, [("update", 1, 50, "slow")], 20, 50)
    assert "is at 40, and it was at 20" in str(caught.value)
    assert (rows(slow), slow.position()) == ({(1, 100, "fast"), (2, 2, "b")}, (40, 0))
    with pytest.raises(FenceError):
        lake.table().alter([DropColumn("note")], Position(20), Position(45, 1))
    with pytest.raises(FenceError):
        lake.table(number=1).create(COLUMNS, Position(50))
    with pytest.raises(TargetError, match="does not belong to this synchronisation"):
        lake.table(sync="other").create(COLUMNS, Position(10))


def test_a_compaction_beside_it_costs_nothing(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    table = lake.filled()
    if isinstance(table, IcebergTable):
        real = table._summary

        def moved(to: Position) -> dict[str, str]:
            monkeypatch.undo()
            table._view().newAppend().commit()
            return real(to)

        monkeypatch.setattr(table, "_summary", moved)
        lake.merge(table, [("delete", 1, None, None)], 20, 30)
        assert (rows(table), table.position()) == ({(2, 2, "b")}, (30, 0))


STEPS: dict[str, dict[str, tuple[str, ...]]] = {
    "parquet": {"apply": ("_written", "_record"), "create": ("_record",), "rewrite": ("_written", "_record")},
    "iceberg": {
        "apply": ("_exchanged",),
        "create": ("_made", "_exchanged"),
        "rewrite": ("_exchanged",),
    },
    "delta": {"apply": ("_retried",), "create": ("_made",), "rewrite": ("_commit",)},
}
"""Between which of its own steps each format can die."""


class Died(Exception):
    """The process is gone."""


@pytest.mark.parametrize("what", ["apply", "create", "rewrite"])
def test_a_crash_between_any_two_steps_costs_nothing(lake: Lake, what: str) -> None:
    calls: dict[str, tuple[Callable[[Table], None], Rows]] = {
        "create": (lambda table: table.create(COLUMNS, Position(10)), set()),
        "apply": (
            lambda table: lake.merge(table, [("update", 1, 9, None), ("delete", 2, None, None)], 20, 30),
            {(1, 9, None)},
        ),
        "rewrite": (
            lambda table: table.alter([ChangeType("v", "string"), DropColumn("note")], Position(20), Position(30, 1)),
            {(1, "1"), (2, "2")},
        ),
    }
    call, want = calls[what]
    steps = STEPS[lake.format][what]
    for number, (step, before) in enumerate([(steps[0], True), *((one, False) for one in steps)]):
        name = f"t{number}"
        table = lake.table(name, number)
        if what != "create":
            table.create(COLUMNS, Position(10))
            lake.merge(table, [("insert", 1, 1, "a"), ("insert", 2, 2, "b")], 10, 20)
        real = getattr(table, step)

        def dies(*arguments: Any, _real: Any = real, _before: bool = before, **named: Any) -> Any:
            if not _before:
                _real(*arguments, **named)
            raise Died

        setattr(table, step, dies)
        with pytest.raises(Died):
            call(table)
        again = lake.table(name, number)
        call(again)
        assert rows(again) == want, (step, before)
        assert again.position() == {"create": (10, 0), "apply": (30, 0), "rewrite": (30, 1)}[what]
        if isinstance(again, IcebergTable):
            assert list(again._view().refs().keySet()) == ["main"]
            assert again._view().schema().columns().size() == len(again.columns() or ())


def test_the_last_commit_may_be_lost(lake: Lake) -> None:
    table = lake.filled()
    kept = table.version()
    lake.merge(table, [("delete", 1, None, None)], 20, 30)
    if isinstance(table, ParquetTable):
        os.unlink(f"{table.folder}/commits/{table.version():012d}.json")
    elif isinstance(table, DeltaTable):
        for file in Path(table.path, "_delta_log").glob(f"*{table.version():020d}*"):
            file.unlink()
        table._delta.DeltaLog.clearCache()
    else:
        return  # the rename of a file is the whole of an exchange
    table = lake.table()
    assert (table.version(), table.position(), rows(table)) == (kept, (20, 0), {(1, 1, "a"), (2, 2, "b")})
    lake.merge(table, [("delete", 1, None, None)], 20, 30)
    assert (table.position(), rows(table)) == ((30, 0), {(2, 2, "b")})


KEYS: dict[str, list[Any]] = {
    "bigint": [None, 0, 1],
    "binary": [None, b"\x00", b"\xff'", b""],
    "decimal(20,0)": [None, Decimal(2**64 - 1), Decimal(0)],
    "timestamp_ntz": [None, datetime.datetime(2026, 1, 2, 3, 4, 5, 6), datetime.datetime(1, 1, 1)],
    "string": [None, "", "a", "A"],
}


def test_names_and_keys_of_any_kind(lake: Lake) -> None:
    columns = [Column(f"k `{i}.x", type) for i, type in enumerate(KEYS)] + [Column("Sélect (1) ;", "int")]
    keys = [one.name for one in columns[:-1]]
    name = "order.s `x` y"
    table = lake.tables.table(f"{lake.schema}.`order.s ``x`` y`", "shop/7")
    table.create(columns, Position(1))
    width = max(map(len, KEYS.values()))
    every = [tuple(values[i % len(values)] for values in KEYS.values()) for i in range(width)]
    schema = ", ".join(f"`{one.name.replace('`', '``')}` {one.type}" for one in columns)
    inserts = [("insert", *one, i) for i, one in enumerate(every)]
    first = frame_of(lake.spark, inserts, f"_change_type string, {schema}")
    table.apply(first, keys, Position(1), Position(2))
    assert rows(table) == {(*one, i) for i, one in enumerate(every)}, name
    second = frame_of(
        lake.spark, [("update", *every[0], 50), ("delete", *every[1], None)], f"_change_type string, {schema}"
    ).withColumnRenamed(keys[0], keys[0].upper())
    table.apply(second, [keys[0].upper(), *keys[1:]], Position(2), Position(3))
    assert rows(table) == {(*every[0], 50)} | {(*one, i) for i, one in enumerate(every) if i > 1}
    assert table.columns() == tuple(columns)


def test_history_is_appended_once(lake: Lake) -> None:
    history = (Column("id", "bigint"), Column("_change_type", "string"), Column("_commit_version", "bigint"))
    table = lake.made(history)
    schema = ", ".join(f"{one.name} {one.type}" for one in history)
    staged = frame_of(lake.spark, [(1, "insert", 11), (1, "delete", 12)], schema)
    for _ in range(2):
        table.append(staged, Position(10), Position(20))
    assert sorted(tuple(one) for one in table.read(table.version()).collect()) == [(1, "delete", 12), (1, "insert", 11)]
    assert table.position() == (20, 0)


def test_a_catalog_of_hadoops_type_renames_no_tables(spark: SparkSession, tmp_path: Path) -> None:
    lake = Lake(spark, "iceberg", tmp_path, next(numbers))
    lake.tables = IcebergTables(spark, "old.{schema}.{table}")
    table = lake.filled()
    assert not table.movable()
    with pytest.raises(TargetError, match="a catalog of Hadoop's type renames no tables"):
        table.rename(f"{lake.schema}.u", Position(20), Position(21, 1))
    assert (table.position(), rows(table)) == ((20, 0), {(1, 1, "a"), (2, 2, "b")})


def test_tables_are_renamed_ended_and_made_again(lake: Lake) -> None:
    table = lake.filled()
    old = table.version()
    for _ in range(2):
        table.rename(f"{lake.schema}.u", Position(20), Position(21, 1))
    assert lake.table().found_owner() is None
    found = find(lake.tables, "shop/1", [f"{lake.schema}.t", f"{lake.schema}.u"])
    assert found is not None
    assert (found.name, found.position(), rows(found)) == (f"{lake.schema}.u", (21, 1), {(1, 1, "a"), (2, 2, "b")})
    assert rows(found, old) == {(1, 1, "a"), (2, 2, "b")}
    found.end(Position(21, 1), Position(30, 1))
    fresh = lake.table("u", 2)
    fresh.create(COLUMNS, Position(40))
    assert rows(fresh) == set()
    ended = lake.table("u__dropped_30", 1)
    assert (ended.position(), rows(ended)) == ((30, 1), {(1, 1, "a"), (2, 2, "b")})
    # one that goes on under another name later makes way as well, and is found
    lake.table("u", 3).create(COLUMNS, Position(50))
    aside = find(lake.tables, "shop/2", [f"{lake.schema}.u"])
    assert aside is not None
    assert (aside.name, aside.position()) == (f"{lake.schema}.u__2", (40, 0))


def test_a_namespace_that_another_thread_makes_at_the_same_time_is_there(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Lake(spark, "iceberg", tmp_path, next(numbers))
    was = spark.sql
    made: list[str] = []

    def sql(text: str) -> Any:
        found = was(text)
        if text.startswith("create namespace") and not made:
            made.append(text)
            raise RuntimeError("PRIMARY KEY constraint failed")
        return found

    monkeypatch.setattr(spark, "sql", sql)
    assert lake.made().position() == (10, 0)
    assert len(made) == 1
