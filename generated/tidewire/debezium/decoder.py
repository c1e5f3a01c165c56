"""Decoder of Debezium.

An object for a changed row, a statement or a watermark, in Kafka Connect's envelope: a schema block beside it
has its schema. The key has the columns that identify the row.

Follow a message through `read_payload`: it takes the members in whatever order they come. What tells what rows are of
usually comes before them, and they are read at once; else they are passed, and read when the rest is known.
"""
# Generated from spec/debezium.yaml by "make generate". Do not edit.

from __future__ import annotations

from collections.abc import Iterable

from tidewire.debezium.names import EVENT_POSITIONS, EVENT_STORAGE
from tidewire.debezium.schema_types import SCHEMA_TYPES
from tidewire.events import EVENT_SCHEMA
from tidewire.mysql import TYPES, declared
from tidewire.runtime import require_api
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.connect.reading import ConnectReader
from tidewire.runtime.decoding.known_types import KnownTypes
from tidewire.runtime.decoding.names import Names
from tidewire.runtime.decoding.row_table import RowTable
from tidewire.runtime.decoding.row_tables import Tables
from tidewire.runtime.decoding.rows_without_table import RowsWithoutTable
from tidewire.runtime.errors import COUNT, MISSING, DecodeError, WireError
from tidewire.runtime.json import codecs
from tidewire.runtime.json.codec import JsonCodec
from tidewire.runtime.json.connect_decoder import ConnectDecoder
from tidewire.runtime.json.cursor import JsonCursor
from tidewire.runtime.json.prefix_cache import PrefixCache
from tidewire.runtime.json.rows import Rows
from tidewire.runtime.json.skip_cache import Accepted, PassedMembers
from tidewire.runtime.json.skipped import ListOf, Skipped, pass_over_one_of, refuse_statement
from tidewire.runtime.json.stated_tables import find_table
from tidewire.runtime.json.table_changes import ChangeReader
from tidewire.runtime.tables.described_parts import ArrayField, DescribedPart, ObjectField, ScalarField
from tidewire.runtime.wire.messages import Piece, keys_of
from tidewire.runtime.wire.part import Part
from tidewire.tables import TableDescription, TableStore
from tidewire.runtime import cython
from tidewire.debezium.names import (
    MESSAGE, KIND, COMMIT_TS, COMMIT_MS, SENT_MS, TABLE, START_TS, DDL_TYPE, QUERY, TABLE_AFTER, TABLE_BEFORE,
    TYPES_FROM, TIME_ZONE, NEW_LAYOUT, NEW_ROW, OLD_LAYOUT, OLD_ROW, CASE_C, CASE_U, CASE_D, CASE_R, CASE_M, CASE_T,
    CASE_WITH_DDL, CASE_WITHOUT_OP
)
from tidewire.names import INSERT, UPDATE, DELETE, DDL, WATERMARK, BINARY, HANDLE_KEY, NULLABLE, UNSIGNED


require_api(1)

FIELDS = (
    "key", "payload", "schema", "payload", "source", "ts_ms", "transaction", "op", "before", "after", "databaseName",
    "schemaName", "ddl", "tableChanges", "source/version", "source/connector", "source/name", "source/ts_ms",
    "source/snapshot", "source/db", "source/sequence", "source/table", "source/server_id", "source/gtid", "source/file",
    "source/pos", "source/row", "source/thread", "source/query", "source/commit_ts", "source/start_ts",
    "source/cluster_id", "source/schema", "source/collection", "before/{column}", "after/{column}", "tableChanges{path}"
)
"""The fields of a message; {...} is filled with what tells where the trouble is. The constants below are their
positions."""

