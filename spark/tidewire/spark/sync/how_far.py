"""The progress of a synchronisation, from its state alone: without Spark or a broker."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tidewire.runtime.tso import TSO_SHIFT
from tidewire.spark.sync.changelog import DeadLetter, Held, Manifest, Parked, Source, StagedRows, StateError
from tidewire.spark.sync.done import Engine
from tidewire.spark.sync.dumped import DumpAt, check_table
from tidewire.spark.sync.letters import keys_waiting, told
from tidewire.spark.sync.maintaining.last import Last, Maintained
from tidewire.spark.sync.manifests import Manifests
from tidewire.spark.sync.named import spelled
from tidewire.spark.sync.publish import Published
from tidewire.spark.sync.requests import Asked, check
from tidewire.spark.sync.state import identity, known, lost_manifests


class Waiting(NamedTuple):
    """A request that is not done yet: its kind, its table, and the TSO of its dump that the resolved ts has to pass; 0
    if it waits for the next batch only.
    """

    kind: str
    table: str
    beyond: int


class Bound(NamedTuple):
    """When changes that wait are applied.

    Attributes:
        seconds: when the oldest of them is so far behind the resolved ts, those of all tables.
        rows: when a table has so many, its own.
    """

    seconds: float
    rows: int


class NotYet(NamedTuple):
    """A table without a change below the resolved ts.

    Attributes:
        first: the smallest commit ts of its changes: the table is created once the resolved ts is greater.
        rows: how many are staged, including duplicates.
    """

    first: int
    rows: int


@dataclass(frozen=True)
class Status:
    """The progress of a synchronisation.

    Attributes:
        batches: the number of manifests.
        resolved: the resolved ts: every change below has been staged.
        published: the greatest ts at which all tables are published; 0 if there is none.
        lag: seconds between the published ts and now; None if nothing is published.
        waiting: topic and partition with the smallest watermark; None before there are partitions.
        silent: partitions without a watermark so far.
        tables: published tables by name: the commit ts up to which each is complete, which is the published one unless
            the table waits.
        parked: why tables wait, and what to do.
        dead: number of messages that could not be read.
        keys: by table, the number of keys with unreadable rows.
        letters: the first unreadable messages, with what is known of their rows, and the reasons.
        late: by table, the number of replayed rows below the resolved ts.
        unknown: with late=verify or stop, the number of these rows that the changelog lacks.
        notes: notes of the newest batch.
        stopped: why the synchronisation has stopped; empty if it has not.
        consistency: tables; or key, where nothing is resolved or published, and no table waits for a watermark.
        watermark: the greatest watermark of the partition `waiting`; 0 if it has sent none.
        not_yet: tables that do not exist yet, by name: all their changes are staged, and above the resolved ts.
        asked: what users asked for that is not done yet.
        engines: by table, what merged its newest changes, and why not workers; tables with histories are left out.
        maintained: the last maintenance of the tables; None if there was none.
        held: by table, the changes below the resolved ts that wait to be applied.
        bound: how long they wait at most; None if each batch is applied at once.
    """

    batches: int
    resolved: int = 0
    published: int = 0
    lag: float | None = None
    waiting: tuple[str, int] | None = None
    silent: tuple[tuple[str, int], ...] = ()
    tables: Mapping[str, int] = field(default_factory=dict)
    parked: Mapping[str, Parked] = field(default_factory=dict)
    dead: int = 0
    late: Mapping[str, int] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    stopped: str = ""
    consistency: str = "tables"
    keys: Mapping[str, int] = field(default_factory=dict)
    letters: tuple[DeadLetter, ...] = ()
    watermark: int = 0
    not_yet: Mapping[str, NotYet] = field(default_factory=dict)
    engines: Mapping[str, Engine] = field(default_factory=dict)
    asked: tuple[Waiting, ...] = ()
    maintained: Last | None = None
    held: Mapping[str, Held] = field(default_factory=dict)
    bound: Bound | None = None


def not_yet(manifest: Manifest) -> dict[str, int]:
    """Tables that do not exist yet because all their changes are above the resolved ts: by name the smallest commit ts
    of the changes.
    """
    known = {name.lower() for name in manifest.names}
    return {name: lo for name, (lo, _) in sorted(manifest.spans.items()) if name.lower() not in known}


def _staged(first: Mapping[str, int], rows: Iterable[StagedRows]) -> dict[str, NotYet]:
    """The tables that do not exist yet, with the number of their rows."""
    counts = dict.fromkeys(first, 0)
    for one in rows:
        if one.table in counts:
            counts[one.table] += one.rows
    return {name: NotYet(ts, counts[name]) for name, ts in first.items()}


def status(state: str) -> Status:
    """The progress of the synchronisation with this state.

    Raises:
        StateError: there is no state in this folder.
    """
    of = identity(state)
    manifests = Manifests(state, of.source)
    found = manifests.newest()
    if of.consistency != "tables":
        return Status(
            found.number,
            parked=_parked(found),
            dead=sum(found.dead.values()),
            notes=found.notes,
            stopped=found.stopped,
            consistency="key",
            letters=told(state, found.dead),
            maintained=Maintained(state).last(),
        )
    records = Published(state)
    every = records.resolved()
    published = every[-1] if every else 0
    if published and not found.number:
        raise StateError(lost_manifests(state))
    record = records.read(published) if published else None
    tables = {} if record is None else record.tables
    waits, later, called = found.waiting(), not_yet(found), found.called()
    return Status(
        found.number,
        found.resolved,
        published,
        max(0.0, time.time() - (published >> TSO_SHIFT) / 1000) if published else None,
        waits,
        tuple((topic, one) for topic, each in found.watermarks.items() for one, ts in each.items() if not ts),
        {name: one.position.ts if one.parked else published for name, one in tables.items()},
        _parked(found),
        sum(found.dead.values()),
        found.late,
        found.unknown,
        found.notes,
        found.stopped,
        keys=keys_waiting(found),
        letters=told(state, found.dead),
        watermark=0 if waits is None else found.watermarks[waits[0]][waits[1]],
        not_yet=_staged(later, manifests.pending(found)) if later else {},
        engines={}
        if record is None
        else {name: record.engines[one.number] for name, one in tables.items() if one.number in record.engines},
        asked=tuple(
            Waiting(one.kind, one.table, one.waits(found.resolved))
            for one in Asked(state).pending(found, tidy=False)
        ),
        maintained=Maintained(state).last(),
        held={called[number]: one for number, one in found.held.items()},
        bound=None if found.hold is None else Bound((found.hold.age >> TSO_SHIFT) / 1000, found.hold.rows),
    )


def _parked(found: Manifest) -> dict[str, Parked]:
    """Why tables wait, by what they are called at R."""
    called = found.called()
    return {called[number]: one.parked for number, one in found.tables.items() if one.parked is not None}


def ask(state: str, kind: str, table: str, wanted: Callable[[str], bool], dump: DumpAt | None = None) -> None:
    """Stores a request in a state, for the process that runs the synchronisation now or next. A table may be asked for
    that begins with a dump before the state is there.

    Args:
        state: the folder.
        kind, table, dump: as for `Sync.ask`.
        wanted: whether a table is kept.

    Raises:
        StateError: there is no such state or table, or nothing to do.
        DumpError: the dump does not have the table.
    """
    of = known(state) if dump is not None and kind == "add" else identity(state)
    newest = Manifest(Source("", "")) if of is None else Manifests(state, of.source).newest()
    if dump is not None and of is not None and of.consistency != "tables":
        raise StateError("with consistency=key tables are at no TSO, from which they could follow a dump")
    table = spelled(table, newest.names)
    check(kind, table, newest, wanted, "" if dump is None else dump.text())
    if dump is not None:
        there = check_table(dump.opened(), table)
        table = table if table in newest.names else there
    Asked(state).ask(kind, table, "" if dump is None else dump.text())
