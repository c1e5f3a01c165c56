"""The values of an Arrow array, read where they lie."""

from __future__ import annotations

import pyarrow as pa

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython

_WIDTHS = {pa.int32(): 4, pa.uint8(): 1, pa.int64(): 8, pa.uint64(): 8, pa.float64(): 8}


class ArrayView:
    """An array of int32, uint8, int64, uint64, float64, utf8, binary or null.

    Compiled, the views are C pointers into Arrow's buffers; interpreted, they are memoryviews of the same bytes.
    Numbers are in the view of their width (`u8`, `i32`, `i64`, `u64`: the same bits; of a float64 in `u64`) at their
    row. Variable-width values are u8[ends[row]:ends[row + 1]]. A view that makes no sense for the type, or for no
    rows, must not be used.
    """

    def __init__(self, array: pa.Array) -> None:
        first: cython.Py_ssize_t = array.offset
        kind = array.type
        self.rows = len(array)
        self.array = array
        self.first = first
        if cython.compiled:
            self.valid = cython.NULL
        else:
            self.valid = None
        if self.rows == 0 or kind == pa.null():
            return
        buffers = array.buffers()
        text = kind == pa.utf8() or kind == pa.binary()
        if not text and kind not in _WIDTHS:
            raise TypeError(f"values are not read from an Arrow array of {kind}")
        data = buffers[2] if text else buffers[1]
        if data is None or data.size == 0:
            data = pa.py_buffer(bytes(8))
        self.owner = data, buffers
        valid = buffers[0] if array.null_count else None
        if cython.compiled:
            self.u8 = cython.cast(cython.p_uchar, cython.cast(cython.size_t, data.address))
            if valid is not None:
                self.valid = cython.cast(cython.p_uchar, cython.cast(cython.size_t, valid.address))
            if text:
                self.ends = cython.cast(cython.p_int, cython.cast(cython.size_t, buffers[1].address)) + first
            else:
                self.i32 = cython.cast(cython.p_int, self.u8) + first
                self.i64 = cython.cast(cython.p_longlong, self.u8) + first
                self.u64 = cython.cast(cython.p_ulonglong, self.u8) + first
                self.u8 += first
        else:
            view = memoryview(data).cast("B")
            if valid is not None:
                self.valid = memoryview(valid).cast("B")
            if text:
                self.u8 = view
                self.ends = memoryview(buffers[1]).cast("B").cast("i")[first : first + self.rows + 1]
            else:
                width = _WIDTHS[kind]
                view = view[width * first : width * (first + self.rows)]
                self.u8 = view
                if width == 4:
                    self.i32 = view.cast("i")
                elif width == 8:
                    self.i64 = view.cast("q")
                    self.u64 = view.cast("Q")

    def null(self, row: cython.Py_ssize_t) -> cython.bint:
        """Whether there is no value in that row."""
        at: cython.Py_ssize_t = self.first + row
        if cython.compiled:
            if self.valid == cython.NULL:
                return False
        elif self.valid is None:
            return False
        return not self.valid[at >> 3] >> (at & 7) & 1
