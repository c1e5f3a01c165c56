"""The typed view over columns by which encoders, Python objects and Spark read values.

The values are in Arrow arrays, or still in the memory of a decoder or builder (`tidewire.runtime.arrow.columns`): for a
batch of few events, making Arrow arrays costs more than reading the values. C code that loops over values uses the
pointers of `values[column]`, a `ColumnView`; other code calls a method for each value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tidewire.runtime import cython
from tidewire.runtime.arrow.bitmaps import bitmap_of, count_nulls
from tidewire.runtime.arrow.columns import ARROW_TYPES, Columns, stored
from tidewire.runtime.arrow.storage import BYTES, FLOAT, INT, NOTHING, RAW_TEXT, TEXT, UINT
from tidewire.runtime.arrow.zeros import zeros_of

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
    from cython.cimports.cpython.unicode import PyUnicode_DecodeUTF8
    from cython.cimports.libc.stdlib import calloc, free
    from cython.cimports.libc.string import memcmp
    from cython.cimports.tidewire.runtime.arrow.column_reader import ColumnView

if TYPE_CHECKING:
    from collections.abc import Sequence


class _ColumnView:
    """The interpreted counterpart of the C struct of column_reader.pxd."""

    bitmap: Any
    i64: Any
    u64: Any
    f64: Any
    ends: Any
    data: Any
    first: int
    nulls: int
    storage: int
    nullable: bool


class ColumnReader:
    """Reads columns of equal length, each by a given storage (tidewire.runtime.arrow.storage)."""

    def __init__(self, arrays: Sequence[pa.Array], storages: Sequence[int]) -> None:
        """

        Args:
            arrays: one for each storage; unchecked text may be binary or utf8.
            storages: the storage of each array.

        Raises:
            TypeError: an array has another type than its storage has.
            ValueError: the arrays differ in length.
        """
        c: cython.int
        self._begin(len(storages), len(arrays[0]) if len(storages) else 0)
        for c in range(self.width):
            if len(arrays[c]) != self.rows:
                raise ValueError(f"array {c} has {len(arrays[c])} values, the first one has {self.rows}")
            self._bind(c, storages[c], stored(arrays[c], storages[c]))

    @staticmethod
    def of(
        columns: Columns,
        block: bytearray | None,
        data: list[Any] | None,
        rows: cython.Py_ssize_t,
        room: cython.Py_ssize_t,
        positions: Sequence[int],
        storages: Sequence[int],
    ) -> ColumnReader:
        """A reader of columns in the memory of a decoder or builder.

        Args:
            columns: the columns that had the memory.
            block: the memory that `columns` released; the next three arguments describe the same moment.
            data: memory of variable-width values.
            rows: the number of rows.
            room: the number of rows that fit into the block.
            positions: which of `columns` to read; -1 for a column that is all null.
            storages: the storage by which each of them is read.

        Raises:
            TypeError: a column holds something else.
        """
        c: cython.int
        source: ColumnReader = ColumnReader.__new__(ColumnReader)
        source._begin(len(storages), rows if len(storages) else 0)
        source.owners.append((block, data))
        wanted: list[int] = list(positions)
        kinds: list[int] = list(storages)
        for c in range(source.width):
            source._lay(c, kinds[c], columns, wanted[c], block, data, room)
        return source

    @staticmethod
    def whole(
        columns: Columns,
        block: bytearray | None,
        data: list[Any] | None,
        rows: cython.Py_ssize_t,
        room: cython.Py_ssize_t,
        texts: bytes,
    ) -> ColumnReader:
        """A reader of all columns in the memory of a decoder or builder, each with its own storage.

        Args:
            columns: the columns that had the memory; the next four arguments are as in `of`.
            block: their memory.
            data: memory of variable-width values.
            rows: the number of rows.
            room: the number of rows that fit into the block.
            texts: a byte for each column, nonzero for a binary column that is read as text where it is UTF-8; empty
                if there is none.
        """
        c: cython.int
        storage: cython.int
        marked: cython.bint = len(texts) > 0
        source: ColumnReader = ColumnReader.__new__(ColumnReader)
        source._begin(columns.width, rows if columns.width else 0)
        source.owners.append((block, data))
        for c in range(source.width):
            storage = columns.cells[c].storage
            if marked and storage == BYTES and texts[c]:
                storage = RAW_TEXT
            source._lay(c, storage, columns, c, block, data, room)
        return source

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.values)

    def _begin(self, width: cython.int, rows: cython.Py_ssize_t) -> cython.int:
        """Allocates the views of `width` columns."""
        self.width = width
        self.rows = rows
        self.owners: list[object] = []
        if cython.compiled:
            self.values = cython.cast(cython.pointer(ColumnView), calloc(width + 1, cython.sizeof(ColumnView)))
            if not self.values:
                raise MemoryError
        else:
            self.values = [_ColumnView() for _ in range(width)]
        return 0

    def _lay(
        self,
        c: cython.int,
        storage: cython.int,
        columns: Columns,
        position: cython.int,
        block: bytearray | None,
        data: list[Any] | None,
        room: cython.Py_ssize_t,
    ) -> cython.int:
        """Points column c of this reader at a column in released memory."""
        base: cython.p_uchar
        valid: cython.p_uchar
        nulls: cython.Py_ssize_t = self.rows
        bits: bytearray
        if position < 0:
            storage = NOTHING
        elif not fits(columns.cells[position].storage, storage):
            held: cython.int = columns.cells[position].storage
            raise TypeError(f"an array of {ARROW_TYPES[storage]} is expected, not of {ARROW_TYPES[held]}")
        self.values[c].storage = storage
        self.values[c].first = 0
        self.values[c].nulls = nulls
        self.values[c].nullable = True
        if position < 0 or block is None or self.rows == 0:
            return 0
        bytes_of = None if data is None else data[position]
        if cython.compiled:
            base = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(block))
            valid = base + room * (8 * columns.width + position)
            self._point(c, base + 8 * room * position)
            if bytes_of is not None:
                self.values[c].data = cython.cast(
                    cython.pointer(cython.const[cython.uchar]), PyByteArray_AS_STRING(bytes_of)
                )
            else:
                self.values[c].data = cython.cast(
                    cython.pointer(cython.const[cython.uchar]), PyByteArray_AS_STRING(block)
                )
                self.values[c].data += 9 * room * columns.width + columns.inlined(block, room) * position
        else:
            whole = memoryview(block)
            valid = whole[room * (8 * columns.width + position) :]
            self._point(c, whole[8 * room * position : 8 * room * (position + 1)])
            self.values[c].data = memoryview(bytes_of or b"")
        nulls = count_nulls(valid, self.rows)
        self.values[c].nulls = nulls
        self.values[c].nullable = storage == NOTHING or nulls > 0
        if nulls == self.rows:  # its values need not exist
            zeros: bytes = zeros_of(self.rows)
            self.owners.append(zeros)
            if cython.compiled:
                base = cython.cast(cython.p_uchar, cython.cast(cython.p_char, zeros))
            else:
                base = memoryview(zeros)
            self.values[c].bitmap = self.values[c].data = base
            self._point(c, base)
        elif nulls:
            bits = bitmap_of(valid, self.rows)
            self.owners.append(bits)
            if cython.compiled:
                self.values[c].bitmap = cython.cast(
                    cython.pointer(cython.const[cython.uchar]), PyByteArray_AS_STRING(bits)
                )
            else:
                self.values[c].bitmap = bits
        return 0

    def _bind(self, c: cython.int, storage: cython.int, array: pa.Array) -> cython.int:
        """Points column c at the buffers of an array."""
        values: cython.pointer(cython.const[cython.uchar])  # type: ignore[valid-type]
        buffers = array.buffers()
        first: cython.Py_ssize_t = array.offset
        self.values[c].storage = storage
        self.values[c].first = first
        self.values[c].nulls = self.rows if storage == NOTHING else array.null_count
        self.values[c].nullable = storage == NOTHING or self.values[c].nulls > 0
        if storage == NOTHING or self.rows == 0:
            return 0
        self.owners.append(buffers)
        if cython.compiled:
            values = _address(buffers[1])
            self._point(c, values)
            self.values[c].bitmap = _address(buffers[0])
            self.values[c].data = _address(buffers[len(buffers) - 1])
        else:
            views = [_bytes_of(buffers[0]), _bytes_of(buffers[1]), _bytes_of(buffers[len(buffers) - 1])]
            self.values[c].bitmap = views[0]
            self._point(c, views[1])
            self.values[c].data = views[2]
        return 0

    def _point(
        self,
        c: cython.int,
        image: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
    ) -> cython.int:
        """Points the views of column c at its numbers, or at the ends of its values."""
        if cython.compiled:
            self.values[c].i64 = cython.cast(cython.pointer(cython.const[cython.longlong]), image)
            self.values[c].u64 = cython.cast(cython.pointer(cython.const[cython.ulonglong]), image)
            self.values[c].f64 = cython.cast(cython.pointer(cython.const[cython.double]), image)
            self.values[c].ends = cython.cast(cython.pointer(cython.const[cython.int]), image)
        else:
            eights = image[: len(image) // 8 * 8]
            self.values[c].i64 = eights.cast("q")
            self.values[c].u64 = eights.cast("Q")
            self.values[c].f64 = eights.cast("d")
            self.values[c].ends = image[: len(image) // 4 * 4].cast("i")
        return 0

    def has_values(self, c: cython.int) -> cython.bint:
        """Whether any row has a value in column c."""
        return self.values[c].nulls < self.rows

    # ---- one value

    def null_at(self, c: cython.int, row: cython.Py_ssize_t) -> cython.bint:
        """Whether the value is null."""
        i: cython.Py_ssize_t
        if not self.values[c].nullable:
            return False
        if self.values[c].storage == NOTHING:
            return True
        i = self.values[c].first + row
        return not (self.values[c].bitmap[i >> 3] >> (i & 7)) & 1

    def same_number(self, c: cython.int, row: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.bint:
        """Whether two rows have the same number, or are both null."""
        if self.null_at(c, row) or self.null_at(c, other):
            return self.null_at(c, row) and self.null_at(c, other)
        return bool(self.values[c].u64[self.values[c].first + row] == self.values[c].u64[self.values[c].first + other])

    def int_at(self, c: cython.int, row: cython.Py_ssize_t) -> cython.longlong:
        """A signed number. The row must not be null; the same holds for the methods below."""
        value: cython.longlong = self.values[c].i64[self.values[c].first + row]
        return value

    def uint_at(self, c: cython.int, row: cython.Py_ssize_t) -> cython.ulonglong:
        """An unsigned number."""
        value: cython.ulonglong = self.values[c].u64[self.values[c].first + row]
        return value

    def ints(self, c: cython.int) -> cython.p_longlong:
        """The signed numbers of a column from its first row on; at nulls they are undefined."""
        if cython.compiled:
            return cython.cast(cython.p_longlong, self.values[c].i64) + self.values[c].first
        return self.values[c].i64[self.values[c].first :] if self.rows else memoryview(b"")

    def binary(self, c: cython.int, row: cython.Py_ssize_t) -> bytes:
        """The bytes of a variable-width value."""
        i: cython.Py_ssize_t = self.values[c].first + row
        start: cython.Py_ssize_t = self.values[c].ends[i]
        stop: cython.Py_ssize_t = self.values[c].ends[i + 1]
        if cython.compiled:
            return PyBytes_FromStringAndSize(cython.cast(cython.p_char, self.values[c].data + start), stop - start)
        return bytes(self.values[c].data[start:stop])

    def text(self, c: cython.int, row: cython.Py_ssize_t) -> str:
        """The text of a variable-width value; UnicodeDecodeError when it is not UTF-8."""
        i: cython.Py_ssize_t = self.values[c].first + row
        start: cython.Py_ssize_t = self.values[c].ends[i]
        stop: cython.Py_ssize_t = self.values[c].ends[i + 1]
        if cython.compiled:
            return PyUnicode_DecodeUTF8(
                cython.cast(cython.p_char, self.values[c].data + start), stop - start, cython.NULL
            )
        return bytes(self.values[c].data[start:stop]).decode()

    def value(self, c: cython.int, row: cython.Py_ssize_t) -> Any:
        """A value as a Python object: None, int, float, str or bytes. Text that is not UTF-8 is returned as bytes."""
        storage: cython.int = self.values[c].storage
        if self.null_at(c, row):
            return None
        if storage == INT:
            return self.values[c].i64[self.values[c].first + row]
        if storage == UINT:
            return self.values[c].u64[self.values[c].first + row]
        if storage == FLOAT:
            return self.values[c].f64[self.values[c].first + row]
        if storage == BYTES:
            return self.binary(c, row)
        if storage == TEXT:
            return self.text(c, row)
        try:
            return self.text(c, row)
        except UnicodeDecodeError:
            return self.binary(c, row)

    def fill(
        self, found: dict[Any, Any], names: list[Any], row: cython.Py_ssize_t, before: cython.Py_ssize_t
    ) -> cython.int:
        """Puts the values of a row into a dict, by column name.

        Args:
            found: has the values of the row `before`, or None in every column.
            names: of the columns.
            before: the row whose values the dict has, or -1 if all are None. Equal values are left alone, which saves
                most of the work when the two rows are the images of an update.
        """
        c: cython.int
        if cython.compiled:
            # the loop over `value` below, with each column's view looked up once: this is a hot path
            v: cython.pointer(ColumnView)
            i: cython.Py_ssize_t
            j: cython.Py_ssize_t
            was: cython.bint
            size: cython.Py_ssize_t
            for c in range(self.width):
                v = cython.address(self.values[c])
                i = v.first + row
                j = v.first + before
                if v.nullable:
                    was = before >= 0 and v.storage != NOTHING and (v.bitmap[j >> 3] >> (j & 7)) & 1
                    if v.storage == NOTHING or not (v.bitmap[i >> 3] >> (i & 7)) & 1:
                        if was:
                            found[names[c]] = None
                        continue
                else:
                    was = before >= 0
                if v.storage <= FLOAT:
                    if was and v.u64[i] == v.u64[j]:
                        continue
                    if v.storage == INT:
                        found[names[c]] = v.i64[i]
                    elif v.storage == UINT:
                        found[names[c]] = v.u64[i]
                    else:
                        found[names[c]] = v.f64[i]
                    continue
                size = v.ends[i + 1] - v.ends[i]
                if (
                    was
                    and size == v.ends[j + 1] - v.ends[j]
                    and memcmp(v.data + v.ends[i], v.data + v.ends[j], size) == 0
                ):
                    continue
                if v.storage == TEXT:
                    found[names[c]] = PyUnicode_DecodeUTF8(
                        cython.cast(cython.p_char, v.data + v.ends[i]), size, cython.NULL
                    )
                else:
                    found[names[c]] = self.value(c, row)
        else:
            for c in range(self.width):
                found[names[c]] = self.value(c, row)
        return 0

    def variable_bytes(self) -> cython.longlong:
        """The number of bytes of all variable-width values."""
        c: cython.int
        total: cython.longlong = 0
        for c in range(self.width):
            if self.values[c].storage >= TEXT and self.rows > 0:
                total += (
                    self.values[c].ends[self.values[c].first + self.rows] - self.values[c].ends[self.values[c].first]
                )
        return total

    # ---- a row

    if cython.compiled:

        def place(self, c: cython.int, row: cython.Py_ssize_t) -> cython.p_uchar:
            """The address of the bytes of a variable-width value."""
            return self.values[c].data + self.values[c].ends[self.values[c].first + row]

    def size(self, c: cython.int, row: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The size in bytes of the value in a binary message, without its length; -1 if it is null."""
        storage: cython.int = self.values[c].storage
        i: cython.Py_ssize_t = self.values[c].first + row
        u: cython.ulonglong
        size: cython.Py_ssize_t = 1
        if self.null_at(c, row):
            return -1
        if storage >= TEXT:
            size = self.values[c].ends[i + 1] - self.values[c].ends[i]
            return size
        if storage == FLOAT:
            return 8
        u = self.zigzag(c, i) if storage == INT else self.values[c].u64[i]
        while u >= 0x80:
            u >>= 7
            size += 1
        return size

    def zigzag(self, c: cython.int, i: cython.Py_ssize_t) -> cython.ulonglong:
        """The signed number at i (including the array's offset) as a zigzag-encoded uvarint."""
        v: cython.longlong = self.values[c].i64[i]
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        return ((v << 1) & mask) ^ (mask if v < 0 else 0)


def fits(held: cython.int, storage: cython.int) -> cython.bint:
    """Whether a column of storage `held` can be read as `storage` without conversion."""
    return held == storage or held == NOTHING or (held >= TEXT and storage >= TEXT)


if cython.compiled:

    @cython.cfunc
    @cython.exceptval(check=False)
    def _address(buffer: object) -> cython.pointer(cython.const[cython.uchar]):
        """The address of a buffer; for None or an empty buffer an address that is never read."""
        if buffer is None:
            return cython.NULL
        return cython.cast(cython.pointer(cython.const[cython.uchar]), cython.cast(cython.size_t, buffer.address))

else:

    def _bytes_of(buffer: pa.Buffer | None) -> memoryview:
        """A buffer's bytes; for None or an empty buffer bytes that are never read."""
        return memoryview(buffer).cast("B") if buffer is not None and buffer.size else memoryview(bytes(8))
