"""Encoder of TiCDC Open Protocol.

Kafka key and value are two sequences of JSON objects, each preceded by its length. Object i of both is event i:
the key says what happened, when and to which table, the value holds the row, every column with its type and
flags, or the statement.

Follow an event through `write_objects`: a function for its class writes the object of the key, one for its kind that of
the value. What is the same in every such object stands there as it is sent.
"""
# Generated from spec/open-protocol.yaml by "make generate". Do not edit.

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tidewire.events import KIND_NAMES
from tidewire.open_protocol.decoder import column_values
from tidewire.open_protocol.names import EVENT_COLUMNS, EVENT_STORAGE
from tidewire.runtime import require_api
from tidewire.runtime.batch import Column
from tidewire.runtime.json.column_object_texts import ColumnObjectTexts
from tidewire.runtime.encoding.message_encoder import Carried
from tidewire.runtime.json.encoders import FramesEncoder
from tidewire.runtime.json.sink import JsonSink, Spelling
from tidewire.runtime.json.row_writer import WrittenRows
from tidewire.runtime import cython
from tidewire.open_protocol.names import (
    KIND, COMMIT_TS, TABLE, PARTITION_ID, ROW_ID, HANDLE_KEY_ONLY, CLAIM_CHECK, DDL_TYPE, QUERY, NEW_LAYOUT, NEW_ROW,
    OLD_LAYOUT, OLD_ROW, ALL_COLUMNS, HANDLE_KEY_COLUMNS
)
from tidewire.names import INSERT, UPDATE, DELETE, DDL, WATERMARK, BOOTSTRAP, HANDLE_KEY


require_api(1)

SPELLINGS = {
    "tiflow": Spelling(html=True, letters=True, separators=True, exponent=1),
    "ticdc": Spelling(html=False, letters=False, separators=False, exponent=2),
}
"""How each producer spells JSON."""

CARRIED = Carried("open-protocol", EVENT_COLUMNS, EVENT_STORAGE, (0, HANDLE_KEY), column_values)
"""What messages carry of events."""


def column_head(column: Column) -> bytes:
    """What stands between a column's name and its value."""
    head = b'{"t":%d' % column.type
    if column.flags & HANDLE_KEY:
        head += b',"h":true'
    head += b',"f":%d,"v":' % column.flags
    return head


