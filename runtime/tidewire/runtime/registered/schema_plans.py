"""Finds reading plans by schema id.

A record is preceded by its schema id: a byte 0 and four bytes, big-endian, or the bytes 3 and 0 and the sixteen bytes
of a UUID (AWS Glue).
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.decoding.layout_cache import Table
from tidewire.runtime.errors import CONST, TRUNCATED, UTF8, VALUE, StatedError
from tidewire.runtime.record.cursor import RecordCursor
from tidewire.runtime.registered.errors import LONGER, missing_schema
from tidewire.runtime.registered.parts import RecordPart
from tidewire.runtime.registered.plan_store import PlanStore
from tidewire.runtime.registered.plans import PlanCost, RecordPlan
from tidewire.runtime.registered.reading import RecordReader
from tidewire.runtime.registered.schema import Record, read_schema
from tidewire.runtime.registered.schema_types import FieldForms
from tidewire.runtime.registry.errors import SchemaRegistryError
from tidewire.runtime.tables.description import DescribedTable
from tidewire.runtime.tables.store import MOST_TIME
from tidewire.runtime.tables.versions_by_time import described_alike, described_at

if TYPE_CHECKING:
    from tidewire.runtime.batch import Column, TableName
    from tidewire.runtime.connect.unknown import UnknownColumns
    from tidewire.runtime.decoding.rows_without_table import RowsWithoutTable
    from tidewire.runtime.registry import SchemaRegistry

COLUMNS_OF_FITTED = 4
"""Layout columns that each column of a plan made for one table is counted as."""
RECENT = 256
"""Initial size of the tables of recent plans; a power of two. The size doubles when half as many plans are cached."""
NUMBERED: cython.int = 0
UUID: cython.int = 3
"""First byte before a record whose schema id is a number, or a UUID."""


class SchemaPlans:
    """The reading plans of the schemas that a decoder has seen.

    Attributes:
        last_row: plan of the last value; None: there was none.
        last_text, last_schema: last parsed schema, as text and parsed.
        recent_rows, recent_keys: last plans found, by the low bits of their schema numbers.
        low_bits: mask of these bits.
    """

    def __init__(
        self,
        forms: FieldForms,
        row: RecordPart,
        key: RecordPart,
        handle_key: int,
        schemas: SchemaRegistry | None,
        checked: bool,
        store: Any,
        unknown: UnknownColumns,
        unnamed: RowsWithoutTable | None = None,
    ) -> None:
        """
        Args:
            forms: how schemas state columns.
            row, key: the records of values and keys.
            handle_key: flag of handle key columns.
            schemas: provides schemas by id; None: none is available.
            checked: whether text that is not UTF-8 is refused.
            store: known table descriptions; None: there are none.
            unknown: receives the columns of unknown types.
            unnamed: finds the table of rows that do not name it; None: not used.
        """
        self.forms = forms
        self.row_part = row
        self.key_part = key
        self.handle_key = handle_key
        self.schemas = schemas
        self.checked = checked
        self.store = store
        self.unknown = unknown
        self.unnamed = unnamed
        self.met_unnamed: tuple[str | None, str | None] | None = None
        self.said_unnamed = False
        self.remembered = PlanStore()
        self.known_changes = self.changes()
        self.last_row: RecordPlan | None = None
        self.last_text: str | None = None
        self.last_schema: Any = None
        self.recent_rows: list[RecordPlan | None] = []
        self.recent_keys: list[RecordPlan | None] = []
        self.begin_recent(RECENT)

    def begin(self) -> cython.int:
        """Begins a batch."""
        if not self.forms.connect and self.changes() != self.known_changes:
            self.known_changes = self.changes()
            self.remembered = PlanStore()  # plans depend on labels in the descriptions
            self.begin_recent(RECENT)
        return self.age_when_full()

    def age_when_full(self) -> cython.int:
        """Begins a new generation of plans when the young one is full, and clears the tables of recent plans."""
        if self.remembered.is_full():
            self.remembered.age()
            self.begin_recent(RECENT)
        elif 2 * len(self.remembered.young) > len(self.recent_rows):
            self.begin_recent(2 * len(self.recent_rows))
        return 0

    def begin_recent(self, room: cython.Py_ssize_t) -> cython.int:
        """Creates empty tables of recent plans with this size."""
        self.low_bits = room - 1
        self.recent_rows = [None] * room
        self.recent_keys = [None] * room
        return 0

    def changes(self) -> cython.Py_ssize_t:
        """Change count of the store of descriptions; 0: there is none."""
        return 0 if self.store is None else self.store.changes

    def schema_id(self, r: RecordCursor, field: cython.int) -> object:
        """Reads the schema id at the cursor: a number or a UUID."""
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
        """Reads the schema id at the cursor and returns the plan of the row."""
        number: cython.longlong = r.numbered()
        if number >= 0:
            recent: RecordPlan | None = self.recent_rows[number & self.low_bits]
            if recent is not None and recent.number == number:
                r.pos += 5
                self.last_row = recent
                return recent
        plan: RecordPlan = self.looked_up(r, self.row_part, field)
        self.last_row = plan
        if number >= 0:
            plan.number = number
            self.recent_rows[number & self.low_bits] = plan
        return plan

    def of_key(self, r: RecordCursor, field: cython.int) -> RecordPlan:
        """Reads the schema id at the cursor and returns the plan of the key."""
        number: cython.longlong = r.numbered()
        if number >= 0:
            recent: RecordPlan | None = self.recent_keys[number & self.low_bits]
            if recent is not None and recent.number == number:
                r.pos += 5
                return recent
        plan: RecordPlan = self.looked_up(r, self.key_part, field)
        if number >= 0:
            plan.number = number
            self.recent_keys[number & self.low_bits] = plan
        return plan

    def looked_up(self, r: RecordCursor, part: RecordPart, field: cython.int) -> RecordPlan:
        """Reads the schema id at the cursor and returns the plan of the record, from the cache or the registry.

        Args:
            part: static fields of the record.
        """
        id: Any = self.schema_id(r, field)
        asked = (id, part is self.row_part)
        found: RecordPlan | None = self.remembered.find(asked)
        if found is None:
            schemas = self.schemas
            behind = r.copy(r.pos, min(r.pos + LONGER, r.end))
            if schemas is None:
                raise missing_schema(field, id, behind, None)
            try:
                text = schemas.schema(id)
            except SchemaRegistryError as error:
                raise missing_schema(field, id, behind, error) from None
            try:
                found = self.planned(id, text, part, PlanCost(self.remembered.kept, len(text)))
            except ValueError as error:
                raise StatedError(VALUE, field, 0, f"schema {id} is none that is read here: {error}") from None
            self.remembered.put(asked, found)
        self.age_when_full()
        return found

    def planned(
        self,
        id: Any,
        text: str,
        part: RecordPart,
        kept: PlanCost,
        table: TableName | None = None,
        described: DescribedTable | None = None,
    ) -> RecordPlan:
        """Makes the plan of a schema.

        Args:
            id: id of the schema.
            text: the schema.
            part: static fields of the record.
            kept: memory of the plan.
            table: table of the rows; None: the one that the schema is named after, unless records name their table: the
                plan then reads no columns.
            described: description of that table; None: unknown.

        Raises:
            ValueError: such records cannot be read; a sentence gives the reason.
        """
        if text != self.last_text:
            self.last_schema = read_schema(text)
            self.last_text = text
        schema: Record = self.last_schema
        self.forms.refuse_envelope(schema)
        _, _, database = schema.namespace.rpartition(".")
        known = Table(table or (database if "." in schema.namespace else None, schema.name))
        stranger = not part.is_of_row({one.name for one in schema.fields})
        columns: dict[str, list[Column]] = {}
        for one in self.descriptions(known.table) if described is None else (described,):
            for column in one.row_columns():
                columns.setdefault(column.name, []).append(column)
        own = part
        if table is None and part.tells_table:
            own = part.without_columns
        found: RecordPlan = RecordPlan(
            *(() if stranger else schema.fields, own, self.forms, self.handle_key, self.checked),
            *(known, kept, None, None),
            described=columns,
            column=part.any_column_field,
        )
        found.id = id
        if part is self.row_part and (table is not None or found.table_slot < 0):
            for reason in found.unknown:
                self.unknown.add(known.table, reason)
        found.is_connect_message = stranger
        if stranger:
            found.solid = schema.solid
        if stranger or found.table_slot >= 0:
            found.text = text
        return found

    def descriptions(self, table: TableName) -> list[DescribedTable]:
        """All descriptions of the table that a schema is named after; empty for Kafka Connect schemas, whose rows state
        their table and commit time.
        """
        if self.store is None or self.forms.connect or table[1] is None:
            return []
        found: list[DescribedTable] = self.store.versions_of(*table)
        return found

    def named(self, schema: str | None, table: str | None) -> tuple[str | None, str | None]:
        """The names of a row's table, completed if one is missing."""
        if self.unnamed is None or (schema is not None and table is not None):
            return schema, table
        names = self.unnamed.table(schema, table)
        if None in names:
            self.met_unnamed = names
        return names

    def say_unnamed(self) -> cython.int:
        """Warns once if there were rows of unknown tables."""
        if self.met_unnamed is not None and not self.said_unnamed and self.unnamed is not None:
            self.said_unnamed = True
            self.unnamed.warn(*self.met_unnamed)
        return 0

    def know_fields(self, plan: RecordPlan) -> cython.int:
        """Adds the fields of a plan's records that generic reading needs."""
        if not plan.is_connect_message and not plan.solid:
            text = plan.text
            assert text is not None, "it is the plan of a whole record"
            plan.solid = read_schema(text).solid
        return 0

    def refitted(self, r: RecordCursor, record: RecordReader, plan: RecordPlan, field: cython.int) -> RecordPlan:
        """The plan for the last record's schema, made for the record's own table and the description valid at its time.

        Args:
            record: has read the record.
            plan: plan by which it was read.
        """
        table: bytes = record.name_at(r, plan.table_slot)
        schema: bytes = b"" if plan.schema_slot < 0 else record.name_at(r, plan.schema_slot)
        names = self.named(
            self.name_of(r, record, plan.schema_slot, plan.schema_field),
            self.name_of(r, record, plan.table_slot, plan.table_field),
        )
        time: cython.ulonglong = record.time(plan)
        changes: cython.Py_ssize_t = self.changes()
        named = (names[0] or "", names[1] or "")
        described = described_at(self.store, named, time or None)
        asked = (plan.id, names, described)
        found: RecordPlan | None = self.remembered.find(asked)
        if found is None:
            kept = PlanCost(self.remembered.kept)
            text = plan.text
            assert text is not None, "it is the plan of a whole record"
            try:
                found = self.planned(plan.id, text, self.row_part, kept, names, described)
            except ValueError as error:
                raise StatedError(VALUE, field, 0, f"schema {plan.id} is none that is read here: {error}") from None
            kept.columns = COLUMNS_OF_FITTED * found.whole_width
            self.remembered.put(asked, found)
        self.remembered.replace((plan.id, True), found)
        self.age_when_full()
        found.schema_name = schema
        found.table_name = table
        found.changes = changes
        found.first, found.last = described_alike(self.store, named, time) if time else (0, MOST_TIME)
        self.last_row = found
        if plan.number >= 0:
            found.number = plan.number
            self.recent_rows[plan.number & self.low_bits] = found
        return found

    def unfit(self, plan: RecordPlan) -> cython.bint:
        """Makes the next record of a plan's schema be read without its columns first; False if it already was.

        A record that does not fit its table's description may belong to the time of another description. Read
        without its columns, it yields its time, and `refitted` finds the description of that time.

        Args:
            plan: plan by which a record could not be read.
        """
        if plan.table_slot < 0 or plan.changes < 0:
            return False
        asked = (plan.id, False, None)
        found: RecordPlan | None = self.remembered.find(asked)
        if found is None:
            text = plan.text
            assert text is not None, "it is the plan of a whole record"
            found = self.planned(plan.id, text, self.row_part, PlanCost(self.remembered.kept, len(text)))
            self.remembered.put(asked, found)
        self.remembered.replace((plan.id, True), found)
        if plan.number >= 0:
            found.number = plan.number
            self.recent_rows[plan.number & self.low_bits] = found
        return True

    def name_of(self, r: RecordCursor, record: RecordReader, slot: cython.int, field: cython.int) -> str | None:
        """A name in the record; None: missing or empty."""
        image: bytes = b"" if slot < 0 else record.name_at(r, slot)
        try:
            return image.decode() or None
        except UnicodeDecodeError:
            r.fail(UTF8, field, record.slots[slot].start, len(image), 0)
        return None
