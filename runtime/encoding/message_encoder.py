"""What the encoders of all protocols do: look at the events that they are given, and get their row images ready.

A printed encoder says what an event needs and writes it; the encoder of its container (`json.encoders`,
`binary.encoder`) says where messages begin and end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

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

_SHIFT = TSO_SHIFT
"""The same, a number of C where this is compiled."""
FAILURES = (ValueError, ArithmeticError, LookupError)
"""What values and names can make of an event that is written: an encoder gives away none of it but as `EncodeError`."""
_HAS_SCHEMA = 1
_HAS_TABLE = 2


class Carried(NamedTuple):
    """What the messages of a protocol carry of events, and by which names."""

    protocol: str
    """Its name, for errors."""
    names: Sequence[str]
    """The columns of events that messages say."""
    storages: Sequence[int]
    """What those hold."""
    flags: tuple[int, ...]
    """For each way to choose the columns of a row image, the flag that they have; 0: all are written."""
    values: Callable[[int, int], Any] | None
    """The value table: the codec of a type code with its flags; None where messages have no rows."""
    most_type: int = 255
    """The greatest type code that messages can say."""


class MessageEncoder:
    """Columns of events to messages.

    Attributes:
        events: the columns of events that the protocol carries, while they are written.
        named: for each table of a batch, whether it has a schema (bit 0) and a name (bit 1).
        nameless: whether one of them has not both.
        schemas, tables: for each table its schema and its name, as they are written.
        layouts, layout_rows: of the batch, and how many rows each has.
        ways: how many ways there are to choose the columns of a row image.
        images: the row images that have been made ready, for each layout in each way.
        now: when the batch is written, in milliseconds since 1970; 0: nobody has asked yet.
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
        self.now = 0

    @property
    def has_past(self) -> bool:
        """Whether what it writes depends on what it has written before: calls that have to say the same whatever others
        said do not share it then.
        """
        return False

    def encode(self, columns: EventColumns) -> pa.RecordBatch:
        """Events as messages, in their order: columns key, value (binary), first_event, events (int64).

        Raises:
            EncodeError: the protocol cannot carry an event.
        """
        return self.write(columns).batch()

    def write(self, columns: EventColumns) -> WrittenMessages:
        """The messages of `encode`, of which nothing has been made yet."""
        raise NotImplementedError

    # ---- what containers and protocols say

    def spell_tables(self, named: list[tuple[str, str]]) -> None:
        """Puts schemas and names of tables into `schemas` and `tables` as they are written."""
        raise NotImplementedError

    def describe(self, columns: Sequence[Column], chosen: list[int], codecs: list[Any]) -> Any:
        """What is written of row images with these columns whatever their values are; it is kept from batch to batch.

        Args:
            columns: of a layout; they have been checked.
            chosen: which of them are written, by position.
            codecs: how the values of each of the columns are written; None: its type has none.
        """
        raise NotImplementedError

    def made_ready(self, described: Any, layout: Layout) -> Any:
        """The row images of a layout, ready to be written.

        Args:
            described: what `describe` says of them.
            layout: the row images.

        Raises:
            EncodeError: values are not what their column's type stores.
        """
        raise NotImplementedError

    def check_event(self, event: cython.Py_ssize_t) -> cython.int:
        """Looks whether an event has what the protocol needs, and nothing that it cannot carry.

        Raises:
            EncodeError: it has not.
        """
        raise NotImplementedError

    # ---- the events

    def bind(self, columns: EventColumns) -> None:
        """Takes the events that are to be written."""
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
        self.layouts = columns.layouts
        self.layout_rows.take(0)
        for layout in columns.layouts:
            self.layout_rows.append(layout.num_rows)
        self.images = [None] * (self.ways * len(columns.layouts))

    def has_other_decimals(self, layout: Layout) -> cython.bint:
        """Whether a layout has a DECIMAL that is spelled otherwise; those of our decoders and builders have not."""
        if layout.is_own():
            return False
        pairs = zip(layout.columns, layout.arrays, strict=False)  # whether each has an array is looked at later
        types = [getattr(two, "type", None) if getattr(one, "type", None) == DECIMAL else None for one, two in pairs]
        held = [STORAGE_OF_ARROW.get(one, -1) for one in types]
        decimals = [k for k in range(len(held)) if held[k] in (TEXT, RAW_TEXT, BYTES)]
        return bool(decimals) and reads_other(layout.source(decimals, [held[k] for k in decimals]))

    def bind_tables(self, named: list[tuple[str, str]]) -> None:
        """Takes the tables of the events."""
        self.table_names = None  # should a name be refused, the next batch starts anew
        self.schemas = []
        self.tables = []
        self.nameless = not all(schema and table for schema, table in named)
        self.named.take(0)
        for schema, table in named:
            self.named.append((_HAS_SCHEMA if schema else 0) | (_HAS_TABLE if table else 0))
        self.spell_tables(named)
        self.table_names = named

    def table_at(self, event: cython.Py_ssize_t, column: cython.int) -> cython.longlong:
        """The number of an event's table, which is one of those that the batch has.

        Args:
            event: which one.
            column: that with the number.
        """
        table: cython.longlong = self.events.int_at(column, event)
        if table < 0 or table >= self.named.size:
            self.refuse(f"its table is number {table}, but there are {self.named.size}")
        return table

    def has_schema(self, table: cython.Py_ssize_t) -> cython.bint:
        """Whether a table has a schema."""
        return self.named.i64[table] & _HAS_SCHEMA != 0

    def has_table(self, table: cython.Py_ssize_t) -> cython.bint:
        """Whether it has a name."""
        return self.named.i64[table] & _HAS_TABLE != 0

    def check_image(self, layout: cython.longlong, row: cython.longlong) -> cython.int:
        """Looks whether a row image is one of those that the batch has.

        Args:
            layout: the number of its layout.
            row: which row of the layout it is.
        """
        if layout >= self.layout_rows.size:
            self.refuse(f"its row image has the layout number {layout}, but there are {self.layout_rows.size}")
        if row < 0 or row >= self.layout_rows.i64[layout]:
            self.refuse(f"its row image is row {row} of {self.layout_rows.i64[layout]}")
        return 0

    def check_class(
        self, event: cython.Py_ssize_t, column: cython.int, name: str, classes: Sequence[str]
    ) -> cython.int:
        """Looks whether the class of a statement is a known one.

        Args:
            event: which one.
            column: that with the class.
            name: of the column.
            classes: those that there are.
        """
        found = self.events.text(column, event)
        if found not in classes:
            self.refuse(f"{name} is one of {', '.join(classes)}, not {shown(found)}")
        return 0

    def check_all_or_none(self, event: cython.Py_ssize_t, columns: Sequence[int]) -> cython.int:
        """Looks whether an event has something in all of these columns, or in none.

        Args:
            event: which one.
            columns: of events, by number.
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

    def prepare(self, layout: cython.Py_ssize_t, way: cython.int) -> Any:
        """The row images of a layout, made ready to be written.

        Args:
            layout: its number.
            way: which columns are written: a position in `flags`.
        """
        position: cython.Py_ssize_t = self.ways * layout + way
        found = self.images[position]
        if found is None:
            found = self.bind_layout(self.layouts[layout], way)
            self.images[position] = found
        return found

    def bind_layout(self, layout: Layout, way: int) -> Any:
        """The row images of a layout, made ready to be written."""
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
        """Raises the error of the event that is looked at, which who looks knows."""
        raise EncodeError(self.protocol, None, None, reason)

    def failed(self, event: int, error: Exception) -> NoReturn:
        """Raises the error of an event, whatever went wrong with it.

        Args:
            event: that was looked at or written.
            error: one of `FAILURES`.
        """
        if isinstance(error, EncodeError):
            found = event if error.event is None else error.event
            raise EncodeError(self.protocol, found, error.column, error.reason) from None
        reason = f"it cannot be written ({type(error).__name__}): {shortened(str(error))}"
        raise EncodeError(self.protocol, event, None, reason) from error

    # ---- times

    def physical_ms(self, event: cython.Py_ssize_t, commit_ts: cython.int, commit_ms: cython.int) -> cython.longlong:
        """The physical part of the commit ts, or what is said instead of it; 0 without either.

        Args:
            event: which one.
            commit_ts: the column with the commit ts (a TSO).
            commit_ms: the column with its physical part.
        """
        if self.events.null_at(commit_ts, event):
            return 0 if self.events.null_at(commit_ms, event) else self.events.int_at(commit_ms, event)
        return self.events.uint_at(commit_ts, event) >> _SHIFT

    def sending_ms(self, event: cython.Py_ssize_t, column: cython.int) -> cython.longlong:
        """When the message was sent, in milliseconds since 1970: now, unless the event says.

        Args:
            event: which one.
            column: that says when it was.
        """
        if not self.events.null_at(column, event):
            return self.events.int_at(column, event)
        if self.now == 0:
            self.now = time.time_ns() // 1000000
        return self.now
