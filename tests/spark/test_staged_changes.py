"""Micro-batches are staged by a job, and read back in a table's columns."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType
from sync.staged_histories import PAIRS, PROTOCOLS, START, VERSION, account, change, history, messages

from tidewire.events import Event
from tidewire.spark import SchemaError
from tidewire.spark.rows import as_struct
from tidewire.spark.sync.changed_rows import NO_KEY
from tidewire.spark.sync.changelog import Action, Staged
from tidewire.spark.sync.facts import SeenStatement
from tidewire.spark.sync.reading import changes, columns_of
from tidewire.spark.sync.staged_files import MESSAGES, ROWS, holds
from tidewire.spark.sync.staging import stage, staging_options
from tidewire.spark.sync.wanted import Wanted

ACCOUNTS = "id bigint, owner string, balance decimal(14,2), opened timestamp_ntz, data binary"
FEW = pytest.mark.parametrize("few", [0, 99], ids=[ROWS, MESSAGES])


def frame(spark: SparkSession, *parts: tuple[Sequence[bytes | None], Sequence[bytes | None]]) -> DataFrame:
    """Messages of a topic, each part in a partition and a task of its own."""
    frames = []
    for partition, (keys, values) in enumerate(parts):
        table = pa.table(
            {
                "key": pa.array(keys, pa.binary()),
                "value": pa.array(values, pa.binary()),
                "topic": pa.array(["t"] * len(values), pa.utf8()),
                "partition": pa.array([partition] * len(values), pa.int32()),
                "offset": pa.array(range(len(values)), pa.int64()),
            }
        )
        frames.append(spark.createDataFrame(table).coalesce(1))
    whole = frames[0]
    for one in frames[1:]:
        whole = whole.unionAll(one)
    return whole


def by_staging(
    spark: SparkSession, state: Path, events: Sequence[Event], name: str = "canal-json", **more: Any
) -> Staged:
    protocol = PROTOCOLS[name][0]
    return stage(
        frame(spark, messages(events, name)), protocol, staging_options(protocol, {}, "UTC"), str(state), "b1", **more
    )


def read(
    spark: SparkSession,
    state: Path,
    staged: Staged,
    table: str = "shop.accounts",
    columns: str | StructType = ACCOUNTS,
    lo: int = 0,
    hi: int = 1000,
    name: str = "canal-json",
    **more: Any,
) -> list[Any]:
    protocol = PROTOCOLS[name][0]
    rows = changes(
        spark,
        protocol,
        staging_options(protocol, {}, "UTC"),
        str(state),
        table,
        as_struct(columns),
        staged.rows,
        START + lo,
        START + hi,
        descriptions=staged.descriptions,
        **more,
    )
    return sorted(rows.collect(), key=lambda row: (row["_commit_version"], row["_commit_rank"], str(row)))


@FEW
def test_changes_come_back_in_the_columns_of_the_table(spark: SparkSession, tmp_path: Path, few: int) -> None:
    staged = by_staging(spark, tmp_path, history(), few=few)
    assert {holds(one.path) for one in staged.rows} == {MESSAGES if few else ROWS}
    assert (staged.messages, staged.watermarks) == (19, {"t": {0: START + 30}})
    rows = read(spark, tmp_path, staged, lo=20, hi=24)
    assert [(row["_commit_version"] - START, row["_change_type"], row["id"], row["balance"]) for row in rows] == [
        (20, "update_postimage", 1, Decimal("7.00")),
        (21, "delete", 2, None),
        (21, "update_postimage", 100, Decimal("100.50")),
    ]
    assert rows[0].asDict().keys() == {
        *("id", "owner", "balance", "opened", "data", "_change_type", "_commit_version", "_commit_rank")
    }
    assert len(read(spark, tmp_path, staged)) == 11
    assert read(spark, tmp_path, staged, lo=500) == []
    # a column that rows do not have, and types that hold more
    wide = "b string, a bigint, n decimal(25,3), more date"
    pairs = read(spark, tmp_path, staged, "shop.pairs", wide, lo=22, hi=23)
    assert [(row["a"], row["b"], row["n"], row["more"], row["_commit_rank"]) for row in pairs] == [
        (0, "x", None, None, 0),
        (1, "x", None, None, 0),
        (0, "x", Decimal("1.000"), None, 2),
        (1, "x", Decimal("0.000"), None, 2),
    ]


@FEW
def test_keys_are_chosen_from_a_commit_ts_and_left_out_at_some(spark: SparkSession, tmp_path: Path, few: int) -> None:
    staged = by_staging(spark, tmp_path, history(), few=few)
    columns = "a int, b string, n bigint"
    keys = {'["1","x"]': START + 22, '["2","y"]': 0}
    chosen = read(spark, tmp_path, staged, "shop.pairs", columns, only=keys)
    left = {'["1","x"]': (START + 22,), '["2","y"]': (START + 5, START + 23)}
    rest = read(spark, tmp_path, staged, "shop.pairs", columns, leave=left)
    assert [(row["a"], row["b"], row["_commit_version"] - START) for row in chosen] == [
        (1, "x", 22),
        (1, "x", 22),
        (2, "y", 23),
    ]
    assert len(chosen) + len(rest) == 9


@FEW
def test_what_the_table_cannot_hold_is_refused(spark: SparkSession, tmp_path: Path, few: int) -> None:
    staged = by_staging(spark, tmp_path, history(), few=few)
    columns = as_struct("a int, b string, n bigint")
    with pytest.raises((SchemaError, PySparkException), match="have a column 'n' that the table lacks"):
        read(spark, tmp_path, staged, "shop.pairs", StructType(columns.fields[:2]))
    assert len(read(spark, tmp_path, staged, "shop.pairs", StructType(columns.fields[:2]), passed_over=["N"])) == 9
    with pytest.raises((SchemaError, PySparkException), match=r"[`']?n[`']?.*(cannot|BOOLEAN|DATE)"):
        read(spark, tmp_path, staged, "shop.pairs", "a int, b string, n date")
    # one value that does not fit is an error, and no null
    with pytest.raises(PySparkException, match=r"DECIMAL\(4,2\)"):
        read(spark, tmp_path, staged, "shop.accounts", ACCOUNTS.replace("14,2", "4,2"))
    narrow = read(spark, tmp_path, staged, "shop.accounts", ACCOUNTS.replace("14,2", "4,2"), lo=1, hi=7)
    assert [str(row["balance"]) for row in narrow] == ["0.50", "1.50", "2.50", "3.50", "4.50", "5.50"]


def test_descriptions_of_one_partition_are_for_rows_of_another(spark: SparkSession, tmp_path: Path) -> None:
    keys, values = messages(history(), "simple")
    split = frame(spark, (keys[2:], values[2:]), (keys[:2], values[:2]))
    options = staging_options("simple", {}, "UTC")
    staged = stage(split, "simple", options, str(tmp_path), "b1", few=0)
    assert sorted(staged.descriptions) == [f"shop.accounts@{VERSION}", f"shop.pairs@{VERSION}"]
    assert (staged.messages, staged.dead) == (len(values), ())
    assert len(read(spark, tmp_path, staged, name="simple")) == 11
    # the next batch is given them, and needs no second job
    later = frame(spark, messages([change("insert", 90, "accounts", account(9))], "simple"))
    again = stage(later, "simple", options, str(tmp_path), "b2", descriptions=staged.descriptions, few=0)
    assert [(one.table, one.rows) for one in again.rows] == [("shop.accounts", 1)]
    assert (again.descriptions, again.dead) == ({}, ())


def test_rows_by_the_description_of_their_time(spark: SparkSession, tmp_path: Path) -> None:
    """Debezium without schema blocks."""
    found = frame(spark, messages(history(), "debezium", debezium_disable_schema=True))
    staged = stage(found, "debezium", staging_options("debezium", {}, "UTC"), str(tmp_path), "b1", few=0)
    assert len(read(spark, tmp_path, staged, name="debezium")) == 11


def test_statements_are_in_order_and_taken_apart(spark: SparkSession, tmp_path: Path) -> None:
    def apart(one: SeenStatement) -> tuple[Action, ...]:
        return (Action("CreateTable", (("table", f"{one.schema}.{one.table}"),)),)

    staged = by_staging(spark, tmp_path, history(), apart=apart, wanted=Wanted(("shop.p*",)))
    ((ts, table, actions, text),) = staged.statements
    assert (ts, table, actions[0].kind) == (START, "shop.pairs", "CreateTable")
    assert text.startswith("CREATE TABLE `pairs`")
    assert {one.table for one in staged.rows} == {"shop.pairs"}


def test_columns_of_staged_rows(spark: SparkSession, tmp_path: Path) -> None:
    staged = by_staging(spark, tmp_path, history(), "craft", few=0)
    found = columns_of(one for one in staged.rows if one.table == "shop.pairs")
    assert [(one.name, one.dataType.simpleString(), one.metadata["handle_key"]) for one in found] == [
        ("a", "int", True),
        ("b", "string", True),
        ("n", "bigint", False),
    ]
    assert [column.name for column in PAIRS] == found.names
    accounts = columns_of(one for one in staged.rows if one.table == "shop.accounts")
    assert accounts["balance"].dataType.simpleString() == "decimal(38,2)"


def test_rows_without_keys_are_not_for_a_merge(spark: SparkSession, tmp_path: Path) -> None:
    columns = tuple(column._replace(flags=0) for column in PAIRS)
    events = [change("insert", 5, "pairs", {"a": 1, "b": "x", "n": 1}, columns=columns)]
    staged = by_staging(spark, tmp_path, events, few=0)
    assert staged.unmergeable == {"shop.pairs": (START + 5, NO_KEY)}
    with pytest.raises(
        SchemaError, match=r"shop.pairs: its rows have no handle key \(.*\), so that none can be merged"
    ):
        read(spark, tmp_path, staged, "shop.pairs", "a int, b string, n bigint")
    (row,) = read(spark, tmp_path, staged, "shop.pairs", "a int, b string, n bigint", merge=False)
    assert row["a"] == 1
