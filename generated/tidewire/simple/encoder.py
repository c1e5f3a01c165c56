"""Encoder of TiCDC Simple.

One JSON object, or one record in Avro's binary encoding, for a changed row, a statement, a description of a
table or a watermark. Statements and bootstraps describe a table; rows say which version of it they are of, and
their values by column name. The Kafka key is empty.

Follow a message through the function of its kind, such as `write_insert`: what is the same in every such message stands
there as it is sent.
"""
# Generated from spec/simple.yaml by "make generate". Do not edit.

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tidewire.events import KIND_NAMES
from tidewire.mysql import ddl_class
from tidewire.runtime import require_api
from tidewire.runtime.batch import Column
from tidewire.runtime.encoding.message_encoder import Carried
from tidewire.runtime.json.descriptions import JsonDescriptionWriter
from tidewire.runtime.json.encoders import ObjectEncoder
from tidewire.runtime.json.sink import JsonSink, Spelling
from tidewire.runtime.json.row_writer import RowTexts, WrittenRows
from tidewire.simple.decoder import TABLE_PART, column_values
from tidewire.simple.names import EVENT_COLUMNS, EVENT_STORAGE
from tidewire.runtime import cython
from tidewire.simple.names import (
    KIND, COMMIT_TS, SENT_MS, TABLE, TABLE_ID, HANDLE_KEY_ONLY, CLAIM_CHECK, DDL_CLASS, QUERY, TABLE_VERSION,
    TABLE_AFTER, TABLE_BEFORE, TIME_ZONE, CHECKSUM, CHECKSUM_BEFORE, CHECKSUM_VERSION, CHECKSUM_CORRUPTED, NEW_LAYOUT,
    NEW_ROW, OLD_LAYOUT, OLD_ROW, PARTITION_ID, DDL_TYPE, ALL_COLUMNS
)
from tidewire.names import INSERT, UPDATE, DELETE, DDL, WATERMARK, BOOTSTRAP


require_api(1)

SPELLING = Spelling(html=True, letters=True, separators=True, exponent=1)
"""How text and numbers are spelled."""

CARRIED = Carried("simple", EVENT_COLUMNS, EVENT_STORAGE, (0,), column_values)
"""What messages carry of events."""

DDL_CLASSES = ("CREATE", "ERASE", "ALTER", "CINDEX", "DINDEX", "TRUNCATE", "RENAME", "QUERY")
"""The classes of DDL statements."""


