"""Encoder of Debezium.

An object for a changed row, a statement or a watermark, in Kafka Connect's envelope: a schema block beside it
has its schema. The key has the columns that identify the row.

Follow a message through the function of its kind, such as `write_insert`: what is the same in every such message stands
there as it is sent.
"""
# Generated from spec/debezium.yaml by "make generate". Do not edit.

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tidewire.debezium.decoder import CHANGE_PART, column_values
from tidewire.debezium.names import EVENT_COLUMNS, EVENT_STORAGE
from tidewire.debezium.schema_types import SCHEMA_TYPES
from tidewire.events import KIND_NAMES
from tidewire.mysql import ddl_type_of, declared, type_text
from tidewire.runtime import require_api
from tidewire.runtime.batch import Column
from tidewire.runtime.connect.blocks import BlockPart
from tidewire.runtime.encoding.message_encoder import Carried
from tidewire.runtime.json.connect_encoder import ConnectEncoder
from tidewire.runtime.json.sink import JsonSink, Spelling
from tidewire.runtime.json.table_changes_written import ChangeWords, ChangeWriter
from tidewire.runtime.json.row_writer import RowTexts, WrittenRows
from tidewire.tables import TableDescription, TableStore
from tidewire.runtime import cython
from tidewire.debezium.names import (
    KIND, COMMIT_TS, COMMIT_MS, SENT_MS, TABLE, START_TS, DDL_TYPE, QUERY, TABLE_AFTER, TABLE_BEFORE, TIME_ZONE,
    NEW_LAYOUT, NEW_ROW, OLD_LAYOUT, OLD_ROW, ALL_COLUMNS, HANDLE_KEY_COLUMNS
)
from tidewire.names import INSERT, UPDATE, DELETE, DDL, WATERMARK, BOOTSTRAP, HANDLE_KEY, NULLABLE


require_api(1)

SPELLING = Spelling(html=False, letters=False, separators=False, exponent=2)
"""How text and numbers are spelled."""

CARRIED = Carried("debezium", EVENT_COLUMNS, EVENT_STORAGE, (0, HANDLE_KEY), column_values)
"""What messages carry of events."""