(
    KEY, PAYLOAD, BLOCK, PAYLOAD_FIELD, PAYLOAD_SOURCE, PAYLOAD_SENT, PAYLOAD_TRANSACTION, PAYLOAD_OP, PAYLOAD_BEFORE,
    PAYLOAD_AFTER, PAYLOAD_DATABASE, PAYLOAD_SCHEMA_NAME, PAYLOAD_DDL, PAYLOAD_CHANGES, SOURCE_VERSION,
    SOURCE_CONNECTOR, SOURCE_NAME, SOURCE_COMMIT_MS, SOURCE_SNAPSHOT, SOURCE_DB, SOURCE_SEQUENCE, SOURCE_TABLE,
    SOURCE_SERVER_ID, SOURCE_GTID, SOURCE_FILE, SOURCE_POS, SOURCE_ROW, SOURCE_THREAD, SOURCE_QUERY, SOURCE_COMMIT_TS,
    SOURCE_START_TS, SOURCE_CLUSTER, SOURCE_SCHEMA_INSIDE, SOURCE_COLLECTION, COLUMN_OF_PAYLOAD_BEFORE,
    COLUMN_OF_PAYLOAD_AFTER, COLUMN_OF_PAYLOAD_CHANGES
) = range(37)

TEXTS = ("c", "u", "d", "r", "m", "t")
"""What op can be."""


CHANGED_COLUMN_PART = DescribedPart(
    "changed_column",
    (
        ScalarField("name", "name", "text"),
        ScalarField("jdbcType", "type_number", "integer", null=True),
        ScalarField("nativeType", "native_type", "integer", null=True),
        ScalarField("comment", "comment", "text", null=True),
        ScalarField("defaultValueExpression", "default", "text", null=True),
        ScalarField("enumValues", "labels", "texts", null=True),
        ScalarField("typeName", "type_name", "text"),
        ScalarField("typeExpression", "type_expression", "text", null=True),
        ScalarField("charsetName", "charset", "text", null=True),
        ScalarField("length", "length", "integer", null=True),
        ScalarField("scale", "scale", "integer", null=True),
        ScalarField("position", "position", "integer"),
        ScalarField("optional", "nullable", "bool", null=True),
        ScalarField("autoIncremented", "auto_incremented", "bool", null=True),
        ScalarField("generated", "generated", "bool", null=True),
    ),
)
"""A column of such a table."""

CHANGED_TABLE_PART = DescribedPart(
    "changed_table",
    (
        ScalarField("defaultCharsetName", "charset", "text", null=True),
        ScalarField("primaryKeyColumnNames", "key", "texts", null=True),
        ArrayField("columns", CHANGED_COLUMN_PART, "columns", hides=("ticdc",)),
        ScalarField("comment", "comment", "text", null=True),
    ),
)
"""A table after a statement."""

CHANGE_PART = DescribedPart(
    "change",
    (
        ScalarField("type", "type", "text"),
        ScalarField("id", "id", "text"),
        ObjectField("table", CHANGED_TABLE_PART, attribute="table"),
    ),
)
"""What a statement did to a table."""

SKIPPED_HEARTBEAT = Skipped(
    (("ts_ms", "integer"), ("ts_us", "integer"), ("ts_ns", "integer")), named="io.debezium.connector.common.Heartbeat"
)
"""What a message without events may have."""

SKIPPED_TRANSACTION = Skipped(
    (
        ("status", ("BEGIN", "END")),
        ("id", "text"),
        ("event_count", "integer"),
        ("data_collections", ListOf(Skipped((("data_collection", "text"), ("event_count", "integer"))))),
        ("ts_ms", "integer"),
        ("ts_us", "integer"),
        ("ts_ns", "integer"),
    ),
    always=("event_count", "data_collections"),
    named="io.debezium.connector.common.TransactionMetadataValue",
)
"""What a message without events may have."""


