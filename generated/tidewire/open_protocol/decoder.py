"""Decoder of TiCDC Open Protocol.

Kafka key and value are two sequences of JSON objects, each preceded by its length. Object i of both is event i:
the key says what happened, when and to which table, the value holds the row, every column with its type and
flags, or the statement.

Follow a message through `read_whole`: it takes a frame of the key and the frame of the value that belongs to it, and
makes an event of both.
"""
# Generated from spec/open-protocol.yaml by "make generate". Do not edit.

from __future__ import annotations

from collections.abc import Iterable

from tidewire.events import EVENT_SCHEMA
from tidewire.open_protocol.names import EVENT_POSITIONS, EVENT_STORAGE
from tidewire.runtime import require_api
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.decoding.message_decoder import KeyedDecoder
from tidewire.runtime.decoding.names import Names
from tidewire.runtime.decoding.row_table import RowTable
from tidewire.runtime.decoding.row_tables import Tables
from tidewire.runtime.errors import ENUM, MISSING, ROWS, TRAILING, DecodeError, WireError, no_key
from tidewire.runtime.json import codecs
from tidewire.runtime.json.codec import JsonCodec
from tidewire.runtime.json.column_objects import ColumnMembers, ColumnObjects
from tidewire.runtime.json.cursor import JsonCursor
from tidewire.runtime.json.stated_tables import find_table
from tidewire.runtime.wire.messages import Piece, keys_of
from tidewire.runtime.wire.part import Part
from tidewire.runtime import cython
from tidewire.open_protocol.names import (
    MESSAGE, KIND, COMMIT_TS, TABLE, PARTITION_ID, ROW_ID, HANDLE_KEY_ONLY, CLAIM_CHECK, DDL_TYPE, QUERY, NEW_LAYOUT,
    NEW_ROW, OLD_LAYOUT, OLD_ROW, CASE_ROW, CASE_DDL, CASE_WATERMARK
)
from tidewire.names import INSERT, UPDATE, DELETE, DDL, WATERMARK, BINARY, HANDLE_KEY, UNSIGNED


require_api(1)

FIELDS = (
    "", "version", "{item}", "{item}/ts", "{item}/scm", "{item}/tbl", "{item}/rid", "{item}/ptn", "{item}/t",
    "{item}/ohk", "{item}/ccl", "", "{item}", "{item}/u", "{item}/p", "{item}/d", "{item}/q", "{item}/t",
    "{item}/u/{column}", "{item}/u/{column}/t", "{item}/u/{column}/h", "{item}/u/{column}/f", "{item}/u/{column}/v",
    "{item}/p/{column}", "{item}/p/{column}/t", "{item}/p/{column}/h", "{item}/p/{column}/f", "{item}/p/{column}/v",
    "{item}/d/{column}", "{item}/d/{column}/t", "{item}/d/{column}/h", "{item}/d/{column}/f", "{item}/d/{column}/v"
)
"""The fields of key and value; {...} is filled with what tells where the trouble is. The constants below are their
positions."""

KEY_FIELDS = 11
"""How many of them are the key's: the first."""

(
    KEY, KEY_VERSION, KEY_FRAME, KEY_COMMIT_TS, KEY_SCHEMA, KEY_TABLE, KEY_ROW_ID, KEY_PARTITION, KEY_TYPE,
    KEY_HANDLE_KEY_ONLY, KEY_CLAIM_CHECK, VALUE, VALUE_FRAME, ROW_NEW, ROW_OLD, ROW_DELETED, STATEMENT_QUERY,
    STATEMENT_TYPE, COLUMN_OF_ROW_NEW, TYPE_OF_ROW_NEW, HANDLE_KEY_OF_ROW_NEW, FLAGS_OF_ROW_NEW, VALUE_OF_ROW_NEW,
    COLUMN_OF_ROW_OLD, TYPE_OF_ROW_OLD, HANDLE_KEY_OF_ROW_OLD, FLAGS_OF_ROW_OLD, VALUE_OF_ROW_OLD,
    COLUMN_OF_ROW_DELETED, TYPE_OF_ROW_DELETED, HANDLE_KEY_OF_ROW_DELETED, FLAGS_OF_ROW_DELETED, VALUE_OF_ROW_DELETED
) = range(33)



