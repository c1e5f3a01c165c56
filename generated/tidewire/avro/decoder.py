"""Decoder of Avro with a schema registry.

A record in Avro's binary encoding for a changed row, with a schema that a registry has under the id in front of
the record. The Kafka key is a record of the columns that identify the row; a deleted row has a key only.

Follow a message through `read_message`: its first byte says what it is, and a row is read by the schema whose id stands
before it.
"""
# Generated from spec/avro.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Any, Final

from tidewire.avro.names import EVENT_POSITIONS, EVENT_STORAGE
from tidewire.avro.schema_types import SCHEMA_TYPES
from tidewire.events import EVENT_SCHEMA
from tidewire.mysql import TYPES
from tidewire.runtime import require_api
from tidewire.runtime.arrow.columns import Columns
from tidewire.runtime.errors import WireError
from tidewire.runtime.record.cursor import RecordCursor
from tidewire.runtime.registered.decoder import RegisteredDecoder
from tidewire.runtime.registered.schema_types import FieldForms
from tidewire.runtime.registered.columnar_reader import ColumnarReader
from tidewire.runtime.registered.parts import RecordInside, RecordPart, RowColumns, ScalarField
from tidewire.runtime.registered.reading import RecordReader
from tidewire.runtime.registered.statements import StatementMember
from tidewire.runtime.registry import SchemaRegistry
from tidewire.tables import TableStore
from tidewire.runtime import cython
from tidewire.avro.names import (
    MESSAGE, KIND, COMMIT_TS, COMMIT_MS, TABLE, DDL_TYPE, QUERY, TYPES_FROM, CHECKSUM, CHECKSUM_BEFORE,
    CHECKSUM_VERSION, CHECKSUM_CORRUPTED, NEW_LAYOUT, NEW_ROW, OLD_LAYOUT, OLD_ROW, CASE_U, CASE_D
)
from tidewire.names import INSERT, UPDATE, DELETE, DDL, WATERMARK, HANDLE_KEY, NULLABLE
from tidewire.runtime.arrow.plain_puts import put_int, put_null, put_uint


require_api(1)

FIELDS = (
    "schema", "{column}", "schema", "{column}", "_ticdc_before/{column}", "_tidb_op", "_tidb_commit_ts",
    "_tidb_commit_physical_time", "_tidb_row_level_checksum", "_tidb_corrupted", "_tidb_checksum_version",
    "statement{path}", "watermark", "deleted"
)
"""The fields of key and value; {...} is filled with what tells where the trouble is. The constants below are their
positions."""

KEY_FIELDS = 2
"""How many of them are the key's: the first."""

(
    KEY, COLUMN_OF_ROW_KEY, VALUE, COLUMN_OF_ROW, COLUMN_OF_BEFORE, ROW_OP, ROW_COMMIT_TS, ROW_COMMIT_MS, ROW_CHECKSUM,
    ROW_DIFFERS, ROW_CHECKSUM_VERSION, STATEMENT_MARK, WATERMARK_MARK, DELETED_MARK
) = range(14)

(OP_SLOT, COMMIT_TS_SLOT, COMMIT_MS_SLOT, CHECKSUM_SLOT, DIFFERS_SLOT, CHECKSUM_VERSION_SLOT) = range(6)
"""The fields of a row's record that say something of the event, in their order."""

FORMS: Final = FieldForms(SCHEMA_TYPES, TYPES, NULLABLE, parameters="connect.parameters", connect=False)
"""What schemas say of columns, and how their values are written then."""

ROW_KEY_RECORD: Final = RecordPart("{table}", (RowColumns(COLUMN_OF_ROW_KEY),))
"""The columns that identify the row."""

BEFORE_RECORD: Final = RecordPart("{table}_before", (RowColumns(COLUMN_OF_BEFORE),))
"""The row before the change."""

