"""The state of tables at any TSO, also between two published ones: a published version and the changes behind it.

With E = T + 1 the state at T has all changes with a commit ts below E, as TiDB's `AS OF TIMESTAMP T` has them. Let R1
be the newest record with R1 <= E, and R2 the next one. Then a table is its version at R1, merged with the last change
per key in R1 <= commit ts < E from its history; or, if it began without rows and has a history since then, that of the
history alone. Both records bound what can have happened in between:

    the version is the same in both     nothing happened: it is the state, with or without a history
    TRUNCATE at D in between            only changes with D <= commit ts < E count
    CREATE, DROP, RENAME TABLE          their commit ts says whether the table is there, and under which name
    columns were changed                refused: the columns at E are not those of R1, nor those of the history
    rows could not be read, or waited   refused: the version at R1 lacks them

Histories are read in the version that R2 names, as later statements convert their values; if there was none since R1,
in the newest one.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as F

from tidewire.reading.table_names import quoted
from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.history_facts import Histories, HistoryFacts
from tidewire.spark.sync.named import END
from tidewire.spark.sync.publish import (
    Published,
    PublishedTable,
    Record,
    Snapshot,
    found_table,
    time_of,
    tso_of,
    with_one_tso,
)
from tidewire.spark.sync.publish import snapshot as published_snapshot
from tidewire.spark.sync.reading import Latest
from tidewire.spark.sync.staged_files import shown
from tidewire.spark.sync.state import Identity
from tidewire.spark.sync.targets import CHANGE_TYPE, Column, Table, new_rows
from tidewire.spark.sync.targets.confs import view_of
from tidewire.spark.sync.targets.shapes import found

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_NO_HISTORY = (
    "it was changed between {}, and has no history table to tell when: take one of these states, or begin a"
    " synchronisation with into.history"
)


class Made(NamedTuple):
    """How the state of a table is made.

    Attributes:
        like: the published version that has its columns.
        base: the version to start from; None: no rows.
        lo, hi: the changes that are merged: lo <= commit ts < hi; none if both are the same.
        keys: the columns that identify rows.
        version: of the history; None: the newest.
        own: whether the table itself is the history, so that its state is all changes below `hi`.
    """

    like: PublishedTable
    base: PublishedTable | None
    lo: int
    hi: int
    keys: tuple[str, ...] = ()
    version: int | None = None
    own: bool = False


def snapshot(
    spark: SparkSession, state: str, as_of: int | str | datetime | None = None, *, exact: bool = False
) -> Snapshot:
    """All tables of a synchronisation as the source was at one TSO.

    Args:
        spark: a session that can read the tables.
        state: the folder of the synchronisation.
        as_of: a TSO or a time: selects the newest state published at or before it; a time as a text or without
            a time zone is in the session's. None: the newest.
        exact: whether the state at `as_of` itself is made, also between two published ones: with all changes up to it,
            those at it included, as with TiDB's `AS OF TIMESTAMP`. Needs history tables; a table of which it cannot be
            made, as it waits or has no history, is named in `Snapshot.inexact` with the reason.

    Returns:
        The tables by name; `create_views()` makes temporary views of them.

    Raises:
        StateError: there is no such state, or nothing is published so early; with `exact`, or so late.
    """
    if not exact:
        return published_snapshot(spark, state, as_of)
    of = with_one_tso(state)
    tso = tso_of(spark, as_of)
    published = Published(state)
    newest = published.at(None)
    end = newest.resolved if tso is None else tso + 1
    if end > newest.resolved:
        raise StateError(
            f"{time_of(end)} ({end - 1}) is not published in {shown(state)} yet, and changes at it may still come: the"
            f" newest state has all changes up to as_of={newest.resolved - 1} ({time_of(newest.resolved)})"
        )
    every = published.resolved()
    below = [one for one in every if one <= end]
    before = published.read(below[-1]) if below else None
    after = published.read(next(one for one in every if one >= end))
    made, inexact = states(before, after, end, Histories(state))
    if before is None and not made:
        published.at(end - 1)
    record = Record(end, after.manifest, {name: one.like for name, one in made.items()}, after.dead)
    return ExactSnapshot(spark, record, published, of, made, inexact)


def states(
    before: Record | None, after: Record, end: int, histories: Histories
) -> tuple[dict[str, Made], dict[str, str]]:
    """How the states of tables are made, and why others cannot be, both by name.

    Args:
        before: the newest record at or below `end`; None if there is none.
        after: the next one; the same if it is of `end`.
        end: the commit ts behind the last change.
        histories: of the state.
    """
    made: dict[str, Made] = {}
    inexact: dict[str, str] = {}
    between = _Between(before, after, end)
    for number in dict.fromkeys([*between.first, *between.second, *histories.numbers()]):
        facts = histories.of(number)
        name = between.name(number, facts)
        if name:
            one = between.made(number, facts)
            if isinstance(one, Made):
                made[name] = one
            else:
                inexact[name] = one
    return made, {name: why for name, why in inexact.items() if name not in made}


class _Between:
    """The tables at a TSO between two consecutive records, from the records and the facts of history tables."""

    def __init__(self, before: Record | None, after: Record, end: int) -> None:
        self.begin = 0 if before is None else before.resolved
        self.until = after.resolved
        self.end = end
        self.first = {} if before is None else before.numbered()
        self.second = after.numbered()
        self.histories = after.histories
        self.names = {
            table.number: name
            for one in (after, before)
            if one is not None
            for name, table in one.tables.items()
        }
        self.states = f"the published states {self.begin} and {self.until}"
        if before is None:
            self.states = f"its beginning and the oldest published state, {self.until}"

    def name(self, number: str, facts: HistoryFacts | None) -> str:
        """The name of a table at `end`; empty if it does not exist then."""
        if facts is None:
            return self.names.get(number, "")
        lo = self.begin if number in self.first else facts.start
        if (number not in self.first and lo >= self.end) or facts.dropped(lo, self.end):
            return ""
        known = self.names.get(number, "")
        if not known:  # it is in neither of the records
            if facts.dropped(lo, self.until):
                known = facts.between(lo, self.until)[0].was
            elif lo < self.begin and not facts.unreadable(lo, self.end):
                return ""  # it has never been made, or is no longer kept
            else:
                known = facts.name
        return facts.name_at(self.end, lo, self.until, known)

    def made(self, number: str, facts: HistoryFacts | None) -> Made | str:
        """How to compute the contents of a table at `end`; a sentence if they cannot be computed."""
        at, to = self.first.get(number), self.second.get(number)
        for one in (at, to):
            if one is not None and one.parked and (one is at or one.position.ts < self.end):
                return f"it waits since {one.position.ts}, and was published so: {one.parked}"
        lo = self.begin if facts is None or at is not None else facts.start
        if facts is not None and (unread := facts.unreadable(lo, self.end)) is not None:
            until = " on" if unread.hi == END else f" to {unread.hi}"
            return f"rows from {unread.lo}{until} could not be read: published states are without them"
        if facts is not None and (removed := facts.forgotten(self.end, self.until)):
            return f"rows that could not be read may have been in it until {removed}"
        if at is not None and to is not None and (at.version, at.place) == (to.version, to.place):
            return Made(at, at, self.end, self.end)
        if facts is None:
            return _NO_HISTORY.format(self.states)
        like = to or at
        if like is None:
            return f"it is in neither of {self.states}"
        if to is None and not facts.dropped(lo, self.until):
            return f"it was made anew, or is no longer kept, since the published state {self.begin}"
        if at is None and not facts.whole:
            return f"it began with a dump of {facts.start - 1}, and is known from the published state {self.until} on"
        if lo < facts.since:
            return f"an older version of Tidewire kept its history, which tells of no statements before {facts.since}"
        changed = facts.reshaped(lo, END)
        if changed is not None and changed.ts < self.until:
            return f"its columns were changed at {changed.ts} ({', '.join(changed.kinds)}), between {self.states}"
        version = None
        if changed is not None:
            kept = to if facts.own else self.histories.get(number)
            if kept is None:
                return f"its columns were changed at {changed.ts}, and no record names its history before that"
            version = kept.version
        if facts.own:
            return Made(like, at, lo, self.end, version=version, own=True)
        keys = facts.keys_of(lo, self.end)
        if len(keys) > 1:
            return f"its rows are told apart by other columns since {keys[1].ts}, between {self.states}"
        if emptied := facts.truncated(lo, self.end):
            at, lo = None, emptied[-1]
        return Made(like, at, lo, self.end, keys[0].columns if keys else (), version)


class ExactSnapshot(Snapshot):
    """All tables at one TSO that need not be published."""

    def __init__(
        self,
        spark: SparkSession,
        record: Record,
        published: Published,
        of: Identity,
        made: Mapping[str, Made],
        inexact: Mapping[str, str],
    ) -> None:
        super().__init__(spark, record, published, of.id, of.into)
        self.parked = {}  # until a later position than this TSO
        self.inexact = dict(inexact)
        self._of = of
        self._made = made

    def __getitem__(self, name: str) -> DataFrame:
        if name in self.inexact:
            raise StateError(f"table {name} has no state at {self.resolved - 1}: {self.inexact[name]}")
        return super().__getitem__(name)

    def create_views(self) -> dict[str, str]:
        """Creates a temporary view of each table.

        Raises:
            StateError: a table has no state at this TSO: take the frames of the others by name.
        """
        for name in self.inexact:
            self[name]
        return super().create_views()

    def _read(self, name: str, table: PublishedTable) -> DataFrame:
        made = self._made[name]
        if made.own:
            there = self._found(name, table, self._of.into)
            rows = there.read(there.version() if made.version is None else made.version)
            like = super()._read(name, table)
            return rows.where(F.col("_commit_version") < made.hi).select(*map(quoted, like.columns))
        like = super()._read(name, made.like)
        columns = [Column(one.name, one.dataType.simpleString()) for one in like.schema]
        base = like.limit(0) if made.base is None else super()._read(name, made.base)
        if made.lo == made.hi or not made.keys:
            return base
        there = self._found(name, table, self._of.history, "h")
        rows = there.read(there.version() if made.version is None else made.version)
        rows = rows.where((F.col("_commit_version") >= made.lo) & (F.col("_commit_version") < made.hi))
        given = [one for one in rows.columns if found(columns, one) is not None]
        with view_of(rows) as view:
            last = self.spark.sql(Latest(made.keys, [*given, CHANGE_TYPE]).text(view))
        there_are = {one.lower() for one in base.columns}
        base = base.selectExpr(
            *(
                f"cast({quoted(one.name) if one.name.lower() in there_are else 'null'} as {one.type})"
                f" as {quoted(one.name)}"
                for one in columns
            )
        )
        same = [F.col(f"b.{quoted(one)}").eqNullSafe(F.col(f"s.{quoted(one)}")) for one in made.keys]
        kept = base.alias("b").join(last.alias("s"), same, "left_anti")
        return kept.union(new_rows(last, columns, given))

    def _found(self, name: str, table: PublishedTable, target: str, suffix: str = "") -> Table:
        """The table, or the history beside it."""
        newest = self.published.at(None)
        place = table.place
        if suffix and (kept := newest.histories.get(table.number)) is not None:
            place = kept.place
        there = found_table(self.spark, target, f"{self._of.id}/{table.number}{suffix}", place, self.published)
        if there is None:
            raise StateError(f"the history of {name} is not there any more, in {target}")
        return there
