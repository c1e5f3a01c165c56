"""What decoders of records have whose schemas a registry has.

Before a record stands the id of its writer's schema: a byte 0 and four bytes, the most significant first, or the bytes
3 and 0 and the sixteen of a UUID (AWS Glue).
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tidewire.runtime.arrow.storage import INT, UINT
from tidewire.runtime.decoding.layout_cache import Table
from tidewire.runtime.decoding.message_decoder import KeyedDecoder
from tidewire.runtime.errors import CONST, OUTSIDE, TRUNCATED, UNNAMED, UTF8, VALUE, DecodeError, StatedError, WireError
from tidewire.runtime.record.cursor import RecordCursor
from tidewire.runtime.registered.errors import MissingSchema
from tidewire.runtime.registered.forms import FieldForms
from tidewire.runtime.registered.parts import RecordPart
from tidewire.runtime.registered.plain import plain_record, plain_value
from tidewire.runtime.registered.plans import Kept, RecordPlan
from tidewire.runtime.registered.reading import RecordReader
from tidewire.runtime.registered.schema import Record, read_schema
from tidewire.runtime.registered.statements import StatementError, StatementMember, read_statement
from tidewire.runtime.registered.strangers import StrangerReader, Strangers
from tidewire.runtime.registry.errors import SchemaRegistryError
from tidewire.runtime.tables.description import DescribedTable
from tidewire.runtime.tables.store import MOST_TIME
from tidewire.runtime.tables.timed import described_alike, described_at
from tidewire.runtime.wire.messages import Piece, keys_of

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython

if TYPE_CHECKING:
    import pyarrow as pa

    from tidewire.runtime.batch import EventColumns, TableName
    from tidewire.runtime.column_types import Declared
    from tidewire.runtime.registry import SchemaRegistry

MOST_PLANS = 1 << 12
"""Schemas whose plans are remembered; when there are more, all are made anew. So it is with those that follow."""
MOST_TEXT = 1 << 23
"""Characters of these schemas; a plan takes up some ten times as many bytes."""
MOST_COLUMNS = 1 << 20
"""Columns of the layouts that plans have made; each takes up some fifty bytes."""
COLUMNS_OF_FITTED = 4
"""As how many of them a column of a plan for one table counts."""
NUMBERED: cython.int = 0
UUID: cython.int = 3
"""The first byte before a record whose schema is told by a number, and by a UUID."""
UTC = "UTC"


class RegisteredDecoder(KeyedDecoder):
    """A decoder of records whose schemas a registry has.

    Attributes:
        record, key_record: read values and keys.
        key_plan: how the message's key is read; None: it has none.
        lost: whether the message says nothing of what happened.
        path: the member of a statement that is read.
    """

    def __init__(
        self,
        protocol: str,
        fields: tuple[str, ...],
        schema: pa.Schema,
        positions: Sequence[int],
        storages: Sequence[int],
        invalid_text: str,
        forms: FieldForms,
        row: RecordPart,
        key: RecordPart,
        declared: Callable[[str], Declared],
        flags: tuple[int, int],
        schemas: SchemaRegistry | None,
        operations: tuple[bytes, ...],
        strangers: Strangers | None = None,
        kinds: Mapping[str, int] | None = None,
        store: Any = None,
    ) -> None:
        """
        Args:
            protocol, fields, schema, positions, storages: as those of `BatchDecoder`.
            invalid_text: what becomes of text that is not UTF-8: error, replace or bytes.
            forms: what schemas say of columns.
            row, key: the records of values and keys.
            declared: takes a declared type apart.
            flags: those of a column that can be NULL, and of one of the handle key.
            schemas: gives schemas by their ids; None: none is known.
            operations: what the field can say that tells what happened.
            strangers: what messages are whose records are of no row; None: there are none.
            kinds: by name the codes of their kinds of events.
            store: gets the descriptions of tables that those have.
        """
        super().__init__(protocol, fields, schema, positions, storages, invalid_text == "replace")
        self.forms = forms
        self.row_part = row
        self.key_part = key
        self.declared = declared
        self.layout_flags = flags
        self.schemas = schemas
        self.checked = invalid_text == "error"
        self.operations = operations
        self.record = RecordReader(len(row.scalars))
        self.key_record = RecordReader(len(key.scalars))
        self.row_plans: dict[Any, RecordPlan] = {}
        self.key_plans: dict[Any, RecordPlan] = {}
        self.fitted: dict[Any, RecordPlan] = {}
        self.kept = Kept()
        self.row_number = self.key_number = -1
        self.last_row_plan: RecordPlan | None = None
        self.last_key_plan: RecordPlan | None = None
        self.key_plan: RecordPlan | None = None
        self.lost = False
        self.path = ""
        self.strangers = strangers
        self.kinds = kinds or {}
        self.store = store
        self.stranger_reader: StrangerReader | None = None
        self.event_fields = tuple([(schema.names[at], storages[c]) for c, at in enumerate(positions)])

    # ---- messages

    def decode_pieces(self, pieces: Iterable[Piece]) -> EventColumns:
        r: RecordCursor = RecordCursor()
        key: RecordCursor = RecordCursor()
        errors: list[DecodeError] = []
        tombstones: list[int] = []
        base: cython.Py_ssize_t = 0
        k: cython.Py_ssize_t
        rows: cython.Py_ssize_t
        has_key: cython.bint
        has_value: cython.bint
        missing: frozenset[int]
        keyless: frozenset[int]
        self.events.begin()
        self.cache.begin()
        if self.kept.columns > MOST_COLUMNS:
            self.forget()
        for values, keys in pieces:
            missing = r.receive(values)
            keyless = key.receive(keys_of(values, keys))
            for k in range(r.messages):
                has_value = not missing or k not in missing
                has_key = not keyless or k not in keyless
                rows = self.events.rows
                self.cache.start()
                self.lost = False
                try:
                    if has_key:
                        key.load(k)
                    if has_value:
                        r.load(k)
                    self.read_message(key, has_key, r, has_value, base + k)
                    if self.lost:
                        tombstones.append(base + k)
                except WireError as error:
                    errors.append(self.readable(error, base + k))
                    self.events.rows = rows
                    self.cache.undo()
            base += r.messages
        return self.finish(errors, tombstones)

    def read_message(
        self,
        key: RecordCursor,
        has_key: cython.bint,
        r: RecordCursor,
        has_value: cython.bint,
        message: cython.Py_ssize_t,
    ) -> cython.int:
        """Reads a key and a value, each of which may be null."""
        raise NotImplementedError

    def indexes(self, error: WireError) -> dict[str, object]:
        """Where in its field the trouble is."""
        record: RecordReader = self.key_record if self.part(error) == "key" else self.record
        return {"column": record.field_name(), "path": self.path}

    # ---- schemas

    def schema_id(self, r: RecordCursor, field: cython.int) -> object:
        """The id of the schema of the record at the cursor, which goes behind it: a number, or a UUID."""
        start: cython.Py_ssize_t = r.pos
        first: cython.int = r.u8(field)
        if first == UUID:
            second: cython.int = r.u8(field)
            if second != 0:
                return r.refuse(CONST, field, start + 1, 1, f"{second}", "0, of a record that is not compressed,")
            if r.end - r.pos < 16:
                return r.fail(TRUNCATED, field, r.pos, 16, r.end - r.pos)
            r.pos += 16
            return uuid.UUID(bytes=r.copy(r.pos - 16, r.pos))
        if first != NUMBERED:
            expected = "0, before the number of a schema, or 3, before a UUID,"
            return r.refuse(CONST, field, start, 1, f"{first}", expected)
        return r.u32be(field)

    def plan_of_row(self, r: RecordCursor, field: cython.int) -> RecordPlan:
        """How the row at the cursor is read, which goes behind the id of its schema."""
        number: cython.longlong = r.numbered()
        if number >= 0 and number == self.row_number and self.last_row_plan is not None:
            r.pos += 5
            return self.last_row_plan
        plan: RecordPlan = self.looked_up(self.schema_id(r, field), self.row_plans, self.row_part, field)
        self.last_row_plan = plan
        self.row_number = number
        return plan

    def plan_of_key(self, r: RecordCursor, field: cython.int) -> RecordPlan:
        """How the key at the cursor is read, which goes behind the id of its schema."""
        number: cython.longlong = r.numbered()
        if number >= 0 and number == self.key_number and self.last_key_plan is not None:
            r.pos += 5
            return self.last_key_plan
        plan: RecordPlan = self.looked_up(self.schema_id(r, field), self.key_plans, self.key_part, field)
        self.last_key_plan = plan
        self.key_number = number
        return plan

    def looked_up(self, id: Any, plans: dict[Any, RecordPlan], part: RecordPart, field: cython.int) -> RecordPlan:
        """How records of a schema are read.

        Args:
            id: of the schema.
            plans: that are known.
            part: what such records have besides columns.
            field: for errors.
        """
        found: RecordPlan | None = plans.get(id)
        if found is None:
            schemas = self.schemas
            if schemas is None:
                raise MissingSchema(field, 0, str(id), None)
            try:
                text = schemas.schema(id)
            except SchemaRegistryError as error:
                raise MissingSchema(field, 0, str(id), error) from None
            try:
                found = self.planned(id, read_schema(text), part)
            except ValueError as error:
                raise StatedError(VALUE, field, 0, f"schema {id} is none that is read here: {error}") from None
            if len(plans) >= MOST_PLANS or self.kept.characters + len(text) > MOST_TEXT:
                self.forget()
            self.kept.characters += len(text)
            plans[id] = found
        return found

    def planned(
        self,
        id: Any,
        schema: Record,
        part: RecordPart,
        table: TableName | None = None,
        described: DescribedTable | None = None,
    ) -> RecordPlan:
        """How records of a schema are read.

        Args:
            id: of the schema.
            schema: which one.
            part: what such records have besides columns.
            table: whose rows they are; None: the one that the schema is named after.
            described: that table as it is described; None: nothing is known of it.

        Raises:
            ValueError: they cannot be read; a sentence says why.
        """
        _, _, database = schema.namespace.rpartition(".")
        known = Table(table or (database if "." in schema.namespace else None, schema.name))
        stranger = not part.is_of_row({one.name for one in schema.fields})
        columns = None if described is None else {one.name: one for one in described.row_columns()}
        found: RecordPlan = RecordPlan(
            *(() if stranger else schema.fields, part, self.forms, self.declared, self.layout_flags, self.checked),
            *(known, self.kept, None, None, columns),
        )
        found.id = id
        found.schema = schema
        found.is_stranger = stranger
        return found

    def refitted(self, r: RecordCursor, plan: RecordPlan, field: cython.int) -> RecordPlan:
        """How records of a schema are read of the table that the one is of that was read last, as that is described.

        Args:
            r: the cursor.
            plan: by which it was read.
            field: for errors.
        """
        table: bytes = self.record.name_at(r, plan.table_slot)
        schema: bytes = b"" if plan.schema_slot < 0 else self.record.name_at(r, plan.schema_slot)
        names = (
            self.name_of(r, plan.schema_slot, plan.schema_field),
            self.name_of(r, plan.table_slot, plan.table_field),
        )
        time: cython.ulonglong = self.record.time(plan)
        changes: cython.Py_ssize_t = 0 if self.store is None else self.store.changes
        named = (names[0] or "", names[1] or "")
        described = described_at(self.store, named, time or None)
        own = plan.schema
        assert own is not None, "it is the plan of a whole record"
        asked = (plan.id, names, described)
        found: RecordPlan | None = self.fitted.get(asked)
        if found is None:
            try:
                found = self.planned(plan.id, own, self.row_part, names, described)
            except ValueError as error:
                raise StatedError(VALUE, field, 0, f"schema {plan.id} is none that is read here: {error}") from None
            if len(self.fitted) >= MOST_PLANS or self.kept.columns > MOST_COLUMNS:
                self.forget()
            self.fitted[asked] = found
            self.kept.columns += COLUMNS_OF_FITTED * found.whole_width
        found.schema_name = schema
        found.table_name = table
        found.changes = changes
        found.first, found.last = described_alike(self.store, named, time) if time else (0, MOST_TIME)
        self.row_plans[plan.id] = found
        self.last_row_plan = found
        return found

    def name_of(self, r: RecordCursor, slot: cython.int, field: cython.int) -> str | None:
        """A name that the record says; None where it says none."""
        image: bytes = b"" if slot < 0 else self.record.name_at(r, slot)
        try:
            return image.decode() or None
        except UnicodeDecodeError:
            r.fail(UTF8, field, self.record.slots[slot].start, len(image), 0)
        return None

    def forget(self) -> cython.int:
        """Forgets all plans but those that were used last."""
        self.row_plans.clear()
        self.key_plans.clear()
        self.fitted.clear()
        self.kept.characters = self.kept.columns = 0
        return 0

    # ---- records

    def read_key(self, key: RecordCursor, field: cython.int, message: cython.Py_ssize_t) -> cython.int:
        """The key as the row of a message that has no other."""
        plan: RecordPlan = self.plan_of_key(key, field)
        self.key_record.read(key, plan, plan, self.cache, message)
        return key.consumed(field)

    def tell_key(self, key: RecordCursor, has_key: cython.bint, field: cython.int) -> cython.int:
        """Which columns the key has; its values stand in the row, too."""
        self.key_plan = self.plan_of_key(key, field) if has_key else None
        return 0

    def read_row(
        self,
        key: RecordCursor,
        has_key: cython.bint,
        key_field: cython.int,
        r: RecordCursor,
        field: cython.int,
        message: cython.Py_ssize_t,
    ) -> cython.int:
        """The row of the message; 1: its record is of no row, and has not been read."""
        start: cython.Py_ssize_t
        self.tell_key(key, has_key, key_field)
        plan: RecordPlan = self.plan_of_row(r, field)
        if plan.is_stranger:
            return 1
        start = r.pos
        self.record.read(r, plan, self.key_plan, self.cache, message)
        if not self.record.fits(r, plan, 0 if self.store is None else self.store.changes):
            plan = self.refitted(r, plan, field)
            self.cache.undo()
            self.cache.start()
            r.pos = start
            self.record.read(r, plan, self.key_plan, self.cache, message)
        return r.consumed(field)

    def read_stranger(
        self,
        key: RecordCursor,
        has_key: cython.bint,
        key_field: cython.int,
        r: RecordCursor,
        field: cython.int,
        message: cython.Py_ssize_t,
    ) -> cython.int:
        """A record that is of no row, behind the id of its schema, and its key behind that of its own."""
        plan: RecordPlan | None = self.last_row_plan
        own: RecordPlan | None = self.key_plan if has_key else None
        start: cython.Py_ssize_t = r.pos
        assert plan is not None, "`read_row` has found it"
        assert plan.schema is not None, "it is the plan of a whole record"
        if self.stranger_reader is None:
            assert self.strangers is not None, "it is printed for a protocol with such messages"
            self.stranger_reader = StrangerReader(self.strangers, self.store)
        value = plain_record(r, plan.schema.solid, field)
        r.consumed(field)
        told = None
        if own is not None:
            pairs = zip(own.names, own.kinds, strict=True)
            told = {name: plain_value(key, kind, key_field) for name, kind in pairs}
            key.consumed(key_field)
        try:
            event = self.stranger_reader.event(value, told)
        except ValueError as error:
            raise StatedError(VALUE, field, start, str(error)) from None
        if event is not None and event.kind not in self.kinds:
            raise StatedError(VALUE, field, start, "it is a changed row, and its schema has no record of a row")
        return self.put_nothing() if event is None else self.put_event(event, message)

    def put_event(self, event: Any, message: cython.Py_ssize_t) -> cython.int:
        """Puts an event that is of no row into the columns of events."""
        row: cython.Py_ssize_t = self.events.rows
        c: cython.int
        self.events.reserve(row + 1)
        for c in range(len(self.event_fields)):
            name, storage = self.event_fields[c]
            value = getattr(event, name, None)
            if name == "message":
                self.events.put_int(c, row, message)
            elif name == "kind":
                self.events.put_int(c, row, self.kinds[event.kind])
            elif name == "table":
                self.events.put_int(c, row, self.said_table(getattr(event, "schema", None), value))
            elif name.endswith(("_layout", "_row")):
                self.events.put_int(c, row, -1)
            elif value is None:
                self.events.put_null(c, row)
            elif isinstance(value, DescribedTable):
                self.events.put_int(c, row, len(self.cache.descriptions))
                self.cache.descriptions.append(value)
            elif storage == UINT:
                self.events.put_uint(c, row, value)
            elif storage == INT:
                self.events.put_int(c, row, value)
            else:
                self.events.put_text(c, row, value)
        self.events.rows = row + 1
        return 0

    def finish(self, errors: list[DecodeError], tombstones: list[int]) -> EventColumns:
        found = super().finish(errors, tombstones)
        found.descriptions = self.cache.descriptions
        return found

    def operation(self, r: RecordCursor, slot: cython.int, field: cython.int) -> cython.int:
        """The number of what the record says to have happened; -1 where it does not say it."""
        k: cython.int
        start: cython.Py_ssize_t = self.record.slots[slot].start
        size: cython.Py_ssize_t
        if not self.record.slots[slot].given:
            return -1
        size = self.record.slots[slot].end - start
        for k in range(len(self.operations)):
            image: bytes = self.operations[k]
            if len(image) == size and r.copy(start, start + size) == image:
                return k
        known = ", ".join([one.decode() for one in self.operations])
        return r.refuse(UNNAMED, field, start, size, r.copy(start, min(start + size, start + 16)).hex(), known)

    # ---- what the fields of a record say

    def put_number(self, c: cython.int, row: cython.Py_ssize_t, slot: cython.int) -> cython.int:
        """Puts a number that the record may have into a column of events."""
        if not self.record.slots[slot].given:
            return self.events.put_null(c, row)
        return self.events.put_int(c, row, self.record.slots[slot].number)

    def put_unsigned(self, c: cython.int, row: cython.Py_ssize_t, slot: cython.int) -> cython.int:
        """The same of a number without a sign."""
        if not self.record.slots[slot].given:
            return self.events.put_null(c, row)
        number: cython.longlong = self.record.slots[slot].number
        return self.events.put_uint(c, row, number if cython.compiled else number & 0xFFFFFFFFFFFFFFFF)

    def has_text(self, slot: cython.int) -> cython.bint:
        """Whether the record has the text of a field that says something of the event, and it is not empty."""
        start: cython.Py_ssize_t = self.record.slots[slot].start
        end: cython.Py_ssize_t = self.record.slots[slot].end
        given: cython.bint = self.record.slots[slot].given
        return given and end > start

    def put_digits(
        self,
        r: RecordCursor,
        c: cython.int,
        row: cython.Py_ssize_t,
        slot: cython.int,
        most: cython.ulonglong,
        field: cython.int,
    ) -> cython.int:
        """The same of a number without a sign that is a text of decimal digits; an empty one says nothing."""
        if not self.has_text(slot):
            return self.events.put_null(c, row)
        start: cython.Py_ssize_t = self.record.slots[slot].start
        end: cython.Py_ssize_t = self.record.slots[slot].end
        number: cython.ulonglong = r.digits(start, end, field)
        if number > most:
            return r.fail(OUTSIDE, field, start, end - start, 0)
        return self.events.put_uint(c, row, number)

    def put_image(
        self,
        layout: cython.int,
        image: cython.int,
        row: cython.Py_ssize_t,
        where: cython.Py_ssize_t,
        number: cython.Py_ssize_t,
    ) -> cython.int:
        """Puts where a row image of an event is.

        Args:
            layout, image: the columns of events for it.
            row: of the event.
            where: the position of its layout.
            number: the row there; -1: there is none.
        """
        self.events.put_int(layout, row, where if number >= 0 else -1)
        return self.events.put_int(image, row, number)

    def put_types(self, c: cython.int, row: cython.Py_ssize_t, record: RecordReader) -> cython.int:
        """Puts by what the types of the row's columns are known, where the schema does not say them in TiDB's words."""
        plan: RecordPlan | None = record.plan
        if plan is None or plan.types_from is None:
            return self.events.put_null(c, row)
        return self.events.put_text(c, row, plan.types_from)

    def put_utc(self, c: cython.int, row: cython.Py_ssize_t, record: RecordReader) -> cython.int:
        """Puts the location of TIMESTAMP values, UTC, into a column of events; null where the row has none."""
        plan: RecordPlan | None = record.plan
        if plan is None or not plan.zoned:
            return self.events.put_null(c, row)
        return self.events.put_text(c, row, UTC)

    def position_of(self, record: RecordReader) -> cython.Py_ssize_t:
        """The position of the table of a record that was read among those of the batch."""
        plan: RecordPlan | None = record.plan
        assert plan is not None, "a record is read by a plan"
        return self.cache.position_of(plan.known)

    def put_nothing(self) -> cython.int:
        """The message says that something happened, and not to what: it has no event."""
        self.lost = True
        return 0

    # ---- values that are no records

    def said_table(self, schema: Any, name: Any) -> cython.Py_ssize_t:
        """The position of a table among those of the batch."""
        return self.cache.position(self.cache.table(schema, name))

    def put_said_text(self, c: cython.int, row: cython.Py_ssize_t, said: Any) -> cython.int:
        """Puts what a statement says into a column of events; so do those that follow."""
        return self.events.put_text(c, row, said)

    def put_said_uint(self, c: cython.int, row: cython.Py_ssize_t, said: Any) -> cython.int:
        if said is None:
            return self.events.put_null(c, row)
        return self.events.put_uint(c, row, said)

    def put_said_int(
        self,
        c: cython.int,
        row: cython.Py_ssize_t,
        said: Any,
        least: cython.longlong,
        most: cython.longlong,
        field: cython.int,
        path: str,
    ) -> cython.int:
        if said is None:
            return self.events.put_null(c, row)
        if said < least or said > most:
            self.path = path
            raise StatedError(OUTSIDE, field, 1, f"{said} is out of range: {least} to {most}")
        return self.events.put_int(c, row, said)

    def members(self, r: RecordCursor, members: Sequence[StatementMember], field: cython.int) -> list[Any]:
        """The values of the members of a statement; None for those that say nothing.

        Args:
            r: the cursor, at the first byte of the object.
            members: of the statement.
            field: for errors.
        """
        self.path = ""
        try:
            found = read_statement(r.copy(r.pos, r.end), members)
        except StatementError as error:
            self.path = error.path
            raise error.stated(field, r.pos) from None
        r.pos = r.end
        return found

    def marked_number(self, r: RecordCursor, field: cython.int) -> cython.ulonglong:
        """A number of eight bytes, the most significant first, behind which the message ends."""
        number: cython.ulonglong = r.u64be(field)
        r.consumed(field)
        return number
