"""What encoders of records have whose schemas a registry has: schemas that are derived and registered, and where
messages begin and end.
"""

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
"""Tables and layouts of one generation. What is written of those of the young and the old one is remembered: when the
young one is full, it takes the old one's place. What is written again becomes young."""
MOST_COLUMNS = 1 << 18
"""Columns of one generation; each takes up some hundred bytes."""
_LATEST = MOST_TIME
"""The time of an event that does not say when it was committed."""
VALUE_WAY = 0
"""The number of the way in which all columns are written (`MessageEncoder.flags`)."""


class PreparedRows:
    """The row images of a layout, ready to be written, as its table is described at some time.

    Attributes:
        rows: the images.
        changes: of the store of descriptions, before it was asked.
        first, last: the times at which the table is described so; none where the first one is the later one.
    """

    def __init__(self, rows: RegisteredRows, changes: int, first: int, last: int) -> None:
        self.rows = rows
        self.changes = changes
        self.first = first
        self.last = last


class RegisteredEncoder(MessageEncoder):
    """An encoder of records whose schemas a registry has.

    Attributes:
        no_key, no_value: whether the message that is written has none.
        no_message: whether there is none.
        last_fields: by the way of writing what was asked for last, and found: that takes less than a hash of columns.
        row_zone: in which the texts of the event's TIMESTAMP columns are; empty: in UTC.
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
            carried: what the protocol carries.
            spelling: how JSON is spelled.
            schema_writer: derives schemas.
            row, key: the records of values and keys.
            members: of statements.
            key_flags: the flag of the columns of the handle key, and those by which columns say that they are in an
                index.
            store: the descriptions of tables that are known; None: none are.
            schemas: registers schemas; None: no row can be written.
            connect_messages: what messages are that are of no row; None: they are what is printed.
            chosen: the options, by the names that Python has for them, for those messages.
            producer: who writes them.
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
        """Names of tables are in schemas only."""

    # ---- messages

    def begin_event(self, event: cython.Py_ssize_t) -> cython.int:
        """Looks when the event was committed, and how it describes its table."""
        raise NotImplementedError

    def has_message(self, event: cython.Py_ssize_t) -> cython.bint:
        """Whether the event has a message with these options."""
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
        """From now on tables are described as they were when this event was committed.

        Args:
            event: which one.
            column: of events, with the TSO.
        """
        self.timed = not self.events.null_at(column, event)
        self.time = self.events.uint_at(column, event) if self.timed else _LATEST
        return 0

    def learn(self, event: cython.Py_ssize_t, column: cython.int) -> cython.int:
        """Its table is described so from the event on.

        Args:
            event: which one.
            column: of events, with the description's position.
        """
        if self.store is None or self.events.null_at(column, event):
            return 0
        position: cython.longlong = self.events.int_at(column, event)
        if position < 0 or position >= len(self.descriptions):
            self.refuse(f"its description of a table is number {position}, but there are {len(self.descriptions)}")
        learned(self.store, self.descriptions[position], self.time if self.timed else None)
        return 0

    def rows_of(self, layout: cython.Py_ssize_t, way: cython.int) -> RegisteredRows:
        """The row images of a layout, ready to be written at the time of the event.

        Args:
            layout: its number.
            way: which columns are written: a position in `flags`.
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
        """`rows_of` for what has not been made ready, or was at another time."""
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
        """How the rows of a layout are written, whose schema is registered.

        Args:
            way: which columns are written: a position in `flags`.
            names: of the schema and table.
            columns: of the layout.
            described: the table as it is described; None: it is not.

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
        """The columns of rows that are written, by position.

        Rows that say nothing of indexes have a handle key all the same, which is the primary key of most tables.

        Args:
            columns: of the rows.
            flag: of those that are written; 0: all are.
        """
        found = [k for k, column in enumerate(columns) if not flag or column.flags & flag]
        if found or any(column.flags & self.index_flags for column in columns):
            return found
        return [k for k, column in enumerate(columns) if column.flags & self.handle_key]

    def head(self, way: int, names: tuple[str, str], written: list[Any]) -> bytes:
        """What stands before a record: the id of its schema, which is registered.

        Args:
            way: whether it is the record of values, or of keys.
            names: of the schema and table.
            written: the columns.

        Raises:
            EncodeError: it cannot be registered.
        """
        part = self.row_part if way == VALUE_WAY else self.key_part
        text = self.schema_writer.record(part, names, written)
        return self.registered(self.schema_writer.subject(names, way != VALUE_WAY), text)

    def registered(self, subject: str, text: str) -> bytes:
        """What stands before a record: the id of its schema, which is registered.

        Args:
            subject: under which it is.
            text: the schema.

        Raises:
            EncodeError: it cannot be registered.
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
        """Refuses an event whose two row images have other columns: one schema is of both.

        Args:
            rows: one of them.
            other: the other one.
            image: its name.
        """
        if rows.fields is not other.fields and rows.fields.names != other.fields.names:
            self.refuse(f"its row image `{image}` has other columns than the other one, and one schema is of both")
        return 0

    def write_key(
        self, key: RecordSink, layout: cython.Py_ssize_t, row: cython.Py_ssize_t, way: cython.int
    ) -> cython.int:
        """Writes the key of a row; there is none where the row has no such columns.

        Args:
            key: where to.
            layout: the number of the layout.
            row: of it.
            way: which columns are the key's: a position in `flags`.
        """
        rows: RegisteredRows = self.rows_of(layout, way)
        if not rows.head:
            self.no_key = True
            return 0
        key.raw(rows.head)
        return rows.write(key, row)

    # ---- what records say of events

    def put_unsigned(self, s: RecordSink, column: cython.int, name: str, event: cython.Py_ssize_t) -> cython.int:
        """Writes a number of an event that has no sign as a long, which has one; nothing is 0.

        Args:
            s: where to.
            column: of events, with the number.
            name: of the column.
            event: which one.
        """
        if self.events.null_at(column, event):
            return s.integer(0)
        value: cython.ulonglong = self.events.uint_at(column, event)
        if value >> 63:
            self.refuse(f"{name} is 0 to 9223372036854775807 in a record, not {value}")
        return s.integer(value)

    def put_digits(self, s: RecordSink, column: cython.int, event: cython.Py_ssize_t) -> cython.int:
        """Writes a number without a sign as a text of digits; nothing is an empty text."""
        if self.events.null_at(column, event):
            return s.integer(0)
        return s.digits(self.events.uint_at(column, event))

    def put_truth(self, s: RecordSink, column: cython.int, event: cython.Py_ssize_t) -> cython.int:
        """Writes true or false; nothing is false."""
        return s.boolean(not self.events.null_at(column, event) and self.events.int_at(column, event) != 0)

    def put_number(self, s: RecordSink, column: cython.int, event: cython.Py_ssize_t) -> cython.int:
        """Writes a number with a sign; nothing is 0."""
        return s.integer(0 if self.events.null_at(column, event) else self.events.int_at(column, event))

    def zone(self, event: cython.Py_ssize_t, column: cython.int) -> str:
        """The location of the event's TIMESTAMP values; empty where it does not say it."""
        if self.events.null_at(column, event):
            return ""
        return self.events.text(column, event)

    # ---- messages of no row

    def put_connect_message(
        self, s: RecordSink, key: RecordSink, event: cython.Py_ssize_t, kind: str, table: cython.Py_ssize_t
    ) -> cython.int:
        """Writes the key and the value of an event that is of no row, as another protocol's records.

        Args:
            s, key: where to.
            event: which one.
            kind: what it is.
            table: the position of its table; -1: it has none.
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
        """The schemas of the records without columns in a value, by field.

        Args:
            schema: the database in their namespace.
        """
        inside = [one for one in self.row_part.inside if not one.part.has_columns]
        return {one.name: self.schema_writer.record(one.part, (schema, ""), ()) for one in inside}

    # ---- statements

    def said_text(self, column: cython.int, event: cython.Py_ssize_t) -> str | None:
        """What a column of events says of an event; so do those that follow."""
        return None if self.events.null_at(column, event) else self.events.text(column, event)

    def said_int(self, column: cython.int, event: cython.Py_ssize_t) -> int | None:
        return None if self.events.null_at(column, event) else self.events.int_at(column, event)

    def said_uint(self, column: cython.int, event: cython.Py_ssize_t) -> int | None:
        return None if self.events.null_at(column, event) else self.events.uint_at(column, event)

    def said_schema(self, table: cython.Py_ssize_t) -> str | None:
        """The schema of a table; None where it has none."""
        return self.table_names[table][0] or None if self.table_names is not None else None

    def said_table(self, table: cython.Py_ssize_t) -> str | None:
        """The name of a table; None where it has none."""
        return self.table_names[table][1] or None if self.table_names is not None else None

    def put_statement(self, s: RecordSink, values: list[Any]) -> cython.int:
        """Writes a statement as a JSON object.

        Args:
            s: where to.
            values: of its members; None for nothing.
        """
        return s.raw(write_statement(self.protocol, self.members, values, self.spelling))
