"""Maintenance of Parquet tables, which are written anew by each commit: only versions go."""

from __future__ import annotations

from tidewire.spark.sync.targets.parquet import ParquetTable

_ANY = 1 << 62
"""Above the number of each commit: those that a stream makes meanwhile stay."""


class ParquetUpkeep:
    """Maintenance of one table; `upkeep.Maintainable` documents the methods."""

    place = ""

    def __init__(self, table: ParquetTable, first: int | None) -> None:
        """Args:
            table: the table.
            first: the version that the oldest kept record names; None: there are no records, and its batches removed
                all but the newest version.
        """
        self._table = table
        self._first = first or 0

    def compact(self, dry: bool) -> int:
        """Nothing: each commit writes few files."""
        return 0

    def expire(self, dry: bool) -> int:
        """Removes commits, and files that only they have."""
        gone = sum(one < self._first for one in self._table._numbers()[:-1])
        if gone and not dry:
            self._table.collect(self._first, _ANY)
        return gone

    def clean(self, dry: bool) -> int:
        """Nothing: what a crash left goes with the next version."""
        return 0
