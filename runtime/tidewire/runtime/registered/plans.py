"""Reading plans: how records of one writer's schema are read, as a list of operations, one for each field in order.

A plan is made once per schema, and executed for each record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.batch import Column
from tidewire.runtime.connect.resolving import CONNECT
from tidewire.runtime.decoding.layout_cache import LayoutBuilder, Table
from tidewire.runtime.record.branches import DOUBLE_VALUE, FLOAT_VALUE
from tidewire.runtime.record.fields import DECIMAL_FIELD, WIDENED_FIELD, TimeField
from tidewire.runtime.registered.field_kinds import (
    BOOLEAN,
    INNER,
    NUMBER,
    PASSED,
    PASSED_NUMBER,
    PASSED_TEXT,
    SHORT,
    TEXT,
)
from tidewire.runtime.registered.parts import UNREAD, RecordPart, ScalarField
from tidewire.runtime.registered.schema import PRIMITIVES, SchemaField, SchemaKind
from tidewire.runtime.registered.schema_types import FieldForms, ReadForm, called
from tidewire.runtime.shortened import shown
from tidewire.runtime.wire.times import ZonedTime

if cython.compiled:
    from cython.cimports.cpython.mem import PyMem_Calloc, PyMem_Free
    from cython.cimports.tidewire.runtime.registered.plans import FieldOp

if TYPE_CHECKING:
    from tidewire.runtime.batch import TableName

SCALARS = {"int": SHORT, "long": NUMBER, "string": TEXT, "boolean": BOOLEAN}
"""Kind of an event's property, by Avro type."""
PASSES = {"int": PASSED_NUMBER, "long": PASSED_NUMBER, "string": PASSED_TEXT, "bytes": PASSED_TEXT}
"""Kind of a skipped field, by Avro type; others are `PASSED`."""
NO_LEAST = frozenset(("null", "record", "fixed", "union"))
"""Types whose values can be empty, or whose minimum size is not worth computing."""
MOST_LAYOUTS = 64
"""Maximum number of key column lists for which the layouts of a schema's rows are cached."""


PLANNED_RECORD = SchemaKind("record", -1, {})
"""Placeholder for a nested record, whose own plan has its fields."""
LEAST = {FLOAT_VALUE: 4, DOUBLE_VALUE: 8, WIDENED_FIELD: 8}
"""Minimum bytes of a value, by codec; others have one."""
_NO_HELPERS: list[Any] = []
"""Shared by all plans without helpers, which are many."""


class PlanCost:
    """Memory of plans: of a whole generation, or of one plan with its nested records.

    Attributes:
        characters: characters of their schemas.
        columns: columns of their layouts.
        whole: the cost that includes this one.
    """

    def __init__(self, whole: PlanCost | None = None, characters: int = 0) -> None:
        self.whole = whole
        self.characters = characters
        self.columns = 0

    def add(self, columns: int) -> None:
        """Adds a layout with this number of columns."""
        self.columns += columns
        if self.whole is not None:
            self.whole.columns += columns


class _FieldOp:
    """Interpreted replacement for the C struct of plans.pxd."""

    __slots__ = ("codec", "column", "field", "null", "scale", "slot", "storage")

    codec: int
    null: int
    column: int
    slot: int
    field: int
    scale: int
    storage: int


class RegisteredImages(LayoutBuilder):
    """Row images of one writer's schema and one list of key columns."""

    def __init__(self, table: TableName, columns: tuple[Column, ...], storages: list[int], digest: int) -> None:
        """
        Args:
            table: table of the rows.
            columns: columns of the rows.
            storages: storage of each column.
            digest: hash of all arguments.
        """
        LayoutBuilder.__init__(self, table, storages, digest)
        j: cython.Py_ssize_t
        self.described = columns
        for j in range(self.width):
            self.marks[j].type = columns[j].type
            self.marks[j].flags = columns[j].flags

    def described_columns(self) -> list[Column]:
        """Name, type and flags of each column."""
        return list(self.described or ())

    def is_like(self, other: RegisteredImages) -> cython.bint:
        """Whether rows of the other layout have the same columns and storages, so that they can be put here."""
        c: cython.int
        if self.described != other.described:
            return False
        for c in range(self.width):
            if self.cells[c].storage != other.cells[c].storage:
                return False
        return True


