"""Reads VARIANT objects back into typed columns; the inverse of `tidewire.spark.kernels.variant`, but tolerant of other
writers.

The type of the column determines which values are accepted: an integer column takes integers of every width and
decimals without a fraction, a float column also takes integers and decimals that it holds exactly, text is a string,
bytes are binary. Values are never rounded.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from tidewire.runtime import cython
from tidewire.runtime.arrow.arrays import finished
from tidewire.runtime.arrow.columns import Columns
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.arrow.storage import BYTES, FLOAT, INT, RAW_TEXT, TEXT, UINT
from tidewire.runtime.batch import messages
from tidewire.runtime.errors import TidewireError, WireError
from tidewire.runtime.wire.byte_reader import ByteReader

if TYPE_CHECKING:
    from typing import Any

_FIELD = 0
_PRIMITIVES = (
    "null true false int8 int16 int32 int64 double decimal4 decimal8 decimal16 date timestamp timestamp_ntz "
    "float binary string time timestamp_nanos timestamp_ntz_nanos uuid"
).split()
_WANTED = {
    0: "nothing but null",
    1: "an integer of 64 bits",
    2: "an integer from 0 to 2^64 - 1",
    3: "a number that a double holds exactly",
    4: "a string",
    5: "binary",
    6: "a string or binary",
}


class VariantError(TidewireError, ValueError):
    """An object does not fit its columns.

    Attributes:
        row: the index of the object.
        reason: what is wrong with it and what would be right.
    """

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(f"row {row}: {reason}")
        self.row = row
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.row, self.reason)


class _Misfit(Exception):
    """The error of the current object."""


class ObjectReader:
    """Reads objects whose keys are column names; each column has a storage (tidewire.runtime.arrow.storage)."""

    def __init__(self, names: Sequence[str], storages: Sequence[int]) -> None:
        self.names = tuple(names)
        self.storages = tuple(storages)
        self.index = {name: c for c, name in enumerate(names)}
        self.width = len(self.names)
        self.image = b""
        self.columns = Numbers()
        self.filled = Numbers()

    def read(self, values: pa.Array, metadata: pa.Array) -> list[pa.Array]:
        """One array for each column (int64, uint64, float64, utf8, binary or null), in the order of the names.

        Args:
            values: binary, without nulls.
            metadata: binary, without nulls, of the same length.

        Raises:
            VariantError: an object is malformed, lacks a column, has another field, or a value that the column cannot
                hold.
        """
        row: cython.Py_ssize_t
        c: cython.Py_ssize_t
        rows: cython.Py_ssize_t = len(values)
        out: Columns = Columns(self.storages)
        r: ByteReader = ByteReader()
        m: ByteReader = ByteReader()
        data, offsets, _ = messages(values)
        r.attach(data, offsets)
        data, offsets, _ = messages(metadata)
        m.attach(data, offsets)
        self.filled.take(self.width)
        for c in range(self.width):
            self.filled.i64[c] = -1
        out.reserve(rows + 1)
        for row in range(rows):
            r.load(row)
            m.load(row)
            try:
                if len(self.image) != m.end or not m.matches(self.image, len(self.image)):
                    self.learn(m)
                self.object(r, out, row)
            except WireError as error:
                raise VariantError(row, f"not a VARIANT object that can be read (byte {error.offset})") from None
            except _Misfit as error:
                raise VariantError(row, str(error)) from None
            out.rows = row + 1
        return finished(out)

    def learn(self, r: ByteReader) -> cython.int:
        """Parses the metadata: the column of each key (-1: none)."""
        k: cython.Py_ssize_t
        header: cython.int = r.u8(_FIELD)
        width: cython.Py_ssize_t = (header >> 6) + 1
        count: cython.Py_ssize_t
        start: cython.Py_ssize_t
        stop: cython.Py_ssize_t
        base: cython.Py_ssize_t
        if header & 0x0F != 1:
            raise _Misfit(f"VARIANT metadata of version {header & 0x0F}, only version 1 is known")
        count = _number(r, 1, width)
        base = r.extent(1 + width, (count + 1) * width, r.end, _FIELD)
        self.image = b""
        self.columns.take(count)
        stop = _number(r, 1 + width, width)
        for k in range(count):
            start = stop
            stop = _number(r, 1 + width + (k + 1) * width, width)
            if stop < start or stop > r.end - base:
                r.fail(0, _FIELD, base, stop, r.end - base)
            self.columns.i64[k] = self.index.get(r.copy(base + start, base + stop).decode("utf-8", "replace"), -1)
        self.image = r.copy(0, r.end)
        return 0

    def object(self, r: ByteReader, out: Columns, row: cython.Py_ssize_t) -> cython.int:
        """Reads the whole buffer, which is one object, as a row."""
        k: cython.Py_ssize_t
        c: cython.Py_ssize_t
        position: cython.Py_ssize_t
        seen: cython.Py_ssize_t = 0
        header: cython.int = r.u8(_FIELD)
        width: cython.Py_ssize_t = (header >> 2 & 3) + 1
        id_width: cython.Py_ssize_t = (header >> 4 & 3) + 1
        size_width: cython.Py_ssize_t = 4 if header & 0x40 else 1
        count: cython.Py_ssize_t
        offsets: cython.Py_ssize_t
        base: cython.Py_ssize_t
        if header & 3 != 2:
            raise _Misfit("a VARIANT that is no object")
        count = _number(r, 1, size_width)
        offsets = r.extent(1 + size_width, count * id_width, r.end, _FIELD)
        base = r.extent(offsets, (count + 1) * width, r.end, _FIELD)
        for k in range(count):
            position = _number(r, 1 + size_width + k * id_width, id_width)
            if position >= self.columns.size:
                r.fail(0, _FIELD, 1 + size_width, position, self.columns.size)
            c = self.columns.i64[position]
            if c < 0:
                raise _Misfit("it has a field that its columns do not list: " + ", ".join(map(repr, self.names)))
            if self.filled.i64[c] == row:
                raise _Misfit(f"it has the field {self.names[c]!r} twice")
            self.filled.i64[c] = row
            seen += 1
            position = _number(r, offsets + k * width, width)
            self.value(r, r.extent(base, position, r.end, _FIELD), out, c, row)
        if seen != self.width:
            for c in range(self.width):
                if self.filled.i64[c] != row:
                    raise _Misfit(
                        f"it lacks the column {self.names[c]!r}: a null must be there, an absent column not be listed"
                    )
        return 0

    def value(
        self, r: ByteReader, start: cython.Py_ssize_t, out: Columns, c: cython.int, row: cython.Py_ssize_t
    ) -> cython.int:
        """Reads the value at `start` into column c."""
        storage: cython.int = self.storages[c]
        header: cython.int
        kind: cython.int
        n: cython.Py_ssize_t
        r.extent(start, 1, r.end, _FIELD)
        header = r.p[start]
        kind = header >> 2
        if header & 3 == 1:
            if storage != TEXT and storage != RAW_TEXT:
                return self.refuse(c, 16)
            return self.text(r, start + 1, kind, out, c, row)
        if header & 3 != 0:
            return self.refuse(c, -1)
        if kind == 0:
            return out.put_null(c, row)
        if kind >= 3 and kind <= 6:
            return self.integer(r, start + 1, 1 << (kind - 3), out, c, row)
        if kind == 7 and storage == FLOAT:
            return out.put_uint(c, row, _number(r, start + 1, 8))
        if kind == 14 and storage == FLOAT:
            r.extent(start, 5, r.end, _FIELD)
            return out.put_uint(c, row, _bits(struct.unpack("<f", r.copy(start + 1, start + 5))[0]))
        if kind >= 8 and kind <= 10:
            return self.exact(r, start + 1, 4 << (kind - 8), out, c, row)
        if (kind == 16 and (storage == TEXT or storage == RAW_TEXT)) or (
            kind == 15 and (storage == BYTES or storage == RAW_TEXT)
        ):
            n = _number(r, start + 1, 4)
            return self.text(r, start + 5, n, out, c, row)
        return self.refuse(c, kind)

    def integer(
        self,
        r: ByteReader,
        start: cython.Py_ssize_t,
        width: cython.int,
        out: Columns,
        c: cython.int,
        row: cython.Py_ssize_t,
    ) -> cython.int:
        """Reads an integer of `width` bytes."""
        storage: cython.int = self.storages[c]
        bits: cython.ulonglong = _number(r, start, width)
        v: cython.longlong
        half: cython.ulonglong = 1
        half <<= 8 * width - 1
        if bits < half:
            v = bits
        else:
            half -= 1
            v = bits & half
            v -= half
            v -= 1
        if storage == INT or (storage == UINT and v >= 0):
            return out.put_int(c, row, v)
        if storage == FLOAT and -(1 << 53) <= v <= 1 << 53:
            return out.put_uint(c, row, _bits(v))
        return self.refuse(c, 6)

    def exact(
        self,
        r: ByteReader,
        start: cython.Py_ssize_t,
        width: cython.int,
        out: Columns,
        c: cython.int,
        row: cython.Py_ssize_t,
    ) -> cython.int:
        """Reads a decimal: the scale, then `width` bytes of the unscaled number."""
        r.extent(start, width + 1, r.end, _FIELD)
        number = int.from_bytes(r.copy(start + 1, start + 1 + width), "little", signed=True)
        unit = 10 ** int(r.p[start])
        storage: cython.int = self.storages[c]
        if storage == FLOAT:
            return out.put_uint(c, row, _bits(number / unit))
        whole, rest = divmod(number, unit)
        low, high = (-(1 << 63), (1 << 63) - 1) if storage == INT else (0, (1 << 64) - 1)
        if rest or storage not in (INT, UINT) or not low <= whole <= high:
            return self.refuse(c, 10)
        return out.put_uint(c, row, whole & (1 << 64) - 1)

    def text(
        self,
        r: ByteReader,
        start: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        out: Columns,
        c: cython.int,
        row: cython.Py_ssize_t,
    ) -> cython.int:
        """Reads a string or binary of n bytes."""
        r.extent(start, n, r.end, _FIELD)
        return out.put_bytes(c, row, r, start, n, _FIELD)

    def refuse(self, c: cython.int, kind: cython.int) -> cython.int:
        """Raises the error of a value of this primitive type (-1: an object or array) in column c."""
        given = "an object or array" if kind < 0 else _PRIMITIVES[kind] if kind < len(_PRIMITIVES) else f"type {kind}"
        raise _Misfit(f"column {self.names[c]!r} takes {_WANTED[self.storages[c]]}, this value of type {given} is none")


def _number(r: ByteReader, start: cython.Py_ssize_t, width: cython.Py_ssize_t) -> cython.ulonglong:
    """The little-endian number of 1 to 8 bytes at `start`."""
    k: cython.Py_ssize_t
    v: cython.ulonglong = 0
    b: cython.ulonglong
    r.extent(start, width, r.end, _FIELD)
    for k in range(width):
        b = r.p[start + k]
        v |= b << (8 * k)
    return v


def _bits(value: float) -> int:
    """The 64 bits of a double."""
    found: int = struct.unpack("<Q", struct.pack("<d", value))[0]
    return found
