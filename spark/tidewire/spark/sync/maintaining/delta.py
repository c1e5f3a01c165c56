"""Maintenance of Delta tables: OPTIMIZE, and VACUUM where the table keeps removed files long enough.

VACUUM knows by the log which files were removed when, and the log forgets removed files after the table's
`delta.deletedFileRetentionDuration`: a file that it has forgotten is taken for one that was never committed. So the
property is set first, to longer than records are kept, and VACUUM runs where all is known that was removed since the
version that the oldest kept record names. (Delta ignores `VACUUM … RETAIN` for this reason.)
"""

from __future__ import annotations

import math
import time
from datetime import timedelta
from typing import Any

from pyspark.sql import DataFrame

from tidewire.spark.sync.maintaining.upkeep import Postponed, Spared
from tidewire.spark.sync.targets.confs import java, set_for
from tidewire.spark.sync.targets.delta import DeltaTable
from tidewire.spark.sync.targets.delta_commits import time_of

RETENTION = "delta.deletedFileRetentionDuration"
_LOG = "delta.logRetentionDuration"
"""The property with the age of commits that Delta may remove from the log; it cannot be less than the other."""
KNOWN_SINCE = "tidewire.removals.known.since"
"""The property with the time, in milliseconds since 1970, from which on the log has all removed files."""
TARGET = 128 << 20
"""The size of files that OPTIMIZE makes; smaller ones are written together."""
_LEAST = 5
"""So many small files are written together, or more."""
_OPTIMIZE = {
    "spark.databricks.delta.optimize.minFileSize": str(TARGET),
    "spark.databricks.delta.optimize.maxFileSize": str(TARGET),
}
_VACUUM = {
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "8",  # 10,000 tasks for any folder otherwise
    "spark.sql.shuffle.partitions": "8",
    "spark.databricks.delta.vacuum.logging.enabled": "false",  # two commits
}


class DeltaUpkeep:
    """Maintenance of one table; `upkeep.Maintainable` documents the methods."""

    def __init__(self, table: DeltaTable, first: int | None, keep: float, spared: Spared) -> None:
        """Args:
            table: the table.
            first: the version that the oldest kept record names; 0: it has none; None: there are no records.
            keep: for how many seconds records are kept.
            spared: for how long removed files are kept after that.
        """
        self._table = table
        self._first = first
        self._keep = timedelta(seconds=keep) + spared.removed
        self._writing = spared.writing
        self.place = table.location()

    def compact(self, dry: bool) -> int:
        """Runs OPTIMIZE."""
        files = DataFrame(self._snapshot().allFiles().toDF(), self._table.spark)
        small: int = files.where(f"size < {TARGET}").count()
        if small < _LEAST:
            return 0
        if not dry:
            with set_for(self._table.spark, _OPTIMIZE):
                (done,) = self._table.spark.sql(f"optimize {self._table.ref}").collect()
            return int(done.metrics.numFilesRemoved)
        return small

    def expire(self, dry: bool) -> int:
        """Nothing: versions go with their files, by VACUUM, and with their commits, by Delta's own checkpoints."""
        return 0

    def clean(self, dry: bool) -> int:
        """Runs VACUUM, if no version that a kept record names needs what it may remove."""
        self._keep_removed(dry)
        snapshot = self._snapshot()
        self._check(snapshot)
        spark, ref = self._table.spark, self._table.ref
        with set_for(spark, _VACUUM):
            found: int = spark.sql(f"vacuum {ref} dry run").count()
            if found and not dry:
                spark.sql(f"vacuum {ref}").collect()
        return found

    def _snapshot(self) -> Any:
        snapshot = self._table.current()
        if snapshot is None:
            raise Postponed("there is no such table any more")
        return snapshot

    def _retention(self, snapshot: Any) -> timedelta:
        """For how long the table keeps removed files."""
        log = getattr(getattr(java(self._table.spark).org.apache.spark.sql.delta, "DeltaLog$"), "MODULE$")
        return timedelta(milliseconds=int(log.tombstoneRetentionMillis(snapshot.metadata())))

    def _keep_removed(self, dry: bool) -> None:
        """Has the table keep removed files for longer than records, where it does not; what is longer stays."""
        snapshot = self._snapshot()
        was = self._retention(snapshot)
        known = snapshot.metadata().configuration().get(KNOWN_SINCE).isDefined()
        if known and was >= self._keep:
            return
        hour, second = timedelta(hours=1), timedelta(seconds=1)
        unit, units = (hour, "hours") if self._keep >= hour else (second, "seconds")
        text = f"{math.ceil(self._keep / unit)} {units}"
        if dry:
            raise Postponed(
                f"{RETENTION} would be set to {text} before files are removed"
                if was < self._keep
                else f"{KNOWN_SINCE} would be set before files are removed"
            )
        # what was removed before, and after this time, is still in the log
        since = int((time.time() - was.total_seconds()) * 1000)
        properties = {KNOWN_SINCE: str(since)}
        if was < self._keep:
            properties[RETENTION] = f"interval {text}"
            if timedelta(milliseconds=int(snapshot.deltaLog().deltaRetentionMillis(snapshot.metadata()))) < self._keep:
                properties[_LOG] = f"interval {text}"
        texts = ", ".join(f"'{name}' = '{value}'" for name, value in properties.items())
        self._table.spark.sql(f"alter table {self._table.ref} set tblproperties ({texts})")

    def _check(self, snapshot: Any) -> None:
        """Refuses VACUUM if a file may go that the version needs which the oldest record names, or a later one."""
        first = self._first
        if first is None or first >= int(snapshot.version()):
            return  # no file was removed since then
        at = time_of(self._table.spark, snapshot.deltaLog(), first + 1)
        if at is None:
            raise Postponed(
                f"commit {first + 1}, behind the oldest version that a record names, is not in the log any more"
            )
        at -= self._writing.total_seconds()
        since = int(str(snapshot.metadata().configuration().get(KNOWN_SINCE).get())) / 1000
        if at < since:
            raise Postponed(
                f"version {first}, which a record names, was replaced before the table's log kept all removed files:"
                " files are removed when newer versions are the oldest ones that records name"
            )
        if time.time() - at > self._retention(snapshot).total_seconds():
            raise Postponed(
                f"version {first}, which a record names, was replaced longer ago than removed files are kept: files are"
                " removed when newer versions are the oldest ones that records name"
            )
