"""Encoder of records of TiCDC Simple.

The same parts as records in Avro's binary encoding.

Follow a message through the function of its kind, such as `write_insert`: what is the same in every such message stands
there as it is sent.
"""
# Generated from spec/simple.yaml by "make generate". Do not edit.

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from tidewire.events import KIND_NAMES
from tidewire.mysql import ddl_class
from tidewire.runtime import require_api
from tidewire.runtime.batch import Column
from tidewire.runtime.encoding.message_encoder import Carried
from tidewire.runtime.record.descriptions import RecordDescriptionWriter
from tidewire.runtime.record.encoder import RecordEncoder
from tidewire.runtime.record.sink import RecordSink
from tidewire.runtime.record.written_rows import RecordTexts, WrittenRecordRows
from tidewire.simple.names import EVENT_COLUMNS, EVENT_STORAGE
from tidewire.simple.record_decoder import KINDS, TABLE_SCHEMA_RECORD, record_values
from tidewire.runtime import cython
from tidewire.simple.names import (
    KIND, COMMIT_TS, SENT_MS, TABLE, TABLE_ID, HANDLE_KEY_ONLY, CLAIM_CHECK, DDL_CLASS, QUERY, TABLE_VERSION,
    TABLE_AFTER, TABLE_BEFORE, TIME_ZONE, CHECKSUM, CHECKSUM_BEFORE, CHECKSUM_VERSION, CHECKSUM_CORRUPTED, NEW_LAYOUT,
    NEW_ROW, OLD_LAYOUT, OLD_ROW, PARTITION_ID, DDL_TYPE, ALL_COLUMNS
)
from tidewire.names import INSERT, UPDATE, DELETE, DDL, WATERMARK, BOOTSTRAP


require_api(1)

CARRIED = {
    "tiflow": Carried("simple", EVENT_COLUMNS, EVENT_STORAGE, (0,), partial(record_values, producer="tiflow")),
    "ticdc": Carried("simple", EVENT_COLUMNS, EVENT_STORAGE, (0,), partial(record_values, producer="ticdc")),
}
"""What messages carry of events, by producer."""

DDL_CLASSES = ("CREATE", "ERASE", "ALTER", "CINDEX", "DINDEX", "TRUNCATE", "RENAME", "QUERY")
"""The classes of DDL statements."""

SYMBOLS = {
    "CREATE": b'\x00',
    "ALTER": b'\x02',
    "ERASE": b'\x04',
    "RENAME": b'\x06',
    "TRUNCATE": b'\x08',
    "CINDEX": b'\n',
    "DINDEX": b'\x0c',
    "QUERY": b'\x0e',
}
"""How they are written."""


