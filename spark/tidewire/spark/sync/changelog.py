"""What one micro-batch staged, and the manifest: the whole state after it, from which all decisions are derived.

Manifest n is a function of manifest n-1, of what batch n staged and of the partitions that the offset log names
(`resolved.advance`). It is created once (`manifests.py`). Its contents, and what bounds their size:

    watermarks      the greatest of each partition of each topic                 partitions
    resolved        R, below which every change has been staged                  one number
    lists           files that list staged files (`file_lists.py`)               pending, logarithmic
    statements      DDL, parked keys and parked tables at or above R, in order   pending
    tables          each table by its id: how far it is, and DDL below R that    tables, and pending DDL of each
                    it has not been seen to have done
    held            tables whose changes wait for those of other batches       tables
    spans           between which commit timestamps rows at or above R are       tables with pending rows
    dead            files of dead letters, with how many are in each             not yet replayed

Two designs were compared. If each manifest named all staged files, one file would hold everything; but with a partition
silent for 10,000 batches of 1,000 tables, each manifest would name 3 * 10^7 files. So batch n writes a list of its own
files, and the manifest names lists: a batch writes in proportion to what it staged, whatever is pending. Lists of one
size are merged when there are many, and entries that are no longer needed are dropped: a table parked for a week costs
its own files, not those of its neighbours. Likewise, with one R0 for all tables every table would wait for one that is
parked, loaded or reset. So each table has its own `applied`, and R0 only marks the line below which arriving rows
should be replays.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from typing import Any, NamedTuple

from tidewire.runtime.errors import TidewireError

DELETE_RANK = 0
UPSERT_RANK = 1
"""The order of two changes of one key at one commit ts: a transaction that swaps keys deletes first, then inserts."""


class StateError(TidewireError, ValueError):
    """The state of a synchronisation is invalid; the text says what to do."""


class SourceError(TidewireError, RuntimeError):
    """The messages cannot be read at present; the text says why and what to do."""


def table_name(schema: str, table: str) -> str:
    """Schema and table as one text that is unique for each table; tables are named by it in this package."""
    return ".".join("`" + one.replace("`", "``") + "`" if "." in one or "`" in one else one for one in (schema, table))


class Position(NamedTuple):
    """How far a table is: it has all changes below `ts`, and the first `done` actions of the statements at `ts`."""

    ts: int
    done: int = 0


class Action(NamedTuple):
    """One action of a statement: the name of a class of `runtime.tables.sql_actions` and its fields."""

    kind: str
    facts: tuple[tuple[str, Any], ...] = ()

    def get(self, fact: str) -> Any:
        """The value of a field; None if there is no such field."""
        for name, value in self.facts:
            if name == fact:
                return value
        return None


def action_of(altered: Any) -> Action:
    """The action for an object of `runtime.tables.sql_actions`: a frozen dataclass, in which tables are (schema,
    table).
    """
    return Action(
        type(altered).__name__, tuple((one.name, _plain(getattr(altered, one.name))) for one in fields(altered))
    )


def _plain(value: Any) -> Any:
    """The value in a form that JSON can hold: tuples for arrays, hex digits for bytes, one text for a table name."""
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
    """A statement as one partition delivered it. Every partition delivers each statement, and replays repeat it."""

    ts: int
    table: str
    actions: tuple[Action, ...]
    text: str = ""

    @property
    def same(self) -> tuple[object, ...]:
        """The identity of a statement across deliveries: its actions, as the text may differ between versions."""
        return self.ts, self.table, self.actions or self.text


class StagedRows(NamedTuple):
    """The rows of one table in one staged file; a file shared by small tables has one entry for each.

    `lo` and `hi` are the smallest and the greatest commit ts of the rows. `late` counts the rows below the resolved ts
    of the previous manifest: replays, and rows that break the promise of a watermark.
    """

    table: str
    path: str
    rows: int
    lo: int
    hi: int
    late: int = 0
    shape: str = ""


class FileList(NamedTuple):
    """A file that lists `size` staged files with rows from `lo` to `hi`; a list merged from others has a `tier`."""

    path: str
    lo: int
    hi: int
    size: int
    tier: int = 0


class DeadLetter(NamedTuple):
    """A message that cannot be read, stored in a file with its bytes, and what is known of its row: table, key, commit
    ts.
    """

    path: str
    reason: str
    topic: str
    partition: int
    offset: int
    table: str = ""
    key: str = ""
    ts: int = 0


class Request(NamedTuple):
    """A user request, carried out with the next manifest: `load` (add TABLE and reset TABLE), `resume`, `replay`.

    `load` builds the table anew from `ts` on, after the dump `load` (`dumped.DumpAt`) if there is one; the same batch
    stages its rows and statements since then. `replay` lists the keys whose dead letters are now staged as rows; an
    empty list means all keys of the table. `replaces` is the id of the table whose name the new one gets when it is
    published.
    """

    number: str
    kind: str
    table: str
    ts: int = 0
    load: str = ""
    keys: tuple[str, ...] = ()
    statements: tuple[Statement, ...] = ()
    replaces: str = ""


class Hold(NamedTuple):
    """How long changes wait, so that those of many batches are applied at once.

    Attributes:
        age: until the oldest is so far behind the resolved ts, as a difference of TSOs; then all are applied.
        rows: a table with so many does not wait.
    """

    age: int
    rows: int


class Held(NamedTuple):
    """Changes below R that wait: how many rows, with duplicates, and since which commit ts."""

    rows: int
    since: int


class Outcome(NamedTuple):
    """The result of applying to a table: up to where it is complete, the position in its newest commit, and the keys
    that no longer wait because a later row of theirs was applied.
    """

    reached: Position
    committed: Position | None
    ended: tuple[str, ...] = ()


Watermarks = dict[str, dict[int, int]]
"""By topic and partition, the greatest watermark (a commit ts)."""
Patterns = tuple[tuple[str, ...], tuple[str, ...]]
"""Patterns of tables to keep, and of tables to skip."""


@dataclass(frozen=True, slots=True)
class Staged:
    """What one micro-batch staged: facts only.

    Attributes:
        batch: Spark's number of it in the streaming query `query`; numbers restart with a new checkpoint.
        offsets: by topic and partition, the offset up to which the batch read.
        first: by topic and partition, the smallest offset read, if partitions are new or a table is loaded.
        least: by topic and partition, the smallest watermark, if a table is loaded.
        awaited: tables for which there is a request to load them from a dump, with what the request waits for.
        rows: what is in the files of the batch; `listed` is the list of them, None if there are none.
        merged: the list that replaces the lists `without`, with their entries that are still needed.
        watermarks: the greatest of each partition in this batch; partitions without one are left out.
        statements: in the order of their offsets in each partition, one partition after the other.
        unmergeable: by table the smallest commit ts of a row without key or without all columns, and what it lacks.
        outcomes: by table id, the result of applying the previous manifest, for every planned table.
        missed: tables with rows below R in a new partition, with the topic and the partition.
        failures: by table id, why a table could not be applied, and the commit ts of the statement that it could not
            follow, or 0.
        unknown: by table, rows below R that the changelog lacks, if they are looked for (late=verify, stop).
        dead: messages that cannot be read: for each table those of the smallest commit timestamps, up to one more than
            the keys that a table can wait for in each task.
        letters: files of all of them, with how many are in each.
        read_again: files of dead letters that were read again with this batch.
        pending: what earlier batches staged that may be at or above R0.
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
    least: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    awaited: Mapping[str, str] = field(default_factory=dict)
    pending: tuple[StagedRows, ...] = ()


