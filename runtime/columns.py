"""Growing typed columns that are handed to Arrow without a copy, and values of a message read into them.

A row is reserved, filled, and only then counted: a message that breaks off leaves no trace once the count is put back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tidewire.runtime.errors import BATCH, UNKNOWN, UTF8, VALUE
from tidewire.runtime.memory import Memory

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.libc.stdlib import calloc, free
    from cython.cimports.libc.string import memcpy
    from cython.cimports.tidewire.runtime.codec_numbers import BYTES, FLOAT64, NOTHING, RAW_TEXT, TEXT, UVARINT, VARINT
    from cython.cimports.tidewire.runtime.columns import Cells
else:
    from tidewire.runtime.codecs import BYTES, FLOAT64, NOTHING, RAW_TEXT, TEXT, UVARINT, VARINT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.cursor import Cursor
    from tidewire.runtime.memory import Numbers
    from tidewire.runtime.window import Window

MOST_BYTES: cython.Py_ssize_t = 0x7FFFFFF0
"""What the values of one variable-width column of a batch can take up: Arrow's offsets have 32 bits."""

NO_BYTES = pa.py_buffer(b"")
ARROW_TYPES = {
    NOTHING: pa.null(),
    VARINT: pa.int64(),
    UVARINT: pa.uint64(),
    FLOAT64: pa.float64(),
    TEXT: pa.utf8(),
    BYTES: pa.binary(),
    RAW_TEXT: pa.binary(),
}
"""What a column holds, by the codec of its values."""


class _Cells:
    """Interpreted: what the C struct of columns.pxd is compiled."""

    i64: Any
    u64: Any
    f64: Any
    ends: Any
    valid: Any
    data: Any
    data_room: int
    codec: int


