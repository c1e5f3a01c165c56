"""States between published ones are the source's at every commit ts, or refused: over the seeded histories, in memory.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest

from sync.driver import Driver, WrongError
from sync.in_memory import InMemory
from sync.test_histories import crash_after
from tidewire.spark.sync import plan as planning
from tidewire.spark.sync.changelog import Manifest, Statement
from tidewire.spark.sync.exact import Made, states
from tidewire.spark.sync.history_facts import Histories
from tidewire.spark.sync.publish import PublishedHistory, PublishedTable, Record
from tidewire.spark.sync.rehearsal.histories import History
from tidewire.spark.sync.rehearsal.source import Row, TrueTable, Truth
from tidewire.spark.sync.storage import Storage

HISTORIES = 20_000 if os.environ.get("HYPOTHESIS_PROFILE") == "exhaustive" else 800
CHUNKS = 8
Changed = dict[tuple[int, int, str, str], Row | None]
"""By commit ts, rank, value of the handle key, and handle key."""


class Files(Storage):
    """The files of a state."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}

    def read(self, path: str) -> str:
        return self.files[path]

    def create(self, path: str, text: str) -> bool:
        return self.files.setdefault(path, text) is text

    def names(self, folder: str) -> list[str]:
        behind = [path.removeprefix(f"{folder}/") for path in self.files if path.startswith(f"{folder}/")]
        return sorted({one.partition("/")[0] for one in behind})


class WithChanges(InMemory):
    """Tables, and their histories."""

    changes: dict[str, Changed]

    def do(self, step: planning.Step) -> None:
        if isinstance(step, planning.Apply):
            kept = self.changes.setdefault(step.table, {})
            for path in {one.path for one in step.files if one.path in self.files}:
                for of, ts, rank, key, row, handle in self.files[path]:
                    if of == step.name and step.lo <= ts < step.hi:
                        kept[ts, rank, key, handle] = row
        super().do(step)


class WithHistories(Driver):
    """A synchronisation that keeps histories, and records of what it published."""

    def __init__(self, history: History, crash_after: int) -> None:
        super().__init__(history, crash_after)
        self.changes: dict[str, Changed] = {}
        self.target = WithChanges(self.files, history.lenient)
        self.target.crash_after = crash_after
        self.target.changes = self.changes
        self.storage = Files()
        self.records: list[Record] = []
        self.versions: dict[tuple[str, int], dict[str, Row]] = {}
        self.restart()

    def restart(self) -> None:
        self.noted = Histories("memory")
        self.noted._files = self.storage

    def batch(self, number: int) -> bool:
        done = super().batch(number)
        if not done:
            self.restart()
        return done

    def plan(self, manifest: Manifest) -> planning.TablesPlan:
        found = super().plan(manifest)
        self.noted.note(manifest, found, self.rules, True)
        return found

    def compare(self, manifest: Manifest, plan: planning.TablesPlan) -> None:
        super().compare(manifest, plan)
        tables: dict[str, PublishedTable] = {}
        for name, number in plan.tables.items():
            if (table := self.target.tables.get(number)) is not None:
                rows = dict(table.rows)
                old = self.records[-1].numbered().get(number) if self.records else None
                version = 0 if old is None else old.version
                if old is None or old.position != table.position or self.versions[number, version] != rows:
                    version += 1
                self.versions[number, version] = rows
                parked = (plan.parked[number].reason or "parked") if number in plan.parked else ""
                tables[name] = PublishedTable(number, table.name, version, table.position, parked)
        histories = {one.number: PublishedHistory(name, 1) for name, one in tables.items()}
        self.records.append(Record(manifest.resolved, manifest.number, tables, 0, {}, histories))

    def made(self, one: Made) -> dict[str, Row]:
        """The state of a table."""
        rows = {} if one.base is None else dict(self.versions[one.base.number, one.base.version])
        found = self.changes.get(one.like.number, {})
        for (ts, _, key, handle), row in sorted(found.items(), key=lambda each: each[0][:2]):
            if one.lo <= ts < one.hi:
                if handle == "u":
                    for other in [other for other, each in rows.items() if each["u"] == key]:
                        del rows[other]
                    if row is not None:
                        rows[row["id"]] = row
                elif row is None:
                    rows.pop(key, None)
                else:
                    rows[key] = row
        return rows

    def check(self, seen: Counter[str]) -> None:
        """Compares the state at every commit ts with the source."""
        truth = Truth(self.history.log, self.history.lenient, self.history.columns)
        for end in range(self.history.log[0].ts, self.records[-1].resolved + 1):
            truth.advance(end)
            below = [record for record in self.records if record.resolved <= end]
            after = next(record for record in self.records if record.resolved >= end)
            made, inexact = states(below[-1] if below else None, after, end, self.noted)
            seen.update(" ".join(word for word in why.split()[:5] if not word[0].isdigit()) for why in inexact.values())
            where = f"history {self.history.seed} at {end}"
            for name, true in truth.tables.items():
                if name in made:
                    seen["alone" if not below else "between"] += 1
                    self._same(f"{where}: {name}", made[name], set(true.columns), true.rows)
                elif name in inexact or not true.rows or self._never_made(true, [*below, after]):
                    continue
                elif not self._gone(name, end, after.resolved, below):
                    raise WrongError(f"{where}: {name} is not there")
            for name, one in made.items():
                if name not in truth.tables and self.made(one):
                    raise WrongError(f"{where}: {name} is there, and the source has none")

    def _gone(self, name: str, end: int, until: int, below: list[Record]) -> bool:
        """Whether a table went before it was ever made, as it was first seen after the record before."""
        begin = below[-1].resolved if below else 0
        there = bool(below) and name in below[-1].tables and not self._moved(name, begin, end)
        return self._moved(name, end, until) and not there

    def _moved(self, name: str, lo: int, hi: int) -> bool:
        """Whether a name went from a table, or to one, in lo <= commit ts < hi."""
        kinds = {"DropTable", "RenameTable", "CreateTable"}
        return any(
            action.kind in kinds and name in (one.table, action.get("old"), action.get("new"))
            for one in self.history.log
            if isinstance(one, Statement) and lo <= one.ts < hi
            for action in one.actions
        )

    def _never_made(self, true: TrueTable, records: list[Record]) -> bool:
        """Whether a table has waited since before it had a row that could be merged."""
        published = {number for record in records for number in record.numbered()}
        return bool(true.waits) and not published.issuperset(self.noted.numbers())

    def _same(self, where: str, one: Made, columns: set[str], rows: dict[str, Row]) -> None:
        found = {key: {each: row.get(each) for each in columns} for key, row in self.made(one).items()}
        if found != rows:
            keys = [key for key in found.keys() | rows.keys() if found.get(key) != rows.get(key)]
            raise WrongError(f"{where} {keys[0]} is {found.get(keys[0])} for {rows.get(keys[0])} by {one}")


def _checked(seeds: range) -> Counter[str]:
    seen: Counter[str] = Counter()
    for seed in seeds:
        driver = WithHistories(History(seed), crash_after(seed))
        driver.run()
        driver.check(seen)
    return seen


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_the_state_at_every_commit_ts_is_the_source_or_refused(chunk: int) -> None:
    seen = _checked(range(chunk * HISTORIES // CHUNKS, (chunk + 1) * HISTORIES // CHUNKS))
    assert seen["between"] > 300
    assert seen["alone"] > 60


