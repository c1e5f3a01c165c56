"""Base class of encoders of Avro records with a schema registry: derives and registers schemas, and writes messages."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.encoding.checks import check_columns
from tidewire.runtime.encoding.message_encoder import FAILURES, Carried, MessageEncoder
from tidewire.runtime.encoding.written_messages import NULL_KEY, NULL_VALUE, WrittenMessages
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.record.sink import RecordSink
from tidewire.runtime.registered.connect_messages import ConnectMessages, StrangerWriter
from tidewire.runtime.registered.errors import REMEDY
from tidewire.runtime.registered.parts import RecordPart
from tidewire.runtime.registered.schema_builder import SchemaWriter
from tidewire.runtime.registered.statements import StatementMember, write_statement
from tidewire.runtime.registered.written import RegisteredRows, WrittenFields
from tidewire.runtime.registry.errors import SchemaRegistryError
from tidewire.runtime.tables.store import MOST_TIME
from tidewire.runtime.tables.versions_by_time import described_alike, described_at, learned

if TYPE_CHECKING:
    from tidewire.runtime.batch import Column, EventColumns
    from tidewire.runtime.json.sink import Spelling
    from tidewire.runtime.registry import SchemaRegistry
    from tidewire.runtime.tables.description import DescribedTable
    from tidewire.runtime.tables.store import DescribedTables

MOST_KNOWN = 1 << 15
"""Maximum number of tables and layouts of one generation. Prepared texts of two generations are cached: when the young
one is full, it becomes the old one. Entries that are used again become young.
"""
MOST_COLUMNS = 1 << 18
"""Maximum number of columns of the tables in one such generation; each takes some hundred bytes."""
_LATEST = MOST_TIME
"""The time of events without a commit time."""
VALUE_WAY = 0
"""The index in `MessageEncoder.flags` for which all columns are written."""


class PreparedRows:
    """The row images of a layout, prepared for writing, for one description of the table.

    Attributes:
        rows: the images.
        changes: change count of the store of descriptions when it was searched.
        first, last: range of commit times for which the description applies; empty if first > last.
    """

    def __init__(self, rows: RegisteredRows, changes: int, first: int, last: int) -> None:
        self.rows = rows
        self.changes = changes
        self.first = first
        self.last = last


class RegisteredEncoder(MessageEncoder):
    """An encoder of Avro records whose schemas are in a registry.

    Attributes:
        no_key, no_value: whether the current message has no key, or no value.
        no_message: whether no message is written.
        last_fields: last request and result by index in `flags`: comparing is faster than hashing columns.
        row_zone: time zone of the event's TIMESTAMP texts; empty: UTC.
    """

    def __init__(
        self,
        carried: Carried,
        spelling: Spelling,
        schema_writer: SchemaWriter,
        row: RecordPart,
        key: RecordPart,
        members: Sequence[StatementMember],
        key_flags: tuple[int, int],
        store: DescribedTables[Any] | None,
        schemas: SchemaRegistry | None,
        connect_messages: ConnectMessages | None = None,
        chosen: Mapping[str, object] | None = None,
        producer: str = "",
    ) -> None:
        """
        Args:
            carried: what the protocol can carry.
            spelling: how JSON is written.
            schema_writer: derives schemas.
            row, key: the records of values and keys.
            key_flags: flag of handle key columns, and flags of columns in any index.
            store: known table descriptions; None: there are none.
            schemas: registers schemas; None: no row can be written.
            connect_messages: messages that are not rows; None: the generated code writes them itself.
            chosen: options by Python name, for those messages.
            producer: producer whose messages are imitated.
        """
        super().__init__(carried)
        self.spelling = spelling
        self.schema_writer = schema_writer
        self.row_part = row
        self.key_part = key
        self.members = members
        self.handle_key, self.index_flags = key_flags
        self.store = store
        self.schemas_of = schemas
        self.young_fields: dict[object, WrittenFields] = {}
        self.old_fields: dict[object, WrittenFields] = {}
        self.young_columns = 0
        self.last_fields: dict[int, tuple[Any, WrittenFields]] = {}
        self.prepared_rows: dict[int, PreparedRows] = {}
        self.timed = False
        self.time = 0
        self.row_zone = ""
        self.no_key = self.no_value = self.no_message = False
        self.descriptions: list[DescribedTable] = []
        self.columns: EventColumns | None = None
        self.connect_messages: StrangerWriter | None = None
        if connect_messages is not None:
            self.connect_messages = StrangerWriter(
                connect_messages, self.protocol, producer, chosen or {}, store, self.standing_for, self.registered
            )

    @property
    def has_past(self) -> bool:
        return self.connect_messages is not None and self.connect_messages.has_past

    def bind(self, columns: EventColumns) -> None:
        super().bind(columns)
        self.columns = columns
        self.descriptions = list(columns.descriptions)

    def spell_tables(self, named: list[tuple[str, str]]) -> None:
        """Does nothing: table names are written in schemas only."""

    # ---- messages

    def begin_event(self, event: cython.Py_ssize_t) -> cython.int:
        """Reads the event's commit time and table description."""
        raise NotImplementedError

    def has_message(self, event: cython.Py_ssize_t) -> cython.bint:
        """Whether a message is written for the event, given the options."""
        raise NotImplementedError

    def write_message(self, s: RecordSink, key: RecordSink, event: cython.Py_ssize_t) -> cython.int:
        """Writes the value and the key of the event."""
        raise NotImplementedError

    def write(self, columns: EventColumns) -> WrittenMessages:
        s: RecordSink = RecordSink()
        key: RecordSink = RecordSink()
        ends: Numbers = Numbers()
        key_ends: Numbers = Numbers()
        firsts: Numbers = Numbers()
        counts: Numbers = Numbers()
        nulls = bytearray()
        event: cython.Py_ssize_t = 0
        self.bind(columns)
        self.prepared_rows.clear()
        ends.append(0)
        key_ends.append(0)
        try:
            for event in range(self.events.rows):
                self.check_event(event)
            for event in range(self.events.rows):
                self.begin_event(event)
                if not self.has_message(event):
                    continue
                self.no_key = self.no_value = self.no_message = False
                self.write_message(s, key, event)
                if self.no_message:
                    continue
                ends.append(s.pos)
                key_ends.append(key.pos)
                firsts.append(event)
                counts.append(1)
                nulls.append((NULL_KEY if self.no_key else 0) | (NULL_VALUE if self.no_value else 0))
        except FAILURES as error:
            self.failed(event, error)
        return WrittenMessages(self.protocol, s.data, ends, firsts, counts, key.data, key_ends, 0, nulls)

    # ---- rows

    def at_event(self, event: cython.Py_ssize_t, column: cython.int) -> cython.int:
        """Selects the table descriptions valid at the event's commit time.

        Args:
            event: row of the event.
            column: column of events with the TSO.
        """
        self.timed = not self.events.null_at(column, event)
        self.time = self.events.uint_at(column, event) if self.timed else _LATEST
        return 0

    def learn(self, event: cython.Py_ssize_t, column: cython.int) -> cython.int:
        """Stores the event's table description as valid from its commit time on.

        Args:
            event: row of the event.
            column: column of events with the description's position.
        """
        if self.store is None or self.events.null_at(column, event):
            return 0
        position: cython.longlong = self.events.int_at(column, event)
        if position < 0 or position >= len(self.descriptions):
            self.refuse(f"its description of a table is number {position}, but there are {len(self.descriptions)}")
        learned(self.store, self.descriptions[position], self.time if self.timed else None)
        return 0

    def rows_of(self, layout: cython.Py_ssize_t, way: cython.int) -> RegisteredRows:
        """The row images of a layout, prepared for writing, as of the event's commit time.

        Args:
            layout: number of the layout.
            way: which columns are written: an index in `flags`.
        """
        number: cython.Py_ssize_t = self.ways * layout + way
        changes: cython.Py_ssize_t = 0 if self.store is None else self.store.changes
        found: PreparedRows | None = self.prepared_rows.get(number)
        if found is None or found.changes != changes or self.time < found.first or self.time > found.last:
            found = self.made_rows(layout, way)
            self.prepared_rows[number] = found
        found.rows.zone = self.row_zone
        return found.rows

    def made_rows(self, number: cython.Py_ssize_t, way: cython.int) -> PreparedRows:
        """Like `rows_of`, for a layout that is not prepared for the time of the event."""
        layout = self.layouts[number]
        columns = layout.columns if isinstance(layout.columns, tuple) else tuple(layout.columns)
        names = self.table_names[layout.table] if self.table_names is not None else ("", "")
        time = self.time if self.timed else None
        changes: cython.Py_ssize_t = 0 if self.store is None else self.store.changes
        described = None
        first, last = (0, _LATEST) if self.timed else (_LATEST, _LATEST)
        if self.store is not None and len(self.store):
            described = described_at(self.store, names, time)
            first, last = described_alike(self.store, names, time) if self.timed else (_LATEST, _LATEST)
        found = self.last_fields.get(way)
        if found is not None:
            asked = found[0]
            if asked[2] is columns and asked[1] == names and asked[3] is described:
                return PreparedRows(RegisteredRows(found[1], layout), changes, first, last)
        asked = (way, names, columns, described)
        fields: WrittenFields | None = self.young_fields.get(asked)
        if fields is None:
            fields = self.old_fields.get(asked)
            if fields is None:
                fields = self.made_fields(way, names, columns, described)
            if len(self.young_fields) >= MOST_KNOWN or self.young_columns >= MOST_COLUMNS:
                self.old_fields = self.young_fields
                self.young_fields = {}
                self.young_columns = 0
            self.young_fields[asked] = fields
            self.young_columns += len(columns)
        self.last_fields[way] = asked, fields
        return PreparedRows(RegisteredRows(fields, layout), changes, first, last)

    def made_fields(
        self,
        way: int,
        names: tuple[str, str],
        columns: tuple[Column, ...],
        described: DescribedTable | None,
    ) -> WrittenFields:
        """How the rows of a layout are written; registers their schema.

        Args:
            way: which columns are written: an index in `flags`.
            names: names of schema and table.
            columns: columns of the layout.
            described: description of the table; None: unknown.

        Raises:
            EncodeError: the protocol cannot carry such rows, or their schema cannot be registered.
        """
        check_columns(self.protocol, columns, self.most_type)
        flag = self.flags[way]
        chosen = self.chosen(columns, flag)
        if not columns:
            raise EncodeError(self.protocol, None, None, "its row has no columns, and a record needs one")
        written = self.schema_writer.fields(columns, chosen, described, way == VALUE_WAY)
        bare = flag and not written and self.schema_writer.keys_have_columns
        head = b"" if bare else self.head(way, names, written)
        return WrittenFields(self.protocol, written, head, names)

    def chosen(self, columns: Sequence[Column], flag: int) -> list[int]:
        """Positions of the columns that are written.

        If no column has an index flag, the handle key is used, which is the primary key of most tables.

        Args:
            columns: columns of the rows.
            flag: flag of the columns that are written; 0: all.
        """
        found = [k for k, column in enumerate(columns) if not flag or column.flags & flag]
        if found or any(column.flags & self.index_flags for column in columns):
            return found
        return [k for k, column in enumerate(columns) if column.flags & self.handle_key]

    def head(self, way: int, names: tuple[str, str], written: list[Any]) -> bytes:
        """The bytes that precede a record: the id of its schema, which is registered.

        Args:
            way: whether it is the record of values or of keys: an index in `flags`.
            names: names of schema and table.
            written: the columns.

        Raises:
            EncodeError: the schema cannot be registered.
        """
        part = self.row_part if way == VALUE_WAY else self.key_part
        text = self.schema_writer.record(part, names, written)
        return self.registered(self.schema_writer.subject(names, way != VALUE_WAY), text)

    def registered(self, subject: str, text: str) -> bytes:
        """The bytes that precede a record: the id of its schema, which is registered.

        Args:
            subject: subject of the schema in the registry.
            text: the schema.

        Raises:
            EncodeError: the schema cannot be registered.
        """
        if self.schemas_of is None:
            raise EncodeError(self.protocol, None, None, f"no registry is known; {REMEDY}")
        try:
            id = self.schemas_of.id_of(subject, text)
        except SchemaRegistryError as error:
            raise EncodeError(self.protocol, None, None, f"its schema cannot be registered: {error}") from error
        if isinstance(id, uuid.UUID):
            return b"\x03\x00" + id.bytes
        return b"\x00" + id.to_bytes(4, "big")

    def check_alike(self, rows: RegisteredRows, other: RegisteredRows, image: str) -> cython.int:
        """Refuses an event whose two row images have different columns: they share one schema.

        Args:
            rows: one image.
            other: the other image.
            image: name of the first image.
        """
        if rows.fields is not other.fields and rows.fields.names != other.fields.names:
            self.refuse(f"its row image `{image}` has other columns than the other one, and one schema is of both")
        return 0

    def write_key(
        self, key: RecordSink, layout: cython.Py_ssize_t, row: cython.Py_ssize_t, way: cython.int
    ) -> cython.int:
        """Writes the key of a row; there is none if the row has no key columns.

        Args:
            layout: number of the layout.
            row: row in the layout.
            way: which columns the key has: an index in `flags`.
        """
        rows: RegisteredRows = self.rows_of(layout, way)
        if not rows.head:
            self.no_key = True
            return 0
        key.raw(rows.head)
        return rows.write(key, row)

    # ---- properties of events

    def put_unsigned(self, s: RecordSink, column: cython.int, name: str, event: cython.Py_ssize_t) -> cython.int:
        """Writes an unsigned number of an event as an Avro long; null is 0.

        Args:
            column: column of events with the number.
            name: name of the column.
            event: row of the event.
        """
        if self.events.null_at(column, event):
            return s.varint(0)
        value: cython.ulonglong = self.events.uint_at(column, event)
        if value >> 63:
            self.refuse(f"{name} is 0 to 9223372036854775807 in a record, not {value}")
        return s.varint(value)

    def put_digits(self, s: RecordSink, column: cython.int, event: cython.Py_ssize_t) -> cython.int:
        """Writes an unsigned number as a string of digits; null is an empty string."""
        if self.events.null_at(column, event):
            return s.varint(0)
        return s.digits(self.events.uint_at(column, event))

    def put_truth(self, s: RecordSink, column: cython.int, event: cython.Py_ssize_t) -> cython.int:
        """Writes a boolean; null is false."""
        return s.boolean(not self.events.null_at(column, event) and self.events.int_at(column, event) != 0)

    def put_number(self, s: RecordSink, column: cython.int, event: cython.Py_ssize_t) -> cython.int:
        """Writes a signed number; null is 0."""
        return s.varint(0 if self.events.null_at(column, event) else self.events.int_at(column, event))

    def zone(self, event: cython.Py_ssize_t, column: cython.int) -> str:
        """Location (time zone) of the event's TIMESTAMP values; empty if the event does not state it."""
        if self.events.null_at(column, event):
            return ""
        return self.events.text(column, event)

    # ---- messages that are not rows

    def put_connect_message(
        self, s: RecordSink, key: RecordSink, event: cython.Py_ssize_t, kind: str, table: cython.Py_ssize_t
    ) -> cython.int:
        """Writes key and value of an event that is not a row, as records of another protocol's messages.

        Args:
            s, key: sinks of value and key.
            event: row of the event.
            kind: kind of the event.
            table: position of its table; -1: none.
        """
        assert self.connect_messages is not None, "it is printed for a protocol with such messages"
        assert self.columns is not None, "events are bound"
        schema = None if table < 0 else self.said_schema(table)
        found = self.connect_messages.messages(self.columns.take([event]), kind, schema or "")
        if found is None:
            self.no_message = True
            return 0
        key.raw(found[0])
        return s.raw(found[1])

    def standing_for(self, schema: str) -> dict[str, str]:
        """The schemas of the nested records without columns in a value, by field.

        Args:
            schema: the database in their namespace.
        """
        inside = [one for one in self.row_part.inside if not one.part.has_columns]
        return {one.name: self.schema_writer.record(one.part, (schema, ""), ()) for one in inside}

    # ---- statements

    def said_text(self, column: cython.int, event: cython.Py_ssize_t) -> str | None:
        """The value of a column of events; None: null. Likewise the methods that follow."""
        return None if self.events.null_at(column, event) else self.events.text(column, event)

    def said_int(self, column: cython.int, event: cython.Py_ssize_t) -> int | None:
        return None if self.events.null_at(column, event) else self.events.int_at(column, event)

    def said_uint(self, column: cython.int, event: cython.Py_ssize_t) -> int | None:
        return None if self.events.null_at(column, event) else self.events.uint_at(column, event)

    def said_schema(self, table: cython.Py_ssize_t) -> str | None:
        """The schema name of a table; None: none."""
        return self.table_names[table][0] or None if self.table_names is not None else None

    def said_table(self, table: cython.Py_ssize_t) -> str | None:
        """The name of a table; None: none."""
        return self.table_names[table][1] or None if self.table_names is not None else None

    def put_statement(self, s: RecordSink, values: list[Any]) -> cython.int:
        """Writes a statement as a JSON object.

        Args:
            values: values of its members; None: absent.
        """
        return s.raw(write_statement(self.protocol, self.members, values, self.spelling))
