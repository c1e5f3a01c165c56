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
    text (Arrow utf8, Python str): Character strings; DECIMAL, DATE, TIME, DATETIME, TIMESTAMP, JSON and VECTOR as MySQL
        writes them.
    bytes (Arrow binary, Python bytes): BINARY, VARBINARY, BLOB.
    nothing (Arrow null, Python None): Types of which no value is ever sent.
"""
# Generated from spec/events.yaml by "make generate". Do not edit.

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from tidewire.mysql import storage
from tidewire.runtime import require_api
from tidewire.runtime.batch import Column
from tidewire.runtime.batch.building import EventBuilder
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.batch.event_columns import EventColumns
from tidewire.runtime.batch.rows import Row, RowSet
from tidewire.runtime.arrow.storage import BYTES, INT, TEXT, UINT

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if not cython.compiled:  # compiled code has them from its .pxd
    from tidewire.names import (
        INSERT, UPDATE, DELETE, DDL, WATERMARK, BOOTSTRAP, KIND, COMMIT_TS, COMMIT_MS, SENT_MS, TABLE, TABLE_ID,
        PARTITION_ID, ROW_ID, ROW_KEY, HANDLE_KEY_ONLY, CLAIM_CHECK, DDL_TYPE, DDL_CLASS, QUERY, NEW_LAYOUT, NEW_ROW,
        OLD_LAYOUT, OLD_ROW
    )


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

ROLES: dict[str, str] = {
    "tso": "commit_ts",
    "physical": "commit_ms",
    "sent": "sent_ms",
    "table_id": "table_id",
    "partition_id": "partition_id",
    "partial": "handle_key_only",
    "location": "claim_check",
    "ddl_type": "ddl_type",
    "ddl_class": "ddl_class",
    "statement": "query",
}
"""The fields that mean something to everybody who handles events (`tidewire.runtime.batch.roles`): what, and their
names."""

FIELDS: tuple[tuple[str, str], ...] = (
    ("message", "int64"),
    ("kind", "int64"),
    ("commit_ts", "uint64"),
    ("commit_ms", "int64"),
    ("sent_ms", "int64"),
    ("table", "int64"),
    ("table_id", "int64"),
    ("partition_id", "int64"),
    ("row_id", "int64"),
    ("row_key", "bytes"),
    ("handle_key_only", "bool"),
    ("claim_check", "text"),
    ("ddl_type", "int64"),
    ("ddl_class", "text"),
    ("query", "text"),
    ("new_layout", "int64"),
    ("new_row", "int64"),
    ("old_layout", "int64"),
    ("old_row", "int64"),
)
"""The columns of `EventColumns.events`: name and type; bool is kept as the numbers 0 and 1."""

EVENT_SCHEMA: pa.Schema = pa.schema(
    [
        ("message", pa.int64()),
        ("kind", pa.int64()),
        ("commit_ts", pa.uint64()),
        ("commit_ms", pa.int64()),
        ("sent_ms", pa.int64()),
        ("table", pa.int64()),
        ("table_id", pa.int64()),
        ("partition_id", pa.int64()),
        ("row_id", pa.int64()),
        ("row_key", pa.binary()),
        ("handle_key_only", pa.int64()),
        ("claim_check", pa.utf8()),
        ("ddl_type", pa.int64()),
        ("ddl_class", pa.utf8()),
        ("query", pa.utf8()),
        ("new_layout", pa.int64()),
        ("new_row", pa.int64()),
        ("old_layout", pa.int64()),
        ("old_row", pa.int64()),
    ]
)
"""The same as Arrow has them."""

STORAGE: tuple[int, ...] = (
    INT, INT, UINT, INT, INT, INT, INT, INT, INT, BYTES, INT, TEXT, INT, TEXT, TEXT, INT, INT, INT, INT
)
"""The storage of each of these columns."""

NAMES: tuple[str, ...] = tuple(name for name, _ in FIELDS)
"""The names of these columns."""

NAMED: tuple[int, ...] = (COMMIT_MS, SENT_MS, ROW_ID, ROW_KEY, HANDLE_KEY_ONLY, CLAIM_CHECK, DDL_CLASS)
"""The columns of fields that few protocols carry: a batch where all of them are null does not look into them again."""

BUILDER = EventBuilder(FIELDS, KINDS, storage)
"""Makes columns of event objects. It keeps nothing of a batch."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""From where the physical part of a TSO counts, in milliseconds."""


