"""Encoder of Avro with a schema registry.

A record in Avro's binary encoding for a changed row, with a schema that a registry has under the id in front of
the record. The Kafka key is a record of the columns that identify the row; a deleted row has a key only.

Follow an event through the function of its kind, such as `write_insert`: what is the same in every such message stands
there as it is sent.
"""
# Generated from spec/avro.yaml by "make generate". Do not edit.

from __future__ import annotations

from tidewire.avro.decoder import FORMS, ROW_KEY_RECORD, ROW_RECORD, STATEMENT_MEMBERS
from tidewire.avro.names import EVENT_COLUMNS, EVENT_STORAGE
from tidewire.events import KIND_NAMES
from tidewire.mysql import declared, type_text
from tidewire.runtime import require_api
from tidewire.runtime.encoding.message_encoder import Carried
from tidewire.runtime.json.sink import Spelling
from tidewire.runtime.record.sink import RecordSink
from tidewire.runtime.registered.schema_builder import SchemaWords, SchemaWriter
from tidewire.runtime.registered.encoder import RegisteredEncoder
from tidewire.runtime.registered.written import RegisteredRows
from tidewire.runtime.registry import SchemaRegistry
from tidewire.tables import TableStore
from tidewire.runtime import cython
from tidewire.avro.names import (
    KIND, COMMIT_TS, COMMIT_MS, TABLE, DDL_TYPE, QUERY, CHECKSUM, CHECKSUM_BEFORE, CHECKSUM_VERSION, CHECKSUM_CORRUPTED,
    NEW_LAYOUT, NEW_ROW, OLD_LAYOUT, OLD_ROW, TABLE_AFTER, ALL_COLUMNS, KEY_COLUMNS
)
from tidewire.names import (
    INSERT, UPDATE, DELETE, DDL, WATERMARK, BOOTSTRAP, HANDLE_KEY, PRIMARY_KEY, UNIQUE_KEY, MULTIPLE_KEY, NULLABLE
)


require_api(1)

CARRIED = {
    "tiflow": Carried("avro", EVENT_COLUMNS, EVENT_STORAGE, (0, HANDLE_KEY), None),
    "ticdc": Carried("avro", EVENT_COLUMNS, EVENT_STORAGE, (0, PRIMARY_KEY), None),
}
"""What messages carry of events, by producer."""

SPELLINGS = {
    "tiflow": Spelling(html=True, letters=True, separators=True, exponent=1),
    "ticdc": Spelling(html=True, letters=True, separators=True, exponent=1),
}
"""How each producer spells JSON."""

WORDS = SchemaWords(
    "default.{schema}", "{topic}-key", "{topic}-value", False, "enable-row-checksum", ("ticdc",), fills_nulls=False
)
"""What schemas say besides columns."""


