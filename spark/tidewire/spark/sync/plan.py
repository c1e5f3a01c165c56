"""The steps that each table has to take for a manifest, in order, cut at statements by their commit ts.

A step states the table's position before it (`at`) and after it (`to`). Both are fences: a target commits a step only
at the position `at`, in the commit that records `to`. So a writer with an outdated view cannot commit, and the table
alone shows whether a step was done. Steps of different tables do not wait for each other. A table is found by its id,
whatever its name: one that takes a name still used by another renames that one out of the way. It gets its final name
at once, so that tables that swap names may do so in any order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tidewire.reading.table_names import split
from tidewire.spark.sync.changelog import (
    Action,
    Manifest,
    Outcome,
    Parked,
    Position,
    StagedRows,
    TableEvent,
    TargetTable,
    table_name,
)
from tidewire.spark.sync.declared import key_said
from tidewire.spark.sync.named import spans_of
from tidewire.spark.sync.rules import DEFAULT, Rules
from tidewire.spark.sync.walk import OF_NAMES, renamed


class Create(NamedTuple):
    """Creates the table. Its columns are those of the CREATE statement, if there is one, otherwise those of the next
    rows.
    """

    table: str
    name: str
    columns: Action | None
    at: None
    to: Position


class Load(NamedTuple):
    """Creates the table with the rows of a dump, in which it is named `source`; what is left of an earlier attempt has
    no rows.
    """

    table: str
    name: str
    dump: str
    source: str
    at: None
    to: Position


class Apply(NamedTuple):
    """Merges the rows with lo <= commit ts < hi, the last of each key by (commit ts, rank); one commit.

    Rows of keys in `leave` at the listed commit timestamps are left out: another row of the same transaction cannot be
    read.
    """

    table: str
    name: str
    lo: int
    hi: int
    files: tuple[StagedRows, ...]
    leave: Mapping[str, tuple[int, ...]]
    at: Position
    to: Position


class Append(NamedTuple):
    """Appends all changes with lo <= commit ts < hi to a history table, each once: files may contain replays."""

    table: str
    name: str
    lo: int
    hi: int
    files: tuple[StagedRows, ...]
    at: Position
    to: Position


class Repair(NamedTuple):
    """Merges rows of these keys only, from their commit ts up to `hi`, the table's position. Repeating it changes
    nothing.
    """

    table: str
    name: str
    keys: Mapping[str, int]
    hi: int
    files: tuple[StagedRows, ...]
    at: Position
    to: Position


class Alter(NamedTuple):
    """Applies a statement to columns or to all rows, one action after the other.

    A target that cannot do all in one commit records its position after each action, as listed in `after`.
    """

    table: str
    name: str
    actions: tuple[Action, ...]
    after: tuple[Position, ...]
    at: Position
    to: Position


class Rename(NamedTuple):
    """The table is named `name` from here on."""

    table: str
    name: str
    at: Position
    to: Position


class End(NamedTuple):
    """The source dropped the table: it is kept, and no snapshot includes it."""

    table: str
    name: str
    at: Position
    to: Position


Step = Create | Load | Apply | Append | Repair | Alter | Rename | End


@dataclass(frozen=True, slots=True)
class TablesPlan:
    """The steps for a manifest.

    Attributes:
        resolved: the TSO of the source at which the steps publish the tables (R).
        steps: the steps of each table that has any, by the table's id.
        reached: the position up to which each table has all changes once its steps are done; a table without steps has
            them already.
        tables: the ids of the tables that exist at R, by name, including parked ones, whose rows are older.
        parked: for each table that waits for a person's decision, by id: why, and since which position.
        ahead: tables that contain changes after R: another writer has a newer manifest, and this one must stop.
        lost: for each table that is missing or older than it was, by id: why.
    """

    resolved: int
    steps: Mapping[str, tuple[Step, ...]]
    reached: Mapping[str, Position]
    tables: Mapping[str, str]
    parked: Mapping[str, Parked]
    ahead: tuple[str, ...]
    lost: Mapping[str, str]

    def outcomes(self, where: Mapping[str, Position], done: Collection[str] = ()) -> dict[str, Outcome]:
        """The outcomes for the next manifest, of each table that has no steps left.

        A restarted driver plans the newest manifest again to compute them, without having stored them. A repair is
        planned again then, as nothing shows that it was done; repeating it changes nothing.

        Args:
            where: the position in each table's newest commit.
            done: the tables of which all steps were done.
        """
        return {
            number: Outcome(reached, where.get(number))
            for number, reached in self.reached.items()
            if number in done or number not in self.steps
        }


def plan(
    manifest: Manifest,
    rows: Iterable[StagedRows],
    where: Mapping[str, Position],
    rules: Rules = DEFAULT,
) -> TablesPlan:
    """The plan for a manifest.

    Args:
        manifest: the newest.
        rows: the entries of its lists (`manifests.Manifests.rows`).
        where: by id, the position in each table's newest commit; tables that do not exist are left out.
        rules: the choices for tables.
    """
    by_name: dict[str, list[StagedRows]] = {}
    for one in rows:
        by_name.setdefault(one.table, []).append(one)
    steps: dict[str, tuple[Step, ...]] = {}
    reached: dict[str, Position] = {}
    ahead: list[str] = []
    lost: dict[str, str] = {}
    for number, table in manifest.tables.items():
        found = where.get(number)
        if (reason := _lost(table, found)) is not None:
            lost[number] = reason
            continue
        if found is not None and found.ts > manifest.resolved:
            ahead.append(number)
            continue
        if number in manifest.held:
            reached[number] = table.applied
            continue
        if found is not None and table.load and found.ts < table.start:
            found = None  # it was created, and not loaded yet
        cut = _Cut(number, table, found, by_name, manifest.names, rules)
        reached[number] = cut.all(manifest.resolved)
        if cut.steps:
            steps[number] = tuple(cut.steps)
    parked = {number: table.parked for number, table in manifest.tables.items() if table.parked is not None}
    return TablesPlan(manifest.resolved, steps, reached, manifest.names, parked, tuple(ahead), lost)


def names_of(table: TargetTable) -> list[str]:
    """All names that a table may have in the target. One that was dropped may have been moved out of the way under any
    of its names: it takes no new one in the batch of its DROP.
    """
    names = list(dict.fromkeys(one.name for one in spans_of(table)))
    if not table.ended:
        return names
    parts = [split(one) for one in names]
    return names + [table_name(schema, f"{name}__dropped_{table.ended}") for schema, name in parts]


def taking_names(steps: Mapping[str, Sequence[Step]], tables: Mapping[str, TargetTable]) -> list[str]:
    """The tables, by id, that take a name which another table has or had: they rename that one, which must not be
    written at the same time.
    """
    names: dict[str, set[str]] = {}
    for number, table in tables.items():
        for span in spans_of(table):
            names.setdefault(span.name, set()).add(number)
    return [
        number
        for number, all in steps.items()
        if any(isinstance(one, Create | Load | Rename) and names.get(one.name, set()) - {number} for one in all)
    ]


def _lost(table: TargetTable, found: Position | None) -> str | None:
    """Why a table cannot continue from its position; None if it can."""
    if table.committed is None or (found is not None and found >= table.committed):
        return None
    what = "is gone" if found is None else f"is at {found.ts}"
    return (
        f"table {table.name} {what}, and it was at {table.committed.ts}: it was dropped or restored, and changes since"
        f" then are no longer kept; run tidewire sync reset FILE {table.name}"
    )


class _Cut:
    """Cuts the work on one table into steps."""

    def __init__(
        self,
        number: str,
        table: TargetTable,
        found: Position | None,
        by_name: Mapping[str, list[StagedRows]],
        names: Mapping[str, str],
        rules: Rules,
    ) -> None:
        self.number = number
        self.table = table
        self.name = table.name
        self.rows = by_name
        self.names = names
        self.rules = rules
        self.exists = found is not None
        self.at = found
        self.here = max(table.applied, found or table.applied)
        self.steps: list[Step] = []

    def all(self, resolved: int) -> Position:
        """Adds all steps up to R, or to where the table waits. Returns the position at which it is complete then."""
        table = self.table
        end = resolved if table.parked is None else min(resolved, table.parked.ts)
        if table.ended and table.ended < end and not self.exists:
            return Position(table.ended, len(table.events[-1].actions))  # created and dropped between two watermarks
        events = []
        self.renames = 0
        self.called = self.name
        for event in table.events:
            if event.ts < end and any(self._counts(one) for one in event.actions):
                events.append(event)
                self.renames += sum(one.kind == "RenameTable" for one in event.actions)
                self.called = renamed(self.called, event.actions)
        self.owns = self.names.get(self.called) == self.number
        if table.load and not self.exists:
            if resolved < table.start or (table.parked is not None and end <= table.start):
                return self.here
            to = Position(table.start)
            self.at = self._stepped(Load(self.number, self._physical(), table.load, table.name, None, to))
            self.exists = True
        if table.repair and not self.rules.history(self.name) and (self.at is None or self.at <= table.applied):
            self._repair()  # a later step's position shows that this first one was done
        for event in events:
            if event.ts < self.here.ts:
                self._passed(event.actions)
            else:
                self._event(event)
                if table.ended == event.ts:
                    return self.here
        if end > self.here.ts:
            self._apply(self.here.ts, end)
            self.here = Position(end)
        return self.here

    def _counts(self, action: Action) -> bool:
        """Whether the target does anything for an action, so that rows have to be cut there."""
        return action.kind in OF_NAMES or self.rules.followed(self.called, action) is not None

    def _physical(self) -> str:
        """The name to create it with: its last one, or one with its number if another table has that by now, or keeps
        it until this one is published.
        """
        return self.called if self.owns and not self.table.replaces else f"{self.called}__{self.number}"

    def _passed(self, actions: Iterable[Action]) -> None:
        """Skips actions that were done before."""
        for action in actions:
            if action.kind == "RenameTable":
                self.name = action.get("new")
                self.renames -= 1

    def _stepped(self, step: Step) -> Position:
        self.steps.append(step)
        return step.to

    def _create(self, columns: Action | None, to: Position) -> Position:
        """Adds a step that creates the table if it does not exist. Returns its position."""
        if not self.exists:
            self.at = self._stepped(Create(self.number, self._physical(), columns, None, to))
            self.exists = True
        assert self.at is not None
        return self.at

    def _files(self, lo: int, hi: int) -> tuple[StagedRows, ...]:
        """The staged files that may have rows in the span."""
        return tuple(one for one in self.rows.get(self.name, ()) if one.hi >= lo and one.lo < hi)

    def _apply(self, lo: int, hi: int) -> None:
        """Merges the rows in the span; adds no step if there are none."""
        files = self._files(lo, hi)
        if files:
            # after statements without effect, the same steps are planned again for a table that was just created
            at = self._create(None, self.here)
            if self.rules.history(self.name):
                self.at = self._stepped(Append(self.number, self.name, lo, hi, files, at, Position(hi)))
                return
            for begin, end in by_handle_key(files, lo, hi):
                leave = {key: self.table.waiting(key) for key, ts in self.table.keys.items() if ts < end}
                part = tuple(one for one in files if one.hi >= begin and one.lo < end)
                at = self._stepped(Apply(self.number, self.name, begin, end, part, leave, at, Position(end)))
            self.at = at

    def _repair(self) -> None:
        """Merges the rows of keys that waited, up to the table's position."""
        keys = {key: ts for key, ts in self.table.repair.items() if ts < self.here.ts}
        if keys:
            files = self._files(min(keys.values()), self.here.ts)
        if keys and files:
            at = self._create(None, self.here)
            self._stepped(Repair(self.number, self.name, keys, self.here.ts, files, at, at))

    def _event(self, event: TableEvent) -> None:
        """Adds the rows before a statement, then the statement."""
        done = 0
        if event.ts > self.here.ts:
            self._apply(self.here.ts, event.ts)
        else:
            done = self.here.done
        self._passed(event.actions[:done])
        self.here = Position(event.ts, done)
        pending: list[Action] = []
        for action in event.actions[done:]:
            if action.kind in OF_NAMES:
                self._alter(pending)
                self._moved(action)
            else:
                pending.append(action)
            self.here = Position(event.ts, self.here.done + 1)
        self._alter(pending)

    def _moved(self, action: Action) -> None:
        """The table is created, dropped or renamed."""
        after = Position(self.here.ts, self.here.done + 1)
        if action.kind == "CreateTable":
            if not self.exists:
                self._create(action, after)
        elif action.kind == "RenameTable":
            self._passed((action,))
            if self.exists and self.owns and not self.renames and self.at is not None:
                self.at = self._stepped(Rename(self.number, self.name, self.at, after))
        elif self.exists and self.at is not None:
            self.at = self._stepped(End(self.number, self.name, self.at, after))

    def _alter(self, pending: list[Action]) -> None:
        """Applies statements to columns and rows; not for a table that has had no rows yet: its first rows bring their
        columns.
        """
        first = self.here.done - len(pending)
        followed = []
        after = []
        for i, action in enumerate(pending):
            if (one := self.rules.followed(self.name, action)) is not None:
                followed.append(one)
                after.append(Position(self.here.ts, first + i + 1))
        pending.clear()
        if followed and self.exists and self.at is not None:
            step = Alter(self.number, self.name, tuple(followed), tuple(after), self.at, after[-1])
            self.at = self._stepped(step)


