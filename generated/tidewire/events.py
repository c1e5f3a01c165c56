"""Row changes, DDL statements, watermarks and bootstraps of a TiDB cluster, whatever protocol carried them.

Kinds of events:
    insert (1): A row that was inserted.
    update (2): A row that was updated.
    delete (3): A row that was deleted.
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

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import pyarrow as pa

from tidewire.mysql import storage
from tidewire.runtime import require_api
from tidewire.runtime.batch import Column
from tidewire.runtime.batch.building import EventBuilder
from tidewire.runtime.batch.event_objects import (
    EventObject,
    EventView,
    Given,
    columns_of_rows,
    described_columns,
    lacks_of_rows,
)
from tidewire.runtime.tables import DescribedTable
from tidewire.runtime import cython
from tidewire.names import (
    INSERT, UPDATE, DELETE, DDL, WATERMARK, BOOTSTRAP, KIND, COMMIT_TS, COMMIT_MS, SENT_MS, TABLE, TABLE_ID,
    PARTITION_ID, START_TS, ROW_ID, ROW_KEY, HANDLE_KEY_ONLY, CLAIM_CHECK, DDL_TYPE, DDL_CLASS, QUERY, TABLE_VERSION,
    TABLE_AFTER, TABLE_BEFORE, TYPES_FROM, TIME_ZONE, CHECKSUM, CHECKSUM_BEFORE, CHECKSUM_VERSION, CHECKSUM_CORRUPTED,
    NEW_LAYOUT, NEW_ROW, OLD_LAYOUT, OLD_ROW
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
    "table_after": "table_after",
    "table_before": "table_before",
    "time_zone": "time_zone",
    "checksum": "checksum",
    "checksum_before": "checksum_before",
    "checksum_version": "checksum_version",
    "checksum_corrupted": "checksum_corrupted",
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
    ("start_ts", "uint64"),
    ("row_id", "int64"),
    ("row_key", "bytes"),
    ("handle_key_only", "bool"),
    ("claim_check", "text"),
    ("ddl_type", "int64"),
    ("ddl_class", "text"),
    ("query", "text"),
    ("table_version", "uint64"),
    ("table_after", "description"),
    ("table_before", "description"),
    ("types_from", "text"),
    ("time_zone", "text"),
    ("checksum", "uint64"),
    ("checksum_before", "uint64"),
    ("checksum_version", "int64"),
    ("checksum_corrupted", "bool"),
    ("new_layout", "int64"),
    ("new_row", "int64"),
    ("old_layout", "int64"),
    ("old_row", "int64"),
)
"""The columns of `EventColumns.events`: name and type; bool is kept as the numbers 0 and 1, a description as its
index."""

BUILDER = EventBuilder(
    FIELDS,
    KINDS,
    storage,
    rare=(
        COMMIT_MS, SENT_MS, START_TS, ROW_ID, ROW_KEY, HANDLE_KEY_ONLY, CLAIM_CHECK, DDL_CLASS, TABLE_VERSION,
        TABLE_AFTER, TABLE_BEFORE, TYPES_FROM, TIME_ZONE, CHECKSUM, CHECKSUM_BEFORE, CHECKSUM_VERSION,
        CHECKSUM_CORRUPTED
    ),
)
"""Makes columns of event objects. It keeps nothing of a batch."""

EVENT_SCHEMA: pa.Schema = BUILDER.schema
"""The columns of `EventColumns.events` as Arrow has them."""


class Event(EventObject):
    """What every event has."""

    TIMES = ("commit_ts", "commit_ms")
    POSITIONAL: ClassVar[tuple[str, ...]] = ("commit_ts",)
    IDENTITY: ClassVar[tuple[str, ...]] = ("commit_ts",)

    def __init__(self, commit_ts: Given[int]) -> None:
        self.commit_ts = commit_ts


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
        start_ts: TSO at which the transaction began. None when absent.
        row_id: The row's integer handle: TiDB's _tidb_rowid, or its integer primary key. None when absent.
        row_key: TiKV's key of the row. None when absent.
        handle_key_only: The row has its handle key columns only, because the whole was too large for a message. None
            when absent.
        claim_check: Where the whole message is stored, when this one only points to it. None when absent.
        table_version: The version of the table whose description the row is decoded with. None when absent.
        types_from: Where the types of the row's columns come from, unless its message has TiDB's own names of them:
            described, a description of the table; propagated, the source database's types, which Debezium's
            connector repeats in its messages; connect, the types of Kafka Connect, or record, those of the Avro
            schema, which are less precise. None when absent.
        time_zone: The time zone of the row's TIMESTAMP values, where the message says it. None when absent.
        checksum: TiDB's checksum of the new row image; 0 when there is none of that image. None when absent.
        checksum_before: The same of the old row image. None when absent.
        checksum_version: The version of the algorithm of the checksums. None when absent.
        checksum_corrupted: The producer found another checksum than the one that TiDB wrote with the row. None when
            absent.
        new: The new row image, a mapping of column names to values; None when there is none.
        old: The old row image, a mapping of column names to values; None when there is none.
        columns: Name, type and flags of the columns, and their declared types where the protocol says them.
    """

    POSITIONAL = ("kind", "commit_ts", "schema", "table", "new", "old", "table_id", "partition_id", "columns")
    NAMED = (
        "commit_ms", "sent_ms", "start_ts", "row_id", "row_key", "handle_key_only", "claim_check", "table_version",
        "types_from", "time_zone", "checksum", "checksum_before", "checksum_version", "checksum_corrupted"
    )
    IMAGES = ("new", "old")
    IDENTITY = (
        "kind", "commit_ts", "commit_ms", "schema", "table", "table_id", "partition_id", "start_ts", "row_id",
        "row_key", "handle_key_only", "claim_check", "table_version", "time_zone", "new", "old"
    )

    def __init__(
        self,
        kind: str,
        commit_ts: Given[int],
        schema: Given[str],
        table: Given[str],
        new: Mapping[str, Any] | None = None,
        old: Mapping[str, Any] | None = None,
        table_id: Given[int] = None,
        partition_id: Given[int] = None,
        columns: Sequence[Column] = (),
        *,
        commit_ms: Given[int] = None,
        sent_ms: Given[int] = None,
        start_ts: Given[int] = None,
        row_id: Given[int] = None,
        row_key: Given[bytes] = None,
        handle_key_only: Given[bool] = None,
        claim_check: Given[str] = None,
        table_version: Given[int] = None,
        types_from: Given[str] = None,
        time_zone: Given[str] = None,
        checksum: Given[int] = None,
        checksum_before: Given[int] = None,
        checksum_version: Given[int] = None,
        checksum_corrupted: Given[bool] = None,
    ) -> None:
        self.own_kind = kind
        self.commit_ts = commit_ts
        self.commit_ms = commit_ms
        self.sent_ms = sent_ms
        self.schema = schema
        self.table = table
        self.table_id = table_id
        self.partition_id = partition_id
        self.start_ts = start_ts
        self.row_id = row_id
        self.row_key = row_key
        self.handle_key_only = handle_key_only
        self.claim_check = claim_check
        self.table_version = table_version
        self.types_from = types_from
        self.time_zone = time_zone
        self.checksum = checksum
        self.checksum_before = checksum_before
        self.checksum_version = checksum_version
        self.checksum_corrupted = checksum_corrupted
        self.new = new
        self.old = old
        self.given_columns = self.listed(columns)

    def said_by_name(self) -> int:
        """A bit for each attribute of `NAMED` that the event has."""
        said: cython.ulonglong = self.commit_ms is not None
        said |= cython.cast(cython.ulonglong, self.sent_ms is not None) << 1
        said |= cython.cast(cython.ulonglong, self.start_ts is not None) << 2
        said |= cython.cast(cython.ulonglong, self.row_id is not None) << 3
        said |= cython.cast(cython.ulonglong, self.row_key is not None) << 4
        said |= cython.cast(cython.ulonglong, self.handle_key_only is not None) << 5
        said |= cython.cast(cython.ulonglong, self.claim_check is not None) << 6
        said |= cython.cast(cython.ulonglong, self.table_version is not None) << 7
        said |= cython.cast(cython.ulonglong, self.types_from is not None) << 8
        said |= cython.cast(cython.ulonglong, self.time_zone is not None) << 9
        said |= cython.cast(cython.ulonglong, self.checksum is not None) << 10
        said |= cython.cast(cython.ulonglong, self.checksum_before is not None) << 11
        said |= cython.cast(cython.ulonglong, self.checksum_version is not None) << 12
        said |= cython.cast(cython.ulonglong, self.checksum_corrupted is not None) << 13
        return said

    @property
    def kind(self) -> str:
        """insert, update, delete: what happened."""
        return self.own_kind

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the row: those given, else those of its new image, else of the other one."""
        return columns_of_rows(self.given_columns, (self.new, self.old))

    @property
    def lacks(self) -> tuple[str, ...]:
        """Columns that its table is known to have and the change has not, at most eight of them: with any it is a part
        of a row, of which nothing else is known.
        """
        return lacks_of_rows((self.new, self.old))


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
        table_after: The table as it is from then on. None when absent.
        table_before: The table as it was before the statement. None when absent.
    """

    KIND = "ddl"
    POSITIONAL = ("commit_ts", "schema", "table", "ddl_type", "query")
    NAMED = ("commit_ms", "sent_ms", "ddl_class", "table_after", "table_before")
    IDENTITY = (
        "commit_ts", "commit_ms", "schema", "table", "ddl_type", "ddl_class", "query", "table_after", "table_before"
    )

    def __init__(
        self,
        commit_ts: Given[int],
        schema: Given[str],
        table: Given[str],
        ddl_type: Given[int],
        query: Given[str],
        *,
        commit_ms: Given[int] = None,
        sent_ms: Given[int] = None,
        ddl_class: Given[str] = None,
        table_after: Given[DescribedTable] = None,
        table_before: Given[DescribedTable] = None,
    ) -> None:
        self.commit_ts = commit_ts
        self.commit_ms = commit_ms
        self.sent_ms = sent_ms
        self.schema = schema
        self.table = table
        self.ddl_type = ddl_type
        self.ddl_class = ddl_class
        self.query = query
        self.table_after = table_after
        self.table_before = table_before

    def said_by_name(self) -> int:
        """A bit for each attribute of `NAMED` that the event has."""
        said: cython.ulonglong = self.commit_ms is not None
        said |= cython.cast(cython.ulonglong, self.sent_ms is not None) << 1
        said |= cython.cast(cython.ulonglong, self.ddl_class is not None) << 2
        said |= cython.cast(cython.ulonglong, self.table_after is not None) << 3
        said |= cython.cast(cython.ulonglong, self.table_before is not None) << 4
        return said


