"""Encoder of Canal-JSON.

One JSON object for a changed row, a DDL statement or a watermark. Column values are text or null. The Kafka key
is empty. A storage sink writes the rows of a transaction into one value, each followed by a terminator.

Follow a message through the function of its kind, such as `write_insert`: what is the same in every such message stands
there as it is sent.
"""
# Generated from spec/canal-json.yaml by "make generate". Do not edit.

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from tidewire.canal_json.decoder import column_values
from tidewire.canal_json.names import EVENT_COLUMNS, EVENT_STORAGE
from tidewire.events import KIND_NAMES
from tidewire.mysql import ddl_class, mapped, told, type_text
from tidewire.runtime import require_api
from tidewire.runtime.batch import Column, EventColumns, Layout
from tidewire.runtime.batch.columns_cache import ColumnsCache
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.encoding.checks import check_columns, event_source, table_names
from tidewire.runtime.json.sink import JsonSink, Spelling
from tidewire.runtime.json.spelled import ByValue, names_json, text_json, texts_json
from tidewire.runtime.json.written import MappedTexts, RowTexts, WrittenRows
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.encoding.written_messages import WrittenMessages

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if not cython.compiled:  # compiled code has them from its .pxd
    from tidewire.canal_json.names import (
        KIND, COMMIT_TS, COMMIT_MS, SENT_MS, TABLE, ROW_KEY, HANDLE_KEY_ONLY, CLAIM_CHECK, DDL_CLASS, QUERY, NEW_LAYOUT,
        NEW_ROW, OLD_LAYOUT, OLD_ROW, PARTITION_ID, DDL_TYPE, ALL_COLUMNS, HANDLE_KEY_COLUMNS
    )
    from tidewire.names import INSERT, UPDATE, DELETE, DDL, WATERMARK, BOOTSTRAP, HANDLE_KEY, PRIMARY_KEY


require_api(1)

SPELLING = Spelling(html=True, letters=False, separators=True, exponent=1)
"""How text and numbers are spelled."""

DDL_CLASSES = ("CREATE", "ERASE", "ALTER", "CINDEX", "DINDEX", "TRUNCATE", "RENAME", "QUERY")
"""The classes of DDL statements."""

def declared_type(column: Column, full: bool) -> str:
    """The type of a column as messages have it: in full, or TiDB's name of it.

    Raises:
        EncodeError: it is not known, or a reader would take it for another type.
    """
    try:
        given = None if column.mysql_type is None else told(column.mysql_type)
        text = column.mysql_type if full else type_text(column.type, column.flags, given is not None and given.zerofill)
        if text is None:
            raise ValueError("content-compatible needs its declared type, and the event does not say it (mysql_type)")
        codec = column_values(column.type, column.flags)
        for said in (given, told(text)):
            if said is not None and (said.type != column.type or column_values(said.type, said.flags) != codec):
                shown = text if said is not given else column.mysql_type
                raise ValueError(
                    f"a reader takes the declared type {shown!r} for another one than type {column.type} with flags "
                    f"{column.flags}"
                )
    except ValueError as error:
        raise EncodeError("canal-json", None, column.name, str(error)) from None
    return text


def mapped_type(column: Column, kind: str) -> ByValue:
    """What a mapping says of the type of a column.

    Raises:
        EncodeError: it says nothing.
    """
    try:
        return ByValue(*mapped(kind, column.type, column.flags))
    except LookupError as error:
        raise EncodeError("canal-json", None, column.name, str(error)) from None


class RowMembers:
    """What the messages of rows with these columns say of them, spelled once."""

    def __init__(self, encoder: Encoder, columns: Sequence[Column], chosen: Sequence[int]) -> None:
        """
        Args:
            encoder: whose options hold.
            columns: of the layout.
            chosen: which of them are written, by position.
        """
        kept = [columns[k] for k in chosen]
        codecs = [column_values(column.type, column.flags) for column in columns]
        types = [declared_type(column, encoder.content_compatible) for column in kept]
        said = [(type, column.flags & (PRIMARY_KEY)) for type, column in zip(types, kept)]
        self.rows = RowTexts("canal-json", columns, chosen, codecs, said, SPELLING)
        self.message_pk_names = names_json(
            "canal-json", [column.name for column in columns if column.flags & PRIMARY_KEY], b'[]', SPELLING
        )
        self.message_sql_type = MappedTexts(
            self.rows, [mapped_type(column, "java_sql") for column in kept], b'null', SPELLING
        )
        self.message_mysql_type = texts_json(
            "canal-json",
            [(column.name, type) for column, type in zip(kept, types)],
            encoder.empty_message_mysql_type,
            SPELLING,
        )


