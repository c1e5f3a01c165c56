"""Row images as the fields of records: what is known of each field, and the values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tidewire.runtime.encoding.checks import column_source
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.labels import LabelNumbers
from tidewire.runtime.record.fields import LABEL_FIELD as LABEL
from tidewire.runtime.record.fields import LABELS_FIELD as LABELS

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if cython.compiled:
    from cython.cimports.cpython.mem import PyMem_Calloc, PyMem_Free
    from cython.cimports.tidewire.runtime.arrow.storage_numbers import INT, TEXT
    from cython.cimports.tidewire.runtime.record.branch_numbers import (
        DOUBLE_VALUE,
        FLOAT_VALUE,
        LONG_VALUE,
        STRING_VALUE,
    )
    from cython.cimports.tidewire.runtime.record.decimals import write_decimal
    from cython.cimports.tidewire.runtime.record.field_numbers import (
        BITS_TRIMMED_FIELD,
        BITS_WHOLE_FIELD,
        DECIMAL_FIELD,
        INT_FIELD,
        LABEL_FIELD,
        LABELS_FIELD,
    )
    from cython.cimports.tidewire.runtime.registered.written import WriteOp
else:
    from tidewire.runtime.arrow.storage import INT, TEXT
    from tidewire.runtime.record.branches import DOUBLE_VALUE, FLOAT_VALUE, LONG_VALUE, STRING_VALUE
    from tidewire.runtime.record.decimals import write_decimal
    from tidewire.runtime.record.fields import (
        BITS_TRIMMED_FIELD,
        BITS_WHOLE_FIELD,
        DECIMAL_FIELD,
        INT_FIELD,
        LABEL_FIELD,
        LABELS_FIELD,
    )

if TYPE_CHECKING:
    from tidewire.runtime.batch import Layout
    from tidewire.runtime.record.sink import RecordSink
    from tidewire.runtime.registered.derived import WrittenField


class _WriteOp:
    """Stands for the C struct of written.pxd when interpreted."""

    __slots__ = ("codec", "null", "nullable", "scale", "size", "source")

    codec: int
    source: int
    null: int
    scale: int
    size: int
    nullable: bool


class WrittenFields:
    """How the columns of a table are written: the same for all rows of a layout.

    Attributes:
        ops: of each field its codec; the position of its values among those that are read, -1 for a column that rows
            lack; the branch of null, as it is written; digits behind the point, or bytes; whether it can be null.
        width: how many there are.
        fields: the same in words.
        chosen: the columns of the rows that are read, by position.
        storages: what these hold.
        head: what stands before each record: the id of its schema.
        names: the names of the fields, by which another image's are compared.
    """

    def __init__(self, protocol: str, fields: Sequence[WrittenField], head: bytes) -> None:
        """
        Args:
            protocol: for errors.
            fields: in their order.
            head: what stands before each record.
        """
        i: cython.Py_ssize_t
        self.protocol = protocol
        self.fields = tuple(fields)
        self.width = len(self.fields)
        self.head = head
        self.names = tuple([(one.column.name, one.schema) for one in self.fields])
        self.chosen: list[int] = []
        self.storages: list[int] = []
        self.labels: list[Any] = []
        if cython.compiled:
            self.ops = cython.cast(cython.pointer(WriteOp), PyMem_Calloc(max(self.width, 1), cython.sizeof(WriteOp)))
            if not self.ops:
                raise MemoryError
        else:
            self.ops: list[Any] = [_WriteOp() for _ in self.fields]
        for i in range(self.width):
            one = self.fields[i]
            codec = one.form.codec
            self.ops[i].codec = codec.number
            self.ops[i].null = 2 * max(one.null, 0)
            self.ops[i].nullable = one.null >= 0
            self.ops[i].scale = one.facts.scale or 0
            self.ops[i].size = ((one.facts.length or 64) + 7) // 8
            self.ops[i].source = -1
            has_labels = codec.number == LABEL or codec.number == LABELS
            self.labels.append(LabelNumbers(codec.number == LABELS, one.facts.labels) if has_labels else None)
            if one.source >= 0:
                self.ops[i].source = len(self.chosen)
                self.chosen.append(one.source)
                self.storages.append(codec.stored(False))

    def __dealloc__(self) -> None:
        if cython.compiled:
            PyMem_Free(self.ops)


class RegisteredRows:
    """The row images of a layout, ready to be written.

    Attributes:
        fields: how they are written.
        head: what stands before each record.
    """

    def __init__(self, fields: WrittenFields, layout: Layout) -> None:
        """
        Args:
            fields: of columns of this layout.
            layout: the row images.

        Raises:
            EncodeError: values are not what their column's type stores.
        """
        self.fields = fields
        self.head = fields.head
        self.source = column_source(fields.protocol, layout, fields.chosen, fields.storages)

    def write(self, s: RecordSink, row: cython.Py_ssize_t) -> cython.int:
        """The fields of a row.

        Raises:
            EncodeError: a value is none that its field can have.
        """
        fields: WrittenFields = self.fields
        i: cython.int
        c: cython.int
        null: cython.bint
        for i in range(fields.width):
            c = fields.ops[i].source
            null = c < 0 or self.source.null_at(c, row)
            if fields.ops[i].nullable:
                s.reserve(s.pos + 1)
                s.u8[s.pos] = fields.ops[i].null if null else 2 - fields.ops[i].null
                s.pos += 1
                if null:
                    continue
            elif null:
                self.refuse(i, "it is NULL, and the column is NOT NULL: flag it as nullable, or describe its table")
            self.write_value(s, i, row)
        return 0

    def write_value(self, s: RecordSink, i: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """A value that is not null."""
        c: cython.int = self.fields.ops[i].source
        codec: cython.int = self.fields.ops[i].codec
        at: cython.Py_ssize_t = self.source.values[c].first + row
        value: cython.double
        if codec == LONG_VALUE:
            if self.source.values[c].storage == INT:
                return s.integer(self.source.values[c].i64[at])
            return s.wrapped(self.source.values[c].u64[at])
        if codec == INT_FIELD:
            number: cython.longlong = self.source.values[c].i64[at]
            least: cython.longlong = -2147483648 if self.source.values[c].storage == INT else 0
            if number > 2147483647 or number < least:
                return self.refuse(i, "it is no number of 32 bits, as the values of its type are")
            return s.integer(number)
        if codec == STRING_VALUE and self.source.values[c].storage < TEXT:
            return s.digits(self.source.values[c].u64[at])
        if codec == DOUBLE_VALUE:
            return s.float64(self.source.values[c].f64[at])
        if codec == FLOAT_VALUE:
            value = self.source.values[c].f64[at]
            if s.single(value):
                return 0
            return self.refuse(i, f"{value} is no 32-bit float, as the values of its type are")
        try:
            if codec == DECIMAL_FIELD:
                return write_decimal(s, self.source, c, row, self.fields.ops[i].scale)
            if codec == LABEL_FIELD or codec == LABELS_FIELD:
                labels: LabelNumbers = self.fields.labels[i]
                label: bytes = labels.text_of(self.source.uint_at(c, row))
                if codec == LABEL_FIELD and self.source.uint_at(c, row) == 0:
                    return self.refuse(i, "it is 0, the invalid value of an ENUM, which has no label")
                s.integer(len(label))
                return s.raw(label)
        except ValueError as error:
            if isinstance(error, EncodeError):
                raise
            return self.refuse(i, str(error))
        if codec == BITS_TRIMMED_FIELD or codec == BITS_WHOLE_FIELD:
            return self.write_bits(s, i, self.source.values[c].u64[at])
        return s.text_of(self.source, c, row)

    def write_bits(self, s: RecordSink, i: cython.int, value: cython.ulonglong) -> cython.int:
        """Bits as bytes, the highest first: as many as it takes, one at least, or as many as the column has."""
        size: cython.int = self.fields.ops[i].size if self.fields.ops[i].codec == BITS_WHOLE_FIELD else 1
        k: cython.int
        while size < 8 and value >> (8 * size):
            size += 1
        if size > self.fields.ops[i].size:
            return self.refuse(i, f"{value} has more bits than the column")
        s.reserve(s.pos + size + 1)
        s.u8[s.pos] = 2 * size
        for k in range(size):
            s.u8[s.pos + 1 + k] = (value >> (8 * (size - 1 - k))) & 0xFF
        s.pos += size + 1
        return 0

    def refuse(self, i: cython.int, reason: str) -> cython.int:
        """Raises the error of a value of a field."""
        raise EncodeError(self.fields.protocol, None, self.fields.fields[i].column.name, reason)
