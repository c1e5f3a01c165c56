"""Fast path for rows with the same columns as the previous row: read in one pass, each value by its column's codec.

Compiled code only, and common forms only. Anything else is left to `Rows`, which reads the row again from its start and
reports its errors. So a row must not change any state here except the values in its columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.errors import WireError
from tidewire.runtime.json.codec import JsonCodec
from tidewire.runtime.wire import characters as chars
from tidewire.runtime.wire.codec_ids import (
    CALLED,
    CHECKED_TEXT,
    FLOAT32_NUMBER,
    FLOAT32_TEXT,
    FLOAT64_NUMBER,
    FLOAT64_TEXT,
    INT_NUMBER,
    INT_TEXT,
    LATIN1_TEXT,
    UINT_NUMBER,
    UINT_TEXT,
    UNCHECKED_TEXT,
)

if cython.compiled:
    from cython.cimports.tidewire.runtime.arrow.puts import put_float, put_int, put_known, put_null, put_uint
    from cython.cimports.tidewire.runtime.decoding.row_layouts import ReadColumn
    from cython.cimports.tidewire.runtime.json.values import usual_float
    from cython.cimports.tidewire.runtime.wire.swar import decimal, is_begun, is_null, plain, small

if TYPE_CHECKING:
    from tidewire.runtime.decoding.row_layouts import RowLayoutBuilder
    from tidewire.runtime.decoding.table_columns import TableColumns
    from tidewire.runtime.json.cells import RowCells
    from tidewire.runtime.json.cursor import JsonCursor

if cython.compiled:

    def put_known_row(
        cells: RowCells, r: JsonCursor, names: TableColumns, images: RowLayoutBuilder, field: cython.int
    ) -> cython.bint:
        """Puts the object at the cursor into the next row of the images, if it has their columns in their order; False
        if not, or if anything is unusual. The cursor is then not moved.

        Args:
            cells: has room for the values.
            names: names of the table's columns.
            images: the layout of earlier rows with these names.
            field: field of a value.
        """
        p = r.p
        pool: cython.p_uchar = names.pool.u8
        column: cython.pointer(ReadColumn) = images.columns_read
        row: cython.Py_ssize_t = images.rows
        start: cython.Py_ssize_t = r.pos
        i: cython.Py_ssize_t = start
        j: cython.Py_ssize_t
        n: cython.int
        codec: cython.int
        c: cython.int
        high: cython.ulonglong
        value: cython.longlong = 0
        real: cython.double = 0
        called: JsonCodec
        if row + 1 >= images.room:
            images.reserve(row + 1)
        r.release()
        for n in range(images.width):
            if not is_begun(p + i, cython.address(images.beginnings[n]), pool):
                return False
            i += images.beginnings[n].size
            c = p[i]
            codec = column[n].codec
            if c == chars.QUOTE:
                if codec == CHECKED_TEXT or codec == UNCHECKED_TEXT or codec == LATIN1_TEXT:
                    high = 0
                    j = plain(p, i + 1, cython.address(high))
                    if p[j] == chars.QUOTE and (
                        high == 0 or codec == UNCHECKED_TEXT or (codec == CHECKED_TEXT and r.utf8(i + 1, j))
                    ):
                        put_known(images, n, row, r, i + 1, j - i - 1, field)
                        i = j + 1
                        continue
                elif codec == INT_TEXT:
                    j = small(p, i + 1, cython.address(value))
                    if j >= 0 and p[j] == chars.QUOTE:
                        put_int(images, n, row, value)
                        i = j + 1
                        continue
                elif codec == UINT_TEXT:
                    j = small(p, i + 1, cython.address(value))
                    if j >= 0 and p[j] == chars.QUOTE and value >= 0:
                        put_uint(images, n, row, value)
                        i = j + 1
                        continue
                elif codec == FLOAT64_TEXT or codec == FLOAT32_TEXT:
                    j = usual_float(r, i + 1, codec == FLOAT32_TEXT, cython.address(real))
                    if j >= 0 and p[j] == chars.QUOTE:
                        put_float(images, n, row, real)
                        i = j + 1
                        continue
            elif c == chars.LOWER_N:
                if is_null(p + i):
                    put_null(images, n, row)
                    i += 4
                    continue
            elif codec == INT_NUMBER or codec == UINT_NUMBER:
                j = small(p, i, cython.address(value))
                # JSON numbers have no leading zeros
                if j >= 0 and (p[i] > chars.ZERO or j == i + 1) and (value >= 0 or codec == INT_NUMBER):
                    put_int(images, n, row, value)
                    i = j
                    continue
                if c == chars.MINUS and j >= 0 and p[i + 1] > chars.ZERO and codec == INT_NUMBER:
                    put_int(images, n, row, value)
                    i = j
                    continue
            elif codec == FLOAT64_NUMBER or codec == FLOAT32_NUMBER:
                j = usual_float(r, i, codec == FLOAT32_NUMBER, cython.address(real))
                if j >= 0:
                    put_float(images, n, row, real)
                    i = j
                    continue
            elif codec == CALLED and (c == chars.MINUS or (c >= chars.ZERO and c <= chars.NINE)):
                called = cython.cast(JsonCodec, images.called[n])  # type: ignore[index]
                if called.numeric:
                    j = called.read_usual(p, i, images, n, row)
                    if j >= 0:
                        i = j
                        continue
            i = put_apart(cells, r, names, images, n, row, i, codec, field)
            if i < 0:
                r.pos = start
                return False
        if p[i] != chars.CLOSE_OBJECT:
            return False
        r.pos = i + 1
        return True

    @cython.cfunc
    @cython.exceptval(-1)
    def number_end(r: JsonCursor, i: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """Offset of the end of the number at i."""
        value: cython.longlong = 0
        digits: cython.ulonglong = 0
        power: cython.int = 0
        count: cython.int = 0
        c: cython.int
        end: cython.Py_ssize_t = small(r.p, i, cython.address(value))
        if end >= 0 and r.p[i] > chars.ZERO:
            c = r.p[end]
            if c != chars.POINT and c | chars.LOWER_CASE != chars.LOWER_E:
                return end
        end = decimal(r.p, i, cython.address(digits), cython.address(power), cython.address(count))
        return end if end >= 0 else r.number(i, field)

    @cython.cfunc
    @cython.exceptval(-2)
    def put_apart(
        cells: RowCells,
        r: JsonCursor,
        names: TableColumns,
        images: RowLayoutBuilder,
        n: cython.int,
        row: cython.Py_ssize_t,
        i: cython.Py_ssize_t,
        codec: cython.int,
        field: cython.int,
    ) -> cython.Py_ssize_t:
        """Puts the value at i by the general code of `Rows`; returns the offset of its end, or -1 if it is wrong. The
        row is then read again, which reports the first error in the text.
        """
        called: JsonCodec
        c: cython.int = r.p[i]
        end: cython.Py_ssize_t
        if c <= chars.SPACE:
            return -1
        try:
            if codec == CALLED and c >= chars.MINUS and c <= chars.NINE:
                called = cython.cast(JsonCodec, images.called[n])  # type: ignore[index]
                if called.numeric or called.lenient:
                    end = number_end(r, i, field)
                    called.read(r, i, end - i, images, n, row, field)
                    return end
            if n >= cells.room:
                cells.enlarge()
            end = cells.find_value(r, n, i, field)
            cells.put(r, images, n, row, codec, field)
        except (WireError, ValueError, OverflowError):
            return -1
        return end
