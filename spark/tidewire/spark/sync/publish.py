"""Published states: for each resolved ts one record of the versions of all tables, and snapshots that read them.

A record is written when every table is at its resolved ts, and never changed. Its versions together are the source at
that ts: all changes with a smaller commit ts, and no others.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

from tidewire.reading.table_names import split
from tidewire.runtime.tso import EPOCH, TSO_SHIFT
from tidewire.spark.sync.changelog import Position, StateError
from tidewire.spark.sync.done import Engine
from tidewire.spark.sync.manifests import Manifests
from tidewire.spark.sync.plan import names_of
from tidewire.spark.sync.staged_files import shown
from tidewire.spark.sync.state import Identity, identity
from tidewire.spark.sync.storage import storage
from tidewire.spark.sync.targets import Table, find
from tidewire.spark.sync.targets.confs import active
from tidewire.spark.sync.targets.opened import tables_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FOLDER = "published"
_FORMAT = 1


class PublishedTable(NamedTuple):
    """A table in a record.

    Attributes:
        number: its id in the synchronisation.
        place: its name in the target.
        version: its version there.
        position: how far it is: the resolved ts of the record, or less if it is parked.
        parked: why it waits; empty if it does not.
    """

    number: str
    place: str
    version: int
    position: Position
    parked: str = ""


class PublishedHistory(NamedTuple):
    """The history table beside a table in a record: its name in the target, and its version there."""

    place: str
    version: int


class Gone(NamedTuple):
    """A table of earlier records that no longer exists: the first record without it, and the names that it may have
    now.
    """

    resolved: int
    places: tuple[str, ...]


class Record(NamedTuple):
    """What is published at a resolved ts.

    Attributes:
        resolved: the ts.
        manifest: the number of the manifest.
        tables: by name.
        dead: messages that could not be read until then.
        gone: by id, tables of kept records that the source no longer has.
        histories: by id of their tables, the history tables beside them.
        engines: by id, what merged the newest changes of each table.
    """

    resolved: int
    manifest: int
    tables: Mapping[str, PublishedTable]
    dead: int = 0
    gone: Mapping[str, Gone] = {}
    histories: Mapping[str, PublishedHistory] = {}
    engines: Mapping[str, Engine] = {}

    def numbered(self) -> dict[str, PublishedTable]:
        """The tables by id."""
        return {table.number: table for table in self.tables.values()}


class Published:
    """The records of a state."""

    def __init__(self, state: str) -> None:
        self.state = state
        self.files = storage(state)

    def resolved(self) -> list[int]:
        """The resolved timestamps of all records, the oldest first."""
        names = (name.removesuffix(".json") for name in self.files.names(_FOLDER) if name.endswith(".json"))
        return sorted(int(name) for name in names if name.isdigit())

    def read(self, resolved: int) -> Record:
        """The record of a resolved ts."""
        path = _path(resolved)
        try:
            of = json.loads(self.files.read(path))
            if of["format"] != _FORMAT:
                raise StateError(
                    f"{self.files.shown(path)} is of format {of['format']}, and this version of Tidewire reads"
                    f" {_FORMAT}: run the version that wrote it"
                )
            tables = {
                name: PublishedTable(number, place, version, Position(*position), parked)
                for name, (number, place, version, position, parked) in of["tables"].items()
            }
            gone = {number: Gone(ts, tuple(places)) for number, (ts, places) in of.get("gone", {}).items()}
            histories = {number: PublishedHistory(*one) for number, one in of.get("histories", {}).items()}
            engines = {number: Engine(*one) for number, one in of.get("engines", {}).items()}
            return Record(of["resolved"], of["manifest"], tables, of.get("dead", 0), gone, histories, engines)
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, StateError):
                raise
            raise StateError(f"{self.files.shown(path)} is damaged: restore it from a copy") from None

    def create(self, record: Record) -> bool:
        """Writes a record; False if its resolved ts already has one."""
        of = {"format": _FORMAT, "resolved": record.resolved, "manifest": record.manifest, "tables": record.tables}
        of |= {"dead": record.dead, "gone": record.gone, "histories": record.histories, "engines": record.engines}
        return self.files.create(_path(record.resolved), json.dumps(of, indent=1, ensure_ascii=False))

    def remove(self, resolved: int) -> None:
        """Removes the record of a resolved ts."""
        self.files.remove(_path(resolved))

    def at(self, as_of: int | None) -> Record:
        """The newest record at or below a TSO; without a TSO, the newest of all.

        Raises:
            StateError: there is none.
        """
        every = self.resolved()
        if not every:
            raise StateError(
                f"nothing is published in {shown(self.state)} yet: the first record comes when every partition has sent"
                " a watermark; status says which is waited for"
            )
        found = [one for one in every if as_of is None or one <= as_of]
        if not found:
            raise StateError(
                f"nothing is published at or before {time_of(as_of or 0)}: the oldest that is kept is of"
                f" {time_of(every[0])} ({every[0]})"
            )
        return self.read(found[-1])


class Records:
    """The records of a state, cached by the process that writes them, so that the cost of a batch does not grow with
    their number. The folder is listed once; the oldest and the newest record are held.
    """

    def __init__(self, published: Published) -> None:
        self.published = published
        self._resolved: list[int] | None = None
        self._held: dict[int, Record] = {}

    def again(self) -> None:
        """Lists the folder again, as another process may have written to it."""
        self._resolved = None

    def newest(self) -> Record | None:
        """The newest record; None if there is none."""
        return self._record(-1)

    def oldest(self) -> Record | None:
        """The oldest kept record; None if there is none."""
        return self._record(0)

    def create(self, record: Record) -> bool:
        """Writes a record; False if another process was first."""
        every = self._every()
        made = self.published.create(record)
        if made and (not every or every[-1] < record.resolved):
            every.append(record.resolved)
            self._held[record.resolved] = record
        else:
            self.again()
        return made

    def forget(self, seconds: float, least: int = 2) -> None:
        """Removes records older than this many seconds, except the newest `least`."""
        oldest = int((time.time() - seconds) * 1000) << TSO_SHIFT
        every = self._every()
        old = next((at for at, one in enumerate(every) if one >= oldest), len(every))
        for one in every[: max(0, min(old, len(every) - least))]:
            self.published.remove(one)
            every.remove(one)

    def spans(self) -> dict[str, tuple[int, int]]:
        """By id, for the tables of the newest record, the oldest and the newest version that records name."""
        oldest, newest = self.oldest(), self.newest()
        if oldest is None or newest is None:
            return {}
        first = oldest.numbered()
        return {
            number: (first[number].version if number in first else 0, table.version)
            for number, table in newest.numbered().items()
        }

    def spans_of_histories(self) -> dict[str, tuple[int, int]]:
        """By id of their tables, the oldest and the newest version of history tables that records name."""
        oldest, newest = self.oldest(), self.newest()
        if oldest is None or newest is None:
            return {}
        return {
            number: (oldest.histories[number].version if number in oldest.histories else 0, one.version)
            for number, one in newest.histories.items()
        }

    def gone(
        self, tables: Mapping[str, PublishedTable], resolved: int, names: Callable[[str], list[str]]
    ) -> dict[str, Gone]:
        """The tables that kept records have and a record at `resolved` does not.

        Args:
            tables: of the new record, by name.
            resolved: its ts.
            names: gives the names that a table may have now, by its id.
        """
        before, oldest = self.newest(), self.oldest()
        if before is None or oldest is None:
            return {}
        there = {table.number for table in tables.values()}
        found = {number: one for number, one in before.gone.items() if one.resolved > oldest.resolved}
        for number, table in before.numbered().items():
            if number not in there:
                found[number] = Gone(resolved, tuple(dict.fromkeys([table.place, *names(number)])))
        return found

    def _every(self) -> list[int]:
        if self._resolved is None:
            self._resolved = self.published.resolved()
            self._held.clear()
        return self._resolved

    def _record(self, at: int) -> Record | None:
        every = self._every()
        if not every:
            return None
        if every[at] not in self._held:
            self._held[every[at]] = self.published.read(every[at])
        self._held = {one: record for one, record in self._held.items() if one in (every[0], every[-1])}
        return self._held[every[at]]


class Snapshot(Mapping[str, "DataFrame"]):
    """All tables at one TSO: a mapping from name, `schema.table`, to frame.

    Attributes:
        resolved: the TSO. The tables have all changes with a smaller commit ts.
        parked: by name, why tables are older than that.
        dead: messages that could not be read when it was published: their changes are in no table.
        inexact: by name, why tables have no state at exactly this TSO (`exact=True`); to take one is an error.
    """

    def __init__(self, spark: SparkSession, record: Record, published: Published, owner: str, target: str) -> None:
        self.spark = spark
        self.record = record
        self.published = published
        self.resolved = record.resolved
        self.parked = {name: table.parked for name, table in record.tables.items() if table.parked}
        self.dead = record.dead
        self.inexact: Mapping[str, str] = {}
        self._owner = owner
        self._target = target
        self._frames: dict[str, DataFrame] = {}

    def __getitem__(self, name: str) -> DataFrame:
        if name not in self._frames:
            if name not in self.record.tables:
                raise KeyError(name)
            self._frames[name] = self._read(name, self.record.tables[name])
        return self._frames[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.record.tables)

    def __len__(self) -> int:
        return len(self.record.tables)

    def __repr__(self) -> str:
        return f"Snapshot at {time_of(self.resolved)} ({self.resolved}) of {', '.join(self) or 'no tables'}"

    def create_views(self) -> dict[str, str]:
        """Creates a temporary view of each table, `schema_table`.

        Returns:
            The names of the views, by the names of the tables.

        Raises:
            StateError: two tables would have the same view name.
        """
        views: dict[str, str] = {}
        for name in self:
            view = "_".join(split(name))
            other = next((one for one, of in views.items() if of.lower() == view.lower()), None)
            if other is not None:
                raise StateError(f"tables {other} and {name} would both be the view {view}: take their frames by name")
            views[name] = view
        for name, view in views.items():
            self[name].createOrReplaceTempView("`" + view.replace("`", "``") + "`")
        return views

    def _read(self, name: str, table: PublishedTable) -> DataFrame:
        owner = f"{self._owner}/{table.number}"
        there = found_table(self.spark, self._target, owner, table.place, self.published)
        if there is None:
            raise StateError(f"table {name} was published as {table.place}, and is not there any more")
        return there.read(table.version)


def found_table(spark: SparkSession, target: str, owner: str, place: str, published: Published) -> Table | None:
    """A published table, under its name in a record or under one that it has got since; None if it is gone.

    Args:
        target: the address of the tables, or of the histories beside them.
        owner: of the table: the id of the synchronisation, and that of the table; with `h` for a history.
        place: its name in the record.
        published: the records.
    """
    newest = published.at(None)
    tables = tables_of(spark, target)
    number = owner.rpartition("/")[2].removesuffix("h")
    with active(spark):
        there = find(tables, owner, [place])
        if there is None and number in newest.gone:
            there = find(tables, owner, newest.gone[number].places)
        elif there is None and (now := newest.numbered().get(number)) is not None:
            there = find(tables, owner, [now.place])
        if there is None:
            # it was just renamed, by a batch that is not published yet
            tables_now = Manifests(published.state, identity(published.state).source).newest().tables
            there = find(tables, owner, names_of(tables_now[number])) if number in tables_now else None
    return there


def snapshot(spark: SparkSession, state: str, as_of: int | str | datetime | None = None) -> Snapshot:
    """All tables of a synchronisation as they were published at one TSO; `exact.snapshot` is the function of users.

    Args:
        spark: a session that can read the tables.
        state: the folder of the synchronisation.
        as_of: a TSO or a time: selects the newest state published at or before it; None: the newest.

    Raises:
        StateError: there is no such state, or nothing is published so early.
    """
    of = with_one_tso(state)
    published = Published(state)
    return Snapshot(spark, published.at(tso_of(spark, as_of)), published, of.id, of.into)


def with_one_tso(state: str) -> Identity:
    """The identity of a state, whose tables are published at one TSO.

    Raises:
        StateError: there is no such state, or it has consistency=key.
    """
    of = identity(state)
    if of.consistency != "tables":
        raise StateError(
            f"the synchronisation in {shown(state)} has consistency=key: its tables have no TSO in common, and each is"
            f" read by itself, in {of.into}"
        )
    return of


def tso_of(spark: SparkSession, as_of: Any) -> int | None:
    """A TSO or a time as a TSO, of a time the last one of its millisecond; None for None.

    Raises:
        StateError: it is neither.
    """
    if as_of is None:
        return None
    if isinstance(as_of, int) and not isinstance(as_of, bool):
        return as_of
    if isinstance(as_of, str):
        if as_of.isdigit():
            return int(as_of)
        try:
            as_of = datetime.fromisoformat(as_of)
        except ValueError:
            raise StateError(
                f"as_of={as_of!r} is neither a TSO nor a time such as 2026-11-26 12:00:00 or 2026-11-26T12:00:00+08:00"
            ) from None
    if not isinstance(as_of, datetime):
        raise StateError(f"as_of={as_of!r} is neither a TSO nor a time")
    if as_of.tzinfo is None:
        as_of = as_of.replace(tzinfo=ZoneInfo(spark.conf.get("spark.sql.session.timeZone") or "UTC"))
    milliseconds: int = (as_of - EPOCH) // timedelta(milliseconds=1)
    return (milliseconds + 1 << TSO_SHIFT) - 1


def time_of(tso: int) -> str:
    """The time of a TSO, for display."""
    try:
        return (EPOCH + timedelta(milliseconds=tso >> TSO_SHIFT)).astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except OverflowError:
        return f"TSO {tso}"


def _path(resolved: int) -> str:
    return f"{_FOLDER}/{resolved:020d}.json"