def by_handle_key(files: Iterable[StagedRows], lo: int, hi: int) -> Iterator[tuple[int, int]]:
    """Splits a span where the handle key of rows changes. A table without a primary key uses a unique index; if that is
    dropped, another one takes its place, which only rows show. Rows with two keys that cannot be separated stay
    together.
    """
    key: frozenset[str] = frozenset()
    last = begin = lo
    for one in sorted(files, key=lambda one: (max(one.lo, lo), one.hi)):
        own = key_said(one.shape)
        if not own:
            continue
        if key and own != key and max(one.lo, lo) > last:
            yield begin, one.lo
            begin = one.lo
        key, last = own, max(last, one.hi)
    yield begin, hi


def of_history(step: Step) -> Step | None:
    """The step of a history table in place of a step of the table; None if there is none."""
    if isinstance(step, Repair):
        return None
    if isinstance(step, Apply):
        return Append(step.table, step.name, step.lo, step.hi, step.files, step.at, step.to)
    if isinstance(step, Alter):
        kinds = {"RenameColumn": "CopyColumn", "DropColumn": "KeepColumn"}
        actions = [one._replace(kind=kinds.get(one.kind, one.kind)) for one in step.actions if one.kind != "Truncate"]
        return step._replace(actions=tuple(actions))
    return step