class Watermark(Event):
    """Every event with a smaller commit ts has been sent.

    Attributes:
        commit_ts: TSO of the transaction: milliseconds since 1970 << 18, plus a counter. None when absent.
        commit_ms: The physical part of the commit ts, ms since 1970; only where the commit ts itself is not carried.
            None when absent.
        sent_ms: When the producer wrote the message, ms since 1970. None when absent.
    """

    KIND = "watermark"
    POSITIONAL = ("commit_ts",)
    NAMED = ("commit_ms", "sent_ms")
    IDENTITY = ("commit_ts", "commit_ms")

    def __init__(
        self,
        commit_ts: Given[int],
        *,
        commit_ms: Given[int] = None,
        sent_ms: Given[int] = None,
    ) -> None:
        self.commit_ts = commit_ts
        self.commit_ms = commit_ms
        self.sent_ms = sent_ms

    def said_by_name(self) -> int:
        """A bit for each attribute of `NAMED` that the event has."""
        said: cython.ulonglong = self.commit_ms is not None
        said |= cython.cast(cython.ulonglong, self.sent_ms is not None) << 1
        return said


class Bootstrap(Event):
    """A table's columns, sent ahead of its rows.

    Attributes:
        commit_ts: TSO of the transaction: milliseconds since 1970 << 18, plus a counter. None when absent.
        sent_ms: When the producer wrote the message, ms since 1970. None when absent.
        schema: The database. None when absent.
        table: The table. None when absent.
        table_id: TiDB's id of the table. None when absent.
        table_after: The table as it is from then on. None when absent.
        columns: Name, type and flags of the columns, and their declared types where the protocol says them.
    """

    KIND = "bootstrap"
    POSITIONAL = ("commit_ts", "schema", "table", "table_id", "columns")
    NAMED = ("sent_ms", "table_after")
    IDENTITY = ("commit_ts", "schema", "table", "table_id", "table_after", "columns")

    def __init__(
        self,
        commit_ts: Given[int],
        schema: Given[str],
        table: Given[str],
        table_id: Given[int] = None,
        columns: Sequence[Column] = (),
        *,
        sent_ms: Given[int] = None,
        table_after: Given[DescribedTable] = None,
    ) -> None:
        self.commit_ts = commit_ts
        self.sent_ms = sent_ms
        self.schema = schema
        self.table = table
        self.table_id = table_id
        self.table_after = table_after
        self.columns = described_columns(self.listed(columns), table_after)

    def said_by_name(self) -> int:
        """A bit for each attribute of `NAMED` that the event has."""
        said: cython.ulonglong = self.sent_ms is not None
        said |= cython.cast(cython.ulonglong, self.table_after is not None) << 1
        return said


