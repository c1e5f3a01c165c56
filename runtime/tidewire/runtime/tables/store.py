"""Table descriptions by version, separate from the caches of decoders.

Nothing is ever removed, and failed messages do not undo additions. Memory depends on the descriptions only.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator
from os import PathLike
from threading import Lock
from typing import Any, ClassVar, Generic, Self, TypeVar

from tidewire.runtime.batch.event_columns import EventColumns
from tidewire.runtime.batch.event_objects import EventObject, EventView
from tidewire.runtime.errors import ArgumentError, ContradictionError, MissingTableError
from tidewire.runtime.shortened import shown
from tidewire.runtime.tables.columns import COLUMN_FIELDS, INDEX_FIELDS
from tidewire.runtime.tables.description import TABLE_FIELDS, DescribedTable
from tidewire.runtime.tables.differences import contradiction

T = TypeVar("T", bound=DescribedTable)

_FILE = re.compile(r"[^\s`;()]+\.[A-Za-z]\w*")
"""Matches a text that is not a statement, and ends like a file name."""
MOST_IN_TURN = 256
"""Maximum number of contradicting descriptions of a table with the same commit time: more than a database can make."""
MOST_VERSION = (1 << 64) - 1

Key = tuple[str | None, str, int | None]
"""Schema, table and version."""
MOST_TIME = (1 << 64) - 1
"""The greatest TSO."""


def listed(descriptions: Any) -> list[Any]:
    """The descriptions that a caller gave, as a list.

    Raises:
        ArgumentError: they are not iterable, or a text.
    """
    text = isinstance(descriptions, str | bytes | PathLike)
    if text or not isinstance(descriptions, Iterable):
        sql = "; add_sql adds those of SQL, which Path.read_text() gives of a file" if text else ""
        raise ArgumentError(f"a list of TableDescription is expected, not {shown(descriptions)}{sql}")
    return list(descriptions)


class DescribedTables(Generic[T]):
    """Table descriptions by schema, table and version.

    Descriptions are never removed; a later version does not replace an earlier one, whose rows may still arrive. A
    description without a version is found for rows without one. Names are compared case-sensitively.

    Threads may share a store: additions exclude each other, and lookups never wait. It can be pickled. Use the class
    `tidewire.tables.TableStore`.

    Attributes:
        DESCRIPTION: class of descriptions.
        VIEW: class of event sequences.
        DESCRIBING: attributes of events with table descriptions, which are also columns of events; earlier versions
            first.
        changes: number of additions.
    """

    DESCRIPTION: ClassVar[type[Any]]
    VIEW: ClassVar[type[EventView]]
    DESCRIBING: ClassVar[tuple[str, ...]]

    def __init__(self, descriptions: Iterable[T] = ()) -> None:
        """
        Args:
            descriptions: initial descriptions.

        Raises:
            ContradictionError: two of them contradict each other.
            ArgumentError: they are not a list of descriptions.
        """
        self._known: dict[Key, T] = {}
        self._latest: dict[tuple[str | None, str], T] = {}
        self._versions: dict[tuple[str | None, str], list[int]] = {}
        self._memory = 0
        self.changes = 0
        self._lock = Lock()
        for one in listed(descriptions):
            self.add(one)

    @classmethod
    def given(cls, tables: Any) -> Any:
        """The store that a caller gave as `tables`; a new one for None.

        Raises:
            ArgumentError: it is not a store.
        """
        if tables is None:
            return cls()
        if not isinstance(tables, cls):
            raise ArgumentError(f"tables: a TableStore is expected, not {shown(tables)}")
        return tables

    @staticmethod
    def event(table: Any) -> Any:
        """The event that describes a table."""
        raise NotImplementedError

    def add(self, description: T) -> bool:
        """Adds a description; False if this version of the table is already described, in which case nothing changes.

        Attributes that only one of two descriptions states are no contradiction, nor are another id of the table
        (TRUNCATE keeps the version), another `nullable` of an index, and another order.

        Raises:
            ContradictionError: that version is already described in another way.
            ArgumentError: it is not a TableDescription.
        """
        if not isinstance(description, self.DESCRIPTION):
            raise ArgumentError(f"a TableDescription is expected, not {shown(description)}")
        key = (description.schema, description.table, description.version)
        with self._lock:
            known = self._known.get(key)
            if known is None:
                size = _size(description) + sys.getsizeof(key)
                self._known[key] = description
                name = key[:2]
                if description.version is not None:
                    insort(self._versions.setdefault(name, []), description.version)
                latest = self._latest.get(name)
                if latest is None or _order(description) > _order(latest):
                    self._latest[name] = description
                self._memory += size
                self.changes += 1
                return True
        if known != description:
            found = contradiction(known, description)
            if found is not None:
                name_text = ".".join(one for one in key[:2] if one is not None)
                raise ContradictionError(name_text, key[2], found.path, found.known, found.given)
        return False

    def add_in_turn(self, description: T, version: int | None) -> T:
        """Adds a description whose version is the time from which it applies. If contradicting descriptions apply from
        the same time, it gets the next version without a contradiction.

        Args:
            version: its least possible version; None: it has none.

        Returns:
            The description with its version, as added now or known before.

        Raises:
            ContradictionError: there are too many others of that time.
        """
        if version is None:
            self.add(description)
            return description
        refused: ContradictionError | None = None
        for turn in range(version, min(version + MOST_IN_TURN, MOST_VERSION + 1)):
            known = self._known.get((description.schema, description.table, turn))
            if known is not None and refused is not None and contradiction(known, description) is not None:
                continue
            found = description if description.version == turn else description.replaced(version=turn)
            try:
                self.add(found)
            except ContradictionError as error:
                refused = refused or error
            else:
                return found
        assert refused is not None, "a version is one that there can be"
        raise refused

    def add_events(self, events: EventColumns | Iterable[Any]) -> int:
        """Adds all descriptions in events; returns how many were new.

        Args:
            events: columns of events, a view over columns, or single events.

        Raises:
            ContradictionError: as in `add`; earlier descriptions remain added.
            ArgumentError: these are not events.
        """
        if isinstance(events, EventView):
            events = events.columns
        if not isinstance(events, EventColumns):
            if isinstance(events, EventObject) or not isinstance(events, Iterable):
                raise ArgumentError(f"several events are expected, a list or what decoding gave, not {shown(events)}")
            return sum(self._add_event(event) for event in events)
        if not events.descriptions:
            return 0
        numbers = {
            number for name in self.DESCRIBING for number in events.events.column(name).drop_null().unique().to_pylist()
        }
        return sum(self.add(events.descriptions[number]) for number in sorted(numbers))

    def _add_event(self, event: object) -> int:
        if not isinstance(event, EventObject):
            raise ArgumentError(f"an event is expected, not {shown(event)}")
        found = [getattr(event, name, None) for name in self.DESCRIBING]
        return sum(self.add(one) for one in found if one is not None)

    def add_sql(self, text: str, schema: str | None = None, version: int | None = None) -> list[T]:
        """Adds the tables that SQL text creates: output of SHOW CREATE TABLE, also as the mysql client prints it, or a
        dump with many statements.

        Statements that do not concern tables are skipped. A table without a character set has TiDB's default,
        utf8mb4. An index on an expression is not described: it has no columns.

        Args:
            text: the SQL.
            schema: schema of tables whose statements name none; USE in the text takes precedence.
            version: version of all of them, as in rows; None if rows have none.

        Returns:
            The descriptions, in the order of the text.

        Raises:
            SqlError: a statement cannot be parsed, or changes a table, or begins with unknown words, or none creates a
                table; nothing of the text was added then.
            DescriptionError: a statement does not describe a valid table; nothing was added.
            ContradictionError: as in `add`; earlier descriptions remain added.
            ArgumentError: it is not text.
        """
        if not isinstance(text, str):
            raise ArgumentError(f"SQL is text, not {type(text).__name__}")
        if _FILE.fullmatch(text):
            raise ArgumentError(
                f"{shown(text)} is the name of a file, and no SQL: add_sql takes what is in it, as "
                f"Path({shown(text)}).read_text() gives it; read_table and rows take files themselves, as "
                f"tables={shown(text)}"
            )
        # imported on first use, because its tokenizer takes a tenth of a second
        from tidewire.runtime.tables.sql_reader import read_tables

        found = [
            self.DESCRIPTION(one.schema, one.table, one.columns, one.indexes, None, version, one.charset, one.comment)
            for one in read_tables(text, self.DESCRIPTION.TYPES, schema)
        ]
        for one in found:
            self.add(one)
        return found

    def find(self, schema: str | None, table: str, version: int | None) -> T:
        """The description of a version of a table; for tables without versions the version is None.

        Raises:
            MissingTableError: it is not described.
            ArgumentError: a name is not text, or the version is not a number.
        """
        if version is not None and not isinstance(version, int):
            raise ArgumentError(f"a version is a number or None, not {shown(version)}")
        found = self._known.get((*_names(schema, table), version))
        if found is None:
            raise MissingTableError(schema, table, version)
        return found

    def latest(self, schema: str | None, table: str) -> T:
        """The description of the greatest version of a table.

        Raises:
            MissingTableError: the table is not described.
        """
        found = self._latest.get(_names(schema, table))
        if found is None:
            raise MissingTableError(schema, table, None, no_version=True)
        return found

    def at(self, schema: str | None, table: str, time: int | None) -> T:
        """The description for a row that states its commit time instead of a version. Versions are then the times from
        which descriptions apply: it is the last one that is not later, else the first.

        Args:
            time: a TSO; None: the row has no time, and the latest description is used.

        Raises:
            MissingTableError: the table is not described.
        """
        versions = self._versions.get(_names(schema, table))
        if time is None or versions is None:
            found = self._known.get((schema, table, None)) if versions is None else None
            return self.latest(schema, table) if found is None else found
        return self._known[schema, table, versions[max(bisect_right(versions, time) - 1, 0)]]

    def versions_of(self, schema: str | None, table: str) -> list[T]:
        """All descriptions of a table, by version; one without a version is first."""
        known = [self._known.get((schema, table, one)) for one in (None, *self._versions.get((schema, table), ()))]
        return [one for one in known if one is not None]

    def may_find(self, schema: str | None, table: str) -> bool:
        """Whether `at` finds a description; faster than its error."""
        return (schema, table) in self._latest

    def times(self, schema: str | None, table: str, time: int) -> tuple[int, int]:
        """The range of times for which `at` finds the same description as for this one, as of now.

        Args:
            time: a TSO.

        Returns:
            The first and the last 64-bit TSO.
        """
        versions = self._versions.get((schema, table), [])
        which = max(bisect_right(versions, time) - 1, 0)
        first = max(versions[which], 0) if which > 0 else 0
        return first, min(versions[which + 1] - 1, MOST_TIME) if which + 1 < len(versions) else MOST_TIME

    def to_events(self) -> Any:
        """An event for each description (a bootstrap), as a sequence of events that can be encoded or stored in files.
        """
        return self.VIEW.of([self.event(one) for one in self])

    @property
    def memory(self) -> int:
        """Approximate bytes of all descriptions; they do not depend on rows."""
        return self._memory

    def __contains__(self, key: object) -> bool:
        return key in self._known

    def __iter__(self) -> Iterator[T]:
        return iter(list(self._known.values()))

    def __len__(self) -> int:
        return len(self._known)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DescribedTables):
            return NotImplemented
        return self._known == other._known

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[Self], tuple[list[T]]]:
        return type(self), (list(self),)

    def __repr__(self) -> str:
        counts = (len(self), "description"), (len(self._latest), "table")
        said = " of ".join(f"{count:,} {what}{'s' * (count != 1)}" for count, what in counts)
        return f"<TableStore: {said}, {self.memory:,} bytes>"


def _names(schema: str | None, table: str) -> tuple[str | None, str]:
    """The names of a table, checked. It is called for each message, where `isinstance` with a union of types would be
    slower than all else here.

    Raises:
        ArgumentError: one is not text.
    """
    if (schema is not None and not isinstance(schema, str)) or not isinstance(table, str):
        raise ArgumentError(f"the names of a table are texts, not {shown(schema)} and {shown(table)}")
    return schema, table


def _order(description: DescribedTable) -> int:
    """Its version; -1 without one."""
    return -1 if description.version is None else description.version


def _size(description: DescribedTable) -> int:
    """Bytes of a description with all of its contents."""
    found = sys.getsizeof(description)
    held: list[Any] = [getattr(description, name) for name in TABLE_FIELDS]
    for parts, names in ((description.columns, COLUMN_FIELDS), (description.indexes, INDEX_FIELDS)):
        for part in parts:
            found += sys.getsizeof(part)
            held += [getattr(part, name) for name in names]
    while held:
        one = held.pop()
        if one is None or isinstance(one, bool):
            continue
        found += sys.getsizeof(one) if isinstance(one, str | int | tuple) else 0
        if isinstance(one, tuple):
            held += [text for text in one if isinstance(text, str)]
    return found
