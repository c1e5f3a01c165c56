"""Row changes, DDL statements, watermarks and bootstraps of a TiDB cluster, whatever protocol carried them.

Kinds of events:
    insert (1): A row that was not there before.
    update (2): A row that changed.
    delete (3): A row that is gone.
    ddl (4): A DDL statement that was executed.
    watermark (5): Every event with a smaller commit ts has been sent.
    bootstrap (6): A table's columns, sent ahead of its rows.
Values of columns:
    int (Arrow int64, Python int): Signed integers and YEAR.
    uint (Arrow uint64, Python int): Unsigned integers, BIT, ENUM (1-based index, 0 for an invalid value), SET (bitmap).
    float (Arrow float64, Python float): FLOAT (widened) and DOUBLE.
    text (Arrow utf8, Python str): Character strings; DECIMAL, DATE, TIME, DATETIME, TIMESTAMP, JSON and VECTOR as MySQL writes them.
    bytes (Arrow binary, Python bytes): BINARY, VARBINARY, BLOB.
    nothing (Arrow null, Python None): Types of which no value is ever sent.
"""
# Generated from spec/events.yaml by "make generate". Do not edit.

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tidewire.mysql import storage
from tidewire.runtime import require_api
from tidewire.runtime.batch import Column, EventColumns
from tidewire.runtime.building import EventBuilder
from tidewire.runtime.codecs import TEXT, UVARINT, VARINT
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.rows import Row, RowSet
from tidewire.runtime.source import Source

if TYPE_CHECKING:
    import cython

require_api(1)

__all__ = [
    "Bootstrap",
    "Column",
    "Ddl",
    "Event",
    "Events",
    "RowChange",
    "Watermark",
]

KINDS: dict[str, int] = {
    "insert": 1,
    "update": 2,
    "delete": 3,
    "ddl": 4,
    "watermark": 5,
    "bootstrap": 6,
}
"""The kinds of events and their codes."""

KIND_NAMES: dict[int, str] = {code: name for name, code in KINDS.items()}
"""The same the other way round."""

FIELDS: tuple[tuple[str, str], ...] = (
    ("message", "int64"),
    ("kind", "int64"),
    ("commit_ts", "uint64"),
    ("table", "int64"),
    ("table_id", "int64"),
    ("partition_id", "int64"),
    ("ddl_type", "int64"),
    ("query", "text"),
    ("new_layout", "int64"),
    ("new_row", "int64"),
    ("old_layout", "int64"),
    ("old_row", "int64"),
)
"""The columns of `EventColumns.events`: name and type."""

CODECS: tuple[int, ...] = (VARINT, VARINT, UVARINT, VARINT, VARINT, VARINT, VARINT, TEXT, VARINT, VARINT, VARINT, VARINT)
"""The codec of each of these columns."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""From where the physical part of a TSO counts, in milliseconds."""


class Event:
    """What every event has."""

    def __init__(self, commit_ts: int) -> None:
        self.commit_ts = commit_ts

    @property
    def kind(self) -> str:
        """What happened: one of `KINDS`."""
        raise NotImplementedError

    @property
    def commit_time(self) -> datetime:
        """The physical part of the commit ts, in UTC, with milliseconds."""
        return EPOCH + timedelta(milliseconds=self.commit_ts >> 18)

    def _own(self) -> tuple[object, ...]:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self._own() == other._own()

    def __hash__(self) -> int:
        return hash(self._own()[:2])

