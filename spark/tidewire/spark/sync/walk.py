"""Passes statements below the resolved ts, in order, to the tables that they are about, also under their old names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from itertools import groupby

from tidewire.runtime.shortened import shown
from tidewire.spark.sync.changelog import (
    Action,
    Manifest,
    Outcome,
    Parked,
    Patterns,
    Position,
    Request,
    StagedRows,
    StateError,
    Statement,
    TableEvent,
    TargetTable,
)
from tidewire.spark.sync.declared import by_rows, by_statement
from tidewire.spark.sync.named import CREATES, is_dropped_with, origin, spans_of, spelled, tables_of
from tidewire.spark.sync.reserved import with_other_names
from tidewire.spark.sync.rules import ADDED, ANEW, MOST_KEYS, NOTHING, Rules, by_hand
from tidewire.spark.sync.wanted import Wanted

KEY = "ParkKey"
ALL = "ParkTable"
"""Pseudo-actions: from its commit ts on a row's key, or a table, waits. They are ordered together with DDL."""
BY_LETTERS = ("letters", "message", "keys", "many")
"""Values of `Parked.by` for tables that wait until messages are read again."""
OF_NAMES = {"CreateTable", "DropTable", "RenameTable"}
"""Actions that change the names of tables rather than their contents."""
REPLAY = "status says of the first of these messages why; mend it, and run tidewire sync replay FILE"


def in_order(one: Statement) -> tuple[int, bool]:
    """The sort key: by commit ts; parking follows DDL."""
    return one.ts, one.actions[:1] != () and one.actions[0].kind in (KEY, ALL)


