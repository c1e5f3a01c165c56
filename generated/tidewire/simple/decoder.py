"""Decoder of TiCDC Simple.

One JSON object, or one record in Avro's binary encoding, for a changed row, a statement, a description of a
table or a watermark. Statements and bootstraps describe a table; rows say which version of it they are of, and
their values by column name. The Kafka key is empty.

Follow a message through `read_message`: it takes the members in whatever order they come. What tells what rows are of
usually comes before them, and they are read at once; else they are passed, and read when the rest is known.
"""
# Generated from spec/simple.yaml by "make generate". Do not edit.

from __future__ import annotations

from collections.abc import Iterable

from tidewire.simple.names import EVENT_POSITIONS, EVENT_STORAGE
from tidewire.events import EVENT_SCHEMA
from tidewire.mysql import declared
from tidewire.runtime import require_api
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.decoding.described_decoder import DescribedDecoder
from tidewire.runtime.decoding.known_types import KnownTypes
from tidewire.runtime.decoding.names import Names
from tidewire.runtime.decoding.row_table import RowTable
from tidewire.runtime.decoding.row_tables import Tables
from tidewire.runtime.errors import COUNT, MISSING, DecodeError, WireError
from tidewire.runtime.json import codecs
from tidewire.runtime.json.codec import JsonCodec
from tidewire.runtime.json.cursor import JsonCursor
from tidewire.runtime.json.descriptions import JsonDescriptionReader
from tidewire.runtime.json.prefix_cache import PrefixCache
from tidewire.runtime.json.rows import Rows
from tidewire.runtime.json.skipped import refuse_statement
from tidewire.runtime.json.stated_tables import find_table
from tidewire.runtime.tables.described_parts import ArrayField, DescribedPart, ObjectField, ScalarField
from tidewire.runtime.wire.messages import Values
from tidewire.runtime.wire.part import Part
from tidewire.tables import TableDescription, TableStore
from tidewire.runtime import cython
from tidewire.simple.names import (
    MESSAGE, KIND, COMMIT_TS, SENT_MS, TABLE, TABLE_ID, HANDLE_KEY_ONLY, CLAIM_CHECK, DDL_CLASS, QUERY, TABLE_VERSION,
    TABLE_AFTER, TABLE_BEFORE, TIME_ZONE, CHECKSUM, CHECKSUM_BEFORE, CHECKSUM_VERSION, CHECKSUM_CORRUPTED, NEW_LAYOUT,
    NEW_ROW, OLD_LAYOUT, OLD_ROW, CASE_INSERT, CASE_UPDATE, CASE_DELETE, CASE_WATERMARK, CASE_BOOTSTRAP, CASE_OTHER
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

TEXTS = (
    "INSERT", "UPDATE", "DELETE", "WATERMARK", "BOOTSTRAP", "ALTER", "CINDEX", "CREATE", "DINDEX", "ERASE", "QUERY",
    "RENAME", "TRUNCATE"
)
"""What type can be; from number 5 on it is the event's ddl_class."""


DATA_TYPE_PART = DescribedPart(
    "column",
    (
        ScalarField("mysqlType", "mysql_type", "text"),
        ScalarField("charset", "charset", "text"),
        ScalarField("collate", "collation", "text"),
        ScalarField("length", "length", "integer", omitted=True),
        ScalarField(
            "decimal", "scale", "integer", omitted=True, silent=("float", "double", "double precision", "real")
        ),
        ScalarField("elements", "labels", "texts", omitted=True),
        ScalarField("unsigned", "unsigned", "bool", omitted=True),
        ScalarField("zerofill", "zerofill", "bool", omitted=True),
    ),
)
"""The type of a column."""

COLUMN_PART = DescribedPart(
    "column",
    (
        ScalarField("name", "name", "text"),
        ObjectField("dataType", DATA_TYPE_PART),
        ScalarField("nullable", "nullable", "bool"),
        ScalarField("default", "default", "text", null=True, numbers=("bit",)),
    ),
)
"""A column."""

INDEX_PART = DescribedPart(
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

TABLE_PART = DescribedPart(
    "table",
    (
        ScalarField("schema", "schema", "text"),
        ScalarField("table", "table", "text"),
        ScalarField("tableID", "id", "integer"),
        ScalarField("version", "version", "unsigned"),
        ArrayField("columns", COLUMN_PART, "columns", by_id=("tiflow",)),
        ArrayField("indexes", INDEX_PART, "indexes"),
    ),
)
"""A table."""


def column_values(type: int, flags: int) -> JsonCodec | None:
    """How a value is written in JSON, by column type and flags; null is null.

    Args:
        type: MySQL type code.
        flags: column flags.

    Returns:
        None for a type that has no values here.
    """
    if type in (1, 2, 3, 8, 9):  # tinyint, smallint, mediumint, int, bigint
        return codecs.UINT_TEXT if flags & UNSIGNED else codecs.INT_TEXT
    if type == 13:  # year
        return codecs.INT_TEXT
    if type in (16, 247, 248):  # bit, enum, set
        return codecs.UINT_TEXT
    if type == 4:  # float
        return codecs.FLOAT32_TEXT
    if type == 5:  # double
        return codecs.FLOAT64_TEXT
    if type in (15, 249, 250, 251, 252, 253, 254):  # varchar, var_string, char, tinyblob, mediumblob, longblob, blob
        return codecs.BASE64_BYTES if flags & BINARY else codecs.TEXT
    if type == 7:  # timestamp
        return codecs.LOCATED_TEXT
    if type in (10, 11, 12, 14, 225, 245, 246):  # date, time, datetime, newdate, decimal, json, vector
        return codecs.TEXT
    if type in (0, 6, 255):  # unspecified, null, geometry
        return codecs.NOTHING
    return None


class Decoder(DescribedDecoder):
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
            JsonDescriptionReader(TABLE_PART, TableDescription),
            TableStore.given(store),
        )
        given = KnownTypes(declared)
        self.tables = Tables(
            self.cache, given, MESSAGE_SCHEMA_VERSION, column_values, invalid_text == "error", None, 2, 0, self.store
        )
        self.texts = Names(TEXTS)
        self.names_of_message = Names(
            (
                "version", "database", "table", "tableID", "type", "sql", "commitTs", "buildTs", "schemaVersion",
                "claimCheckLocation", "handleKeyOnly", "checksum", "data", "old", "tableSchema", "preTableSchema"
            )
        )
        self.message_database = Part()
        self.message_table = Part()
        self.message_type = Part()
        self.message_sql = Part()
        self.message_claim_check = Part()
        self.message_data = Part()
        self.rows_in_message_data = Rows()
        self.message_old = Part()
        self.rows_in_message_old = Rows()
        self.message_table_schema = Part()
        self.message_pre_table_schema = Part()
        self.names_of_checksum = Names(("version", "corrupted", "current", "previous"))
        self.opening = PrefixCache((12, 13), 4)
        self.table: RowTable = self.tables.of(None, None)
        self.case = -1
        self.types_read = self.has_images = False

    def read_whole(self, r: JsonCursor, message: cython.Py_ssize_t) -> cython.int:
        """One Kafka value: an object."""
        return self.read_message(r, message)

    def read_message(self, r: JsonCursor, message: cython.Py_ssize_t) -> cython.int:
        """A row change, a statement, a description of a table or a watermark."""
        unknown: cython.int = 3  # of what tells what the message is, and of which table: database, table, type
        undescribed: cython.int = 1  # of what tells what the columns are: schemaVersion
        k: cython.Py_ssize_t
        self.types_read = False
        self.rows_in_message_data.clear()
        self.rows_in_message_old.clear()
        self.message_data.start = self.message_data.end = -1
        self.message_old.start = self.message_old.end = -1
        if self.opening.repeats(r, self.names_of_message):
            unknown = undescribed = 0
            self.message_table_id = self.opening.values.i64[0]
            self.message_commit_ts = self.opening.values.u64[1]
            self.message_build_ts = self.opening.values.i64[2]
            self.message_schema_version = self.opening.values.u64[3]
        else:
            self.case = -1
            self.has_images = False
            self.reads_message_data = False
            self.reads_message_old = False
            self.message_database.start = self.message_database.end = -1
            self.message_table.start = self.message_table.end = -1
            self.message_type.start = self.message_type.end = -1
            self.message_sql.start = self.message_sql.end = -1
            self.message_claim_check.start = self.message_claim_check.end = -1
            self.message_table_schema.start = self.message_table_schema.end = -1
            self.message_pre_table_schema.start = self.message_pre_table_schema.end = -1
            self.has_message_table_id = False
            self.has_message_commit_ts = False
            self.has_message_build_ts = False
            self.has_message_schema_version = False
            self.has_message_handle_key_only = False
            self.has_message_checksum = False
            r.open(self.names_of_message, MESSAGE_FIELD)
        while r.member(self.names_of_message, MESSAGE_FIELD, MESSAGE_VERSION):
            k = r.which
            if k == 1:  # database
                r.text(self.message_database, MESSAGE_DATABASE)
                unknown -= 1
                if unknown == 0:
                    self.recognize(r)
            elif k == 2:  # table
                r.text(self.message_table, MESSAGE_TABLE)
                unknown -= 1
                if unknown == 0:
                    self.recognize(r)
            elif k == 3:  # tableID
                self.has_message_table_id = r.given(MESSAGE_TABLE_ID)
                if self.has_message_table_id:
                    self.opening.mark(r, 0)
                    self.message_table_id = r.integer(MESSAGE_TABLE_ID)
            elif k == 4:  # type
                r.text(self.message_type, MESSAGE_TYPE)
                unknown -= 1
                if unknown == 0:
                    self.recognize(r)
            elif k == 5:  # sql
                r.text(self.message_sql, MESSAGE_SQL)
            elif k == 6:  # commitTs
                self.has_message_commit_ts = r.given(MESSAGE_COMMIT_TS)
                if self.has_message_commit_ts:
                    self.opening.mark(r, 1)
                    self.message_commit_ts = r.uinteger(MESSAGE_COMMIT_TS)
            elif k == 7:  # buildTs
                self.has_message_build_ts = r.given(MESSAGE_BUILD_TS)
                if self.has_message_build_ts:
                    self.opening.mark(r, 2)
                    self.message_build_ts = r.integer(MESSAGE_BUILD_TS)
            elif k == 8:  # schemaVersion
                undescribed -= 1
                self.has_message_schema_version = r.given(MESSAGE_SCHEMA_VERSION)
                if self.has_message_schema_version:
                    self.opening.mark(r, 3)
                    self.message_schema_version = r.uinteger(MESSAGE_SCHEMA_VERSION)
            elif k == 9:  # claimCheckLocation
                r.text(self.message_claim_check, MESSAGE_CLAIM_CHECK)
            elif k == 10:  # handleKeyOnly
                self.has_message_handle_key_only = r.given(MESSAGE_HANDLE_KEY_ONLY)
                if self.has_message_handle_key_only:
                    self.message_handle_key_only = r.boolean(MESSAGE_HANDLE_KEY_ONLY)
            elif k == 11:  # checksum
                self.has_message_checksum = r.given(MESSAGE_CHECKSUM)
                if self.has_message_checksum:
                    self.read_checksum(r)
            elif k == 12:  # data
                if undescribed == 0 and self.reads_message_data:
                    self.opening.cut(
                        r, self.names_of_message, self.message_data.start < 0 and self.message_old.start < 0
                    )
                    self.tell(r)
                    self.rows_in_message_data.read_single(
                        r, self.table, self.cache, message, 0, False, MESSAGE_DATA, COLUMN_OF_MESSAGE_DATA
                    )
                else:
                    r.part(self.message_data, MESSAGE_DATA)
            elif k == 13:  # old
                if undescribed == 0 and self.reads_message_old:
                    self.opening.cut(
                        r, self.names_of_message, self.message_data.start < 0 and self.message_old.start < 0
                    )
                    self.tell(r)
                    self.rows_in_message_old.read_single(
                        r, self.table, self.cache, message, 1, False, MESSAGE_OLD, COLUMN_OF_MESSAGE_OLD
                    )
                else:
                    r.part(self.message_old, MESSAGE_OLD)
            elif k == 14:  # tableSchema
                r.checked_part(self.message_table_schema, MESSAGE_TABLE_SCHEMA)
            elif k == 15:  # preTableSchema
                r.checked_part(self.message_pre_table_schema, MESSAGE_PRE_TABLE_SCHEMA)
            else:  # version, and members that are not described
                r.passed(MESSAGE_FIELD)
        self.opening.close(r, self.names_of_message)
        end: cython.Py_ssize_t = r.pos
        if unknown:
            self.recognize(r)
        if self.has_images:
            self.tell(r)
        if self.reads_message_data and self.message_data.start >= 0:
            r.pos = self.message_data.start
            self.rows_in_message_data.read_single(
                r, self.table, self.cache, message, 0, False, MESSAGE_DATA, COLUMN_OF_MESSAGE_DATA
            )
        elif not self.reads_message_data:
            r.no_row(self.message_data, MESSAGE_DATA)
        elif self.rows_in_message_data.count < 0 and self.has_message_handle_key_only and self.message_handle_key_only:
            self.rows_in_message_data.read_nothing(r, self.table, self.cache, message, 0, COLUMN_OF_MESSAGE_DATA)
        if self.reads_message_old and self.message_old.start >= 0:
            r.pos = self.message_old.start
            self.rows_in_message_old.read_single(
                r, self.table, self.cache, message, 1, False, MESSAGE_OLD, COLUMN_OF_MESSAGE_OLD
            )
        elif not self.reads_message_old:
            r.no_row(self.message_old, MESSAGE_OLD)
        elif self.rows_in_message_old.count < 0 and self.has_message_handle_key_only and self.message_handle_key_only:
            self.rows_in_message_old.read_nothing(r, self.table, self.cache, message, 1, COLUMN_OF_MESSAGE_OLD)
        r.pos = end
        r.ended(MESSAGE_FIELD)
        if self.case == CASE_INSERT:
            if self.message_sql.end > self.message_sql.start:
                refuse_statement(self.message_sql.start, MESSAGE_SQL)
            self.put_row(r, message, INSERT, self.rows_in_message_data, MESSAGE_DATA, None, MESSAGE_FIELD)
        elif self.case == CASE_UPDATE:
            if self.message_sql.end > self.message_sql.start:
                refuse_statement(self.message_sql.start, MESSAGE_SQL)
            self.put_row(
                r, message, UPDATE, self.rows_in_message_data, MESSAGE_DATA, self.rows_in_message_old, MESSAGE_OLD
            )
        elif self.case == CASE_DELETE:
            if self.message_sql.end > self.message_sql.start:
                refuse_statement(self.message_sql.start, MESSAGE_SQL)
            self.put_row(r, message, DELETE, None, MESSAGE_FIELD, self.rows_in_message_old, MESSAGE_OLD)
        elif self.case == CASE_WATERMARK:
            if self.message_sql.end > self.message_sql.start:
                refuse_statement(self.message_sql.start, MESSAGE_SQL)
            self.put_watermark(r, message, WATERMARK)
        elif self.case == CASE_BOOTSTRAP:
            if self.message_sql.end > self.message_sql.start:
                refuse_statement(self.message_sql.start, MESSAGE_SQL)
            self.put_bootstrap(r, message, BOOTSTRAP)
        elif self.case >= CASE_OTHER:
            self.put_ddl(r, message, DDL)
        return 0

    def recognize(self, r: JsonCursor) -> cython.int:
        """What the message is, and of which table."""
        if self.message_type.start < 0:
            return r.fail(MISSING, MESSAGE_TYPE, r.pos, 1, 0)
        self.case = r.name_of(self.texts, self.message_type, MESSAGE_TYPE)
        self.has_images = self.case == CASE_INSERT or self.case == CASE_UPDATE or self.case == CASE_DELETE
        self.reads_message_data = self.case == CASE_INSERT or self.case == CASE_UPDATE
        self.reads_message_old = self.case == CASE_UPDATE or self.case == CASE_DELETE
        self.table = find_table(
            self.tables, r, self.message_database, self.message_table, MESSAGE_DATABASE, MESSAGE_TABLE
        )
        return 0

    def tell(self, r: JsonCursor) -> cython.int:
        """What the columns of the rows are, as far as it has not been read."""
        here: cython.Py_ssize_t = r.pos
        if not self.types_read:
            self.types_read = True
            if self.table.table[1] is None:
                return r.fail(MISSING, MESSAGE_TABLE, r.pos, 1, 0)
            if not self.has_message_schema_version:
                return r.fail(MISSING, MESSAGE_SCHEMA_VERSION, r.pos, 1, 0)
            self.read_by(
                r, self.table, self.has_message_schema_version, self.message_schema_version, MESSAGE_SCHEMA_VERSION
            )
        r.pos = here
        return 0

    def read_checksum(self, r: JsonCursor) -> cython.int:
        """TiDB's checksums of a row."""
        k: cython.Py_ssize_t
        self.has_checksum_version = False
        self.has_checksum_corrupted = False
        self.has_checksum_current = False
        self.has_checksum_previous = False
        r.open(self.names_of_checksum, MESSAGE_CHECKSUM)
        while r.member(self.names_of_checksum, MESSAGE_CHECKSUM, CHECKSUM_VERSION_FIELD):
            k = r.which
            if k == 0:  # version
                self.has_checksum_version = r.given(CHECKSUM_VERSION_FIELD)
                if self.has_checksum_version:
                    self.checksum_version = r.between(-2147483648, 2147483647, CHECKSUM_VERSION_FIELD)
            elif k == 1:  # corrupted
                self.has_checksum_corrupted = r.given(CHECKSUM_CORRUPTED_FIELD)
                if self.has_checksum_corrupted:
                    self.checksum_corrupted = r.boolean(CHECKSUM_CORRUPTED_FIELD)
            elif k == 2:  # current
                self.has_checksum_current = r.given(CHECKSUM_CURRENT)
                if self.has_checksum_current:
                    self.checksum_current = r.between(0, 4294967295, CHECKSUM_CURRENT)
            elif k == 3:  # previous
                self.has_checksum_previous = r.given(CHECKSUM_PREVIOUS)
                if self.has_checksum_previous:
                    self.checksum_previous = r.between(0, 4294967295, CHECKSUM_PREVIOUS)
            else:  # members that are not described
                r.passed(MESSAGE_CHECKSUM)
        return 0

    def put_row(
        self,
        r: JsonCursor,
        message: cython.Py_ssize_t,
        kind: cython.int,
        new: Rows | None,
        new_field: cython.int,
        old: Rows | None,
        old_field: cython.int,
    ) -> cython.int:
        """A row that was inserted or updated or deleted."""
        row: cython.Py_ssize_t
        k: cython.Py_ssize_t
        count: cython.Py_ssize_t = -1
        if new is not None:
            if new.count <= 0:
                return r.fail(MISSING, new_field, r.pos, 1, 0)
            if new.bare >= 0:
                new.columned(r, self.table, True, new_field)
            count = new.count
        if old is not None:
            if old.count <= 0:
                return r.fail(MISSING, old_field, r.pos, 1, 0)
            if count >= 0 and old.count != count:
                return r.fail(COUNT, old_field, r.pos, old.count, count)
            if new is None and old.bare >= 0:
                old.columned(r, self.table, False, old_field)
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

    def put_watermark(self, r: JsonCursor, message: cython.Py_ssize_t, kind: cython.int) -> cython.int:
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

    def put_bootstrap(self, r: JsonCursor, message: cython.Py_ssize_t, kind: cython.int) -> cython.int:
        """A table's columns, sent ahead of its rows."""
        row: cython.Py_ssize_t = self.events.rows
        self.events.reserve(row + 1)
        self.events.put_null(COMMIT_TS, row)  # commit_ts
        self.put_event(r, row, message, kind)
        self.put_no_row(row)
        self.events.put_null(DDL_CLASS, row)  # ddl_class
        self.events.put_null(QUERY, row)  # query
        self.events.put_null(TABLE_BEFORE, row)  # table_before
        table_schema = self.described(
            r, self.message_table_schema, MESSAGE_TABLE_SCHEMA, COLUMN_OF_MESSAGE_TABLE_SCHEMA
        )
        table_schema_number: cython.Py_ssize_t = self.learned(
            table_schema, MESSAGE_TABLE_SCHEMA, self.message_table_schema.start
        )
        self.events.put_int(TABLE, row, self.position_described(table_schema_number, -1))  # table
        self.put_described(TABLE_AFTER, row, table_schema_number)  # table_after
        self.events.rows = row + 1
        return 0

    def put_ddl(self, r: JsonCursor, message: cython.Py_ssize_t, kind: cython.int) -> cython.int:
        """A DDL statement that was executed."""
        row: cython.Py_ssize_t = self.events.rows
        self.events.reserve(row + 1)
        if self.has_message_commit_ts:
            self.events.put_uint(COMMIT_TS, row, self.message_commit_ts)
        else:
            return r.fail(MISSING, MESSAGE_COMMIT_TS, r.pos, 1, 0)
        self.put_event(r, row, message, kind)
        self.put_no_row(row)
        r.put_text(self.events, DDL_CLASS, row, self.message_type, MESSAGE_TYPE)  # ddl_class
        if self.message_sql.start >= 0:
            r.put_text(self.events, QUERY, row, self.message_sql, MESSAGE_SQL)
        else:
            self.events.put_null(QUERY, row)
        table_schema = self.described(
            r, self.message_table_schema, MESSAGE_TABLE_SCHEMA, COLUMN_OF_MESSAGE_TABLE_SCHEMA
        )
        pre_table_schema = self.described(
            r, self.message_pre_table_schema, MESSAGE_PRE_TABLE_SCHEMA, COLUMN_OF_MESSAGE_PRE_TABLE_SCHEMA
        )
        table_schema_number: cython.Py_ssize_t = self.learned(
            table_schema, MESSAGE_TABLE_SCHEMA, self.message_table_schema.start
        )
        pre_table_schema_number: cython.Py_ssize_t = self.learned(
            pre_table_schema, MESSAGE_PRE_TABLE_SCHEMA, self.message_pre_table_schema.start
        )
        self.events.put_int(TABLE, row, self.position_described(table_schema_number, pre_table_schema_number))  # table
        self.put_described(TABLE_AFTER, row, table_schema_number)  # table_after
        self.put_described(TABLE_BEFORE, row, pre_table_schema_number)  # table_before
        self.events.rows = row + 1
        return 0

    def put_event(
        self, r: JsonCursor, row: cython.Py_ssize_t, message: cython.Py_ssize_t, kind: cython.int
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
        r: JsonCursor = JsonCursor()
        errors: list[DecodeError] = []
        tombstones: list[int] = []
        base: cython.Py_ssize_t = 0
        k: cython.Py_ssize_t
        rows: cython.Py_ssize_t
        missing: frozenset[int]
        self.events.begin()
        self.cache.begin()
        self.tables.begin()
        self.opening.begin()
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
        found: dict[str, object] = {"row": 0, "column": self.table.columns.at_name()}
        if error.field == COLUMN_OF_MESSAGE_DATA:
            found["row"] = self.rows_in_message_data.at_row
        if error.field == COLUMN_OF_MESSAGE_OLD:
            found["row"] = self.rows_in_message_old.at_row
        found["path"] = self.reader.path
        return found
