"""Publishes a resolved ts once all tables are there, and removes what is no longer needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tidewire.spark.sync.changelog import Manifest, Position, StateError
from tidewire.spark.sync.choices import Chosen
from tidewire.spark.sync.done import Engine
from tidewire.spark.sync.manifests import Manifests
from tidewire.spark.sync.plan import TablesPlan, names_of
from tidewire.spark.sync.publish import Published, PublishedHistory, PublishedTable, Record, Records
from tidewire.spark.sync.staged_files import FOLDER
from tidewire.spark.sync.steps import Steps
from tidewire.spark.sync.storage import storage
from tidewire.spark.sync.targets import FenceError, TargetError


class Publishing:
    """Publishes what the batches of one synchronisation applied."""

    def __init__(self, state: str, steps: Steps, manifests: Manifests, chosen: Chosen) -> None:
        self._state = state
        self._steps = steps
        self._manifests = manifests
        self._chosen = chosen
        self.records = Records(Published(state))
        self.changed: set[str] | None = None
        """Tables written since the last record; a repair does not change their position. None: unknown, as another
        process may have written tables.
        """

    def again(self) -> None:
        """Discards cached records and changed tables: another process may have published and written tables."""
        self.records.again()
        self.changed = None

    def written(self, tables: Iterable[str]) -> None:
        """Notes tables that are being written."""
        if self.changed is not None:
            self.changed.update(tables)

    def publish(
        self,
        manifest: Manifest,
        plan: TablesPlan,
        where: Mapping[str, Position | None],
        versions: Mapping[str, tuple[str, int]],
        engines: Mapping[str, Engine],
    ) -> bool:
        """Writes the record of the resolved ts of a manifest. Returns whether it is new.

        Args:
            manifest: the newest.
            plan: of its steps, which all are done.
            where: the positions of tables.
            versions: by table id, the name and the version of those that were merged last by workers.
            engines: by table id, what merged the changes of those that had any.

        Raises:
            StateError: a table is gone.
        """
        resolved = 0 if self._chosen.by_key else manifest.resolved
        before = self.records.newest()
        if not resolved or manifest.held or (before is not None and before.resolved >= resolved):
            return False
        known = {} if before is None else before.numbered()
        tables: dict[str, PublishedTable] = {}
        histories: dict[str, PublishedHistory] = {}
        beside = self._steps.beside
        for name, number in manifest.names.items():
            at = where.get(number)
            table = manifest.tables[number]
            # it has had no row and no statement yet, or its dump is not loaded yet
            missing = at is None or (table.load != "" and at.ts < table.start)
            parked = plan.parked.get(number)
            old = known.get(number)
            waits = "" if parked is None else parked.reason
            if table.replaces and (old is None or old.place != name):
                if not waits and not missing:
                    waits = self._swapped(number, manifest, name)
                    versions = {one: found for one, found in versions.items() if one != number}
                if waits and (replaced := known.get(table.replaces)) is not None:
                    tables[name] = replaced._replace(parked=f"it is being made anew, and that waits: {waits}")
                    if before is not None and table.replaces in before.histories:
                        histories[table.replaces] = before.histories[table.replaces]
                    continue
            if missing or at is None:
                continue
            same = self.changed is not None and number not in self.changed
            if old is not None and same and old.position == at and old.place == name:
                if before is not None and number in before.histories:
                    histories[number] = before.histories[number]
                tables[name] = old._replace(parked=waits)
                continue
            place, version = versions.get(number) or self._found(number, manifest, name)
            tables[name] = PublishedTable(number, place, version, at, waits)
            if beside is not None and (history := beside.table(number, manifest.tables[number])) is not None:
                histories[number] = PublishedHistory(history.name, history.version())
        gone = self.records.gone(
            tables,
            resolved,
            lambda number: names_of(manifest.tables[number]) if number in manifest.tables else [],
        )
        dead = sum(manifest.dead.values())
        every = {**({} if before is None else before.engines), **engines}
        kept = {number: one for number, one in every.items() if number in manifest.tables}
        created = self.records.create(Record(resolved, manifest.number, tables, dead, gone, histories, kept))
        self.changed = set()
        return created

    def _swapped(self, number: str, manifest: Manifest, name: str) -> str:
        """Gives a table that was built beside another one its name, in place of that one, which is kept aside. Returns
        why that was not possible; empty if it was. A crash in between is harmless: tables are found by their owners.
        """
        for steps in (self._steps, self._steps.beside):
            there = None if steps is None else steps.table(number, manifest.tables[number])
            if steps is None or there is None or there.name == name:
                continue
            with steps.active():
                at = there.position()
                assert at is not None
                try:
                    there.rename(name, at, at)
                except FenceError:
                    raise
                except TargetError as error:
                    return str(error)
        return ""

    def _found(self, number: str, manifest: Manifest, name: str) -> tuple[str, int]:
        """The name of a table in the target, and its version."""
        there = self._steps.table(number, manifest.tables[number])
        if there is None:
            raise StateError(f"table {name} is gone: another program dropped it while it was written; start again")
        return there.name, there.version()

    def collect_versions(self, manifest: Manifest, written: Iterable[str]) -> None:
        """Removes old versions of the written tables that no record names; the newest version stays for the next
        record.
        """
        spans = self.records.spans() if written else {}
        histories = self.records.spans_of_histories() if written and self._steps.beside is not None else {}
        for number in written:
            self._steps.collect(number, manifest.tables[number], spans.get(number), histories.get(number))

    def collect(self, manifest: Manifest, staged: bool) -> None:
        """Removes files that are no longer needed; `staged`: of staged ones, too, for which all lists are read."""
        self._manifests.collect(manifest)
        self.records.forget(self._chosen.keep_published)
        if not staged:
            return
        needed = self._manifests.needed(manifest, self._chosen.rules)
        files = storage(self._state)
        for folder in files.names(FOLDER):
            number = folder.split("-", 1)[0]
            if not number.isdigit() or int(number) > manifest.number:
                continue
            paths = [f"{FOLDER}/{folder}/{name}" for name in files.names(f"{FOLDER}/{folder}")]
            if needed.isdisjoint(paths):
                files.remove_folder(f"{FOLDER}/{folder}")
                continue
            for path in paths:
                if path not in needed:
                    files.remove(path)
