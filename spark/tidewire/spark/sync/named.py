"""Resolves table names at a commit ts: tables are renamed, and others may take their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tidewire.spark.sync.changelog import (
    Action,
    Manifest,
    Position,
    Statement,
    TableEvent,
    TargetTable,
    table_name,
)

END = 1 << 63
"""Above all commit timestamps."""


CREATES = ("CreateTable", "RecoverTable")
"""Actions that make a table."""


def tables_of(statement: Statement, action: Action) -> tuple[str, ...]:
    """The tables that an action of a statement is about, by their names before it; a table that it creates by its new
    name. For DROP DATABASE see `is_dropped_with`.
    """
    if action.kind == "RenameTable":
        return (action.get("old"),)
    name = action.get("table") or statement.table
    if action.kind in CREATES:
        return (action.get("new") or name,)
    if action.kind == "ExchangePartition":
        return name, action.get("partitioned") or statement.table
    return (name,)


def is_dropped_with(name: str, action: Action) -> bool:
    """Whether DROP DATABASE drops a table of that name."""
    return name.lower().startswith(table_name(action.get("name"), "").lower())


def spelled(name: str, there: Iterable[str]) -> str:
    """A table's name as it is spelled among others, as users and statements may write it in any case; unchanged if none
    of them is of that table.
    """
    lower, same = name.lower(), ""
    for one in there:
        if one == name:
            return name
        if not same and one.lower() == lower:
            same = one
    return same or name


class Span(NamedTuple):
    """A name of a table, valid for its rows with lo <= commit ts < hi."""

    name: str
    lo: int
    hi: int


def spans_of(table: TargetTable) -> list[Span]:
    """The names of a table since it was last applied, in order."""
    found = []
    name, lo = table.name, table.start
    for event in table.events:
        for one in event.actions:
            if one.kind == "RenameTable":
                found.append(Span(name, lo, event.ts))
                name, lo = one.get("new"), event.ts
    return [*found, Span(name, lo, END)]


class Named:
    """Finds the tables of a manifest by name and commit ts."""

    def __init__(self, manifest: Manifest) -> None:
        self.names = manifest.names
        self._spans: dict[str, list[tuple[Span, str]]] = {}
        for number, table in manifest.tables.items():
            for span in spans_of(table):
                self._spans.setdefault(span.name, []).append((span, number))

    def at(self, name: str, ts: int) -> str:
        """The id of the table to which rows with this name belong; the name itself if there is none.

        Args:
            ts: commit ts of the rows; 0 if unknown.
        """
        for span, number in self._spans.get(name, ()):
            if ts and span.lo <= ts < span.hi:
                return number
        return self.names.get(name, name)


class Origin(NamedTuple):
    """The history of a table's names.

    Attributes:
        names: names of the table, the first one first.
        start: commit ts from which rows with these names belong to the table; 0 for all.
        statements: statements about the table since then, in order.
    """

    names: Sequence[str]
    start: int
    statements: Sequence[tuple[int, Action]]

    def has(self, name: str, ts: int) -> bool:
        """Whether rows with a name belong to the table.

        Args:
            name: the name; case is ignored.
            ts: commit ts of the rows; 0 if unknown.
        """
        events = tuple(TableEvent(at, (action,)) for at, action in self.statements)
        spans = spans_of(TargetTable(self.names[0], self.start, Position(self.start), events=events))
        return any(one.name.lower() == name.lower() and (not ts or one.lo <= ts < one.hi) for one in spans)


def origin(name: str, statements: Iterable[Statement]) -> Origin:
    """The history of the table that has a name after these statements.

    Args:
        statements: statements in order, without duplicates.
    """
    names = [name]
    found: list[tuple[int, Action]] = []

    def done(start: int) -> Origin:
        return Origin(names[::-1], start, found[::-1])

    for one in reversed(list(statements)):
        for action in reversed(one.actions):
            kind, here = action.kind, names[-1].lower()
            if kind == "RenameTable":
                if action.get("new").lower() == here:
                    found.append((one.ts, action))
                    names.append(action.get("old"))
                elif action.get("old").lower() == here:
                    return done(one.ts)  # before this statement, the name belonged to another table
                continue
            if kind == "DropDatabase":
                if is_dropped_with(here, action):
                    return done(one.ts)
                continue
            if here not in [each.lower() for each in tables_of(one, action)]:
                continue
            if kind != "DropTable":
                found.append((one.ts, action))
            if kind in ("CreateTable", "DropTable"):
                return done(one.ts)
    return done(0)
