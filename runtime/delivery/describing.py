"""Descriptions for rows that come without one, where messages of the target are read by descriptions of tables."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

import pyarrow as pa

from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.batch import Column, EventColumns, Layout
from tidewire.runtime.batch.roles import LOCATION, PARTIAL, TSO, Roles
from tidewire.runtime.batch.table_parts import TableName
from tidewire.runtime.errors import DescriptionError
from tidewire.runtime.tables.description import DescribedTable
from tidewire.runtime.tables.seen_rows import table_of_rows

GIVEN = "described by the tables that were given"
DERIVED = "described by the columns of its rows"
_VERSIONS = 1 << 64
_Stored: TypeAlias = tuple[int, int]
"""Of a column: the type's code, and the flags that change what is stored."""


class LocatedDescription(NamedTuple):
    """What became of the rows of a batch that came without a description.

    Attributes:
        columns: the events; the rows say by which version they are read.
        first: descriptions that nobody has sent yet: the event before which each has to come, and the description.
        unknown: rows whose table cannot be described, and why.
        described: what the field with the version says for how many rows: its name; table, and by what it is described.
    """

    columns: EventColumns
    first: list[tuple[int, DescribedTable]]
    unknown: dict[int, str]
    described: Counter[tuple[str, str]]


class _Known(NamedTuple):
    """The description by which some rows are read."""

    columns: dict[str, _Stored]
    """By name."""
    description: DescribedTable


class RowDescriber:
    """Finds descriptions for rows, or derives them from the rows' columns. Keeps them: reuse it for a topic.

    A description that was given is taken where its rows have just these columns: of several the latest that is not
    younger than the row. Otherwise the row's own columns are described, and the description's version is the commit ts
    of the first row that is read by it.
    """

    def __init__(self, tables: Iterable[DescribedTable], made: type[DescribedTable], field: str, roles: Roles) -> None:
        """
        Args:
            tables: the descriptions that were given.
            made: the class of descriptions.
            field: of events, that says by which version a row is read.
            roles: the names of fields by what they mean.
        """
        self._made = made
        self._field = field
        self._roles = roles
        self._types = made.TYPES.types
        self._handle_key = made.TYPES.flag("HANDLE_KEY")
        self._versions: defaultdict[TableName, set[int]] = defaultdict(set)
        self._behind: dict[TableName, int] = {}
        self._given: defaultdict[TableName, list[_Known]] = defaultdict(list)
        for one in sorted(tables, key=lambda one: -1 if one.version is None else one.version):
            self._given[one.schema, one.table].append(_Known(self._stored(one.row_columns()), one))
            if one.version is not None:
                self._versions[one.schema, one.table].add(one.version)
        self._derived: defaultdict[TableName, list[_Known]] = defaultdict(list)
        self._by_columns: dict[tuple[TableName, tuple[Column, ...]], DescribedTable] = {}
        self._sent: set[DescribedTable] = set()

    def describe(self, columns: EventColumns, flags: int) -> LocatedDescription:
        """The events with a version for each row that came without one.

        Args:
            flags: the column flags that their protocol tells, as bits.
        """
        events = columns.events
        versions = events.column(self._field).to_pylist()
        sides = [[events.column(f"{side}_{what}").to_pylist() for what in ("layout", "row")] for side in ("new", "old")]
        times = events.column(self._roles[TSO]).to_pylist()
        partial = self._partial(events)
        found = LocatedDescription(columns, [], {}, Counter())
        for event, version in enumerate(versions):
            layout = next((numbers[event] for numbers, rows in sides if numbers[event] >= 0 <= rows[event]), -1)
            if layout < 0 or version is not None:
                continue
            deleted = sides[0][0][event] < 0
            shown = columns.layouts[layout]
            table = columns.tables[shown.table]
            try:
                known, how = self._known(table, shown, times[event] or 0, flags, partial[event], deleted)
            except DescriptionError as error:
                found.unknown[event] = f"its table cannot be described by its columns: {error.detail}"
                continue
            if known is None:
                found.unknown[event] = (
                    "only a part of its columns is here, and no description of its table is known that has the others"
                )
                continue
            versions[event] = known.version
            found.described[self._field, f"{'.'.join(name or '' for name in table)}, {how}"] += 1
            if known not in self._sent:
                self._sent.add(known)
                found.first.append((event, known))
        if not found.described:
            return found
        return found._replace(columns=columns.with_columns({self._field: column_of(versions, pa.uint64())}))

    def _partial(self, events: pa.RecordBatch) -> list[bool]:
        """Which rows say that they are not whole."""
        marks, places = (events.column(self._roles[role]).to_pylist() for role in (PARTIAL, LOCATION))
        return [bool(mark) or place is not None for mark, place in zip(marks, places, strict=True)]

    def _known(
        self, table: TableName, layout: Layout, time: int, flags: int, partial: bool, deleted: bool
    ) -> tuple[DescribedTable | None, str]:
        """The description by which a row is read, and where it is from; None where nothing describes the table."""
        shown = self._stored(layout.columns)
        known = self._given.get(table, [])
        given = known[: bisect_right(known, time, key=lambda one: one.description.version or 0)]
        own = self._by_columns.get((table, layout.columns))
        found = _fitting(given, shown, _is)
        if found is not None:
            return self._with_version(table, found, time), GIVEN
        partial = partial or bool(layout.lacks)
        if own is not None and not partial:
            return own, DERIVED
        # a delete may have the columns of its key only, and nothing in it says so
        if partial or (deleted and all(one.flags & self._handle_key for one in layout.columns)):
            found = _fitting(given, shown, _is_part_of)
            if found is not None:
                return self._with_version(table, found, time), GIVEN
            found = _fitting(self._derived.get(table, []), shown, _is_part_of)
            if found is not None:
                return found.description, DERIVED
        if partial:
            return None, ""
        schema, name = table
        made = table_of_rows(self._made, schema, name or "", layout.columns, self._free(table, time), flags)
        self._derived[table].append(_Known(shown, made))
        self._by_columns[table, layout.columns] = made
        return made, DERIVED

    def _with_version(self, table: TableName, one: _Known, time: int) -> DescribedTable:
        """A description that was given, with a version by which rows can name it."""
        if one.description.version is not None:
            return one.description
        made = one.description.replaced(version=self._free(table, time))
        known = self._given[table]
        known.remove(one)
        insort(known, _Known(one.columns, made), key=lambda one: one.description.version or 0)
        return made

    def _free(self, table: TableName, time: int) -> int:
        """A version of a table that nothing has yet: the commit ts, or the next one behind the last that was made."""
        taken = self._versions[table]
        if time in taken:
            time = self._behind.get(table, time)
            while time in taken:
                time = (time + 1) % _VERSIONS
            self._behind[table] = time
        taken.add(time)
        return time

    def _stored(self, columns: Iterable[Column]) -> dict[str, _Stored]:
        """Columns by name, with what tells how their values are stored."""
        return {one.name: (one.type, one.flags & self._types.telling_flags(one.type)) for one in columns}


def _fitting(
    known: list[_Known], shown: dict[str, _Stored], fits: Callable[[dict[str, _Stored], dict[str, _Stored]], bool]
) -> _Known | None:
    """The latest description by which rows with some columns can be read."""
    return next((one for one in reversed(known) if fits(shown, one.columns)), None)


def _is(shown: dict[str, _Stored], known: dict[str, _Stored]) -> bool:
    return shown == known


def _is_part_of(shown: dict[str, _Stored], known: dict[str, _Stored]) -> bool:
    return shown.items() <= known.items()