def column_values(type: int, flags: int, flagged: bool = True) -> JsonCodec:
    """How a value is written in JSON, by column type and flags; null is null.

    Args:
        type: MySQL type code.
        flags: column flags.
        flagged: whether the message says the flags.
    """
    if type in (1, 2, 3, 8, 9):  # tinyint, smallint, mediumint, int, bigint
        return codecs.UINT_NUMBER if flags & UNSIGNED else codecs.INT_NUMBER
    if type == 13:  # year
        return codecs.INT_NUMBER
    if type in (16, 247, 248):  # bit, enum, set
        return codecs.UINT_NUMBER
    if type == 4:  # float
        return codecs.FLOAT32_NUMBER
    if type == 5:  # double
        return codecs.FLOAT64_NUMBER
    if type in (249, 250, 251, 252):  # tinyblob, mediumblob, longblob, blob
        return codecs.BASE64_BYTES if flags & BINARY else codecs.BASE64_TEXT
    if type in (15, 253, 254):  # varchar, var_string, char
        if not flagged:
            return codecs.BASE64_TEXT
        return codecs.QUOTED_BYTES if flags & BINARY else codecs.TEXT
    if type in (7, 10, 11, 12, 14, 225, 245, 246):  # timestamp, date, time, datetime, newdate, decimal, json, vector
        return codecs.TEXT
    if type in (0, 6, 255):  # unspecified, null, geometry
        return codecs.NOTHING
    return codecs.NOTHING


