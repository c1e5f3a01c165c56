"""Arrow columns as they are read back, value by value: to be written into messages, or to become Python objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tidewire.runtime.columns import ARROW_TYPES

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
    from cython.cimports.cpython.unicode import PyUnicode_DecodeUTF8
    from cython.cimports.libc.stdlib import calloc, free
    from cython.cimports.tidewire.runtime.source import Values
    from cython.cimports.tidewire.runtime.storage_numbers import BYTES, FLOAT, INT, NOTHING, TEXT, UINT
else:
    from tidewire.runtime.storage import BYTES, FLOAT, INT, NOTHING, TEXT, UINT

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Values:
    """Interpreted: what the C struct of source.pxd is compiled."""

    bitmap: Any
    i64: Any
    u64: Any
    f64: Any
    ends: Any
    data: Any
    first: int
    storage: int
    nullable: bool


class Source:
    """Arrow arrays of equal length, each read as the storage that is given for it (runtime/storage.py)."""

    def __init__(self, arrays: Sequence[pa.Array], storages: Sequence[int]) -> None:
        """
        Args:
            arrays: one for each kind of storage; text that is not checked may be binary or utf8.
            storages: what the arrays hold.

        Raises:
            TypeError: an array has another type than its storage has.
            ValueError: the arrays differ in length.
        """
        c: cython.int
        self.width = len(storages)
        self.rows = len(arrays[0]) if self.width else 0
        self.owners: list[object] = []
        if cython.compiled:
            self.values = cython.cast(cython.pointer(Values), calloc(self.width + 1, cython.sizeof(Values)))
            if not self.values:
                raise MemoryError
        else:
            self.values = [_Values() for _ in storages]
        for c in range(self.width):
            if len(arrays[c]) != self.rows:
                raise ValueError(f"array {c} has {len(arrays[c])} values, the first one has {self.rows}")
            self._bind(c, storages[c], stored(arrays[c], storages[c]))

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.values)

    def _bind(self, c: cython.int, storage: cython.int, array: pa.Array) -> cython.int:
        """Column c is that array."""
        values: cython.pointer(cython.const[cython.uchar])  # type: ignore[valid-type]
        buffers = array.buffers()
        first: cython.Py_ssize_t = array.offset
        self.values[c].storage = storage
        self.values[c].first = first
        self.values[c].nullable = storage == NOTHING or array.null_count > 0
        if storage == NOTHING or self.rows == 0:
            return 0
        self.owners.append(buffers)
        if cython.compiled:
            values = _address(buffers[1])
            self.values[c].i64 = cython.cast(cython.pointer(cython.const[cython.longlong]), values)
            self.values[c].u64 = cython.cast(cython.pointer(cython.const[cython.ulonglong]), values)
            self.values[c].f64 = cython.cast(cython.pointer(cython.const[cython.double]), values)
            self.values[c].ends = cython.cast(cython.pointer(cython.const[cython.int]), values)
            self.values[c].bitmap = _address(buffers[0])
            self.values[c].data = _address(buffers[len(buffers) - 1])
        else:
            views = [_bytes_of(buffers[0]), _bytes_of(buffers[1]), _bytes_of(buffers[len(buffers) - 1])]
            self.values[c].bitmap = views[0]
            whole = views[1][: len(views[1]) // 8 * 8]
            self.values[c].i64 = whole.cast("q")
            self.values[c].u64 = whole.cast("Q")
            self.values[c].f64 = whole.cast("d")
            self.values[c].ends = views[1][: len(views[1]) // 4 * 4].cast("i")
            self.values[c].data = views[2]
        return 0

    # ---- one value

    def null_at(self, c: cython.int, row: cython.Py_ssize_t) -> cython.bint:
        """Whether there is no value."""
        i: cython.Py_ssize_t
        if not self.values[c].nullable:
            return False
        if self.values[c].storage == NOTHING:
            return True
        i = self.values[c].first + row
        return not (self.values[c].bitmap[i >> 3] >> (i & 7)) & 1

    def same_number(self, c: cython.int, row: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.bint:
        """Whether two rows have the same number, or none."""
        if self.null_at(c, row) or self.null_at(c, other):
            return self.null_at(c, row) and self.null_at(c, other)
        return bool(self.values[c].u64[self.values[c].first + row] == self.values[c].u64[self.values[c].first + other])

    def int_at(self, c: cython.int, row: cython.Py_ssize_t) -> cython.longlong:
        """A signed number that is there."""
        value: cython.longlong = self.values[c].i64[self.values[c].first + row]
        return value

    def uint_at(self, c: cython.int, row: cython.Py_ssize_t) -> cython.ulonglong:
        """An unsigned number that is there."""
        value: cython.ulonglong = self.values[c].u64[self.values[c].first + row]
        return value

    def binary(self, c: cython.int, row: cython.Py_ssize_t) -> bytes:
        """The bytes of a variable-width value that is there."""
        i: cython.Py_ssize_t = self.values[c].first + row
        start: cython.Py_ssize_t = self.values[c].ends[i]
        stop: cython.Py_ssize_t = self.values[c].ends[i + 1]
        if cython.compiled:
            return PyBytes_FromStringAndSize(cython.cast(cython.p_char, self.values[c].data + start), stop - start)
        return bytes(self.values[c].data[start:stop])

    def text(self, c: cython.int, row: cython.Py_ssize_t) -> str:
        """The text of a variable-width value that is there; UnicodeDecodeError when it is not UTF-8."""
        i: cython.Py_ssize_t = self.values[c].first + row
        start: cython.Py_ssize_t = self.values[c].ends[i]
        stop: cython.Py_ssize_t = self.values[c].ends[i + 1]
        if cython.compiled:
            return PyUnicode_DecodeUTF8(
                cython.cast(cython.p_char, self.values[c].data + start), stop - start, cython.NULL
            )
        return bytes(self.values[c].data[start:stop]).decode()

    def value(self, c: cython.int, row: cython.Py_ssize_t) -> Any:
        """A value as a Python object: None, int, float, str or bytes; text that is not UTF-8 comes as bytes."""
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

    def variable_bytes(self) -> cython.longlong:
        """How many bytes all variable-width values take up."""
        c: cython.int
        total: cython.longlong = 0
        for c in range(self.width):
            if self.values[c].storage >= TEXT and self.rows > 0:
                total += (
                    self.values[c].ends[self.values[c].first + self.rows] - self.values[c].ends[self.values[c].first]
                )
        return total

    # ---- a row

    def size(self, c: cython.int, row: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """How many bytes the value takes up when it is written, its length aside; -1 when it is null."""
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
        """The signed number at i (the array's offset included) as the uvarint that stands for it."""
        v: cython.longlong = self.values[c].i64[i]
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        return ((v << 1) & mask) ^ (mask if v < 0 else 0)


def stored(array: pa.Array, storage: int) -> pa.Array:
    """An array as its storage has it; strings of another width are cast.

    Raises:
        TypeError: it holds something else, or more than 2 GiB of strings, or is no array.
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
        # bytes are as good as text for writing: they are not looked at
        if pa.types.is_string(array.type) or pa.types.is_binary(array.type):
            return array
        try:
            return array.cast(pa.binary())
        except pa.ArrowInvalid as error:
            raise TypeError(f"{array.type} that {kind} cannot hold: {error}") from None
    if array.null_count == len(array):
        return pa.nulls(len(array), kind)
    raise TypeError(f"an array of {kind} is expected, not of {array.type}")


if cython.compiled:

    @cython.cfunc
    @cython.exceptval(check=False)
    def _address(buffer: object) -> cython.pointer(cython.const[cython.uchar]):
        """Where a buffer lies; None and an empty one lie nowhere and are not looked at."""
        if buffer is None:
            return cython.NULL
        return cython.cast(cython.pointer(cython.const[cython.uchar]), cython.cast(cython.size_t, buffer.address))

else:

    def _bytes_of(buffer: pa.Buffer | None) -> memoryview:
        """A buffer's bytes; None and an empty one are not looked at."""
        return memoryview(buffer).cast("B") if buffer is not None and buffer.size else memoryview(bytes(8))
