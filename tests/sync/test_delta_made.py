"""Delta tables that are created without Spark: their first commit is the one that Delta's CREATE TABLE writes."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tidewire.spark.sync.changelog import Position, StateError
from tidewire.spark.sync.targets import Column, TargetError
from tidewire.spark.sync.targets.confs import set_for
from tidewire.spark.sync.targets.delta import PROPERTIES, DeltaTables
from tidewire.spark.sync.targets.delta_made import create

TYPES = (
    *("tinyint", "smallint", "int", "bigint", "float", "double", "decimal(20,3)", "string", "binary", "date"),
    *("timestamp", "timestamp_ntz", "boolean"),
)
ROWS = tuple(Column(f"Ä `{at}`, \"{type}\"", type) for at, type in enumerate(TYPES))
HISTORY = (
    *(Column("id", "bigint"), Column("_change_type", "string"), Column("_commit_version", "bigint")),
    *(Column("_commit_timestamp", "timestamp"), Column("_commit_rank", "int")),
)
FIRST = f"_delta_log/{0:020d}.json"
DEFAULT = "spark.databricks.delta.properties.defaults."


def made(spark: SparkSession, folder: Path, columns: Sequence[Column]) -> dict[str, Any]:
    """What the log of a new table has, by kind of action."""
    table = DeltaTables(spark, f"{folder}/{{schema}}/{{table}}").table("s.t", "shop/1")
    table.create(columns, Position(10, 2))
    assert (table.columns(), table.position(), table.found_owner()) == (tuple(columns), (10, 2), "shop/1")
    logs = sorted(Path(table.path, "_delta_log").glob("*.json"))
    lines = [line for log in logs for line in log.read_text().splitlines()]
    return {kind: action for line in lines for kind, action in json.loads(line).items()}


def comparable(actions: dict[str, Any]) -> dict[str, Any]:
    """The actions without what is random or the time."""
    protocol = {name: sorted(one) if isinstance(one, list) else one for name, one in actions["protocol"].items()}
    metadata = {name: one for name, one in actions["metaData"].items() if name not in ("id", "createdTime")}
    metadata["schemaString"] = json.loads(metadata["schemaString"])
    for field in metadata["schemaString"]["fields"]:
        if name := field["metadata"].pop("delta.columnMapping.physicalName", ""):
            assert len(name) == len("col-") + 36
    txn = {name: one for name, one in actions["txn"].items() if name != "lastUpdated"}
    return {"protocol": protocol, "metaData": metadata, "txn": txn}


@pytest.mark.parametrize("columns", [ROWS, HISTORY[:1], HISTORY], ids=["types", "rows", "history"])
def test_the_first_commit_is_that_of_create_table(
    spark: SparkSession, tmp_path: Path, columns: Sequence[Column], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = made(spark, tmp_path / "ours", columns)
    assert ours["commitInfo"]["engineInfo"] == "tidewire"
    monkeypatch.setattr("tidewire.spark.sync.targets.delta_made.create", lambda *of: False)
    theirs = made(spark, tmp_path / "theirs", columns)
    assert "Spark" in theirs["commitInfo"]["engineInfo"]
    assert comparable(ours) == comparable(theirs)


def test_settings_for_new_tables_hold(spark: SparkSession, tmp_path: Path) -> None:
    with set_for(spark, {f"{DEFAULT}logRetentionDuration": "interval 1 days"}):
        actions = made(spark, tmp_path, HISTORY[:1])
    assert actions["metaData"]["configuration"]["delta.logRetentionDuration"] == "interval 1 days"


def test_a_folder_with_files_of_others_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "s" / "t").mkdir(parents=True)
    (tmp_path / "s" / "t" / "theirs.parquet").write_bytes(b"PAR1")
    with pytest.raises(TargetError, match=r"/s/t`: the folder has files, and is no Delta table; remove them"):
        made(spark, tmp_path, HISTORY[:1])


@pytest.mark.parametrize(
    ("columns", "properties"),
    [
        ((), PROPERTIES),
        ((Column("a", "variant"),), PROPERTIES),
        ((Column("a", "int"), Column("A", "int")), PROPERTIES),
        (ROWS, {**PROPERTIES, "delta.enableChangeDataFeed": "true"}),
        (ROWS, {}),
    ],
)
def test_what_spark_has_to_describe_is_left_to_it(
    tmp_path: Path, columns: Sequence[Column], properties: dict[str, str]
) -> None:
    assert not create(str(tmp_path / "t"), columns, properties, ("shop/1", 10))
    assert not (tmp_path / "t").exists()


def test_one_of_two_creates_it_and_what_a_crash_left_is_no_table(tmp_path: Path) -> None:
    log = tmp_path / "t" / FIRST
    log.parent.mkdir(parents=True)
    Path(f"{log}.0a1b.tmp").write_text("{")
    of = str(tmp_path / "t"), ROWS, PROPERTIES
    assert create(*of, ("shop/1", 10))
    before = log.read_text()
    assert not create(*of, ("shop/1", 20))
    assert log.read_text() == before


@pytest.mark.parametrize(("number", "says"), [(errno.EOPNOTSUPP, ""), (errno.ENOSPC, "make room or give access")])
def test_a_file_system_without_links_is_left_to_spark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, says: str
) -> None:
    def refused(*of: str) -> None:
        raise OSError(number, "no")

    monkeypatch.setattr(os, "link", refused)
    with pytest.raises(StateError, match=says) if says else nullcontext():
        assert not create(str(tmp_path / "t"), ROWS, PROPERTIES, ("shop/1", 10))
    assert list((tmp_path / "t" / FIRST).parent.iterdir()) == []
