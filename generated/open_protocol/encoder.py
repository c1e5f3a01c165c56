"""Encoder of TiCDC Open Protocol.

Kafka key and value are two runs of JSON objects, each behind its length. Object i of both is event i: the key
says what happened, when and to which table, the value holds the row, every column with its type and flags, or
the statement.

Follow an event through `write_event`: a function for its class writes the object of the key, one for its kind that of
the value. What is the same in every such object stands there as it is sent.
"""
# Generated from spec/open-protocol.yaml by "make generate". Do not edit.

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from tidewire.events import KIND_NAMES
from tidewire.open_protocol.decoder import column_values
from tidewire.open_protocol.names import EVENT_COLUMNS, EVENT_STORAGE
from tidewire.runtime import require_api
from tidewire.runtime.batch import Column, EventColumns, Layout
from tidewire.runtime.batch.columns_cache import ColumnsCache
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.encoding.checks import check_columns, event_source, table_names
from tidewire.runtime.json.column_object_texts import ColumnObjectTexts
from tidewire.runtime.json.sink import JsonSink, Spelling
from tidewire.runtime.json.spelled import text_json
from tidewire.runtime.json.written import WrittenRows
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.encoding.written_messages import WrittenMessages

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if not cython.compiled:  # compiled code has them from its .pxd
    from tidewire.open_protocol.names import (
        KIND, COMMIT_TS, TABLE, PARTITION_ID, ROW_ID, HANDLE_KEY_ONLY, CLAIM_CHECK, DDL_TYPE, QUERY, NEW_LAYOUT,
        NEW_ROW, OLD_LAYOUT, OLD_ROW, ALL_COLUMNS, HANDLE_KEY_COLUMNS
    )
    from tidewire.names import INSERT, UPDATE, DELETE, DDL, WATERMARK, BOOTSTRAP, HANDLE_KEY


require_api(1)

SPELLINGS = {
    "tiflow": Spelling(html=True, letters=True, separators=True, exponent=1),
    "ticdc": Spelling(html=False, letters=False, separators=False, exponent=2),
}
"""How each producer spells JSON."""


def column_head(column: Column) -> bytes:
    """What stands between a column's name and its value."""
    head = b'{"t":%d' % column.type
    if column.flags & HANDLE_KEY:
        head += b',"h":true'
    head += b',"f":%d,"v":' % column.flags
    return head


def column_texts(columns: Sequence[Column], chosen: Sequence[int], spelling: Spelling) -> ColumnObjectTexts:
    """What is the same in all row images with these columns, spelled once.

    Args:
        columns: of the layout.
        chosen: which of them are written, by position, in their order.
        spelling: of the producer.
    """
    codecs = [column_values(column.type, column.flags) for column in columns]
    opens = [column_head(columns[k]) for k in chosen]
    return ColumnObjectTexts("open-protocol", columns, chosen, codecs, opens, b"}", spelling)


