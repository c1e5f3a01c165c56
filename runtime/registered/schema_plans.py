"""How records are read, by the ids of their writers' schemas.

Before a record stands the id: a byte 0 and four bytes, the most significant first, or the bytes 3 and 0 and the sixteen
of a UUID (AWS Glue).
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tidewire.runtime.decoding.layout_cache import Table
from tidewire.runtime.errors import CONST, TRUNCATED, UTF8, VALUE, StatedError
from tidewire.runtime.record.cursor import RecordCursor
from tidewire.runtime.registered.errors import MissingSchema
from tidewire.runtime.registered.forms import FieldForms
from tidewire.runtime.registered.parts import RecordPart
from tidewire.runtime.registered.plans import Kept, RecordPlan
from tidewire.runtime.registered.reading import RecordReader
from tidewire.runtime.registered.schema import Record, read_schema
from tidewire.runtime.registry.errors import SchemaRegistryError
from tidewire.runtime.tables.description import DescribedTable
from tidewire.runtime.tables.store import MOST_TIME
from tidewire.runtime.tables.timed import described_alike, described_at

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython

if TYPE_CHECKING:
    from tidewire.runtime.batch import TableName
    from tidewire.runtime.column_types import Declared
    from tidewire.runtime.registry import SchemaRegistry

MOST_PLANS = 1 << 12
"""Schemas whose plans are remembered; when there are more, all are made anew. So it is with those that follow."""
MOST_TEXT = 1 << 23
"""Characters of these schemas; a plan takes up some ten times as many bytes."""
MOST_COLUMNS = 1 << 20
"""Columns of the layouts that plans have made; each takes up some fifty bytes."""
COLUMNS_OF_FITTED = 4
"""A column of a plan that was made for one table counts as so many of those."""
RECENT = 256
"""Plans that are found by the low bits of their schema's number; a power of two."""
NUMBERED: cython.int = 0
UUID: cython.int = 3
"""The first byte before a record whose schema is told by a number, and by a UUID."""


class SchemaPlans:
    """How records of the schemas are read that a decoder has met.

    Attributes:
        last_row: how the last value is read; None: there was none.
        recent_rows, recent_keys: by the low bits of their schemas' numbers plans, of each the one that was found last.
        low_bits: which bits that are.
    """

    def __init__(
        self,
        forms: FieldForms,
        row: RecordPart,
        key: RecordPart,
        declared: Callable[[str], Declared],
        flags: tuple[int, int],
        schemas: SchemaRegistry | None,
        checked: bool,
        store: Any,
    ) -> None:
        """
        Args:
            forms: what schemas say of columns.
            row, key: the records of values and keys.
            declared: takes a declared type apart.
            flags: those of a column that can be NULL, and of one of the handle key.
            schemas: gives schemas by their ids; None: none is known.
            checked: whether text that is not UTF-8 is refused.
            store: the descriptions of tables that are known; None: none are.
        """
        self.forms = forms
        self.row_part = row
        self.key_part = key
        self.declared = declared
        self.layout_flags = flags
        self.schemas = schemas
        self.checked = checked
        self.store = store
        self.row_plans: dict[Any, RecordPlan] = {}
        self.key_plans: dict[Any, RecordPlan] = {}
        self.fitted: dict[Any, RecordPlan] = {}
        self.kept = Kept()
        self.last_row: RecordPlan | None = None
        self.low_bits = RECENT - 1
        self.recent_rows: list[RecordPlan | None] = [None] * RECENT
        self.recent_keys: list[RecordPlan | None] = [None] * RECENT

    def begin(self) -> cython.int:
        """Begins a batch: forgets plans when their layouts have become too many."""
        if self.kept.columns > MOST_COLUMNS:
            self.forget()
        return 0

    def changes(self) -> cython.Py_ssize_t:
        """How often descriptions have changed; 0 where none are known."""
        return 0 if self.store is None else self.store.changes

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

    def of_row(self, r: RecordCursor, field: cython.int) -> RecordPlan:
        """How the row at the cursor is read, which goes behind the id of its schema."""
        number: cython.longlong = r.numbered()
        if number >= 0:
            recent: RecordPlan | None = self.recent_rows[number & self.low_bits]
            if recent is not None and recent.number == number:
                r.pos += 5
                self.last_row = recent
                return recent
        plan: RecordPlan = self.looked_up(self.schema_id(r, field), self.row_plans, self.row_part, field)
        self.last_row = plan
        if number >= 0:
            plan.number = number
            self.recent_rows[number & self.low_bits] = plan
        return plan

    def of_key(self, r: RecordCursor, field: cython.int) -> RecordPlan:
        """How the key at the cursor is read, which goes behind the id of its schema."""
        number: cython.longlong = r.numbered()
        if number >= 0:
            recent: RecordPlan | None = self.recent_keys[number & self.low_bits]
            if recent is not None and recent.number == number:
                r.pos += 5
                return recent
        plan: RecordPlan = self.looked_up(self.schema_id(r, field), self.key_plans, self.key_part, field)
        if number >= 0:
            plan.number = number
            self.recent_keys[number & self.low_bits] = plan
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

    def refitted(self, r: RecordCursor, record: RecordReader, plan: RecordPlan, field: cython.int) -> RecordPlan:
        """How records of a schema are read of the table that the one is of that was read last, as that is described.

        Args:
            r: the cursor.
            record: has read it.
            plan: by which it was read.
            field: for errors.
        """
        table: bytes = record.name_at(r, plan.table_slot)
        schema: bytes = b"" if plan.schema_slot < 0 else record.name_at(r, plan.schema_slot)
        names = (
            self.name_of(r, record, plan.schema_slot, plan.schema_field),
            self.name_of(r, record, plan.table_slot, plan.table_field),
        )
        time: cython.ulonglong = record.time(plan)
        changes: cython.Py_ssize_t = self.changes()
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
        self.last_row = found
        if plan.number >= 0:
            found.number = plan.number
            self.recent_rows[plan.number & self.low_bits] = found
        return found

    def name_of(self, r: RecordCursor, record: RecordReader, slot: cython.int, field: cython.int) -> str | None:
        """A name that the record says; None where it says none."""
        image: bytes = b"" if slot < 0 else record.name_at(r, slot)
        try:
            return image.decode() or None
        except UnicodeDecodeError:
            r.fail(UTF8, field, record.slots[slot].start, len(image), 0)
        return None

    def forget(self) -> cython.int:
        """Forgets all plans but those that were used last."""
        self.row_plans.clear()
        self.key_plans.clear()
        self.fitted.clear()
        self.recent_rows = [None] * RECENT
        self.recent_keys = [None] * RECENT
        self.kept.characters = self.kept.columns = 0
        return 0
