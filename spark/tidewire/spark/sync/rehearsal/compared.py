"""Compares what is published with what the source was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from pyspark.sql import SparkSession

from tidewire.spark.sync.changelog import Statement
from tidewire.spark.sync.publish import Published, Snapshot, snapshot
from tidewire.spark.sync.rehearsal.encoded import START
from tidewire.spark.sync.rehearsal.hostile import Hostile
from tidewire.spark.sync.rehearsal.source import Message, Row, Truth
from tidewire.spark.sync.rules import COLUMNS, Rules

_MOST = 5
"""At most this many different rows of a table are reported."""


class Compared(NamedTuple):
    """A published version.

    Attributes:
        resolved: its TSO.
        tables: how many it has.
        rows: how many there are in them.
        parked: by name, why tables wait: they are compared as they were at the commit ts up to which they are complete.
        wrong: what is not as in the source.
    """

    resolved: int
    tables: int
    rows: int
    parked: dict[str, str]
    wrong: list[str]


class Expected(Truth):
    """The contents that tables must have at a TSO; statements that the user's rules ignore are left out."""

    def __init__(self, hostile: Hostile, rules: Rules) -> None:
        super().__init__(hostile.history.log, False, hostile.history.columns)
        self.rules = rules

    def changed(self, message: Message) -> None:
        """Applies a message, unless it is unreadable and its table is a history, which then lacks the row."""
        if not (message.dead and self.rules.history(message.changes[0].table)):
            super().changed(message)

    def stated(self, statement: Statement) -> None:
        """Applies the actions of a statement that the rules follow."""
        followed = [
            one
            for one in statement.actions
            if one.kind not in (*COLUMNS, "Truncate") or not self.as_sent(statement.table)
        ]
        super().stated(statement._replace(actions=tuple(followed)))

    def as_sent(self, name: str) -> bool:
        """Whether DDL changes no row of a table."""
        return self.rules.mode(name) == "ignore" or self.rules.history(name)


def compare(spark: SparkSession, state: str, hostile: Hostile, rules: Rules, seen: set[int]) -> Iterator[Compared]:
    """Compares each published version that is not in `seen`, the oldest first."""
    for resolved in Published(state).resolved():
        if resolved not in seen:
            seen.add(resolved)
            yield _compared(snapshot(spark, state, resolved), hostile, rules)


def _compared(found: Snapshot, hostile: Hostile, rules: Rules) -> Compared:
    truths: dict[tuple[int, str], Expected] = {}

    def at(ts: int, done: int = 0, name: str = "") -> Expected:
        """The source at a commit ts, with so many of this ts' actions on a table."""
        if (ts, name) not in truths:
            true = truths[ts, name] = Expected(hostile, rules)
            true.advance(ts - START)
            for one in hostile.statements if done else ():
                if one.ts == ts - START:
                    of = [each for each in one.actions if name in (one.table, each.get("table"), each.get("new"))]
                    true.stated(one._replace(actions=tuple(of[:done])))
        return truths[ts, name]

    wrong: list[str] = []
    count = 0
    for name, table in found.record.tables.items():
        true = at(*table.position, name) if table.parked else at(found.resolved)
        expected = true.tables.get(name)
        columns, rows = expected.shown(waits=False) if expected is not None else (set(), {})
        there = _rows(found, name, rules.history(name))
        count += len(there)
        wrong += [f"{name} {one}" for one in _different(there, rows, columns, true.as_sent(name))]
        if not true.as_sent(name) and expected is not None:
            shown = {*found[name].columns}
            if not (columns <= shown if rules.mode(name) == "lenient" else columns == shown):
                wrong.append(f"{name} has columns {', '.join(sorted(shown))} for {', '.join(sorted(columns))}")
    for name, one in at(found.resolved).tables.items():
        if name not in found and one.shown(waits=False)[1] and rules.wanted.named(name):
            wrong.append(f"{name} is not published, with {len(one.rows)} rows in the source")
        if name in found and not rules.wanted.named(name):
            wrong.append(f"{name} is published, and is not kept")
    return Compared(found.resolved, len(found), count, dict(found.parked), wrong)


def _rows(found: Snapshot, name: str, history: bool) -> dict[str, Row]:
    """A table's rows by key; of a history the last change of each key, but for deletes."""
    rows = [row.asDict() for row in found[name].collect()]
    if not history:
        return {row["id"]: row for row in rows}
    last: dict[str, Row] = {}
    for row in sorted(rows, key=lambda one: (one["_commit_version"], one["_commit_rank"])):
        last[row["id"]] = row
    return {key: row for key, row in last.items() if row["_change_type"] != "delete"}


def _different(there: dict[str, Row], rows: dict[str, Row], columns: set[str], as_sent: bool) -> list[str]:
    wrong = []
    for key in sorted(there.keys() | rows.keys()):
        if key not in there or key not in rows:
            wrong.append(f"{'lacks' if key not in there else 'has'} the row {key}")
            continue
        names = (rows[key].keys() & there[key].keys()) & (columns if columns else rows[key].keys())
        names = names if as_sent else columns
        one, other = ({name: _value(row.get(name), as_sent) for name in names} for row in (there[key], rows[key]))
        if one != other:
            which = sorted(name for name in names if one[name] != other[name])
            wrong.append(f"row {key} has {', '.join(f'{n}={one[n]!r} for {other[n]!r}' for n in which)}")
    return wrong[:_MOST] + ([f"and {len(wrong) - _MOST} more"] if len(wrong) > _MOST else [])


def _value(value: Any, as_sent: bool) -> Any:
    """A value as text where statements change no type."""
    return str(value) if as_sent and value is not None else value
