"""Base class of the encoders of all protocols: checks the given events, and prepares their row images.

A generated encoder states what an event needs and writes it; the encoder of its container (`json.encoders`,
`binary.encoder`) splits events into messages.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import pyarrow as pa

from tidewire.runtime import cython
from tidewire.runtime.arrow.decimal_texts import DECIMAL, reads_other
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.arrow.storage import BYTES, RAW_TEXT, TEXT
from tidewire.runtime.batch import Column, EventColumns
from tidewire.runtime.batch.columns_cache import ColumnsCache
from tidewire.runtime.batch.decimals import with_spelled_decimals
from tidewire.runtime.batch.layout import STORAGE_OF_ARROW, Layout
from tidewire.runtime.encoding.checks import check_columns, event_source, table_names
from tidewire.runtime.encoding.written_messages import WrittenMessages
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.shortened import shortened, shown
from tidewire.runtime.tso import TSO_SHIFT

if TYPE_CHECKING:
    from tidewire.runtime.tables.described_parts import DescriptionWriter
    from tidewire.runtime.tables.description import DescribedTable

_SHIFT = TSO_SHIFT
"""The imported constant as a C number in compiled code."""
FAILURES = (ValueError, ArithmeticError, LookupError)
"""Exceptions that invalid values and names can cause; an encoder converts all of them to `EncodeError`."""
_HAS_SCHEMA = 1
_HAS_TABLE = 2


class Carried(NamedTuple):
    """What the messages of a protocol can carry of events, and the names of columns."""

    protocol: str
    """Name of the protocol, for errors."""
    names: Sequence[str]
    """Columns of events that messages carry."""
    storages: Sequence[int]
    """Storages of these columns."""
    flags: tuple[int, ...]
    """For each way of choosing the columns of a row image, the flag that the columns have; 0: all are written."""
    values: Callable[[int, int], Any] | None
    """The codec by type code and flags; None: messages have no rows."""
    most_type: int = 255
    """The greatest type code that messages can carry."""


class MessageEncoder:
    """Encodes columns of events as messages.

    Attributes:
        events: the columns of events being written.
        named: for each table of a batch, whether it has a schema (bit 0) and a name (bit 1).
        nameless: whether any table lacks a schema or a name.
        schemas, tables: for each table, its encoded schema and name.
        layouts, layout_rows: layouts of the batch, and the number of rows of each.
        ways: number of ways of choosing the columns of a row image.
        images: prepared row images, for each layout and way.
        descriptions: table descriptions of the batch.
        description_writer: writes descriptions; None: messages have none.
        now: time at which the batch is written, in milliseconds since 1970; 0: not determined yet.
    """

    def __init__(self, carried: Carried) -> None:
        self.protocol, self.names, self.storages, self.flags, self.values, self.most_type = carried
        self.ways = len(self.flags)
        self.known = [ColumnsCache() for _ in self.flags]
        self.table_names: list[tuple[str, str]] | None = None
        self.named = Numbers()
        self.nameless = False
        self.schemas: list[bytes] = []
        self.tables: list[bytes] = []
        self.layouts: Sequence[Layout] = ()
        self.layout_rows = Numbers()
        self.images: list[Any] = []
        self.descriptions: Sequence[DescribedTable] = ()
        self.description_writer: DescriptionWriter | None = None
        self.now = 0

    @property
    def has_past(self) -> bool:
        """Whether its output depends on what it has written before, so that calls that must be independent cannot share
        it.
        """
        return False

    def encode(self, columns: EventColumns) -> pa.RecordBatch:
        """Events as messages, in order: columns key, value (binary), first_event, events (int64).

        Raises:
            EncodeError: the protocol cannot carry an event.
        """
        return self.write(columns).batch()

    def write(self, columns: EventColumns) -> WrittenMessages:
        """The messages of `encode`, before they are converted to Arrow."""
        raise NotImplementedError

    # ---- implemented by containers and protocols

    def spell_tables(self, named: list[tuple[str, str]]) -> None:
        """Puts the encoded names of tables into `schemas` and `tables`."""
        raise NotImplementedError

    def describe(self, columns: Sequence[Column], chosen: list[int], codecs: list[Any]) -> Any:
        """The constant parts of row images with these columns; cached from batch to batch.

        Args:
            columns: columns of a layout, already checked.
            chosen: positions of those that are written.
            codecs: codec of each column; None: its type has none.
        """
        raise NotImplementedError

    def made_ready(self, described: Any, layout: Layout) -> Any:
        """The row images of a layout, prepared for writing.

        Args:
            described: result of `describe`.
            layout: the row images.

        Raises:
            EncodeError: a column's storage does not match its type.
        """
        raise NotImplementedError

    def check_event(self, event: cython.Py_ssize_t) -> cython.int:
        """Checks that an event has what the protocol needs, and nothing that it cannot carry.

        Raises:
            EncodeError: it does not.
        """
        raise NotImplementedError

    # ---- events

    def bind(self, columns: EventColumns) -> None:
        """Sets the events that are to be written."""
        layout: Layout
        others: cython.bint = False
        for layout in columns.layouts:
            others = others or self.has_other_decimals(layout)
        if others:
            columns, wrong = with_spelled_decimals(columns)
            if wrong:
                raise EncodeError(self.protocol, wrong[0].event, wrong[0].column, wrong[0].detail)
        self.events = event_source(self.protocol, columns, self.names, self.storages)
        self.now = 0
        named = table_names(self.protocol, columns)
        if named != self.table_names:
            self.bind_tables(named)
        self.descriptions = columns.descriptions
        self.layouts = columns.layouts
        self.layout_rows.take(0)
        for layout in columns.layouts:
            self.layout_rows.append(layout.num_rows)
        self.images = [None] * (self.ways * len(columns.layouts))

    def has_other_decimals(self, layout: Layout) -> cython.bint:
        """Whether a layout has a DECIMAL in non-canonical spelling; those of our own decoders and builders never have.
        """
        if layout.is_own():
            return False
        pairs = zip(layout.columns, layout.arrays, strict=False)  # whether each column has an array is checked later
        types = [getattr(two, "type", None) if getattr(one, "type", None) == DECIMAL else None for one, two in pairs]
        held = [STORAGE_OF_ARROW.get(one, -1) for one in types]
        decimals = [k for k in range(len(held)) if held[k] in (TEXT, RAW_TEXT, BYTES)]
        return bool(decimals) and reads_other(layout.source(decimals, [held[k] for k in decimals]))

    def bind_tables(self, named: list[tuple[str, str]]) -> None:
        """Sets the tables of the events."""
        self.table_names = None  # if a name is refused, the next batch starts over
        self.schemas = []
        self.tables = []
        self.nameless = not all(schema and table for schema, table in named)
        self.named.take(0)
        for schema, table in named:
            self.named.append((_HAS_SCHEMA if schema else 0) | (_HAS_TABLE if table else 0))
        self.spell_tables(named)
        self.table_names = named

    def table_at(self, event: cython.Py_ssize_t, column: cython.int) -> cython.longlong:
        """The number of an event's table; checks that the batch has it.

        Args:
            event: row of the event.
            column: column with the table's number.
        """
        table: cython.longlong = self.events.int_at(column, event)
        if table < 0 or table >= self.named.size:
            self.refuse(f"its table is number {table}, but there are {self.named.size}")
        return table

    def has_schema(self, table: cython.Py_ssize_t) -> cython.bint:
        """Whether the table has a schema."""
        return self.named.i64[table] & _HAS_SCHEMA != 0

    def has_table(self, table: cython.Py_ssize_t) -> cython.bint:
        """Whether the table has a name."""
        return self.named.i64[table] & _HAS_TABLE != 0

    def check_image(self, layout: cython.longlong, row: cython.longlong) -> cython.int:
        """Checks that the batch has this row image.

        Args:
            layout: number of its layout.
            row: its row in the layout.
        """
        if layout >= self.layout_rows.size:
            self.refuse(f"its row image has the layout number {layout}, but there are {self.layout_rows.size}")
        if row < 0 or row >= self.layout_rows.i64[layout]:
            self.refuse(f"its row image is row {row} of {self.layout_rows.i64[layout]}")
        return 0

    def check_class(
        self, event: cython.Py_ssize_t, column: cython.int, name: str, classes: Sequence[str]
    ) -> cython.int:
        """Checks that the class of a statement is a known one.

        Args:
            event: row of the event.
            column: column with the class.
            name: name of the column.
            classes: known classes.
        """
        found = self.events.text(column, event)
        if found not in classes:
            self.refuse(f"{name} is one of {', '.join(classes)}, not {shown(found)}")
        return 0

    def check_all_or_none(self, event: cython.Py_ssize_t, columns: Sequence[int]) -> cython.int:
        """Checks that an event has values in all of these columns, or in none.

        Args:
            event: row of the event.
            columns: numbers of the columns of events.
        """
        column: cython.int
        k: cython.Py_ssize_t
        missing: cython.Py_ssize_t = 0
        for k in range(len(columns)):
            column = columns[k]
            missing += self.events.null_at(column, event)
        if missing and missing < len(columns):
            lacks = ", ".join([self.names[column] for column in columns if self.events.null_at(column, event)])
            said = ", ".join([self.names[column] for column in columns])
            self.refuse(f"it has no {lacks}: an event has all of {said}, or none")
        return 0

    def described(self, event: cython.Py_ssize_t, column: cython.int) -> bytes:
        """The description of an event's table, as the message has it.

        Args:
            event: row of the event.
            column: column of events with the description's position.
        """
        position: cython.longlong = self.events.int_at(column, event)
        if position < 0 or position >= len(self.descriptions):
            self.refuse(f"its description of a table is number {position}, but there are {len(self.descriptions)}")
        writer = self.description_writer
        assert writer is not None, "a protocol whose messages describe tables has a writer"
        return writer.write(self.descriptions[position])

    def prepare(self, layout: cython.Py_ssize_t, way: cython.int) -> Any:
        """The row images of a layout, prepared for writing.

        Args:
            layout: number of the layout.
            way: which columns are written: an index in `flags`.
        """
        position: cython.Py_ssize_t = self.ways * layout + way
        found = self.images[position]
        if found is None:
            found = self.bind_layout(self.layouts[layout], way)
            self.images[position] = found
        return found

    def bind_layout(self, layout: Layout, way: int) -> Any:
        """`prepare` without the cache."""
        columns = layout.columns
        described = self.known[way].find(columns)
        if described is None:
            check_columns(self.protocol, columns, self.most_type)
            values = self.values
            assert values is not None, "a protocol with row images has a value table"
            flag = self.flags[way]
            chosen = [k for k, column in enumerate(columns) if not flag or column.flags & flag]
            described = self.describe(columns, chosen, [values(column.type, column.flags) for column in columns])
            self.known[way].remember(columns, described)
        return self.made_ready(described, layout)

    def refuse(self, reason: str) -> None:
        """Raises the error of the current event; the caller adds its number."""
        raise EncodeError(self.protocol, None, None, reason)

    def failed(self, event: int, error: Exception) -> NoReturn:
        """Raises the error of an event for any failure.

        Args:
            event: number of the event.
            error: one of `FAILURES`.
        """
        if isinstance(error, EncodeError):
            found = event if error.event is None else error.event
            raise EncodeError(self.protocol, found, error.column, error.reason) from None
        reason = f"it cannot be written ({type(error).__name__}): {shortened(str(error))}"
        raise EncodeError(self.protocol, event, None, reason) from error

    # ---- times

    def physical_ms(self, event: cython.Py_ssize_t, commit_ts: cython.int, commit_ms: cython.int) -> cython.longlong:
        """The physical part of the commit ts; else the given commit time; else 0.

        Args:
            event: row of the event.
            commit_ts: column with the commit ts (a TSO).
            commit_ms: column with its physical part.
        """
        if self.events.null_at(commit_ts, event):
            return 0 if self.events.null_at(commit_ms, event) else self.events.int_at(commit_ms, event)
        return self.events.uint_at(commit_ts, event) >> _SHIFT

    def sending_ms(self, event: cython.Py_ssize_t, column: cython.int) -> cython.longlong:
        """The time at which the message was sent, in milliseconds since 1970: from the event, else now.

        Args:
            event: row of the event.
            column: column with the time.
        """
        if not self.events.null_at(column, event):
            return self.events.int_at(column, event)
        if self.now == 0:
            self.now = time.time_ns() // 1000000
        return self.now
