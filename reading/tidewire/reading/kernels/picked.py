"""Columns of a layout as columns of a frame: rows in the frame's order, values in Spark's types, in one pass.

This is for columns in which every value fits, as in nearly all. Otherwise the result is None instead of a column, which
is then converted step by step by `tidewire.reading.typed`, which reports what is wrong where. In interpreted code
Arrow's functions are faster than these loops; tests compare the two.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from tidewire.runtime import cython
from tidewire.runtime.arrow.bitmaps import bitmap_of, count_nulls
from tidewire.runtime.arrow.column_reader import ColumnReader
from tidewire.runtime.arrow.memory import Memory
from tidewire.runtime.arrow.storage import UINT

if cython.compiled:
    from cython.cimports.libc.string import memcpy

PICKS: Final = bool(cython.compiled)
"""Whether columns are made in this way."""
_MOST_BYTES: cython.longlong = 0x7FFFFFFF


class Picked:
    """Rows of a layout."""

    def __init__(self, source: ColumnReader, rows: pa.Array) -> None:
        """
        Args:
            source: columns of the layout.
            rows: int32, without nulls: which of its rows, in the order of the frame.
        """
        self.source = source
        self.rows = rows
        self.count = len(rows)
        if cython.compiled:
            self.at = cython.cast(
                cython.pointer(cython.const[cython.int]), cython.cast(cython.size_t, rows.buffers()[1].address)
            )
            self.at += cython.cast(cython.Py_ssize_t, rows.offset)
        else:
            self.at = memoryview(rows.buffers()[1]).cast("B").cast("i")[rows.offset :] if self.count else []

    def integers(self, c: cython.int, low: cython.longlong, high: cython.longlong, kind: pa.DataType) -> pa.Array:
        """Whole numbers from low to high, as an integer type."""
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t
        v: cython.longlong
        first: cython.Py_ssize_t = self.source.values[c].first
        nullable: cython.bint = self.source.values[c].nullable
        unsigned: cython.bint = self.source.values[c].storage == UINT
        width: cython.int = kind.bit_width // 8
        out: Memory = Memory(width * self.count)
        shorts = cython.cast(cython.pointer(cython.short), out.u8) if cython.compiled else out.u8.cast("h")
        for k in range(self.count):
            i = self.at[k]
            if nullable and self.source.null_at(c, i):
                v = 0
            else:
                v = self.source.values[c].i64[first + i]
                # a negative signed number, or an unsigned one beyond the signed range
                if v > high or v < (0 if unsigned else low):
                    return None
            if width == 8:
                out.i64[k] = v
            elif width == 4:
                out.i32[k] = v
            elif width == 2:
                shorts[k] = v
            else:
                out.u8[k] = v & 0xFF
        return self.finish(out, c, kind)

    def floats(self, c: cython.int, single: cython.bint, kind: pa.DataType) -> pa.Array:
        """Floating-point numbers.

        Args:
            c: the column.
            single: whether all must be finite 32-bit floats.
            kind: float32 (only together with `single`), or float64.
        """
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t
        v: cython.double
        first: cython.Py_ssize_t = self.source.values[c].first
        nullable: cython.bint = self.source.values[c].nullable
        narrow: cython.bint = kind.bit_width == 32
        out: Memory = Memory((4 if narrow else 8) * self.count)
        halves = cython.cast(cython.pointer(cython.float), out.u8) if cython.compiled else out.u8.cast("f")
        one: Memory = Memory(4)
        near = cython.cast(cython.pointer(cython.float), one.u8) if cython.compiled else one.u8.cast("f")
        for k in range(self.count):
            i = self.at[k]
            v = 0
            if not (nullable and self.source.null_at(c, i)):
                v = self.source.values[c].f64[first + i]
            if single:
                near[0] = v
                # the difference of infinities, or of NaN, is NaN
                if near[0] != v or near[0] - near[0] != 0:
                    return None
            if narrow:
                halves[k] = v
            else:
                out.f64[k] = v
        return self.finish(out, c, kind)

    def copied(self, c: cython.int, kind: pa.DataType) -> pa.Array:
        """Texts or bytes as they are."""
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t
        size: cython.longlong = 0
        first: cython.Py_ssize_t = self.source.values[c].first
        nullable: cython.bint = self.source.values[c].nullable
        ends: Memory = Memory(4 * (self.count + 1))
        ends.i32[0] = 0
        if self.count == 0:
            return self.finish(Memory(0), c, kind, ends)
        given = self.source.values[c].ends
        data = self.source.values[c].data
        for k in range(self.count):
            i = first + self.at[k]
            if not (nullable and self.source.null_at(c, self.at[k])):
                size += given[i + 1] - given[i]
                if size > _MOST_BYTES:
                    return None
            ends.i32[k + 1] = size
        out: Memory = Memory(size)
        for k in range(self.count):
            size = ends.i32[k + 1] - ends.i32[k]
            i = given[first + self.at[k]]
            if cython.compiled:
                memcpy(out.u8 + ends.i32[k], data + i, size)
            else:
                out.u8[ends.i32[k] : ends.i32[k + 1]] = data[i : i + size]
        return self.finish(out, c, kind, ends)

    def finish(self, values: Memory, c: cython.int, kind: pa.DataType, ends: Memory | None = None) -> pa.Array:
        """The column of these values; null where the rows of the layout are."""
        k: cython.Py_ssize_t
        nulls: cython.Py_ssize_t = 0
        bitmap = None
        if self.source.values[c].nullable:
            valid: Memory = Memory(self.count)
            for k in range(self.count):
                valid.u8[k] = not self.source.null_at(c, self.at[k])
            nulls = count_nulls(valid.u8, self.count)
            if nulls:
                bitmap = pa.py_buffer(bitmap_of(valid.u8, self.count))
        buffers = [bitmap, pa.py_buffer(values.data)]
        if ends is not None:
            buffers.insert(1, pa.py_buffer(ends.data))
        return pa.Array.from_buffers(kind, self.count, buffers, nulls)