ROW_RECORD: Final = RecordPart(
    "{table}",
    (
        RowColumns(COLUMN_OF_ROW),
        RecordInside("_ticdc_before", BEFORE_RECORD, ("avro-include-before-value",)),
        ScalarField("_tidb_op", "string", '""', ROW_OP, ("enable-tidb-extension", "avro-include-before-value")),
        ScalarField("_tidb_commit_ts", "long", "0", ROW_COMMIT_TS, ("enable-tidb-extension",)),
        ScalarField("_tidb_commit_physical_time", "long", "0", ROW_COMMIT_MS, ("enable-tidb-extension",)),
        ScalarField("_tidb_row_level_checksum", "string", '""', ROW_CHECKSUM, ("enable-row-checksum",)),
        ScalarField("_tidb_corrupted", "boolean", "false", ROW_DIFFERS, ("enable-row-checksum",)),
        ScalarField("_tidb_checksum_version", "int", "0", ROW_CHECKSUM_VERSION, ("enable-row-checksum",)),
    ),
)
"""A row."""

STATEMENT_MEMBERS: Final = (
    StatementMember("query", "text", None),
    StatementMember("type", "integer", None),
    StatementMember("schema", "text", '""'),
    StatementMember("table", "text", '""'),
    StatementMember("commitTs", "unsigned", None),
)
"""A statement."""

OPERATIONS: Final = (b'c', b'u', b'd')
"""What _tidb_op can be."""

ROWS: Final = ((INSERT, True, False), (UPDATE, True, False), (DELETE, False, True), (INSERT, True, False))
"""By operation, and last for a record that does not say it, the kind of the event, and whether the record is its row
after and before."""


