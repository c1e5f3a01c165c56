"""Maintenance of Iceberg tables: by Iceberg's own actions, and snapshots expired by their ids.

Iceberg itself expires by age, or keeps what tags name. Age is not enough, as a record may name a snapshot of any age;
and a tag for each published snapshot would be one more commit for each of the stream's.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from tidewire.spark.sync.maintaining.upkeep import Postponed, Spared
from tidewire.spark.sync.targets.confs import java
from tidewire.spark.sync.targets.iceberg import IcebergTable
from tidewire.spark.sync.targets.iceberg_places import others
from tidewire.spark.sync.targets.names import plain_path
from tidewire.spark.sync.targets.shapes import quoted

WRITERS = timedelta(days=1)
"""Files younger than this stay, though no snapshot has them: a writer may be about to commit them."""
_MANIFESTS = 20
"""From this many manifests below a fourth of their target size on, they are written anew."""
_MANIFEST_SIZE = "commit.manifest.target-size-bytes"


class IcebergUpkeep:
    """Maintenance of one table; `upkeep.Maintainable` documents the methods."""

    def __init__(self, table: IcebergTable, first: int | None, oldest: float, spared: Spared) -> None:
        """Args:
            table: the table.
            first: the snapshot that the oldest kept record names; 0: it has none, and nothing expires; None: there are
                no records, and the age counts.
            oldest: without records, the time in seconds since 1970 of which the snapshot of then stays.
            spared: for how long snapshots stay that a query may be reading.
        """
        self._table = table
        self._first = first
        self._oldest = oldest
        self._spared = spared
        loaded = table.current()
        self.place = "" if loaded is None else plain_path(loaded.location())

    def compact(self, dry: bool) -> int:
        """Rewrites data files, position deletes and manifests."""
        data, deletes, manifests = self._data(), self._deletes(), self._small_manifests()
        many = manifests >= _MANIFESTS
        if not dry:
            if data:
                self._actions().rewriteDataFiles(self._loaded()).option("remove-dangling-deletes", "true").execute()
            if deletes and self._deletes():  # what is left of them
                self._actions().rewritePositionDeletes(self._loaded()).execute()
            if many:
                self._actions().rewriteManifests(self._loaded()).execute()
        return data + deletes + (manifests if many else 0)

    def expire(self, dry: bool) -> int:
        """Expires snapshots."""
        table = self._loaded()
        parser = java(self._table.spark).org.apache.iceberg.TableMetadataParser
        gone = expired(
            json.loads(parser.toJson(table.operations().current())),
            self._first,
            self._oldest,
            time.time() - self._spared.read.total_seconds(),
        )
        if gone and not dry:
            # an age that no snapshot has: otherwise those of the table's default age would go as well
            change = table.expireSnapshots().expireOlderThan(0)
            for one in gone:
                change = change.expireSnapshotId(one)
            change.commit()
        return len(gone)

    def clean(self, dry: bool) -> int:
        """Removes orphan files from the table's own two folders."""
        spark, table = self._table.spark, self._loaded()
        if others(spark, table):
            place = plain_path(table.location())
            raise Postponed(
                f"{place} has files of another table, which would be taken for left-over ones: have the catalog give"
                " each table a folder of its own (unique-table-location: true), and run tidewire sync reset FILE TABLE"
            )
        found = 0
        for folder in ("data", "metadata"):
            place = f"{table.location()}/{folder}"
            path = java(spark).org.apache.hadoop.fs.Path(place)
            files = path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
            if not files.exists(path):
                continue
            if files.exists(java(spark).org.apache.hadoop.fs.Path(path, "metadata")):
                raise Postponed(f"{place} has a table in it, whose files would be taken for left-over ones")
            before = (datetime.now(UTC) - WRITERS - timedelta(minutes=1)).strftime("%Y-%m-%d %H:%M:%S")
            of = f"table => {_literal(self._table.ref)}, location => {_literal(place)}"
            of += f", older_than => timestamp '{before}+00:00', dry_run => {str(dry).lower()}"
            procedure = f"{quoted(self._table.parts[0])}.system.remove_orphan_files"
            found += len(spark.sql(f"call {procedure}({of})").collect())
        return found

    def _loaded(self) -> Any:
        table = self._table.current()
        if table is None:
            raise Postponed("there is no such table any more")
        return table

    def _actions(self) -> Any:
        spark = self._table.spark
        return java(spark).org.apache.iceberg.spark.actions.SparkActions.get(spark._jsparkSession)

    def _data(self) -> int:
        """How many data files would be written into fewer."""
        return self._planned(self._plans().BinPackRewriteFilePlanner)

    def _deletes(self) -> int:
        """How many files of position deletes would be; a table of format 3 has one for each data file."""
        if self._loaded().operations().current().formatVersion() != 2:
            return 0
        return self._planned(self._plans().BinPackRewritePositionDeletePlanner)

    def _plans(self) -> Any:
        return java(self._table.spark).org.apache.iceberg.actions

    def _planned(self, planner: Any) -> int:
        """The files that an action of Iceberg takes, by its own plan."""
        made = planner(self._loaded())
        made.init(java(self._table.spark).java.util.HashMap())
        return sum(int(one.inputFileNum()) for one in _each(made.plan().groups().iterator()))

    def _small_manifests(self) -> int:
        table = self._loaded()
        snapshot = table.currentSnapshot()
        if snapshot is None:
            return 0
        size = int(table.properties().get(_MANIFEST_SIZE) or 8 << 20)
        return sum(int(one.length()) < size // 4 for one in snapshot.dataManifests(table.io()))


def expired(metadata: Mapping[str, Any], first: int | None, oldest: float, young: float) -> list[int]:
    """The ids of snapshots that nothing needs.

    Those stay that the current one follows from, back to the one that the oldest kept record names, and all that
    branches and tags of the user keep.

    Args:
        metadata: of the table, in the form of its file.
        first, oldest: of `IcebergUpkeep`.
        young: a time in seconds since 1970; younger snapshots stay.
    """
    snapshots = {one["snapshot-id"]: one for one in metadata.get("snapshots", ())}
    current = metadata.get("current-snapshot-id")
    kept: set[int] = set()
    last: dict[str, Any] | None = None
    for one in _line(snapshots, current):
        kept.add(one["snapshot-id"])
        if first == one["snapshot-id"] or (first is None and one["timestamp-ms"] <= oldest * 1000):
            last = one
            break
    if last is None:
        return []  # the line of snapshots does not lead to it: a table was rolled back, or is younger
    for name, ref in metadata.get("refs", {}).items():
        if name != "main":
            line = _line(snapshots, ref["snapshot-id"])
            kept |= {one["snapshot-id"] for one in line} if ref["type"] == "branch" else {ref["snapshot-id"]}
    until = min(last["timestamp-ms"], young * 1000)
    return [number for number, one in snapshots.items() if number not in kept and one["timestamp-ms"] < until]


def _line(snapshots: Mapping[int, dict[str, Any]], newest: int | None) -> Iterator[dict[str, Any]]:
    """A snapshot and those that it follows from, the newest first."""
    while newest is not None and newest in snapshots:
        yield snapshots[newest]
        newest = snapshots[newest].get("parent-snapshot-id")


def _each(iterator: Any) -> Iterator[Any]:
    """The elements of a Java iterator."""
    while iterator.hasNext():
        yield iterator.next()


def _literal(text: str) -> str:
    """A text as a literal of SQL."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
