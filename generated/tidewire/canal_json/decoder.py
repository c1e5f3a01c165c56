"""Decoder of Canal-JSON.

One JSON object for a changed row, a DDL statement or a watermark. Column values are text or null. The Kafka key
is empty. A storage sink writes the rows of a transaction into one value, each followed by a terminator.

Follow a message through `read_message`: it takes the members in whatever order they come. What tells what rows are of
usually comes before them, and they are read at once; else they are passed, and read when the rest is known.
"""
# Generated from spec/canal-json.yaml by "make generate". Do not edit.

from __future__ import annotations

from collections.abc import Iterable

from tidewire.canal_json.names import EVENT_POSITIONS, EVENT_STORAGE
from tidewire.events import EVENT_SCHEMA
from tidewire.mysql import TYPES, declared_or_undeclared
from tidewire.runtime import require_api
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.decoding.known_types import KnownTypes
from tidewire.runtime.decoding.message_decoder import MessageDecoder
from tidewire.runtime.decoding.names import Names
from tidewire.runtime.decoding.row_table import RowTable
from tidewire.runtime.decoding.row_tables import Tables
from tidewire.runtime.decoding.rows_without_table import RowsWithoutTable
from tidewire.runtime.errors import COUNT, MISSING, DecodeError, WireError
from tidewire.runtime.json import codecs
from tidewire.runtime.json.codec import JsonCodec
from tidewire.runtime.json.cursor import JsonCursor
from tidewire.runtime.json.rows import Rows
from tidewire.runtime.json.skipped import Begins, ByName, ListOf, Skipped, pass_over, refuse_statement, says_nothing
from tidewire.runtime.json.stated_tables import describe, find_table, named_by, outlined, skip_as_last
from tidewire.runtime.wire.messages import Values
from tidewire.runtime.wire.part import Part
from tidewire.runtime import cython
from tidewire.canal_json.names import (
    MESSAGE, KIND, COMMIT_TS, COMMIT_MS, SENT_MS, TABLE, ROW_KEY, HANDLE_KEY_ONLY, CLAIM_CHECK, DDL_CLASS, QUERY,
    NEW_LAYOUT, NEW_ROW, OLD_LAYOUT, OLD_ROW, CASE_INSERT, CASE_UPDATE, CASE_DELETE, CASE_TIDB_WATERMARK, CASE_INIT,
    CASE_GTID, CASE_XACOMMIT, CASE_XAROLLBACK, CASE_MHEARTBEAT, CASE_OTHER
)
from tidewire.names import INSERT, UPDATE, DELETE, DDL, WATERMARK, BINARY, UNSIGNED


require_api(1)

FIELDS = (
    "message", "id", "database", "table", "pkNames", "isDdl", "type", "es", "ts", "sql", "sqlType", "mysqlType", "data",
    "old", "_tidb", "_tidb/commitTs", "_tidb/watermarkTs", "_tidb/onlyHandleKey", "_tidb/claimCheckLocation",
    "_tidb/rowkey", "mysqlType/{column}", "data/{row}/{column}", "old/{row}/{column}"
)
"""The fields of a message; {...} is filled with what tells where the trouble is. The constants below are their
positions."""

(
    MESSAGE_FIELD, MESSAGE_ID, MESSAGE_DATABASE, MESSAGE_TABLE, MESSAGE_PK_NAMES, MESSAGE_IS_DDL, MESSAGE_TYPE,
    MESSAGE_ES, MESSAGE_TS, MESSAGE_SQL, MESSAGE_SQL_TYPE, MESSAGE_MYSQL_TYPE, MESSAGE_DATA, MESSAGE_OLD, MESSAGE_TIDB,
    EXTENSION_COMMIT_TS, EXTENSION_WATERMARK_TS, EXTENSION_ONLY_HANDLE_KEY, EXTENSION_CLAIM_CHECK_LOCATION,
    EXTENSION_ROWKEY, COLUMN_OF_MESSAGE_MYSQL_TYPE, COLUMN_OF_MESSAGE_DATA, COLUMN_OF_MESSAGE_OLD
) = range(23)

TEXTS = (
    "INSERT", "UPDATE", "DELETE", "TIDB_WATERMARK", "INIT", "GTID", "XACOMMIT", "XAROLLBACK", "MHEARTBEAT", "ALTER",
    "CINDEX", "CREATE", "DINDEX", "ERASE", "QUERY", "RENAME", "TRUNCATE"
)
"""What type can be; from number 9 on it is the event's ddl_class."""


