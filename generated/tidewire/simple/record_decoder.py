"""Decoder of records of TiCDC Simple.

The same parts as records in Avro's binary encoding.

Follow a message through `read_whole`: it finds out which record the message is, and `read_row` reads a row's, field
after field.
"""
# Generated from spec/simple.yaml by "make generate". Do not edit.

from __future__ import annotations

from collections.abc import Iterable

from tidewire.simple.names import EVENT_POSITIONS, EVENT_STORAGE
from tidewire.events import EVENT_SCHEMA
from tidewire.mysql import declared
from tidewire.runtime import require_api
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.errors import COUNT, MISSING, DecodeError, WireError
from tidewire.runtime.wire.part import Part
from tidewire.runtime.decoding.known_types import KnownTypes
from tidewire.runtime.decoding.row_table import RowTable
from tidewire.runtime.decoding.row_tables import Tables
from tidewire.runtime.record import codecs, fields
from tidewire.runtime.record.branches import (
    NULL_VALUE, LONG_VALUE, FLOAT_VALUE, DOUBLE_VALUE, STRING_VALUE, BYTES_VALUE, LOCATED_VALUE, WRAPPED_VALUE
)
from tidewire.runtime.record.cursor import RecordCursor
from tidewire.runtime.record.decoder import RecordDecoder
from tidewire.runtime.record.descriptions import RecordDescriptionReader
from tidewire.runtime.record.rows import RecordRows
from tidewire.runtime.tables.described_parts import ArrayField, DescribedPart, ObjectField, ScalarField
from tidewire.runtime.tables.description import DescribedTable
from tidewire.runtime.wire.messages import Values
from tidewire.runtime.wire.value_codec import ValueCodec
from tidewire.tables import TableDescription, TableStore
from tidewire.runtime import cython
from tidewire.simple.names import (
    MESSAGE, KIND, COMMIT_TS, SENT_MS, TABLE, TABLE_ID, HANDLE_KEY_ONLY, CLAIM_CHECK, DDL_CLASS, QUERY, TABLE_VERSION,
    TABLE_AFTER, TABLE_BEFORE, TIME_ZONE, CHECKSUM, CHECKSUM_BEFORE, CHECKSUM_VERSION, CHECKSUM_CORRUPTED, NEW_LAYOUT,
    NEW_ROW, OLD_LAYOUT, OLD_ROW
)
from tidewire.names import INSERT, UPDATE, DELETE, DDL, WATERMARK, BOOTSTRAP, BINARY, UNSIGNED


require_api(1)

FIELDS = (
    "message", "version", "database", "table", "tableID", "type", "sql", "commitTs", "buildTs", "schemaVersion",
    "claimCheckLocation", "handleKeyOnly", "checksum", "data", "old", "tableSchema", "preTableSchema",
    "checksum/version", "checksum/corrupted", "checksum/current", "checksum/previous", "data/{column}", "old/{column}",
    "tableSchema{path}", "preTableSchema{path}"
)
"""The fields of a message; {...} is filled with what tells where the trouble is. The constants below are their
positions."""

(
    MESSAGE_FIELD, MESSAGE_VERSION, MESSAGE_DATABASE, MESSAGE_TABLE, MESSAGE_TABLE_ID, MESSAGE_TYPE, MESSAGE_SQL,
    MESSAGE_COMMIT_TS, MESSAGE_BUILD_TS, MESSAGE_SCHEMA_VERSION, MESSAGE_CLAIM_CHECK, MESSAGE_HANDLE_KEY_ONLY,
    MESSAGE_CHECKSUM, MESSAGE_DATA, MESSAGE_OLD, MESSAGE_TABLE_SCHEMA, MESSAGE_PRE_TABLE_SCHEMA, CHECKSUM_VERSION_FIELD,
    CHECKSUM_CORRUPTED_FIELD, CHECKSUM_CURRENT, CHECKSUM_PREVIOUS, COLUMN_OF_MESSAGE_DATA, COLUMN_OF_MESSAGE_OLD,
    COLUMN_OF_MESSAGE_TABLE_SCHEMA, COLUMN_OF_MESSAGE_PRE_TABLE_SCHEMA
) = range(25)