class RowChange(Event):
    """A row that was inserted or updated or deleted.

    Attributes:
        kind: What happened; the codes above.
        commit_ts: TSO of the transaction: milliseconds since 1970 << 18, plus a counter.
        schema: The database. None when absent.
        table: The table. None when absent.
        table_id: TiDB's id of the table. None when absent.
        partition_id: TiDB's id of the partition that the row lies in; absent when the table has none. None when absent.
        new: The new row image, a mapping of column names to values; None when there is none.
        old: The old row image, a mapping of column names to values; None when there is none.
        columns: Name, type and flags of the columns.
    """

    def __init__(
        self,
        kind: str,
        commit_ts: int,
        schema: str | None,
        table: str | None,
        new: Mapping[str, Any] | None = None,
        old: Mapping[str, Any] | None = None,
        table_id: int | None = None,
        partition_id: int | None = None,
        columns: Sequence[Column] = (),
    ) -> None:
        self.own_kind = kind
        self.commit_ts = commit_ts
        self.schema = schema
        self.table = table
        self.table_id = table_id
        self.partition_id = partition_id
        self.new = new
        self.old = old
        self.given_columns = tuple(columns)

    @property
    def kind(self) -> str:
        """insert, update, delete: what happened."""
        return self.own_kind


    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the row: those given, else those of its new image, else of the other one."""
        if self.given_columns:
            return self.given_columns
        if isinstance(self.new, Row):
            return self.new.columns
        if isinstance(self.old, Row):
            return self.old.columns
        return ()

    def _own(self) -> tuple[object, ...]:
        return (self.kind, self.commit_ts, self.schema, self.table, self.table_id, self.partition_id, self.new, self.old)

    def __reduce__(self) -> tuple[object, ...]:
        return RowChange, (
            self.kind,
            self.commit_ts,
            self.schema,
            self.table,
            None if self.new is None else dict(self.new.items()),
            None if self.old is None else dict(self.old.items()),
            self.table_id,
            self.partition_id,
            tuple(self.columns),
        )

    def __repr__(self) -> str:
        return (
            f"RowChange(kind={self.kind!r}, commit_ts={self.commit_ts!r}, schema={self.schema!r}, table={self.table!r}, table_id={self.table_id!r}, partition_id={self.partition_id!r}, "
            f"new={self.new!r}, old={self.old!r})"
        )


class Ddl(Event):
    """A DDL statement that was executed.

    Attributes:
        commit_ts: TSO of the transaction: milliseconds since 1970 << 18, plus a counter.
        schema: The database. None when absent.
        table: The table. None when absent.
        ddl_type: TiDB's DDL action code; mysql_types.yaml names them. None when absent.
        query: The statement. None when absent.
    """

    def __init__(
        self,
        commit_ts: int,
        schema: str | None,
        table: str | None,
        ddl_type: int | None,
        query: str | None,
    ) -> None:
        self.commit_ts = commit_ts
        self.schema = schema
        self.table = table
        self.ddl_type = ddl_type
        self.query = query

    @property
    def kind(self) -> str:
        """"ddl"."""
        return "ddl"


    def _own(self) -> tuple[object, ...]:
        return (self.commit_ts, self.schema, self.table, self.ddl_type, self.query)

    def __reduce__(self) -> tuple[object, ...]:
        return Ddl, (
            self.commit_ts,
            self.schema,
            self.table,
            self.ddl_type,
            self.query,
        )

    def __repr__(self) -> str:
        return (
            f"Ddl(commit_ts={self.commit_ts!r}, schema={self.schema!r}, table={self.table!r}, ddl_type={self.ddl_type!r}, query={self.query!r})"
        )


class Watermark(Event):
    """Every event with a smaller commit ts has been sent.

    Attributes:
        commit_ts: TSO of the transaction: milliseconds since 1970 << 18, plus a counter.
    """

    def __init__(
        self,
        commit_ts: int,
    ) -> None:
        self.commit_ts = commit_ts

    @property
    def kind(self) -> str:
        """"watermark"."""
        return "watermark"


    def _own(self) -> tuple[object, ...]:
        return (self.commit_ts, )

    def __reduce__(self) -> tuple[object, ...]:
        return Watermark, (
            self.commit_ts,
        )

    def __repr__(self) -> str:
        return (
            f"Watermark(commit_ts={self.commit_ts!r})"
        )


class Bootstrap(Event):
    """A table's columns, sent ahead of its rows.

    Attributes:
        commit_ts: TSO of the transaction: milliseconds since 1970 << 18, plus a counter.
        schema: The database. None when absent.
        table: The table. None when absent.
        table_id: TiDB's id of the table. None when absent.
        columns: Name, type and flags of the columns.
    """

    def __init__(
        self,
        commit_ts: int,
        schema: str | None,
        table: str | None,
        table_id: int | None = None,
        columns: Sequence[Column] = (),
    ) -> None:
        self.commit_ts = commit_ts
        self.schema = schema
        self.table = table
        self.table_id = table_id
        self.columns = tuple(columns)

    @property
    def kind(self) -> str:
        """"bootstrap"."""
        return "bootstrap"


    def _own(self) -> tuple[object, ...]:
        return (self.commit_ts, self.schema, self.table, self.table_id, self.columns)

    def __reduce__(self) -> tuple[object, ...]:
        return Bootstrap, (
            self.commit_ts,
            self.schema,
            self.table,
            self.table_id,
            tuple(self.columns),
        )

    def __repr__(self) -> str:
        return (
            f"Bootstrap(commit_ts={self.commit_ts!r}, schema={self.schema!r}, table={self.table!r}, table_id={self.table_id!r}, "
            f"columns={self.columns!r})"
        )


class Events:
    """A sequence of events over the columns that hold them; an event is made when it is asked for.

    Attributes:
        columns: the events as columns.
    """

    def __init__(self, columns: EventColumns) -> None:
        self.columns = columns
        self.source = Source(columns.events.columns, CODECS)
        self.rows = columns.events.num_rows
        self.tables = columns.tables
        self.row_sets: list[RowSet | None] = [None] * len(columns.layouts)

    @classmethod
    def of(cls, events: Iterable[Event]) -> Events:
        """Event objects as columns.

        Raises:
            EncodeError: an event lacks something, or has a value that its column's type cannot hold.
        """
        if isinstance(events, Events):
            return events
        return cls(EventBuilder(FIELDS, KINDS, storage).build(events))

    @property
    def errors(self) -> list[DecodeError]:
        """The messages that could not be decoded."""
        return self.columns.errors

    def __len__(self) -> int:
        return len(self.columns.events)

    def __iter__(self) -> Iterator[Event]:
        k: cython.Py_ssize_t
        for k in range(self.rows):
            yield self.event(k)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self.event(k) for k in range(*index.indices(self.rows))]
        position = index + self.rows if index < 0 else index
        if not 0 <= position < self.rows:
            raise IndexError(f"there are {self.rows} events, no number {index}")
        return self.event(position)

    def __repr__(self) -> str:
        return f"<{self.rows} events of {len(self.tables)} tables, {len(self.errors)} errors>"

    def image(self, layout: cython.Py_ssize_t, row: cython.Py_ssize_t) -> Any:
        """A row image; None for the layout -1."""
        if layout < 0 or row < 0:
            return None
        rows: RowSet | None = self.row_sets[layout]
        if rows is None:
            rows = self.row_set(layout)
        return Row(rows, row)

    def row_set(self, number: cython.Py_ssize_t) -> RowSet:
        """The row images of a layout, made when the first of them is asked for: there may be as many layouts as rows."""
        layout = self.columns.layouts[number]
        rows = RowSet(layout, tuple([storage(column.type, column.flags) == "text" for column in layout.columns]))
        self.row_sets[number] = rows
        return rows

    def event(self, k: cython.Py_ssize_t) -> Event:
        """The event at a position that is known to be there."""
        kind: cython.longlong = self.source.int_at(1, k)
        place: cython.longlong
        schema, table = self.tables[self.source.int_at(3, k)]
        if kind == 1 or kind == 2 or kind == 3:
            return RowChange(
                KIND_NAMES[kind],
                self.source.uint_at(2, k),
                schema,
                table,
                self.image(self.source.int_at(8, k), self.source.int_at(9, k)),
                self.image(self.source.int_at(10, k), self.source.int_at(11, k)),
                self.source.value(4, k),
                self.source.value(5, k),
            )
        elif kind == 4:
            return Ddl(
                self.source.uint_at(2, k),
                schema,
                table,
                self.source.value(6, k),
                self.source.value(7, k),
            )
        elif kind == 5:
            return Watermark(
                self.source.uint_at(2, k),
            )
        elif kind == 6:
            return Bootstrap(
                self.source.uint_at(2, k),
                schema,
                table,
                self.source.value(4, k),
                self.layout_columns(self.source.int_at(8, k)),
            )
        raise ValueError(f"event {k} is of kind {kind}; the kinds are {KINDS}")

    def layout_columns(self, layout: cython.Py_ssize_t) -> tuple[Column, ...]:
        """The columns of a layout."""
        return () if layout < 0 else self.columns.layouts[layout].columns


Sequence.register(Events)
