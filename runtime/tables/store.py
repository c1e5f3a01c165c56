"""What tables are, by version: kept apart from what decoders remember to be fast.

It forgets nothing, and no message that fails undoes it. What it takes up follows from what is described.
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
"""What is no statement, and ends as the name of a file does."""
MOST_IN_TURN = 256
"""Descriptions of a table that hold from one time on and contradict each other: more than a database can make."""
MOST_VERSION = (1 << 64) - 1

Key = tuple[str | None, str, int | None]
"""Schema, table and version."""
MOST_TIME = (1 << 64) - 1
"""The last TSO that there is."""


def listed(descriptions: Any) -> list[Any]:
    """Descriptions that a caller gave.

    Raises:
        ArgumentError: they are no list.
    """
    text = isinstance(descriptions, str | bytes | PathLike)
    if text or not isinstance(descriptions, Iterable):
        sql = "; add_sql adds those of SQL, which Path.read_text() gives of a file" if text else ""
        raise ArgumentError(f"a list of TableDescription is expected, not {shown(descriptions)}{sql}")
    return list(descriptions)


class DescribedTables(Generic[T]):
    """Descriptions of tables by schema, table and version.

    It never forgets one; a later version does not take the place of an earlier one, whose rows may still come. A
    description without a version is found for rows that name none. Names are compared as they are written.

    Threads may share it: one adds at a time, and who looks something up waits for nobody. It can be pickled.
    `tidewire.tables.TableStore` is the class to use.

    Attributes:
        DESCRIPTION: the class of descriptions.
        VIEW: the class of sequences of events.
        DESCRIBING: the attributes of events that describe tables, and the columns of events, earlier versions first.
        changes: how often a description was added.
    """

    DESCRIPTION: ClassVar[type[Any]]
    VIEW: ClassVar[type[EventView]]
    DESCRIBING: ClassVar[tuple[str, ...]]

    def __init__(self, descriptions: Iterable[T] = ()) -> None:
        """
        Args:
            descriptions: to begin with.

        Raises:
            ContradictionError: two of them contradict each other.
            ArgumentError: they are no list of descriptions.
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
        """The store that a caller gave as `tables`; a new one when it is None.

        Raises:
            ArgumentError: it is no store.
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
        """Adds a description; False when its version of the table is described already, which stays as it is.

        What only one of two descriptions says is no contradiction, nor are another id of the table (TRUNCATE keeps the
        version), another `nullable` of an index, and another order.

        Raises:
            ContradictionError: that version is described already, and otherwise.
            ArgumentError: it is no TableDescription.
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
        """Adds a description whose version is the time from which on it holds. Where another one holds from then on, it
        gets the next number that none has which contradicts it.

        Args:
            version: the least one that it can have; None: it has none.

        Returns:
            The description with its version, as it was added or was known before.

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
        """Adds all descriptions of events, and says how many were new.

        Args:
            events: as columns, as a view over columns, or one by one.

        Raises:
            ContradictionError: as `add`; what was added before it stays.
            ArgumentError: these are no events.
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

        Statements that say nothing of tables are skipped. Where a table says no character set it has TiDB's default,
        utf8mb4. An index on an expression is not described: it has no columns.

        Args:
            text: the SQL.
            schema: of tables whose statements name none; USE in the text goes before it.
            version: of all of them, as rows name it; None where rows name none.

        Returns:
            The descriptions, in the order of the text.

        Raises:
            SqlError: a statement cannot be read, or changes a table, or begins as none does, or none creates one;
                nothing of the text was added then.
            DescriptionError: a statement describes no table that can be; nothing was added.
            ContradictionError: as `add`; what was added before it stays.
            ArgumentError: it is no text.
        """
        if not isinstance(text, str):
            raise ArgumentError(f"SQL is text, not {type(text).__name__}")
        if _FILE.fullmatch(text):
            raise ArgumentError(
                f"{shown(text)} is the name of a file, and no SQL: add_sql takes what is in it, as "
                f"Path({shown(text)}).read_text() gives it; read_table and rows take files themselves, as "
                f"tables={shown(text)}"
            )
        # reads with a module that takes a tenth of a second to import
        from tidewire.runtime.tables.sql_reader import read_tables

        found = [
            self.DESCRIPTION(one.schema, one.table, one.columns, one.indexes, None, version, one.charset, one.comment)
            for one in read_tables(text, self.DESCRIPTION.TYPES, schema)
        ]
        for one in found:
            self.add(one)
        return found

    def find(self, schema: str | None, table: str, version: int | None) -> T:
        """The description of a version of a table; of one without versions the version is None.

        Raises:
            MissingTableError: nobody has described it.
            ArgumentError: a name is no text, or the version no number.
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
            MissingTableError: nobody has described any.
        """
        found = self._latest.get(_names(schema, table))
        if found is None:
            raise MissingTableError(schema, table, None, no_version=True)
        return found

    def at(self, schema: str | None, table: str, time: int | None) -> T:
        """The description by which a row is read that says when it was committed, and no version: versions are then the
        times from which on they hold. It is the last one that is not later, else the first.

        Args:
            time: a TSO; None: the row says no time, and the latest description is taken.

        Raises:
            MissingTableError: nobody has described the table.
        """
        versions = self._versions.get(_names(schema, table))
        if time is None or versions is None:
            found = self._known.get((schema, table, None)) if versions is None else None
            return self.latest(schema, table) if found is None else found
        return self._known[schema, table, versions[max(bisect_right(versions, time) - 1, 0)]]

    def versions_of(self, schema: str | None, table: str) -> list[T]:
        """All descriptions of a table, by version; one without a version comes first."""
        known = [self._known.get((schema, table, one)) for one in (None, *self._versions.get((schema, table), ()))]
        return [one for one in known if one is not None]

    def may_find(self, schema: str | None, table: str) -> bool:
        """Whether `at` may find a description; where it would not, this takes less than the error."""
        return (schema, table) in self._latest

    def times(self, schema: str | None, table: str, time: int) -> tuple[int, int]:
        """From when to when rows of a table, as far as it is described now, are read by what `at` finds for this time.

        Args:
            time: a TSO.

        Returns:
            The first and the last TSO, of those that have 64 bits.
        """
        versions = self._versions.get((schema, table), [])
        which = max(bisect_right(versions, time) - 1, 0)
        first = max(versions[which], 0) if which > 0 else 0
        return first, min(versions[which + 1] - 1, MOST_TIME) if which + 1 < len(versions) else MOST_TIME

    def to_events(self) -> Any:
        """An event for each description (a bootstrap), as a sequence of events that encoders take and files keep."""
        return self.VIEW.of([self.event(one) for one in self])

    @property
    def memory(self) -> int:
        """How many bytes the descriptions take up, about: they grow with what is described, never with rows."""
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
    """The names of a table; looked at for messages one by one, where a union of types costs more than all else here.

    Raises:
        ArgumentError: one is no text.
    """
    if (schema is not None and not isinstance(schema, str)) or not isinstance(table, str):
        raise ArgumentError(f"the names of a table are texts, not {shown(schema)} and {shown(table)}")
    return schema, table


def _order(description: DescribedTable) -> int:
    """Its version; less than any where it has none."""
    return -1 if description.version is None else description.version


def _size(description: DescribedTable) -> int:
    """The bytes of a description and all that is in it."""
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
