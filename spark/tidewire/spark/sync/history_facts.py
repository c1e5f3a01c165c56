"""Facts that a history table's rows do not contain: statements, handle keys, and rows that could not be read.

A TRUNCATE removes rows without a change for each, and rows do not state which columns identify them. So the state has a
folder for each table with a history, with a small file for each such fact. Files are created once, before the tables
are written, and never removed: a history is kept for longer than the manifests and records that the facts come from.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from tidewire.spark.sync.changelog import Manifest, StagedRows, StateError, TargetTable
from tidewire.spark.sync.named import END
from tidewire.spark.sync.plan import Append, Apply, Step, TablesPlan, by_handle_key
from tidewire.spark.sync.rules import NOTHING, Rules
from tidewire.spark.sync.shapes import Shape
from tidewire.spark.sync.storage import storage
from tidewire.spark.sync.walk import OF_NAMES, renamed

_FOLDER = "histories"
_FORMAT = 1


class Followed(NamedTuple):
    """The statements on a table at one commit ts: the kinds of their actions, and its name before and after them;
    whether there were messages then that could not be read.
    """

    ts: int
    kinds: tuple[str, ...]
    was: str
    name: str
    letters: bool


class Keys(NamedTuple):
    """The handle key of rows from a commit ts on; empty if they have none, or not all columns."""

    ts: int
    columns: tuple[str, ...]


class Unread(NamedTuple):
    """Between which commit timestamps rows of a table could not be read: from `lo`, below `hi`."""

    lo: int
    hi: int


@dataclass(frozen=True, slots=True)
class HistoryFacts:
    """The facts of one history.

    Attributes:
        name: of the table when its history began.
        start: the commit ts from which the table has changes.
        since: the commit ts from which all statements are here.
        whole: whether the history alone tells the table's rows; not where it is beside a table that began with a dump.
        own: whether the table itself is the history (`mode: history`).
        statements: in order.
        keys: in order.
        unread: in order.
    """

    name: str
    start: int
    since: int
    whole: bool
    own: bool
    statements: tuple[Followed, ...] = ()
    keys: tuple[Keys, ...] = ()
    unread: tuple[Unread, ...] = ()

    def between(self, lo: int, hi: int) -> list[Followed]:
        """The statements at a commit ts in lo <= ts < hi."""
        return [one for one in self.statements if lo <= one.ts < hi]

    def unreadable(self, lo: int, hi: int) -> Unread | None:
        """Rows that could not be read, if that concerns states from `lo` up to `hi`."""
        return next((one for one in self.unread if one.lo < hi and one.hi >= lo), None)

    def reshaped(self, lo: int, hi: int) -> Followed | None:
        """The first statement in lo <= ts < hi that changed columns, or that no target can follow."""
        return next((one for one in self.between(lo, hi) if set(one.kinds) - OF_ROWS), None)

    def truncated(self, lo: int, hi: int) -> list[int]:
        """The commit timestamps in lo <= ts < hi at which all rows were removed."""
        return [one.ts for one in self.between(lo, hi) if "Truncate" in one.kinds]

    def forgotten(self, lo: int, hi: int) -> int:
        """The first commit ts in lo <= ts < hi at which rows were removed of which some may not have been read; or 0.
        """
        found = (one for one in self.between(lo, hi) if one.letters and {"Truncate", "DropTable"} & set(one.kinds))
        return next((one.ts for one in found), 0)

    def dropped(self, lo: int, hi: int) -> int:
        """The commit ts in lo <= ts < hi at which the table was dropped; 0 if it was not."""
        return next((one.ts for one in self.between(lo, hi) if "DropTable" in one.kinds), 0)

    def name_at(self, end: int, lo: int, hi: int, name: str) -> str:
        """The name of the table just before a commit ts.

        Args:
            end: the commit ts.
            lo, hi: commit timestamps before and behind it; only statements between them are looked at.
            name: the name at `lo`, or, if it has not been renamed since `end`, at `hi`.
        """
        for one in reversed(self.between(lo, end)):
            if one.was != one.name:
                return one.name
        return next((one.was for one in self.between(end, hi) if one.was != one.name), name)

    def keys_of(self, lo: int, hi: int) -> list[Keys]:
        """The different handle keys of rows in lo <= commit ts < hi, in order."""
        before = [one for one in self.keys if one.ts <= lo]
        found = [*before[-1:], *(one for one in self.keys if lo < one.ts < hi)]
        sets = [{name.lower() for name in one.columns} for one in found]
        return [one for at, one in enumerate(found) if sets[at] not in sets[:at]]


OF_ROWS = {"Truncate", *OF_NAMES}
"""Actions after which a table has the same columns."""


class Histories:
    """The facts of all histories of a state."""

    def __init__(self, state: str) -> None:
        self._files = storage(state)
        self._there: dict[str, set[str]] = {}
        self._last: dict[str, tuple[tuple[str, ...] | None, int]] = {}
        """By table id, its last known keys, and the commit ts since which rows cannot be read, or 0."""

    def note(self, manifest: Manifest, plan: TablesPlan, rules: Rules, beside: bool) -> None:
        """Stores the facts of a manifest that is about to be applied; a repetition changes nothing.

        Args:
            manifest, plan: the manifest, and its plan.
            rules: the choices for tables.
            beside: whether there is a history table beside each table.
        """
        for number, table in manifest.tables.items():
            own = rules.history(table.name)
            if own or beside:
                self._begin(number, table, own)
                self._statements(number, table, rules, any(manifest.dead.values()))
                self._keys(number, plan.steps.get(number, ()))
                self._unread(number, table, manifest)

    def numbers(self) -> list[str]:
        """The ids of all tables that have or had a history."""
        return sorted(self._files.names(_FOLDER))

    def of(self, number: str) -> HistoryFacts | None:
        """The facts of a table's history by the table's id; None if it has no history, or none since there are facts.
        """
        found: dict[str, Any] = {}
        statements, keys, waits = [], [], []
        for name in sorted(self._files.names(f"{_FOLDER}/{number}")):
            if name.endswith(".json"):
                of = self._read(f"{_FOLDER}/{number}/{name}")
                kind = of.pop("kind")
                if kind == "begin":
                    found = of
                elif kind == "statements":
                    statements.append(Followed(of["ts"], tuple(of["kinds"]), of["was"], of["name"], of["letters"]))
                elif kind == "keys":
                    keys.append(Keys(of["ts"], tuple(of["columns"])))
                else:
                    waits.append((of["at"], of["since"]))
        if not found:
            return None
        unread = []
        for at, (_, since) in enumerate(waits):
            if since:
                unread.append(Unread(since, next((end for end, ts in waits[at + 1 :] if not ts), END)))
        return HistoryFacts(**found, statements=tuple(statements), keys=tuple(keys), unread=tuple(unread))

    def _begin(self, number: str, table: TargetTable, own: bool) -> None:
        if number not in self._there:
            self._there[number] = set(self._files.names(f"{_FOLDER}/{number}"))
            known = self.of(number)
            if known is None:
                self._last[number] = None, 0
            else:
                last = known.unread[-1] if known.unread else None
                waits = last.lo if last is not None and last.hi == END else 0
                self._last[number] = known.keys[-1].columns if known.keys else None, waits
        if "begin.json" not in self._there[number]:
            # in a state of an older version, earlier statements are not known
            of = {"name": table.name, "start": table.start, "since": table.applied.ts, "whole": own or not table.load}
            self._store(number, "begin", {"kind": "begin", **of, "own": own})

    def _statements(self, number: str, table: TargetTable, rules: Rules, letters: bool) -> None:
        name = table.name
        for event in table.events:
            ignored = rules.mode(name) == "ignore"
            kinds = [
                one.kind
                for one in event.actions
                if one.kind in OF_NAMES or not (ignored or one.kind in NOTHING)
            ]
            was, name = name, renamed(name, event.actions)
            if kinds:
                of = {"kind": "statements", "ts": event.ts, "kinds": kinds, "was": was, "name": name}
                of["letters"] = letters
                self._store(number, f"{event.ts:020d}-statements", of)

    def _keys(self, number: str, steps: Iterable[Step]) -> None:
        for step in steps:
            if isinstance(step, Apply | Append):
                for lo, hi in by_handle_key(step.files, step.lo, step.hi):
                    files = [one for one in step.files if one.hi >= lo and one.lo < hi]
                    for at, columns in enumerate(_keys_of(files)):
                        known, waits = self._last[number]
                        if known is None or {one.lower() for one in known} != {one.lower() for one in columns}:
                            of = {"kind": "keys", "ts": lo, "columns": columns}
                            self._store(number, f"{lo:020d}-keys-{at}", of)
                            self._last[number] = columns, waits

    def _unread(self, number: str, table: TargetTable, manifest: Manifest) -> None:
        since = min(table.keys.values(), default=0)
        known, waits = self._last[number]
        if since != waits:
            name = f"{manifest.resolved:020d}-unread-{manifest.number:012d}"
            self._store(number, name, {"kind": "unread", "at": manifest.resolved, "since": since})
            self._last[number] = known, since

    def _store(self, number: str, name: str, of: dict[str, Any]) -> None:
        name = f"{name}.json"
        if name not in self._there[number]:
            self._files.create(f"{_FOLDER}/{number}/{name}", json.dumps({"format": _FORMAT, **of}, ensure_ascii=False))
            self._there[number].add(name)

    def _read(self, path: str) -> dict[str, Any]:
        try:
            of: dict[str, Any] = json.loads(self._files.read(path))
            if of.pop("format") != _FORMAT:
                raise StateError(f"{self._files.shown(path)} is of another version of Tidewire: run that one")
            return of
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, StateError):
                raise
            raise StateError(f"{self._files.shown(path)} is damaged: restore it from a copy") from None


def _keys_of(files: Iterable[StagedRows]) -> list[tuple[str, ...]]:
    """The different handle keys of these files, in the order of their rows."""
    found: dict[frozenset[str], tuple[str, ...]] = {}
    for one in sorted(files, key=lambda one: (one.lo, one.hi)):
        shape = Shape.parse(one.shape) if one.shape else None
        columns = () if shape is None or shape.lacks else tuple(column.name for column in shape.keys)
        found.setdefault(frozenset(name.lower() for name in columns), columns)
    return list(found.values())
