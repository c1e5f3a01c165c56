"""Encoder of Debezium-Avro.

Debezium's envelope as a record in Avro's binary encoding for a changed row, with a schema that a registry has
under the id in front of the record. The Kafka key is a record of the columns that identify the row.

Follow an event through the function of its kind, such as `write_insert`: what is the same in every such message stands
there as it is sent.
"""
# Generated from spec/debezium-avro.yaml by "make generate". Do not edit.

from __future__ import annotations

from tidewire.debezium_avro.decoder import FORMS, ROW_KEY_RECORD, ROW_RECORD, STRANGERS
from tidewire.debezium_avro.names import EVENT_COLUMNS, EVENT_STORAGE
from tidewire.events import KIND_NAMES
from tidewire.mysql import declared, type_text
from tidewire.runtime import require_api
from tidewire.runtime.encoding.message_encoder import Carried
from tidewire.runtime.json.sink import Spelling
from tidewire.runtime.record.sink import RecordSink, string_bytes
from tidewire.runtime.registered.schema_builder import SchemaWords, SchemaWriter
from tidewire.runtime.registered.encoder import RegisteredEncoder
from tidewire.runtime.registered.written import RegisteredRows
from tidewire.runtime.registry import SchemaRegistry
from tidewire.tables import TableStore
from tidewire.runtime import cython
from tidewire.debezium_avro.names import (
    KIND, COMMIT_TS, COMMIT_MS, SENT_MS, TABLE, TABLE_AFTER, TIME_ZONE, NEW_LAYOUT, NEW_ROW, OLD_LAYOUT, OLD_ROW,
    ALL_COLUMNS, KEY_COLUMNS
)
from tidewire.names import (
    INSERT, UPDATE, DELETE, DDL, WATERMARK, BOOTSTRAP, HANDLE_KEY, PRIMARY_KEY, UNIQUE_KEY, MULTIPLE_KEY, NULLABLE
)


require_api(1)

CARRIED = {
    "ticdc": Carried("debezium-avro", EVENT_COLUMNS, EVENT_STORAGE, (0, HANDLE_KEY), None),
}
"""What messages carry of events, by producer."""

SPELLINGS = {
    "ticdc": Spelling(html=True, letters=True, separators=True, exponent=1),
}
"""How each producer spells JSON."""

WORDS = SchemaWords("{cluster-id}.{schema}", "{topic}-key", "{topic}-value", True, None, (), fills_nulls=True)
"""What schemas say besides columns."""