def remade(cls: Any, placed: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """An event that was pickled."""
    return cls(*placed, **named)


class Event:
    """What every event has."""

    def __init__(self, commit_ts: int | None) -> None:
        self.commit_ts = commit_ts

    @property
    def kind(self) -> str:
        """What happened: one of `KINDS`."""
        raise NotImplementedError

    @property
    def commit_time(self) -> datetime | None:
        """When the event was committed, in UTC, with milliseconds: what the commit ts says, else its milliseconds
        alone; None when the event has neither.
        """
        milliseconds = getattr(self, "commit_ms", None) if self.commit_ts is None else self.commit_ts >> 18
        return None if milliseconds is None else EPOCH + timedelta(milliseconds=milliseconds)

    def _own(self) -> tuple[object, ...]:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self._own() == other._own()

    def __hash__(self) -> int:
        return hash(self._own()[:2])

    def _given(self, names: tuple[str, ...]) -> dict[str, Any]:
        """Those of these attributes that are not None."""
        return {name: value for name in names if (value := getattr(self, name)) is not None}

class RowChange(Event):
    """A row that was inserted or updated or deleted.

    Attributes:
        kind: What happened; the codes above.
        commit_ts: TSO of the transaction: milliseconds since 1970 << 18, plus a counter. None when absent.
        commit_ms: The physical part of the commit ts, ms since 1970; only where the commit ts itself is not carried.
            None when absent.
        sent_ms: When the producer wrote the message, ms since 1970. None when absent.
        schema: The database. None when absent.
        table: The table. None when absent.
        table_id: TiDB's id of the table. None when absent.
        partition_id: TiDB's id of the partition that the row lies in; absent when the table has none. None when absent.
        row_id: The row's integer handle: TiDB's _tidb_rowid, or its integer primary key. None when absent.
        row_key: TiKV's key of the row. None when absent.
        handle_key_only: The row has its handle key columns only, because the whole was too large for a message. None
            when absent.
        claim_check: Where the whole message lies, when this one only points to it. None when absent.
        new: The new row image, a mapping of column names to values; None when there is none.
        old: The old row image, a mapping of column names to values; None when there is none.
        columns: Name, type and flags of the columns, and their declared types where the protocol says them.
    """

    def __init__(
        self,
        kind: str,
        commit_ts: int | None,
        schema: str | None,
        table: str | None,
        new: Mapping[str, Any] | None = None,
        old: Mapping[str, Any] | None = None,
        table_id: int | None = None,
        partition_id: int | None = None,
        columns: Sequence[Column] = (),
        *,
        commit_ms: int | None = None,
        sent_ms: int | None = None,
        row_id: int | None = None,
        row_key: bytes | None = None,
        handle_key_only: bool | None = None,
        claim_check: str | None = None,
    ) -> None:
        self.own_kind = kind
        self.commit_ts = commit_ts
        self.commit_ms = commit_ms
        self.sent_ms = sent_ms
        self.schema = schema
        self.table = table
        self.table_id = table_id
        self.partition_id = partition_id
        self.row_id = row_id
        self.row_key = row_key
        self.handle_key_only = handle_key_only
        self.claim_check = claim_check
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

    @property
    def lacks(self) -> tuple[str, ...]:
        """Columns that its table is known to have and the change has not, at most eight of them: with any it is a part
        of a row, of which nothing else is known.
        """
        if self.new is not None:
            return getattr(self.new, "lacks", ())
        if self.old is not None:
            return getattr(self.old, "lacks", ())
        return ()

    def _own(self) -> tuple[object, ...]:
        return (
            self.kind, self.commit_ts, self.commit_ms, self.schema, self.table, self.table_id, self.partition_id,
            self.row_id, self.row_key, self.handle_key_only, self.claim_check, self.new, self.old
        )

    def __reduce__(self) -> tuple[object, ...]:
        placed = (
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
        return remade, (
            RowChange,
            placed,
            self._given(("commit_ms", "sent_ms", "row_id", "row_key", "handle_key_only", "claim_check")),
        )

    def __repr__(self) -> str:
        named = "".join(
            [
                f", {name}={value!r}"
                for name, value in self._given(
                    ("commit_ms", "sent_ms", "row_id", "row_key", "handle_key_only", "claim_check")
                ).items()
            ]
        )
        return (
            f"RowChange(kind={self.kind!r}, commit_ts={self.commit_ts!r}, schema={self.schema!r}, "
            f"table={self.table!r}, table_id={self.table_id!r}, partition_id={self.partition_id!r}, "
            f"new={self.new!r}, old={self.old!r}{named})"
        )


class Ddl(Event):
    """A DDL statement that was executed.

    Attributes:
        commit_ts: TSO of the transaction: milliseconds since 1970 << 18, plus a counter. None when absent.
        commit_ms: The physical part of the commit ts, ms since 1970; only where the commit ts itself is not carried.
            None when absent.
        sent_ms: When the producer wrote the message, ms since 1970. None when absent.
        schema: The database. None when absent.
        table: The table. None when absent.
        ddl_type: TiDB's DDL action code; mysql_types.yaml names them. None when absent.
        ddl_class: The statement's class, as Canal-JSON and Simple name it: CREATE, ALTER, ... None when absent.
        query: The statement. None when absent.
    """

    def __init__(
        self,
        commit_ts: int | None,
        schema: str | None,
        table: str | None,
        ddl_type: int | None,
        query: str | None,
        *,
        commit_ms: int | None = None,
        sent_ms: int | None = None,
        ddl_class: str | None = None,
    ) -> None:
        self.commit_ts = commit_ts
        self.commit_ms = commit_ms
        self.sent_ms = sent_ms
        self.schema = schema
        self.table = table
        self.ddl_type = ddl_type
        self.ddl_class = ddl_class
        self.query = query

    @property
    def kind(self) -> str:
        """"ddl"."""
        return "ddl"


    def _own(self) -> tuple[object, ...]:
        return (self.commit_ts, self.commit_ms, self.schema, self.table, self.ddl_type, self.ddl_class, self.query)

    def __reduce__(self) -> tuple[object, ...]:
        placed = (
            self.commit_ts,
            self.schema,
            self.table,
            self.ddl_type,
            self.query,
        )
        return remade, (Ddl, placed, self._given(("commit_ms", "sent_ms", "ddl_class")))

    def __repr__(self) -> str:
        named = "".join(
            [f", {name}={value!r}" for name, value in self._given(("commit_ms", "sent_ms", "ddl_class")).items()]
        )
        return (
            f"Ddl(commit_ts={self.commit_ts!r}, schema={self.schema!r}, table={self.table!r}, "
            f"ddl_type={self.ddl_type!r}, query={self.query!r}{named})"
        )


class Watermark(Event):
    """Every event with a smaller commit ts has been sent.

    Attributes:
        commit_ts: TSO of the transaction: milliseconds since 1970 << 18, plus a counter. None when absent.
        commit_ms: The physical part of the commit ts, ms since 1970; only where the commit ts itself is not carried.
            None when absent.
        sent_ms: When the producer wrote the message, ms since 1970. None when absent.
    """

    def __init__(
        self,
        commit_ts: int | None,
        *,
        commit_ms: int | None = None,
        sent_ms: int | None = None,
    ) -> None:
        self.commit_ts = commit_ts
        self.commit_ms = commit_ms
        self.sent_ms = sent_ms

    @property
    def kind(self) -> str:
        """"watermark"."""
        return "watermark"


    def _own(self) -> tuple[object, ...]:
        return (self.commit_ts, self.commit_ms)

    def __reduce__(self) -> tuple[object, ...]:
        placed = (
            self.commit_ts,
        )
        return remade, (Watermark, placed, self._given(("commit_ms", "sent_ms")))

    def __repr__(self) -> str:
        named = "".join([f", {name}={value!r}" for name, value in self._given(("commit_ms", "sent_ms")).items()])
        return (
            f"Watermark(commit_ts={self.commit_ts!r}{named})"
        )


class Bootstrap(Event):
    """A table's columns, sent ahead of its rows.

    Attributes:
        commit_ts: TSO of the transaction: milliseconds since 1970 << 18, plus a counter. None when absent.
        sent_ms: When the producer wrote the message, ms since 1970. None when absent.
        schema: The database. None when absent.
        table: The table. None when absent.
        table_id: TiDB's id of the table. None when absent.
        columns: Name, type and flags of the columns, and their declared types where the protocol says them.
    """

    def __init__(
        self,
        commit_ts: int | None,
        schema: str | None,
        table: str | None,
        table_id: int | None = None,
        columns: Sequence[Column] = (),
        *,
        sent_ms: int | None = None,
    ) -> None:
        self.commit_ts = commit_ts
        self.sent_ms = sent_ms
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
        placed = (
            self.commit_ts,
            self.schema,
            self.table,
            self.table_id,
            tuple(self.columns),
        )
        return remade, (Bootstrap, placed, self._given(("sent_ms",)))

    def __repr__(self) -> str:
        named = "".join([f", {name}={value!r}" for name, value in self._given(("sent_ms",)).items()])
        return (
            f"Bootstrap(commit_ts={self.commit_ts!r}, schema={self.schema!r}, table={self.table!r}, "
            f"table_id={self.table_id!r}, "
            f"columns={self.columns!r}{named})"
        )


class Events:
    """A sequence of events over the columns that hold them; an event is made when it is asked for.

    Attributes:
        columns: the events as columns.
    """

    def __init__(self, columns: EventColumns) -> None:
        self.columns = columns
        self.source = columns.source(NAMES, STORAGE)
        self.rows = self.source.rows
        self.named = False
        for place in NAMED:
            if self.source.has_values(place):
                self.named = True
        self.tables = columns.tables
        self.row_sets: list[RowSet | None] = [None] * len(columns.layouts)

    @classmethod
    def of(cls, events: Iterable[Event]) -> Events:
        """Event objects as columns.

        Raises:
            EncodeError: an event lacks something, or has a value that its column's type cannot hold.
        """
        return events if isinstance(events, Events) else cls(BUILDER.build(events))

    @staticmethod
    def columns_of(events: Iterable[Event]) -> EventColumns:
        """The columns of events; those of event objects are made.

        Raises:
            EncodeError: as above.
        """
        return events.columns if isinstance(events, Events) else BUILDER.build(events)

    @property
    def errors(self) -> list[DecodeError]:
        """The messages that could not be decoded."""
        return self.columns.errors

    @property
    def tombstones(self) -> list[int]:
        """The messages, by number, that had no value (null): they have no events, and are no errors."""
        return self.columns.tombstones

    def __len__(self) -> int:
        return self.rows

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
        tombstones = f", {len(self.tombstones)} tombstones" if self.tombstones else ""
        return f"<{self.rows} events of {len(self.tables)} tables, {len(self.errors)} errors{tombstones}>"

    def image(self, layout: cython.Py_ssize_t, row: cython.Py_ssize_t) -> Any:
        """A row image; None for the layout -1."""
        if layout < 0 or row < 0:
            return None
        rows: RowSet | None = self.row_sets[layout]
        if rows is None:
            rows = self.row_set(layout)
        image: Row = Row.__new__(Row)
        image.rows = rows
        image.row = row
        return image

    def row_set(self, number: cython.Py_ssize_t) -> RowSet:
        """The row images of a layout, made when the first of them is asked for: there may be as many layouts as
        rows."""
        rows = RowSet(self.columns.layouts[number], storage)
        self.row_sets[number] = rows
        return rows

    def event(self, k: cython.Py_ssize_t) -> Event:
        """The event at a position that is known to be there."""
        kind: cython.longlong = self.source.int_at(KIND, k)
        place: cython.longlong
        schema, table = self.tables[self.source.int_at(TABLE, k)]
        if kind == INSERT or kind == UPDATE or kind == DELETE:
            row_event: RowChange = RowChange.__new__(RowChange)
            row_event.own_kind = KIND_NAMES[kind]
            row_event.commit_ts = self.source.value(COMMIT_TS, k)
            row_event.schema = schema
            row_event.table = table
            row_event.table_id = self.source.value(TABLE_ID, k)
            row_event.partition_id = self.source.value(PARTITION_ID, k)
            row_event.new = self.image(self.source.int_at(NEW_LAYOUT, k), self.source.int_at(NEW_ROW, k))
            row_event.old = self.image(self.source.int_at(OLD_LAYOUT, k), self.source.int_at(OLD_ROW, k))
            row_event.given_columns = ()
            row_event.commit_ms = self.source.value(COMMIT_MS, k) if self.named else None
            row_event.sent_ms = self.source.value(SENT_MS, k) if self.named else None
            row_event.row_id = self.source.value(ROW_ID, k) if self.named else None
            row_event.row_key = self.source.value(ROW_KEY, k) if self.named else None
            row_event.handle_key_only = self.truth(HANDLE_KEY_ONLY, k) if self.named else None
            row_event.claim_check = self.source.value(CLAIM_CHECK, k) if self.named else None
            return row_event
        elif kind == DDL:
            ddl_event: Ddl = Ddl.__new__(Ddl)
            ddl_event.commit_ts = self.source.value(COMMIT_TS, k)
            ddl_event.schema = schema
            ddl_event.table = table
            ddl_event.ddl_type = self.source.value(DDL_TYPE, k)
            ddl_event.query = self.source.value(QUERY, k)
            ddl_event.commit_ms = self.source.value(COMMIT_MS, k) if self.named else None
            ddl_event.sent_ms = self.source.value(SENT_MS, k) if self.named else None
            ddl_event.ddl_class = self.source.value(DDL_CLASS, k) if self.named else None
            return ddl_event
        elif kind == WATERMARK:
            watermark_event: Watermark = Watermark.__new__(Watermark)
            watermark_event.commit_ts = self.source.value(COMMIT_TS, k)
            watermark_event.commit_ms = self.source.value(COMMIT_MS, k) if self.named else None
            watermark_event.sent_ms = self.source.value(SENT_MS, k) if self.named else None
            return watermark_event
        elif kind == BOOTSTRAP:
            bootstrap_event: Bootstrap = Bootstrap.__new__(Bootstrap)
            bootstrap_event.commit_ts = self.source.value(COMMIT_TS, k)
            bootstrap_event.schema = schema
            bootstrap_event.table = table
            bootstrap_event.table_id = self.source.value(TABLE_ID, k)
            bootstrap_event.columns = self.layout_columns(self.source.int_at(NEW_LAYOUT, k))
            bootstrap_event.sent_ms = self.source.value(SENT_MS, k) if self.named else None
            return bootstrap_event
        raise ValueError(f"event {k} is of kind {kind}; the kinds are {KINDS}")

    def truth(self, c: cython.int, k: cython.Py_ssize_t) -> bool | None:
        """A truth value of an event; None when it does not say."""
        if self.source.null_at(c, k):
            return None
        return self.source.int_at(c, k) != 0

    def layout_columns(self, layout: cython.Py_ssize_t) -> tuple[Column, ...]:
        """The columns of a layout."""
        return () if layout < 0 else self.columns.layouts[layout].columns


Sequence.register(Events)