KINDS = bytes(
    (NULL_VALUE, LONG_VALUE, FLOAT_VALUE, DOUBLE_VALUE, STRING_VALUE, BYTES_VALUE, LOCATED_VALUE, WRAPPED_VALUE)
)
"""What the branches are that a value is one of, in their order."""

SYMBOLS = (b'CREATE', b'ALTER', b'ERASE', b'RENAME', b'TRUNCATE', b'CINDEX', b'DINDEX', b'QUERY')
"""The classes of statements, by the numbers of their symbols."""

DATA_TYPE_RECORD = DescribedPart(
    "column",
    (
        ScalarField("mysqlType", "mysql_type", "text"),
        ScalarField("charset", "charset", "text"),
        ScalarField("collate", "collation", "text"),
        ScalarField("length", "length", "integer", omitted=True),
        ScalarField(
            "decimal",
            "scale",
            "int",
            omitted=True,
            null=True,
            only={
                "tiflow": ("decimal", "numeric", "dec", "fixed"),
                "ticdc": ("decimal", "numeric", "dec", "fixed", "timestamp"),
            },
        ),
        ScalarField("elements", "labels", "texts", null=True),
        ScalarField(
            "unsigned",
            "unsigned",
            "bool",
            null=True,
            only={
                "": (
                    "tinyint", "bool", "boolean", "smallint", "mediumint", "int", "integer", "bigint", "float",
                    "double", "double precision", "real", "bit", "year", "decimal", "numeric", "dec", "fixed"
                )
            },
        ),
        ScalarField(
            "zerofill",
            "zerofill",
            "bool",
            null=True,
            only={
                "": (
                    "tinyint", "bool", "boolean", "smallint", "mediumint", "int", "integer", "bigint", "float",
                    "double", "double precision", "real", "bit", "year", "decimal", "numeric", "dec", "fixed"
                )
            },
        ),
    ),
)
"""The type of a column."""

COLUMN_SCHEMA_RECORD = DescribedPart(
    "column",
    (
        ScalarField("name", "name", "text"),
        ObjectField("dataType", DATA_TYPE_RECORD),
        ScalarField("nullable", "nullable", "bool"),
        ScalarField("default", "default", "text", null=True, numbers=("bit",)),
    ),
)
"""A column."""

INDEX_SCHEMA_RECORD = DescribedPart(
    "index",
    (
        ScalarField("name", "name", "text"),
        ScalarField("unique", "unique", "bool"),
        ScalarField("primary", "primary", "bool"),
        ScalarField("nullable", "nullable", "bool"),
        ScalarField("columns", "columns", "texts"),
    ),
)
"""An index."""

TABLE_SCHEMA_RECORD = DescribedPart(
    "table",
    (
        ScalarField("database", "schema", "text"),
        ScalarField("table", "table", "text"),
        ScalarField("tableID", "id", "integer"),
        ScalarField("version", "version", "unsigned"),
        ArrayField("columns", COLUMN_SCHEMA_RECORD, "columns", by_id=("tiflow",)),
        ArrayField("indexes", INDEX_SCHEMA_RECORD, "indexes"),
    ),
)
"""A table."""


def record_values(type: int, flags: int, producer: str = "") -> ValueCodec | None:
    """The branch of the union that a value is in a record, by column type and flags; null is null.

    Args:
        type: MySQL type code.
        flags: column flags.
        producer: who writes the value; empty for a reader, who takes what any of them writes.

    Returns:
        None for a type that has no values here.
    """
    if type in (1, 2, 3, 9):  # tinyint, smallint, mediumint, int
        return fields.UINT_LONG if flags & UNSIGNED else codecs.LONG
    if type == 8:  # bigint
        return codecs.WRAPPED_LONG if flags & UNSIGNED else codecs.LONG
    if type == 13:  # year
        return codecs.LONG
    if type == 247:  # enum
        return fields.UINT_LONG
    if type == 248:  # set
        return codecs.UNSIGNED_LONG
    if type == 16:  # bit
        return codecs.UINT_TEXT if producer == "ticdc" else codecs.UNSIGNED_LONG
    if type == 4:  # float
        return codecs.FLOAT
    if type == 5:  # double
        return codecs.DOUBLE
    if type in (15, 249, 250, 251, 252, 253, 254):  # varchar, var_string, char, tinyblob, mediumblob, longblob, blob
        return codecs.BYTES if flags & BINARY else codecs.STRING
    if type == 7:  # timestamp
        return codecs.LOCATED_STRING
    if type in (10, 11, 12, 14, 225, 245, 246):  # date, time, datetime, newdate, decimal, json, vector
        return codecs.STRING
    if type in (0, 6, 255):  # unspecified, null, geometry
        return codecs.NOTHING
    return None