class Encoder(ObjectEncoder):
    """Columns to messages."""

    def __init__(
        self,
        enable_row_checksum: bool,
        producer: str,
    ) -> None:
        self.enable_row_checksum = enable_row_checksum
        self.producer = producer
        super().__init__(CARRIED, SPELLING, absent=(b'""', b'""'))
        self.description_writer = JsonDescriptionWriter(TABLE_PART, producer, "simple", SPELLING)

    def describe(self, columns: Sequence[Column], chosen: list[int], codecs: list[Any]) -> RowTexts:
        if self.producer in ("tiflow", "ticdc"):
            chosen.sort(key=lambda k: columns[k].name.encode())
        return RowTexts("simple", columns, chosen, codecs, (), SPELLING)

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

    def write_message(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
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

    def write_insert(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """INSERT: a row that was inserted."""
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        new: WrittenRows = self.prepare(self.events.int_at(NEW_LAYOUT, event), ALL_COLUMNS)
        new_row: cython.Py_ssize_t = self.events.int_at(NEW_ROW, event)
        new.location = self.located(event, TIME_ZONE)
        if (
            not new.texts.width
            and (self.events.null_at(HANDLE_KEY_ONLY, event) or self.events.int_at(HANDLE_KEY_ONLY, event) == 0)
        ):
            self.refuse("its row image `new` has no columns, and a message that says so is not read")
        s.raw(b'{"version":1,"database":')
        s.raw(self.schemas[table])
        s.raw(b',"table":')
        s.raw(self.tables[table])
        if not self.events.null_at(TABLE_ID, event) or not self.events.null_at(PARTITION_ID, event):
            s.raw(b',"tableID":')
            if self.events.null_at(PARTITION_ID, event):
                s.integer(self.events.int_at(TABLE_ID, event))
            else:
                s.integer(self.events.int_at(PARTITION_ID, event))
        s.raw(b',"type":"INSERT","commitTs":')
        s.unsigned(self.events.uint_at(COMMIT_TS, event))
        s.raw(b',"buildTs":')
        s.integer(self.sending_ms(event, SENT_MS))
        s.raw(b',"schemaVersion":')
        s.unsigned(self.events.uint_at(TABLE_VERSION, event))
        if not self.events.null_at(CLAIM_CHECK, event):
            s.raw(b',"claimCheckLocation":')
            s.text_of(self.events, CLAIM_CHECK, event)
        if not self.events.null_at(HANDLE_KEY_ONLY, event) and self.events.int_at(HANDLE_KEY_ONLY, event) != 0:
            s.raw(b',"handleKeyOnly":true')
        if self.enable_row_checksum and not self.events.null_at(CHECKSUM_VERSION, event):
            self.write_row_checksum(s, event)
        if new.texts.width:
            s.raw(b',"data":')
            new.write(s, new_row)
        s.raw(b'}')
        return 0

    def write_update(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """UPDATE: a row that was updated."""
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        new: WrittenRows = self.prepare(self.events.int_at(NEW_LAYOUT, event), ALL_COLUMNS)
        new_row: cython.Py_ssize_t = self.events.int_at(NEW_ROW, event)
        old: WrittenRows = self.prepare(self.events.int_at(OLD_LAYOUT, event), ALL_COLUMNS)
        old_row: cython.Py_ssize_t = self.events.int_at(OLD_ROW, event)
        new.location = self.located(event, TIME_ZONE)
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
        s.raw(b'{"version":1,"database":')
        s.raw(self.schemas[table])
        s.raw(b',"table":')
        s.raw(self.tables[table])
        if not self.events.null_at(TABLE_ID, event) or not self.events.null_at(PARTITION_ID, event):
            s.raw(b',"tableID":')
            if self.events.null_at(PARTITION_ID, event):
                s.integer(self.events.int_at(TABLE_ID, event))
            else:
                s.integer(self.events.int_at(PARTITION_ID, event))
        s.raw(b',"type":"UPDATE","commitTs":')
        s.unsigned(self.events.uint_at(COMMIT_TS, event))
        s.raw(b',"buildTs":')
        s.integer(self.sending_ms(event, SENT_MS))
        s.raw(b',"schemaVersion":')
        s.unsigned(self.events.uint_at(TABLE_VERSION, event))
        if not self.events.null_at(CLAIM_CHECK, event):
            s.raw(b',"claimCheckLocation":')
            s.text_of(self.events, CLAIM_CHECK, event)
        if not self.events.null_at(HANDLE_KEY_ONLY, event) and self.events.int_at(HANDLE_KEY_ONLY, event) != 0:
            s.raw(b',"handleKeyOnly":true')
        if self.enable_row_checksum and not self.events.null_at(CHECKSUM_VERSION, event):
            self.write_row_checksum(s, event)
        if new.texts.width:
            s.raw(b',"data":')
            new.write(s, new_row)
        if old.texts.width:
            s.raw(b',"old":')
            old.write(s, old_row)
        s.raw(b'}')
        return 0

    def write_delete(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """DELETE: a row that was deleted."""
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        old: WrittenRows = self.prepare(self.events.int_at(OLD_LAYOUT, event), ALL_COLUMNS)
        old_row: cython.Py_ssize_t = self.events.int_at(OLD_ROW, event)
        old.location = self.located(event, TIME_ZONE)
        if (
            not old.texts.width
            and (self.events.null_at(HANDLE_KEY_ONLY, event) or self.events.int_at(HANDLE_KEY_ONLY, event) == 0)
        ):
            self.refuse("its row image `old` has no columns, and a message that says so is not read")
        s.raw(b'{"version":1,"database":')
        s.raw(self.schemas[table])
        s.raw(b',"table":')
        s.raw(self.tables[table])
        if not self.events.null_at(TABLE_ID, event) or not self.events.null_at(PARTITION_ID, event):
            s.raw(b',"tableID":')
            if self.events.null_at(PARTITION_ID, event):
                s.integer(self.events.int_at(TABLE_ID, event))
            else:
                s.integer(self.events.int_at(PARTITION_ID, event))
        s.raw(b',"type":"DELETE","commitTs":')
        s.unsigned(self.events.uint_at(COMMIT_TS, event))
        s.raw(b',"buildTs":')
        s.integer(self.sending_ms(event, SENT_MS))
        s.raw(b',"schemaVersion":')
        s.unsigned(self.events.uint_at(TABLE_VERSION, event))
        if not self.events.null_at(CLAIM_CHECK, event):
            s.raw(b',"claimCheckLocation":')
            s.text_of(self.events, CLAIM_CHECK, event)
        if not self.events.null_at(HANDLE_KEY_ONLY, event) and self.events.int_at(HANDLE_KEY_ONLY, event) != 0:
            s.raw(b',"handleKeyOnly":true')
        if self.enable_row_checksum and not self.events.null_at(CHECKSUM_VERSION, event):
            self.write_row_checksum(s, event)
        if old.texts.width:
            s.raw(b',"old":')
            old.write(s, old_row)
        s.raw(b'}')
        return 0

    def write_ddl(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """A DDL statement that was executed."""
        s.raw(b'{"version":1,"type":')
        if self.events.null_at(DDL_TYPE, event):
            s.text_of(self.events, DDL_CLASS, event)
        elif self.events.int_at(DDL_TYPE, event) in (37, 38):
            s.raw(b'"QUERY"')
        elif self.producer == "ticdc" and self.events.int_at(DDL_TYPE, event) in (42,):
            s.raw(b'"ALTER"')
        else:
            s.string(ddl_class(self.events.int_at(DDL_TYPE, event)).encode())
        if not self.events.null_at(QUERY, event):
            s.raw(b',"sql":')
            s.text_of(self.events, QUERY, event)
        s.raw(b',"commitTs":')
        s.unsigned(self.events.uint_at(COMMIT_TS, event))
        s.raw(b',"buildTs":')
        s.integer(self.sending_ms(event, SENT_MS))
        if not self.events.null_at(TABLE_AFTER, event):
            s.raw(b',"tableSchema":')
            s.raw(self.described(event, TABLE_AFTER))
        if not self.events.null_at(TABLE_BEFORE, event):
            s.raw(b',"preTableSchema":')
            s.raw(self.described(event, TABLE_BEFORE))
        s.raw(b'}')
        return 0

    def write_watermark(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """WATERMARK: every event with a smaller commit ts has been sent."""
        s.raw(b'{"version":1,"type":"WATERMARK","commitTs":')
        s.unsigned(self.events.uint_at(COMMIT_TS, event))
        s.raw(b',"buildTs":')
        s.integer(self.sending_ms(event, SENT_MS))
        s.raw(b'}')
        return 0

    def write_bootstrap(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """BOOTSTRAP: a table's columns, sent ahead of its rows."""
        s.raw(b'{"version":1,"type":"BOOTSTRAP","commitTs":0,"buildTs":')
        s.integer(self.sending_ms(event, SENT_MS))
        if not self.events.null_at(TABLE_AFTER, event):
            s.raw(b',"tableSchema":')
            s.raw(self.described(event, TABLE_AFTER))
        s.raw(b'}')
        return 0

    def write_row_checksum(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """checksum of insert, update, delete."""
        s.raw(b',"checksum":{"version":')
        s.integer(self.events.int_at(CHECKSUM_VERSION, event))
        s.raw(b',"corrupted":')
        if self.events.int_at(CHECKSUM_CORRUPTED, event):
            s.raw(b'true')
        else:
            s.raw(b'false')
        s.raw(b',"current":')
        s.unsigned(self.events.uint_at(CHECKSUM, event))
        s.raw(b',"previous":')
        s.unsigned(self.events.uint_at(CHECKSUM_BEFORE, event))
        s.raw(b'}')
        return 0
