"""Growing typed columns that are handed to Arrow without a copy, and values of a message read into them.

A row is reserved, filled, and only then counted: after an error, putting the count back undoes a message's rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import resized
from tidewire.runtime.arrow.storage import BYTES, FLOAT, INT, NOTHING, RAW_TEXT, TEXT, UINT
from tidewire.runtime.errors import BATCH, UTF8, ColumnFull

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.cpython.mem import PyMem_Calloc, PyMem_Free
    from cython.cimports.libc.string import memcpy, memmove, memset
    from cython.cimports.tidewire.runtime.arrow.columns import (
        Cells,
        Marks,
        PyUnicode_1BYTE_DATA,
        PyUnicode_IS_COMPACT_ASCII,
        untrack,
    )
    from cython.cimports.tidewire.runtime.wire.prefetch import fetch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.wire.byte_reader import ByteReader

MOST_BYTES: cython.Py_ssize_t = 0x7FFFFFF0
"""The most bytes of a variable-width column in a batch: Arrow's offsets have 32 bits."""

FEW_ROWS: cython.Py_ssize_t = 8
"""If the previous batch had at most this many rows, variable-width values start in the block."""
MOST_INLINE: cython.Py_ssize_t = 128
"""The most bytes of a column's values for which the block has room."""

ARROW_TYPES = {
    NOTHING: pa.null(),
    INT: pa.int64(),
    UINT: pa.uint64(),
    FLOAT: pa.float64(),
    TEXT: pa.utf8(),
    BYTES: pa.binary(),
    RAW_TEXT: pa.binary(),
}
"""The Arrow type of a column, by storage."""


class _Cells:
    """The interpreted counterpart of the C struct of columns.pxd."""

    # there is one for each column of each layout: a dict of its own would take most of its memory
    __slots__ = ("codec", "data", "data_room", "storage")

    data: Any
    data_room: int
    storage: int
    codec: int


class _Marks:
    """The interpreted counterpart of the C struct with database facts about a column, which are not needed to put
    values.
    """

    __slots__ = ("flags", "type")

    def __init__(self) -> None:
        self.type = self.flags = 0


class _Pointers:
    """The interpreted counterpart of the C union of columns.pxd."""

    VIEWS: ClassVar[dict[str, Any]] = {"i32": "i", "i64": "q", "u64": "Q", "f64": "d"}

    def __init__(self, block: memoryview) -> None:
        self.u8 = block

    def __getattr__(self, name: str) -> Any:
        """Makes a view on first use: most columns need one or two, and each takes 200 bytes."""
        view = self.u8.cast(self.VIEWS[name])
        setattr(self, name, view)
        return view