class Encoder(RecordEncoder):
    """Columns to messages."""

    def __init__(
        self,
        enable_row_checksum: bool,
        producer: str,
    ) -> None:
        self.enable_row_checksum = enable_row_checksum
        self.producer = producer
        super().__init__(CARRIED[producer])
        self.description_writer = RecordDescriptionWriter(TABLE_SCHEMA_RECORD, producer)

    def describe(self, columns: Sequence[Column], chosen: list[int], codecs: list[Any]) -> RecordTexts:
        return RecordTexts("simple", columns, chosen, codecs, KINDS)

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
            if self.events.null_at(TABLE_VERSION, event):
                self.refuse("insert needs table_version")
            self.check_all_or_none(event, (CHECKSUM_VERSION, CHECKSUM_CORRUPTED, CHECKSUM, CHECKSUM_BEFORE))
            if not self.events.null_at(CHECKSUM, event) and not 0 <= self.events.int_at(CHECKSUM, event) <= 4294967295:
                self.refuse("checksum is 0 to 4294967295")
            if (
                not self.events.null_at(CHECKSUM_BEFORE, event)
                and not 0 <= self.events.int_at(CHECKSUM_BEFORE, event) <= 4294967295
            ):
                self.refuse("checksum_before is 0 to 4294967295")
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
            if self.events.null_at(TABLE_VERSION, event):
                self.refuse("update needs table_version")
            self.check_all_or_none(event, (CHECKSUM_VERSION, CHECKSUM_CORRUPTED, CHECKSUM, CHECKSUM_BEFORE))
            if not self.events.null_at(CHECKSUM, event) and not 0 <= self.events.int_at(CHECKSUM, event) <= 4294967295:
                self.refuse("checksum is 0 to 4294967295")
            if (
                not self.events.null_at(CHECKSUM_BEFORE, event)
                and not 0 <= self.events.int_at(CHECKSUM_BEFORE, event) <= 4294967295
            ):
                self.refuse("checksum_before is 0 to 4294967295")
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
            if self.events.null_at(TABLE_VERSION, event):
                self.refuse("delete needs table_version")
            self.check_all_or_none(event, (CHECKSUM_VERSION, CHECKSUM_CORRUPTED, CHECKSUM, CHECKSUM_BEFORE))
            if not self.events.null_at(CHECKSUM, event) and not 0 <= self.events.int_at(CHECKSUM, event) <= 4294967295:
                self.refuse("checksum is 0 to 4294967295")
            if (
                not self.events.null_at(CHECKSUM_BEFORE, event)
                and not 0 <= self.events.int_at(CHECKSUM_BEFORE, event) <= 4294967295
            ):
                self.refuse("checksum_before is 0 to 4294967295")
        elif kind == DDL:
            if self.events.null_at(COMMIT_TS, event):
                self.refuse("ddl needs commit_ts")
            if not self.events.null_at(DDL_TYPE, event) and not 0 <= self.events.int_at(DDL_TYPE, event) <= 255:
                self.refuse("ddl_type is 0 to 255")
            if self.events.null_at(DDL_TYPE, event):
                if self.events.null_at(DDL_CLASS, event):
                    self.refuse("ddl needs ddl_type or ddl_class")
                self.check_class(event, DDL_CLASS, "ddl_class", DDL_CLASSES)
        elif kind == WATERMARK:
            if self.events.null_at(COMMIT_TS, event):
                self.refuse("watermark needs commit_ts")
        elif kind == BOOTSTRAP:
            pass
        else:
            self.refuse(f"there is no kind {kind} of events; the kinds are {KIND_NAMES}")
        return 0

    def has_message(self, event: cython.Py_ssize_t) -> cython.bint:
        """Whether the event has a message with these options."""
        return True

    # ---- a message

    def write_message(self, s: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """The message of an event."""
        kind: cython.longlong = self.events.int_at(KIND, event)
        if kind == INSERT:
            self.write_insert(s, event)
        elif kind == UPDATE:
            self.write_update(s, event)
        elif kind == DELETE:
            self.write_delete(s, event)
        elif kind == DDL:
            self.write_ddl(s, event)
        elif kind == WATERMARK:
            self.write_watermark(s, event)
        elif kind == BOOTSTRAP:
            self.write_bootstrap(s, event)
        return 0

    def write_insert(self, s: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """DML, INSERT. A row that was inserted."""
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        new: WrittenRecordRows = self.prepare(self.events.int_at(NEW_LAYOUT, event), ALL_COLUMNS)
        new_row: cython.Py_ssize_t = self.events.int_at(NEW_ROW, event)
        new.location = self.located(event, TIME_ZONE)
        if (
            not new.texts.width
            and (self.events.null_at(HANDLE_KEY_ONLY, event) or self.events.int_at(HANDLE_KEY_ONLY, event) == 0)
        ):
            self.refuse("its row image `new` has no columns, and a message that says so is not read")
        s.raw(b'\x16\x06\x06\x02')
        s.raw(self.schemas[table])
        s.raw(self.tables[table])
        if not self.events.null_at(PARTITION_ID, event):
            s.varint(self.events.int_at(PARTITION_ID, event))
        else:
            if self.events.null_at(TABLE_ID, event):
                s.raw(b'\x00')
            else:
                s.varint(self.events.int_at(TABLE_ID, event))
        s.raw(b'\x00')
        self.put_unsigned(s, COMMIT_TS, "commit_ts", event)
        s.varint(self.sending_ms(event, SENT_MS))
        self.put_unsigned(s, TABLE_VERSION, "table_version", event)
        if self.events.null_at(CLAIM_CHECK, event):
            s.raw(b'\x00')
        else:
            s.raw(b'\x02')
            s.text_of(self.events, CLAIM_CHECK, event)
        if not self.events.null_at(HANDLE_KEY_ONLY, event) and self.events.int_at(HANDLE_KEY_ONLY, event) != 0:
            s.raw(b'\x02\x01')
        else:
            s.raw(b'\x00')
        if self.enable_row_checksum and not self.events.null_at(CHECKSUM_VERSION, event):
            s.raw(b'\x02')
            self.write_checksum_record(s, event)
        else:
            s.raw(b'\x00')
        s.raw(b'\x02')
        new.write(s, new_row)
        s.raw(b'\x00')
        return 0

    def write_update(self, s: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """DML, UPDATE. A row that was updated."""
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        new: WrittenRecordRows = self.prepare(self.events.int_at(NEW_LAYOUT, event), ALL_COLUMNS)
        new_row: cython.Py_ssize_t = self.events.int_at(NEW_ROW, event)
        new.location = self.located(event, TIME_ZONE)
        old: WrittenRecordRows = self.prepare(self.events.int_at(OLD_LAYOUT, event), ALL_COLUMNS)
        old_row: cython.Py_ssize_t = self.events.int_at(OLD_ROW, event)
        old.location = self.located(event, TIME_ZONE)
        if old.texts is not new.texts:
            new.texts.check_alike(old.texts, "old")
        if (
            not new.texts.width
            and (self.events.null_at(HANDLE_KEY_ONLY, event) or self.events.int_at(HANDLE_KEY_ONLY, event) == 0)
        ):
            self.refuse("its row image `new` has no columns, and a message that says so is not read")
        if (
            not old.texts.width
            and (self.events.null_at(HANDLE_KEY_ONLY, event) or self.events.int_at(HANDLE_KEY_ONLY, event) == 0)
        ):
            self.refuse("its row image `old` has no columns, and a message that says so is not read")
        s.raw(b'\x16\x06\x06\x02')
        s.raw(self.schemas[table])
        s.raw(self.tables[table])
        if not self.events.null_at(PARTITION_ID, event):
            s.varint(self.events.int_at(PARTITION_ID, event))
        else:
            if self.events.null_at(TABLE_ID, event):
                s.raw(b'\x00')
            else:
                s.varint(self.events.int_at(TABLE_ID, event))
        s.raw(b'\x02')
        self.put_unsigned(s, COMMIT_TS, "commit_ts", event)
        s.varint(self.sending_ms(event, SENT_MS))
        self.put_unsigned(s, TABLE_VERSION, "table_version", event)
        if self.events.null_at(CLAIM_CHECK, event):
            s.raw(b'\x00')
        else:
            s.raw(b'\x02')
            s.text_of(self.events, CLAIM_CHECK, event)
        if not self.events.null_at(HANDLE_KEY_ONLY, event) and self.events.int_at(HANDLE_KEY_ONLY, event) != 0:
            s.raw(b'\x02\x01')
        else:
            s.raw(b'\x00')
        if self.enable_row_checksum and not self.events.null_at(CHECKSUM_VERSION, event):
            s.raw(b'\x02')
            self.write_checksum_record(s, event)
        else:
            s.raw(b'\x00')
        s.raw(b'\x02')
        new.write(s, new_row)
        s.raw(b'\x02')
        old.write(s, old_row)
        return 0

    def write_delete(self, s: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """DML, DELETE. A row that was deleted."""
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        old: WrittenRecordRows = self.prepare(self.events.int_at(OLD_LAYOUT, event), ALL_COLUMNS)
        old_row: cython.Py_ssize_t = self.events.int_at(OLD_ROW, event)
        old.location = self.located(event, TIME_ZONE)
        if (
            not old.texts.width
            and (self.events.null_at(HANDLE_KEY_ONLY, event) or self.events.int_at(HANDLE_KEY_ONLY, event) == 0)
        ):
            self.refuse("its row image `old` has no columns, and a message that says so is not read")
        s.raw(b'\x16\x06\x06\x02')
        s.raw(self.schemas[table])
        s.raw(self.tables[table])
        if not self.events.null_at(PARTITION_ID, event):
            s.varint(self.events.int_at(PARTITION_ID, event))
        else:
            if self.events.null_at(TABLE_ID, event):
                s.raw(b'\x00')
            else:
                s.varint(self.events.int_at(TABLE_ID, event))
        s.raw(b'\x04')
        self.put_unsigned(s, COMMIT_TS, "commit_ts", event)
        s.varint(self.sending_ms(event, SENT_MS))
        self.put_unsigned(s, TABLE_VERSION, "table_version", event)
        if self.events.null_at(CLAIM_CHECK, event):
            s.raw(b'\x00')
        else:
            s.raw(b'\x02')
            s.text_of(self.events, CLAIM_CHECK, event)
        if not self.events.null_at(HANDLE_KEY_ONLY, event) and self.events.int_at(HANDLE_KEY_ONLY, event) != 0:
            s.raw(b'\x02\x01')
        else:
            s.raw(b'\x00')
        if self.enable_row_checksum and not self.events.null_at(CHECKSUM_VERSION, event):
            s.raw(b'\x02')
            self.write_checksum_record(s, event)
        else:
            s.raw(b'\x00')
        s.raw(b'\x00\x02')
        old.write(s, old_row)
        return 0

    def write_ddl(self, s: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """DDL. A DDL statement that was executed."""
        s.raw(b'\x16\x04\x04\x02')
        if self.events.null_at(DDL_TYPE, event):
            s.raw(SYMBOLS[self.events.text(DDL_CLASS, event)])
        elif self.events.int_at(DDL_TYPE, event) in (37, 38):
            s.raw(b'\x0e')
        elif self.producer == "ticdc" and self.events.int_at(DDL_TYPE, event) in (42,):
            s.raw(b'\x02')
        else:
            s.raw(SYMBOLS[ddl_class(self.events.int_at(DDL_TYPE, event))])
        if self.events.null_at(QUERY, event):
            s.raw(b'\x00')
        else:
            s.text_of(self.events, QUERY, event)
        self.put_unsigned(s, COMMIT_TS, "commit_ts", event)
        s.varint(self.sending_ms(event, SENT_MS))
        if self.events.null_at(TABLE_AFTER, event):
            s.raw(b'\x00')
        else:
            s.raw(b'\x02')
            s.raw(self.described(event, TABLE_AFTER))
        if self.events.null_at(TABLE_BEFORE, event):
            s.raw(b'\x00')
        else:
            s.raw(b'\x02')
            s.raw(self.described(event, TABLE_BEFORE))
        return 0

    def write_watermark(self, s: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """Watermark, WATERMARK. Every event with a smaller commit ts has been sent."""
        s.raw(b'\x16\x00\x00\x02')
        self.put_unsigned(s, COMMIT_TS, "commit_ts", event)
        s.varint(self.sending_ms(event, SENT_MS))
        return 0

    def write_bootstrap(self, s: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """Bootstrap, BOOTSTRAP. A table's columns, sent ahead of its rows."""
        s.raw(b'\x16\x02\x02\x02')
        s.varint(self.sending_ms(event, SENT_MS))
        if self.events.null_at(TABLE_AFTER, event):
            self.refuse("bootstrap needs table_after: a record describes the table")
        s.raw(self.described(event, TABLE_AFTER))
        return 0

    def write_checksum_record(self, s: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """Checksum. TiDB's checksums of a row."""
        s.varint(self.events.int_at(CHECKSUM_VERSION, event))
        s.boolean(self.events.int_at(CHECKSUM_CORRUPTED, event) != 0)
        s.varint(self.events.int_at(CHECKSUM, event))
        s.varint(self.events.int_at(CHECKSUM_BEFORE, event))
        return 0