VALUE_BLOCKS = {
    "row": (
        BlockPart(
            (
                '{"type":"struct","optional":false,"name":"',
                "option cluster-id",
                ".",
                "schema",
                ".",
                "table",
                '.Envelope","version":1,"fields":[{"type":"struct","optional":true,"name":"',
                "option cluster-id",
                ".",
                "schema",
                ".",
                "table",
                '.Value","field":"before","fields":[',
                "columns",
                ']},{"type":"struct","optional":true,"name":"',
                "option cluster-id",
                ".",
                "schema",
                ".",
                "table",
                '.Value","field":"after","fields":[',
                "columns",
                ']},{"type":"struct","fields":[{"type":"string","optional":false,"field":"version"},{"type":"string",'
                '"optional":false,"field":"connector"},{"type":"string","optional":false,"field":"name"},'
                '{"type":"int64","optional":false,"field":"ts_ms"},{"type":"string","optional":true,'
                '"name":"io.debezium.data.Enum","version":1,"parameters":{"allowed":"true,last,false,incremental"},'
                '"default":"false","field":"snapshot"},{"type":"string","optional":false,"field":"db"},'
                '{"type":"string","optional":true,"field":"sequence"},{"type":"string","optional":true,'
                '"field":"table"},{"type":"int64","optional":false,"field":"server_id"},{"type":"string",'
                '"optional":true,"field":"gtid"},{"type":"string","optional":false,"field":"file"},{"type":"int64",'
                '"optional":false,"field":"pos"},{"type":"int32","optional":false,"field":"row"},{"type":"int64",'
                '"optional":true,"field":"thread"},{"type":"string","optional":true,"field":"query"}',
            )
        ),
        BlockPart((',{"type":"int64","optional":false,"field":"commit_ts"}',), "enable-tidb-extension", ("ticdc",)),
        BlockPart((',{"type":"string","optional":false,"field":"cluster_id"}',), "enable-tidb-extension", ("ticdc",)),
        BlockPart((',{"type":"int64","optional":false,"field":"start_ts"}',), "debezium-include-start-ts", ()),
        BlockPart(
            (
                '],"optional":false,"name":"io.debezium.connector.mysql.Source","field":"source"},{"type":"string",'
                '"optional":false,"field":"op"},{"type":"int64","optional":true,"field":"ts_ms"},{"type":"struct",'
                '"fields":[{"type":"string","optional":false,"field":"id"},{"type":"int64","optional":false,'
                '"field":"total_order"},{"type":"int64","optional":false,"field":"data_collection_order"}],'
                '"optional":true,"name":"event.block","version":1,"field":"transaction"}]}',
            )
        ),
    ),
    "ddl": (
        BlockPart(
            (
                '{"optional":false,"type":"struct","version":1,"name":"io.debezium.connector.mysql.SchemaChangeValue",'
                '"fields":[{"type":"struct","fields":[{"type":"string","optional":false,"field":"version"},'
                '{"type":"string","optional":false,"field":"connector"},{"type":"string","optional":false,'
                '"field":"name"},{"type":"int64","optional":false,"field":"ts_ms"},{"type":"string","optional":true,'
                '"name":"io.debezium.data.Enum","version":1,"parameters":{"allowed":"true,last,false,incremental"},'
                '"default":"false","field":"snapshot"},{"type":"string","optional":false,"field":"db"},'
                '{"type":"string","optional":true,"field":"sequence"},{"type":"string","optional":true,'
                '"field":"table"},{"type":"int64","optional":false,"field":"server_id"},{"type":"string",'
                '"optional":true,"field":"gtid"},{"type":"string","optional":false,"field":"file"},{"type":"int64",'
                '"optional":false,"field":"pos"},{"type":"int32","optional":false,"field":"row"},{"type":"int64",'
                '"optional":true,"field":"thread"},{"type":"string","optional":true,"field":"query"}',
            )
        ),
        BlockPart((',{"type":"int64","optional":false,"field":"commit_ts"}',), "enable-tidb-extension", ("ticdc",)),
        BlockPart((',{"type":"string","optional":false,"field":"cluster_id"}',), "enable-tidb-extension", ("ticdc",)),
        BlockPart(
            (
                '],"optional":false,"name":"io.debezium.connector.mysql.Source","field":"source"},{"field":"ts_ms",'
                '"optional":false,"type":"int64"},{"field":"databaseName","optional":true,"type":"string"},'
                '{"field":"schemaName","optional":true,"type":"string"},{"field":"ddl","optional":true,'
                '"type":"string"},{"field":"tableChanges","optional":false,"type":"array",'
                '"items":{"name":"io.debezium.connector.schema.Change","optional":false,"type":"struct","version":1,'
                '"fields":[{"field":"type","optional":false,"type":"string"},{"field":"id","optional":false,'
                '"type":"string"},{"field":"table","optional":true,"type":"struct",'
                '"name":"io.debezium.connector.schema.Table","version":1,"fields":[{"field":"defaultCharsetName",'
                '"optional":true,"type":"string"},{"field":"primaryKeyColumnNames","optional":true,"type":"array",'
                '"items":{"type":"string","optional":false}},{"field":"columns","optional":false,"type":"array",'
                '"items":{"name":"io.debezium.connector.schema.Column","optional":false,"type":"struct","version":1,'
                '"fields":[{"field":"name","optional":false,"type":"string"},{"field":"jdbcType","optional":false,'
                '"type":"int32"},{"field":"nativeType","optional":true,"type":"int32"},{"field":"typeName",'
                '"optional":false,"type":"string"},{"field":"typeExpression","optional":true,"type":"string"},'
                '{"field":"charsetName","optional":true,"type":"string"},{"field":"length","optional":true,'
                '"type":"int32"},{"field":"scale","optional":true,"type":"int32"},{"field":"position",'
                '"optional":false,"type":"int32"},{"field":"optional","optional":true,"type":"boolean"},'
                '{"field":"autoIncremented","optional":true,"type":"boolean"},{"field":"generated","optional":true,'
                '"type":"boolean"},{"field":"comment","optional":true,"type":"string"},'
                '{"field":"defaultValueExpression","optional":true,"type":"string"},{"field":"enumValues",'
                '"optional":true,"type":"array","items":{"type":"string","optional":false}}]}},{"field":"comment",'
                '"optional":true,"type":"string"}]}]}}]}',
            )
        ),
    ),
    "watermark": (
        BlockPart(
            (
                '{"type":"struct","optional":false,"name":"',
                "option cluster-id",
                '.watermark.Envelope","version":1,"fields":[{"type":"struct","fields":[{"type":"string",'
                '"optional":false,"field":"version"},{"type":"string","optional":false,"field":"connector"},'
                '{"type":"string","optional":false,"field":"name"},{"type":"int64","optional":false,"field":"ts_ms"},'
                '{"type":"string","optional":true,"name":"io.debezium.data.Enum","version":1,'
                '"parameters":{"allowed":"true,last,false,incremental"},"default":"false","field":"snapshot"},'
                '{"type":"string","optional":false,"field":"db"},{"type":"string","optional":true,"field":"sequence"},'
                '{"type":"string","optional":true,"field":"table"},{"type":"int64","optional":false,'
                '"field":"server_id"},{"type":"string","optional":true,"field":"gtid"},{"type":"string",'
                '"optional":false,"field":"file"},{"type":"int64","optional":false,"field":"pos"},{"type":"int32",'
                '"optional":false,"field":"row"},{"type":"int64","optional":true,"field":"thread"},{"type":"string",'
                '"optional":true,"field":"query"}',
            )
        ),
        BlockPart((',{"type":"int64","optional":false,"field":"commit_ts"}',), "enable-tidb-extension", ("ticdc",)),
        BlockPart((',{"type":"string","optional":false,"field":"cluster_id"}',), "enable-tidb-extension", ("ticdc",)),
        BlockPart(
            (
                '],"optional":false,"name":"io.debezium.connector.mysql.Source","field":"source"},{"type":"string",'
                '"optional":false,"field":"op"},{"type":"int64","optional":true,"field":"ts_ms"},{"type":"struct",'
                '"fields":[{"type":"string","optional":false,"field":"id"},{"type":"int64","optional":false,'
                '"field":"total_order"},{"type":"int64","optional":false,"field":"data_collection_order"}],'
                '"optional":true,"name":"event.block","version":1,"field":"transaction"}]}',
            )
        ),
    ),
}
"""The texts of the blocks of values, by class of events, in pieces: what a spec says of them is spelled out."""

