"""Writes rows of typed columns as VARIANT objects, the self-describing binary form of Spark, Parquet, Delta and
Iceberg.

Fact source: apache/parquet-format VariantEncoding.md, version 1. Integers take the fewest of 1, 2, 4 or 8 bytes;
unsigned ones above 2^63 - 1 are decimals of scale 0; text is a short string up to 63 bytes, else a string with a 4-byte
length. A field's type thus depends on its value; the column's type must be stored beside the object.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from tidewire.reading.types import VARIANT
from tidewire.runtime import cython
from tidewire.runtime.arrow.column_reader import ColumnReader
from tidewire.runtime.arrow.memory import Memory, Numbers
from tidewire.runtime.arrow.storage import BYTES, FLOAT, INT, NOTHING, RAW_TEXT, TEXT, UINT

if cython.compiled:
    from cython.cimports.libc.string import memcpy
    from cython.cimports.tidewire.runtime.arrow.column_reader import ColumnView

if TYPE_CHECKING:
    from typing import Any

_MOST_INT = 0x7FFFFFFFFFFFFFFF
_STORAGES = {
    pa.null(): NOTHING,
    pa.int64(): INT,
    pa.uint64(): UINT,
    pa.float64(): FLOAT,
    pa.utf8(): TEXT,
    pa.binary(): BYTES,
}
_MOST_BYTES = 0x7FFFFFF0


class Objects:
    """Writes one object for each row of some columns; the column names are its keys."""

    def __init__(
        self, names: Sequence[str], arrays: Sequence[pa.Array], rows: int, text: Mapping[int, pa.Array] | None = None
    ) -> None:
        """Columns with distinct names.

        Args:
            arrays: int64, uint64, float64, utf8, binary or null, `rows` long.
            rows: the number of objects.
            text: for binary columns, by position, that hold text wherever it is UTF-8: a uint64 array, 1 where it is.

        Raises:
            TypeError: an array has another type.
        """
        marked = {} if text is None else text
        keys = [name.encode() for name in names]
        order = sorted(range(len(keys)), key=lambda k: keys[k])  # the fields of an object are sorted by name
        self.rows = rows
        self.width = len(keys)
        self.metadata = dictionary(keys)
        self.id_size = _offset_width(max(len(keys) - 1, 0))
        storages = [RAW_TEXT if k in marked else _storage(arrays[k].type) for k in order]
        self.columns = ColumnReader([arrays[k] for k in order], storages)
        unmarked = pa.nulls(rows)
        self.valid = ColumnReader(
            [marked.get(k, unmarked) for k in order],
            [UINT if k in marked else NOTHING for k in order],
        )
        self.ids = Numbers()
        self.sizes = Numbers()
        self.sizes.take(self.width)
        for k in order:
            self.ids.append(k)
        self.out = Memory(64)

    def struct(self) -> Any:
        """The objects, as a struct array of `VARIANT`.

        Raises:
            ValueError: the objects, or their metadata, exceed 2 GiB.
        """
        row: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        total: cython.Py_ssize_t
        ends: Memory = Memory(4 * (self.rows + 1))
        again: Memory = Memory(4 * (self.rows + 1))
        step: cython.Py_ssize_t = len(self.metadata)
        if self.rows * step > _MOST_BYTES:
            raise ValueError("the names of these rows take up more than 2 GiB: convert fewer rows at once")
        ends.i32[0] = 0
        again.i32[0] = 0
        for row in range(self.rows):
            total = self.size(row)
            if at + total > _MOST_BYTES - 16 * self.width - 16:
                raise ValueError("these rows take up more than 2 GiB: convert fewer rows at once")
            self.out.reserve(at + total + 8 * self.width + 16)
            at = self.write(row, total, at)
            ends.i32[row + 1] = at
            again.i32[row + 1] = (row + 1) * step
        values = [None, pa.py_buffer(ends.data), pa.py_buffer(self.out.data)]
        names = [None, pa.py_buffer(again.data), pa.py_buffer(self.metadata * self.rows)]
        return pa.StructArray.from_arrays(
            [
                pa.Array.from_buffers(pa.binary(), self.rows, values),
                pa.Array.from_buffers(pa.binary(), self.rows, names),
            ],
            fields=list(VARIANT),
        )

    def size(self, row: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The size of a row's values in bytes; that of each value is stored in `sizes`."""
        c: cython.Py_ssize_t
        n: cython.Py_ssize_t
        i: cython.Py_ssize_t
        total: cython.Py_ssize_t = 0
        values: cython.pointer(ColumnView) = self.columns.values  # type: ignore[valid-type]
        for c in range(self.width):
            i = values[c].first + row
            if values[c].nullable and self.columns.null_at(c, row):
                n = 1
            elif values[c].storage >= TEXT:
                n = values[c].ends[i + 1] - values[c].ends[i]
                n += 1 if n < 64 and self.is_text(c, row) else 5
            elif values[c].storage == FLOAT:
                n = 9
            elif values[c].storage == UINT and values[c].u64[i] > _MOST_INT:
                n = 18
            else:
                n = 1 + _int_width(values[c].i64[i])
            self.sizes.i64[c] = n
            total += n
        return total

    def write(self, row: cython.Py_ssize_t, total: cython.Py_ssize_t, at: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Writes a row whose values take `total` bytes. Returns the offset after it."""
        c: cython.Py_ssize_t
        start: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t
        width: cython.int = _offset_width(total)
        values: cython.pointer(ColumnView) = self.columns.values  # type: ignore[valid-type]
        large: cython.bint = self.width > 255
        self.out.u8[at] = 2 | ((1 if large else 0) << 4 | (self.id_size - 1) << 2 | (width - 1)) << 2
        at = self.number(at + 1, self.width, 4 if large else 1)
        for c in range(self.width):
            at = self.number(at, self.ids.i64[c], self.id_size)
        for c in range(self.width):
            at = self.number(at, start, width)
            start += self.sizes.i64[c]
        at = self.number(at, start, width)
        for c in range(self.width):
            i = values[c].first + row
            if values[c].nullable and self.columns.null_at(c, row):
                self.out.u8[at] = 0
                at += 1
            elif values[c].storage >= TEXT:
                at = self.payload(at, c, row, self.is_text(c, row))
            elif values[c].storage == FLOAT:
                self.out.u8[at] = 7 << 2
                at = self.number(at + 1, values[c].u64[i], 8)
            elif values[c].storage == UINT and values[c].u64[i] > _MOST_INT:
                self.out.u8[at] = 10 << 2
                self.out.u8[at + 1] = 0
                at = self.number(at + 2, values[c].u64[i], 8)
                at = self.number(at, 0, 8)
            else:
                at = self.integer(at, values[c].i64[i])
        return at

    def is_text(self, c: cython.Py_ssize_t, row: cython.Py_ssize_t) -> cython.bint:
        """Whether a variable-width value is a string (otherwise binary)."""
        if self.columns.values[c].storage == RAW_TEXT:
            return self.valid.uint_at(c, row) == 1
        return self.columns.values[c].storage == TEXT

    def number(self, at: cython.Py_ssize_t, bits: cython.ulonglong, width: cython.int) -> cython.Py_ssize_t:
        """Writes the low `width` bytes of a number, little-endian."""
        k: cython.int
        for k in range(width):
            self.out.u8[at + k] = bits & 0xFF
            bits >>= 8
        return at + width

    def integer(self, at: cython.Py_ssize_t, value: cython.longlong) -> cython.Py_ssize_t:
        """Writes an int8, int16, int32 or int64."""
        width: cython.int = _int_width(value)
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        self.out.u8[at] = (3 if width == 1 else 4 if width == 2 else 5 if width == 4 else 6) << 2
        return self.number(at + 1, value & mask, width)

    def payload(
        self, at: cython.Py_ssize_t, c: cython.Py_ssize_t, row: cython.Py_ssize_t, text: cython.bint
    ) -> cython.Py_ssize_t:
        """Writes a string or binary."""
        i: cython.Py_ssize_t = self.columns.values[c].first + row
        start: cython.Py_ssize_t = self.columns.values[c].ends[i]
        n: cython.Py_ssize_t = self.columns.values[c].ends[i + 1] - start
        if text and n < 64:
            self.out.u8[at] = 1 | n << 2
            at += 1
        else:
            self.out.u8[at] = (16 if text else 15) << 2
            at = self.number(at + 1, n, 4)
        if cython.compiled:
            if n:
                memcpy(self.out.u8 + at, self.columns.values[c].data + start, n)
        else:
            self.out.u8[at : at + n] = self.columns.values[c].data[start : start + n]
        return at + n


def dictionary(keys: Sequence[bytes]) -> bytes:
    """The metadata of objects with these keys (UTF-8), numbered in this order."""
    total = sum(map(len, keys))
    width = _offset_width(max(total, len(keys)))
    out = bytearray([1 | (width - 1) << 6]) + len(keys).to_bytes(width, "little")
    at = 0
    out += at.to_bytes(width, "little")
    for key in keys:
        at += len(key)
        out += at.to_bytes(width, "little")
    return bytes(out) + b"".join(keys)


def _storage(kind: pa.DataType) -> int:
    """The storage by which a column of an Arrow type is read."""
    found = _STORAGES.get(kind)
    if found is None:
        raise TypeError(f"fields of objects have the Arrow types {', '.join(map(str, _STORAGES))}, not {kind}")
    return found


def _int_width(value: cython.longlong) -> cython.int:
    """The width in bytes of the narrowest integer type that holds the value."""
    if -0x80 <= value <= 0x7F:
        return 1
    if -0x8000 <= value <= 0x7FFF:
        return 2
    if -0x80000000 <= value <= 0x7FFFFFFF:
        return 4
    return 8


def _offset_width(value: cython.Py_ssize_t) -> cython.int:
    """The width in bytes of an unsigned number: 1 to 4."""
    if value <= 0xFF:
        return 1
    if value <= 0xFFFF:
        return 2
    return 3 if value <= 0xFFFFFF else 4
