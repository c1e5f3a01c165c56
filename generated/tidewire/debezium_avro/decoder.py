"""Decoder of Debezium-Avro.

Debezium's envelope as a record in Avro's binary encoding for a changed row, with a schema that a registry has
under the id in front of the record. The Kafka key is a record of the columns that identify the row.

Follow a message through `read_message`: its first byte says what it is, and a row is read by the schema whose id stands
before it.
"""
# Generated from spec/debezium-avro.yaml by "make generate". Do not edit.

from __future__ import annotations

from types import ModuleType
from typing import Final

from tidewire.debezium_avro.names import EVENT_POSITIONS, EVENT_STORAGE
from tidewire.debezium_avro.schema_types import SCHEMA_TYPES
from tidewire.events import EVENT_SCHEMA, Events
from tidewire.mysql import TYPES
from tidewire.runtime import require_api
from tidewire.runtime.arrow.columns import Columns
from tidewire.runtime.errors import MISSING, ROWS, WireError
from tidewire.runtime.decoding.rows_without_table import RowsWithoutTable
from tidewire.runtime.record.cursor import RecordCursor
from tidewire.runtime.registered.decoder import RegisteredDecoder
from tidewire.runtime.registered.schema_types import FieldForms
from tidewire.runtime.registered.parts import UNREAD, RecordInside, RecordPart, RowColumns, ScalarField
from tidewire.runtime.registered.reading import RecordReader
from tidewire.runtime.registered.connect_messages import ConnectMessages
from tidewire.runtime.registry import SchemaRegistry
from tidewire.tables import TableStore
from tidewire.runtime import cython
from tidewire.debezium_avro.names import (
    MESSAGE, KIND, COMMIT_TS, COMMIT_MS, SENT_MS, TABLE, DDL_TYPE, QUERY, TABLE_AFTER, TABLE_BEFORE, TYPES_FROM,
    TIME_ZONE, NEW_LAYOUT, NEW_ROW, OLD_LAYOUT, OLD_ROW, CASE_C, CASE_U, CASE_D
)
from tidewire.names import INSERT, UPDATE, DELETE, DDL, WATERMARK, HANDLE_KEY
from tidewire.runtime.arrow.plain_puts import put_int, put_null


require_api(1)

FIELDS = (
    "schema", "{column}", "schema", "{record}{column}", "source/connector", "source/ts_ms", "source/db", "source/table",
    "source/commit_ts", "source/schema", "source/collection", "op", "ddl", "ts_ms"
)
"""The fields of key and value; {...} is filled with what tells where the trouble is. The constants below are their
positions."""

KEY_FIELDS = 2
"""How many of them are the key's: the first."""

(
    KEY, COLUMN_OF_ROW_KEY, VALUE, COLUMN_OF_IMAGE, ROW_CONNECTOR, ROW_COMMIT_MS, ROW_DB, ROW_SOURCE_TABLE,
    ROW_COMMIT_TS, ROW_SCHEMA_INSIDE, ROW_COLLECTION, ROW_OP, ROW_STATEMENT, ROW_SENT
) = range(14)

(
    CONNECTOR_SLOT, COMMIT_MS_SLOT, DB_SLOT, SOURCE_TABLE_SLOT, COMMIT_TS_SLOT, SCHEMA_INSIDE_SLOT, COLLECTION_SLOT,
    OP_SLOT, STATEMENT_SLOT, SENT_SLOT
) = range(10)
"""The fields of a row's record that say something of the event, in their order."""

FORMS: Final = FieldForms(SCHEMA_TYPES, TYPES, 0, parameters="connect.parameters", connect=True)
"""What schemas say of columns, and how their values are written then."""

ROW_KEY_RECORD: Final = RecordPart("{table}Key", (RowColumns(COLUMN_OF_ROW_KEY),))
"""The columns that identify the row."""

IMAGE_RECORD: Final = RecordPart("{table}", (RowColumns(COLUMN_OF_IMAGE),))
"""A row."""