KEY_BLOCKS = {
    "row": (
        BlockPart(
            (
                '{"type":"struct","name":"',
                "option cluster-id",
                ".",
                "schema",
                ".",
                "table",
                '.Key","optional":false,"fields":[',
                "key_columns",
                "]}",
            )
        ),
    ),
    "ddl": (
        BlockPart(
            (
                '{"type":"struct","name":"io.debezium.connector.mysql.SchemaChangeKey","optional":false,"version":1,'
                '"fields":[{"field":"databaseName","optional":false,"type":"string"}]}',
            )
        ),
    ),
    "watermark": (
        BlockPart(('{"type":"struct","name":"', "option cluster-id", '.watermark.Key","optional":false,"fields":[]}')),
    ),
}
"""The texts of the blocks of keys, by class of events, in pieces: what a spec says of them is spelled out."""

CHANGES = ChangeWords(
    (1, 3, 60, 21),
    (5, 12, 6, 61, 19, 20, 23, 42, 64, 71, 72, 13, 15, 17, 22, 26, 7, 18, 41, 32, 33, 14, 47),
    (2, 4, 8, 24, 11),
    nothing=(11,),
    no_table=(4,),
    old_name=(14,),
)
"""Which DDL types create, alter and drop tables, and what the changes of some of them lack or have as well."""


