"""How records of one writer's schema are read: a list of operations, one for each field in their order.

It is made once for a schema, and walked for each record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tidewire.runtime.batch import Column
from tidewire.runtime.decoding.layout_cache import RowImages, Table
from tidewire.runtime.record.branches import DOUBLE_VALUE, FLOAT_VALUE
from tidewire.runtime.registered.forms import FieldForms, ReadForm
from tidewire.runtime.registered.parts import RecordPart, ScalarField
from tidewire.runtime.registered.schema import SchemaField
from tidewire.runtime.shortened import shown

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if cython.compiled:
    from cython.cimports.cpython.mem import PyMem_Calloc, PyMem_Free
    from cython.cimports.tidewire.runtime.registered.plans import FieldOp

if TYPE_CHECKING:
    from tidewire.runtime.batch import TableName
    from tidewire.runtime.column_types import Declared

INNER, NUMBER, TEXT, BOOLEAN, SHORT = range(5)
"""What a field is that is no column: another image of the row, or something of the event. Codecs of columns have
greater numbers."""
SCALARS = {"int": SHORT, "long": NUMBER, "string": TEXT, "boolean": BOOLEAN}
"""By type of Avro what a field of the event is."""
MOST_LAYOUTS = 64
"""Lists of the columns of keys for which the layouts of a schema's rows are remembered."""


LEAST = {FLOAT_VALUE: 4, DOUBLE_VALUE: 8}
"""Bytes that a value has at least, by codec; others have one."""


class Kept:
    """What the plans of a decoder take up.

    Attributes:
        characters: of the schemas that they are made of.
        columns: of all their layouts.
    """

    def __init__(self) -> None:
        self.characters = self.columns = 0


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


class RegisteredImages(RowImages):
    """Row images of one writer's schema, and of one list of the columns of keys."""

    def __init__(self, table: TableName, columns: tuple[Column, ...], storages: list[int], digest: int) -> None:
        """
        Args:
            table: whose rows they are.
            columns: of the rows.
            storages: what each of them holds.
            digest: a hash of all of it.
        """
        RowImages.__init__(self, table, storages, digest)
        j: cython.Py_ssize_t
        self.described = columns
        for j in range(self.width):
            self.marks[j].type = columns[j].type
            self.marks[j].flags = columns[j].flags

    def described_columns(self) -> list[Column]:
        """Name, type and flags of each column."""
        return list(self.described or ())


class RecordPlan:
    """How records of a schema are read.

    Attributes:
        ops: what is done for each field: the codec of a column, or what else the field is; the branch of its union that
            is null, -1 for none; its column, or its slot among the fields of the event; the number of the field, for
            errors; digits behind the point; what the column holds.
        count: how many fields there are.
        width: how many of them are columns.
        known: the table.
        names: of the fields, for errors.
        forms: of the columns.
        exact: whether the schema says the types of all columns in TiDB's words.
        inner: how the record in the record is read; None where there is none.
        least: the bytes that a record has at least.
    """

    def __init__(
        self,
        fields: tuple[SchemaField, ...],
        part: RecordPart,
        forms: FieldForms,
        declared: Callable[[str], Declared],
        flags: tuple[int, int],
        checked: bool,
        table: TableName,
        kept: Kept,
    ) -> None:
        """
        Args:
            fields: of the writer's schema.
            part: what the record has besides columns.
            forms: what schemas say of columns.
            declared: takes a declared type apart.
            flags: those of a column that can be NULL, and of one of the handle key.
            checked: whether text has to be UTF-8.
            table: whose rows they are.
            kept: what all plans of the decoder take up.

        Raises:
            ValueError: such records cannot be read; a sentence says why.
        """
        self.count = len(fields)
        if cython.compiled:
            self.ops = cython.cast(cython.pointer(FieldOp), PyMem_Calloc(max(self.count, 1), cython.sizeof(FieldOp)))
            if not self.ops:
                raise MemoryError
        else:
            self.ops: list[Any] = [_FieldOp() for _ in fields]
        self.known = Table(table)
        self.names = tuple([one.name for one in fields])
        self.handle_key = flags[1]
        self.kept = kept
        self.least = 0
        self.inner: RecordPlan | None = None
        self.labels: list[Any] = []
        self.storages: list[int] = []
        self.layouts: dict[Any, RegisteredImages] = {}
        self.last_key: Any = None
        self.last_images: RegisteredImages | None = None
        read: list[ReadForm] = []
        slots = {one.name: (slot, one) for slot, one in enumerate(part.scalars)}
        inner = part.inner
        i: cython.Py_ssize_t
        for i in range(self.count):
            one = fields[i]
            self.ops[i].null = one.kind.null
            self.ops[i].column = self.ops[i].slot = -1
            self.ops[i].scale = self.ops[i].storage = 0
            if inner is not None and one.name == inner.name and one.kind.name == "record":
                self.ops[i].codec = INNER
                self.ops[i].field = part.column_field
                self.inner = RecordPlan(one.kind.fields, inner.part, forms, declared, flags, checked, table, kept)
            elif one.name in slots and not forms.is_column(one):
                slot, said = slots[one.name]
                self.ops[i].codec = scalar_of(one, said)
                self.ops[i].slot = slot
                self.ops[i].field = said.field
            else:
                if self.inner is not None:
                    raise ValueError(
                        f"the field {shown(one.name)} is a column, and stands behind the record with the row before: "
                        "columns come first"
                    )
                form = forms.read(one, declared, flags[0])
                storage = form.codec.stored(checked)
                self.ops[i].codec = form.codec.number
                self.ops[i].column = len(read)
                self.ops[i].field = part.column_field
                self.ops[i].scale = form.scale
                self.ops[i].storage = storage
                self.labels.append(form.labels)
                self.storages.append(storage)
                read.append(form)
            if self.ops[i].null < 0 and self.ops[i].codec == INNER:
                self.least += self.inner_plan().least
            else:
                self.least += 1 if self.ops[i].null >= 0 else LEAST.get(self.ops[i].codec, 1)
        self.forms = tuple(read)
        self.width = len(read)
        self.exact = all(one.exact for one in read)

    def __dealloc__(self) -> None:
        if cython.compiled:
            PyMem_Free(self.ops)

    def inner_plan(self) -> RecordPlan:
        """How the record in the record is read, which there is."""
        assert self.inner is not None, "a field that is a record has a plan of its own"
        return self.inner

    def column_names(self) -> Iterator[str]:
        """The names of the columns."""
        return (one.column.name for one in self.forms)

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
        if found is None:
            names = frozenset(() if key is None else key.column_names())
            columns = tuple([self._flagged(one.column, names) for one in self.forms])
            table = self.known.table
            found = RegisteredImages(table, columns, self.storages, hash((table, columns)) & 0x7FFFFFFF)
            if len(self.layouts) >= MOST_LAYOUTS:
                self.layouts.clear()
            self.layouts[key] = found
            self.kept.columns += self.width
        return found

    def _flagged(self, column: Column, names: frozenset[str]) -> Column:
        """A column, with the flag of those that the key has."""
        return column._replace(flags=column.flags | self.handle_key) if column.name in names else column


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