class Encoder(RegisteredEncoder):
    """Columns to messages."""

    def __init__(
        self,
        enable_tidb_extension: bool,
        avro_enable_watermark: bool,
        debezium_output_old_value: bool,
        avro_decimal_handling_mode: str,
        avro_bigint_unsigned_handling_mode: str,
        cluster_id: str,
        topic: str,
        producer: str,
        store: TableStore | None = None,
        schemas: SchemaRegistry | None = None,
    ) -> None:
        self.avro_enable_watermark = avro_enable_watermark
        self.debezium_output_old_value = debezium_output_old_value
        self.text_of_cluster_id = string_bytes(cluster_id)
        options: dict[str, object] = {
            "enable-tidb-extension": enable_tidb_extension,
            "avro-decimal-handling-mode": avro_decimal_handling_mode,
            "avro-bigint-unsigned-handling-mode": avro_bigint_unsigned_handling_mode,
            "cluster-id": cluster_id,
        }
        spelling = SPELLINGS[producer]
        super().__init__(
            CARRIED[producer],
            spelling,
            SchemaWriter(
                FORMS, WORDS, "debezium-avro", producer, options, topic, spelling, declared, type_text, NULLABLE
            ),
            ROW_RECORD,
            ROW_KEY_RECORD,
            (),
            (HANDLE_KEY, PRIMARY_KEY | UNIQUE_KEY | MULTIPLE_KEY),
            store,
            schemas,
            STRANGERS,
            {"cluster_id": cluster_id},
            producer,
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
            if self.events.null_at(COMMIT_TS, event):
                self.refuse("insert needs commit_ts")
        elif kind == UPDATE:
            if self.events.int_at(NEW_LAYOUT, event) < 0:
                self.refuse("update needs a row image `new`")
            self.check_image(self.events.int_at(NEW_LAYOUT, event), self.events.int_at(NEW_ROW, event))
            if self.debezium_output_old_value:
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
            pass
        elif kind == WATERMARK:
            pass
        elif kind == BOOTSTRAP:
            self.refuse("Debezium-Avro cannot carry a bootstrap event")
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
        self.row_zone = self.zone(event, TIME_ZONE)
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
            self.write_ddl(s, key, event)
        elif kind == WATERMARK:
            self.write_watermark(s, key, event)
        return 0

    def write_insert(self, s: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """c: a row that was inserted."""
        new: RegisteredRows = self.rows_of(self.events.int_at(NEW_LAYOUT, event), ALL_COLUMNS)
        s.raw(new.head)
        s.raw(b'\x00\x02')
        new.write(s, self.events.int_at(NEW_ROW, event))
        s.raw(b'\x162.4.0.Final\nTiCDC')
        s.raw(self.text_of_cluster_id)
        s.varint(self.physical_ms(event, COMMIT_TS, COMMIT_MS))
        s.raw(b'\x00')
        s.raw(new.schema_text)
        s.raw(new.table_text)
        s.raw(b'\x00\x00\x00\x00\x00\x00\x00')
        self.put_unsigned(s, COMMIT_TS, "commit_ts", event)
        s.raw(self.text_of_cluster_id)
        s.raw(b'\x02c')
        s.varint(self.sending_ms(event, SENT_MS))
        return 0

    def write_update(self, s: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """u: a row that was updated."""
        new: RegisteredRows = self.rows_of(self.events.int_at(NEW_LAYOUT, event), ALL_COLUMNS)
        s.raw(new.head)
        if self.debezium_output_old_value:
            old: RegisteredRows = self.rows_of(self.events.int_at(OLD_LAYOUT, event), ALL_COLUMNS)
            self.check_alike(new, old, "old")
            s.raw(b'\x02')
            old.write(s, self.events.int_at(OLD_ROW, event))
        else:
            s.raw(b'\x00')
        s.raw(b'\x02')
        new.write(s, self.events.int_at(NEW_ROW, event))
        s.raw(b'\x162.4.0.Final\nTiCDC')
        s.raw(self.text_of_cluster_id)
        s.varint(self.physical_ms(event, COMMIT_TS, COMMIT_MS))
        s.raw(b'\x00')
        s.raw(new.schema_text)
        s.raw(new.table_text)
        s.raw(b'\x00\x00\x00\x00\x00\x00\x00')
        self.put_unsigned(s, COMMIT_TS, "commit_ts", event)
        s.raw(self.text_of_cluster_id)
        s.raw(b'\x02u')
        s.varint(self.sending_ms(event, SENT_MS))
        return 0

    def write_delete(self, s: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """d: a row that was deleted."""
        old: RegisteredRows = self.rows_of(self.events.int_at(OLD_LAYOUT, event), ALL_COLUMNS)
        s.raw(old.head)
        s.raw(b'\x02')
        old.write(s, self.events.int_at(OLD_ROW, event))
        s.raw(b'\x00\x162.4.0.Final\nTiCDC')
        s.raw(self.text_of_cluster_id)
        s.varint(self.physical_ms(event, COMMIT_TS, COMMIT_MS))
        s.raw(b'\x00')
        s.raw(old.schema_text)
        s.raw(old.table_text)
        s.raw(b'\x00\x00\x00\x00\x00\x00\x00')
        self.put_unsigned(s, COMMIT_TS, "commit_ts", event)
        s.raw(self.text_of_cluster_id)
        s.raw(b'\x02d')
        s.varint(self.sending_ms(event, SENT_MS))
        return 0

    def write_ddl(self, s: RecordSink, key: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """A DDL statement that was executed."""
        self.put_connect_message(s, key, event, "ddl", self.events.int_at(TABLE, event))
        return 0

    def write_watermark(self, s: RecordSink, key: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """Every event with a smaller commit ts has been sent."""
        self.put_connect_message(s, key, event, "watermark", -1)
        return 0