class Encoder(RegisteredEncoder):
    """Columns to messages."""

    def __init__(
        self,
        enable_tidb_extension: bool,
        enable_row_checksum: bool,
        avro_enable_watermark: bool,
        avro_include_before_value: bool,
        avro_decimal_handling_mode: str,
        avro_bigint_unsigned_handling_mode: str,
        topic: str,
        producer: str,
        store: TableStore | None = None,
        schemas: SchemaRegistry | None = None,
    ) -> None:
        self.enable_tidb_extension = enable_tidb_extension
        self.enable_row_checksum = enable_row_checksum
        self.avro_enable_watermark = avro_enable_watermark
        self.avro_include_before_value = avro_include_before_value
        self.as_ticdc = producer == "ticdc"
        options: dict[str, object] = {
            "enable-tidb-extension": enable_tidb_extension,
            "enable-row-checksum": enable_row_checksum,
            "avro-include-before-value": avro_include_before_value,
            "avro-decimal-handling-mode": avro_decimal_handling_mode,
            "avro-bigint-unsigned-handling-mode": avro_bigint_unsigned_handling_mode,
        }
        spelling = SPELLINGS[producer]
        super().__init__(
            CARRIED[producer],
            spelling,
            SchemaWriter(FORMS, WORDS, "avro", producer, options, topic, spelling, declared, type_text, NULLABLE),
            ROW_RECORD,
            ROW_KEY_RECORD,
            STATEMENT_MEMBERS,
            (HANDLE_KEY, PRIMARY_KEY | UNIQUE_KEY | MULTIPLE_KEY),
            store,
            schemas,
        )

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
            if self.enable_tidb_extension and self.events.null_at(COMMIT_TS, event):
                self.refuse("insert needs commit_ts")
            if not self.events.null_at(CHECKSUM, event) and not 0 <= self.events.int_at(CHECKSUM, event) <= 4294967295:
                self.refuse("checksum is 0 to 4294967295")
        elif kind == UPDATE:
            if self.events.int_at(NEW_LAYOUT, event) < 0:
                self.refuse("update needs a row image `new`")
            self.check_image(self.events.int_at(NEW_LAYOUT, event), self.events.int_at(NEW_ROW, event))
            if self.avro_include_before_value:
                if self.events.int_at(OLD_LAYOUT, event) < 0:
                    self.refuse("update needs a row image `old`")
                self.check_image(self.events.int_at(OLD_LAYOUT, event), self.events.int_at(OLD_ROW, event))
            if self.nameless and not self.has_schema(table):
                self.refuse("update needs a schema")
            if self.nameless and not self.has_table(table):
                self.refuse("update needs a table")
            if self.enable_tidb_extension and self.events.null_at(COMMIT_TS, event):
                self.refuse("update needs commit_ts")
            if not self.events.null_at(CHECKSUM, event) and not 0 <= self.events.int_at(CHECKSUM, event) <= 4294967295:
                self.refuse("checksum is 0 to 4294967295")
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
            if (
                (
                    (self.enable_tidb_extension and self.avro_include_before_value)
                    or (self.avro_enable_watermark and self.as_ticdc)
                )
                and self.events.null_at(COMMIT_TS, event)
            ):
                self.refuse("delete needs commit_ts")
            if (
                not self.events.null_at(CHECKSUM_BEFORE, event)
                and not 0 <= self.events.int_at(CHECKSUM_BEFORE, event) <= 4294967295
            ):
                self.refuse("checksum_before is 0 to 4294967295")
        elif kind == DDL:
            if self.events.null_at(QUERY, event):
                self.refuse("ddl needs query")
            if self.events.null_at(DDL_TYPE, event):
                self.refuse("ddl needs ddl_type")
            if self.events.null_at(COMMIT_TS, event):
                self.refuse("ddl needs commit_ts")
            if not self.events.null_at(DDL_TYPE, event) and not 0 <= self.events.int_at(DDL_TYPE, event) <= 255:
                self.refuse("ddl_type is 0 to 255")
        elif kind == WATERMARK:
            if self.events.null_at(COMMIT_TS, event):
                self.refuse("watermark needs commit_ts")
        elif kind == BOOTSTRAP:
            self.refuse("Avro with a schema registry cannot carry a bootstrap event")
        else:
            self.refuse(f"there is no kind {kind} of events; the kinds are {KIND_NAMES}")
        return 0

    def has_message(self, event: cython.Py_ssize_t) -> cython.bint:
        """Whether the event has a message with these options."""
        kind: cython.longlong = self.events.int_at(KIND, event)
        if kind == DDL:
            return self.avro_enable_watermark
        if kind == WATERMARK:
            return self.avro_enable_watermark
        return True

    # ---- a message

    def begin_event(self, event: cython.Py_ssize_t) -> cython.int:
        """Looks when the event was committed, and how it describes its table."""
        self.at_event(event, COMMIT_TS)
        self.learn(event, TABLE_AFTER)
        return 0

    def write_message(self, s: RecordSink, key: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """The value and the key of an event."""
        kind: cython.longlong = self.events.int_at(KIND, event)
        if kind == INSERT:
            self.write_key(key, self.events.int_at(NEW_LAYOUT, event), self.events.int_at(NEW_ROW, event), KEY_COLUMNS)
            self.write_insert(s, event)
        elif kind == UPDATE:
            self.write_key(key, self.events.int_at(NEW_LAYOUT, event), self.events.int_at(NEW_ROW, event), KEY_COLUMNS)
            self.write_update(s, event)
        elif kind == DELETE:
            self.write_key(key, self.events.int_at(OLD_LAYOUT, event), self.events.int_at(OLD_ROW, event), KEY_COLUMNS)
            self.write_delete(s, event)
        elif kind == DDL:
            self.no_key = True
            self.write_ddl(s, event)
        elif kind == WATERMARK:
            self.no_key = True
            self.write_watermark(s, event)
        return 0

    def write_insert(self, s: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """c: a row that was inserted."""
        new: RegisteredRows = self.rows_of(self.events.int_at(NEW_LAYOUT, event), ALL_COLUMNS)
        s.raw(new.head)
        new.write(s, self.events.int_at(NEW_ROW, event))
        if self.avro_include_before_value:
            s.raw(b'\x00')
        if self.enable_tidb_extension or self.avro_include_before_value:
            s.raw(b'\x02c')
        if self.enable_tidb_extension:
            self.put_unsigned(s, COMMIT_TS, "commit_ts", event)
            s.varint(self.physical_ms(event, COMMIT_TS, COMMIT_MS))
        if self.enable_row_checksum:
            self.put_digits(s, CHECKSUM, event)
            self.put_truth(s, CHECKSUM_CORRUPTED, event)
            self.put_number(s, CHECKSUM_VERSION, event)
        return 0

    def write_update(self, s: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """u: a row that was updated."""
        new: RegisteredRows = self.rows_of(self.events.int_at(NEW_LAYOUT, event), ALL_COLUMNS)
        s.raw(new.head)
        new.write(s, self.events.int_at(NEW_ROW, event))
        if self.avro_include_before_value:
            old: RegisteredRows = self.rows_of(self.events.int_at(OLD_LAYOUT, event), ALL_COLUMNS)
            self.check_alike(new, old, "old")
            s.raw(b'\x02')
            old.write(s, self.events.int_at(OLD_ROW, event))
        if self.enable_tidb_extension or self.avro_include_before_value:
            s.raw(b'\x02u')
        if self.enable_tidb_extension:
            self.put_unsigned(s, COMMIT_TS, "commit_ts", event)
            s.varint(self.physical_ms(event, COMMIT_TS, COMMIT_MS))
        if self.enable_row_checksum:
            self.put_digits(s, CHECKSUM, event)
            self.put_truth(s, CHECKSUM_CORRUPTED, event)
            self.put_number(s, CHECKSUM_VERSION, event)
        return 0

    def write_delete(self, s: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """d: a row that was deleted."""
        if not self.avro_include_before_value:
            if self.avro_enable_watermark and self.as_ticdc:
                s.raw(b'\x03')
                s.u64be(self.events.uint_at(COMMIT_TS, event))
            else:
                self.no_value = True
            return 0
        old: RegisteredRows = self.rows_of(self.events.int_at(OLD_LAYOUT, event), ALL_COLUMNS)
        s.raw(old.head)
        old.write(s, self.events.int_at(OLD_ROW, event))
        if self.avro_include_before_value:
            s.raw(b'\x02')
            old.write(s, self.events.int_at(OLD_ROW, event))
        if self.enable_tidb_extension or self.avro_include_before_value:
            s.raw(b'\x02d')
        if self.enable_tidb_extension:
            self.put_unsigned(s, COMMIT_TS, "commit_ts", event)
            s.varint(self.physical_ms(event, COMMIT_TS, COMMIT_MS))
        if self.enable_row_checksum:
            self.put_digits(s, CHECKSUM_BEFORE, event)
            self.put_truth(s, CHECKSUM_CORRUPTED, event)
            self.put_number(s, CHECKSUM_VERSION, event)
        return 0

    def write_ddl(self, s: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """A statement, without a schema."""
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        s.raw(b'\x01')
        self.put_statement(
            s,
            [
                self.said_text(QUERY, event),
                self.said_int(DDL_TYPE, event),
                self.said_schema(table),
                self.said_table(table),
                self.said_uint(COMMIT_TS, event)
            ],
        )
        return 0

    def write_watermark(self, s: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """A watermark, without a schema: its TSO."""
        s.raw(b'\x02')
        s.u64be(self.events.uint_at(COMMIT_TS, event))
        return 0