SOURCE_RECORD: Final = RecordPart(
    "Source",
    (
        ScalarField("version", "string", None, UNREAD),
        ScalarField("connector", "string", None, ROW_CONNECTOR),
        ScalarField("name", "string", None, UNREAD),
        ScalarField("ts_ms", "long", None, ROW_COMMIT_MS),
        ScalarField("snapshot", "string", None, UNREAD, nullable=True),
        ScalarField("db", "string", None, ROW_DB, tells="schema"),
        ScalarField("table", "string", None, ROW_SOURCE_TABLE, tells="table"),
        ScalarField("server_id", "long", None, UNREAD),
        ScalarField("gtid", "string", None, UNREAD, nullable=True),
        ScalarField("file", "string", None, UNREAD),
        ScalarField("pos", "long", None, UNREAD),
        ScalarField("row", "int", None, UNREAD),
        ScalarField("thread", "long", None, UNREAD, nullable=True),
        ScalarField("query", "string", None, UNREAD, nullable=True),
        ScalarField("commit_ts", "long", None, ROW_COMMIT_TS, tells="time"),
        ScalarField("cluster_id", "string", None, UNREAD),
        ScalarField("schema", "string", None, ROW_SCHEMA_INSIDE, nullable=True, refused=True),
        ScalarField("collection", "string", None, ROW_COLLECTION, nullable=True, refused=True),
    ),
)
"""Where an event comes from."""

ROW_RECORD: Final = RecordPart(
    "{table}Envelope",
    (
        RecordInside("before", IMAGE_RECORD),
        RecordInside("after", IMAGE_RECORD),
        RecordInside("source", SOURCE_RECORD, always=True),
        ScalarField("op", "string", None, ROW_OP),
        ScalarField("ddl", "string", None, ROW_STATEMENT, nullable=True, refused=True),
        ScalarField("ts_ms", "long", None, ROW_SENT),
    ),
    1,
)
"""A changed row."""

OPERATIONS: Final = (b'c', b'u', b'd', b'r')
"""What op can be."""


def package_of_others() -> ModuleType:
    """The package of the protocol that messages of no row are of; it is imported when the first one is met."""
    from tidewire import debezium

    return debezium


STRANGERS: Final = ConnectMessages(
    package_of_others,
    Events,
    {"enable_tidb_extension": True},
    ("cluster_id",),
    {"ddl": "", "watermark": "watermark"},
    (b'm', b't'),
)
"""What messages are that are of no row."""


