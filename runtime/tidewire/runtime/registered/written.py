"""Writes row images as fields of records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.arrow.storage import INT
from tidewire.runtime.encoding.checks import column_source
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.labels import LabelNumbers
from tidewire.runtime.record.decimals import write_decimal
from tidewire.runtime.record.fields import (
    BITS_LITTLE_FIELD,
    BITS_TRIMMED_FIELD,
    BITS_WHOLE_FIELD,
    BOOLEAN_FIELD,
    DECIMAL_FIELD,
    INT_FIELD,
    LABEL_FIELD,
    LABEL_OR_NOTHING_FIELD,
    LABELS_FIELD,
    NATURAL_FIELD,
    SHORT_TIME_FIELD,
    TIME_FIELD,
    TIME_TEXT_FIELD,
    WIDENED_FIELD,
    TimeField,
)
from tidewire.runtime.record.fields import LABELS_FIELD as LABELS
from tidewire.runtime.record.sink import string_bytes
from tidewire.runtime.registered.schema_types import LABELLED
from tidewire.runtime.wire.times import NO_TIME

if cython.compiled:
    from cython.cimports.cpython.mem import PyMem_Calloc, PyMem_Free
    from cython.cimports.tidewire.runtime.registered.written import WriteOp

if TYPE_CHECKING:
    from tidewire.runtime.batch import Layout
    from tidewire.runtime.record.sink import RecordSink
    from tidewire.runtime.registered.schema_builder import WrittenField
    from tidewire.runtime.wire.times import TimeConversion


class _WriteOp:
    """Interpreted replacement for the C struct of written.pxd."""

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
        ops: for each field: its codec; its index in the source columns, -1 for a column that rows lack; the encoded
            number of the null branch; digits after the decimal point, or bytes; whether it is nullable.
        width: number of fields.
        fields: the fields as `WrittenField`.
        chosen: positions of the source columns in the rows.
        storages: storages of these.
        head: bytes before each record: the id of its schema.
        schema_text, table_text: encoded names of schema and table.
        null_defaults: for each field, the bytes written for NULL after the union branch; None: null is written.
        times: for each field, its time codec.
        names: names and schemas of the fields, for comparing images.
    """

    def __init__(
        self, protocol: str, fields: Sequence[WrittenField], head: bytes, names: tuple[str, str] = ("", "")
    ) -> None:
        """
        Args:
            protocol: name of the protocol, for errors.
            fields: the fields in order.
            head: bytes before each record.
            names: names of schema and table.
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
        self.schema_text, self.table_text = map(string_bytes, names)
        self.null_defaults = [one.filling for one in self.fields]
        self.times: list[Any] = []
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
            has_labels = codec.number in LABELLED
            self.labels.append(LabelNumbers(codec.number == LABELS, one.facts.labels) if has_labels else None)
            times = codec.for_column(one.facts).times if isinstance(codec, TimeField) else None
            self.times.append(times)
            if one.source >= 0:
                self.ops[i].source = len(self.chosen)
                self.chosen.append(one.source)
                self.storages.append(codec.stored(False))

    def __dealloc__(self) -> None:
        if cython.compiled:
            PyMem_Free(self.ops)


class RegisteredRows:
    """The row images of a layout, prepared for writing.

    Attributes:
        fields: how they are written.
        head: bytes before each record.
        schema_text, table_text: encoded names of schema and table.
        zone: time zone of the TIMESTAMP texts; empty: UTC.
    """

    def __init__(self, fields: WrittenFields, layout: Layout) -> None:
        """
        Args:
            fields: fields for the columns of this layout.
            layout: the row images.

        Raises:
            EncodeError: a column's storage does not match its type.
        """
        self.fields = fields
        self.head = fields.head
        self.schema_text = fields.schema_text
        self.table_text = fields.table_text
        self.zone = ""
        self.source = column_source(fields.protocol, layout, fields.chosen, fields.storages)

    def write(self, s: RecordSink, row: cython.Py_ssize_t) -> cython.int:
        """Writes the fields of a row.

        Raises:
            EncodeError: a value does not fit its field.
        """
        fields: WrittenFields = self.fields
        i: cython.int
        c: cython.int
        codec: cython.int
        null: cython.bint
        try:
            for i in range(fields.width):
                c = fields.ops[i].source
                null = c < 0 or self.source.null_at(c, row)
                codec = fields.ops[i].codec
                if codec == TIME_FIELD or codec == SHORT_TIME_FIELD or codec == TIME_TEXT_FIELD:
                    self.write_time(s, i, row, null)
                    continue
                if null:
                    image: bytes | None = fields.null_defaults[i]
                    if image is not None:
                        s.varint(1 - fields.ops[i].null // 2)
                        s.raw(image)
                        continue
                if fields.ops[i].nullable:
                    s.reserve(s.pos + 1)
                    s.u8[s.pos] = fields.ops[i].null if null else 2 - fields.ops[i].null
                    s.pos += 1
                    if null:
                        continue
                elif null:
                    self.refuse(i, "it is NULL, and the column is NOT NULL: flag it as nullable, or describe its table")
                self.write_value(s, i, row)
        except EncodeError:
            raise
        except ValueError as error:
            return self.refuse(i, str(error))
        return 0

    def write_time(self, s: RecordSink, i: cython.int, row: cython.Py_ssize_t, null: cython.bint) -> cython.int:
        """Writes a date or time as a number or text, in a union with null.

        Args:
            i: field.
            row: row in the layout.
            null: whether the value is NULL.
        """
        fields: WrittenFields = self.fields
        times: TimeConversion = fields.times[i]
        codec: cython.int = fields.ops[i].codec
        c: cython.int = fields.ops[i].source
        text: bytes
        value: cython.longlong
        if null:
            image: bytes | None = fields.null_defaults[i]
            if image is None:
                return s.varint(0)
            s.varint(1)
            if codec != TIME_TEXT_FIELD:
                return s.raw(image)
            text = times.spelled(image, self.zone)
        elif codec == TIME_TEXT_FIELD:
            s.varint(1)
            text = times.spelled(self.source.binary(c, row), self.zone)
        else:
            value = times.moment(self.source, c, row)
            if value == NO_TIME and times.nullable:
                return s.varint(0)
            s.varint(1)
            return s.varint(0 if value == NO_TIME else value)
        s.varint(len(text))
        return s.raw(text)

    def write_value(self, s: RecordSink, i: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """Writes a non-null value."""
        c: cython.int = self.fields.ops[i].source
        codec: cython.int = self.fields.ops[i].codec
        at: cython.Py_ssize_t = self.source.values[c].first + row
        value: cython.double
        if codec < INT_FIELD:  # as in the branches of a union
            return s.value_of(self.source, c, row, codec)
        if codec == INT_FIELD:
            number: cython.longlong = self.source.values[c].i64[at]
            least: cython.longlong = -2147483648 if self.source.values[c].storage == INT else 0
            if number > 2147483647 or number < least:
                return self.refuse(i, "it is no number of 32 bits, as the values of its type are")
            return s.varint(number)
        if codec == WIDENED_FIELD:
            value = self.source.values[c].f64[at]
            if s.single(value):  # writes 32 bits, if the value is exactly a float32
                return s.widen()
            return self.refuse(i, f"{value} is no 32-bit float, as the values of its type are")
        if codec == NATURAL_FIELD:
            if self.source.values[c].u64[at] >> 63:
                return self.refuse(
                    i, f"{self.source.values[c].u64[at]} is more than a long of Avro has room for: write it as a text"
                )
            return s.varint(self.source.values[c].u64[at])
        if codec == BOOLEAN_FIELD:
            if self.source.values[c].u64[at] > 1:
                return self.refuse(i, f"a BIT(1) is 0 or 1, not {self.source.values[c].u64[at]}")
            return s.boolean(self.source.values[c].u64[at] != 0)
        if codec == DECIMAL_FIELD:
            return write_decimal(s, self.source, c, row, self.fields.ops[i].scale)
        if codec == LABEL_FIELD or codec == LABELS_FIELD or codec == LABEL_OR_NOTHING_FIELD:
            labels: LabelNumbers = self.fields.labels[i]
            label: bytes = labels.text_of(self.source.uint_at(c, row))
            if codec == LABEL_FIELD and self.source.uint_at(c, row) == 0:
                return self.refuse(i, "it is 0, the invalid value of an ENUM, which has no label")
            s.varint(len(label))
            return s.raw(label)
        if codec == BITS_TRIMMED_FIELD or codec == BITS_WHOLE_FIELD or codec == BITS_LITTLE_FIELD:
            return self.write_bits(s, i, self.source.values[c].u64[at])
        return s.value_of(self.source, c, row, codec)

    def write_bits(self, s: RecordSink, i: cython.int, value: cython.ulonglong) -> cython.int:
        """Writes a BIT as bytes, big-endian: the minimum number, at least one, or as many as the column has; or
        little-endian.
        """
        codec: cython.int = self.fields.ops[i].codec
        size: cython.int = 1 if codec == BITS_TRIMMED_FIELD else self.fields.ops[i].size
        k: cython.int
        while size < 8 and value >> (8 * size):
            size += 1
        if size > self.fields.ops[i].size:
            return self.refuse(i, f"{value} has more bits than the column")
        s.reserve(s.pos + size + 1)
        s.u8[s.pos] = 2 * size
        for k in range(size):
            s.u8[s.pos + 1 + k] = (value >> (8 * (k if codec == BITS_LITTLE_FIELD else size - 1 - k))) & 0xFF
        s.pos += size + 1
        return 0

    def refuse(self, i: cython.int, reason: str) -> cython.int:
        """Raises the error of a field's value."""
        raise EncodeError(self.fields.protocol, None, self.fields.fields[i].column.name, reason)