class Events(EventView):
    """A sequence of events over the columns that hold them; an event is made when it is asked for.

    Attributes:
        columns: the events as columns.
    """

    BUILDER = BUILDER

    def __iter__(self) -> Iterator[Event]:
        k: cython.Py_ssize_t
        for k in range(self.rows):
            yield self.event(k)

    def event(self, k: cython.Py_ssize_t) -> Event:
        """The event at a position that is known to be there."""
        kind: cython.longlong = self.source.int_at(KIND, k)
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
            if self.rare:
                row_event.commit_ms = self.source.value(COMMIT_MS, k) if self.said(COMMIT_MS) else None
                row_event.sent_ms = self.source.value(SENT_MS, k) if self.said(SENT_MS) else None
                row_event.start_ts = self.source.value(START_TS, k) if self.said(START_TS) else None
                row_event.row_id = self.source.value(ROW_ID, k) if self.said(ROW_ID) else None
                row_event.row_key = self.source.value(ROW_KEY, k) if self.said(ROW_KEY) else None
                row_event.handle_key_only = self.truth(HANDLE_KEY_ONLY, k) if self.said(HANDLE_KEY_ONLY) else None
                row_event.claim_check = self.source.value(CLAIM_CHECK, k) if self.said(CLAIM_CHECK) else None
                row_event.table_version = self.source.value(TABLE_VERSION, k) if self.said(TABLE_VERSION) else None
                row_event.types_from = self.source.value(TYPES_FROM, k) if self.said(TYPES_FROM) else None
                row_event.time_zone = self.source.value(TIME_ZONE, k) if self.said(TIME_ZONE) else None
                row_event.checksum = self.source.value(CHECKSUM, k) if self.said(CHECKSUM) else None
                row_event.checksum_before = self.source.value(
                    CHECKSUM_BEFORE, k
                ) if self.said(CHECKSUM_BEFORE) else None
                row_event.checksum_version = self.source.value(
                    CHECKSUM_VERSION, k
                ) if self.said(CHECKSUM_VERSION) else None
                row_event.checksum_corrupted = self.truth(
                    CHECKSUM_CORRUPTED, k
                ) if self.said(CHECKSUM_CORRUPTED) else None
            elif not cython.compiled:  # there attributes begin as None
                row_event.commit_ms = None
                row_event.sent_ms = None
                row_event.start_ts = None
                row_event.row_id = None
                row_event.row_key = None
                row_event.handle_key_only = None
                row_event.claim_check = None
                row_event.table_version = None
                row_event.types_from = None
                row_event.time_zone = None
                row_event.checksum = None
                row_event.checksum_before = None
                row_event.checksum_version = None
                row_event.checksum_corrupted = None
            return row_event
        elif kind == DDL:
            ddl_event: Ddl = Ddl.__new__(Ddl)
            ddl_event.commit_ts = self.source.value(COMMIT_TS, k)
            ddl_event.schema = schema
            ddl_event.table = table
            ddl_event.ddl_type = self.source.value(DDL_TYPE, k)
            ddl_event.query = self.source.value(QUERY, k)
            if self.rare:
                ddl_event.commit_ms = self.source.value(COMMIT_MS, k) if self.said(COMMIT_MS) else None
                ddl_event.sent_ms = self.source.value(SENT_MS, k) if self.said(SENT_MS) else None
                ddl_event.ddl_class = self.source.value(DDL_CLASS, k) if self.said(DDL_CLASS) else None
                ddl_event.table_after = self.description(TABLE_AFTER, k) if self.said(TABLE_AFTER) else None
                ddl_event.table_before = self.description(TABLE_BEFORE, k) if self.said(TABLE_BEFORE) else None
            elif not cython.compiled:  # there attributes begin as None
                ddl_event.commit_ms = None
                ddl_event.sent_ms = None
                ddl_event.ddl_class = None
                ddl_event.table_after = None
                ddl_event.table_before = None
            return ddl_event
        elif kind == WATERMARK:
            watermark_event: Watermark = Watermark.__new__(Watermark)
            watermark_event.commit_ts = self.source.value(COMMIT_TS, k)
            if self.rare:
                watermark_event.commit_ms = self.source.value(COMMIT_MS, k) if self.said(COMMIT_MS) else None
                watermark_event.sent_ms = self.source.value(SENT_MS, k) if self.said(SENT_MS) else None
            elif not cython.compiled:  # there attributes begin as None
                watermark_event.commit_ms = None
                watermark_event.sent_ms = None
            return watermark_event
        elif kind == BOOTSTRAP:
            bootstrap_event: Bootstrap = Bootstrap.__new__(Bootstrap)
            bootstrap_event.commit_ts = self.source.value(COMMIT_TS, k)
            bootstrap_event.schema = schema
            bootstrap_event.table = table
            bootstrap_event.table_id = self.source.value(TABLE_ID, k)
            bootstrap_event.columns = self.layout_columns(self.source.int_at(NEW_LAYOUT, k))
            if self.rare:
                bootstrap_event.sent_ms = self.source.value(SENT_MS, k) if self.said(SENT_MS) else None
                bootstrap_event.table_after = self.description(TABLE_AFTER, k) if self.said(TABLE_AFTER) else None
            elif not cython.compiled:  # there attributes begin as None
                bootstrap_event.sent_ms = None
                bootstrap_event.table_after = None
            bootstrap_event.columns = described_columns(bootstrap_event.columns, bootstrap_event.table_after)
            return bootstrap_event
        raise ValueError(f"event {k} is of kind {kind}; the kinds are {KINDS}")
