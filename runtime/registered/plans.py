"""How records of one writer's schema are read: a list of operations, one for each field in their order.

It is made once for a schema, and walked for each record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.batch import Column
from tidewire.runtime.connect.resolving import CONNECT
from tidewire.runtime.decoding.layout_cache import LayoutBuilder, Table
from tidewire.runtime.json.connect_times import ZonedTime
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

if cython.compiled:
    from cython.cimports.cpython.mem import PyMem_Calloc, PyMem_Free
    from cython.cimports.tidewire.runtime.registered.plans import FieldOp

if TYPE_CHECKING:
    from tidewire.runtime.batch import TableName

SCALARS = {"int": SHORT, "long": NUMBER, "string": TEXT, "boolean": BOOLEAN}
"""By type of Avro what a field of the event is."""
PASSES = {"int": PASSED_NUMBER, "long": PASSED_NUMBER, "string": PASSED_TEXT, "bytes": PASSED_TEXT}
"""By type of Avro how a field is passed; others are `PASSED`."""
NO_LEAST = frozenset(("null", "record", "fixed", "union"))
"""Types whose values can have no bytes, or of which it is not worth knowing."""
MOST_LAYOUTS = 64
"""Lists of the columns of keys for which the layouts of a schema's rows are remembered."""


PLANNED_RECORD = SchemaKind("record", -1, {})
"""Stands for a record inside: its plan says what is in it."""
LEAST = {FLOAT_VALUE: 4, DOUBLE_VALUE: 8, WIDENED_FIELD: 8}
"""Bytes that a value has at least, by codec; others have one."""
_NO_HELPERS: list[Any] = []
"""Of all plans that have none: there are many of them."""


class PlanCost:
    """What plans take up: all those of a generation, or one with those of the records in it.

    Attributes:
        characters: of the schemas that they are made of.
        columns: of all their layouts.
        whole: what this one is a part of.
    """

    def __init__(self, whole: PlanCost | None = None, characters: int = 0) -> None:
        self.whole = whole
        self.characters = characters
        self.columns = 0

    def add(self, columns: int) -> None:
        """A layout of so many columns has been made."""
        self.columns += columns
        if self.whole is not None:
            self.whole.columns += columns


class _FieldOp:
    """Stands for the C struct of plans.pxd when interpreted."""

    __slots__ = ("codec", "column", "field", "null", "scale", "slot", "storage")

    codec: int
    null: int
    column: int
    slot: int
    field: int
    scale: int
    storage: int


