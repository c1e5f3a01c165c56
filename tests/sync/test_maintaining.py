"""Maintenance of tables: small files are written together, and what no kept record needs goes, and nothing else."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from deltalake import DeltaTable as OtherReader
from manual.pages import manual, said
from pyspark.sql import SparkSession

from sync.aged import aged, older
from sync.lake_tables import Lake, Rows, numbers, rows
from tidewire.spark.sync.maintaining import delta, iceberg, scheduled
from tidewire.spark.sync.maintaining.delta import DeltaUpkeep
from tidewire.spark.sync.maintaining.iceberg import IcebergUpkeep, expired
from tidewire.spark.sync.maintaining.upkeep import Postponed, Spared
from tidewire.spark.sync.targets import Table, TargetError
from tidewire.spark.sync.targets.delta import DeltaTable
from tidewire.spark.sync.targets.iceberg import OWNER, IcebergTable

DAY = 86400
KEEP = 7 * DAY


@pytest.fixture
def ice(spark: SparkSession, tmp_path: Path) -> Lake:
    return Lake(spark, "iceberg", tmp_path, next(numbers))


@pytest.fixture
def rocks(spark: SparkSession, tmp_path: Path) -> Lake:
    return Lake(spark, "delta", tmp_path, next(numbers))


def grown(lake: Lake, table: Table, merges: int) -> dict[int, Rows]:
    """The rows at each version after so many merges, of which each makes a file."""
    found = {}
    for at in range(20, 20 + merges):
        lake.merge(table, [("insert", at, at, "x"), ("update", 1, at, "a")], at, at + 1)
        found[table.version()] = rows(table)
    return found


def read(table: Table, versions: dict[int, Rows]) -> list[int]:
    """The versions that are gone. The others are as they were, and delta-rs finds all files of theirs."""
    gone, errors = [], []
    for version, was in versions.items():
        try:
            found = rows(table, version)
        except TargetError as error:
            gone.append(version)
            errors.append(str(error))
            continue
        assert found == was
        if isinstance(table, DeltaTable):
            assert all(Path(unquote(one)).exists() for one in OtherReader(table.path, version=version).file_uris())
    for version, text in zip(gone, errors, strict=True):
        assert re.match(rf"table {table.name}: its \w+ {version}, which a record names, was expired: ", text)
    return gone


def test_what_records_need_of_an_iceberg_table_stays(ice: Lake) -> None:
    table = ice.filled()
    assert isinstance(table, IcebergTable)
    versions = grown(ice, table, 4)
    first, newest = list(versions)[2:]
    folder = Path(str(table._view().location()).removeprefix("file:"))
    table.spark.sql(f"alter table {table.ref} create tag mine as of version {next(iter(versions))}")
    upkeep = IcebergUpkeep(table, first, 0, Spared())
    # a dry run says what is done then, and does nothing
    assert (upkeep.compact(True), upkeep.expire(True), upkeep.clean(True)) == (5, 0, 0)
    assert table.version() == newest
    assert upkeep.compact(False) == 5
    assert upkeep.compact(True) == 0
    assert (rows(table), table.position()) == (versions[newest], (24, 0))
    # snapshots are kept for an hour, whoever reads them
    assert upkeep.expire(False) == 0
    upkeep = IcebergUpkeep(table, first, 0, Spared(read=timedelta(0)))
    before = len(list(folder.rglob("*.parquet")))
    # created, filled, and the second merge: the first has a tag
    assert upkeep.expire(True) == upkeep.expire(False) == 3
    assert len(list(folder.rglob("*.parquet"))) <= before
    assert upkeep.expire(False) == 0
    # files that nothing names go after a day
    stray = [folder / "data" / "stray.parquet", folder / "metadata" / "stray.avro", folder / "stray.txt"]
    for one in stray:
        one.write_bytes(b"any")
    assert upkeep.clean(False) == 0
    for one in stray:
        older(one, 1.01)
    assert upkeep.clean(True) == upkeep.clean(False) == 2
    assert [one.exists() for one in stray] == [False, False, True]
    assert read(table, versions) == [list(versions)[1]]
    # and the stream goes on
    ice.merge(table, [("delete", 1, None, None)], 24, 25)
    assert rows(table) == {one for one in versions[newest] if one[0] != 1}


def test_no_files_are_removed_where_two_tables_have_one_folder(ice: Lake) -> None:
    """Many catalogs leave a renamed table where it is, and have the next one of its name in the same folder."""
    table = ice.filled()
    assert isinstance(table, IcebergTable)
    folder = Path(str(table._view().location()).removeprefix("file:"))
    other = ice.table("other", 2)
    assert isinstance(other, IcebergTable)
    properties = f"location '{folder}' tblproperties ('{OWNER}' = '{other.owner}')"
    table.spark.sql(f"create table {other.ref} (id int) using iceberg {properties}")
    for one in folder.rglob("*.*"):
        older(one, 1.01)
    for each in (table, other):
        with pytest.raises(Postponed, match=f"^{folder} has files of another table, which would be"):
            IcebergUpkeep(each, None, 0, Spared()).clean(False)
    assert rows(table) == {(1, 1, "a"), (2, 2, "b")}


def test_what_records_need_of_a_delta_table_stays(rocks: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delta, "_LEAST", 3)
    table = rocks.filled()
    assert isinstance(table, DeltaTable)
    versions = grown(rocks, table, 2)
    first, newest = versions
    upkeep = DeltaUpkeep(table, newest, KEEP, Spared())
    assert upkeep.compact(True) == upkeep.compact(False) == 3
    assert upkeep.compact(True) == 0
    assert (rows(table), table.position()) == (versions[newest], (22, 0))
    versions |= {table.version(): versions[newest]}
    # nobody wrote it for 20 days: its files are removed for longer than Delta lets anybody read them
    aged(rocks.spark, table.path, 20)
    with pytest.raises(Postponed, match=r"^delta.deletedFileRetentionDuration would be set to 192 hours before"):
        upkeep.clean(True)
    assert table.version() == newest + 1
    # the newest record names the version before compaction, whose files the log may have forgotten
    replaced = rf"^version {newest}, which a record names, was replaced before the table's log"
    with pytest.raises(Postponed, match=replaced):
        upkeep.clean(False)
    aged(rocks.spark, table.path, 20)
    with pytest.raises(Postponed, match=replaced):
        upkeep.clean(True)
    table.spark.sql(f"alter table {table.ref} set tblproperties ('{delta.KNOWN_SINCE}' = '1')")
    with pytest.raises(Postponed, match=rf"^version {newest}, which a record names, was replaced longer ago than"):
        upkeep.clean(False)
    assert read(table, versions) == []
    # records name the one that compaction made: of those before all files go
    upkeep = DeltaUpkeep(table, table.version(), KEEP, Spared())
    assert upkeep.clean(True) == upkeep.clean(False) == 5
    assert read(table, versions) == [first, newest]
    rocks.merge(table, [("delete", 1, None, None)], 22, 23)
    assert rows(table) == {one for one in versions[newest] if one[0] != 1}


def test_a_delta_table_keeps_removed_files_longer_than_records(rocks: Lake) -> None:
    table = rocks.made()
    assert isinstance(table, DeltaTable)

    def properties() -> list[str | None]:
        found = {one.key: one.value for one in table.spark.sql(f"show tblproperties {table.ref}").collect()}
        return [found.get(one) for one in (delta.RETENTION, "delta.logRetentionDuration")]

    DeltaUpkeep(table, 0, 7 * DAY, Spared())._keep_removed(False)
    assert properties() == ["interval 192 hours", None]
    DeltaUpkeep(table, 0, 60 * DAY, Spared())._keep_removed(False)
    assert properties() == ["interval 1464 hours", "interval 1464 hours"]
    # what is longer stays, and nothing is committed twice
    version = table.version()
    DeltaUpkeep(table, 0, 7 * DAY, Spared())._keep_removed(False)
    assert (properties(), table.version()) == (["interval 1464 hours", "interval 1464 hours"], version)
    assert table.position() == (10, 0)


def snapshot(number: int, parent: int | None, at: int) -> dict[str, Any]:
    return {"snapshot-id": number, "timestamp-ms": at, **({} if parent is None else {"parent-snapshot-id": parent})}


def test_snapshots_that_expire() -> None:
    line = [snapshot(one, one - 1 if one > 1 else None, one * 1000) for one in range(1, 7)]
    other = [snapshot(10, 2, 2500), snapshot(11, 3, 3500)]
    refs = {"main": {"snapshot-id": 6, "type": "branch"}}
    metadata = {"snapshots": [*line, *other], "current-snapshot-id": 6, "refs": refs}
    assert expired(metadata, 4, 0, 100) == [1, 2, 3, 10, 11]
    assert expired(metadata, 6, 0, 100) == [1, 2, 3, 4, 5, 10, 11]
    # those that are young, or younger than the oldest that a record names, stay
    assert expired(metadata, 6, 0, 2.2) == [1, 2]
    assert expired(metadata, 4, 0, 100) == [1, 2, 3, 10, 11]
    # no record names one, or one that the newest does not follow from
    for first in (0, 7, 11):
        assert expired(metadata, first, 0, 100) == []
    # without records by age: the one of then, and all behind it
    assert expired(metadata, None, 4.5, 100) == [1, 2, 3, 10, 11]
    assert expired(metadata, None, 0.5, 100) == []
    # branches and tags of the user
    refs |= {"b": {"snapshot-id": 10, "type": "branch"}, "t": {"snapshot-id": 3, "type": "tag"}}
    assert expired(metadata, 4, 0, 100) == [11]
    metadata["snapshots"] = line[2:]
    refs.pop("b")
    assert expired(metadata, 6, 0, 100) == [4, 5]
    assert expired({"snapshots": [], "current-snapshot-id": -1}, 4, 0, 100) == []


def test_what_the_page_says_are_the_numbers_that_hold() -> None:
    text = said(manual("live-tables-maintenance"))
    assert (timedelta(hours=1), *[timedelta(days=1)] * 2) == (Spared().read, Spared().removed, Spared().clean_every)
    assert "snapshots younger than 1 hour" in text
    assert timedelta(days=1) == iceberg.WRITERS
    assert "those older than 1 day" in text
    assert f"`rewrite_manifests` from {iceberg._MANIFESTS} small manifests on" in text
    assert f"`OPTIMIZE` from {delta._LEAST} files below {delta.TARGET >> 20} MiB on" in text
    assert "sets it to one day more than `keep_published`" in text
    assert "files of no version are looked for once a day" in text
    assert f"for no more than {scheduled.MOST} seconds" in text