def column_values(type: int, flags: int) -> JsonCodec | None:
    """How a value is written where there is no schema block; null is null.

    Args:
        type: MySQL type code.
        flags: column flags.

    Returns:
        None for a type that has no values here.
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
    if type in (15, 249, 250, 251, 252, 253, 254):  # varchar, var_string, char, tinyblob, mediumblob, longblob, blob
        return codecs.BASE64_BYTES if flags & BINARY else codecs.TEXT
    if type in (7, 10, 11, 12, 14, 225, 245, 246):  # timestamp, date, time, datetime, newdate, decimal, json, vector
        return codecs.TEXT
    if type in (0, 6, 255):  # unspecified, null, geometry
        return codecs.NOTHING
    return None


class Decoder(ConnectDecoder):
    """Messages to columns."""

    def __init__(
        self,
        invalid_text: str = "error",
        store: TableStore | None = None,
        decimal_handling_mode: str = "double",
        bigint_unsigned_handling_mode: str = "long",
        binary_handling_mode: str = "base64",
        time_precision_mode: str = "adaptive-time-microseconds",
        table: str = "",
    ) -> None:
        """
        Args:
            invalid_text: what becomes of text that is not UTF-8: error, replace or bytes.
            store: the descriptions of tables that are known already; it gets those that messages have. None: a store
                of the decoder's own.
            decimal_handling_mode: For reading messages without schema blocks: how Debezium's own connector writes
                DECIMAL, its option decimal.handling.mode. TiCDC writes a double.
            bigint_unsigned_handling_mode: For reading messages without schema blocks: how Debezium's own connector
                writes BIGINT UNSIGNED, its option bigint.unsigned.handling.mode.
            binary_handling_mode: For reading: how Debezium's own connector writes bytes as text, its option
                binary.handling.mode. TiCDC writes base64.
            time_precision_mode: For reading messages without schema blocks: how Debezium's own connector writes dates
                and times, its option time.precision.mode.
            table: For reading: the table of rows whose messages do not name it, such as shop.orders. Flink writes
                such messages; they have only before, after and op.
        """
        super().__init__(
            "debezium",
            FIELDS,
            EVENT_SCHEMA,
            EVENT_POSITIONS,
            EVENT_STORAGE,
            invalid_text == "replace",
            ChangeReader(CHANGE_PART, TableDescription),
            TableStore.given(store),
            ConnectReader(
                SCHEMA_TYPES.reading(
                    {
                        "decimal-handling-mode": decimal_handling_mode,
                        "bigint-unsigned-handling-mode": bigint_unsigned_handling_mode,
                        "binary-handling-mode": binary_handling_mode,
                        "time-precision-mode": time_precision_mode,
                    }
                ),
                ("before", "after"),
                TYPES,
                (NULLABLE, HANDLE_KEY),
            ),
            (KEY, PAYLOAD, BLOCK),
        )
        given = KnownTypes(declared)
        self.tables = Tables(
            self.cache,
            given,
            SOURCE_COMMIT_TS,
            column_values,
            invalid_text == "error",
            None,
            2,
            0,
            self.store,
            RowsWithoutTable("debezium", table, "table"),
        )
        self.texts = Names(TEXTS)
        self.names_of_payload = Names(
            (
                "source", "ts_ms", "transaction", "op", "before", "after", "databaseName", "schemaName", "ddl",
                "tableChanges"
            )
        )
        self.passed_in_payload = PassedMembers(self.names_of_payload)
        self.payload_op = Part()
        self.payload_before = Part()
        self.rows_in_payload_before = Rows()
        self.payload_after = Part()
        self.rows_in_payload_after = Rows()
        self.payload_ddl = Part()
        self.payload_changes = Part()
        self.names_of_source = Names(
            (
                "version", "connector", "name", "ts_ms", "snapshot", "db", "sequence", "table", "server_id", "gtid",
                "file", "pos", "row", "thread", "query", "commit_ts", "start_ts", "cluster_id", "schema", "collection"
            )
        )
        self.passed_in_source = PassedMembers(
            self.names_of_source,
            (
                Accepted(1, SOURCE_CONNECTOR, ("TiCDC", "mysql", "mariadb")),
                Accepted(18, SOURCE_SCHEMA_INSIDE, ()),
                Accepted(19, SOURCE_COLLECTION, ()),
            ),
        )
        self.source_db = Part()
        self.source_table = Part()
        self.opening = PrefixCache((4, 5), 4)
        self.table: RowTable = self.tables.of(None, None)
        self.case = -1
        self.types_read = self.has_images = False

    def read_whole(self, key: JsonCursor, there: cython.bint, r: JsonCursor, message: cython.Py_ssize_t) -> cython.int:
        """A key, where there is one, and a value: a payload each, perhaps in an envelope with its block."""
        self.keys.read(key, there, self.tables.checked)
        self.envelopes.open(r)
        return self.read_payload(r, message)

    def read_payload(self, r: JsonCursor, message: cython.Py_ssize_t) -> cython.int:
        """A row change, a statement or a watermark."""
        unknown: cython.int = 2  # of what tells what the message is, and of which table: source, op
        undescribed: cython.int = 1  # of what tells what the columns are: source
        start: cython.Py_ssize_t = r.pos
        k: cython.Py_ssize_t
        self.types_read = False
        self.rows_in_payload_before.clear()
        self.rows_in_payload_after.clear()
        self.payload_before.start = self.payload_before.end = -1
        self.payload_after.start = self.payload_after.end = -1
        if self.opening.repeats(r, self.names_of_payload):
            unknown = undescribed = 0
            self.payload_sent = self.opening.values.i64[0]
            self.source_commit_ms = self.opening.values.i64[1]
            self.source_commit_ts = self.opening.values.u64[2]
            self.source_start_ts = self.opening.values.u64[3]
        else:
            self.case = -1
            self.has_images = False
            self.reads_payload_before = False
            self.reads_payload_after = False
            self.payload_op.start = self.payload_op.end = -1
            self.payload_ddl.start = self.payload_ddl.end = -1
            self.payload_changes.start = self.payload_changes.end = -1
            self.source_db.start = self.source_db.end = -1
            self.source_table.start = self.source_table.end = -1
            self.has_payload_source = False
            self.has_payload_sent = False
            r.open(self.names_of_payload, PAYLOAD_FIELD)
        while r.member(self.names_of_payload, PAYLOAD_FIELD, PAYLOAD_SOURCE):
            k = r.which
            if k == 0:  # source
                undescribed -= 1
                self.has_payload_source = r.given(PAYLOAD_SOURCE)
                if self.has_payload_source:
                    self.read_source(r)
                unknown -= 1
                if unknown == 0 and self.payload_op.start >= 0:
                    self.recognize(r)
            elif k == 1:  # ts_ms
                self.has_payload_sent = r.given(PAYLOAD_SENT)
                if self.has_payload_sent:
                    self.opening.mark(r, 0)
                    self.payload_sent = r.integer(PAYLOAD_SENT)
            elif k == 3:  # op
                r.text(self.payload_op, PAYLOAD_OP)
                unknown -= 1
                if unknown == 0 and self.payload_op.start >= 0:
                    self.recognize(r)
            elif k == 4:  # before
                if undescribed == 0 and self.reads_payload_before:
                    self.opening.cut(
                        r, self.names_of_payload, self.payload_before.start < 0 and self.payload_after.start < 0
                    )
                    self.tell(r)
                    self.rows_in_payload_before.read_single(
                        r, self.table, self.cache, message, 0, False, PAYLOAD_BEFORE, COLUMN_OF_PAYLOAD_BEFORE
                    )
                else:
                    r.part(self.payload_before, PAYLOAD_BEFORE)
            elif k == 5:  # after
                if undescribed == 0 and self.reads_payload_after:
                    self.opening.cut(
                        r, self.names_of_payload, self.payload_before.start < 0 and self.payload_after.start < 0
                    )
                    self.tell(r)
                    self.rows_in_payload_after.read_single(
                        r, self.table, self.cache, message, 1, False, PAYLOAD_AFTER, COLUMN_OF_PAYLOAD_AFTER
                    )
                else:
                    r.part(self.payload_after, PAYLOAD_AFTER)
            elif k == 8:  # ddl
                r.text(self.payload_ddl, PAYLOAD_DDL)
            elif k == 9:  # tableChanges
                r.checked_part(self.payload_changes, PAYLOAD_CHANGES)
            else:  # transaction, databaseName, schemaName, and members that are not described
                self.passed_in_payload.skip(r, PAYLOAD_FIELD)
        self.opening.close(r, self.names_of_payload)
        end: cython.Py_ssize_t = r.pos
        if self.case < 0:
            self.recognize(r)
            if self.case == CASE_WITHOUT_OP:
                pass_over_one_of(
                    r.copy(start, end),
                    start,
                    (SKIPPED_HEARTBEAT, SKIPPED_TRANSACTION),
                    ("before", "after"),
                    PAYLOAD_OP,
                    self.block_text(),
                )
        if self.has_images:
            self.tell(r)
        if self.reads_payload_before and self.payload_before.start >= 0:
            r.pos = self.payload_before.start
            self.rows_in_payload_before.read_single(
                r, self.table, self.cache, message, 0, False, PAYLOAD_BEFORE, COLUMN_OF_PAYLOAD_BEFORE
            )
        elif not self.reads_payload_before:
            r.no_row(self.payload_before, PAYLOAD_BEFORE)
        if self.reads_payload_after and self.payload_after.start >= 0:
            r.pos = self.payload_after.start
            self.rows_in_payload_after.read_single(
                r, self.table, self.cache, message, 1, False, PAYLOAD_AFTER, COLUMN_OF_PAYLOAD_AFTER
            )
        elif not self.reads_payload_after:
            r.no_row(self.payload_after, PAYLOAD_AFTER)
        r.pos = end
        self.ended(r, PAYLOAD_FIELD)
        if self.case == CASE_C:
            if self.payload_ddl.end > self.payload_ddl.start:
                refuse_statement(self.payload_ddl.start, PAYLOAD_DDL)
            self.put_row(r, message, INSERT, self.rows_in_payload_after, PAYLOAD_AFTER, None, PAYLOAD_FIELD)
        elif self.case == CASE_U:
            if self.payload_ddl.end > self.payload_ddl.start:
                refuse_statement(self.payload_ddl.start, PAYLOAD_DDL)
            self.put_row(
                r,
                message,
                UPDATE,
                self.rows_in_payload_after,
                PAYLOAD_AFTER,
                self.rows_in_payload_before if self.rows_in_payload_before.count >= 0 else None,
                PAYLOAD_BEFORE,
            )
        elif self.case == CASE_D:
            if self.payload_ddl.end > self.payload_ddl.start:
                refuse_statement(self.payload_ddl.start, PAYLOAD_DDL)
            self.put_row(r, message, DELETE, None, PAYLOAD_FIELD, self.rows_in_payload_before, PAYLOAD_BEFORE)
        elif self.case == CASE_R:
            if self.payload_ddl.end > self.payload_ddl.start:
                refuse_statement(self.payload_ddl.start, PAYLOAD_DDL)
            self.put_row(r, message, INSERT, self.rows_in_payload_after, PAYLOAD_AFTER, None, PAYLOAD_FIELD)
        elif self.case == CASE_M:
            if self.payload_ddl.end > self.payload_ddl.start:
                refuse_statement(self.payload_ddl.start, PAYLOAD_DDL)
            self.put_watermark(r, message, WATERMARK)
        elif self.case == CASE_T:
            self.put_ddl(r, message, DDL)
        elif self.case == CASE_WITH_DDL:
            self.put_ddl(r, message, DDL)
        return 0

    def recognize(self, r: JsonCursor) -> cython.int:
        """What the message is, and of which table."""
        if self.payload_op.start < 0:
            if self.payload_ddl.start >= 0:
                self.case = CASE_WITH_DDL
            else:
                self.case = CASE_WITHOUT_OP
        else:
            self.case = r.name_of(self.texts, self.payload_op, PAYLOAD_OP)
        self.has_images = self.case == CASE_C or self.case == CASE_U or self.case == CASE_D or self.case == CASE_R
        self.reads_payload_before = self.case == CASE_U or self.case == CASE_D
        self.reads_payload_after = self.case == CASE_C or self.case == CASE_U or self.case == CASE_R
        self.table = find_table(self.tables, r, self.source_db, self.source_table, SOURCE_DB, SOURCE_TABLE)
        if self.has_images and self.table.partly_named:
            self.table = self.tables.named(self.table)
        return 0

    def tell(self, r: JsonCursor) -> cython.int:
        """What the columns of the rows are, as far as it has not been read."""
        here: cython.Py_ssize_t = r.pos
        if not self.types_read:
            self.types_read = True
            if self.table.table[1] is None and self.envelopes.known is None:
                return self.unnamed(r, SOURCE_TABLE, "table")
            self.read_by_time(
                r,
                self.table,
                self.has_payload_source and self.has_source_commit_ts,
                self.source_commit_ts if self.has_payload_source and self.has_source_commit_ts else 0,
                self.has_payload_source and self.has_source_commit_ms,
                self.source_commit_ms if self.has_payload_source and self.has_source_commit_ms else 0,
                SOURCE_TABLE,
            )
        r.pos = here
        return 0

    def read_source(self, r: JsonCursor) -> cython.int:
        """Where an event comes from."""
        k: cython.Py_ssize_t
        self.has_source_commit_ms = False
        self.has_source_commit_ts = False
        self.has_source_start_ts = False
        r.open(self.names_of_source, PAYLOAD_SOURCE)
        while r.member(self.names_of_source, PAYLOAD_SOURCE, SOURCE_VERSION):
            k = r.which
            if k == 3:  # ts_ms
                self.has_source_commit_ms = r.given(SOURCE_COMMIT_MS)
                if self.has_source_commit_ms:
                    self.opening.mark(r, 1)
                    self.source_commit_ms = r.integer(SOURCE_COMMIT_MS)
            elif k == 5:  # db
                r.text(self.source_db, SOURCE_DB)
            elif k == 7:  # table
                r.text(self.source_table, SOURCE_TABLE)
            elif k == 15:  # commit_ts
                self.has_source_commit_ts = r.given(SOURCE_COMMIT_TS)
                if self.has_source_commit_ts:
                    self.opening.mark(r, 2)
                    self.source_commit_ts = r.uinteger(SOURCE_COMMIT_TS)
            elif k == 16:  # start_ts
                self.has_source_start_ts = r.given(SOURCE_START_TS)
                if self.has_source_start_ts:
                    self.opening.mark(r, 3)
                    self.source_start_ts = r.uinteger(SOURCE_START_TS)
            else:  # members that say nothing of the event, and members that are not described
                self.passed_in_source.skip(r, PAYLOAD_SOURCE)
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
            if self.has_payload_source and self.has_source_commit_ts:
                self.events.put_uint(COMMIT_TS, row, self.source_commit_ts)
            else:
                self.events.put_null(COMMIT_TS, row)
            if self.has_payload_source and self.has_source_commit_ts:
                self.events.put_null(COMMIT_MS, row)
            elif self.has_payload_source and self.has_source_commit_ms:
                self.events.put_int(COMMIT_MS, row, self.source_commit_ms)
            else:
                self.events.put_null(COMMIT_MS, row)
            if self.has_payload_source and self.has_source_start_ts:
                self.events.put_uint(START_TS, row, self.source_start_ts)
            else:
                self.events.put_null(START_TS, row)
            self.events.put_null(DDL_TYPE, row)  # ddl_type
            self.events.put_null(QUERY, row)  # query
            self.events.put_null(TABLE_AFTER, row)  # table_after
            self.events.put_null(TABLE_BEFORE, row)  # table_before
            self.put_known_by(TYPES_FROM, row, self.table)  # types_from
            self.put_utc(TIME_ZONE, row, self.table)  # time_zone
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
        if not self.has_payload_source:
            return r.fail(MISSING, PAYLOAD_SOURCE, r.pos, 1, 0)
        self.events.reserve(row + 1)
        self.put_event(row, message, kind)
        if self.has_payload_source and self.has_source_commit_ts:
            self.events.put_uint(COMMIT_TS, row, self.source_commit_ts)
        elif self.has_payload_source:
            return r.fail(MISSING, SOURCE_COMMIT_TS, r.pos, 1, 0)
        else:
            self.events.put_null(COMMIT_TS, row)
        if self.has_payload_source:
            self.events.put_null(COMMIT_MS, row)
        elif self.has_payload_source and self.has_source_commit_ms:
            self.events.put_int(COMMIT_MS, row, self.source_commit_ms)
        else:
            self.events.put_null(COMMIT_MS, row)
        self.put_no_row(row)
        self.events.put_null(DDL_TYPE, row)  # ddl_type
        self.events.put_null(QUERY, row)  # query
        self.events.put_null(TABLE_AFTER, row)  # table_after
        self.events.put_null(TABLE_BEFORE, row)  # table_before
        self.events.rows = row + 1
        return 0

    def put_ddl(self, r: JsonCursor, message: cython.Py_ssize_t, kind: cython.int) -> cython.int:
        """A DDL statement that was executed."""
        row: cython.Py_ssize_t = self.events.rows
        if not self.has_payload_source:
            return r.fail(MISSING, PAYLOAD_SOURCE, r.pos, 1, 0)
        self.events.reserve(row + 1)
        self.put_event(row, message, kind)
        if self.has_payload_source and self.has_source_commit_ts:
            self.events.put_uint(COMMIT_TS, row, self.source_commit_ts)
        else:
            self.events.put_null(COMMIT_TS, row)
        if self.has_payload_source and self.has_source_commit_ts:
            self.events.put_null(COMMIT_MS, row)
        elif self.has_payload_source and self.has_source_commit_ms:
            self.events.put_int(COMMIT_MS, row, self.source_commit_ms)
        else:
            self.events.put_null(COMMIT_MS, row)
        self.put_no_row(row)
        if self.case == CASE_T:
            self.events.put_int(DDL_TYPE, row, 11)
        else:
            self.events.put_null(DDL_TYPE, row)
        if self.payload_ddl.start >= 0:
            r.put_text(self.events, QUERY, row, self.payload_ddl, PAYLOAD_DDL)
        else:
            self.events.put_null(QUERY, row)
        changes_number: cython.Py_ssize_t = self.changed(
            r,
            self.payload_changes,
            PAYLOAD_CHANGES,
            COLUMN_OF_PAYLOAD_CHANGES,
            self.table,
            self.has_payload_source and self.has_source_commit_ts,
            self.source_commit_ts if self.has_payload_source and self.has_source_commit_ts else 0,
            self.has_payload_source and self.has_source_commit_ms,
            self.source_commit_ms if self.has_payload_source and self.has_source_commit_ms else 0,
        )
        self.put_described(TABLE_AFTER, row, changes_number)  # table_after
        self.put_described(TABLE_BEFORE, row, self.renamed)  # table_before
        self.events.rows = row + 1
        return 0

    def put_event(self, row: cython.Py_ssize_t, message: cython.Py_ssize_t, kind: cython.int) -> cython.int:
        """Of every event: message, kind, sent_ms, table."""
        self.events.put_int(MESSAGE, row, message)  # message
        self.events.put_int(KIND, row, kind)  # kind
        if self.has_payload_sent:
            self.events.put_int(SENT_MS, row, self.payload_sent)
        else:
            self.events.put_null(SENT_MS, row)
        self.events.put_int(TABLE, row, self.cache.position_of(self.table))  # table
        return 0

    def put_no_row(self, row: cython.Py_ssize_t) -> cython.int:
        """Nothing in the columns that only a row fills: start_ts, types_from, time_zone, new_layout, new_row,
        old_layout, old_row."""
        self.events.put_null(START_TS, row)  # start_ts
        self.events.put_null(TYPES_FROM, row)  # types_from
        self.events.put_null(TIME_ZONE, row)  # time_zone
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
        self.opening.begin()
        for values, keys in pieces:
            missing = r.receive(values)
            keyless = key.receive(keys_of(values, keys))
            for k in range(r.messages):
                if missing and k in missing:
                    tombstones.append(base + k)
                    continue
                rows = self.events.rows
                while True:
                    self.cache.start()
                    try:
                        self.keys.envelopes.load(key, k)
                        self.envelopes.load(r, k)
                        self.read_whole(key, not keyless or k not in keyless, r, base + k)
                    except WireError as error:
                        again = self.looks_again(error, base + k)
                        if not again:
                            errors.append(self.readable(error, base + k))
                        self.events.rows = rows
                        self.cache.undo()
                        if again:
                            continue
                    break
            base += r.messages
        return self.finish(errors, tombstones)

    def indexes(self, error: WireError) -> dict[str, object]:
        """Where in its field the trouble is."""
        found: dict[str, object] = {"row": 0, "column": self.table.columns.at_name()}
        if error.field == COLUMN_OF_PAYLOAD_BEFORE:
            found["row"] = self.rows_in_payload_before.at_row
        if error.field == COLUMN_OF_PAYLOAD_AFTER:
            found["row"] = self.rows_in_payload_after.at_row
        found["path"] = self.reader.path
        found["columns"] = self.table.columns
        return found

    def part(self, error: WireError) -> str:
        """Whether the field is of the key or of the value."""
        return "key" if error.field == KEY else "value"