class Decoder(RecordDecoder):
    """Messages to columns."""

    def __init__(self, invalid_text: str = "error", store: TableStore | None = None) -> None:
        """
        Args:
            invalid_text: what becomes of text that is not UTF-8: error, replace or bytes.
            store: the descriptions of tables that are known already; it gets those that messages have. None: a store
                of the decoder's own.
        """
        super().__init__(
            "simple",
            FIELDS,
            EVENT_SCHEMA,
            EVENT_POSITIONS,
            EVENT_STORAGE,
            invalid_text == "replace",
            RecordDescriptionReader(TABLE_SCHEMA_RECORD, TableDescription),
            TableStore.given(store),
        )
        self.tables = Tables(
            self.cache,
            KnownTypes(declared),
            MESSAGE_SCHEMA_VERSION,
            record_values,
            invalid_text == "error",
            None,
            2,
            0,
            self.store,
        )
        self.message_database = Part()
        self.message_table = Part()
        self.has_message_table_id = False
        self.message_table_id = 0
        self.message_sql = Part()
        self.has_message_commit_ts = False
        self.message_commit_ts = 0
        self.has_message_build_ts = False
        self.message_build_ts = 0
        self.has_message_schema_version = False
        self.message_schema_version = 0
        self.message_claim_check = Part()
        self.has_message_handle_key_only = False
        self.message_handle_key_only = 0
        self.has_message_checksum = False
        self.rows_in_message_data = RecordRows(KINDS)
        self.rows_in_message_old = RecordRows(KINDS)
        self.message_table_schema: DescribedTable | None = None
        self.message_pre_table_schema: DescribedTable | None = None
        self.has_checksum_version = False
        self.checksum_version = 0
        self.has_checksum_corrupted = False
        self.checksum_corrupted = 0
        self.has_checksum_current = False
        self.checksum_current = 0
        self.has_checksum_previous = False
        self.checksum_previous = 0
        self.table: RowTable = self.tables.of(None, None)
        self.symbol = -1

    def read_whole(self, r: RecordCursor, message: cython.Py_ssize_t) -> cython.int:
        """One Kafka value: a Message, which is one of Watermark, Bootstrap, DDL, DML."""
        r.same_branch(11, MESSAGE_TYPE)  # Message
        branch: cython.int = r.branch(4, MESSAGE_TYPE)
        r.same_branch(branch, MESSAGE_TYPE)  # the record in it
        if branch == 0:  # Watermark
            return self.read_watermark(r, message)
        if branch == 1:  # Bootstrap
            return self.read_bootstrap(r, message)
        if branch == 2:  # DDL
            return self.read_ddl(r, message)
        return self.read_row(r, message)

    def read_watermark(self, r: RecordCursor, message: cython.Py_ssize_t) -> cython.int:
        """Watermark. Every event with a smaller commit ts has been sent."""
        r.int32(MESSAGE_VERSION)  # version
        self.has_message_commit_ts = True
        self.message_commit_ts = r.natural(MESSAGE_COMMIT_TS)
        self.has_message_build_ts = True
        self.message_build_ts = r.varint(MESSAGE_BUILD_TS)
        self.table = self.tables.of(None, None)
        r.consumed(MESSAGE_FIELD)
        self.put_watermark(r, message, WATERMARK)
        return 0

    def read_bootstrap(self, r: RecordCursor, message: cython.Py_ssize_t) -> cython.int:
        """Bootstrap. A table's columns, sent ahead of its rows."""
        r.int32(MESSAGE_VERSION)  # version
        self.has_message_build_ts = True
        self.message_build_ts = r.varint(MESSAGE_BUILD_TS)
        self.message_table_schema = self.reader.read(r, MESSAGE_TABLE_SCHEMA, COLUMN_OF_MESSAGE_TABLE_SCHEMA)
        r.consumed(MESSAGE_FIELD)
        self.put_bootstrap(r, message, BOOTSTRAP)
        return 0

    def read_ddl(self, r: RecordCursor, message: cython.Py_ssize_t) -> cython.int:
        """DDL. A DDL statement that was executed."""
        r.int32(MESSAGE_VERSION)  # version
        self.symbol = r.branch(8, MESSAGE_TYPE)
        r.text(self.message_sql, MESSAGE_SQL)
        if self.message_sql.end == self.message_sql.start:
            self.message_sql.start = -1
        self.has_message_commit_ts = True
        self.message_commit_ts = r.natural(MESSAGE_COMMIT_TS)
        self.has_message_build_ts = True
        self.message_build_ts = r.varint(MESSAGE_BUILD_TS)
        if r.given(MESSAGE_TABLE_SCHEMA):
            self.message_table_schema = self.reader.read(r, MESSAGE_TABLE_SCHEMA, COLUMN_OF_MESSAGE_TABLE_SCHEMA)
        else:
            self.message_table_schema = None
        if r.given(MESSAGE_PRE_TABLE_SCHEMA):
            self.message_pre_table_schema = self.reader.read(
                r, MESSAGE_PRE_TABLE_SCHEMA, COLUMN_OF_MESSAGE_PRE_TABLE_SCHEMA
            )
        else:
            self.message_pre_table_schema = None
        r.consumed(MESSAGE_FIELD)
        self.put_ddl(r, message, DDL)
        return 0

    def read_row(self, r: RecordCursor, message: cython.Py_ssize_t) -> cython.int:
        """DML. A row that was inserted or updated or deleted."""
        r.int32(MESSAGE_VERSION)  # version
        r.text(self.message_database, MESSAGE_DATABASE)
        r.text(self.message_table, MESSAGE_TABLE)
        self.has_message_table_id = True
        self.message_table_id = r.varint(MESSAGE_TABLE_ID)
        self.symbol = r.branch(3, MESSAGE_TYPE)
        self.has_message_commit_ts = True
        self.message_commit_ts = r.natural(MESSAGE_COMMIT_TS)
        self.has_message_build_ts = True
        self.message_build_ts = r.varint(MESSAGE_BUILD_TS)
        self.has_message_schema_version = True
        self.message_schema_version = r.natural(MESSAGE_SCHEMA_VERSION)
        if r.given(MESSAGE_CLAIM_CHECK):
            r.text(self.message_claim_check, MESSAGE_CLAIM_CHECK)
            if self.message_claim_check.end == self.message_claim_check.start:
                self.message_claim_check.start = -1
        else:
            self.message_claim_check.start = -1
        self.has_message_handle_key_only = r.given(MESSAGE_HANDLE_KEY_ONLY)
        if self.has_message_handle_key_only:
            self.message_handle_key_only = r.boolean(MESSAGE_HANDLE_KEY_ONLY)
        self.has_message_checksum = r.given(MESSAGE_CHECKSUM)
        if self.has_message_checksum:
            self.read_checksum(r)
        self.table = self.find_table(r, self.message_database, self.message_table, MESSAGE_DATABASE, MESSAGE_TABLE)
        if self.table.table[1] is None:
            return r.fail(MISSING, MESSAGE_TABLE, r.pos, 1, 0)
        self.read_by(r, self.table, True, self.message_schema_version, MESSAGE_SCHEMA_VERSION)
        if r.given(MESSAGE_DATA):
            if self.symbol == 0 or self.symbol == 1:
                self.rows_in_message_data.read(
                    r, self.table, self.cache, message, 0, MESSAGE_DATA, COLUMN_OF_MESSAGE_DATA
                )
            else:
                self.rows_in_message_data.pass_over(r, MESSAGE_DATA)
        else:
            self.rows_in_message_data.clear()
        if r.given(MESSAGE_OLD):
            if self.symbol == 1 or self.symbol == 2:
                self.rows_in_message_old.read(r, self.table, self.cache, message, 1, MESSAGE_OLD, COLUMN_OF_MESSAGE_OLD)
            else:
                self.rows_in_message_old.pass_over(r, MESSAGE_OLD)
        else:
            self.rows_in_message_old.clear()
        r.consumed(MESSAGE_FIELD)
        if self.symbol == 0:  # INSERT
            self.put_row(r, message, INSERT, self.rows_in_message_data, MESSAGE_DATA, None, MESSAGE_FIELD)
        elif self.symbol == 1:  # UPDATE
            self.put_row(
                r, message, UPDATE, self.rows_in_message_data, MESSAGE_DATA, self.rows_in_message_old, MESSAGE_OLD
            )
        elif self.symbol == 2:  # DELETE
            self.put_row(r, message, DELETE, None, MESSAGE_FIELD, self.rows_in_message_old, MESSAGE_OLD)
        return 0

    def read_checksum(self, r: RecordCursor) -> cython.int:
        """Checksum. TiDB's checksums of a row."""
        self.has_checksum_version = True
        self.checksum_version = r.int32(CHECKSUM_VERSION_FIELD)
        self.has_checksum_corrupted = True
        self.checksum_corrupted = r.boolean(CHECKSUM_CORRUPTED_FIELD)
        self.has_checksum_current = True
        self.checksum_current = r.between(0, 4294967295, CHECKSUM_CURRENT)
        self.has_checksum_previous = True
        self.checksum_previous = r.between(0, 4294967295, CHECKSUM_PREVIOUS)
        return 0

    def put_row(
        self,
        r: RecordCursor,
        message: cython.Py_ssize_t,
        kind: cython.int,
        new: RecordRows | None,
        new_field: cython.int,
        old: RecordRows | None,
        old_field: cython.int,
    ) -> cython.int:
        """A row that was inserted or updated or deleted."""
        row: cython.Py_ssize_t
        k: cython.Py_ssize_t
        count: cython.Py_ssize_t = -1
        if new is not None:
            if new.count <= 0:
                return r.fail(MISSING, new_field, r.pos, 1, 0)
            if not (self.has_message_handle_key_only and self.message_handle_key_only):
                new.columned(r, new_field)
            count = new.count
        if old is not None:
            if old.count <= 0:
                return r.fail(MISSING, old_field, r.pos, 1, 0)
            if count >= 0 and old.count != count:
                return r.fail(COUNT, old_field, r.pos, old.count, count)
            if new is None and not (self.has_message_handle_key_only and self.message_handle_key_only):
                old.columned(r, old_field)
            count = old.count
        if self.table.table[0] is None:
            return r.fail(MISSING, MESSAGE_DATABASE, r.pos, 1, 0)
        if self.table.table[1] is None:
            return r.fail(MISSING, MESSAGE_TABLE, r.pos, 1, 0)
        self.events.reserve(self.events.rows + count)
        for k in range(count):
            row = self.events.rows
            if self.has_message_commit_ts:
                self.events.put_uint(COMMIT_TS, row, self.message_commit_ts)
            else:
                return r.fail(MISSING, MESSAGE_COMMIT_TS, r.pos, 1, 0)
            self.put_event(r, row, message, kind)
            self.events.put_int(TABLE, row, self.cache.position_of(self.table))  # table
            if self.has_message_table_id:
                self.events.put_int(TABLE_ID, row, self.message_table_id)
            else:
                self.events.put_null(TABLE_ID, row)
            if self.has_message_handle_key_only and self.message_handle_key_only != 0:
                self.events.put_int(HANDLE_KEY_ONLY, row, self.message_handle_key_only)
            else:
                self.events.put_null(HANDLE_KEY_ONLY, row)
            if self.message_claim_check.start >= 0:
                r.put_text(self.events, CLAIM_CHECK, row, self.message_claim_check, MESSAGE_CLAIM_CHECK)
            else:
                self.events.put_null(CLAIM_CHECK, row)
            self.events.put_null(DDL_CLASS, row)  # ddl_class
            self.events.put_null(QUERY, row)  # query
            if self.has_message_schema_version:
                self.events.put_uint(TABLE_VERSION, row, self.message_schema_version)
            else:
                return r.fail(MISSING, MESSAGE_SCHEMA_VERSION, r.pos, 1, 0)
            self.events.put_null(TABLE_AFTER, row)  # table_after
            self.events.put_null(TABLE_BEFORE, row)  # table_before
            if new is not None:
                new.put_location(r, self.events, TIME_ZONE, row, old, new_field)
            elif old is not None:
                old.put_location(r, self.events, TIME_ZONE, row, None, old_field)
            else:
                self.events.put_null(TIME_ZONE, row)
            if self.has_message_checksum and self.has_checksum_current:
                self.events.put_uint(CHECKSUM, row, self.checksum_current)
            elif self.has_message_checksum:
                return r.fail(MISSING, CHECKSUM_CURRENT, r.pos, 1, 0)
            else:
                self.events.put_null(CHECKSUM, row)
            if self.has_message_checksum and self.has_checksum_previous:
                self.events.put_uint(CHECKSUM_BEFORE, row, self.checksum_previous)
            elif self.has_message_checksum:
                return r.fail(MISSING, CHECKSUM_PREVIOUS, r.pos, 1, 0)
            else:
                self.events.put_null(CHECKSUM_BEFORE, row)
            if self.has_message_checksum and self.has_checksum_version:
                self.events.put_int(CHECKSUM_VERSION, row, self.checksum_version)
            elif self.has_message_checksum:
                return r.fail(MISSING, CHECKSUM_VERSION_FIELD, r.pos, 1, 0)
            else:
                self.events.put_null(CHECKSUM_VERSION, row)
            if self.has_message_checksum and self.has_checksum_corrupted:
                self.events.put_int(CHECKSUM_CORRUPTED, row, self.checksum_corrupted)
            elif self.has_message_checksum:
                return r.fail(MISSING, CHECKSUM_CORRUPTED_FIELD, r.pos, 1, 0)
            else:
                self.events.put_null(CHECKSUM_CORRUPTED, row)
            if new is None:
                self.events.put_int(NEW_LAYOUT, row, -1)
            else:
                self.events.put_int(NEW_LAYOUT, row, new.slots.i64[k])
            if new is None:
                self.events.put_int(NEW_ROW, row, -1)
            else:
                self.events.put_int(NEW_ROW, row, new.row_numbers.i64[k])
            if old is None:
                self.events.put_int(OLD_LAYOUT, row, -1)
            else:
                self.events.put_int(OLD_LAYOUT, row, old.slots.i64[k])
            if old is None:
                self.events.put_int(OLD_ROW, row, -1)
            else:
                self.events.put_int(OLD_ROW, row, old.row_numbers.i64[k])
            self.events.rows = row + 1
        return 0

    def put_watermark(self, r: RecordCursor, message: cython.Py_ssize_t, kind: cython.int) -> cython.int:
        """Every event with a smaller commit ts has been sent."""
        row: cython.Py_ssize_t = self.events.rows
        self.events.reserve(row + 1)
        if self.has_message_commit_ts:
            self.events.put_uint(COMMIT_TS, row, self.message_commit_ts)
        else:
            return r.fail(MISSING, MESSAGE_COMMIT_TS, r.pos, 1, 0)
        self.put_event(r, row, message, kind)
        self.events.put_int(TABLE, row, self.cache.position_of(self.table))  # table
        self.put_no_row(row)
        self.events.put_null(DDL_CLASS, row)  # ddl_class
        self.events.put_null(QUERY, row)  # query
        self.events.put_null(TABLE_AFTER, row)  # table_after
        self.events.put_null(TABLE_BEFORE, row)  # table_before
        self.events.rows = row + 1
        return 0

    def put_bootstrap(self, r: RecordCursor, message: cython.Py_ssize_t, kind: cython.int) -> cython.int:
        """A table's columns, sent ahead of its rows."""
        row: cython.Py_ssize_t = self.events.rows
        self.events.reserve(row + 1)
        self.events.put_null(COMMIT_TS, row)  # commit_ts
        self.put_event(r, row, message, kind)
        self.put_no_row(row)
        self.events.put_null(DDL_CLASS, row)  # ddl_class
        self.events.put_null(QUERY, row)  # query
        self.events.put_null(TABLE_BEFORE, row)  # table_before
        table_schema_number: cython.Py_ssize_t = self.learned(self.message_table_schema, MESSAGE_TABLE_SCHEMA, 0)
        self.events.put_int(TABLE, row, self.position_described(table_schema_number, -1))  # table
        self.put_described(TABLE_AFTER, row, table_schema_number)  # table_after
        self.events.rows = row + 1
        return 0

    def put_ddl(self, r: RecordCursor, message: cython.Py_ssize_t, kind: cython.int) -> cython.int:
        """A DDL statement that was executed."""
        row: cython.Py_ssize_t = self.events.rows
        self.events.reserve(row + 1)
        if self.has_message_commit_ts:
            self.events.put_uint(COMMIT_TS, row, self.message_commit_ts)
        else:
            return r.fail(MISSING, MESSAGE_COMMIT_TS, r.pos, 1, 0)
        self.put_event(r, row, message, kind)
        self.put_no_row(row)
        self.events.put_image(DDL_CLASS, row, SYMBOLS[self.symbol])  # ddl_class
        if self.message_sql.start >= 0:
            r.put_text(self.events, QUERY, row, self.message_sql, MESSAGE_SQL)
        else:
            self.events.put_null(QUERY, row)
        table_schema_number: cython.Py_ssize_t = self.learned(self.message_table_schema, MESSAGE_TABLE_SCHEMA, 0)
        pre_table_schema_number: cython.Py_ssize_t = self.learned(
            self.message_pre_table_schema, MESSAGE_PRE_TABLE_SCHEMA, 0
        )
        self.events.put_int(TABLE, row, self.position_described(table_schema_number, pre_table_schema_number))  # table
        self.put_described(TABLE_AFTER, row, table_schema_number)  # table_after
        self.put_described(TABLE_BEFORE, row, pre_table_schema_number)  # table_before
        self.events.rows = row + 1
        return 0

    def put_event(
        self, r: RecordCursor, row: cython.Py_ssize_t, message: cython.Py_ssize_t, kind: cython.int
    ) -> cython.int:
        """Of every event: message, kind, sent_ms."""
        self.events.put_int(MESSAGE, row, message)  # message
        self.events.put_int(KIND, row, kind)  # kind
        if self.has_message_build_ts:
            self.events.put_int(SENT_MS, row, self.message_build_ts)
        else:
            return r.fail(MISSING, MESSAGE_BUILD_TS, r.pos, 1, 0)
        return 0

    def put_no_row(self, row: cython.Py_ssize_t) -> cython.int:
        """Nothing in the columns that only a row fills: table_id, handle_key_only, claim_check, table_version,
        time_zone, checksum, checksum_before, checksum_version, checksum_corrupted, new_layout, new_row,
        old_layout, old_row."""
        self.events.put_null(TABLE_ID, row)  # table_id
        self.events.put_null(HANDLE_KEY_ONLY, row)  # handle_key_only
        self.events.put_null(CLAIM_CHECK, row)  # claim_check
        self.events.put_null(TABLE_VERSION, row)  # table_version
        self.events.put_null(TIME_ZONE, row)  # time_zone
        self.events.put_null(CHECKSUM, row)  # checksum
        self.events.put_null(CHECKSUM_BEFORE, row)  # checksum_before
        self.events.put_null(CHECKSUM_VERSION, row)  # checksum_version
        self.events.put_null(CHECKSUM_CORRUPTED, row)  # checksum_corrupted
        self.events.put_int(NEW_LAYOUT, row, -1)  # new_layout
        self.events.put_int(NEW_ROW, row, -1)  # new_row
        self.events.put_int(OLD_LAYOUT, row, -1)  # old_layout
        self.events.put_int(OLD_ROW, row, -1)  # old_row
        return 0

    def decode_pieces(self, pieces: Iterable[Values]) -> EventColumns:
        r: RecordCursor = RecordCursor()
        errors: list[DecodeError] = []
        tombstones: list[int] = []
        base: cython.Py_ssize_t = 0
        k: cython.Py_ssize_t
        rows: cython.Py_ssize_t
        missing: frozenset[int]
        self.events.begin()
        self.cache.begin()
        self.tables.begin()
        for values in pieces:
            missing = r.receive(values)
            for k in range(r.messages):
                if missing and k in missing:
                    tombstones.append(base + k)
                    continue
                rows = self.events.rows
                self.cache.start()
                try:
                    r.load(k)
                    self.read_whole(r, base + k)
                except WireError as error:
                    errors.append(self.readable(error, base + k))
                    self.events.rows = rows
                    self.cache.undo()
            base += r.messages
        return self.finish(errors, tombstones)

    def indexes(self, error: WireError) -> dict[str, object]:
        """Where in its field the trouble is."""
        return {"column": self.table.columns.at_name(), "path": self.reader.path}