class TableEvent(NamedTuple):
    """The actions of the statements of one commit ts on one table, in order."""

    ts: int
    actions: tuple[Action, ...]


class Parked(NamedTuple):
    """Why a table waits at a commit ts, and what to do.

    `by` is `statement`, `keys` (a statement came while keys were parked), `many` (more keys are parked than a table can
    wait for), `letters` (a dead letter whose key is unknown), `message` (one whose commit ts is unknown, too), `rows`
    (that cannot be merged), `late` (rows below R that are no replays), `patterns` (rows that came while the table was
    not kept, or under a name that is not), `column` (a column got a reserved name) or `failure`.
    """

    ts: int
    reason: str
    remedy: str
    by: str = "statement"


class TargetTable(NamedTuple):
    """One table of the target, from its CREATE to its DROP, whatever its name.

    Attributes:
        name: of the source's table at `applied`.
        start: rows below it belong to an older table of that name, or are in the dump `load`.
        applied: the position up to which it was seen to be complete; its last commit can be older, as nothing is
            committed without changes.
        committed: the position in its newest commit when last seen; None for a table that was never created.
        events: statements below R and at or above `applied`.
        parks: the reasons for which it waits, in order of commit ts.
        keys: parked keys, with the commit ts since which their rows wait.
        unread: for keys with several unreadable rows, the commit timestamps of the others: a row later than the last of
            them ends the wait.
        repair: keys that `replay` freed: their rows since then are to be applied again.
        ended: commit ts of the statement that dropped it, 0 for none.
        load: the dump that it starts with, empty for none.
        declared: by column, its declared type, as far as known.
        since: the commit ts of the latest source of `declared`.
        former: the names that statements took from it, with the commit ts of the latest that did.
        replaces: the id of the table whose place it takes when it is first published; until then it is named with its
            own id.
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
    former: Mapping[str, int] = {}
    replaces: str = ""

    def waiting(self, key: str) -> tuple[int, ...]:
        """The commit timestamps of the unreadable rows of a parked key, in order."""
        return self.keys[key], *self.unread.get(key, ())

    @property
    def parked(self) -> Parked | None:
        """The first reason for which it waits; None if it does not wait."""
        return self.parks[0] if self.parks else None

    @property
    def waits_for_rows(self) -> bool:
        """Whether it waits because rows came while it was not kept."""
        return any(one.by == "patterns" for one in self.parks)


@dataclass(frozen=True, slots=True)
class Source:
    """The source that is read. A state belongs to one source and refuses another."""

    topics: str
    protocol: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The state after a micro-batch; the module's docstring explains its parts.

    Attributes:
        number: of the manifest; grows by one, whatever Spark's batch numbers are.
        batch: Spark's number of the batch in the streaming query `query`.
        offsets: by topic and partition, the offset up to which all batches have read.
        began: the first offsets that were read, by topic and partition.
        held: the tables, by id, that are not brought up to R with this manifest; nothing is published then.
        hold: how long changes wait; None: no table waits.
        before: the resolved ts of the previous manifest, R0.
        names: the names of tables at R, with the ids of the tables.
        next_id: the id for the next new table.
        done: the requests carried out with this manifest.
        late, unknown: rows below R0 by table, counted since the beginning.
        notes: sentences about this batch that a user should read.
        stopped: why the synchronisation has to stop after applying this manifest; empty to continue.
        kept_from: the commit ts from which staged files are kept even if no table needs them; None if they are not
            kept.
        wanted: the patterns of tables to keep and to skip by which batches were staged; the newest last.
        timezone: of the changefeed, with which rows were read; empty if unknown.
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
    held: Mapping[str, Held] = field(default_factory=dict)
    hold: Hold | None = None

    def made_for(self, query: str, batch: int) -> bool:
        """Whether this is the manifest of an already started batch, which must not be staged again."""
        return self.number > 0 and (self.query, self.batch) == (query, batch)

    def called(self) -> dict[str, str]:
        """By id, what each table is called at R; one that another took the name of, as it was called before."""
        names = {number: name for name, number in self.names.items()}
        return {number: names.get(number, one.name) for number, one in self.tables.items()}

    def waiting(self) -> tuple[str, int] | None:
        """Topic and partition with the smallest watermark, for which R waits; None before there are partitions."""
        each = [(ts, topic, partition) for topic, of in self.watermarks.items() for partition, ts in of.items()]
        return min(each)[1:] if each else None


def partitions_of(offsets: Mapping[str, Collection[int]]) -> Watermarks:
    """A watermark of 0 for every partition in Spark's offset log."""
    return {topic: dict.fromkeys(partitions, 0) for topic, partitions in offsets.items()}