class Encoder(ConnectEncoder):
    """Columns to messages."""

    def __init__(
        self,
        enable_tidb_extension: bool,
        debezium_disable_schema: bool,
        debezium_output_old_value: bool,
        debezium_include_start_ts: bool,
        cluster_id: str,
        producer: str,
        store: TableStore | None = None,
    ) -> None:
        self.enable_tidb_extension = enable_tidb_extension
        self.debezium_disable_schema = debezium_disable_schema
        self.debezium_output_old_value = debezium_output_old_value
        self.debezium_include_start_ts = debezium_include_start_ts
        self.cluster_id = cluster_id
        self.producer = producer
        super().__init__(
            CARRIED,
            SPELLING,
            absent=(b'""', b'""'),
            producer=producer,
            schema_types=SCHEMA_TYPES,
            unsent={"tiflow": "last", "ticdc": "twice"},
            nulls={"tiflow": "defaults", "ticdc": "parsed"},
            value_blocks=VALUE_BLOCKS,
            key_blocks=KEY_BLOCKS,
            options={
                "enable-tidb-extension": enable_tidb_extension,
                "debezium-disable-schema": debezium_disable_schema,
                "debezium-output-old-value": debezium_output_old_value,
                "debezium-include-start-ts": debezium_include_start_ts,
                "cluster-id": cluster_id,
            },
            blocks=not debezium_disable_schema,
            store=store,
            declared=declared,
            type_text=type_text,
            changes=CHANGES,
            flags=(NULLABLE, HANDLE_KEY),
            ddl_type_of=ddl_type_of,
            types=TableDescription.TYPES,
        )
        self.description_writer = ChangeWriter(
            CHANGE_PART, producer, "debezium", SPELLING, TableDescription.TYPES, "jdbc"
        )

    def describe(self, columns: Sequence[Column], chosen: list[int], codecs: list[Any]) -> RowTexts:
        return RowTexts("debezium", columns, chosen, codecs, (), SPELLING)

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
            if self.events.null_at(COMMIT_TS, event):
                self.refuse("ddl needs commit_ts")
            if self.events.null_at(QUERY, event):
                self.refuse("ddl needs query")
            if not self.events.null_at(DDL_TYPE, event) and not 0 <= self.events.int_at(DDL_TYPE, event) <= 255:
                self.refuse("ddl_type is 0 to 255")
        elif kind == WATERMARK:
            if self.events.null_at(COMMIT_TS, event):
                self.refuse("watermark needs commit_ts")
        elif kind == BOOTSTRAP:
            self.refuse("Debezium cannot carry a bootstrap event")
        else:
            self.refuse(f"there is no kind {kind} of events; the kinds are {KIND_NAMES}")
        return 0

    def has_message(self, event: cython.Py_ssize_t) -> cython.bint:
        """Whether the event has a message with these options."""
        kind: cython.longlong = self.events.int_at(KIND, event)
        if kind == WATERMARK:
            return self.enable_tidb_extension
        if kind == DDL:
            return self.has_changes(event, DDL_TYPE, QUERY)
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
        return 0

    def write_insert(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """c: a row that was inserted."""
        new: WrittenRows = self.prepare(self.events.int_at(NEW_LAYOUT, event), ALL_COLUMNS)
        new_row: cython.Py_ssize_t = self.events.int_at(NEW_ROW, event)
        s.zone = self.zone(event, TIME_ZONE)
        if not new.texts.width and self.untold(self.events.int_at(NEW_LAYOUT, event)):
            self.refuse("its row image `new` has no columns, and the message does not say that its table has none")
        s.raw(b'{')
        self.write_row_source(s, event)
        s.raw(b',"ts_ms":')
        s.integer(self.sending_ms(event, SENT_MS))
        s.raw(b',"transaction":null,"op":"c","before":null,"after":')
        new.write(s, new_row)
        s.raw(b'}')
        return 0

    def write_update(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """u: a row that was updated."""
        new: WrittenRows = self.prepare(self.events.int_at(NEW_LAYOUT, event), ALL_COLUMNS)
        new_row: cython.Py_ssize_t = self.events.int_at(NEW_ROW, event)
        old: WrittenRows = self.prepare(
            self.events.int_at(OLD_LAYOUT, event), ALL_COLUMNS
        ) if self.debezium_output_old_value else new
        old_row: cython.Py_ssize_t = self.events.int_at(OLD_ROW, event) if self.debezium_output_old_value else 0
        s.zone = self.zone(event, TIME_ZONE)
        if old.texts is not new.texts:
            new.texts.check_alike(old.texts, "old")
            if self.with_blocks:
                new.texts.check_covers(old.texts, "old", "new")
        if not new.texts.width and self.untold(self.events.int_at(NEW_LAYOUT, event)):
            self.refuse("its row image `new` has no columns, and the message does not say that its table has none")
        s.raw(b'{')
        self.write_row_source(s, event)
        s.raw(b',"ts_ms":')
        s.integer(self.sending_ms(event, SENT_MS))
        s.raw(b',"transaction":null,"op":"u"')
        if self.debezium_output_old_value:
            s.raw(b',"before":')
            old.write(s, old_row)
        s.raw(b',"after":')
        new.write(s, new_row)
        s.raw(b'}')
        return 0

    def write_delete(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """d: a row that was deleted."""
        old: WrittenRows = self.prepare(self.events.int_at(OLD_LAYOUT, event), ALL_COLUMNS)
        old_row: cython.Py_ssize_t = self.events.int_at(OLD_ROW, event)
        s.zone = self.zone(event, TIME_ZONE)
        if not old.texts.width and self.untold(self.events.int_at(OLD_LAYOUT, event)):
            self.refuse("its row image `old` has no columns, and the message does not say that its table has none")
        s.raw(b'{')
        self.write_row_source(s, event)
        s.raw(b',"ts_ms":')
        s.integer(self.sending_ms(event, SENT_MS))
        s.raw(b',"transaction":null,"op":"d","after":null,"before":')
        old.write(s, old_row)
        s.raw(b'}')
        return 0

    def write_ddl(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """ddl: a DDL statement that was executed."""
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        s.raw(b'{"source":{"version":"2.4.0.Final","connector":"TiCDC","name":')
        s.string(self.cluster_id.encode())
        s.raw(b',"ts_ms":')
        s.integer(self.physical_ms(event, COMMIT_TS, COMMIT_MS))
        s.raw(b',"snapshot":"false","db":')
        s.raw(self.schemas[table])
        s.raw(b',"table":')
        s.raw(self.tables[table])
        s.raw(b',"server_id":0,"gtid":null,"file":"","pos":0,"row":0,"thread":0,"query":null,"commit_ts":')
        s.unsigned(self.events.uint_at(COMMIT_TS, event))
        s.raw(b',"cluster_id":')
        s.string(self.cluster_id.encode())
        s.raw(b'},"ts_ms":')
        s.integer(self.sending_ms(event, SENT_MS))
        s.raw(b',"databaseName":')
        s.raw(self.schemas[table])
        s.raw(b',"schemaName":null,"ddl":')
        s.text_of(self.events, QUERY, event)
        s.raw(b',"tableChanges":')
        s.raw(self.changes(event, TABLE_AFTER, TABLE, DDL_TYPE, QUERY, TABLE_BEFORE))
        s.raw(b'}')
        return 0

    def write_watermark(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """m: every event with a smaller commit ts has been sent."""
        s.raw(b'{"source":{"version":"2.4.0.Final","connector":"TiCDC","name":')
        s.string(self.cluster_id.encode())
        s.raw(b',"ts_ms":')
        s.integer(self.physical_ms(event, COMMIT_TS, COMMIT_MS))
        s.raw(
            b',"snapshot":"false","db":"","table":"","server_id":0,"gtid":null,"file":"","pos":0,"row":0,"thread":0,'
            b'"query":null,"commit_ts":'
        )
        s.unsigned(self.events.uint_at(COMMIT_TS, event))
        s.raw(b',"cluster_id":')
        s.string(self.cluster_id.encode())
        s.raw(b'},"ts_ms":')
        s.integer(self.sending_ms(event, SENT_MS))
        s.raw(b',"transaction":null,"op":"m"}')
        return 0

    def write_row_source(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """source of insert, update, delete."""
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        s.raw(b'"source":{"version":"2.4.0.Final","connector":"TiCDC","name":')
        s.string(self.cluster_id.encode())
        s.raw(b',"ts_ms":')
        s.integer(self.physical_ms(event, COMMIT_TS, COMMIT_MS))
        s.raw(b',"snapshot":"false","db":')
        s.raw(self.schemas[table])
        s.raw(b',"table":')
        s.raw(self.tables[table])
        s.raw(b',"server_id":0,"gtid":null,"file":"","pos":0,"row":0,"thread":0,"query":null,"commit_ts":')
        s.unsigned(self.events.uint_at(COMMIT_TS, event))
        if self.debezium_include_start_ts and not self.events.null_at(START_TS, event):
            s.raw(b',"start_ts":')
            s.unsigned(self.events.uint_at(START_TS, event))
        s.raw(b',"cluster_id":')
        s.string(self.cluster_id.encode())
        s.raw(b'}')
        return 0

    def begin_event(self, event: cython.Py_ssize_t) -> cython.int:
        """Looks when the event was committed."""
        self.at_event(event, COMMIT_TS)
        return 0

    def write_key(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """The payload of the event's key."""
        kind: cython.longlong = self.events.int_at(KIND, event)
        rows: WrittenRows
        if kind == INSERT or kind == UPDATE:
            rows = self.prepare(self.events.int_at(NEW_LAYOUT, event), HANDLE_KEY_COLUMNS)
            s.zone = self.zone(event, TIME_ZONE)
            rows.write(s, self.events.int_at(NEW_ROW, event))
        elif kind == DELETE:
            rows = self.prepare(self.events.int_at(OLD_LAYOUT, event), HANDLE_KEY_COLUMNS)
            s.zone = self.zone(event, TIME_ZONE)
            rows.write(s, self.events.int_at(OLD_ROW, event))
        elif kind == DDL:
            table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
            s.raw(b'{"databaseName":')
            s.raw(self.schemas[table])
            s.raw(b'}')
        elif kind == WATERMARK:
            s.raw(b'{}')
        return 0

    def write_block(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """The block that says what the value of the event is."""
        kind: cython.longlong = self.events.int_at(KIND, event)
        if kind == INSERT or kind == UPDATE:
            s.raw(
                self.value_block_of_row("row", self.events.int_at(TABLE, event), self.events.int_at(NEW_LAYOUT, event))
            )
        elif kind == DELETE:
            s.raw(
                self.value_block_of_row("row", self.events.int_at(TABLE, event), self.events.int_at(OLD_LAYOUT, event))
            )
        elif kind == DDL:
            s.raw(self.value_block("ddl"))
        elif kind == WATERMARK:
            s.raw(self.value_block("watermark"))
        return 0

    def write_key_block(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """The block that says what the key of the event is."""
        kind: cython.longlong = self.events.int_at(KIND, event)
        if kind == INSERT or kind == UPDATE:
            s.raw(self.key_block_of_row("row", self.events.int_at(TABLE, event), self.events.int_at(NEW_LAYOUT, event)))
        elif kind == DELETE:
            s.raw(self.key_block_of_row("row", self.events.int_at(TABLE, event), self.events.int_at(OLD_LAYOUT, event)))
        elif kind == DDL:
            s.raw(self.key_block("ddl"))
        elif kind == WATERMARK:
            s.raw(self.key_block("watermark"))
        return 0
