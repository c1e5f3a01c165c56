"""A small database, its contents at any commit ts, and what a synchronisation must show of them."""

from __future__ import annotations

from typing import Any, NamedTuple

from tidewire.spark.sync.changelog import Action, Statement

Row = dict[str, Any]
PARKING = {"ExchangePartition", "ChangedKey", "Unknown"}


class Change(NamedTuple):
    """The change of one key in a message: its new row, or None if it was deleted.

    `by` is the value of the handle key, the column `handle`; empty if that is the key itself.
    """

    table: str
    key: str
    row: Row | None
    by: str = ""
    handle: str = ""


class Message:
    """A message with a row. An update that changes the key is two changes.

    Attributes:
        dead: whether a value is unreadable; its table and key are readable.
        lost: whether the whole message is unreadable, so that its row is unknown.
    """

    __slots__ = ("changes", "dead", "lane", "lost", "partial", "ts")

    def __init__(self, ts: int, changes: tuple[Change, ...], lane: float) -> None:
        self.ts = ts
        self.changes = changes
        self.lane = lane
        self.dead = False
        self.lost = False
        self.partial = False


class Damaged(NamedTuple):
    """A damaged copy of a message that is also sent undamaged."""

    of: Message


class SourceTable:
    """Columns with their types, and rows by key.

    `handle` is the column of the source's handle key if two unique columns could be it; else empty.
    """

    def __init__(self, columns: dict[str, str]) -> None:
        self.columns = columns
        self.rows: dict[str, Row] = {}
        self.handle = "id" if "u" in columns else ""


def alter(columns: dict[str, str], rows: dict[str, Row], action: Action) -> dict[str, str]:
    """Applies a statement to rows, in place. Returns the columns after it."""
    kind = action.kind
    name = action.get("old") or action.get("name")
    assert name is None or (name in columns) == (kind != "AddColumn"), f"{kind} of {name} in {set(columns)}"
    if kind == "AddColumn":
        columns = {**columns, action.get("name"): action.get("type")}
        for key, row in rows.items():
            rows[key] = {**row, action.get("name"): action.get("default")}
    elif kind == "DropColumn":
        columns = {name: of for name, of in columns.items() if name != action.get("name")}
        for key, row in rows.items():
            rows[key] = {name: value for name, value in row.items() if name != action.get("name")}
    elif kind == "RenameColumn":
        old, new = action.get("old"), action.get("new")
        columns = {new if name == old else name: of for name, of in columns.items()}
        for key, row in rows.items():
            rows[key] = {new if name == old else name: value for name, value in row.items()}
    elif kind == "ModifyColumn":
        columns = {**columns, action.get("name"): "text"}
        for key, row in rows.items():
            rows[key] = {**row, action.get("name"): str(row[action.get("name")])}
    elif kind == "Truncate":
        rows.clear()
    return columns


class Truth:
    """The tables that must be published at a resolved ts: the source's; but parked tables and keys are older."""

    def __init__(self, log: list[Message | Statement], lenient: bool, columns: dict[str, str]) -> None:
        self.log = log
        self.columns = columns
        self.lenient = lenient
        self.next = 0
        self.tables: dict[str, TrueTable] = {}

    def advance(self, resolved: int) -> None:
        """Applies the source's log below a commit ts."""
        while self.next < len(self.log) and self.log[self.next].ts < resolved:
            one = self.log[self.next]
            self.next += 1
            if isinstance(one, Message):
                self.changed(one)
            else:
                self.stated(one)

    def table(self, name: str) -> TrueTable:
        """The table with a name. One that existed before the first message begins with `columns` and no rows."""
        if name not in self.tables:
            self.tables[name] = TrueTable(dict(self.columns))
        return self.tables[name]

    def changed(self, message: Message) -> None:
        """Applies the changes of a message. The log has messages of one transaction in the source's order."""
        if message.lost:
            return
        for table, key, row, *_ in message.changes:
            of = self.table(table)
            if message.partial:
                of.wait(message.ts)
            if message.dead:
                of.held.setdefault(key, of.rows.get(key))
                of.unread[key] = message.ts
            elif key in of.held and message.ts > of.unread[key] and not message.partial:
                del of.held[key]  # what is later is whole
            if row is None:
                of.rows.pop(key, None)
            else:
                of.rows[key] = row

    def stated(self, statement: Statement) -> None:
        """A statement's actions."""
        for action in statement.actions:
            kind = action.kind
            if kind == "NoEffect":
                continue
            if kind == "RenameTable":
                of = self.table(action.get("old"))
                of.wait_for_keys(statement.ts)
                del self.tables[action.get("old")]
                self.tables[action.get("new")] = of
            elif kind == "CreateTable":
                self.tables[statement.table] = TrueTable(dict.fromkeys(action.get("columns"), "int"))
            elif kind == "DropTable":
                self.tables.pop(statement.table, None)
            else:
                for name in {statement.table, action.get("table") or statement.table}:
                    self.table(name).stated(action, statement.ts)

    def freed(self, table: str) -> None:
        """Applies the rows of a table's dead letters, which were read again with success."""
        of = self.tables[table]
        of.held = {}
        of.waits = [(False, columns, rows, {}, ts) for keys, columns, rows, _, ts in of.waits if not keys]


class TrueTable:
    """A table of the source; `held`: rows of waiting keys; `waits`: its contents whenever it was parked."""

    def __init__(self, columns: dict[str, str]) -> None:
        self.columns = columns
        self.rows: dict[str, Row] = {}
        self.held: dict[str, Row | None] = {}
        self.unread: dict[str, int] = {}
        self.waits: list[tuple[bool, dict[str, str], dict[str, Row], dict[str, Row | None], int]] = []

    def shown(self, waits: bool = True) -> tuple[set[str], dict[str, Row]]:
        """Columns and rows that the target must have. If not `waits`: as if the table had not been parked."""
        first = self.waits[0] if self.waits and waits else (False, self.columns, self.rows, self.held, 0)
        _, columns, rows, held, _ = first
        if held:
            rows = {key: row for key, row in rows.items() if key not in held}
            rows.update({key: row for key, row in held.items() if row is not None})
        return set(columns), rows

    def wait(self, ts: int, for_keys: bool = False) -> None:
        """Parks the table at a commit ts; `for_keys`: only because some of its keys wait."""
        self.waits.append((for_keys, self.columns, dict(self.rows), dict(self.held), ts))

    def wait_for_keys(self, ts: int) -> None:
        """Parks the table at a statement that changes its definition, if some of its keys wait."""
        if self.held:
            self.wait(ts, True)

    def stated(self, action: Action, ts: int) -> None:
        """Applies an action of a statement to columns and rows."""
        if action.kind == "Truncate":
            self.held = {}
        elif action.kind in PARKING:
            self.wait(ts)
        else:
            self.wait_for_keys(ts)
        self.columns = alter(self.columns, self.rows, action)