class Encoder:
    """Columns to messages."""

    def __init__(
        self,
        output_old_value: bool,
        only_output_updated_columns: bool,
        delete_only_output_handle_key_columns: bool,
        max_batch_size: int,
        max_message_bytes: int,
        max_batched_bytes: int,
        producer: str,
        compress: Callable[[bytes], bytes] | None = None,
    ) -> None:
        """`compress`: what is done with the object of a value before its length is written."""
        self.output_old_value = output_old_value
        self.only_output_updated_columns = only_output_updated_columns
        self.delete_only_output_handle_key_columns = delete_only_output_handle_key_columns
        self.max_batch_size = max_batch_size
        self.max_message_bytes = max_message_bytes
        self.max_batched_bytes = max_batched_bytes
        self.as_tiflow = producer == "tiflow"
        self.as_ticdc = producer == "ticdc"
        self.compress = compress
        self.spelling = SPELLINGS[producer]
        self.most = max_message_bytes
        if self.as_ticdc:
            self.most = min(self.most, max_batched_bytes)
        self.known = [ColumnsCache() for _ in range(2)]
        self.table_names: list[tuple[str, str]] | None = None
        self.schemas: list[bytes] = []
        self.tables: list[bytes] = []
        self.named = Numbers()

    def encode(self, columns: EventColumns) -> pa.RecordBatch:
        """Events as messages, in their order: columns key, value (binary), first_event, events (int64).

        Raises:
            EncodeError: the protocol cannot carry an event.
        """
        return self.write(columns).batch()

    def write(self, columns: EventColumns, alone: cython.bint = False) -> WrittenMessages:
        """The messages of `encode`, of which nothing has been made yet; with `alone`, one for each event."""
        key: JsonSink = JsonSink(*self.spelling)
        s: JsonSink = JsonSink(*self.spelling)
        ends: Numbers = Numbers()
        key_ends: Numbers = Numbers()
        firsts: Numbers = Numbers()
        counts: Numbers = Numbers()
        event: cython.Py_ssize_t = 0
        longest: cython.Py_ssize_t = 0
        size: cython.Py_ssize_t
        key_start: cython.Py_ssize_t
        start: cython.Py_ssize_t
        key_at: cython.Py_ssize_t = 0  # where the last message begins
        value_at: cython.Py_ssize_t = 0
        gathered: cython.bint
        open: cython.bint = False  # whether it takes more events
        self.bind(columns)
        ends.append(0)
        key_ends.append(0)
        try:
            for event in range(self.events.rows):
                self.check_event(event)
            for event in range(self.events.rows):
                key_start = key.pos
                start = s.pos
                key.u64be(1)  # version
                self.write_event(key, s, event)
                if key.invalid or s.invalid:
                    self.refuse("it has text that is not UTF-8")
                gathered = self.gathered(event)
                if gathered:
                    longest = max(longest, key.pos - key_start + s.pos - start)
                size = key.pos - key_at + s.pos - value_at + 28
                if open and gathered and counts.i64[counts.size - 1] < self.max_batch_size and size <= self.most:
                    key.take_out(key_start, 8)  # the message has it already
                    key_ends.i64[key_ends.size - 1] = key.pos
                    ends.i64[ends.size - 1] = s.pos
                    counts.i64[counts.size - 1] += 1
                    continue
                open = gathered and not alone
                key_at = key_start
                value_at = start
                key_ends.append(key.pos)
                ends.append(s.pos)
                firsts.append(event)
                counts.append(1)
        except EncodeError as error:
            raise EncodeError("open-protocol", event, error.column, error.reason) from None
        return WrittenMessages("open-protocol", s.data, ends, firsts, counts, key.data, key_ends, longest)

    # ---- the events

    def bind(self, columns: EventColumns) -> None:
        """Makes the columns ready to be written."""
        self.events = event_source("open-protocol", columns, EVENT_COLUMNS, EVENT_STORAGE)
        named = table_names("open-protocol", columns)
        if named != self.table_names:
            self.bind_tables(named)
        self.layouts = columns.layouts
        self.layout_rows = Numbers()
        for layout in columns.layouts:
            self.layout_rows.append(layout.num_rows)
        self.images: list[Any] = [None] * (2 * len(columns.layouts))

    def bind_tables(self, named: list[tuple[str, str]]) -> None:
        """Spells the names of the tables."""
        self.table_names = None
        self.schemas = []
        self.tables = []
        self.named.take(0)
        for schema, table in named:
            self.schemas.append(text_json("open-protocol", schema, self.spelling) if schema else b'""')
            self.tables.append(text_json("open-protocol", table, self.spelling) if table else b'""')
            self.named.append((1 if schema else 0) | (2 if table else 0))
        self.table_names = named

    def check_event(self, event: cython.Py_ssize_t) -> cython.int:
        """The event has what the protocol needs, and nothing that it cannot carry."""
        kind: cython.longlong = self.events.int_at(KIND, event)
        table: cython.longlong = self.events.int_at(TABLE, event)
        if table < 0 or table >= self.named.size:
            self.refuse(f"its table is number {table}, but there are {self.named.size}")
        if kind == INSERT:
            if self.events.int_at(NEW_LAYOUT, event) < 0:
                self.refuse("insert needs a row image `new`")
            self.check_image(event, NEW_LAYOUT, NEW_ROW)
            if self.events.int_at(OLD_LAYOUT, event) >= 0:
                self.refuse("insert has no row image `old`, this one has: is it an update?")
            if not self.named.i64[table] & 1:
                self.refuse("insert needs a schema")
            if not self.named.i64[table] & 2:
                self.refuse("insert needs a table")
            if self.events.null_at(COMMIT_TS, event):
                self.refuse("insert needs commit_ts")
        elif kind == UPDATE:
            if self.events.int_at(NEW_LAYOUT, event) < 0:
                self.refuse("update needs a row image `new`")
            self.check_image(event, NEW_LAYOUT, NEW_ROW)
            if self.events.int_at(OLD_LAYOUT, event) < 0:
                self.refuse("update needs a row image `old`")
            self.check_image(event, OLD_LAYOUT, OLD_ROW)
            if not self.named.i64[table] & 1:
                self.refuse("update needs a schema")
            if not self.named.i64[table] & 2:
                self.refuse("update needs a table")
            if self.events.null_at(COMMIT_TS, event):
                self.refuse("update needs commit_ts")
        elif kind == DELETE:
            if self.events.int_at(NEW_LAYOUT, event) >= 0:
                self.refuse("delete has no row image `new`, this one has: is it an update?")
            if self.events.int_at(OLD_LAYOUT, event) < 0:
                self.refuse("delete needs a row image `old`")
            self.check_image(event, OLD_LAYOUT, OLD_ROW)
            if not self.named.i64[table] & 1:
                self.refuse("delete needs a schema")
            if not self.named.i64[table] & 2:
                self.refuse("delete needs a table")
            if self.events.null_at(COMMIT_TS, event):
                self.refuse("delete needs commit_ts")
        elif kind == DDL:
            if self.events.null_at(COMMIT_TS, event):
                self.refuse("ddl needs commit_ts")
            if self.events.null_at(QUERY, event):
                self.refuse("ddl needs query")
            if self.events.null_at(DDL_TYPE, event):
                self.refuse("ddl needs ddl_type")
            if not self.events.null_at(DDL_TYPE, event) and not 0 <= self.events.int_at(DDL_TYPE, event) <= 255:
                self.refuse("ddl_type is 0 to 255")
        elif kind == WATERMARK:
            if self.events.null_at(COMMIT_TS, event):
                self.refuse("watermark needs commit_ts")
        elif kind == BOOTSTRAP:
            self.refuse("TiCDC Open Protocol cannot carry a bootstrap event")
        else:
            self.refuse(f"there is no kind {kind} of events; the kinds are {KIND_NAMES}")
        return 0

    def check_image(self, event: cython.Py_ssize_t, side: cython.int, place: cython.int) -> cython.int:
        """The row image whose layout and row are in these columns is there."""
        layout: cython.longlong = self.events.int_at(side, event)
        row: cython.longlong = self.events.int_at(place, event)
        if layout >= self.layout_rows.size:
            self.refuse(f"its row image has the layout number {layout}, but there are {self.layout_rows.size}")
        if row < 0 or row >= self.layout_rows.i64[layout]:
            self.refuse(f"its row image is row {row} of {self.layout_rows.i64[layout]}")
        return 0

    def prepare(self, event: cython.Py_ssize_t, side: cython.int, way: cython.int) -> WrittenRows:
        """The layout of a row image, made ready to be written.

        Args:
            event: which has the image.
            side: the column of events that holds its layout.
            way: which columns are written: ALL_COLUMNS all, HANDLE_KEY_COLUMNS those flagged handle_key.
        """
        number: cython.Py_ssize_t = self.events.int_at(side, event)
        place: cython.Py_ssize_t = 2 * number + way
        if self.images[place] is None:
            self.bind_layout(self.layouts[number], place, way)
        found: WrittenRows = self.images[place]
        return found

    def bind_layout(self, layout: Layout, place: int, way: int) -> None:
        """Makes a layout ready to be written."""
        texts: ColumnObjectTexts | None = self.known[way].find(layout.columns)
        if texts is None:
            check_columns("open-protocol", layout.columns, 255)
            flag = (0, HANDLE_KEY)[way]
            chosen = [k for k, column in enumerate(layout.columns) if not flag or column.flags & flag]
            if self.as_tiflow:
                chosen.sort(key=lambda k: layout.columns[k].name.encode())
            texts = column_texts(layout.columns, chosen, self.spelling)
            self.known[way].remember(layout.columns, texts)
        self.images[place] = WrittenRows(texts, layout)

    def refuse(self, reason: str) -> None:
        """Raises the error of the event that is looked at."""
        raise EncodeError("open-protocol", None, None, reason)

    def gathered(self, event: cython.Py_ssize_t) -> cython.bint:
        """Whether the event can share a message with others."""
        kind: cython.longlong = self.events.int_at(KIND, event)
        return kind == INSERT or kind == UPDATE or kind == DELETE

    # ---- a message

    def write_event(self, key: JsonSink, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """The frames of an event."""
        kind: cython.longlong = self.events.int_at(KIND, event)
        key_start: cython.Py_ssize_t = key.open_frame()
        start: cython.Py_ssize_t = s.open_frame()
        if kind == INSERT:
            self.write_row_key(key, event)
            self.write_insert(s, event)
        elif kind == UPDATE:
            self.write_row_key(key, event)
            self.write_update(s, event)
        elif kind == DELETE:
            self.write_row_key(key, event)
            self.write_delete(s, event)
        elif kind == DDL:
            self.write_ddl_key(key, event)
            self.write_ddl(s, event)
        elif kind == WATERMARK:
            self.write_watermark_key(key, event)
        if self.compress is not None and s.pos > start + 8:
            s.replace(start + 8, self.compress(s.written(start + 8)))
        key.close_frame(key_start)
        s.close_frame(start)
        return 0

    def write_row_key(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """The key's object of events of class row."""
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        if self.as_tiflow:
            s.raw(b'{"ts":')
            s.unsigned(self.events.uint_at(COMMIT_TS, event))
            if self.named.i64[table] & 1:
                s.raw(b',"scm":')
                s.raw(self.schemas[table])
            if self.named.i64[table] & 2:
                s.raw(b',"tbl":')
                s.raw(self.tables[table])
            if not self.events.null_at(ROW_ID, event) and self.events.int_at(ROW_ID, event) != 0:
                s.raw(b',"rid":')
                s.integer(self.events.int_at(ROW_ID, event))
            if not self.events.null_at(PARTITION_ID, event):
                s.raw(b',"ptn":')
                s.integer(self.events.int_at(PARTITION_ID, event))
            s.raw(b',"t":1')
            if not self.events.null_at(HANDLE_KEY_ONLY, event) and self.events.int_at(HANDLE_KEY_ONLY, event) != 0:
                s.raw(b',"ohk":true')
            if not self.events.null_at(CLAIM_CHECK, event):
                s.raw(b',"ccl":')
                s.text_of(self.events, CLAIM_CHECK, event)
            s.raw(b'}')
        else:
            s.raw(b'{"ts":')
            s.unsigned(self.events.uint_at(COMMIT_TS, event))
            s.raw(b',"scm":')
            s.raw(self.schemas[table])
            s.raw(b',"tbl":')
            s.raw(self.tables[table])
            s.raw(b',"t":1')
            if not self.events.null_at(CLAIM_CHECK, event):
                s.raw(b',"ohk":true')
            if not self.events.null_at(HANDLE_KEY_ONLY, event) and self.events.int_at(HANDLE_KEY_ONLY, event) != 0:
                s.raw(b',"ohk":true')
            if not self.events.null_at(CLAIM_CHECK, event):
                s.raw(b',"ohk":false,"ccl":')
                s.text_of(self.events, CLAIM_CHECK, event)
            if not self.events.null_at(PARTITION_ID, event):
                s.raw(b',"ptn":')
                s.integer(self.events.int_at(PARTITION_ID, event))
            s.raw(b'}')
        return 0

    def write_ddl_key(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """The key's object of events of class ddl."""
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        if self.as_tiflow:
            s.raw(b'{"ts":')
            s.unsigned(self.events.uint_at(COMMIT_TS, event))
            if self.named.i64[table] & 1:
                s.raw(b',"scm":')
                s.raw(self.schemas[table])
            if self.named.i64[table] & 2:
                s.raw(b',"tbl":')
                s.raw(self.tables[table])
            s.raw(b',"t":2}')
        else:
            s.raw(b'{"ts":')
            s.unsigned(self.events.uint_at(COMMIT_TS, event))
            s.raw(b',"scm":')
            s.raw(self.schemas[table])
            s.raw(b',"tbl":')
            s.raw(self.tables[table])
            s.raw(b',"t":2}')
        return 0

    def write_watermark_key(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """The key's object of events of class watermark."""
        s.raw(b'{"ts":')
        s.unsigned(self.events.uint_at(COMMIT_TS, event))
        s.raw(b',"t":3}')
        return 0

    def write_insert(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """A row that was not there before."""
        new: WrittenRows = self.prepare(event, NEW_LAYOUT, ALL_COLUMNS)
        new_row: cython.Py_ssize_t = self.events.int_at(NEW_ROW, event)
        if new.texts.width == 0:
            self.refuse("its row image `new` has no column to be written")
        s.raw(b'{"u":')
        new.write(s, new_row)
        s.raw(b'}')
        return 0

    def write_update(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """A row that changed."""
        start: cython.Py_ssize_t
        count: cython.Py_ssize_t
        new: WrittenRows = self.prepare(event, NEW_LAYOUT, ALL_COLUMNS)
        new_row: cython.Py_ssize_t = self.events.int_at(NEW_ROW, event)
        if new.texts.width == 0:
            self.refuse("its row image `new` has no column to be written")
        old: WrittenRows = self.prepare(event, OLD_LAYOUT, ALL_COLUMNS)
        old_row: cython.Py_ssize_t = self.events.int_at(OLD_ROW, event)
        if self.as_tiflow:
            s.raw(b'{"u":')
            new.write(s, new_row)
            if self.output_old_value:
                start = s.pos
                s.raw(b',"p":')
                if self.only_output_updated_columns:
                    count = old.write_changed(s, old_row, new, new_row, False)
                else:
                    count = old.write(s, old_row)
                if count == 0:
                    s.pos = start
            s.raw(b'}')
        else:
            s.raw(b'{"u":')
            new.write(s, new_row)
            if self.output_old_value:
                s.raw(b',"p":')
                if self.only_output_updated_columns:
                    old.write_changed(s, old_row, new, new_row, False)
                else:
                    old.write(s, old_row)
            s.raw(b'}')
        return 0

    def write_delete(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """A row that is gone."""
        old: WrittenRows = self.prepare(
            event, OLD_LAYOUT, HANDLE_KEY_COLUMNS if self.delete_only_output_handle_key_columns else ALL_COLUMNS
        )
        old_row: cython.Py_ssize_t = self.events.int_at(OLD_ROW, event)
        if old.texts.width == 0:
            self.refuse(
                "its row image `old` has no column to be written: delete-only-output-handle-key-columns keeps only "
                "those flagged handle_key, so flag the columns of its key, or encode without it"
            )
        s.raw(b'{"d":')
        old.write(s, old_row)
        s.raw(b'}')
        return 0

    def write_ddl(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """A DDL statement that was executed."""
        s.raw(b'{"q":')
        s.text_of(self.events, QUERY, event)
        s.raw(b',"t":')
        s.integer(self.events.int_at(DDL_TYPE, event))
        s.raw(b'}')
        return 0
