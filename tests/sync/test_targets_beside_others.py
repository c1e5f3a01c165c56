"""Tables that other programs write or clean up at the same time, and sessions with settings for other work."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from pyspark.sql import SparkSession

from sync.frames import frame_of
from sync.lake_tables import SCHEMA, Lake, names, rows
from tidewire.spark.sync.changelog import Position
from tidewire.spark.sync.targets import AddColumn, ChangeType, Column, FenceError, Table
from tidewire.spark.sync.targets.confs import separate
from tidewire.spark.sync.targets.delta import DeltaTable
from tidewire.spark.sync.targets.iceberg import IcebergTable
from tidewire.spark.sync.targets.parquet import ParquetTable
from tidewire.spark.sync.targets.shapes import Shape

HISTORY = ("_change_type", "_commit_version", "_commit_rank")


@pytest.mark.parametrize("theirs", ["rows", "a column"])
def test_rows_of_another_session_that_come_while_values_are_made_anew_are_kept(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, theirs: str
) -> None:
    table = lake.filled()
    if not isinstance(table, IcebergTable | DeltaTable):
        return  # nobody else writes one
    other = lake.spark.newSession()
    real = Shape.select

    def late(shape: Shape) -> list[str]:
        monkeypatch.undo()
        if theirs == "a column":
            other.sql(f"alter table {table.ref} add column z int")
        other.sql(f"insert into {table.ref} (id, v, note) values (90, 9, 'theirs')")
        other.sql(f"delete from {table.ref} where id = 1")
        return real(shape)

    monkeypatch.setattr(Shape, "select", late)
    table.alter([ChangeType("v", "string"), AddColumn("n", "int", "7")], Position(20), Position(30))
    found = {(one.id, one.v, one.note, one.n) for one in table.read(table.version()).collect()}
    assert (found, table.position()) == ({(2, "2", "b", 7), (90, "9", "theirs", 7)}, (30, 0))
    assert ("z" in dict(names(table))) == (theirs == "a column")


def test_second_names_of_files_go_where_the_commit_is_refused(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And they are new, however old the files are: what removes old files that no commit names leaves them."""
    columns = (Column("id", "bigint"), *(Column(one, "string") for one in HISTORY))
    table = lake.made(columns)
    paths = [str(tmp_path / f"staged-{number}.parquet") for number in range(3)]
    for number, path in enumerate(paths):
        parquet.write_table(pa.table({"id": [number], **{one: ["x"] for one in HISTORY}}), path)
        os.utime(path, (0, 0))
    folder = Path(place(table))
    real = os.link

    def late(path: str, name: str) -> None:
        real(path, name)
        if path == paths[-1]:
            lake.table().end(Position(10), Position(15))

    def full(path: str, name: str) -> None:
        if path == paths[-1]:
            raise OSError(errno.ENOSPC, "no space left")
        real(path, name)

    monkeypatch.setattr(os, "link", late)
    with pytest.raises(FenceError):
        table.adopt(paths, Position(10), Position(20))
    assert second_names(folder) == []
    # nor are those there that were made before one that cannot be, and Spark copies all
    monkeypatch.setattr(os, "link", full)
    assert not table.adopt(paths, Position(15), Position(20))
    assert second_names(folder) == []
    monkeypatch.undo()
    assert table.adopt(paths, Position(15), Position(20))
    assert len(second_names(folder)) == 3
    assert all(os.path.getmtime(one) > 0 for one in second_names(folder))
    assert {one[0] for one in rows(table)} == {0, 1, 2}


def place(table: Table) -> str:
    if isinstance(table, IcebergTable):
        return str(table._view().location()).removeprefix("file:")
    assert isinstance(table, DeltaTable | ParquetTable)
    return table.path if isinstance(table, DeltaTable) else table.folder


def second_names(folder: Path) -> list[Path]:
    return [one for one in folder.rglob("*.parquet") if one.stat().st_nlink > 1]


@pytest.mark.parametrize("few", [False, True])
def test_settings_of_the_session_for_other_work_do_not_matter(lake: Lake, few: bool) -> None:
    """Of a default catalog that is not the one of the tables, and of the rule for types of what is written."""
    theirs = lake.spark.newSession()
    theirs.conf.set("spark.sql.defaultCatalog", "ice")
    theirs.conf.set("spark.sql.storeAssignmentPolicy", "LEGACY")
    theirs.sql("use ice")
    lake.spark = lake.tables.spark = separate(theirs)
    lake.few = few
    table = lake.filled()
    lake.merge(table, [("update", 1, 9, "a"), ("delete", 2, None, None)], 20, 30)
    table.append(frame_of(lake.spark, [(3, 3, "c")], SCHEMA), Position(30), Position(40))
    table.alter([ChangeType("v", "string"), AddColumn("n", "int", "7")], Position(40), Position(50))
    assert table.position() == (50, 0)
    found = {(one.id, one.v, one.note, one.n) for one in table.read(table.version()).collect()}
    assert found == {(1, "9", "a", 7), (3, "3", "c", 7)}
    assert theirs.conf.get("spark.sql.storeAssignmentPolicy") == "LEGACY"


def test_a_log_of_delta_is_read_in_tasks_for_the_cores_there_are(spark: SparkSession) -> None:
    name = "spark.databricks.delta.snapshotPartitions"
    theirs = spark.newSession()
    theirs.conf.set(name, "7")
    assert separate(theirs).conf.get(name) == "7"
    theirs.conf.unset(name)
    assert separate(theirs).conf.get(name) == str(min(50, 4 * spark.sparkContext.defaultParallelism))
    assert theirs.conf.get(name, None) is None
