"""What one micro-batch staged, and the manifest: the whole state after it, from which everything is decided again.

Manifest n is a function of manifest n-1, of what batch n staged and of the partitions that the offset log names
(`resolved.advance`). It is created once (`manifests.py`). What it holds, and why its size is bounded:

    watermarks      the greatest of each partition of each topic                 partitions
    resolved        R, below which every change has been staged                  one number
    lists           files that list staged files (`file_lists.py`)               pending, logarithmic
    statements      DDL, parked keys and parked tables at or above R, in order   pending
    tables          each table by its id: how far it is, and DDL below R that    tables, and pending DDL of each
                    it has not been seen to have done
    spans           between which commit timestamps rows at or above R are       tables with pending rows
    dead            files of dead letters, with how many are in each             what nobody replayed yet

Two ways were compared. With all staged files in each manifest, one file says everything; but where a partition is
silent for 10,000 batches of 1,000 tables, each manifest names 3 * 10^7 files. So batch n writes the list of its own
files, and the manifest names lists: what a batch writes is as much as it staged, whatever is pending. Lists of one size
are merged when there are many, and what nobody needs is left out then: a table that is parked for a week costs its own
files, not those of its neighbours. Likewise one R0 for all tables would have every table wait for one that is parked,
loaded or reset; so each table has its own `applied`, and R0 is only the line below which what arrives is no news.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from typing import Any, NamedTuple

from tidewire.runtime.errors import TidewireError

DELETE_RANK = 0
UPSERT_RANK = 1
"""The order of two changes of one key at one commit ts: a transaction that swaps keys deletes, then inserts."""


class StateError(TidewireError, ValueError):
    """The state of a synchronisation is not what it has to be; the text says what to do."""


class SourceError(TidewireError, RuntimeError):
    """The messages cannot be read now; the text says why and what to do."""


def table_name(schema: str, table: str) -> str:
    """One text for schema and table, from which no two tables get the same; it is what tables go by here."""
    return ".".join("`" + one.replace("`", "``") + "`" if "." in one or "`" in one else one for one in (schema, table))


class Position(NamedTuple):
    """How far a table is: it holds all changes below `ts`, and of the statements at `ts` the first `done` actions."""

    ts: int
    done: int = 0


class Action(NamedTuple):
    """One thing that a statement does: the class of `runtime.tables.sql_actions` and its fields."""

    kind: str
    facts: tuple[tuple[str, Any], ...] = ()

    def get(self, fact: str) -> Any:
        """A field; None where there is none of that name."""
        for name, value in self.facts:
            if name == fact:
                return value
        return None


def action_of(altered: Any) -> Action:
    """The action of one of `runtime.tables.sql_actions`: a frozen dataclass, in which tables are (schema, table)."""
    return Action(
        type(altered).__name__, tuple((one.name, _plain(getattr(altered, one.name))) for one in fields(altered))
    )


def _plain(value: Any) -> Any:
    """The value as JSON has it, with tuples for arrays and hex digits for bytes; the name of a table as one text."""
    if is_dataclass(value) and not isinstance(value, type):
        return tuple((one.name, _plain(getattr(value, one.name))) for one in fields(value))
    if getattr(value, "_fields", None) == ("schema", "table"):
        return table_name(*value)
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, bytes):
        return value.hex()
    return tuple(_plain(one) for one in value) if isinstance(value, tuple | list) else value


class Statement(NamedTuple):
    """A statement as one partition delivered it. Every partition delivers each, and replays do it again."""

    ts: int
    table: str
    actions: tuple[Action, ...]
    text: str = ""

    @property
    def same(self) -> tuple[object, ...]:
        """What two deliveries of one statement have in common: what they do, as texts of two versions may differ."""
        return self.ts, self.table, self.actions or self.text


class StagedRows(NamedTuple):
    """The rows of one table in one staged file; a file in which small tables are together has one for each.

    `lo` and `hi` are the smallest and the greatest commit ts of rows that are there. `late` counts the rows below the
    resolved ts of the manifest before: replays, and what breaks the promise of a watermark.
    """

    table: str
    path: str
    rows: int
    lo: int
    hi: int
    late: int = 0
    shape: str = ""


class FileList(NamedTuple):
    """A file that lists staged files: `size` of them with rows from `lo` to `hi`; a list made of lists has a `tier`."""

    path: str
    lo: int
    hi: int
    size: int
    tier: int = 0


class DeadLetter(NamedTuple):
    """A message that cannot be read, kept in a file with its bytes. What is known of the row: table, key, commit ts."""

    path: str
    reason: str
    topic: str
    partition: int
    offset: int
    table: str = ""
    key: str = ""
    ts: int = 0


class Request(NamedTuple):
    """What a person asked for, done with the next manifest: `load` (add TABLE and reset TABLE), `resume`, `replay`.

    `load` makes the table anew from `ts` on, after the dump `load` where there is one; its rows since then are staged
    by the same batch, and so are its statements. `replay` says the keys whose dead letters are staged as rows now; no
    keys are all of the table.
    """

    number: str
    kind: str
    table: str
    ts: int = 0
    load: str = ""
    keys: tuple[str, ...] = ()
    statements: tuple[Statement, ...] = ()


class Outcome(NamedTuple):
    """What an apply came to: up to where the table is complete, what its newest commit says, and keys that wait no
    longer, as a later row of theirs was applied.
    """

    reached: Position
    committed: Position | None
    ended: tuple[str, ...] = ()


Watermarks = dict[str, dict[int, int]]
"""By topic and partition."""
Patterns = tuple[tuple[str, ...], tuple[str, ...]]
"""Of tables to keep, and of tables to skip."""


@dataclass(frozen=True, slots=True)
class Staged:
    """What one micro-batch staged: facts only.

    Attributes:
        batch: Spark's number of it, in the streaming query `query`: with a new checkpoint numbers begin anew.
        offsets: up to where the batch read, by topic and partition.
        first: the smallest offset that it read, likewise, where partitions are new or a table is loaded.
        rows: what is in the files of the batch; `listed` is the list of them, None where there are none.
        merged: the list that takes the place of `without`, made of what is still needed in those.
        watermarks: the greatest of each partition in this batch; partitions without one are left out.
        statements: in the order of their offsets in each partition, one partition after the other.
        unmergeable: by table the smallest commit ts of a row without key or without all columns, and what it lacks.
        outcomes: what the apply of the manifest before came to, by id of the table; all that were planned have one.
        missed: tables with rows below R in a partition that is new, with the topic and the partition.
        failures: why a table could not be applied, by its id, and the commit ts of the statement that it could not
            follow, 0 where it was no statement.
        unknown: rows below R that the changelog does not have, by table, where that was asked for (late=verify, stop).
        dead: messages that cannot be read: of each table those of the smallest commit timestamps, up to one more than
            the keys that a table can wait for in each task.
        letters: files of all of them, with how many are in each.
        read_again: files of dead letters that were read again with this batch.
        pending: what batches before staged that may be at or above R0.
    """

    batch: int
    rows: tuple[StagedRows, ...] = ()
    listed: FileList | None = None
    merged: FileList | None = None
    without: tuple[str, ...] = ()
    watermarks: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    statements: tuple[Statement, ...] = ()
    dead: tuple[DeadLetter, ...] = ()
    unmergeable: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    descriptions: Mapping[str, Any] = field(default_factory=dict)
    requests: tuple[Request, ...] = ()
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    failures: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)
    missed: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    letters: Mapping[str, int] = field(default_factory=dict)
    read_again: tuple[str, ...] = ()
    messages: int = 0
    query: str = ""
    offsets: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    first: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    pending: tuple[StagedRows, ...] = ()


class TableEvent(NamedTuple):
    """What statements of one commit ts do to one table, in order."""

    ts: int
    actions: tuple[Action, ...]


class Parked(NamedTuple):
    """Why a table waits at a commit ts, and what to do.

    `by` is `statement`, `keys` (a statement came while keys were parked), `many` (more keys are parked than a table
    can wait for), `letters` (a dead letter whose key is not known), `rows` (that cannot be merged), `late` (rows below
    R that are no replays), `patterns` (rows that came while it was not kept, or under a name that is not) or `failure`.
    """

    ts: int
    reason: str
    remedy: str
    by: str = "statement"


class TargetTable(NamedTuple):
    """One table of the target, from its CREATE to its DROP, whatever it is called.

    Attributes:
        name: of the source's table at `applied`.
        start: rows below are of an older table of that name, or in the dump `load`.
        applied: up to where it was seen to be complete; its own commits can be older, as no changes are no commit.
        committed: what its newest commit said when it was last seen, None for a table that was never made.
        events: statements below R and at or above `applied`.
        parks: for what it waits, in order of commit ts.
        keys: parked keys, with the commit ts since which their rows wait.
        unread: of those with several rows that cannot be read, the commit timestamps of the others: a row that is
            later than the last of them ends it.
        repair: keys that `replay` freed: their rows since then are to be applied once more.
        ended: commit ts of the statement that dropped it, 0 for none.
        load: the dump that it starts with, empty for none.
        declared: by column the type that was declared for it, as far as that is known.
        since: the commit ts of what told that last.
    """

    name: str
    start: int
    applied: Position
    committed: Position | None = None
    events: tuple[TableEvent, ...] = ()
    parks: tuple[Parked, ...] = ()
    keys: Mapping[str, int] = {}
    repair: Mapping[str, int] = {}
    ended: int = 0
    load: str = ""
    declared: Mapping[str, str] = {}
    since: int = 0
    unread: Mapping[str, tuple[int, ...]] = {}

    def waiting(self, key: str) -> tuple[int, ...]:
        """The commit timestamps of the rows of a parked key that cannot be read, in order."""
        return self.keys[key], *self.unread.get(key, ())

    @property
    def parked(self) -> Parked | None:
        """For what it waits now; None for nothing."""
        return self.parks[0] if self.parks else None

    @property
    def waits_for_rows(self) -> bool:
        """Whether it waits since rows of it came while it was not kept."""
        return any(one.by == "patterns" for one in self.parks)


@dataclass(frozen=True, slots=True)
class Source:
    """What is read. A state is of one source, and refuses another."""

    topics: str
    protocol: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The state after a micro-batch. The module says what each part is for.

    Attributes:
        number: of the manifest; grows by one, whatever Spark calls its batches.
        batch: Spark's number of the batch that it was made for, in the streaming query `query`.
        offsets: up to where all batches have read.
        began: the first offsets that were read, by topic and partition.
        before: the resolved ts of the manifest before, R0.
        names: what tables are called at R, with the ids of the tables.
        next_id: the number of the next table.
        done: the requests that this manifest took in.
        late, unknown: rows below R0 by table, as they were counted since the beginning.
        notes: what happened with this batch that nobody should overlook, in sentences.
        stopped: why the synchronisation has to stop after applying this manifest; empty for going on.
        kept_from: the commit ts from which staged files are there whether a table needs them or not; None where they
            are not kept.
        wanted: the patterns of tables to keep, and of those to skip, by which batches were staged; the newest last.
        timezone: of the changefeed, as rows were read with it; empty where nobody noted it.
    """

    source: Source
    number: int = 0
    batch: int = -1
    before: int = 0
    resolved: int = 0
    watermarks: Watermarks = field(default_factory=dict)
    lists: tuple[FileList, ...] = ()
    statements: tuple[Statement, ...] = ()
    spans: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    tables: Mapping[str, TargetTable] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    next_id: int = 0
    dead: Mapping[str, int] = field(default_factory=dict)
    descriptions: Mapping[str, Any] = field(default_factory=dict)
    done: tuple[str, ...] = ()
    late: Mapping[str, int] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)
    messages: int = 0
    notes: tuple[str, ...] = ()
    stopped: str = ""
    query: str = ""
    offsets: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    kept_from: int | None = None
    wanted: tuple[Patterns, ...] = ()
    timezone: str = ""
    began: Mapping[str, Mapping[int, int]] = field(default_factory=dict)

    def made_for(self, query: str, batch: int) -> bool:
        """Whether this is the manifest of a batch, which was begun before: it is not staged again."""
        return self.number > 0 and (self.query, self.batch) == (query, batch)

    def waiting(self) -> tuple[str, int] | None:
        """Topic and partition whose watermark is the smallest: R waits for it. None before there are partitions."""
        each = [(ts, topic, partition) for topic, of in self.watermarks.items() for partition, ts in of.items()]
        return min(each)[1:] if each else None


def partitions_of(offsets: Mapping[str, Collection[int]]) -> Watermarks:
    """A watermark of 0 for all partitions that Spark's offset log names."""
    return {topic: dict.fromkeys(partitions, 0) for topic, partitions in offsets.items()}
