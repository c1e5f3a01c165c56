"""Finds or derives table descriptions for rows without one, when they are encoded for a protocol that needs them."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

import pyarrow as pa

from tidewire.messages.delivery.seen_rows import table_of_rows
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.batch import Column, EventColumns, Layout
from tidewire.runtime.batch.roles import LOCATION, PARTIAL, TSO, Roles
from tidewire.runtime.batch.table_parts import TableName
from tidewire.runtime.errors import DescriptionError
from tidewire.runtime.tables.description import DescribedTable

GIVEN = "described by the tables that were given"
DERIVED = "described by the columns of its rows"
_VERSIONS = 1 << 64
_Stored: TypeAlias = tuple[int, int]
"""How a column's values are stored: the type code, and the flags that change the storage."""


class LocatedDescription(NamedTuple):
    """The result for the rows of a batch that have no table description.

    Attributes:
        columns: the events, with the version of its table description in each row.
        first: descriptions that were not sent before: index of the event that each must precede, and the description.
        unknown: rows whose table cannot be described, with the reason.
        described: number of rows by version field and by a text with the table and the origin of its description.
    """

    columns: EventColumns
    first: list[tuple[int, DescribedTable]]
    unknown: dict[int, str]
    described: Counter[tuple[str, str]]


class _Known(NamedTuple):
    """A description with the storage of its columns, to be matched with rows."""

    columns: dict[str, _Stored]
    """Storage by column name."""
    description: DescribedTable


class RowDescriber:
    """Finds table descriptions for rows, or derives them from the rows' columns. It has state; use one for a topic.

    A given description is used if its columns are exactly those of the row; of several, the latest that is not newer
    than the row. Otherwise a description is derived from the row's own columns; its version is the commit ts of the
    first row that uses it.
    """

    def __init__(self, tables: Iterable[DescribedTable], made: type[DescribedTable], field: str, roles: Roles) -> None:
        """
        Args:
            tables: given descriptions.
            made: class of the descriptions to create.
            field: event field with the version of a row's description.
            roles: event field names by role.
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
        """Sets the version in each row that has none.

        Args:
            flags: column flags that the source protocol carries, as a bit mask.
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
        """Which rows are marked as partial, or point to a file with the whole row."""
        marks, places = (events.column(self._roles[role]).to_pylist() for role in (PARTIAL, LOCATION))
        return [bool(mark) or place is not None for mark, place in zip(marks, places, strict=True)]

    def _known(
        self, table: TableName, layout: Layout, time: int, flags: int, partial: bool, deleted: bool
    ) -> tuple[DescribedTable | None, str]:
        """The description for a row, and its origin; None if no description of the table has the columns that are
        missing.
        """
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
        # a delete may contain only the key columns, without being marked as partial
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
        """A given description; if it has no version, it gets one for rows to refer to."""
        if one.description.version is not None:
            return one.description
        made = one.description.replaced(version=self._free(table, time))
        known = self._given[table]
        known.remove(one)
        insort(known, _Known(one.columns, made), key=lambda one: one.description.version or 0)
        return made

    def _free(self, table: TableName, time: int) -> int:
        """An unused version for a table: the commit ts, or else the next free number after it."""
        taken = self._versions[table]
        if time in taken:
            time = self._behind.get(table, time)
            while time in taken:
                time = (time + 1) % _VERSIONS
            self._behind[table] = time
        taken.add(time)
        return time

    def _stored(self, columns: Iterable[Column]) -> dict[str, _Stored]:
        """The storage of columns by name."""
        return {one.name: (one.type, one.flags & self._types.telling_flags(one.type)) for one in columns}


def _fitting(
    known: list[_Known], shown: dict[str, _Stored], fits: Callable[[dict[str, _Stored], dict[str, _Stored]], bool]
) -> _Known | None:
    """The latest description whose columns match a row's."""
    return next((one for one in reversed(known) if fits(shown, one.columns)), None)


def _is(shown: dict[str, _Stored], known: dict[str, _Stored]) -> bool:
    return shown == known


def _is_part_of(shown: dict[str, _Stored], known: dict[str, _Stored]) -> bool:
    return shown.items() <= known.items()
