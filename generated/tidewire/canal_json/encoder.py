"""Encoder of Canal-JSON.

One JSON object for a changed row, a DDL statement or a watermark. Column values are text or null. The Kafka key
is empty. A storage sink writes the rows of a transaction into one value, each followed by a terminator.

Follow a message through the function of its kind, such as `write_insert`: what is the same in every such message stands
there as it is sent.
"""
# Generated from spec/canal-json.yaml by "make generate". Do not edit.

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tidewire.canal_json.decoder import column_values
from tidewire.canal_json.names import EVENT_COLUMNS, EVENT_STORAGE
from tidewire.events import KIND_NAMES
from tidewire.mysql import ddl_class, declared_or_undeclared, mapped, type_text
from tidewire.runtime import require_api
from tidewire.runtime.batch import Column
from tidewire.runtime.encoding.message_encoder import Carried
from tidewire.runtime.json.encoders import ObjectEncoder
from tidewire.runtime.json.encoded_type_check import SaidTypes
from tidewire.runtime.json.sink import JsonSink, Spelling
from tidewire.runtime.json.json_literals import names_json, texts_json
from tidewire.runtime.json.row_writer import MappedTexts, RowTexts, WrittenRows
from tidewire.runtime import cython
from tidewire.canal_json.names import (
    KIND, COMMIT_TS, COMMIT_MS, SENT_MS, TABLE, ROW_KEY, HANDLE_KEY_ONLY, CLAIM_CHECK, DDL_CLASS, QUERY, NEW_LAYOUT,
    NEW_ROW, OLD_LAYOUT, OLD_ROW, PARTITION_ID, DDL_TYPE, ALL_COLUMNS, HANDLE_KEY_COLUMNS
)
from tidewire.names import INSERT, UPDATE, DELETE, DDL, WATERMARK, BOOTSTRAP, HANDLE_KEY, PRIMARY_KEY


require_api(1)

SPELLING = Spelling(html=True, letters=False, separators=True, exponent=1)
"""How text and numbers are spelled."""

CARRIED = Carried("canal-json", EVENT_COLUMNS, EVENT_STORAGE, (0, HANDLE_KEY), column_values)
"""What messages carry of events."""

DDL_CLASSES = ("CREATE", "ERASE", "ALTER", "CINDEX", "DINDEX", "TRUNCATE", "RENAME", "QUERY")
"""The classes of DDL statements."""

TYPES = SaidTypes("canal-json", declared_or_undeclared, type_text, mapped, column_values, "content-compatible")
"""The types of columns as messages say them."""


class RowMembers(RowTexts):
    """What the messages of rows with these columns say of them, spelled once."""

    def __init__(
        self, encoder: Encoder, columns: Sequence[Column], chosen: Sequence[int], codecs: Sequence[Any]
    ) -> None:
        """
        Args:
            encoder: whose options hold.
            columns: of the layout.
            chosen: which of them are written, by position.
            codecs: how the values of each of the columns are written.
        """
        kept = [columns[k] for k in chosen]
        types = [TYPES.declared(column, encoder.content_compatible) for column in kept]
        said = [(type, column.flags & PRIMARY_KEY) for type, column in zip(types, kept)]
        super().__init__("canal-json", columns, chosen, codecs, said, SPELLING)
        self.message_pk_names = names_json(
            "canal-json", [column.name for column in columns if column.flags & PRIMARY_KEY], b'[]', SPELLING
        )
        self.message_sql_type = MappedTexts(
            self, [TYPES.mapped(column, "java_sql") for column in kept], b'null', SPELLING
        )
        self.message_mysql_type = texts_json(
            "canal-json",
            [(column.name, type) for column, type in zip(kept, types)],
            encoder.empty_message_mysql_type,
            SPELLING,
        )