class RecordPlan:
    """How records of a schema are read.

    Attributes:
        ops: for each field: codec of the column, or another field kind; the union branch that is null, -1: none; its
            column; its slot among the event's properties or the nested records; its field number, for errors; digits
            after the decimal point, or for a nested record the number of its row image, -1: none; storage of the
            column.
        count: number of fields.
        width: number of columns among them.
        has_columns: whether the record itself is a row image.
        known: the table.
        names: names of the fields, for errors.
        columns: columns of the rows, without the handle key flag.
        helpers: for each column, its label numbers or time codec; empty if no column has any.
        types_from: source of the column types; None: the schema states TiDB's types.
        zoned: whether it has times as text in UTC.
        told: whether the event gets `types_from` or a time zone.
        insides: plans of the nested records.
        nests: whether there are nested records.
        flat: whether records are rows without nested records and do not name their table, so that many can be read
            together.
        gathered, group: number of the last run of `ColumnarReader` with this plan, and index of the plan in that run.
        whole_width: number of fields, including those of nested records.
        least: minimum bytes of a record.
        schema_slot, table_slot: slots of the table's names; -1: none.
        schema_field, table_field: their field numbers, for errors.
        schema_name, table_name: the names for which the plan was made, as in those texts.
        time_slot: slot of the time that selects the table's description; -1: none.
        kinds: types of the fields' values, except nested records.
        text: the writer's schema, if plans for single tables are derived from it or its records are not rows; else
            None.
        solid: fields whose values have bytes, if records are read generically; else empty.
        is_connect_message: whether records are not rows, and are read generically.
        id: id of the schema.
        number: the id if it is a number; else -1.
        unknown: what is unknown about columns, each with the column's name.
        changes: change count of the store of descriptions when it was searched.
        first, last: range of commit times for which the table's description applies.
    """

    def __init__(
        self,
        fields: tuple[SchemaField, ...],
        part: RecordPart,
        forms: FieldForms,
        handle_key: int,
        checked: bool,
        known: Table,
        kept: PlanCost,
        slots: Mapping[int, int] | None = None,
        made: dict[Any, RecordPlan] | None = None,
        described: Mapping[str, Sequence[Column]] | None = None,
        column: int = UNREAD,
    ) -> None:
        """
        Args:
            fields: fields of the writer's schema.
            part: static fields of the record.
            forms: how schemas state columns.
            handle_key: flag of handle key columns.
            checked: whether UTF-8 of text is checked.
            known: table of the rows.
            kept: memory of this plan and its nested records.
            slots: slots of the event's properties by field number; None: those of this record.
            made: plans of the nested records of the record around this one.
            described: described columns of the table by name; None: no description.
            column: field number for errors in columns, for nested records without one of their own.

        Raises:
            ValueError: such records cannot be read; a sentence gives the reason.
        """
        unknown: list[str] = []
        if part.has_columns:
            named = [shown(called(one)) for one in fields if one.kind.hollow and not part.knows(one.name)]
            unknown += [f"values of column {one} have no bytes: it is left out" for one in named]
        # a few bytes could encode millions of such values
        fields = tuple([one for one in fields if not one.kind.hollow or part.knows(one.name)])
        self.count = len(fields)
        if cython.compiled:
            self.ops = cython.cast(cython.pointer(FieldOp), PyMem_Calloc(max(self.count, 1), cython.sizeof(FieldOp)))
            if not self.ops:
                raise MemoryError
        else:
            self.ops: list[Any] = [_FieldOp() for _ in fields]
        self.known = known
        self.names = tuple([one.name for one in fields])
        self.handle_key = handle_key
        self.kept = kept
        self.least = 0
        self.insides: list[RecordPlan] = []
        self.kinds: list[SchemaKind] = []
        self.helpers: list[Any] = []
        self.storages: list[int] = []
        self.layouts: dict[Any, RegisteredImages] = {}
        self.last_key: Any = None
        self.last_images: RegisteredImages | None = None
        self.has_columns = part.has_columns
        self.schema_slot = self.table_slot = self.schema_field = self.table_field = self.time_slot = -1
        self.schema_name = self.table_name = b""
        self.text: str | None = None
        self.solid: tuple[SchemaField, ...] = ()
        self.is_connect_message = False
        self.id: Any = None
        self.changes = self.number = -1
        self.first = self.last = 0
        if slots is None:
            told = part.scalars
            slots = {one.field: slot for slot, one in enumerate(told)}
            self.schema_field = next((one.field for one in told if one.tells == "schema"), -1)
            self.schema_slot = slots.get(self.schema_field, -1)
            self.time_slot = next((slots[one.field] for one in told if one.tells == "time"), -1)
            self.table_field = next((one.field for one in told if one.tells == "table"), -1)
            self.table_slot = slots.get(self.table_field, -1)
        plans: dict[Any, RecordPlan] = {} if made is None else made
        read: list[ReadForm] = []
        scalars = {one.name: one for one in part.fields if isinstance(one, ScalarField)}
        inside = {one.name: one for one in part.inside}
        images = part.images
        if part.has_columns:
            column = part.column_field
        seen: set[str] = set()
        i: cython.Py_ssize_t
        for i in range(self.count):
            one = fields[i]
            self.ops[i].null = one.kind.null
            self.ops[i].column = self.ops[i].slot = -1
            self.ops[i].scale = self.ops[i].storage = 0
            self.ops[i].field = column
            inner = inside.get(one.name)
            if inner is not None and one.kind.name == "record":
                asked = (id(one.kind.fields), id(inner.part))
                if asked not in plans:
                    plans[asked] = RecordPlan(
                        one.kind.fields,
                        inner.part,
                        forms,
                        handle_key,
                        checked,
                        known,
                        kept,
                        slots,
                        plans,
                        described,
                        column,
                    )
                plan: RecordPlan = plans[asked]
                self.ops[i].codec = INNER
                if inner.part.has_columns:
                    self.ops[i].field = inner.part.column_field
                self.ops[i].slot = len(self.insides)
                self.ops[i].scale = images.index(inner) if inner in images else -1
                self.insides.append(plan)
                unknown += [one for one in plan.unknown if one not in unknown]
            elif one.name in scalars and not forms.is_column(one):
                said = scalars[one.name]
                if said.field == UNREAD:
                    self.ops[i].codec = PASSES.get(one.kind.name, PASSED)
                else:
                    self.ops[i].field = said.field
                    self.ops[i].codec = scalar_of(one, said)
                    self.ops[i].slot = slots[said.field]
            elif not self.has_columns:
                if inner is not None:
                    raise ValueError(f"the field {shown(one.name)} is {one.kind.name}, where a record is expected")
                self.ops[i].codec = PASSES.get(one.kind.name, PASSED)
            else:
                if self.insides:
                    raise ValueError(
                        f"the field {shown(one.name)} is a column, and stands behind the record with the row before: "
                        "columns come first"
                    )
                form = forms.read(one, described)
                if form.column.name in seen:
                    raise ValueError(f"two fields are the column {shown(form.column.name)}")
                seen.add(form.column.name)
                if form.unknown is not None:
                    unknown.append(form.unknown)
                storage = form.codec.stored(checked)
                self.ops[i].codec = form.codec.number
                self.ops[i].column = len(read)
                self.ops[i].scale = form.scale
                self.ops[i].storage = storage
                self.helpers.append(form.helper)
                self.storages.append(storage)
                read.append(form)
            self.kinds.append(PLANNED_RECORD if self.ops[i].codec == INNER else bare(one.kind))
            if self.ops[i].null >= 0:
                self.least += 1
            elif self.ops[i].codec == INNER:
                plan = self.insides[self.ops[i].slot]
                self.least += plan.least
            elif self.ops[i].codec != PASSED or one.kind.name not in NO_LEAST:
                self.least += LEAST.get(self.ops[i].codec, 1)
        self.columns = tuple([one.column for one in read])
        self.unknown: tuple[str, ...] = tuple(unknown)
        self.width = len(read)
        if self.helpers.count(None) == self.width:
            self.helpers = _NO_HELPERS
        self.nests = len(self.insides) > 0
        self.gathered = self.group = 0
        self.flat = self.has_columns and not self.nests and self.table_slot < 0
        apart = {id(one): one for one in self.insides}.values()
        self.whole_width: int = self.count + sum([one.whole_width for one in apart])
        sources = [*(one.source for one in read), *[one.types_from for one in self.insides]]
        source = next((one for one in sources if one is not None), None)
        self.types_from: str | None = CONNECT if CONNECT in sources else source
        own = any(isinstance(one.codec, TimeField) and isinstance(one.codec.times, ZonedTime) for one in read)
        self.zoned: bool = own or any(one.zoned for one in self.insides)
        self.told: bool = self.zoned or self.types_from is not None

    def __dealloc__(self) -> None:
        if cython.compiled:
            PyMem_Free(self.ops)

    def column_names(self) -> Iterator[str]:
        """Names of the columns."""
        return (one.name for one in self.columns)

    def images_for(self, key: RecordPlan | None) -> RegisteredImages:
        """The row images of this schema for messages whose keys have this schema.

        Args:
            key: plan of the keys; None: there is no key.
        """
        if self.last_images is None or self.last_key is not key:
            self.last_images = self.made_for(key)
            self.last_key = key
        return self.last_images

    def made_for(self, key: RecordPlan | None) -> RegisteredImages:
        """`images_for` without the cache of the last key."""
        found: RegisteredImages | None = self.layouts.get(key)
        i: cython.Py_ssize_t
        if found is None:
            table = self.known.table
            names = frozenset(() if key is None else key.column_names())
            columns = tuple([self._flagged(one, names) for one in self.columns])
            found = RegisteredImages(table, columns, self.storages, hash((table, columns)) & 0x7FFFFFFF)
            for i in range(self.count):
                if self.ops[i].codec == DECIMAL_FIELD:  # made from bytes: always well-formed
                    found.marks[self.ops[i].column].type = 0
            if len(self.layouts) >= MOST_LAYOUTS:
                self.layouts.clear()
            self.layouts[key] = found
            self.kept.add(self.width)
        return found

    def _flagged(self, column: Column, names: frozenset[str]) -> Column:
        """The column, with the handle key flag if the key contains it."""
        return column._replace(flags=column.flags | self.handle_key) if column.name in names else column


@cache
def _primitive(name: str, null: int) -> SchemaKind:
    """A primitive type without further attributes."""
    return SchemaKind(name, null, {})


def bare(kind: SchemaKind) -> SchemaKind:
    """A field's type without unused schema attributes, which would take most of its memory."""
    return _primitive(kind.name, kind.null) if kind.name in PRIMITIVES else kind


def scalar_of(field: SchemaField, said: ScalarField) -> int:
    """The field kind of a property of the event.

    Raises:
        ValueError: the field has another type than expected.
    """
    found = SCALARS.get(field.kind.name)
    wanted = SCALARS[said.type]
    numbers = (NUMBER, SHORT)
    if found is None or (found != wanted and not (found in numbers and wanted in numbers)):
        raise ValueError(f"the field {shown(field.name)} is {field.kind.name}, where {said.type} is expected")
    return found
