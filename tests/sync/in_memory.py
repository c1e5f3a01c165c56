"""An in-memory target: tables with positions, a catalog of names, and a crash at any point."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tidewire.spark.sync.changelog import Action, Position, StagedRows, TargetTable
from tidewire.spark.sync.plan import Alter, Apply, Create, End, Load, Rename, Repair, Step
from tidewire.spark.sync.rehearsal.source import Row, alter

StagedRow = tuple[str, int, int, str, Row | None, str]
"""Table, commit ts, rank, the value of the handle key, row, and the handle key where that is not the key."""
Files = dict[str, list[StagedRow]]


class CrashError(Exception):
    """The process died."""


class FencedError(Exception):
    """The table is not where the writer thinks."""


class WrongShapeError(Exception):
    """A row has other columns than its table."""


class Held:
    """A table."""

    def __init__(self, name: str, position: Position) -> None:
        self.name = name
        self.position = position
        self.columns: dict[str, str] | None = None
        self.rows: dict[str, Row] = {}
        self.ended = False


class InMemory:
    """The tables, by id and by name.

    Attributes:
        files: what is staged.
        crash_after: how many steps, and parts of steps, are left before the process dies; below 0 it never does.
    """

    def __init__(self, files: Files, lenient: bool) -> None:
        self.files = files
        self.lenient = lenient
        self.tables: dict[str, Held] = {}
        self.names: dict[str, str] = {}
        self.crash_after = -1
        self.fenced = 0

    def point(self) -> None:
        """A place at which the process can die."""
        self.crash_after -= 1
        if self.crash_after == 0:
            raise CrashError

    def where(self) -> dict[str, Position]:
        """What each table's commit says."""
        return {number: table.position for number, table in self.tables.items()}

    def shown(self) -> dict[str, tuple[bool, Position, dict[str, Row]]]:
        """All tables, by name."""
        return {
            name: ((table := self.tables[number]).ended, table.position, table.rows)
            for name, number in self.names.items()
        }

    def do(self, step: Step) -> None:
        """One step, onto the position that it names."""
        table = self.tables.get(step.table)
        self.fence(None if table is None else table.position, step.at)
        if isinstance(step, Create | Load):
            self.create(step)
        else:
            assert table is not None
            if isinstance(step, Apply):
                self.merge(table, step.files, step.name, step.lo, step.hi, step.leave, None)
            elif isinstance(step, Repair):
                self.merge(table, step.files, step.name, min(step.keys.values()), step.hi, {}, step.keys)
            elif isinstance(step, Alter):
                for action, after in zip(step.actions, step.after, strict=True):
                    self.alter(table, action)
                    table.position = after
                    self.point()
            elif isinstance(step, Rename):
                self.take_name(step.table, step.name)
            else:
                assert isinstance(step, End)
                table.ended = True
            table.position = step.to
        self.point()

    def fence(self, found: Position | None, at: Position | None) -> None:
        """Nobody commits onto what they have not seen."""
        if found != at:
            self.fenced += 1
            raise FencedError

    def create(self, step: Create | Load) -> None:
        self.make_room(step.table, step.name)
        self.tables[step.table] = table = Held(step.name, step.to)
        self.names[step.name] = step.table
        if isinstance(step, Create) and step.columns is not None:
            table.columns = dict.fromkeys(step.columns.get("columns"), "int")

    def make_room(self, number: str, name: str) -> None:
        """Whoever takes a name moves the table that has it out of the way."""
        holder = self.names.pop(name, number)
        if holder != number:
            self.tables[holder].name = aside = f"{name}__was_{holder}"
            self.names[aside] = holder
            self.point()

    def take_name(self, number: str, name: str) -> None:
        table = self.tables[number]
        self.make_room(number, name)
        self.names.pop(table.name, None)
        self.names[name] = number
        table.name = name

    def merge(
        self,
        table: Held,
        files: tuple[StagedRows, ...],
        name: str,
        lo: int,
        hi: int,
        leave: Any,
        only: Any,
    ) -> None:
        """The last change of each key, by commit ts and rank."""
        last: dict[str, tuple[int, int, Row | None]] = {}
        handles = set()
        for path in {one.path for one in files}:
            for of, ts, rank, key, row, handle in self.files[path]:
                if of != name or not lo <= ts < hi or (key in leave and ts in leave[key]):
                    continue
                if only is not None and (key not in only or ts < only[key]):
                    continue
                handles.add(handle)
                if key not in last or (ts, rank) >= last[key][:2]:
                    last[key] = ts, rank, row
        if len(handles) > 1:
            raise WrongShapeError(f"rows of {name} from {lo} to {hi} have the handle keys {handles}")
        if "u" in handles:
            table.rows = {key: row for key, row in table.rows.items() if row["u"] not in last}
            last = {row["id"]: (ts, rank, row) for ts, rank, row in last.values() if row is not None}
        for key, (ts, _, row) in last.items():
            if row is None:
                table.rows.pop(key, None)
                continue
            if table.columns is None:
                table.columns = dict.fromkeys(row, "int")
            if row.keys() != table.columns.keys():
                if not self.lenient or row.keys() - table.columns.keys():
                    raise WrongShapeError(f"{name} has {set(table.columns)}, and a row at {ts} {set(row)}")
                row = {**dict.fromkeys(table.columns), **row}
            table.rows[key] = row

    def ended(self, name: str, table: TargetTable, files: Iterable[StagedRows], hi: int) -> tuple[str, ...]:
        """The parked keys of a table that have a later row below `hi`."""
        found = {
            key
            for path in {one.path for one in files}
            for of, ts, _, key, _, _ in self.files.get(path, ())
            if of == name and key in table.keys and table.waiting(key)[-1] < ts < hi
        }
        return tuple(sorted(found))

    def alter(self, table: Held, action: Action) -> None:
        if action.kind == "KeepColumn":
            return
        if table.columns is None:
            if action.kind == "Truncate":
                table.rows.clear()
            return
        if action.kind == "CopyColumn":
            old, new = action.get("old"), action.get("new")
            table.columns = {**table.columns, new: table.columns[old]}
            for key, row in table.rows.items():
                table.rows[key] = {**row, new: row[old]}
        else:
            table.columns = alter(table.columns, table.rows, action)