class Encoder(ObjectEncoder):
    """Columns to messages."""

    def __init__(
        self,
        enable_tidb_extension: bool,
        content_compatible: bool,
        only_output_updated_columns: bool,
        delete_only_output_handle_key_columns: bool,
        output_row_key: bool,
        terminator: str,
        producer: str,
    ) -> None:
        self.enable_tidb_extension = enable_tidb_extension
        self.content_compatible = content_compatible
        self.only_output_updated_columns = only_output_updated_columns
        self.delete_only_output_handle_key_columns = delete_only_output_handle_key_columns
        self.output_row_key = output_row_key
        self.terminator = terminator
        self.producer = producer
        self.empty_message_mysql_type = {"tiflow": b'{}', "ticdc": b'null'}[producer]
        super().__init__(CARRIED, SPELLING, absent=(b'""', b'""'), terminated=terminator.encode())

    def describe(self, columns: Sequence[Column], chosen: list[int], codecs: list[Any]) -> RowMembers:
        return RowMembers(self, columns, chosen, codecs)

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
            if self.events.null_at(COMMIT_TS, event) and self.events.null_at(COMMIT_MS, event):
                self.refuse("insert needs commit_ts or commit_ms")
            if self.enable_tidb_extension and self.events.null_at(COMMIT_TS, event):
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
            if self.events.null_at(COMMIT_TS, event) and self.events.null_at(COMMIT_MS, event):
                self.refuse("update needs commit_ts or commit_ms")
            if self.enable_tidb_extension and self.events.null_at(COMMIT_TS, event):
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
            if self.events.null_at(COMMIT_TS, event) and self.events.null_at(COMMIT_MS, event):
                self.refuse("delete needs commit_ts or commit_ms")
            if self.enable_tidb_extension and self.events.null_at(COMMIT_TS, event):
                self.refuse("delete needs commit_ts")
        elif kind == DDL:
            if self.events.null_at(COMMIT_TS, event) and self.events.null_at(COMMIT_MS, event):
                self.refuse("ddl needs commit_ts or commit_ms")
            if not self.events.null_at(DDL_TYPE, event) and not 0 <= self.events.int_at(DDL_TYPE, event) <= 255:
                self.refuse("ddl_type is 0 to 255")
            if self.events.null_at(DDL_TYPE, event):
                if self.events.null_at(DDL_CLASS, event):
                    self.refuse("ddl needs ddl_type or ddl_class")
                self.check_class(event, DDL_CLASS, "ddl_class", DDL_CLASSES)
        elif kind == WATERMARK:
            if self.events.null_at(COMMIT_TS, event) and self.events.null_at(COMMIT_MS, event):
                self.refuse("watermark needs commit_ts or commit_ms")
        elif kind == BOOTSTRAP:
            self.refuse("Canal-JSON cannot carry a bootstrap event")
        else:
            self.refuse(f"there is no kind {kind} of events; the kinds are {KIND_NAMES}")
        return 0

    def has_message(self, event: cython.Py_ssize_t) -> cython.bint:
        """Whether the event has a message with these options."""
        kind: cython.longlong = self.events.int_at(KIND, event)
        if kind == WATERMARK:
            return self.enable_tidb_extension
        return True

    def gathered(self, event: cython.Py_ssize_t) -> cython.bint:
        """Whether the event can share a value with others; where values end in a terminator, others have no
        message."""
        kind: cython.longlong = self.events.int_at(KIND, event)
        return kind == INSERT or kind == UPDATE or kind == DELETE

    def together(self, event: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.bint:
        """Whether two events share a value: they agree in commit_ts, schema, table."""
        if self.producer == "tiflow" and not self.events.same_number(PARTITION_ID, event, other):
            return False
        return (
            self.events.same_number(COMMIT_TS, event, other)
            and self.events.same_number(COMMIT_MS, event, other)
            and self.events.same_number(TABLE, event, other)
        )

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
        """INSERT: a row that was inserted."""
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        new: WrittenRows = self.prepare(self.events.int_at(NEW_LAYOUT, event), ALL_COLUMNS)
        new_row: cython.Py_ssize_t = self.events.int_at(NEW_ROW, event)
        members: RowMembers = new.texts
        if not new.texts.width and self.empty_message_mysql_type == b'null':
            self.refuse("its row image `new` has no columns, and the message does not say that its table has none")
        s.raw(b'{"id":0,"database":')
        s.raw(self.schemas[table])
        s.raw(b',"table":')
        s.raw(self.tables[table])
        s.raw(b',"pkNames":')
        s.raw(members.message_pk_names)
        s.raw(b',"isDdl":false,"type":"INSERT","es":')
        s.integer(self.physical_ms(event, COMMIT_TS, COMMIT_MS))
        s.raw(b',"ts":')
        s.integer(self.sending_ms(event, SENT_MS))
        s.raw(b',"sql":"","sqlType":')
        members.message_sql_type.write(s, new, new_row)
        s.raw(b',"mysqlType":')
        s.raw(members.message_mysql_type)
        s.raw(b',"old":null,"data":[')
        new.write(s, new_row)
        s.raw(b']')
        if self.enable_tidb_extension:
            self.write_row_extension(s, event)
        s.raw(b'}')
        return 0

    def write_update(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """UPDATE: a row that was updated."""
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        new: WrittenRows = self.prepare(self.events.int_at(NEW_LAYOUT, event), ALL_COLUMNS)
        new_row: cython.Py_ssize_t = self.events.int_at(NEW_ROW, event)
        old: WrittenRows = self.prepare(self.events.int_at(OLD_LAYOUT, event), ALL_COLUMNS)
        old_row: cython.Py_ssize_t = self.events.int_at(OLD_ROW, event)
        members: RowMembers = new.texts
        old_members: RowMembers = old.texts
        if old_members is not members:
            members.check_described(old_members, "old", "new")
        if not new.texts.width and self.empty_message_mysql_type == b'null':
            self.refuse("its row image `new` has no columns, and the message does not say that its table has none")
        s.raw(b'{"id":0,"database":')
        s.raw(self.schemas[table])
        s.raw(b',"table":')
        s.raw(self.tables[table])
        s.raw(b',"pkNames":')
        s.raw(members.message_pk_names)
        s.raw(b',"isDdl":false,"type":"UPDATE","es":')
        s.integer(self.physical_ms(event, COMMIT_TS, COMMIT_MS))
        s.raw(b',"ts":')
        s.integer(self.sending_ms(event, SENT_MS))
        s.raw(b',"sql":"","sqlType":')
        members.message_sql_type.write(s, new, new_row)
        s.raw(b',"mysqlType":')
        s.raw(members.message_mysql_type)
        s.raw(b',"old":[')
        if self.only_output_updated_columns:
            old.write_changed(s, old_row, new, new_row, self.producer in ("ticdc",))
        else:
            old.write(s, old_row)
        s.raw(b'],"data":[')
        new.write(s, new_row)
        s.raw(b']')
        if self.enable_tidb_extension:
            self.write_row_extension(s, event)
        s.raw(b'}')
        return 0

    def write_delete(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """DELETE: a row that was deleted."""
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        old: WrittenRows = self.prepare(
            self.events.int_at(OLD_LAYOUT, event),
            HANDLE_KEY_COLUMNS if self.delete_only_output_handle_key_columns else ALL_COLUMNS,
        )
        old_row: cython.Py_ssize_t = self.events.int_at(OLD_ROW, event)
        members: RowMembers = old.texts
        s.raw(b'{"id":0,"database":')
        s.raw(self.schemas[table])
        s.raw(b',"table":')
        s.raw(self.tables[table])
        s.raw(b',"pkNames":')
        s.raw(members.message_pk_names)
        s.raw(b',"isDdl":false,"type":"DELETE","es":')
        s.integer(self.physical_ms(event, COMMIT_TS, COMMIT_MS))
        s.raw(b',"ts":')
        s.integer(self.sending_ms(event, SENT_MS))
        s.raw(b',"sql":"","sqlType":')
        members.message_sql_type.write(s, old, old_row)
        s.raw(b',"mysqlType":')
        s.raw(members.message_mysql_type)
        s.raw(b',"old":null,"data":[')
        old.write(s, old_row)
        s.raw(b']')
        if self.enable_tidb_extension:
            self.write_row_extension(s, event)
        s.raw(b'}')
        return 0

    def write_ddl(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """A DDL statement that was executed."""
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        s.raw(b'{"id":0,"database":')
        s.raw(self.schemas[table])
        s.raw(b',"table":')
        s.raw(self.tables[table])
        s.raw(b',"pkNames":null,"isDdl":true,"type":')
        if self.events.null_at(DDL_TYPE, event):
            s.text_of(self.events, DDL_CLASS, event)
        else:
            s.string(ddl_class(self.events.int_at(DDL_TYPE, event)).encode())
        s.raw(b',"es":')
        s.integer(self.physical_ms(event, COMMIT_TS, COMMIT_MS))
        s.raw(b',"ts":')
        s.integer(self.sending_ms(event, SENT_MS))
        s.raw(b',"sql":')
        if self.events.null_at(QUERY, event):
            s.raw(b'""')
        else:
            s.text_of(self.events, QUERY, event)
        s.raw(b',"sqlType":null,"mysqlType":null,"data":null,"old":null')
        if self.enable_tidb_extension:
            s.raw(b',"_tidb":{')
            if not self.events.null_at(COMMIT_TS, event) and self.events.uint_at(COMMIT_TS, event) != 0:
                s.raw(b'"commitTs":')
                s.unsigned(self.events.uint_at(COMMIT_TS, event))
            s.raw(b'}')
        s.raw(b'}')
        return 0

    def write_watermark(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """TIDB_WATERMARK: every event with a smaller commit ts has been sent."""
        s.raw(b'{"id":0,"database":"","table":"","pkNames":null,"isDdl":false,"type":"TIDB_WATERMARK","es":')
        s.integer(self.physical_ms(event, COMMIT_TS, COMMIT_MS))
        s.raw(b',"ts":')
        s.integer(self.sending_ms(event, SENT_MS))
        s.raw(b',"sql":"","sqlType":null,"mysqlType":null,"data":null,"old":null')
        if self.enable_tidb_extension:
            s.raw(b',"_tidb":{')
            if not self.events.null_at(COMMIT_TS, event) and self.events.uint_at(COMMIT_TS, event) != 0:
                s.raw(b'"watermarkTs":')
                s.unsigned(self.events.uint_at(COMMIT_TS, event))
            s.raw(b'}')
        s.raw(b'}')
        return 0

    def write_row_extension(self, s: JsonSink, event: cython.Py_ssize_t) -> cython.int:
        """_tidb of insert, update, delete."""
        s.raw(b',"_tidb":{"commitTs":')
        s.unsigned(self.events.uint_at(COMMIT_TS, event))
        if not self.events.null_at(HANDLE_KEY_ONLY, event):
            s.raw(b',"onlyHandleKey":')
            if self.events.int_at(HANDLE_KEY_ONLY, event):
                s.raw(b'true')
            else:
                s.raw(b'false')
        if not self.events.null_at(CLAIM_CHECK, event):
            s.raw(b',"claimCheckLocation":')
            s.text_of(self.events, CLAIM_CHECK, event)
        if self.output_row_key:
            s.raw(b',"rowkey":')
            if self.events.null_at(ROW_KEY, event):
                s.raw(b'null')
            else:
                s.base64_of(self.events, ROW_KEY, event)
        s.raw(b'}')
        return 0