class Decoder(KeyedDecoder):
    """Messages to columns."""

    def __init__(self, invalid_text: str = "error") -> None:
        """
        Args:
            invalid_text: what becomes of text that is not UTF-8: error, replace or bytes.
        """
        super().__init__(
            "open-protocol", FIELDS, EVENT_SCHEMA, EVENT_POSITIONS, EVENT_STORAGE, invalid_text == "replace"
        )
        self.tables = Tables(self.cache, None, -1, column_values, invalid_text == "error", None, 3, 0)
        column = ColumnMembers(("t", "h", "f", "v"), 0, 2, 1, 3, HANDLE_KEY)
        self.names_of_key = Names(("ts", "scm", "tbl", "rid", "ptn", "t", "ohk", "ccl"))
        self.key_schema = Part()
        self.key_table = Part()
        self.key_claim_check = Part()
        self.names_of_row = Names(("u", "p", "d"))
        self.row_new = ColumnObjects(column)
        self.row_old = ColumnObjects(column)
        self.row_deleted = ColumnObjects(column)
        self.names_of_statement = Names(("q", "t"))
        self.statement_query = Part()
        self.table: RowTable = self.tables.of(None, None)
        self.item = 0

    def read_whole(self, key: JsonCursor, r: JsonCursor, message: cython.Py_ssize_t) -> cython.int:
        """One Kafka message: as many frames in its key as in its value, which `r` reads."""
        self.item = 0
        key.begin()
        r.begin()
        key.expect_u64(1, KEY_VERSION)  # version
        while key.more():
            key.frame(KEY_FRAME)
            self.read_key(key)
            key.close(KEY_FRAME)
            if not self.has_key_type:
                return key.fail(MISSING, KEY_TYPE, key.pos, 1, 0)
            self.table = find_table(self.tables, key, self.key_schema, self.key_table, KEY_SCHEMA, KEY_TABLE)
            if self.key_type == CASE_ROW:
                self.take_row(key, r, message)
            elif self.key_type == CASE_DDL:
                self.take_ddl(key, r, message)
            elif self.key_type == CASE_WATERMARK:
                self.take_watermark(key, r, message)
            else:
                return key.fail(ENUM, KEY_TYPE, key.pos, self.key_type, 0)
            self.item += 1
        if r.more():
            return key.fail(MISSING, KEY_FRAME, key.pos, 1, 0)
        return 0

    def read_key(self, r: JsonCursor) -> cython.int:
        """What happened, when, and to which table."""
        k: cython.Py_ssize_t
        self.key_schema.start = self.key_schema.end = -1
        self.key_table.start = self.key_table.end = -1
        self.key_claim_check.start = self.key_claim_check.end = -1
        self.has_key_commit_ts = False
        self.has_key_row_id = False
        self.has_key_partition = False
        self.has_key_type = False
        self.has_key_handle_key_only = False
        r.open(self.names_of_key, KEY_FRAME)
        while r.member(self.names_of_key, KEY_FRAME, KEY_COMMIT_TS):
            k = r.which
            if k == 0:  # ts
                self.has_key_commit_ts = r.given(KEY_COMMIT_TS)
                if self.has_key_commit_ts:
                    self.key_commit_ts = r.uinteger(KEY_COMMIT_TS)
            elif k == 1:  # scm
                r.text(self.key_schema, KEY_SCHEMA)
            elif k == 2:  # tbl
                r.text(self.key_table, KEY_TABLE)
            elif k == 3:  # rid
                self.has_key_row_id = r.given(KEY_ROW_ID)
                if self.has_key_row_id:
                    self.key_row_id = r.integer(KEY_ROW_ID)
            elif k == 4:  # ptn
                self.has_key_partition = r.given(KEY_PARTITION)
                if self.has_key_partition:
                    self.key_partition = r.integer(KEY_PARTITION)
            elif k == 5:  # t
                self.has_key_type = r.given(KEY_TYPE)
                if self.has_key_type:
                    self.key_type = r.integer(KEY_TYPE)
            elif k == 6:  # ohk
                self.has_key_handle_key_only = r.given(KEY_HANDLE_KEY_ONLY)
                if self.has_key_handle_key_only:
                    self.key_handle_key_only = r.boolean(KEY_HANDLE_KEY_ONLY)
                self.names_of_key.again(k)
            elif k == 7:  # ccl
                r.text(self.key_claim_check, KEY_CLAIM_CHECK)
            else:  # members that are not described
                r.passed(KEY_FRAME)
        return 0

    def read_row(self, r: JsonCursor, message: cython.Py_ssize_t) -> cython.int:
        """The row images of a change."""
        k: cython.Py_ssize_t
        self.row_new.clear()
        self.row_old.clear()
        self.row_deleted.clear()
        r.open(self.names_of_row, VALUE_FRAME)
        while r.member(self.names_of_row, VALUE_FRAME, ROW_NEW):
            k = r.which
            if k == 0:  # u
                self.row_new.read(r, self.table, self.cache, message, 0, ROW_NEW, COLUMN_OF_ROW_NEW)
            elif k == 1:  # p
                self.row_old.read(r, self.table, self.cache, message, 1, ROW_OLD, COLUMN_OF_ROW_OLD)
            elif k == 2:  # d
                self.row_deleted.read(r, self.table, self.cache, message, 2, ROW_DELETED, COLUMN_OF_ROW_DELETED)
            else:  # members that are not described
                r.passed(VALUE_FRAME)
        return 0

    def read_statement(self, r: JsonCursor) -> cython.int:
        """A DDL statement that was executed."""
        k: cython.Py_ssize_t
        self.statement_query.start = self.statement_query.end = -1
        self.has_statement_type = False
        r.open(self.names_of_statement, VALUE_FRAME)
        while r.member(self.names_of_statement, VALUE_FRAME, STATEMENT_QUERY):
            k = r.which
            if k == 0:  # q
                r.text(self.statement_query, STATEMENT_QUERY)
            elif k == 1:  # t
                self.has_statement_type = r.given(STATEMENT_TYPE)
                if self.has_statement_type:
                    self.statement_type = r.between(0, 255, STATEMENT_TYPE)
            else:  # members that are not described
                r.passed(VALUE_FRAME)
        return 0

    def take_row(self, key: JsonCursor, r: JsonCursor, message: cython.Py_ssize_t) -> cython.int:
        """A row that was inserted or updated or deleted."""
        if not r.more():
            return r.fail(MISSING, VALUE_FRAME, r.pos, 1, 0)
        r.frame(VALUE_FRAME)
        self.read_row(r, message)
        r.close(VALUE_FRAME)
        if self.row_deleted.count > 0:
            if self.row_new.count > 0:
                return r.fail(ROWS, ROW_NEW, r.pos, 0, 0)
            if self.row_old.count > 0:
                return r.fail(ROWS, ROW_OLD, r.pos, 0, 0)
            return self.put_row(key, r, message, DELETE, None, self.row_deleted)
        if self.row_new.count > 0 and self.row_old.count >= 0:
            if self.row_deleted.count > 0:
                return r.fail(ROWS, ROW_DELETED, r.pos, 0, 0)
            return self.put_row(key, r, message, UPDATE, self.row_new, self.row_old)
        if self.row_new.count > 0:
            if self.row_deleted.count > 0:
                return r.fail(ROWS, ROW_DELETED, r.pos, 0, 0)
            if self.row_old.count > 0:
                return r.fail(ROWS, ROW_OLD, r.pos, 0, 0)
            return self.put_row(key, r, message, INSERT, self.row_new, None)
        return r.fail(MISSING, ROW_NEW, r.pos, 1, 0)

    def take_ddl(self, key: JsonCursor, r: JsonCursor, message: cython.Py_ssize_t) -> cython.int:
        """A DDL statement that was executed."""
        if not r.more():
            return r.fail(MISSING, VALUE_FRAME, r.pos, 1, 0)
        r.frame(VALUE_FRAME)
        self.read_statement(r)
        r.close(VALUE_FRAME)
        return self.put_ddl(key, r, message, DDL)

    def take_watermark(self, key: JsonCursor, r: JsonCursor, message: cython.Py_ssize_t) -> cython.int:
        """Every event with a smaller commit ts has been sent."""
        if r.more():
            r.frame(VALUE_FRAME)
            if not r.empty():
                return r.fail(TRAILING, VALUE_FRAME, r.pos, r.end - r.pos, 0)
        return self.put_watermark(key, r, message, WATERMARK)

    def put_row(
        self,
        key: JsonCursor,
        r: JsonCursor,
        message: cython.Py_ssize_t,
        kind: cython.int,
        new: ColumnObjects | None,
        old: ColumnObjects | None,
    ) -> cython.int:
        """A row that was inserted or updated or deleted."""
        row: cython.Py_ssize_t = self.events.rows
        if self.table.table[0] is None:
            return key.fail(MISSING, KEY_SCHEMA, key.pos, 1, 0)
        if self.table.table[1] is None:
            return key.fail(MISSING, KEY_TABLE, key.pos, 1, 0)
        self.events.reserve(row + 1)
        self.put_event(key, row, message, kind)
        if self.has_key_partition:
            self.events.put_int(PARTITION_ID, row, self.key_partition)
        else:
            self.events.put_null(PARTITION_ID, row)
        if self.has_key_row_id and self.key_row_id != 0:
            self.events.put_int(ROW_ID, row, self.key_row_id)
        else:
            self.events.put_null(ROW_ID, row)
        if self.has_key_handle_key_only and self.key_handle_key_only != 0:
            self.events.put_int(HANDLE_KEY_ONLY, row, self.key_handle_key_only)
        else:
            self.events.put_null(HANDLE_KEY_ONLY, row)
        if self.key_claim_check.start >= 0:
            key.put_text(self.events, CLAIM_CHECK, row, self.key_claim_check, KEY_CLAIM_CHECK)
        else:
            self.events.put_null(CLAIM_CHECK, row)
        self.events.put_null(DDL_TYPE, row)  # ddl_type
        self.events.put_null(QUERY, row)  # query
        if new is None:
            self.events.put_int(NEW_LAYOUT, row, -1)
        else:
            self.events.put_int(NEW_LAYOUT, row, new.slots.i64[0])
        if new is None:
            self.events.put_int(NEW_ROW, row, -1)
        else:
            self.events.put_int(NEW_ROW, row, new.row_numbers.i64[0])
        if old is None:
            self.events.put_int(OLD_LAYOUT, row, -1)
        else:
            self.events.put_int(OLD_LAYOUT, row, old.slots.i64[0])
        if old is None:
            self.events.put_int(OLD_ROW, row, -1)
        else:
            self.events.put_int(OLD_ROW, row, old.row_numbers.i64[0])
        self.events.rows = row + 1
        return 0

    def put_ddl(self, key: JsonCursor, r: JsonCursor, message: cython.Py_ssize_t, kind: cython.int) -> cython.int:
        """A DDL statement that was executed."""
        row: cython.Py_ssize_t = self.events.rows
        self.events.reserve(row + 1)
        self.put_event(key, row, message, kind)
        self.put_no_row(row)
        if self.has_statement_type:
            self.events.put_int(DDL_TYPE, row, self.statement_type)
        else:
            return r.fail(MISSING, STATEMENT_TYPE, r.pos, 1, 0)
        if self.statement_query.start >= 0:
            r.put_text(self.events, QUERY, row, self.statement_query, STATEMENT_QUERY)
        else:
            return r.fail(MISSING, STATEMENT_QUERY, r.pos, 1, 0)
        self.events.rows = row + 1
        return 0

    def put_watermark(self, key: JsonCursor, r: JsonCursor, message: cython.Py_ssize_t, kind: cython.int) -> cython.int:
        """Every event with a smaller commit ts has been sent."""
        row: cython.Py_ssize_t = self.events.rows
        self.events.reserve(row + 1)
        self.put_event(key, row, message, kind)
        self.put_no_row(row)
        self.events.put_null(DDL_TYPE, row)  # ddl_type
        self.events.put_null(QUERY, row)  # query
        self.events.rows = row + 1
        return 0

    def put_event(
        self, key: JsonCursor, row: cython.Py_ssize_t, message: cython.Py_ssize_t, kind: cython.int
    ) -> cython.int:
        """Of every event: message, kind, commit_ts, table."""
        self.events.put_int(MESSAGE, row, message)  # message
        self.events.put_int(KIND, row, kind)  # kind
        if self.has_key_commit_ts:
            self.events.put_uint(COMMIT_TS, row, self.key_commit_ts)
        else:
            return key.fail(MISSING, KEY_COMMIT_TS, key.pos, 1, 0)
        self.events.put_int(TABLE, row, self.cache.position_of(self.table))  # table
        return 0

    def put_no_row(self, row: cython.Py_ssize_t) -> cython.int:
        """Nothing in the columns that only a row fills: partition_id, row_id, handle_key_only, claim_check,
        new_layout, new_row, old_layout, old_row."""
        self.events.put_null(PARTITION_ID, row)  # partition_id
        self.events.put_null(ROW_ID, row)  # row_id
        self.events.put_null(HANDLE_KEY_ONLY, row)  # handle_key_only
        self.events.put_null(CLAIM_CHECK, row)  # claim_check
        self.events.put_int(NEW_LAYOUT, row, -1)  # new_layout
        self.events.put_int(NEW_ROW, row, -1)  # new_row
        self.events.put_int(OLD_LAYOUT, row, -1)  # old_layout
        self.events.put_int(OLD_ROW, row, -1)  # old_row
        return 0

    def decode_pieces(self, pieces: Iterable[Piece]) -> EventColumns:
        r: JsonCursor = JsonCursor()
        key: JsonCursor = JsonCursor()
        errors: list[DecodeError] = []
        tombstones: list[int] = []
        base: cython.Py_ssize_t = 0
        k: cython.Py_ssize_t
        rows: cython.Py_ssize_t
        missing: frozenset[int]
        keyless: frozenset[int]
        self.events.begin()
        self.cache.begin()
        self.tables.begin()
        for values, keys in pieces:
            missing = r.receive(values)
            keyless = key.receive(keys_of(values, keys))
            for k in range(r.messages):
                if missing and k in missing:
                    tombstones.append(base + k)
                    continue
                if keyless and k in keyless:
                    errors.append(no_key(self.protocol, base + k))
                    continue
                rows = self.events.rows
                self.cache.start()
                try:
                    key.load(k)
                    r.load(k)
                    self.read_whole(key, r, base + k)
                except WireError as error:
                    errors.append(self.readable(error, base + k))
                    self.events.rows = rows
                    self.cache.undo()
            base += r.messages
        return self.finish(errors, tombstones)

    def indexes(self, error: WireError) -> dict[str, object]:
        """Where in its field the trouble is."""
        return {"item": self.item, "column": self.table.columns.at_name()}

    def part(self, error: WireError) -> str:
        """Whether the field is of the key or of the value."""
        return "key" if error.field < KEY_FIELDS else "value"