class Encoder:
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
        self.terminated = terminator.encode()
        self.empty_message_mysql_type = {"tiflow": b'{}', "ticdc": b'null'}[producer]
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

    def write(self, columns: EventColumns) -> WrittenMessages:
        """The messages of `encode`, of which nothing has been made yet."""
        s: JsonSink = JsonSink(*SPELLING)
        ends: Numbers = Numbers()
        firsts: Numbers = Numbers()
        counts: Numbers = Numbers()
        event: cython.Py_ssize_t = 0
        first: cython.Py_ssize_t
        self.bind(columns)
        ends.append(0)
        try:
            for event in range(self.events.rows):
                self.check_event(event)
            event = 0
            while event < self.events.rows:
                first = event
                if self.terminated:
                    while event < self.events.rows and self.gathered(event) and self.together(first, event):
                        self.write_message(s, event)
                        s.raw(self.terminated)
                        event += 1
                    event = max(event, first + 1)
                else:
                    if self.has_message(event):
                        self.write_message(s, event)
                    event += 1
                if s.invalid:
                    event = first
                    self.refuse("it has text that is not UTF-8")
                if s.pos > ends.i64[ends.size - 1]:
                    ends.append(s.pos)
                    firsts.append(first)
                    counts.append(event - first)
        except EncodeError as error:
            raise EncodeError("canal-json", event, error.column, error.reason) from None
        return WrittenMessages("canal-json", s.data, ends, firsts, counts)

    # ---- the events

    def bind(self, columns: EventColumns) -> None:
        """Makes the columns ready to be written."""
        self.events = event_source("canal-json", columns, EVENT_COLUMNS, EVENT_STORAGE)
        self.now = time.time_ns() // 1000000
        named = table_names("canal-json", columns)
        if named != self.table_names:
            self.bind_tables(named)
        self.layouts = columns.layouts
        self.layout_rows = Numbers()
        for layout in columns.layouts:
            self.layout_rows.append(layout.num_rows)
        self.images: list[Any] = [None] * (2 * len(columns.layouts))
        self.members: list[Any] = [None] * (2 * len(columns.layouts))

    def bind_tables(self, named: list[tuple[str, str]]) -> None:
        """Spells the names of the tables."""
        self.table_names = None
        self.schemas = []
        self.tables = []
        self.named.take(0)
        for schema, table in named:
            self.schemas.append(text_json("canal-json", schema, SPELLING) if schema else b'""')
            self.tables.append(text_json("canal-json", table, SPELLING) if table else b'""')
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
            if self.events.null_at(COMMIT_TS, event) and self.events.null_at(COMMIT_MS, event):
                self.refuse("insert needs commit_ts or commit_ms")
            if self.enable_tidb_extension and self.events.null_at(COMMIT_TS, event):
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
            if self.events.null_at(COMMIT_TS, event) and self.events.null_at(COMMIT_MS, event):
                self.refuse("update needs commit_ts or commit_ms")
            if self.enable_tidb_extension and self.events.null_at(COMMIT_TS, event):
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
                self.check_class(event)
        elif kind == WATERMARK:
            if self.events.null_at(COMMIT_TS, event) and self.events.null_at(COMMIT_MS, event):
                self.refuse("watermark needs commit_ts or commit_ms")
        elif kind == BOOTSTRAP:
            self.refuse("Canal-JSON cannot carry a bootstrap event")
        else:
            self.refuse(f"there is no kind {kind} of events; the kinds are {KIND_NAMES}")
        return 0

    def check_class(self, event: int) -> None:
        """The class of a statement is a known one."""
        if self.events.text(DDL_CLASS, event) not in DDL_CLASSES:
            self.refuse(f"ddl_class is one of {', '.join(DDL_CLASSES)}, not {self.events.text(DDL_CLASS, event)!r}")

    def check_image(self, event: cython.Py_ssize_t, side: cython.int, place: cython.int) -> cython.int:
        """The row image whose layout and row are in these columns is there."""
        layout: cython.longlong = self.events.int_at(side, event)
        row: cython.longlong = self.events.int_at(place, event)
        if layout >= self.layout_rows.size:
            self.refuse(f"its row image has the layout number {layout}, but there are {self.layout_rows.size}")
        if row < 0 or row >= self.layout_rows.i64[layout]:
            self.refuse(f"its row image is row {row} of {self.layout_rows.i64[layout]}")
        return 0

    def prepare(self, event: cython.Py_ssize_t, side: cython.int, way: cython.int) -> cython.Py_ssize_t:
        """Where in `images` and `members` the layout of a row image is, made ready when it is not yet.

        Args:
            event: which has the image.
            side: the column of events that holds its layout.
            way: which columns are written: ALL_COLUMNS all, HANDLE_KEY_COLUMNS those flagged handle_key.
        """
        number: cython.Py_ssize_t = self.events.int_at(side, event)
        place: cython.Py_ssize_t = 2 * number + way
        if self.images[place] is None:
            self.bind_layout(self.layouts[number], place, way)
        return place

    def bind_layout(self, layout: Layout, place: int, way: int) -> None:
        """Makes a layout ready to be written."""
        members: RowMembers | None = self.known[way].find(layout.columns)
        if members is None:
            check_columns("canal-json", layout.columns, 255)
            flag = (0, HANDLE_KEY)[way]
            chosen = [k for k, column in enumerate(layout.columns) if not flag or column.flags & flag]
            members = RowMembers(self, layout.columns, chosen)
            self.known[way].remember(layout.columns, members)
        self.members[place] = members
        self.images[place] = WrittenRows(members.rows, layout)

    def refuse(self, reason: str) -> None:
        """Raises the error of the event that is looked at."""
        raise EncodeError("canal-json", None, None, reason)

    def physical_ms(self, event: cython.Py_ssize_t) -> cython.longlong:
        """The physical part of the commit ts, or what is said instead of it."""
        shift: cython.int = 18
        if self.events.null_at(COMMIT_TS, event):
            return 0 if self.events.null_at(COMMIT_MS, event) else self.events.int_at(COMMIT_MS, event)
        return self.events.uint_at(COMMIT_TS, event) >> shift

    def sending_ms(self, event: cython.Py_ssize_t) -> cython.longlong:
        """When the message was sent: now, unless the event says."""
        return self.now if self.events.null_at(SENT_MS, event) else self.events.int_at(SENT_MS, event)

    # ---- which events have messages

    def has_message(self, event: cython.Py_ssize_t) -> cython.bint:
        """Whether the event has a message with these options."""
        kind: cython.longlong = self.events.int_at(KIND, event)
        if kind == WATERMARK:
            return self.enable_tidb_extension
        return True

    def gathered(self, event: cython.Py_ssize_t) -> cython.bint:
        """Whether the event can share a value with others; where values end in a terminator, others have no message."""
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
        """INSERT: a row that was not there before."""
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        new_place: cython.Py_ssize_t = self.prepare(event, NEW_LAYOUT, ALL_COLUMNS)
        new: WrittenRows = self.images[new_place]
        new_row: cython.Py_ssize_t = self.events.int_at(NEW_ROW, event)
        members: RowMembers = self.members[new_place]
        s.raw(b'{"id":0,"database":')
        s.raw(self.schemas[table])
        s.raw(b',"table":')
        s.raw(self.tables[table])
        s.raw(b',"pkNames":')
        s.raw(members.message_pk_names)
        s.raw(b',"isDdl":false,"type":"INSERT","es":')
        s.integer(self.physical_ms(event))
        s.raw(b',"ts":')
        s.integer(self.sending_ms(event))
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
        """UPDATE: a row that changed."""
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        new_place: cython.Py_ssize_t = self.prepare(event, NEW_LAYOUT, ALL_COLUMNS)
        new: WrittenRows = self.images[new_place]
        new_row: cython.Py_ssize_t = self.events.int_at(NEW_ROW, event)
        old_place: cython.Py_ssize_t = self.prepare(event, OLD_LAYOUT, ALL_COLUMNS)
        old: WrittenRows = self.images[old_place]
        old_row: cython.Py_ssize_t = self.events.int_at(OLD_ROW, event)
        members: RowMembers = self.members[new_place]
        old_members: RowMembers = self.members[old_place]
        if old_members is not members:
            members.rows.check_told(old_members.rows, "old", "new")
        s.raw(b'{"id":0,"database":')
        s.raw(self.schemas[table])
        s.raw(b',"table":')
        s.raw(self.tables[table])
        s.raw(b',"pkNames":')
        s.raw(members.message_pk_names)
        s.raw(b',"isDdl":false,"type":"UPDATE","es":')
        s.integer(self.physical_ms(event))
        s.raw(b',"ts":')
        s.integer(self.sending_ms(event))
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
        """DELETE: a row that is gone."""
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        old_place: cython.Py_ssize_t = self.prepare(
            event, OLD_LAYOUT, HANDLE_KEY_COLUMNS if self.delete_only_output_handle_key_columns else ALL_COLUMNS
        )
        old: WrittenRows = self.images[old_place]
        old_row: cython.Py_ssize_t = self.events.int_at(OLD_ROW, event)
        members: RowMembers = self.members[old_place]
        s.raw(b'{"id":0,"database":')
        s.raw(self.schemas[table])
        s.raw(b',"table":')
        s.raw(self.tables[table])
        s.raw(b',"pkNames":')
        s.raw(members.message_pk_names)
        s.raw(b',"isDdl":false,"type":"DELETE","es":')
        s.integer(self.physical_ms(event))
        s.raw(b',"ts":')
        s.integer(self.sending_ms(event))
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
        s.integer(self.physical_ms(event))
        s.raw(b',"ts":')
        s.integer(self.sending_ms(event))
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
        s.integer(self.physical_ms(event))
        s.raw(b',"ts":')
        s.integer(self.sending_ms(event))
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