class Walk:
    """Passes resolved statements in order to the tables that they are about."""

    def __init__(
        self,
        previous: Manifest,
        rules: Rules,
        rows: Iterable[StagedRows],
        wanted: Iterable[Patterns] = (),
        awaited: Mapping[str, str] | None = None,
    ) -> None:
        """Args:
        previous: the previous manifest.
        rules: the choices for tables.
        rows: that may be at or above its R.
        wanted: the patterns by which batches were staged.
        awaited: tables that are to begin with a dump, with what that waits for.
        """
        self.rules = rules
        self.awaited = awaited or {}
        self.patterns = [Wanted(*one) for one in wanted]
        """The patterns by which batches were staged; rows of a table that one of them excludes may be missing."""
        self.others: list[str] = []
        """Names of tables that are not kept but exist here, because statements are about them, or older rows are
        pending.
        """
        self.doubtful: dict[str, Parked] = {}
        """By name, why a table that gets it has to wait: a row that cannot be read, and whose commit ts is unknown, may
        be of it, and not of the table that had the name before.
        """
        self.renamed: dict[str, str] = {}
        """Tables renamed at the current commit ts, with their previous names."""
        self.r0 = previous.resolved
        self.tables = dict(previous.tables)
        self.names = dict(previous.names)
        self.next_id = previous.next_id
        self.seen: set[str] = set()
        self.spans: Mapping[str, tuple[int, int]] = {}
        self.rows: dict[str, list[StagedRows]] = {}
        for one in rows:
            self.rows.setdefault(one.table, []).append(one)
        self.notes: list[str] = []
        self.ends: dict[str, int] = {}
        self.events: dict[str, list[tuple[int, list[Action]]]] = {}

    def happened(self, number: str, outcome: Outcome) -> None:
        """Records the outcome of applying to a table."""
        self.seen.add(number)
        table = self.tables.get(number)
        if table is None:
            return
        applied = max(table.applied, outcome.reached)
        if table.ended and applied >= Position(table.ended, 1):
            del self.tables[number]
            return
        name = table.name
        kept = []
        emptied = 0
        for event in table.events:
            if (event.ts, len(event.actions)) > applied:
                kept.append(event)
            else:
                if any(self._empties(name, action) for action in event.actions):
                    emptied = event.ts
                name = renamed(name, event.actions)
        table = table._replace(name=name, applied=applied, committed=outcome.committed, events=tuple(kept), repair={})
        if table.keys:
            table = _without_keys(_since(table, emptied), outcome.ended)
        self.tables[number] = table

    def _empties(self, name: str, action: Action) -> bool:
        """Whether an action removes all rows of a table."""
        return action.kind == "Truncate" and self.rules.followed(name, action) is not None

    def failed(self, number: str, reason: str, ts: int) -> None:
        """Records that a table refused a statement or rows."""
        table = self.tables.get(number)
        name = "" if table is None else spans_of(table)[-1].name
        if table is not None and ts:
            self.tables[number] = _parked(table, Parked(ts, reason, by_hand(name)))
        elif table is not None and all(one.by != "failure" for one in table.parks):
            remedy = f"mend it, and run tidewire sync resume FILE {name}"
            parked = Parked(table.applied.ts, reason, remedy, "failure")
            self.tables[number] = _parked(table, parked)

    def forget(self) -> None:
        """Forgets tables that are no longer kept: they stay as they are, and no snapshot includes them."""
        for name in [one for one in self.names if not self.rules.wanted.named(one)]:
            del self.tables[self.names.pop(name)]
            self.notes.append(f"table {name} is no longer kept, as no pattern of tables has it: it stays as it is")

    def asked(self, request: Request, statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        """Carries out a user request. Returns the remaining statements."""
        number = self.names.get(request.table)
        if request.kind == "load":
            if number is not None:
                del self.tables[number]
            self._loaded(request)
        elif request.kind == "resume":
            self._resumed(self._of(request, number))
        elif request.kind == "replay":
            if number is not None:
                if number not in self.seen:
                    raise StateError(f"table {request.table} was not looked at since it was applied: replay it later")
                self._replayed(number, request.keys)
            return tuple(one for one in statements if not _freed(one, request))
        else:
            raise StateError(f"request {request.number} is {request.kind!r}; there are load, resume and replay")
        return statements

    def _of(self, request: Request, number: str | None) -> str:
        if number is None:
            raise StateError(
                f"there is no table {request.table} to {request.kind}: tidewire sync status FILE names all tables"
            )
        return number

    def _loaded(self, request: Request) -> None:
        """Builds a table anew from what is staged with the request, including rows under the names that it had."""
        number = self._new(request.table, request.ts, request.load)
        statements = {one.same: one for one in sorted(request.statements, key=in_order)}.values()
        came = origin(request.table, (one for one in statements if request.ts <= one.ts < self.r0))
        name = spelled(came.names[0], self.rows)
        table = self.tables[number]._replace(name=name, replaces=request.replaces)
        if came.start > request.ts:  # earlier rows and statements belonged to another table
            table = table._replace(start=came.start, applied=Position(came.start), load="")
        self.tables[number] = table
        for ts, action in came.statements:
            self._tell(number, ts, action, name)
            name = renamed(name, (action,))

    def _resumed(self, number: str) -> None:
        """Continues a table after what it was parked for."""
        table = self.tables[number]
        events = table.events
        if not table.parks:
            return
        parked, *others = table.parks
        if parked.by not in ("statement", "column", "failure"):
            raise StateError(f"table {table.name} cannot go on: {parked.reason}; {parked.remedy}")
        if parked.by == "column":
            events = with_other_names(events, parked.ts)
        if parked.by == "statement":
            # what the user did by hand counts as done; table names are not the user's to choose
            events = tuple(
                one
                if one.ts != parked.ts
                else TableEvent(one.ts, tuple(each for each in one.actions if each.kind in OF_NAMES))
                for one in events
            )
            others = [one for one in others if one.ts != parked.ts]
        self.tables[number] = table._replace(parks=tuple(others), events=tuple(one for one in events if one.actions))

    def _replayed(self, number: str, keys: tuple[str, ...]) -> None:
        """Applies rows of these keys again, from where they waited."""
        table = self.tables[number]
        free = {key: ts for key, ts in table.keys.items() if not keys or key in keys}
        parks = tuple(one for one in table.parks if keys or one.by not in ("letters", "message", "many"))
        table = table._replace(repair={**table.repair, **free}, parks=parks)
        self.tables[number] = _without_keys(table, free)

    def resolve(self, statements: list[Statement], spans: Mapping[str, tuple[int, int]], resolved: int) -> None:
        """Passes on the statements below R, and creates the tables of rows that no statement created."""
        self.spans = spans
        for ts, group in groupby(statements, key=lambda one: one.ts):
            displaced: dict[str, str] = {}
            for one in group:
                for action in one.actions:
                    self._act(one, ts, action, displaced)
            for number in displaced.values():
                self._end(number, ts)
            self._called(ts)
        for name, (lo, hi) in spans.items():
            if name not in self.names and lo < resolved and hi >= self.ends.get(name, 0):
                self._known(name)
        for name in self.others:
            if name in self.names:
                del self.tables[self.names.pop(name)]
        for name in self.rows:
            if (found := self.names.get(name)) is not None:
                self.tables[found] = by_rows(self.tables[found], name, self.rows[name], resolved)

    def _act(self, one: Statement, ts: int, action: Action, displaced: dict[str, str]) -> None:
        """Processes one action of one statement."""
        kind = action.kind
        if kind == "RenameTable":
            old, new = self._spelled(action.get("old")), action.get("new")
            number = displaced.pop(old, None) or self._known(old)
            self.renamed.setdefault(number, old)
            if self.names.get(old) == number:
                del self.names[old]
            if old not in self.names:
                self.ends[old] = ts
            if new in self.names:
                displaced[new] = self.names[new]
            self.names[new] = number
            self._tell(number, ts, action, old)
            return
        if kind in NOTHING:
            if action.get("unique"):
                self._indexed(self.names.get(self._spelled(action.get("table") or one.table)), ts)
            return
        if kind == "DropDatabase":
            for name in [each for each in (*self.names, *self.spans) if is_dropped_with(each, action)]:
                self._dropped(name, ts)
            return
        said, *others = tables_of(one, action)
        name = self._spelled(said)
        if name in ("", "."):
            self.notes.append(f"the statement at {ts} names no table, and was not followed: {shown(one.text)}")
        elif kind in CREATES:
            name = action.get("new") or name
            if name in self.names:
                self._dropped(name, ts)
            number = self._new(name, ts)
            if name in self.doubtful:
                self.tables[number] = _parked(self.tables[number], self.doubtful[name]._replace(ts=ts))
            self._tell(number, ts, action, name)
        elif kind == "DropTable":
            self._dropped(name, ts)
        elif kind == ALL and action.get("by") == "late":
            self._missed(name, ts, action)
        elif kind in (KEY, ALL):
            self._wait(self._known(name), ts, action)
        else:
            for each in (name, *map(self._spelled, others)):
                self._tell(self._known(each), ts, action, each)

    def _called(self, ts: int) -> None:
        """Handles tables that were renamed into or out of the kept names: rows under other names were not staged."""
        for number, old in self.renamed.items():
            name = next((one for one, of in self.names.items() if of == number), None)
            if name is None or (self.rules.wanted.named(old) and self.rules.wanted.named(name)):
                continue
            if not self.rules.wanted.named(name):
                if not self.rules.wanted.named(old):
                    del self.tables[self.names.pop(name)]
                    continue
                self._dropped(name, ts)
                self.notes.append(f"table {old} was renamed to {name} at {ts}, which is not kept: it has ended")
                continue
            self.events.pop(number, None)
            reason = f"it was renamed at {ts} from {old}, which is not kept, so that its rows are nowhere"
            parked = Parked(ts, reason, ADDED.format(name), "patterns")
            self.tables[number] = _parked(TargetTable(name, ts, Position(ts)), parked)
        self.renamed.clear()

    def _dropped(self, name: str, ts: int) -> None:
        if name in self.names:
            number = self.names.pop(name)
            for one in self.tables[number].parks:
                if one.by == "message":
                    self.doubtful[name] = one
            self._end(number, ts)
        self.ends[name] = ts

    def _spelled(self, name: str) -> str:
        """The spelling of a name in rows; statements can use any case."""
        if name in self.names or name in self.spans:
            return name
        return spelled(name, (*self.names, *self.spans))

    def _known(self, name: str) -> str:
        """The id of the table with that name; it is created as soon as a statement concerns it, even before any row."""
        known = self.names.get(name)
        if known is not None:
            return known
        start = self.ends.get(name, self.r0)
        number = self._new(name, start)
        if name not in self.ends and (name in self.awaited or not all(one.named(name) for one in self.patterns)):
            reason = "it was not kept when earlier batches were staged, and rows of it may have come with them"
            parked = Parked(start, self.awaited.get(name, reason), ADDED.format(name), "patterns")
            self.tables[number] = _parked(self.tables[number], parked)
        return number

    def _new(self, name: str, start: int, load: str = "") -> str:
        number = str(self.next_id)
        self.next_id += 1
        self.tables[number] = TargetTable(name, start, Position(start), load=load)
        self.names[name] = number
        if not self.rules.wanted.named(name):
            self.others.append(name)
        return number

    def _end(self, number: str, ts: int) -> None:
        """The table was dropped, or another one took its name; a table that waits stays as it is, and is forgotten."""
        if self.tables[number].parks:
            del self.tables[number]
            return
        self._add(number, ts, Action("DropTable"))
        self.tables[number] = self.tables[number]._replace(ended=ts, keys={}, unread={})

    def _add(self, number: str, ts: int, action: Action) -> None:
        events = self.events.setdefault(number, [])
        if not events or events[-1][0] != ts:
            events.append((ts, []))
        events[-1][1].append(action)

    def _indexed(self, number: str | None, ts: int) -> None:
        """After a change of indexes, waiting keys may consist of other columns: the table waits."""
        if number is not None and self.tables[number].keys:
            table = self.tables[number]
            reason = f"its unique indexes were changed while rows of {len(table.keys)} keys wait to be read"
            self.tables[number] = _parked(table, Parked(ts, reason, REPLAY, "keys"))

    def _tell(self, number: str, ts: int, action: Action, name: str) -> None:
        """Passes an action to its table, which may have to wait from there on."""
        table = by_rows(self.tables[number], name, self.rows.get(name, ()), ts)
        told = self.events.get(number, ())
        table, action = by_statement(table, ts, action, told[-1][1][-1] if told and told[-1][0] == ts else None)
        self._add(number, ts, action)
        parked = self.rules.parks(name, ts, action)
        keys = table.keys
        if self._empties(name, action):
            keys = table.keys if table.parks else {}  # if it waits: considered when it gets there (`happened`)
        elif keys and parked is None and (action.kind in OF_NAMES or self.rules.followed(name, action) is not None):
            reason = f"its definition was changed ({action.kind}) while rows of {len(keys)} keys wait to be read"
            parked = Parked(ts, reason, REPLAY, "keys")
        if keys is not table.keys:
            table = table._replace(keys=keys, unread={})
        if parked is not None:
            table = _parked(table, parked)
        if action.kind == "RenameTable":
            table = table._replace(former={**table.former, name: ts})
        if action.kind == "RenameTable" and table.parks:
            table = _asked_for_as(table, name, action.get("new"))
        self.tables[number] = table

    def _wait(self, number: str, ts: int, action: Action) -> None:
        """A key, or the whole table, waits from a commit ts on."""
        table = self.tables[number]
        if action.kind == ALL:
            by = action.get("by")
            if (by != "rows" or not self.rules.history(table.name)) and all(one.by != by for one in table.parks):
                table = _parked(table, Parked(ts, action.get("reason"), action.get("remedy"), by))
        elif all(one.by != "many" for one in table.parks):
            key = action.get("key")
            since, *later = sorted({ts, *(table.waiting(key) if key in table.keys else ())})
            keys = {**table.keys, key: since}
            table = table._replace(keys=keys, unread={**table.unread, key: tuple(later)} if later else table.unread)
            if len(keys) > MOST_KEYS or len(later) > MOST_KEYS:
                reason = f"rows of more than {MOST_KEYS} keys cannot be read"
                if len(keys) <= MOST_KEYS:
                    reason = f"more than {MOST_KEYS} rows of the key {shown(key)} cannot be read"
                table = _parked(table, Parked(ts, reason, REPLAY, "many"))
        self.tables[number] = table

    def _missed(self, name: str, ts: int, action: Action) -> None:
        """Parks all tables to which rows below R with a name can belong, including those that had the name before."""
        found = {self.names[name]} if name in self.names else set()
        found |= {number for number, table in self.tables.items() if name in table.former and not table.ended}
        for number in sorted(found) or [self._known(name)]:
            now = next((one for one, of in self.names.items() if of == number), name)
            self._wait(number, ts, Action(ALL, tuple((dict(action.facts) | {"remedy": ANEW.format(now)}).items())))

    def done(self) -> dict[str, TargetTable]:
        """All tables, with the events passed to them."""
        for number, events in self.events.items():
            if number in self.tables:
                table = self.tables[number]
                more = tuple(TableEvent(ts, tuple(actions)) for ts, actions in events)
                self.tables[number] = table._replace(events=table.events + more)
        return self.tables


def _parked(table: TargetTable, parked: Parked) -> TargetTable:
    """The table with another reason to wait."""
    return table._replace(parks=tuple(sorted((*table.parks, parked), key=lambda one: one.ts)))


def _asked_for_as(table: TargetTable, old: str, new: str) -> TargetTable:
    """The table, with its new name in remedies."""

    def said(remedy: str) -> str:
        return re.sub(rf"(?<=FILE ){re.escape(old)}(?![^ ,;])", lambda _: new, remedy)

    return table._replace(parks=tuple(one._replace(remedy=said(one.remedy)) for one in table.parks))


def _passed(unread: tuple[int, ...], applied: int) -> tuple[int, ...]:
    return tuple(ts for ts in unread[:-1] if ts >= applied) + unread[-1:]


def _since(table: TargetTable, emptied: int) -> TargetTable:
    """The table without keys that wait for rows older than `emptied`, where all rows were removed."""
    keys: dict[str, int] = {}
    unread = dict(table.unread)
    for key in table.keys:
        left = [ts for ts in table.waiting(key) if ts >= emptied]
        unread.pop(key, None)
        if left:
            keys[key] = left[0]
        if left[1:]:
            unread[key] = tuple(left[1:])
    return table._replace(keys=keys, unread=unread)


def _without_keys(table: TargetTable, ended: Collection[str]) -> TargetTable:
    """The table without these waiting keys, and without the reasons to wait that they caused."""
    keys = {key: ts for key, ts in table.keys.items() if key not in ended}
    # of its past rows, only the last one matters
    unread = {key: _passed(each, table.applied.ts) for key, each in table.unread.items() if key in keys}
    parks = tuple(one for one in table.parks if one.by != "keys" or any(ts < one.ts for ts in keys.values()))
    return table._replace(keys=keys, unread=unread, parks=parks)


def renamed(name: str, actions: Iterable[Action]) -> str:
    """The name of a table after its own actions."""
    for one in actions:
        if one.kind == "RenameTable":
            name = one.get("new")
    return name


def _freed(one: Statement, request: Request) -> bool:
    """Whether a statement parks a key that a request frees, or a table that a request frees as a whole."""
    if one.table != request.table or not one.actions:
        return False
    kind, key, by = one.actions[0].kind, one.actions[0].get("key"), one.actions[0].get("by")
    if kind == ALL:
        return by in BY_LETTERS and not request.keys
    return kind == KEY and (not request.keys or key in request.keys)