class Encoder(FramesEncoder):
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
        self.output_old_value = output_old_value
        self.only_output_updated_columns = only_output_updated_columns
        self.delete_only_output_handle_key_columns = delete_only_output_handle_key_columns
        self.max_batch_size = max_batch_size
        self.max_message_bytes = max_message_bytes
        self.max_batched_bytes = max_batched_bytes
        self.as_tiflow = producer == "tiflow"
        self.as_ticdc = producer == "ticdc"
        super().__init__(
            CARRIED,
            SPELLINGS[producer],
            absent=(b'""', b'""'),
            head=1,  # version
            compress=compress,
        )
        self.events_limit = max_batch_size
        self.bytes_limit = max_message_bytes
        if self.as_ticdc:
            self.bytes_limit = min(self.bytes_limit, max_batched_bytes)
        self.overhead = 36

    def describe(self, columns: Sequence[Column], chosen: list[int], codecs: list[Any]) -> ColumnObjectTexts:
        if self.as_tiflow:
            chosen.sort(key=lambda k: columns[k].name.encode())
        opens = [column_head(columns[k]) for k in chosen]
        return ColumnObjectTexts("open-protocol", columns, chosen, codecs, opens, b"}", self.spelling)

    # ---- which events have messages

    def check_event(self, event: cython.Py_ssize_t) -> cython.int:
        """The event has what the protocol needs, and nothing that it cannot carry."""
        kind: cython.longlong = self.events.int_at(KIND, event)
        table: cython.longlong = self.table_at(event, TABLE)
        if kind == INSERT:
            if self.events.int_at(NEW_LAYOUT, event) < 0:
                self.refuse("insert needs a row image `new`")
            self.check_image(self.events.int_at(NEW_LAYOUT, event), self.events.int_at(NEW_ROW, event))
            if self.events.int_at(OLD_LAYOUT, event) >= 0:
                self.refuse("insert has no row image `old`, this one has: is it an update?")
            if self.nameless and not self.has_schema(table):
                self.refuse("insert needs a schema")
            if self.nameless and not self.has_table(table):
                self.refuse("insert needs a table")
            if self.events.null_at(COMMIT_TS, event):
                self.refuse("insert needs commit_ts")
        elif kind == UPDATE:
            if self.events.int_at(NEW_LAYOUT, event) < 0:
                self.refuse("update needs a row image `new`")
            self.check_image(self.events.int_at(NEW_LAYOUT, event), self.events.int_at(NEW_ROW, event))
            if self.events.int_at(OLD_LAYOUT, event) < 0:
                self.refuse("update needs a row image `old`")
            self.check_image(self.events.int_at(OLD_LAYOUT, event), self.events.int_at(OLD_ROW, event))
            if self.nameless and not self.has_schema(table):
                self.refuse("update needs a schema")
            if self.nameless and not self.has_table(table):
                self.refuse("update needs a table")
            if self.events.null_at(COMMIT_TS, event):
                self.refuse("update needs commit_ts")
        elif kind == DELETE:
            if self.events.int_at(NEW_LAYOUT, event) >= 0:
                self.refuse("delete has no row image `new`, this one has: is it an update?")
            if self.events.int_at(OLD_LAYOUT, event) < 0:
                self.refuse("delete needs a row image `old`")
            self.check_image(self.events.int_at(OLD_LAYOUT, event), self.events.int_at(OLD_ROW, event))
            if self.nameless and not self.has_schema(table):
                self.refuse("delete needs a schema")
            if self.nameless and not self.has_table(table):
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

    def gathered(self, event: cython.Py_ssize_t) -> cython.bint:
        """Whether the event can share a message with others."""
        kind: cython.longlong = self.events.int_at(KIND, event)
        return kind == INSERT or kind == UPDATE or kind == DELETE

    # ---- a message

    def write_objects(self, key: JsonSink, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """The objects of an event, in key and value."""
        kind: cython.longlong = self.events.int_at(KIND, event)
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
        return 0

    def write_row_key(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """The key's object of events of class row."""
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        if self.as_tiflow:
            s.raw(b'{"ts":')
            s.unsigned(self.events.uint_at(COMMIT_TS, event))
            if self.has_schema(table):
                s.raw(b',"scm":')
                s.raw(self.schemas[table])
            if self.has_table(table):
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
            if self.has_schema(table):
                s.raw(b',"scm":')
                s.raw(self.schemas[table])
            if self.has_table(table):
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
        """A row that was inserted."""
        new: WrittenRows = self.prepare(self.events.int_at(NEW_LAYOUT, event), ALL_COLUMNS)
        new_row: cython.Py_ssize_t = self.events.int_at(NEW_ROW, event)
        if new.texts.width == 0:
            self.refuse("its row image `new` has no column to be written")
        s.raw(b'{"u":')
        new.write(s, new_row)
        s.raw(b'}')
        return 0

    def write_update(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """A row that was updated."""
        start: cython.Py_ssize_t
        count: cython.Py_ssize_t
        new: WrittenRows = self.prepare(self.events.int_at(NEW_LAYOUT, event), ALL_COLUMNS)
        new_row: cython.Py_ssize_t = self.events.int_at(NEW_ROW, event)
        if new.texts.width == 0:
            self.refuse("its row image `new` has no column to be written")
        old: WrittenRows = self.prepare(self.events.int_at(OLD_LAYOUT, event), ALL_COLUMNS)
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
        """A row that was deleted."""
        old: WrittenRows = self.prepare(
            self.events.int_at(OLD_LAYOUT, event),
            HANDLE_KEY_COLUMNS if self.delete_only_output_handle_key_columns else ALL_COLUMNS,
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