SKIPPED_CANALS_OWN = Skipped(
    (
        ("type", "text"),
        ("id", "integer"),
        ("database", "text"),
        ("table", "text"),
        ("pkNames", ListOf("text")),
        ("isDdl", "denied"),
        ("es", "integer"),
        ("ts", "integer"),
        ("sql", "nothing"),
        ("sqlType", ByName("integer")),
        ("mysqlType", ByName("text")),
        ("data", "nothing"),
        ("old", "nothing"),
        ("gtid", "text"),
        ("_tidb", "nothing"),
    )
)
"""What a message without events may have."""

SKIPPED_OF_XA = Skipped(
    (
        ("type", "text"),
        ("id", "integer"),
        ("database", "text"),
        ("table", "text"),
        ("pkNames", ListOf("text")),
        ("isDdl", "denied"),
        ("es", "integer"),
        ("ts", "integer"),
        ("sql", Begins(("xa commit", "xa rollback"))),
        ("sqlType", ByName("integer")),
        ("mysqlType", ByName("text")),
        ("data", "nothing"),
        ("old", "nothing"),
        ("gtid", "text"),
        ("_tidb", "nothing"),
    )
)
"""What a message without events may have."""

SKIPPED_OF_ROWS = Skipped(
    (
        ("type", ("QUERY",)),
        ("id", "integer"),
        ("database", "text"),
        ("table", "text"),
        ("pkNames", ListOf("text")),
        ("isDdl", "denied"),
        ("es", "integer"),
        ("ts", "integer"),
        ("sql", Begins(("insert", "replace", "update", "delete", "load", "with", "select", "call", "do", "set"))),
        ("sqlType", ByName("integer")),
        ("mysqlType", ByName("text")),
        ("data", "nothing"),
        ("old", "nothing"),
        ("gtid", "text"),
        ("_tidb", "nothing"),
    )
)
"""What a message without events may have."""