class Decoder(RegisteredDecoder):
    """Messages to columns."""

    def __init__(
        self,
        invalid_text: str = "error",
        schemas: SchemaRegistry | None = None,
        store: TableStore | None = None,
        binary_handling_mode: str = "base64",
        table: str = "",
    ) -> None:
        """
        Args:
            invalid_text: what becomes of text that is not UTF-8: error, replace or bytes.
            schemas: gives the schemas of records by their ids; None: no record can be read.
            store: the descriptions of tables that are known; it gets those that messages have.
            binary_handling_mode: For reading: how Debezium's own connector writes bytes as text, its option
                binary.handling.mode. TiCDC writes bytes.
            table: For reading: the table of rows whose messages do not name it, such as shop.orders.
        """
        super().__init__(
            "debezium-avro",
            FIELDS,
            EVENT_SCHEMA,
            EVENT_POSITIONS,
            EVENT_STORAGE,
            invalid_text,
            FORMS.reading({"binary-handling-mode": binary_handling_mode}),
            ROW_RECORD,
            ROW_KEY_RECORD,
            HANDLE_KEY,
            schemas,
            OPERATIONS,
            STRANGERS,
            {"ddl": DDL, "watermark": WATERMARK},
            store=store,
            unnamed=RowsWithoutTable("debezium-avro", table, "table"),
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
            return self.put_nothing()
        if self.read_row(key, has_key, KEY, r, VALUE, message):
            return self.read_connect_message(key, has_key, KEY, r, VALUE, message)
        return self.put_row(r, message)

    def put_row(self, r: RecordCursor, message: cython.Py_ssize_t) -> cython.int:
        """A row that was inserted or updated or deleted."""
        events: Columns = self.events
        record: RecordReader = self.record
        row: cython.Py_ssize_t = events.rows
        case: cython.int = self.operation(r, OP_SLOT, ROW_OP)
        if case < 0:
            return r.fail(MISSING, ROW_OP, r.pos, 1, 0)
        if row + 1 > events.room:
            events.reserve(row + 1)
        put_int(events, MESSAGE, row, message)
        self.accept(r, CONNECTOR_SLOT, (b'TiCDC', b'mysql', b'mariadb'), ROW_CONNECTOR)
        if record.slots[SCHEMA_INSIDE_SLOT].given:
            self.accept(r, SCHEMA_INSIDE_SLOT, (), ROW_SCHEMA_INSIDE)
        if record.slots[COLLECTION_SLOT].given:
            self.accept(r, COLLECTION_SLOT, (), ROW_COLLECTION)
        if record.slots[STATEMENT_SLOT].given:
            self.state_nothing(r, STATEMENT_SLOT, ROW_STATEMENT)
        if case == CASE_C:
            put_int(events, KIND, row, INSERT)
            if record.inner_row < 0:
                return r.fail(MISSING, VALUE, r.pos, 1, 0)
            put_int(events, NEW_LAYOUT, row, record.inner_layout)
            put_int(events, NEW_ROW, row, record.inner_row)
            put_int(events, OLD_LAYOUT, row, -1)
            put_int(events, OLD_ROW, row, -1)
            if record.row >= 0:
                return r.fail(ROWS, VALUE, r.pos, 0, 0)
        elif case == CASE_U:
            put_int(events, KIND, row, UPDATE)
            if record.inner_row < 0:
                return r.fail(MISSING, VALUE, r.pos, 1, 0)
            put_int(events, NEW_LAYOUT, row, record.inner_layout)
            put_int(events, NEW_ROW, row, record.inner_row)
            put_int(events, OLD_LAYOUT, row, record.layout)
            put_int(events, OLD_ROW, row, record.row)
        elif case == CASE_D:
            put_int(events, KIND, row, DELETE)
            put_int(events, NEW_LAYOUT, row, -1)
            put_int(events, NEW_ROW, row, -1)
            if record.row < 0:
                return r.fail(MISSING, VALUE, r.pos, 1, 0)
            put_int(events, OLD_LAYOUT, row, record.layout)
            put_int(events, OLD_ROW, row, record.row)
            if record.inner_row >= 0:
                return r.fail(ROWS, VALUE, r.pos, 0, 0)
        else:  # r
            put_int(events, KIND, row, INSERT)
            if record.inner_row < 0:
                return r.fail(MISSING, VALUE, r.pos, 1, 0)
            put_int(events, NEW_LAYOUT, row, record.inner_layout)
            put_int(events, NEW_ROW, row, record.inner_row)
            put_int(events, OLD_LAYOUT, row, -1)
            put_int(events, OLD_ROW, row, -1)
            if record.row >= 0:
                return r.fail(ROWS, VALUE, r.pos, 0, 0)
        if record.slots[COMMIT_TS_SLOT].given:
            put_int(events, COMMIT_TS, row, record.slots[COMMIT_TS_SLOT].number)
        else:
            put_null(events, COMMIT_TS, row)
        if record.slots[SENT_SLOT].given:
            put_int(events, SENT_MS, row, record.slots[SENT_SLOT].number)
        else:
            put_null(events, SENT_MS, row)
        put_int(events, TABLE, row, self.position_of(record))
        if (not record.slots[COMMIT_TS_SLOT].given and record.slots[COMMIT_MS_SLOT].given) or record.told:
            if self.without_rare < row:
                self.fill_rare(self.without_rare, row)
            self.without_rare = row
            if not record.slots[COMMIT_TS_SLOT].given and record.slots[COMMIT_MS_SLOT].given:
                put_int(events, COMMIT_MS, row, record.slots[COMMIT_MS_SLOT].number)
            else:
                put_null(events, COMMIT_MS, row)
            self.put_types(TYPES_FROM, row, record)
            self.put_utc(TIME_ZONE, row, record)
            self.without_rare = row + 1
        events.rows = row + 1
        return 1

    def fill_rows(self, row: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """Nothing in the columns for which no record has a field."""
        events: Columns = self.events
        events.fill_null(DDL_TYPE, row, stop)
        events.fill_null(QUERY, row, stop)
        events.fill_null(TABLE_AFTER, row, stop)
        events.fill_null(TABLE_BEFORE, row, stop)
        return 0

    def fill_rare(self, row: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """Nothing in the columns for which few rows have something."""
        events: Columns = self.events
        events.fill_null(COMMIT_MS, row, stop)
        events.fill_null(TYPES_FROM, row, stop)
        events.fill_null(TIME_ZONE, row, stop)
        return 0

    def part(self, error: WireError) -> str:
        """Whether the field is of the key or of the value."""
        return "key" if error.field < KEY_FIELDS else "value"
