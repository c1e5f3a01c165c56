"""Bounds-checked access to the bytes of messages: the base class of the cursors of all wires."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tidewire.runtime import cython
from tidewire.runtime.errors import RANGE, TRAILING, TRUNCATED, UNKNOWN, UTF8, VALUE, WireError
from tidewire.runtime.wire.messages import messages

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
    from cython.cimports.cpython.unicode import PyUnicode_DecodeUTF8
    from cython.cimports.libc.string import memcmp, memcpy
    from cython.cimports.tidewire.runtime.wire.utf8 import well_formed
else:
    import zlib

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from tidewire.runtime.arrow.memory import Numbers

NONE: frozenset[int] = frozenset()

MOST_SHOWN: Final = 16
"""The most bytes of a value in an error."""
FEW: cython.Py_ssize_t = 16
"""For fewer messages, copying them to one buffer costs more than it saves."""
MOST_TOGETHER: cython.Py_ssize_t = 1 << 28
"""The most bytes of messages that are copied to one buffer."""


class ByteReader:
    """Reads message[pos:end]; offsets count from the message's first byte.

    Attributes:
        readable: how many bytes from the start of the message may be accessed: other messages may follow it.
    """

    def attach(self, data: memoryview, offsets: memoryview) -> cython.int:
        """Takes a buffer of n messages and their n + 1 offsets in it, int32 or int64."""
        view: cython.const[cython.uchar][::1] = data  # type: ignore[valid-type]
        offset_bytes: cython.const[cython.uchar][::1]  # type: ignore[valid-type]
        self.owner = (data, offsets)
        self.held: list[bytes | None] | None = None
        self.size = len(data)
        self.messages = len(offsets) - 1
        self.wide = offsets.itemsize == 8
        if cython.compiled:
            offset_bytes = offsets.cast("B")
            self.base = cython.address(view[0])
            self.i64 = cython.cast(cython.pointer(cython.const[cython.longlong]), cython.address(offset_bytes[0]))
            self.i32 = cython.cast(cython.pointer(cython.const[cython.int]), cython.address(offset_bytes[0]))
        else:
            self.i64 = self.i32 = offsets
        return 0

    def receive(self, values: pa.Array | pa.ChunkedArray | Sequence[bytes | None]) -> frozenset[int]:
        """Takes messages, which are read in place; returns the indexes of those that are null.

        Args:
            values: binary or large_binary array, or a sequence of bytes.

        Raises:
            TypeError: values are something else.
        """
        if type(values) is list and all_bytes(values):
            self.held = list(values)
            self.messages = len(values)
            return frozenset([k for k, value in enumerate(values) if value is None]) if None in values else NONE
        data, offsets, missing = messages(values)
        self.attach(data, offsets)
        return missing

    def receive_together(self, values: pa.Array | pa.ChunkedArray | Sequence[bytes | None]) -> frozenset[int]:
        """Like `receive`, for decoders that read messages together: a list of many is copied to one place."""
        if not cython.compiled or type(values) is not list or len(values) < FEW or not all_bytes(values):
            return self.receive(values)
        if cython.compiled:
            k: cython.Py_ssize_t
            at: cython.Py_ssize_t = 0
            total: cython.Py_ssize_t = 0
            held: list[bytes | None] = list(values)
            for k in range(len(held)):
                total += 0 if held[k] is None else len(held[k])
            if total == 0 or total > MOST_TOGETHER:
                return self.receive(values)
            data = bytearray(total)
            offsets = bytearray(4 * (len(held) + 1))
            target: cython.p_char = PyByteArray_AS_STRING(data)
            ends: cython.p_int = cython.cast(cython.p_int, PyByteArray_AS_STRING(offsets))
            missing: list[int] = []
            ends[0] = 0
            for k in range(len(held)):
                if held[k] is None:
                    missing.append(k)
                else:
                    image: bytes = held[k]
                    memcpy(target + at, cython.cast(cython.p_char, image), len(image))
                    at += len(image)
                ends[k + 1] = at
            self.attach(memoryview(data), memoryview(offsets).cast("i"))
            return frozenset(missing) if missing else NONE
        return NONE

    def load(self, message: cython.Py_ssize_t) -> cython.int:
        """Starts to read the message with this index."""
        start: cython.Py_ssize_t
        stop: cython.Py_ssize_t
        image: bytes
        if message < 0 or message >= self.messages:
            raise IndexError(message)
        if self.held is not None:
            image = self.held[message] or b""
            if cython.compiled:
                self.p = cython.cast(cython.p_uchar, cython.cast(cython.p_char, image))
            else:
                self.p = image
            self.pos = 0
            self.end = self.readable = len(image)
            return 0
        if self.wide:
            start = self.i64[message]
            stop = self.i64[message + 1]
        else:
            start = self.i32[message]
            stop = self.i32[message + 1]
        if start < 0 or start > stop or stop > self.size:
            raise ValueError(f"messages lie between 0 and {self.size}, not between {start} and {stop}")
        if cython.compiled:
            self.p = self.base + start
        else:
            self.p = bytes(self.owner[0][start:stop])
        self.pos = 0
        self.end = stop - start
        self.readable = self.size - start
        return 0

    def fail(
        self,
        code: cython.int,
        field: cython.int,
        offset: cython.Py_ssize_t,
        needed: cython.longlong,
        available: cython.longlong,
    ) -> cython.int:
        """Raises the error with these numbers."""
        raise WireError(code, field, offset, needed, available, self.found(code, offset, needed))

    def refuse(
        self,
        code: cython.int,
        field: cython.int,
        offset: cython.Py_ssize_t,
        needed: cython.longlong,
        found: str,
        expected: str,
    ) -> cython.int:
        """Raises an error that contains the text found and the expected text."""
        raise WireError(code, field, offset, needed, 0, found, expected)

    def found(self, code: cython.int, offset: cython.Py_ssize_t, size: cython.longlong) -> str:
        """The bytes that an error is about, in the form that it shows; empty if it is about none."""
        if code not in (VALUE, UNKNOWN, UTF8, TRAILING) or size <= 0:
            return ""
        image: bytes = self.copy(offset, offset + min(size, MOST_SHOWN))
        return f"x'{image.hex()}{'…' if size > MOST_SHOWN else ''}'"

    def clamped(self, value: cython.ulonglong) -> cython.longlong:
        """A number for an error, which has signed numbers: 2^63 and more become 2^63 - 1."""
        most: cython.ulonglong = 0x7FFFFFFFFFFFFFFF
        return value if value < most else most

    # ---- which bytes may be read

    def select(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """Restricts reading to message[start:stop]; the caller has checked both."""
        self.pos = start
        self.end = stop
        return 0

    def extent(
        self, start: cython.Py_ssize_t, size: cython.longlong, limit: cython.Py_ssize_t, field: cython.int
    ) -> cython.Py_ssize_t:
        """The end of a part of that many bytes from start on; an error if that is beyond limit."""
        if size < 0 or size > limit - start:
            return self.fail(TRUNCATED, field, start, size, limit - start)
        return start + size

    def extents(
        self, start: cython.Py_ssize_t, sizes: Numbers, limit: cython.Py_ssize_t, field: cython.int
    ) -> cython.Py_ssize_t:
        """The end of parts of these sizes, one after the other from start on; an error if that is beyond limit."""
        return self.extents_of(start, sizes, 0, sizes.size, limit, field)

    def extents_of(
        self,
        start: cython.Py_ssize_t,
        sizes: Numbers,
        first: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
        limit: cython.Py_ssize_t,
        field: cython.int,
    ) -> cython.Py_ssize_t:
        """`extents` of sizes[first:stop]."""
        k: cython.Py_ssize_t
        for k in range(first, stop):
            if sizes.i64[k] < 0 or sizes.i64[k] > limit - start:
                return self.fail(TRUNCATED, field, start, sizes.i64[k], limit - start)
            start += sizes.i64[k]
        return start

    def before(self, stop: cython.Py_ssize_t, size: cython.ulonglong, field: cython.int) -> cython.Py_ssize_t:
        """The start of a part of that many bytes before stop; an error if that is before what has been read."""
        room: cython.ulonglong = stop - self.pos
        if size > room:
            return self.fail(RANGE, field, stop, self.clamped(size), stop - self.pos)
        return stop - size

    def meet(self, front: cython.Py_ssize_t, back: cython.Py_ssize_t, field: cython.int) -> cython.int:
        """An error unless what was read from the front ends where what was read from the back starts."""
        if front != back:
            return self.fail(TRAILING, field, front, back - front, 0)
        return 0

    def consumed(self, field: cython.int) -> cython.int:
        """Raises an error if unread bytes are left."""
        if self.pos != self.end:
            return self.fail(TRAILING, field, self.pos, self.end - self.pos, 0)
        return 0

    # ---- bytes of the message

    def u8(self, field: cython.int) -> cython.int:
        """One byte."""
        if self.pos >= self.end:
            return self.fail(TRUNCATED, field, self.pos, 1, 0)
        self.pos += 1
        return self.p[self.pos - 1]

    def big_endian(self, size: cython.int, field: cython.int) -> cython.ulonglong:
        """A number of `size` bytes, the most significant first."""
        k: cython.Py_ssize_t
        value: cython.ulonglong = 0
        if self.end - self.pos < size:
            self.fail(TRUNCATED, field, self.pos, size, self.end - self.pos)
        for k in range(self.pos, self.pos + size):
            value = value << 8 | self.p[k]
        self.pos += size
        return value

    def u64be(self, field: cython.int) -> cython.ulonglong:
        """Eight bytes, the most significant first."""
        return self.big_endian(8, field)

    def copy(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> bytes:
        """A copy of message[start:stop]."""
        if cython.compiled:
            return PyBytes_FromStringAndSize(cython.cast(cython.p_char, self.p + start), stop - start)
        return bytes(self.p[start:stop])

    def decoded(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, field: cython.int) -> str:
        """message[start:stop] as text."""
        if not self.utf8(start, stop):
            self.fail(UTF8, field, start, stop - start, 0)
        if cython.compiled:
            return PyUnicode_DecodeUTF8(cython.cast(cython.p_char, self.p + start), stop - start, cython.NULL)
        return self.p[start:stop].decode()

    def matches(self, image: bytes, size: cython.Py_ssize_t) -> cython.bint:
        """Whether the next bytes are `image`, whose length is `size`."""
        if size > self.end - self.pos:
            return False
        if cython.compiled:
            return memcmp(cython.cast(cython.p_char, image), self.p + self.pos, size) == 0
        return self.p[self.pos : self.pos + size] == image

    def digest(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.ulonglong:
        """A hash of all bytes of message[start:stop], for finding it in a cache."""
        h: cython.ulonglong
        if cython.compiled:
            h = _digest(self.p, start, stop)
        else:
            h = zlib.crc32(self.p[start:stop])
        return h

    def utf8(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        """Whether message[start:stop] is well-formed UTF-8 (RFC 3629: no over-long form, no surrogate)."""
        if cython.compiled:
            return well_formed(self.p, start, stop)
        try:
            self.p[start:stop].decode()
        except UnicodeDecodeError:
            return False
        return True


def all_bytes(values: Sequence[object]) -> cython.bint:
    """Whether all of these are None or of type bytes exactly."""
    for value in values:
        if value is not None and type(value) is not bytes:
            return False
    return True


if cython.compiled:

    @cython.cfunc
    @cython.exceptval(check=False)
    def _digest(
        p: cython.pointer(cython.const[cython.uchar]), i: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.ulonglong:
        """Hashes eight bytes at a time, mixed by multiplication."""
        # constants in variables: a large literal would be a Python object
        mix: cython.ulonglong = 0xFF51AFD7ED558CCD
        h: cython.ulonglong = 0x9E3779B97F4A7C15
        w: cython.ulonglong = 0
        h ^= cython.cast(cython.ulonglong, end - i)
        while i + 8 <= end:
            memcpy(cython.address(w), p + i, 8)
            h = (h ^ w) * mix
            h ^= h >> 32
            i += 8
        while i < end:
            h = (h ^ p[i]) * mix
            h ^= h >> 32
            i += 1
        return h