class Columns:
    """Typed columns of equal length, one for each given storage (tidewire.runtime.arrow.storage).

    They are in one block of memory, column after column, `room` rows each: first the values of 8 bytes, or the ends of
    variable-width values; after all of them the validity bytes, 1 for a value or 0 for null. The bytes of
    variable-width values have separate memory for each column. In compiled code, if the previous batch had few rows
    with short values, as with thousands of tables, they start after all that in the same block: the same number of
    bytes for each column.

    If a column is null in all rows, only its validity is read: its values need not exist.

    A hostile message may create one of these for each row: an empty one holds next to nothing, and the block for the
    first row is no larger than that row.
    """

    def __init__(self, storages: Sequence[int]) -> None:
        c: cython.int
        self.width = len(storages)
        self.rows = 0
        if cython.compiled:
            self.cells = cython.cast(
                cython.pointer(Cells),
                PyMem_Calloc(max(self.width, 1), cython.sizeof(Cells) + cython.sizeof(Marks)),
            )
            if not self.cells:
                raise MemoryError
            self.marks = cython.cast(cython.pointer(Marks), self.cells + self.width)
        else:
            self.cells = [_Cells() for _ in storages]
            self.marks = [_Marks() for _ in storages]
        for c, storage in enumerate(storages):
            self.cells[c].storage = storage
        self.hint = self.inline = self.room = 0
        self.ended = False
        self.block: bytearray | None = None
        self.data: list[bytearray | None] | None = None

    def __dealloc__(self) -> None:
        if cython.compiled:
            PyMem_Free(self.cells)

    def begin(self) -> cython.int:
        """Starts empty columns in new memory; memory that was released before stays unchanged."""
        c: cython.int
        most: cython.Py_ssize_t = 0
        if self.block is None and self.rows == 0:
            return 0
        if cython.compiled and self.block is not None:
            if self.rows > FEW_ROWS:
                self.inline = 0
            elif self.rows != self.hint or self.data is not None:
                for c in range(self.width):
                    if self.cells[c].storage >= TEXT:
                        most = max(most, self.values.i32[2 * self.room * c + self.rows])
                self.inline = (most + 7) // 8 * 8 if most <= MOST_INLINE else 0
        if self.block is not None:
            self.hint = self.rows
        self.rows = self.room = 0
        self.ended = False
        self.block = None
        self.data = None
        return 0

    def end(self) -> cython.int:
        """Declares that no more rows will follow before the next `begin`."""
        self.ended = True
        return 0

    def fetch(self) -> cython.int:
        """Prefetches the memory of a few rows: with thousands of tables it has left the processor's cache when the next
        row of a table arrives.
        """
        if not 0 < self.room <= FEW_ROWS:
            return 0
        if cython.compiled:
            fetch(self.values.u8, (9 * self.room + self.inline) * self.width)
            fetch(self.cells, self.width * cython.sizeof(Cells))
        return 0

    def reserve(self, rows: cython.Py_ssize_t) -> cython.int:
        """Makes room for this many rows in all; grows by at least half."""
        c: cython.int
        old: cython.Py_ssize_t = self.room
        room: cython.Py_ssize_t
        if rows <= old:
            return 0
        room = max(rows, old + old // 2 if old else self.hint)
        if room > FEW_ROWS or (old and room > 1):
            # an odd number of cache lines, so that neighbouring values of a row do not fall on the same ones
            room = (room + 7) // 8 * 8 | 8
        if old and self.inline:
            for c in range(self.width):
                if self.cells[c].storage >= TEXT and (self.data is None or self.data[c] is None):
                    self.widen(c, self.inline)
            self.inline = 0
        self.block = resized(self.block, (9 * room + self.inline) * self.width)
        if cython.compiled:
            self.values.u8 = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(self.block))
            self.valid = self.values.u8 + 8 * room * self.width
        else:
            whole = memoryview(self.block)
            self.values = _Pointers(whole[: 8 * room * self.width])
            self.valid = whole[8 * room * self.width :]
        if old:
            # from the last column to the first: none overwrites one that is still to be moved
            for c in range(self.width - 1, -1, -1):
                self.move(8 * room * self.width + room * c, 8 * old * self.width + old * c, old)
            for c in range(self.width - 1, 0, -1):
                self.move(8 * room * c, 8 * old * c, 8 * old)
        else:
            for c in range(self.width):
                self.values.i32[2 * room * c] = 0
                self.cells[c].data_room = 0
                if cython.compiled and self.inline and self.cells[c].storage >= TEXT:
                    self.cells[c].data = self.values.u8 + 9 * room * self.width + self.inline * c
                    self.cells[c].data_room = self.inline
        self.room = room
        return 0

    def move(self, target: cython.Py_ssize_t, start: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.int:
        """Copies bytes within the block."""
        if cython.compiled:
            memmove(self.values.u8 + target, self.values.u8 + start, size)
        elif self.block is not None:
            self.block[target : target + size] = self.block[start : start + size]
        return 0

    def widen(self, c: cython.int, size: cython.Py_ssize_t) -> cython.int:
        """Makes room for this many bytes of values in column c; at least doubles it."""
        room: cython.Py_ssize_t = self.cells[c].data_room
        if self.data is None:
            self.data = [None] * self.width
            if cython.compiled:
                untrack(self.data)  # contains only bytes objects, which the garbage collector need not visit
        room = min(max(size, 2 * room if room else 16 * self.hint), MOST_BYTES)
        data: bytearray = resized(self.data[c], room)
        if cython.compiled and self.data[c] is None and self.cells[c].data_room:
            memcpy(PyByteArray_AS_STRING(data), self.cells[c].data, self.cells[c].data_room)  # in the block until now
        self.data[c] = data
        if cython.compiled:
            self.cells[c].data = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(data))
        else:
            self.cells[c].data = data
        self.cells[c].data_room = room
        return 0

    # ---- one value

    def put_null(self, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """No value."""
        storage: cython.int = self.cells[c].storage
        at: cython.Py_ssize_t = self.room * c + row
        self.valid[at] = 0
        if storage >= TEXT:
            at += self.room * c
            self.values.i32[at + 1] = self.values.i32[at]
        else:
            self.values.i64[at] = 0
        return 0

    def fill_null(self, c: cython.int, row: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """No value in the rows from `row` on, up to `stop`."""
        if cython.compiled and row < stop:
            k: cython.Py_ssize_t
            at: cython.Py_ssize_t = self.room * c
            memset(self.valid + at + row, 0, stop - row)
            if self.ended and row == 0 and stop == self.rows > FEW_ROWS:  # with few rows `begin` reads the ends
                return 0  # null in all rows
            if self.cells[c].storage < TEXT:
                memset(self.values.i64 + at + row, 0, 8 * (stop - row))
            else:
                for k in range(row, stop):
                    self.values.i32[2 * at + k + 1] = self.values.i32[2 * at + row]
            return 0
        while row < stop:
            self.put_null(c, row)
            row += 1
        return 0

    def put_int(self, c: cython.int, row: cython.Py_ssize_t, value: cython.longlong) -> cython.int:
        """A signed number."""
        at: cython.Py_ssize_t = self.room * c + row
        self.values.i64[at] = value
        self.valid[at] = 1
        return 0

    def put_uint(self, c: cython.int, row: cython.Py_ssize_t, value: cython.ulonglong) -> cython.int:
        """An unsigned number."""
        at: cython.Py_ssize_t = self.room * c + row
        self.values.u64[at] = value
        self.valid[at] = 1
        return 0

    def put_float(self, c: cython.int, row: cython.Py_ssize_t, value: cython.double) -> cython.int:
        """A floating-point number."""
        at: cython.Py_ssize_t = self.room * c + row
        self.values.f64[at] = value
        self.valid[at] = 1
        return 0

    def put_bytes(
        self,
        c: cython.int,
        row: cython.Py_ssize_t,
        r: ByteReader,
        start: cython.Py_ssize_t,
        size: cython.Py_ssize_t,
        field: cython.int,
    ) -> cython.int:
        """Puts message[start:start + size], which must exist; text is checked to be UTF-8."""
        if self.cells[c].storage == TEXT and not r.utf8(start, start + size):
            return r.fail(UTF8, field, start, size, 0)
        return self.put_known(c, row, r, start, size, field)

    def put_known(
        self,
        c: cython.int,
        row: cython.Py_ssize_t,
        r: ByteReader,
        start: cython.Py_ssize_t,
        size: cython.Py_ssize_t,
        field: cython.int,
    ) -> cython.int:
        """`put_bytes` of bytes that are known to be valid for the column."""
        end: cython.Py_ssize_t = 2 * self.room * c + row
        pos: cython.Py_ssize_t = self.values.i32[end]
        if pos + size > self.cells[c].data_room:
            if pos + size > MOST_BYTES:
                return r.fail(BATCH, field, start, pos + size, MOST_BYTES)
            self.widen(c, pos + size)
        if cython.compiled:
            if size:
                memcpy(self.cells[c].data + pos, r.p + start, size)
        elif size:
            self.cells[c].data[pos : pos + size] = r.p[start : start + size]
        self.values.i32[end + 1] = pos + size
        self.valid[self.room * c + row] = 1
        return 0

    def put_text(self, c: cython.int, row: cython.Py_ssize_t, text: str | None) -> cython.int:
        """Puts a Python text; None is null.

        Raises:
            UnicodeEncodeError: it has lone surrogates.
            ColumnFull: the column cannot hold so many bytes.
        """
        if text is None:
            return self.put_null(c, row)
        if cython.compiled and PyUnicode_IS_COMPACT_ASCII(text):
            return self.put_memory(c, row, PyUnicode_1BYTE_DATA(text), len(text))
        return self.put_image(c, row, text.encode())

    def put_image(self, c: cython.int, row: cython.Py_ssize_t, image: bytes) -> cython.int:
        """Puts a Python bytes object as a variable-width value.

        Raises:
            ColumnFull: the column cannot hold so many bytes.
        """
        if cython.compiled:
            return self.put_memory(c, row, cython.cast(cython.p_uchar, cython.cast(cython.p_char, image)), len(image))
        return self.put_memory(c, row, image, len(image))

    def put_memory(
        self, c: cython.int, row: cython.Py_ssize_t, image: cython.p_uchar, size: cython.Py_ssize_t
    ) -> cython.int:
        """`put_image` of bytes in C memory (interpreted: of a bytes object)."""
        end: cython.Py_ssize_t = 2 * self.room * c + row
        pos: cython.Py_ssize_t = self.values.i32[end]
        if pos + size > self.cells[c].data_room:
            if pos + size > MOST_BYTES:
                raise ColumnFull(f"{pos + size} bytes in a column of a batch: {MOST_BYTES} are possible")
            self.widen(c, pos + size)
        if cython.compiled:
            if size:
                memcpy(self.cells[c].data + pos, image, size)
        elif size:
            self.cells[c].data[pos : pos + size] = image
        self.values.i32[end + 1] = pos + size
        self.valid[self.room * c + row] = 1
        return 0

    def inlined(self, block: bytearray, room: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The bytes of each column's variable-width values that fit into a block for this many rows."""
        return len(block) // self.width - 9 * room if self.width else 0


def stored(array: pa.Array, storage: int) -> pa.Array:
    """An array with the Arrow type of a storage; strings with 64-bit offsets are cast.

    Raises:
        TypeError: it holds another type, or more than 2 GiB of strings, or is not an array.
    """
    kind = ARROW_TYPES[storage]
    if not isinstance(array, pa.Array):
        raise TypeError(f"an array of {kind} is expected, not {type(array).__name__}")
    if array.type == kind:
        return array
    if storage >= TEXT and (
        pa.types.is_string(array.type)
        or pa.types.is_binary(array.type)
        or pa.types.is_large_string(array.type)
        or pa.types.is_large_binary(array.type)
    ):
        # writing bytes as text needs no conversion, so they are not checked
        if pa.types.is_string(array.type) or pa.types.is_binary(array.type):
            return array
        try:
            return array.cast(pa.binary())
        except pa.ArrowInvalid as error:
            raise TypeError(f"{array.type} that {kind} cannot hold: {error}") from None
    if array.null_count == len(array):
        return pa.nulls(len(array), kind)
    raise TypeError(f"an array of {kind} is expected, not of {array.type}")