class Decoder(RegisteredDecoder):
    """Messages to columns."""

    def __init__(
        self,
        invalid_text: str = "error",
        schemas: SchemaRegistry | None = None,
        store: TableStore | None = None,
    ) -> None:
        """
        Args:
            invalid_text: what becomes of text that is not UTF-8: error, replace or bytes.
            schemas: gives the schemas of records by their ids; None: no record can be read.
            store: the descriptions of tables that are known.
        """
        super().__init__(
            "avro",
            FIELDS,
            EVENT_SCHEMA,
            EVENT_POSITIONS,
            EVENT_STORAGE,
            invalid_text,
            FORMS,
            ROW_RECORD,
            ROW_KEY_RECORD,
            HANDLE_KEY,
            schemas,
            OPERATIONS,
            store=store,
            rows=ROWS,
        )

    def read_message(
        self,
        key: RecordCursor,
        has_key: cython.bint,
        r: RecordCursor,
        has_value: cython.bint,
        message: cython.Py_ssize_t,
    ) -> cython.int:
        """A key and a value, each of which may be null."""
        if not has_value:
            if not has_key:
                return self.put_nothing()
            self.read_key(key, KEY, message)
            return self.put_delete_of_key(message, False, 0)
        if r.begins(1):
            return self.read_statement(r, message)
        if r.begins(2):
            return self.read_watermark(r, message)
        if r.begins(3) and r.end == 9:
            return self.read_deleted(key, has_key, r, message)
        self.read_row(key, has_key, KEY, r, VALUE, message)
        return self.put_row(r, message)

    def read_statement(self, r: RecordCursor, message: cython.Py_ssize_t) -> cython.int:
        """A statement, without a schema."""
        r.pos += 1
        said: list[Any] = self.members(r, STATEMENT_MEMBERS, STATEMENT_MARK)
        events: Columns = self.events
        row: cython.Py_ssize_t = self.begin_event()
        put_int(events, MESSAGE, row, message)
        put_int(events, KIND, row, DDL)
        self.put_said_uint(COMMIT_TS, row, said[4])
        put_int(events, TABLE, row, self.said_table(said[2], said[3]))
        self.put_said_int(DDL_TYPE, row, said[1], 0, 255, STATEMENT_MARK, "/type")
        self.put_said_text(QUERY, row, said[0])
        self.put_no_row(row)
        events.rows = row + 1
        return 0

    def read_watermark(self, r: RecordCursor, message: cython.Py_ssize_t) -> cython.int:
        """A watermark, without a schema: its TSO."""
        r.pos += 1
        events: Columns = self.events
        row: cython.Py_ssize_t = self.begin_event()
        put_int(events, MESSAGE, row, message)
        put_int(events, KIND, row, WATERMARK)
        put_uint(events, COMMIT_TS, row, self.marked_number(r, WATERMARK_MARK))
        put_int(events, TABLE, row, self.said_table(None, None))
        put_null(events, DDL_TYPE, row)
        put_null(events, QUERY, row)
        self.put_no_row(row)
        events.rows = row + 1
        return 0

    def read_deleted(
        self, key: RecordCursor, has_key: cython.bint, r: RecordCursor, message: cython.Py_ssize_t
    ) -> cython.int:
        """A deleted row, which the key identifies: the TSO of the transaction."""
        r.pos += 1
        number: cython.ulonglong = self.marked_number(r, DELETED_MARK)
        if not has_key:
            return self.put_nothing()
        self.read_key(key, KEY, message)
        return self.put_delete_of_key(message, True, number)

    def put_row(self, r: RecordCursor, message: cython.Py_ssize_t) -> cython.int:
        """A row that was inserted or updated or deleted."""
        events: Columns = self.events
        record: RecordReader = self.record
        row: cython.Py_ssize_t = events.rows
        case: cython.int = self.operation(r, OP_SLOT, ROW_OP)
        has_checksum: cython.bint = (
            record.slots[CHECKSUM_SLOT].given
            and record.slots[CHECKSUM_SLOT].end > record.slots[CHECKSUM_SLOT].start
        )
        if row + 1 > events.room:
            events.reserve(row + 1)
        put_int(events, MESSAGE, row, message)
        if case == CASE_U:
            put_int(events, KIND, row, UPDATE)
            put_int(events, NEW_LAYOUT, row, record.layout)
            put_int(events, NEW_ROW, row, record.row)
            put_int(events, OLD_LAYOUT, row, record.inner_layout)
            put_int(events, OLD_ROW, row, record.inner_row)
        elif case == CASE_D:
            put_int(events, KIND, row, DELETE)
            record.forget_inner()
            put_int(events, NEW_LAYOUT, row, -1)
            put_int(events, NEW_ROW, row, -1)
            put_int(events, OLD_LAYOUT, row, record.layout)
            put_int(events, OLD_ROW, row, record.row)
        else:  # c, and where nothing tells it
            put_int(events, KIND, row, INSERT)
            record.forget_inner()
            put_int(events, NEW_LAYOUT, row, record.layout)
            put_int(events, NEW_ROW, row, record.row)
            put_int(events, OLD_LAYOUT, row, -1)
            put_int(events, OLD_ROW, row, -1)
        if record.slots[COMMIT_TS_SLOT].given:
            put_int(events, COMMIT_TS, row, record.slots[COMMIT_TS_SLOT].number)
        else:
            put_null(events, COMMIT_TS, row)
        put_int(events, TABLE, row, self.position_of(record))
        if (
            (not record.slots[COMMIT_TS_SLOT].given and record.slots[COMMIT_MS_SLOT].given)
            or has_checksum
            or record.told
        ):
            if self.without_rare < row:
                self.fill_rare(self.without_rare, row)
            self.without_rare = row
            if not record.slots[COMMIT_TS_SLOT].given and record.slots[COMMIT_MS_SLOT].given:
                put_int(events, COMMIT_MS, row, record.slots[COMMIT_MS_SLOT].number)
            else:
                put_null(events, COMMIT_MS, row)
            self.put_types(TYPES_FROM, row, record)
            if case == CASE_D:
                put_null(events, CHECKSUM, row)
                if has_checksum:
                    self.put_digits(r, CHECKSUM_BEFORE, row, CHECKSUM_SLOT, 4294967295, ROW_CHECKSUM)
                else:
                    put_null(events, CHECKSUM_BEFORE, row)
            else:
                if has_checksum:
                    self.put_digits(r, CHECKSUM, row, CHECKSUM_SLOT, 4294967295, ROW_CHECKSUM)
                else:
                    put_null(events, CHECKSUM, row)
                put_null(events, CHECKSUM_BEFORE, row)
            if has_checksum and record.slots[CHECKSUM_VERSION_SLOT].given:
                put_int(events, CHECKSUM_VERSION, row, record.slots[CHECKSUM_VERSION_SLOT].number)
            else:
                put_null(events, CHECKSUM_VERSION, row)
            if has_checksum and record.slots[DIFFERS_SLOT].given:
                put_int(events, CHECKSUM_CORRUPTED, row, record.slots[DIFFERS_SLOT].number)
            else:
                put_null(events, CHECKSUM_CORRUPTED, row)
            self.without_rare = row + 1
        events.rows = row + 1
        return 1

    def put_rows(self, many: ColumnarReader, message: cython.Py_ssize_t) -> cython.bint:
        """Rows that have been read together, of which none has something for a column that is rare."""
        events: Columns = self.events
        if many.told or many.has_one_for(COMMIT_MS_SLOT, COMMIT_TS_SLOT) or many.has_text(CHECKSUM_SLOT):
            return False
        if not self.operations_of(many, OP_SLOT):
            return False
        many.put_messages(events, MESSAGE, message)
        many.put_kinds(events, KIND)
        many.put_numbers(events, COMMIT_TS, COMMIT_TS_SLOT)
        many.put_tables(events, TABLE)
        many.put_places(events, NEW_LAYOUT, NEW_ROW, 0)
        many.put_places(events, OLD_LAYOUT, OLD_ROW, 1)
        events.rows = events.rows + many.count
        return True

    def fill_rows(self, row: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """Nothing in the columns for which no record has a field."""
        events: Columns = self.events
        events.fill_null(DDL_TYPE, row, stop)
        events.fill_null(QUERY, row, stop)
        return 0

    def fill_rare(self, row: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """Nothing in the columns for which few rows have something."""
        events: Columns = self.events
        events.fill_null(COMMIT_MS, row, stop)
        events.fill_null(TYPES_FROM, row, stop)
        events.fill_null(CHECKSUM, row, stop)
        events.fill_null(CHECKSUM_BEFORE, row, stop)
        events.fill_null(CHECKSUM_VERSION, row, stop)
        events.fill_null(CHECKSUM_CORRUPTED, row, stop)
        return 0

    def put_delete_of_key(
        self, message: cython.Py_ssize_t, has_commit_ts: cython.bint, commit_ts: cython.ulonglong
    ) -> cython.int:
        """An event of kind delete, of whose row the key alone says what it was."""
        events: Columns = self.events
        row: cython.Py_ssize_t = self.begin_event()
        put_int(events, MESSAGE, row, message)
        put_int(events, KIND, row, DELETE)
        if has_commit_ts:
            put_uint(events, COMMIT_TS, row, commit_ts)
        else:
            put_null(events, COMMIT_TS, row)
        put_null(events, COMMIT_MS, row)
        put_int(events, TABLE, row, self.position_of(self.key_record))
        put_null(events, DDL_TYPE, row)
        put_null(events, QUERY, row)
        self.put_types(TYPES_FROM, row, self.key_record)
        put_null(events, CHECKSUM, row)
        put_null(events, CHECKSUM_BEFORE, row)
        put_null(events, CHECKSUM_VERSION, row)
        put_null(events, CHECKSUM_CORRUPTED, row)
        put_int(events, NEW_LAYOUT, row, -1)
        put_int(events, NEW_ROW, row, -1)
        put_int(events, OLD_LAYOUT, row, self.key_record.layout)
        put_int(events, OLD_ROW, row, self.key_record.row)
        events.rows = row + 1
        return 0

    def put_no_row(self, row: cython.Py_ssize_t) -> cython.int:
        """Nothing in the columns that only a row fills."""
        events: Columns = self.events
        put_null(events, COMMIT_MS, row)
        put_null(events, TYPES_FROM, row)
        put_null(events, CHECKSUM, row)
        put_null(events, CHECKSUM_BEFORE, row)
        put_null(events, CHECKSUM_VERSION, row)
        put_null(events, CHECKSUM_CORRUPTED, row)
        put_int(events, NEW_LAYOUT, row, -1)
        put_int(events, NEW_ROW, row, -1)
        put_int(events, OLD_LAYOUT, row, -1)
        put_int(events, OLD_ROW, row, -1)
        return 0

    def part(self, error: WireError) -> str:
        """Whether the field is of the key or of the value."""
        return "key" if error.field < KEY_FIELDS else "value"