class Columns:
    """Typed columns of equal length, one for each codec (runtime/codecs.py) given.

    Values of 8 bytes, or the ends of variable-width values, lie in one block of memory, and so do the bytes that say
    whether a value is there (1) or null (0); the bytes of variable-width values have a block for each column.
    """

    def __init__(self, codecs: Sequence[int]) -> None:
        c: cython.int
        self.codecs = tuple(codecs)
        self.width = len(codecs)
        self.rows = self.room = self.hint = 0
        if cython.compiled:
            self.cells = cython.cast(cython.pointer(Cells), calloc(self.width + 1, cython.sizeof(Cells)))
            if not self.cells:
                raise MemoryError
        else:
            self.cells = [_Cells() for _ in codecs]
        for c in range(self.width):
            self.cells[c].codec = self.codecs[c]
        self.begin()

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.cells)

    def begin(self) -> cython.int:
        """Empty columns, in memory of their own; what was handed to Arrow before stays as it is."""
        c: cython.int
        self.hint = self.rows
        self.rows = self.room = 0
        self.values: Memory | None = None
        self.valid: Memory | None = None
        self.data: list[Memory | None] = [None] * self.width
        for c in range(self.width):
            self.cells[c].data_room = 0
        return 0

    def reserve(self, rows: cython.Py_ssize_t) -> cython.int:
        """Room for that many rows in all, and one more: n variable-width values have n + 1 ends."""
        c: cython.int
        old: cython.Py_ssize_t = self.room
        room: cython.Py_ssize_t
        values: Memory | None = self.values
        valid: Memory | None = self.valid
        if rows < old:
            return 0
        room = 2 * rows if old else max(rows, self.hint)
        # an odd number of cache lines, so that neighbouring values of a row do not fall on the same ones
        room = (room + 8) // 8 * 8 | 8
        if values is None or valid is None:
            values = Memory(8 * room * self.width)
            valid = Memory(room * self.width)
            self.values = values
            self.valid = valid
        else:
            values.reserve(8 * room * self.width)
            valid.reserve(room * self.width)
            for c in range(self.width - 1, 0, -1):
                values.move(8 * room * c, 8 * old * c, 8 * old)
                valid.move(room * c, old * c, old)
        self.room = room
        for c in range(self.width):
            if cython.compiled:
                self.cells[c].i64 = values.i64 + room * c
                self.cells[c].u64 = values.u64 + room * c
                self.cells[c].f64 = values.f64 + room * c
                self.cells[c].ends = values.i32 + 2 * room * c
                self.cells[c].valid = valid.u8 + room * c
            else:
                self.cells[c].i64 = values.i64[room * c : room * (c + 1)]
                self.cells[c].u64 = values.u64[room * c : room * (c + 1)]
                self.cells[c].f64 = values.f64[room * c : room * (c + 1)]
                self.cells[c].ends = values.i32[2 * room * c : 2 * room * (c + 1)]
                self.cells[c].valid = valid.u8[room * c : room * (c + 1)]
            if old == 0:
                self.cells[c].ends[0] = 0
        return 0

    def widen(self, c: cython.int, size: cython.Py_ssize_t) -> cython.int:
        """Room for that many bytes of values in all in column c."""
        data: Memory | None = self.data[c]
        if data is None:
            data = Memory(size if self.hint == 0 else max(size, 16 * self.hint))
            self.data[c] = data
        else:
            data.reserve(size)
        self.cells[c].data = data.u8
        self.cells[c].data_room = data.room
        return 0

    # ---- one value

    def put_null(self, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """No value."""
        codec: cython.int = self.cells[c].codec
        self.cells[c].valid[row] = 0
        if codec >= TEXT:
            self.cells[c].ends[row + 1] = self.cells[c].ends[row]
        else:
            self.cells[c].i64[row] = 0
        return 0

    def put_int(self, c: cython.int, row: cython.Py_ssize_t, value: cython.longlong) -> cython.int:
        """A signed number."""
        self.cells[c].i64[row] = value
        self.cells[c].valid[row] = 1
        return 0

    def put_uint(self, c: cython.int, row: cython.Py_ssize_t, value: cython.ulonglong) -> cython.int:
        """An unsigned number."""
        self.cells[c].u64[row] = value
        self.cells[c].valid[row] = 1
        return 0

    def put_float(self, c: cython.int, row: cython.Py_ssize_t, value: cython.double) -> cython.int:
        """A floating-point number."""
        self.cells[c].f64[row] = value
        self.cells[c].valid[row] = 1
        return 0

    def put_bytes(
        self,
        c: cython.int,
        row: cython.Py_ssize_t,
        r: Window,
        start: cython.Py_ssize_t,
        size: cython.Py_ssize_t,
        field: cython.int,
    ) -> cython.int:
        """message[start:start + size], which is known to be there; checked when the column is text."""
        if self.cells[c].codec == TEXT and not r.utf8(start, start + size):
            return r.fail(UTF8, field, start, size, 0)
        return self.put_known(c, row, r, start, size, field)

    def put_known(
        self,
        c: cython.int,
        row: cython.Py_ssize_t,
        r: Window,
        start: cython.Py_ssize_t,
        size: cython.Py_ssize_t,
        field: cython.int,
    ) -> cython.int:
        """The same of bytes that are known to be right for the column."""
        pos: cython.Py_ssize_t = self.cells[c].ends[row]
        if pos + size > self.cells[c].data_room:
            if pos + size > MOST_BYTES:
                return r.fail(BATCH, field, start, pos + size, MOST_BYTES)
            self.widen(c, pos + size)
        if cython.compiled:
            if size:
                memcpy(self.cells[c].data + pos, r.p + start, size)
        elif size:
            self.cells[c].data[pos : pos + size] = r.p[start : start + size]
        self.cells[c].ends[row + 1] = pos + size
        self.cells[c].valid[row] = 1
        return 0

    def put_text(self, c: cython.int, row: cython.Py_ssize_t, text: str | None) -> cython.int:
        """A text that is at hand; None is no value."""
        if text is None:
            return self.put_null(c, row)
        image: bytes = text.encode()
        pos: cython.Py_ssize_t = self.cells[c].ends[row]
        size: cython.Py_ssize_t = len(image)
        if pos + size > self.cells[c].data_room:
            self.widen(c, pos + size)
        if cython.compiled:
            memcpy(self.cells[c].data + pos, cython.cast(cython.p_char, image), size)
        elif size:
            self.cells[c].data[pos : pos + size] = image
        self.cells[c].ends[row + 1] = pos + size
        self.cells[c].valid[row] = 1
        return 0

    # ---- a row of values

    def read_row(self, r: Cursor, sizes: Numbers, field: cython.int) -> cython.Py_ssize_t:
        """Reads one value for each column, of these sizes (-1: null; they fit in the window), as the next row.

        Returns the number of the row.
        """
        row: cython.Py_ssize_t = self.rows
        size: cython.Py_ssize_t
        start: cython.Py_ssize_t = r.pos
        c: cython.int
        codec: cython.int
        v: cython.ulonglong
        if row + 1 >= self.room:
            self.reserve(row + 1)
        for c in range(self.width):
            size = sizes.i64[c]
            if size < 0:
                self.put_null(c, row)
                continue
            codec = self.cells[c].codec
            if codec >= TEXT:
                self.put_bytes(c, row, r, start, size, field)
            elif codec == VARINT:
                v = r.p[start] if size == 1 and r.p[start] < 0x80 else r.cell_uvarint(start, size, field)
                self.cells[c].i64[row] = (v >> 1) ^ -(v & 1)
                self.cells[c].valid[row] = 1
            elif codec == UVARINT:
                self.cells[c].u64[row] = r.cell_uvarint(start, size, field)
                self.cells[c].valid[row] = 1
            elif codec == FLOAT64:
                if size != 8:
                    return r.fail(VALUE, field, start, size, 8)
                self.cells[c].f64[row] = r.float64_at(start)
                self.cells[c].valid[row] = 1
            else:
                return r.fail(UNKNOWN, field, start, size, 0)
            start += size
        r.pos = start
        self.rows = row + 1
        return row

    # ---- Arrow

    def finish(self, replace_invalid: bool = False) -> list[pa.Array]:
        """The columns as Arrow arrays over this memory; `begin` has to be called before anything is put again.

        Args:
            replace_invalid: makes text of unchecked columns, with U+FFFD for what is not UTF-8.
        """
        if self.rows == 0 or self.values is None or self.valid is None:
            return [pa.array([], ARROW_TYPES[codec]) for codec in self.codecs]
        values = pa.py_buffer(self.values.data)
        return [self.array(c, values, replace_invalid) for c in range(self.width)]

    def array(self, c: cython.int, values: pa.Buffer, replace_invalid: bool) -> pa.Array:
        """One column as an Arrow array over this block of memory."""
        codec: cython.int = self.cells[c].codec
        start: cython.Py_ssize_t = self.room * c
        kind = ARROW_TYPES[codec]
        if codec == NOTHING:
            return pa.nulls(self.rows)
        bitmap = None
        nulls: cython.Py_ssize_t = self.nulls(c)
        if nulls:
            bitmap = pa.py_buffer(self.bits(c))
        block = values.slice(8 * start, 8 * self.room)
        if codec < TEXT:
            return pa.Array.from_buffers(kind, self.rows, [bitmap, block], nulls)
        data = self.data[c]
        payload = NO_BYTES if data is None else pa.py_buffer(data.data)
        array = pa.Array.from_buffers(kind, self.rows, [bitmap, block, payload], nulls)
        if codec == RAW_TEXT and replace_invalid:
            return _replaced(array)
        return array

    def bits(self, c: cython.int) -> bytearray:
        """Which values of a column are there, a bit each, low bits first."""
        packed: bytearray = bytearray((self.rows + 7) // 8)
        out: cython.p_uchar
        row: cython.Py_ssize_t
        if cython.compiled:
            out = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(packed))
            for row in range(self.rows):
                out[row >> 3] |= self.cells[c].valid[row] << (row & 7)
        else:
            for row in range(self.rows):
                packed[row >> 3] |= self.cells[c].valid[row] << (row & 7)
        return packed

    def nulls(self, c: cython.int) -> cython.Py_ssize_t:
        """How many values of a column are not there."""
        row: cython.Py_ssize_t
        found: cython.Py_ssize_t = 0
        for row in range(self.rows):
            found += 1 - self.cells[c].valid[row]
        return found


def _replaced(array: pa.Array) -> pa.Array:
    """Bytes as text, with U+FFFD for what is not UTF-8."""
    try:
        return array.cast(pa.utf8())
    except pa.ArrowInvalid:
        return pa.array([None if v is None else v.decode("utf-8", "replace") for v in array.to_pylist()], pa.utf8())
