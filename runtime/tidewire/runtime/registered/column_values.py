"""Reads column values that `RecordReader.read_fields` does not handle itself, and label numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.arrow.storage import UINT
from tidewire.runtime.errors import BATCH, KIND, VALUE, ColumnFull
from tidewire.runtime.record.fields import (
    ANY_FIELD,
    BITS_LITTLE_FIELD,
    BOOLEAN_FIELD,
    CONVERTED_FIELD,
    NATURAL_FIELD,
    SHORT_TIME_FIELD,
    TIME_FIELD,
    TIME_TEXT_FIELD,
    UNSIGNED_BYTES_FIELD,
)
from tidewire.runtime.registered.generic_reader import plain_value
from tidewire.runtime.registered.nested_values import nested_value
from tidewire.runtime.wire.value_codec import RefusedValueError

if TYPE_CHECKING:
    from tidewire.runtime.labels import LabelNumbers
    from tidewire.runtime.record.converted import ConvertedField
    from tidewire.runtime.record.cursor import RecordCursor
    from tidewire.runtime.registered.plans import RecordPlan, RegisteredImages
    from tidewire.runtime.registered.schema import SchemaKind
    from tidewire.runtime.wire.times import TimeConversion

MOST_SHOWN: cython.Py_ssize_t = 16
"""Maximum bytes of a value shown in an error."""


def read_value(
    r: RecordCursor,
    plan: RecordPlan,
    i: cython.int,
    images: RegisteredImages,
    row: cython.Py_ssize_t,
) -> cython.int:
    """Reads a non-null value that `read_fields` does not handle itself, and puts it into its column."""
    c: cython.int = plan.ops[i].column
    field: cython.int = plan.ops[i].field
    codec: cython.int = plan.ops[i].codec
    value: cython.longlong
    if codec == BOOLEAN_FIELD and plan.ops[i].storage == UINT:
        return images.put_uint(c, row, r.boolean(field))
    if codec == BOOLEAN_FIELD:
        return images.put_int(c, row, r.boolean(field))
    if codec == NATURAL_FIELD:
        value = r.varint(field)
        return images.put_uint(c, row, value if cython.compiled else value & 0xFFFFFFFFFFFFFFFF)
    if codec == TIME_FIELD or codec == SHORT_TIME_FIELD or codec == TIME_TEXT_FIELD:
        return read_time(r, plan, i, images, row)
    if codec == UNSIGNED_BYTES_FIELD:
        return read_unsigned(r, images, c, row, field)
    if codec == CONVERTED_FIELD:
        return read_converted(r, plan, i, images, row)
    if codec >= ANY_FIELD:
        return put_nested(r, plan, i, images, row)
    return read_bits(r, images, c, row, codec == BITS_LITTLE_FIELD, field)


def put_label(
    r: RecordCursor,
    plan: RecordPlan,
    c: cython.int,
    images: RegisteredImages,
    row: cython.Py_ssize_t,
    start: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    field: cython.int,
) -> cython.int:
    """Puts the number of the ENUM or SET labels in message[start:start + size] into a column."""
    labels: LabelNumbers = plan.helpers[c]
    try:
        return images.put_uint(c, row, labels.number_of(r.copy(start, start + size)))
    except RefusedValueError as error:
        shown: str = r.copy(start, start + min(size, MOST_SHOWN)).hex()
        return r.refuse(VALUE, field, start, size, f"x'{shown}'", str(error))


def put_nested(
    r: RecordCursor,
    plan: RecordPlan,
    i: cython.int,
    images: RegisteredImages,
    row: cython.Py_ssize_t,
) -> cython.int:
    """Reads an array, record or other nested value, and puts it into its column."""
    field: cython.int = plan.ops[i].field
    start: cython.Py_ssize_t = r.pos
    image: bytes = nested_value(r, plan.kinds[i], plan.ops[i].codec, field)
    try:
        return images.put_image(plan.ops[i].column, row, image)
    except ColumnFull:
        return r.fail(BATCH, field, start, r.pos - start, 0)


def read_time(
    r: RecordCursor,
    plan: RecordPlan,
    i: cython.int,
    images: RegisteredImages,
    row: cython.Py_ssize_t,
) -> cython.int:
    """Reads a date or time, as a number or as text."""
    c: cython.int = plan.ops[i].column
    field: cython.int = plan.ops[i].field
    codec: cython.int = plan.ops[i].codec
    times: TimeConversion = plan.helpers[c]
    start: cython.Py_ssize_t = r.pos
    size: cython.Py_ssize_t
    value: cython.longlong
    try:
        if codec != TIME_TEXT_FIELD:
            value = r.int32(field) if codec == SHORT_TIME_FIELD else r.varint(field)
            return times.place(images, c, row, value)
        size = r.length(field)
        start = r.pos
        r.pos = start + size
        return times.place_text(images, c, row, r.copy(start, r.pos))
    except RefusedValueError as error:
        shown: str = r.copy(start, min(r.pos, start + MOST_SHOWN)).hex()
        return r.refuse(VALUE, field, start, r.pos - start, f"x'{shown}'", str(error))


def read_converted(
    r: RecordCursor,
    plan: RecordPlan,
    i: cython.int,
    images: RegisteredImages,
    row: cython.Py_ssize_t,
) -> cython.int:
    """Reads a value that is converted before it is put into its column."""
    c: cython.int = plan.ops[i].column
    field: cython.int = plan.ops[i].field
    kind: SchemaKind = plan.kinds[i]
    start: cython.Py_ssize_t = r.pos
    size: cython.Py_ssize_t
    value: Any
    if kind.name == "string" or kind.name == "bytes":
        size = r.length(field)
        r.pos += size
        value = r.copy(r.pos - size, r.pos)
    else:
        value = plain_value(r, kind._replace(null=-1), field)
    try:
        converted: ConvertedField = plan.helpers[c]
        return images.put_image(c, row, converted.image(value))
    except RefusedValueError as error:
        shown: str = r.copy(start, min(r.pos, start + MOST_SHOWN)).hex()
        return r.refuse(VALUE, field, start, r.pos - start, f"x'{shown}'", str(error))


def read_bits(
    r: RecordCursor,
    images: RegisteredImages,
    c: cython.int,
    row: cython.Py_ssize_t,
    little: cython.bint,
    field: cython.int,
) -> cython.int:
    """Reads a BIT as up to 8 bytes: big-endian, possibly without leading zero bytes; or little-endian if `little`."""
    size: cython.Py_ssize_t = r.length(field)
    start: cython.Py_ssize_t = r.pos
    k: cython.Py_ssize_t
    value: cython.ulonglong = 0
    if size > 8:
        return r.refuse(KIND, field, start, size, f"{size} bytes", "a BIT, which has 8 at most,")
    for k in range(start, start + size):
        value = (value << 8) | r.p[2 * start + size - 1 - k if little else k]
    r.pos = start + size
    return images.put_uint(c, row, value)


def read_unsigned(
    r: RecordCursor, images: RegisteredImages, c: cython.int, row: cython.Py_ssize_t, field: cython.int
) -> cython.int:
    """Reads an unsigned 64-bit integer in the encoding of a decimal: big-endian two's complement."""
    size: cython.Py_ssize_t = r.length(field)
    start: cython.Py_ssize_t = r.pos
    k: cython.Py_ssize_t
    value: cython.ulonglong = 0
    for k in range(start, start + size):
        if (value >> 56) != 0 or (k == start and r.p[k] >= 0x80):
            shown: str = r.copy(start, start + min(size, MOST_SHOWN)).hex()
            return r.refuse(VALUE, field, start, size, f"x'{shown}'", "it is no number without a sign of 64 bits")
        value = (value << 8) | r.p[k]
    r.pos = start + size
    return images.put_uint(c, row, value)
