"""Maintains all tables of a synchronisation: one after the other, whatever happens to one of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from tidewire.spark.sync.changelog import Manifest
from tidewire.spark.sync.choices import Chosen
from tidewire.spark.sync.failures import JAVA_ENDED
from tidewire.spark.sync.maintaining.last import Maintained
from tidewire.spark.sync.maintaining.upkeep import HISTORY, ORDER, TABLE, Maintainable, Postponed, Spared, Upkeep
from tidewire.spark.sync.manifests import Manifests
from tidewire.spark.sync.plan import names_of
from tidewire.spark.sync.planned import plain
from tidewire.spark.sync.publish import Published, Records
from tidewire.spark.sync.staged_files import full
from tidewire.spark.sync.state import Identity, identity
from tidewire.spark.sync.targets import Table, Tables, find
from tidewire.spark.sync.targets.confs import active, separate
from tidewire.spark.sync.targets.names import plain_path
from tidewire.spark.sync.targets.opened import tables_of
from tidewire.spark.sync.targets.places import order_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_STEPS = {
    "compacted": ("compact", "small files were not compacted"),
    "expired": ("expire", "versions were not expired"),
    "removed": ("clean", "files that no version has were not removed"),
}
"""By field of `Upkeep` the method that does it, and what is said if it fails."""


class _Found(NamedTuple):
    """A table to maintain: `first` is the oldest version that a record names, None without records."""

    name: str
    number: str
    kind: str
    table: Table
    first: int | None


class Maintenance:
    """The maintenance of one synchronisation."""

    def __init__(
        self, spark: SparkSession, state: str, chosen: Chosen, of: Identity | None = None, spared: Spared | None = None
    ) -> None:
        """Args:
            spark: the session of the calling thread.
            state: the state's location.
            chosen: the user's choices.
            of: the identity of the state.
            spared: for how long is spared what others may be using.

        Raises:
            StateError: there is no such state.
        """
        self._of = of or identity(state)
        self._state = state
        self._chosen = chosen
        self._spared = spared or Spared()
        self._spark = separate(spark)
        self.changed: set[str] = set()
        """The ids of tables in which files were compacted: records should name their new versions."""
        self.done: set[tuple[str, str]] = set()
        """Ids and kinds of the tables that `run` has done, and does not do again."""

    def run(
        self, dry: bool = False, clean: bool = True, stopping: Callable[[], bool] = lambda: False
    ) -> Iterator[Upkeep]:
        """What is done for each table, while it is iterated over.

        Args:
            dry: whether nothing is done, and it is only said what would be.
            clean: whether files are looked for that no version has, for which each table's folder is listed.
            stopping: asked before each table.
        """
        records = Records(Published(self._state))  # which the stream itself removes when they are old
        with active(self._spark):
            tables = list(self._tables(Manifests(self._state, self._of.source).newest(), records))
        places: dict[int, str] = {}
        for number, one in enumerate(tables):
            if (one.number, one.kind) in self.done:
                continue
            if stopping():
                return
            with active(self._spark):
                if clean and not places:
                    places = dict(enumerate(map(self._place, tables)))
                inside = _inside(places.get(number, ""), [*places.values(), plain_path(full(self._state, ""))])
                found = self._maintained(one, dry, clean, inside)
            self.done.add((one.number, one.kind))
            yield found

    def _tables(self, manifest: Manifest, records: Records) -> Iterator[_Found]:
        """The tables that are published, and those beside them."""
        spans, beside = records.spans(), records.spans_of_histories()
        main = tables_of(self._spark, self._of.into)
        histories = tables_of(self._spark, self._of.history) if self._of.history else None
        for number, table in manifest.tables.items():
            if not self._chosen.by_key and number not in spans:
                continue  # not published yet, or dropped: it stays as it is
            names = names_of(table)
            first = None if self._chosen.by_key else spans[number][0]
            yield from self._found(main, table.name, number, TABLE, names, first)
            if self._chosen.by_key:
                yield from self._found(main, table.name, number, ORDER, list(map(order_of, names)), None)
            if histories is not None and number in beside:
                yield from self._found(histories, table.name, number, HISTORY, names, beside[number][0])

    def _found(
        self, tables: Tables, name: str, number: str, kind: str, names: list[str], first: int | None
    ) -> Iterator[_Found]:
        there = find(tables, f"{self._of.id}/{number}{ {TABLE: '', HISTORY: 'h', ORDER: 'o'}[kind]}", names)
        if there is not None:
            yield _Found(name, number, kind, there, first)

    def _place(self, one: _Found) -> str:
        with suppress(Exception):
            return self._upkeep(one).place
        return ""

    def _upkeep(self, one: _Found) -> Maintainable:
        from tidewire.spark.sync.maintaining.delta import DeltaUpkeep
        from tidewire.spark.sync.maintaining.iceberg import IcebergUpkeep
        from tidewire.spark.sync.maintaining.parquet import ParquetUpkeep
        from tidewire.spark.sync.targets.delta import DeltaTable
        from tidewire.spark.sync.targets.iceberg import IcebergTable
        from tidewire.spark.sync.targets.parquet import ParquetTable

        keep = self._chosen.keep_published
        if isinstance(one.table, IcebergTable):
            return IcebergUpkeep(one.table, one.first, time.time() - keep, self._spared)
        if isinstance(one.table, DeltaTable):
            return DeltaUpkeep(one.table, one.first, keep, self._spared)
        assert isinstance(one.table, ParquetTable)
        return ParquetUpkeep(one.table, one.first)

    def _step(self, one: _Found, method: str, dry: bool) -> int:
        count: int = getattr(self._upkeep(one), method)(dry)
        return count

    def _maintained(self, one: _Found, dry: bool, clean: bool, inside: str) -> Upkeep:
        """Takes all steps for one table; one that fails keeps no other from being taken."""
        counts: dict[str, int] = {}
        notes, failures = [], []
        for field, (method, failed) in _STEPS.items():
            if (field == "compacted" and not self._chosen.compact) or (field == "removed" and not clean):
                continue
            if field == "removed" and inside:
                notes.append(f"{failed}: {inside} is in the table's folder, and would be taken for one of them")
                continue
            try:
                counts[field] = self._step(one, method, dry)
            except Postponed as reason:
                notes.append(f"{failed}: {reason}")
            except JAVA_ENDED:
                raise
            except Exception as error:
                failures.append(f"{failed}: {plain(error)}")
        if counts.get("compacted") and not dry:
            self.changed.add(one.number)
        return Upkeep(one.name, one.kind, **counts, notes=tuple(notes), failures=tuple(failures))


def _inside(place: str, others: list[str]) -> str:
    """The first of several places that is inside a folder; empty if there is none."""
    begin = place.rstrip("/") + "/"
    return next((one for one in others if place and one.startswith(begin)), "")


def maintain(spark: SparkSession, state: str, chosen: Chosen, *, dry: bool = False) -> Iterator[Upkeep]:
    """Maintains all tables of a synchronisation, whether or not it runs; what is done, as it is done.

    Args:
        spark: a session that can write the tables.
        state: the folder of the synchronisation.
        chosen: the user's choices.
        dry: whether nothing is done, and it is only said what would be.

    Raises:
        StateError: there is no such state.
    """
    of = Maintenance(spark, state, chosen)
    if dry:
        yield from of.run(dry=True)
        return
    maintained = Maintained(state)
    began = maintained.begin(clean=True)
    every = []
    for one in of.run():
        every.append(one)
        yield one
    maintained.end(began, every)