class RegisteredImages(LayoutBuilder):
    """Row images of one writer's schema, and of one list of the columns of keys."""

    def __init__(self, table: TableName, columns: tuple[Column, ...], storages: list[int], digest: int) -> None:
        """
        Args:
            table: whose rows they are.
            columns: of the rows.
            storages: what each of them holds.
            digest: a hash of all of it.
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
        """Whether rows of the other one have the same columns, held the same way, so that they can lie here."""
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
        ops: what is done for each field: the codec of a column, or what else the field is; the branch of its union that
            is null, -1 for none; its column; its slot among the fields of the event, or among the records inside; the
            number of the field, for errors; digits behind the point, or which row image a record inside is, -1 for
            none; what the column holds.
        count: how many fields there are.
        width: how many of them are columns.
        has_columns: whether the record is itself a row image.
        known: the table.
        names: of the fields, for errors.
        columns: those of its rows, without the flag of those that the key has.
        helpers: for each column the numbers of its labels or the form of its times; empty where no column has any.
        types_from: by what the types of columns are known; None: the schema says all in TiDB's words.
        zoned: whether it has texts of times in UTC.
        told: whether the event says one of these two.
        insides: how the records in the record are read.
        nests: whether there are any.
        flat: whether its records are rows with nothing inside, and do not name their table: many can be read together.
        gathered, group: its place among the plans of messages that are read together, and when it got it.
        whole_width: how many columns it has, those of records in it among them, and other fields.
        least: the bytes that a record has at least.
        schema_slot, table_slot: the slots of the texts that are the names of the table; -1: there are none.
        schema_field, table_field: the numbers of their fields, for errors.
        schema_name, table_name: the names that the plan knows, as those texts have them.
        time_slot: the slot of the time by which the table's description is chosen; -1: there is none.
        kinds: what the values of the fields are; nothing is said here of records inside.
        text: the writer's schema, where plans of single tables are made of it, or its records are of no row; None
            otherwise.
        solid: the fields whose values have bytes, where records are read as those of no row are; else none.
        is_connect_message: whether its records are of no row, and are read otherwise.
        id: of the schema.
        number: the same where it is a number, and -1 otherwise.
        unknown: what of columns is not known, each with the column's name.
        changes: of the store of descriptions, before it was asked.
        first, last: the times at which the table is described as the plan has it.
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
            fields: of the writer's schema.
            part: what the record has besides columns.
            forms: what schemas say of columns.
            handle_key: the flag of a column of the handle key.
            checked: whether text has to be UTF-8.
            known: the table whose rows they are.
            kept: what this plan takes up, with those of the records in it.
            slots: of the fields of the event, by their numbers; None: they are those of this record.
            made: the plans of records in the record that holds this one.
            described: by name the columns of the table, as somebody has described them; None: nobody has.
            column: the number of the field of a column, for errors in fields that have none, of a record in a record.

        Raises:
            ValueError: such records cannot be read; a sentence says why.
        """
        unknown: list[str] = []
        if part.has_columns:
            named = [shown(called(one)) for one in fields if one.kind.hollow and not part.knows(one.name)]
            unknown += [f"values of column {one} have no bytes: it is left out" for one in named]
        # a few bytes could say millions of their values
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
        """The names of the columns."""
        return (one.name for one in self.columns)

    def images_for(self, key: RecordPlan | None) -> RegisteredImages:
        """The row images of this schema beside keys of a schema.

        Args:
            key: how these are read; None: there is no key.
        """
        if self.last_images is None or self.last_key is not key:
            self.last_images = self.made_for(key)
            self.last_key = key
        return self.last_images

    def made_for(self, key: RecordPlan | None) -> RegisteredImages:
        """`images_for` for another key than that of the record before."""
        found: RegisteredImages | None = self.layouts.get(key)
        i: cython.Py_ssize_t
        if found is None:
            table = self.known.table
            names = frozenset(() if key is None else key.column_names())
            columns = tuple([self._flagged(one, names) for one in self.columns])
            found = RegisteredImages(table, columns, self.storages, hash((table, columns)) & 0x7FFFFFFF)
            for i in range(self.count):
                if self.ops[i].codec == DECIMAL_FIELD:  # made of bytes, in the one spelling: nobody has to look
                    found.marks[self.ops[i].column].type = 0
            if len(self.layouts) >= MOST_LAYOUTS:
                self.layouts.clear()
            self.layouts[key] = found
            self.kept.add(self.width)
        return found

    def _flagged(self, column: Column, names: frozenset[str]) -> Column:
        """A column, with the flag of those that the key has."""
        return column._replace(flags=column.flags | self.handle_key) if column.name in names else column


@cache
def _primitive(name: str, null: int) -> SchemaKind:
    """A primitive type, of which nothing else is said."""
    return SchemaKind(name, null, {})


def bare(kind: SchemaKind) -> SchemaKind:
    """What the values of a field are: the rest of what a schema says of primitive types takes up most of its memory."""
    return _primitive(kind.name, kind.null) if kind.name in PRIMITIVES else kind


def scalar_of(field: SchemaField, said: ScalarField) -> int:
    """What a field of the event is.

    Raises:
        ValueError: its values are of another type than they should be.
    """
    found = SCALARS.get(field.kind.name)
    wanted = SCALARS[said.type]
    numbers = (NUMBER, SHORT)
    if found is None or (found != wanted and not (found in numbers and wanted in numbers)):
        raise ValueError(f"the field {shown(field.name)} is {field.kind.name}, where {said.type} is expected")
    return found
