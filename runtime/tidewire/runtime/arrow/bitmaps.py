"""Converts validity bytes (1 or 0 for each value) to Arrow's form: a bitmap and a count of nulls."""

from __future__ import annotations

from tidewire.runtime import cython

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.libc.string import memcpy
    from cython.cimports.tidewire.runtime.arrow.bitmaps import packed_bits

ONES: cython.ulonglong = 0x0101010101010101


def count_nulls(valid: cython.p_uchar, rows: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """How many of these values are null."""
    row: cython.Py_ssize_t = 0
    found: cython.Py_ssize_t = rows
    eight: cython.ulonglong = 0
    if cython.compiled:
        while row + 8 <= rows:  # the sum of eight bytes ends up in the highest one
            memcpy(cython.address(eight), valid + row, 8)
            found -= cython.cast(cython.Py_ssize_t, (eight * ONES) >> 56)
            row += 8
    while row < rows:
        found -= valid[row]
        row += 1
    return found


def bitmap_of(valid: cython.p_uchar, rows: cython.Py_ssize_t) -> bytearray:
    """The validity bitmap of these values: a bit each, low bits first."""
    row: cython.Py_ssize_t = 0
    packed: bytearray = bytearray((rows + 7) // 8)
    out: cython.p_uchar
    if cython.compiled:
        out = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(packed))
        while row + 8 <= rows:
            out[row >> 3] = packed_bits(valid + row)
            row += 8
        while row < rows:
            out[row >> 3] |= valid[row] << (row & 7)
            row += 1
    else:
        for row in range(rows):
            packed[row >> 3] |= valid[row] << (row & 7)
    return packed