def column_values(type: int, flags: int) -> JsonCodec | None:
    """How a value is written in JSON text, by column type and flags; null is null.

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
    if type == 16:  # bit
        return codecs.UINT_TEXT
    if type == 247:  # enum
        return codecs.ENUM_TEXT
    if type == 248:  # set
        return codecs.SET_TEXT
    if type == 4:  # float
        return codecs.FLOAT32_TEXT
    if type == 5:  # double
        return codecs.FLOAT64_TEXT
    if type in (15, 249, 250, 251, 252, 253, 254):  # varchar, var_string, char, tinyblob, mediumblob, longblob, blob
        return codecs.LATIN1_TEXT if flags & BINARY else codecs.TEXT
    if type in (7, 10, 11, 12, 14, 225, 245, 246):  # timestamp, date, time, datetime, newdate, decimal, json, vector
        return codecs.TEXT
    if type == 0:  # unspecified
        return codecs.UNDECLARED_TEXT
    if type == 255:  # geometry
        return codecs.LATIN1_TEXT
    if type == 6:  # null
        return codecs.NOTHING
    return None


class Decoder(MessageDecoder):
    """Messages to columns."""

    def __init__(
        self, invalid_text: str = "error", terminator: str = "", column_types: str = "", table: str = ""
    ) -> None:
        """
        Args:
            invalid_text: what becomes of text that is not UTF-8: error, replace or bytes.
            terminator: what may stand between the objects of one value, beside white space. White space around it is
                passed as any other.
            column_types: the types of columns of which messages do not tell them: ``shop.orders (id bigint unsigned,
                amount decimal(10,2)); shop.customers (...)``.
            table: For reading: the table of rows whose messages do not name it, such as shop.orders. Flink writes
                such messages; they have only data and type.

        Raises:
            OptionError: column_types or the table is not written like that.
        """
        super().__init__("canal-json", FIELDS, EVENT_SCHEMA, EVENT_POSITIONS, EVENT_STORAGE, invalid_text == "replace")
        self.terminator = terminator.strip(" \t\r\n").encode()
        given = KnownTypes(declared_or_undeclared, 0, column_types, TYPES.greatest)
        self.tables = Tables(
            self.cache,
            given,
            MESSAGE_MYSQL_TYPE,
            column_values,
            invalid_text == "error",
            (10,),
            2,
            1,
            None,
            RowsWithoutTable("canal-json", table, "table"),
        )
        self.texts = Names(TEXTS)
        self.names_of_message = Names(
            (
                "id", "database", "table", "pkNames", "isDdl", "type", "es", "ts", "sql", "sqlType", "mysqlType",
                "data", "old", "_tidb"
            )
        )
        self.message_database = Part()
        self.message_table = Part()
        self.message_pk_names = Part()
        self.message_is_ddl = Part()
        self.message_type = Part()
        self.message_sql = Part()
        self.message_sql_type = Part()
        self.message_mysql_type = Part()
        self.message_data = Part()
        self.rows_in_message_data = Rows()
        self.message_old = Part()
        self.rows_in_message_old = Rows()
        self.names_of_extension = Names(("commitTs", "watermarkTs", "onlyHandleKey", "claimCheckLocation", "rowkey"))
        self.extension_claim_check_location = Part()
        self.extension_rowkey = Part()
        self.table: RowTable = self.tables.of(None, None)
        self.case = -1
        self.types_read = self.has_images = False

    def read_whole(self, r: JsonCursor, message: cython.Py_ssize_t) -> cython.int:
        """One Kafka value: an object, or several with white space and terminators between and behind them."""
        while True:
            self.read_message(r, message)
            if not r.separator(self.terminator, MESSAGE_FIELD):
                return 0

    def read_message(self, r: JsonCursor, message: cython.Py_ssize_t) -> cython.int:
        """A row change, a statement or a watermark."""
        unknown: cython.int = 3  # of what tells what the message is, and of which table: database, table, type
        undescribed: cython.int = 2  # of what tells what the columns are: pkNames, mysqlType
        start: cython.Py_ssize_t = r.pos
        k: cython.Py_ssize_t
        self.case = -1
        self.types_read = self.has_images = False
        self.reads_message_data = False
        self.rows_in_message_data.clear()
        self.reads_message_old = False
        self.rows_in_message_old.clear()
        self.message_database.start = self.message_database.end = -1
        self.message_table.start = self.message_table.end = -1
        self.message_pk_names.start = self.message_pk_names.end = -1
        self.message_is_ddl.start = self.message_is_ddl.end = -1
        self.message_type.start = self.message_type.end = -1
        self.message_sql.start = self.message_sql.end = -1
        self.message_sql_type.start = self.message_sql_type.end = -1
        self.message_mysql_type.start = self.message_mysql_type.end = -1
        self.message_data.start = self.message_data.end = -1
        self.message_old.start = self.message_old.end = -1
        self.extension_claim_check_location.start = self.extension_claim_check_location.end = -1
        self.extension_rowkey.start = self.extension_rowkey.end = -1
        self.has_message_es = False
        self.has_message_ts = False
        self.has_message_tidb = False
        r.open(self.names_of_message, MESSAGE_FIELD)
        while r.member(self.names_of_message, MESSAGE_FIELD, MESSAGE_ID):
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
            elif k == 3:  # pkNames
                undescribed -= 1
                r.part(self.message_pk_names, MESSAGE_PK_NAMES)
            elif k == 4:  # isDdl
                r.part(self.message_is_ddl, MESSAGE_IS_DDL)
            elif k == 5:  # type
                r.text(self.message_type, MESSAGE_TYPE)
                unknown -= 1
                if unknown == 0:
                    self.recognize(r)
            elif k == 6:  # es
                self.has_message_es = r.given(MESSAGE_ES)
                if self.has_message_es:
                    self.message_es = r.integer(MESSAGE_ES)
            elif k == 7:  # ts
                self.has_message_ts = r.given(MESSAGE_TS)
                if self.has_message_ts:
                    self.message_ts = r.integer(MESSAGE_TS)
            elif k == 8:  # sql
                r.text(self.message_sql, MESSAGE_SQL)
            elif k == 9:  # sqlType
                self.message_sql_type.start = r.pos
                if self.has_images:
                    skip_as_last(self.table, r, 0, MESSAGE_SQL_TYPE)
                else:
                    r.passed(MESSAGE_SQL_TYPE)
            elif k == 10:  # mysqlType
                undescribed -= 1
                if self.has_images:
                    describe(self.table.columns, r, MESSAGE_MYSQL_TYPE, COLUMN_OF_MESSAGE_MYSQL_TYPE)
                    self.types_read = True
                    if self.table.columns.described == 0:
                        undescribed += 1  # it tells of none: rows wait for sqlType
                else:
                    r.part(self.message_mysql_type, MESSAGE_MYSQL_TYPE)
            elif k == 11:  # data
                if undescribed == 0 and self.reads_message_data:
                    self.tell(r)
                    self.rows_in_message_data.read(
                        r, self.table, self.cache, message, 0, True, MESSAGE_DATA, COLUMN_OF_MESSAGE_DATA
                    )
                else:
                    r.part(self.message_data, MESSAGE_DATA)
            elif k == 12:  # old
                if undescribed == 0 and self.reads_message_old:
                    self.tell(r)
                    self.rows_in_message_old.read(
                        r, self.table, self.cache, message, 1, False, MESSAGE_OLD, COLUMN_OF_MESSAGE_OLD
                    )
                else:
                    r.part(self.message_old, MESSAGE_OLD)
            elif k == 13:  # _tidb
                self.has_message_tidb = r.given(MESSAGE_TIDB)
                if self.has_message_tidb:
                    self.read_extension(r)
            else:  # id, and members that are not described
                if k < 0:
                    self.rows_in_message_data.among_others(r, MESSAGE_DATA)
                    self.rows_in_message_old.among_others(r, MESSAGE_OLD)
                r.passed(MESSAGE_FIELD)
        end: cython.Py_ssize_t = r.pos
        if unknown:
            self.recognize(r)
        if self.has_images:
            self.tell(r)
        else:
            r.unread(self.message_pk_names, MESSAGE_PK_NAMES)
            r.unread(self.message_mysql_type, MESSAGE_MYSQL_TYPE)
        if self.reads_message_data and self.message_data.start >= 0:
            r.pos = self.message_data.start
            self.rows_in_message_data.read(
                r, self.table, self.cache, message, 0, True, MESSAGE_DATA, COLUMN_OF_MESSAGE_DATA
            )
        elif not self.reads_message_data:
            r.no_row(self.message_data, MESSAGE_DATA)
        if self.reads_message_old and self.message_old.start >= 0:
            r.pos = self.message_old.start
            self.rows_in_message_old.read(
                r, self.table, self.cache, message, 1, False, MESSAGE_OLD, COLUMN_OF_MESSAGE_OLD
            )
        elif not self.reads_message_old:
            r.no_row(self.message_old, MESSAGE_OLD)
        r.pos = end
        if self.case == CASE_INSERT:
            if (
                self.message_sql.end > self.message_sql.start
                and self.message_is_ddl.start >= 0
                and not r.denied(self.message_is_ddl)
            ):
                refuse_statement(self.message_sql.start, MESSAGE_SQL)
            self.put_row(r, message, INSERT, self.rows_in_message_data, MESSAGE_DATA, None, MESSAGE_FIELD)
        elif self.case == CASE_UPDATE:
            if (
                self.message_sql.end > self.message_sql.start
                and self.message_is_ddl.start >= 0
                and not r.denied(self.message_is_ddl)
            ):
                refuse_statement(self.message_sql.start, MESSAGE_SQL)
            self.put_row(
                r, message, UPDATE, self.rows_in_message_data, MESSAGE_DATA, self.rows_in_message_old, MESSAGE_OLD
            )
        elif self.case == CASE_DELETE:
            if (
                self.message_sql.end > self.message_sql.start
                and self.message_is_ddl.start >= 0
                and not r.denied(self.message_is_ddl)
            ):
                refuse_statement(self.message_sql.start, MESSAGE_SQL)
            self.put_row(r, message, DELETE, None, MESSAGE_FIELD, self.rows_in_message_data, MESSAGE_DATA)
        elif self.case == CASE_TIDB_WATERMARK:
            if self.message_sql.end > self.message_sql.start:
                refuse_statement(self.message_sql.start, MESSAGE_SQL)
            if self.message_is_ddl.start >= 0 and not r.denied(self.message_is_ddl):
                refuse_statement(self.message_is_ddl.start, MESSAGE_IS_DDL)
            self.put_watermark(r, message, WATERMARK)
        elif self.case == CASE_INIT:
            if (
                self.message_sql.end > self.message_sql.start
                and self.message_is_ddl.start >= 0
                and not r.denied(self.message_is_ddl)
            ):
                refuse_statement(self.message_sql.start, MESSAGE_SQL)
            self.put_row(r, message, INSERT, self.rows_in_message_data, MESSAGE_DATA, None, MESSAGE_FIELD)
        elif self.case == CASE_GTID or self.case == CASE_MHEARTBEAT:
            pass_over(r.copy(start, end), start, SKIPPED_CANALS_OWN, MESSAGE_TYPE)
        elif self.case == CASE_XACOMMIT or self.case == CASE_XAROLLBACK:
            pass_over(r.copy(start, end), start, SKIPPED_OF_XA, MESSAGE_TYPE)
        elif self.case >= CASE_OTHER:
            if not (
                r.denied(self.message_is_ddl) and says_nothing(r.copy(start, end), start, SKIPPED_OF_ROWS, MESSAGE_TYPE)
            ):
                self.put_ddl(r, message, DDL)
        return 0

    def recognize(self, r: JsonCursor) -> cython.int:
        """What the message is, and of which table."""
        if self.message_type.start < 0:
            return r.fail(MISSING, MESSAGE_TYPE, r.pos, 1, 0)
        self.case = r.name_of(self.texts, self.message_type, MESSAGE_TYPE)
        self.has_images = (
            self.case == CASE_INSERT
            or self.case == CASE_UPDATE
            or self.case == CASE_DELETE
            or self.case == CASE_INIT
        )
        self.reads_message_data = (
            self.case == CASE_INSERT
            or self.case == CASE_UPDATE
            or self.case == CASE_DELETE
            or self.case == CASE_INIT
        )
        self.reads_message_old = self.case == CASE_UPDATE
        self.table = find_table(
            self.tables, r, self.message_database, self.message_table, MESSAGE_DATABASE, MESSAGE_TABLE
        )
        if self.has_images and self.table.partly_named:
            self.table = self.tables.named(self.table)
        return 0

    def tell(self, r: JsonCursor) -> cython.int:
        """What the columns of the rows are, as far as it has not been read."""
        here: cython.Py_ssize_t = r.pos
        named_by(self.table.columns, r, 0, self.message_pk_names, MESSAGE_PK_NAMES)
        if not self.types_read:
            self.types_read = True
            if self.message_mysql_type.start < 0:
                self.table.columns.undescribed()
            else:
                r.pos = self.message_mysql_type.start
                describe(self.table.columns, r, MESSAGE_MYSQL_TYPE, COLUMN_OF_MESSAGE_MYSQL_TYPE)
        if self.table.columns.described == 0 and self.message_sql_type.start >= 0:
            r.pos = self.message_sql_type.start
            outlined(self.table.columns, r, MESSAGE_SQL_TYPE)
        r.pos = here
        return 0

    def read_extension(self, r: JsonCursor) -> cython.int:
        """TiDB's extension."""
        k: cython.Py_ssize_t
        self.has_extension_commit_ts = False
        self.has_extension_watermark_ts = False
        self.has_extension_only_handle_key = False
        r.open(self.names_of_extension, MESSAGE_TIDB)
        while r.member(self.names_of_extension, MESSAGE_TIDB, EXTENSION_COMMIT_TS):
            k = r.which
            if k == 0:  # commitTs
                self.has_extension_commit_ts = r.given(EXTENSION_COMMIT_TS)
                if self.has_extension_commit_ts:
                    self.extension_commit_ts = r.uinteger(EXTENSION_COMMIT_TS)
            elif k == 1:  # watermarkTs
                self.has_extension_watermark_ts = r.given(EXTENSION_WATERMARK_TS)
                if self.has_extension_watermark_ts:
                    self.extension_watermark_ts = r.uinteger(EXTENSION_WATERMARK_TS)
            elif k == 2:  # onlyHandleKey
                self.has_extension_only_handle_key = r.given(EXTENSION_ONLY_HANDLE_KEY)
                if self.has_extension_only_handle_key:
                    self.extension_only_handle_key = r.boolean(EXTENSION_ONLY_HANDLE_KEY)
            elif k == 3:  # claimCheckLocation
                r.text(self.extension_claim_check_location, EXTENSION_CLAIM_CHECK_LOCATION)
            elif k == 4:  # rowkey
                r.text(self.extension_rowkey, EXTENSION_ROWKEY)
            else:  # members that are not described
                r.passed(MESSAGE_TIDB)
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
        self.events.reserve(self.events.rows + count)
        for k in range(count):
            row = self.events.rows
            self.put_event(row, message, kind)
            if self.has_message_tidb and self.has_extension_commit_ts:
                self.events.put_uint(COMMIT_TS, row, self.extension_commit_ts)
            elif self.has_message_tidb:
                return r.fail(MISSING, EXTENSION_COMMIT_TS, r.pos, 1, 0)
            else:
                self.events.put_null(COMMIT_TS, row)
            if self.has_message_tidb:
                self.events.put_null(COMMIT_MS, row)
            elif self.has_message_es:
                self.events.put_int(COMMIT_MS, row, self.message_es)
            else:
                self.events.put_null(COMMIT_MS, row)
            if self.has_message_tidb and self.extension_rowkey.start >= 0:
                r.put_base64(self.events, ROW_KEY, row, self.extension_rowkey, EXTENSION_ROWKEY)
            else:
                self.events.put_null(ROW_KEY, row)
            if self.has_message_tidb and self.has_extension_only_handle_key:
                self.events.put_int(HANDLE_KEY_ONLY, row, self.extension_only_handle_key)
            else:
                self.events.put_null(HANDLE_KEY_ONLY, row)
            if self.has_message_tidb and self.extension_claim_check_location.start >= 0:
                r.put_text(
                    self.events, CLAIM_CHECK, row, self.extension_claim_check_location, EXTENSION_CLAIM_CHECK_LOCATION
                )
            else:
                self.events.put_null(CLAIM_CHECK, row)
            self.events.put_null(DDL_CLASS, row)  # ddl_class
            self.events.put_null(QUERY, row)  # query
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
        if self.table.partly_named:
            self.tables.stay_unnamed(self.table)
        return 0

    def put_watermark(self, r: JsonCursor, message: cython.Py_ssize_t, kind: cython.int) -> cython.int:
        """Every event with a smaller commit ts has been sent."""
        row: cython.Py_ssize_t = self.events.rows
        self.events.reserve(row + 1)
        self.put_event(row, message, kind)
        if self.has_message_tidb and self.has_extension_watermark_ts:
            self.events.put_uint(COMMIT_TS, row, self.extension_watermark_ts)
        elif self.has_message_tidb:
            self.events.put_uint(COMMIT_TS, row, 0)
        else:
            self.events.put_null(COMMIT_TS, row)
        if self.has_message_tidb:
            self.events.put_null(COMMIT_MS, row)
        elif self.has_message_es:
            self.events.put_int(COMMIT_MS, row, self.message_es)
        else:
            return r.fail(MISSING, MESSAGE_ES, r.pos, 1, 0)
        self.put_no_row(row)
        self.events.put_null(DDL_CLASS, row)  # ddl_class
        self.events.put_null(QUERY, row)  # query
        self.events.rows = row + 1
        return 0

    def put_ddl(self, r: JsonCursor, message: cython.Py_ssize_t, kind: cython.int) -> cython.int:
        """A DDL statement that was executed."""
        row: cython.Py_ssize_t = self.events.rows
        self.events.reserve(row + 1)
        self.put_event(row, message, kind)
        if self.has_message_tidb and self.has_extension_commit_ts:
            self.events.put_uint(COMMIT_TS, row, self.extension_commit_ts)
        elif self.has_message_tidb:
            self.events.put_uint(COMMIT_TS, row, 0)
        else:
            self.events.put_null(COMMIT_TS, row)
        if self.has_message_tidb:
            self.events.put_null(COMMIT_MS, row)
        elif self.has_message_es:
            self.events.put_int(COMMIT_MS, row, self.message_es)
        else:
            return r.fail(MISSING, MESSAGE_ES, r.pos, 1, 0)
        self.put_no_row(row)
        r.put_text(self.events, DDL_CLASS, row, self.message_type, MESSAGE_TYPE)  # ddl_class
        if self.message_sql.end > self.message_sql.start:
            r.put_text(self.events, QUERY, row, self.message_sql, MESSAGE_SQL)
        else:
            self.events.put_null(QUERY, row)
        self.events.rows = row + 1
        return 0

    def put_event(self, row: cython.Py_ssize_t, message: cython.Py_ssize_t, kind: cython.int) -> cython.int:
        """Of every event: message, kind, sent_ms, table."""
        self.events.put_int(MESSAGE, row, message)  # message
        self.events.put_int(KIND, row, kind)  # kind
        if self.has_message_ts:
            self.events.put_int(SENT_MS, row, self.message_ts)
        else:
            self.events.put_null(SENT_MS, row)
        self.events.put_int(TABLE, row, self.cache.position_of(self.table))  # table
        return 0

    def put_no_row(self, row: cython.Py_ssize_t) -> cython.int:
        """Nothing in the columns that only a row fills: row_key, handle_key_only, claim_check, new_layout,
        new_row, old_layout, old_row."""
        self.events.put_null(ROW_KEY, row)  # row_key
        self.events.put_null(HANDLE_KEY_ONLY, row)  # handle_key_only
        self.events.put_null(CLAIM_CHECK, row)  # claim_check
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
        return found
