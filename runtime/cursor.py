"""A bounds-checked cursor over one message: the primitives and chunks that binary protocols are made of.

Every method that reads takes the number of the field it reads for; a `WireError` carries it with the offset, what
was needed and what there is. A chunk has no count of its own: n says how many elements it has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime.errors import CONST, ENUM, OVERFLOW, RANGE, TRAILING, TRUNCATED, UTF8, VALUE, WireError

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
    from cython.cimports.cpython.unicode import PyUnicode_DecodeUTF8
    from cython.cimports.libc.string import memcmp, memcpy
else:
    import struct
    import zlib

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.memory import Numbers


class Cursor:
    """Reads message[pos:end]; offsets count from the message's first byte."""

    def attach(self, data: memoryview, offsets: memoryview) -> cython.int:
        """The bytes in which messages lie, and the n + 1 offsets, int32 or int64, of n messages in them."""
        view: cython.const[cython.uchar][::1] = data  # type: ignore[valid-type]
        places: cython.const[cython.uchar][::1]  # type: ignore[valid-type]
        self.owner = (data, offsets)
        self.size = len(data)
        self.messages = len(offsets) - 1
        self.wide = offsets.itemsize == 8
        if cython.compiled:
            places = offsets.cast("B")
            self.base = cython.address(view[0])
            self.i64 = cython.cast(cython.pointer(cython.const[cython.longlong]), cython.address(places[0]))
            self.i32 = cython.cast(cython.pointer(cython.const[cython.int]), cython.address(places[0]))
        else:
            self.i64 = self.i32 = offsets
        return 0

    def load(self, message: cython.Py_ssize_t) -> cython.int:
        """The message to read, by its number."""
        start: cython.Py_ssize_t
        stop: cython.Py_ssize_t
        if message < 0 or message >= self.messages:
            raise IndexError(message)
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
        return 0

    def fail(
        self,
        code: cython.int,
        field: cython.int,
        offset: cython.Py_ssize_t,
        needed: cython.longlong,
        available: cython.longlong,
    ) -> cython.int:
        """Raises the error that carries these numbers."""
        raise WireError(code, field, offset, needed, available)

    # ---- windows: which bytes may be read

    def select(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """From here on message[start:stop] is read; the caller has checked both."""
        self.pos = start
        self.end = stop
        return 0

    def extent(
        self, start: cython.Py_ssize_t, size: cython.longlong, limit: cython.Py_ssize_t, field: cython.int
    ) -> cython.Py_ssize_t:
        """Where a part of that many bytes from start ends; it may not reach beyond limit."""
        if size < 0 or size > limit - start:
            return self.fail(TRUNCATED, field, start, size, limit - start)
        return start + size

    def extents(
        self, start: cython.Py_ssize_t, sizes: Numbers, limit: cython.Py_ssize_t, field: cython.int
    ) -> cython.Py_ssize_t:
        """Where parts of these sizes, one after the other from start, end; they may not reach beyond limit."""
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
        """The same of sizes[first:stop]."""
        k: cython.Py_ssize_t
        for k in range(first, stop):
            if sizes.i64[k] < 0 or sizes.i64[k] > limit - start:
                return self.fail(TRUNCATED, field, start, sizes.i64[k], limit - start)
            start += sizes.i64[k]
        return start

    def before(self, stop: cython.Py_ssize_t, size: cython.ulonglong, field: cython.int) -> cython.Py_ssize_t:
        """Where a part of that many bytes before stop starts; it may not reach back beyond what has been read."""
        room: cython.ulonglong = stop - self.pos
        if size > room:
            return self.fail(RANGE, field, stop, _clamped(size), stop - self.pos)
        return stop - size

    def consumed(self, field: cython.int) -> cython.int:
        """Nothing is left in the window."""
        if self.pos != self.end:
            return self.fail(TRAILING, field, self.pos, self.end - self.pos, 0)
        return 0

    # ---- primitives

    def u8(self, field: cython.int) -> cython.int:
        """One byte."""
        if self.pos >= self.end:
            return self.fail(TRUNCATED, field, self.pos, 1, 0)
        self.pos += 1
        return self.p[self.pos - 1]

    def uvarint(self, field: cython.int) -> cython.ulonglong:
        """LEB128: 7 bits a byte, low group first, 0x80 = more follow; at most 64 bits. Over-long forms are read."""
        i: cython.Py_ssize_t = self.pos
        shift: cython.int = 0
        b: cython.ulonglong
        v: cython.ulonglong = 0
        while i < self.end:
            b = self.p[i]
            i += 1
            if shift == 63 and b > 1:
                self.fail(OVERFLOW, field, self.pos, 0, 0)
            v |= (b & 0x7F) << shift
            if b < 0x80:
                self.pos = i
                return v
            shift += 7
        self.fail(TRUNCATED, field, self.pos, self.end - self.pos + 1, self.end - self.pos)
        return 0

    def varint(self, field: cython.int) -> cython.longlong:
        """A zigzag number: 0, -1, 1, -2, ... as uvarint 0, 1, 2, 3, ..."""
        v: cython.ulonglong = self.uvarint(field)
        return (v >> 1) ^ -(v & 1)

    def reversed_uvarint(self, field: cython.int) -> cython.ulonglong:
        """A uvarint written back to front at the end of the window; the window then ends before it."""
        i: cython.Py_ssize_t = self.end
        shift: cython.int = 0
        b: cython.ulonglong
        v: cython.ulonglong = 0
        while i > self.pos:
            i -= 1
            b = self.p[i]
            if shift == 63 and b > 1:
                self.fail(OVERFLOW, field, i, 0, 0)
            v |= (b & 0x7F) << shift
            if b < 0x80:
                self.end = i
                return v
            shift += 7
        self.fail(TRUNCATED, field, i, self.end - i + 1, self.end - i)
        return 0

    def float64(self, field: cython.int) -> cython.double:
        """IEEE 754 double, little endian."""
        if self.end - self.pos < 8:
            self.fail(TRUNCATED, field, self.pos, 8, self.end - self.pos)
        self.pos += 8
        return self.float64_at(self.pos - 8)

    def float64_at(self, start: cython.Py_ssize_t) -> cython.double:
        """The same, of 8 bytes that are known to be there."""
        value: cython.double
        if cython.compiled:
            memcpy(cython.address(value), self.p + start, 8)  # noqa: F821
        else:
            value = struct.unpack_from("<d", self.p, start)[0]
        return value

    def count(self, field: cython.int) -> cython.Py_ssize_t:
        """A uvarint that counts things of at least one byte each, all still to come."""
        start: cython.Py_ssize_t = self.pos
        v: cython.ulonglong = self.uvarint(field)
        room: cython.ulonglong = self.end - self.pos
        if v > room:
            self.fail(RANGE, field, start, _clamped(v), self.end - self.pos)
        return v

    def within(self, value: cython.longlong, offset: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """A number that was read at offset, as a size or count of what is still to come."""
        if value < 0 or value > self.end - self.pos:
            return self.fail(RANGE, field, offset, value, self.end - self.pos)
        return value

    def limited(
        self, value: cython.ulonglong, most: cython.ulonglong, offset: cython.Py_ssize_t, field: cython.int
    ) -> cython.longlong:
        """A number that was read at offset, at most that much."""
        if value > most:
            self.fail(RANGE, field, offset, _clamped(value), most)
        return value

    def limited_signed(
        self, value: cython.longlong, most: cython.longlong, offset: cython.Py_ssize_t, field: cython.int
    ) -> cython.longlong:
        """A number that was read at offset, from 0 to that much."""
        if value < 0 or value > most:
            self.fail(RANGE, field, offset, value, most)
        return value

    def one_of(
        self, numbers: Numbers, members: Sequence[int], offset: cython.Py_ssize_t, field: cython.int
    ) -> cython.int:
        """Each number of a chunk that starts at offset is one of these."""
        k: cython.Py_ssize_t
        for k in range(numbers.size):
            if numbers.i64[k] not in members:
                return self.fail(ENUM, field, offset, numbers.i64[k], 0)
        return 0

    def undefined(self, value: cython.ulonglong, offset: cython.Py_ssize_t, field: cython.int) -> cython.int:
        """A number that was read at offset is none of those that are defined."""
        return self.fail(ENUM, field, offset, _clamped(value), 0)

    def expect(
        self, value: cython.ulonglong, wanted: cython.ulonglong, offset: cython.Py_ssize_t, field: cython.int
    ) -> cython.int:
        """A number that was read at offset is this one."""
        if value != wanted:
            return self.fail(CONST, field, offset, _clamped(value), _clamped(wanted))
        return 0

    def expect_bytes(self, wanted: bytes, start: cython.Py_ssize_t, field: cython.int) -> cython.int:
        """What was passed since start is this."""
        if self.copy(start, self.pos) != wanted:
            return self.fail(CONST, field, start, self.pos - start, len(wanted))
        return 0

    def expect_float(self, wanted: cython.double, field: cython.int) -> cython.int:
        """The next eight bytes are this number."""
        start: cython.Py_ssize_t = self.pos
        if self.float64(field) != wanted:
            return self.fail(CONST, field, start, 0, 0)
        return 0

    def meet(self, front: cython.Py_ssize_t, back: cython.Py_ssize_t, field: cython.int) -> cython.int:
        """What was read from the front ends where what was read from the back starts."""
        if front != back:
            return self.fail(TRAILING, field, front, back - front, 0)
        return 0

    def at_most(
        self, numbers: Numbers, most: cython.ulonglong, offset: cython.Py_ssize_t, field: cython.int
    ) -> cython.int:
        """None of the numbers of a chunk that starts at offset is greater than most."""
        k: cython.Py_ssize_t
        for k in range(numbers.size):
            if numbers.u64[k] > most:
                return self.fail(RANGE, field, offset, _clamped(numbers.u64[k]), most)
        return 0

    def string(self, field: cython.int) -> cython.Py_ssize_t:
        """A uvarint length and as many bytes: passes them and gives where they start."""
        n: cython.Py_ssize_t = self.count(field)
        self.pos += n
        return self.pos - n

    # ---- chunks

    def uvarints(self, n: cython.Py_ssize_t, out: Numbers, field: cython.int) -> cython.int:
        """n uvarints."""
        out.take(0)
        return self.append_uvarints(n, out, field)

    def varints(self, n: cython.Py_ssize_t, out: Numbers, field: cython.int) -> cython.int:
        """n zigzag numbers."""
        out.take(0)
        return self.append_varints(n, out, field)

    def delta_uvarints(self, n: cython.Py_ssize_t, out: Numbers, field: cython.int) -> cython.int:
        """A uvarint and n - 1 differences to the number before, modulo 2^64."""
        out.take(0)
        return self.append_delta_uvarints(n, out, field)

    def delta_varints(self, n: cython.Py_ssize_t, out: Numbers, field: cython.int) -> cython.int:
        """A zigzag number and n - 1 zigzag differences to the number before, modulo 2^64."""
        out.take(0)
        return self.append_delta_varints(n, out, field)

    def room_for(self, n: cython.Py_ssize_t, out: Numbers, field: cython.int) -> cython.Py_ssize_t:
        """Room for n numbers of at least one byte each behind those that are there; gives the position of the first."""
        first: cython.Py_ssize_t = out.size
        if n > self.end - self.pos:
            return self.fail(TRUNCATED, field, self.pos, n, self.end - self.pos)
        out.take(first + n)
        return first

    def append_uvarints(self, n: cython.Py_ssize_t, out: Numbers, field: cython.int) -> cython.int:
        """A chunk of uvarints, put behind the numbers that are there."""
        k: cython.Py_ssize_t
        first: cython.Py_ssize_t = self.room_for(n, out, field)
        for k in range(first, first + n):
            if self.pos < self.end and self.p[self.pos] < 0x80:
                out.u64[k] = self.p[self.pos]
                self.pos += 1
            else:
                out.u64[k] = self.uvarint(field)
        return 0

    def append_varints(self, n: cython.Py_ssize_t, out: Numbers, field: cython.int) -> cython.int:
        """A chunk of zigzag numbers, put behind the numbers that are there."""
        k: cython.Py_ssize_t
        first: cython.Py_ssize_t = self.room_for(n, out, field)
        for k in range(first, first + n):
            out.i64[k] = self.varint(field)
        return 0

    def append_delta_uvarints(self, n: cython.Py_ssize_t, out: Numbers, field: cython.int) -> cython.int:
        """A chunk of differences, put behind the numbers that are there."""
        k: cython.Py_ssize_t
        v: cython.ulonglong = 0
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        first: cython.Py_ssize_t = self.room_for(n, out, field)
        for k in range(first, first + n):
            v = (v + self.uvarint(field)) & mask
            out.u64[k] = v
        return 0

    def append_delta_varints(self, n: cython.Py_ssize_t, out: Numbers, field: cython.int) -> cython.int:
        """A chunk of zigzag differences, put behind the numbers that are there."""
        k: cython.Py_ssize_t
        b: cython.ulonglong
        v: cython.ulonglong = 0
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        first: cython.Py_ssize_t = self.room_for(n, out, field)
        for k in range(first, first + n):
            if self.pos < self.end and self.p[self.pos] < 0x80:
                b = self.p[self.pos]
                self.pos += 1
            else:
                b = self.uvarint(field)
            v = (v + ((b >> 1) ^ -(b & 1))) & mask
            out.u64[k] = v
        return 0

    def nullable_sizes(self, n: cython.Py_ssize_t, out: Numbers, field: cython.int) -> cython.int:
        """The sizes of a nullable bytes chunk: n zigzag numbers, -1 for null; the payloads that follow fit in the
        window.
        """
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t = self.pos
        end: cython.Py_ssize_t = self.end
        b: cython.int
        d: cython.longlong
        total: cython.longlong = 0
        if n > end - i:
            return self.fail(TRUNCATED, field, i, n, end - i)
        out.take(n)
        for k in range(n):
            b = self.p[i] if i < end else 0x80
            if b < 0x80:
                i += 1
                d = (b >> 1) ^ -(b & 1)
            else:
                self.pos = i
                d = self.varint(field)
                if d < -1 or d > end - i:
                    return self.fail(RANGE, field, i, d, end - i)
                i = self.pos
            if d > 0:
                total += d
            elif d < -1:
                return self.fail(RANGE, field, i - 1, d, end - i)
            out.i64[k] = d
            if total > end - i:
                return self.fail(TRUNCATED, field, i, total, end - i)
        self.pos = i
        return 0

    def strings(self, n: cython.Py_ssize_t, ends: Numbers, field: cython.int) -> cython.int:
        """A string chunk: n uvarint sizes, then the payloads, which are passed.

        ends gets n + 1 offsets in the message: where the first payload starts, then where each ends.
        """
        k: cython.Py_ssize_t
        v: cython.ulonglong
        room: cython.ulonglong
        total: cython.Py_ssize_t = 0
        if n > self.end - self.pos:
            return self.fail(TRUNCATED, field, self.pos, n, self.end - self.pos)
        ends.take(n + 1)
        for k in range(n):
            v = self.uvarint(field)
            if total > self.end - self.pos:
                return self.fail(TRUNCATED, field, self.pos, total, self.end - self.pos)
            room = self.end - self.pos - total
            if v > room:
                return self.fail(TRUNCATED, field, self.pos, _clamped(v), self.end - self.pos - total)
            total += v
            ends.i64[k + 1] = total
        ends.i64[0] = self.pos
        for k in range(n):
            ends.i64[k + 1] += self.pos
        self.pos += total
        return 0

    # ---- bytes of the message

    def cell_uvarint(self, start: cython.Py_ssize_t, size: cython.Py_ssize_t, field: cython.int) -> cython.ulonglong:
        """A uvarint that takes up exactly these bytes, which are known to be there."""
        i: cython.Py_ssize_t
        shift: cython.int = 0
        b: cython.ulonglong = 0x80
        v: cython.ulonglong = 0
        if size > 10 or (size == 10 and self.p[start + 9] > 1):
            self.fail(VALUE, field, start, size, 0)
        for i in range(start, start + size):
            if b < 0x80:
                self.fail(VALUE, field, start, size, 0)
            b = self.p[i]
            v |= (b & 0x7F) << shift
            shift += 7
        if b >= 0x80:
            self.fail(VALUE, field, start, size, 0)
        return v

    def copy(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> bytes:
        """message[start:stop] as an object of its own."""
        if cython.compiled:
            return PyBytes_FromStringAndSize(cython.cast(cython.p_char, self.p + start), stop - start)
        return self.p[start:stop]

    def decoded(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, field: cython.int) -> str:
        """message[start:stop] as text."""
        if not self.utf8(start, stop):
            self.fail(UTF8, field, start, stop - start, 0)
        if cython.compiled:
            return PyUnicode_DecodeUTF8(cython.cast(cython.p_char, self.p + start), stop - start, cython.NULL)
        return self.p[start:stop].decode()

    def matches(self, image: bytes, size: cython.Py_ssize_t) -> cython.bint:
        """Whether image (of that size) is what comes next in the window."""
        if size > self.end - self.pos:
            return False
        if cython.compiled:
            return memcmp(cython.cast(cython.p_char, image), self.p + self.pos, size) == 0
        return self.p[self.pos : self.pos + size] == image

    def digest(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.ulonglong:
        """A hash of message[start:stop] with all its bytes in it, for finding it among those seen."""
        h: cython.ulonglong
        if cython.compiled:
            h = _digest(self.p, start, stop)
        else:
            h = zlib.crc32(self.p[start:stop])
        return h

    def utf8(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
        """Whether message[start:stop] is well-formed UTF-8 (RFC 3629: no over-long form, no surrogate)."""
        if cython.compiled:
            return _utf8(self.p, start, stop)
        try:
            self.p[start:stop].decode()
        except UnicodeDecodeError:
            return False
        return True


def _clamped(value: cython.ulonglong) -> cython.longlong:
    """For an error's numbers, which are signed: 2^63 and more are said as 2^63 - 1."""
    most: cython.ulonglong = 0x7FFFFFFFFFFFFFFF
    return value if value < most else most


if cython.compiled:

    @cython.cfunc
    @cython.exceptval(check=False)
    def _digest(
        p: cython.pointer(cython.const[cython.uchar]), i: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.ulonglong:
        """Eight bytes at a time, mixed by multiplication."""
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

    @cython.cfunc
    @cython.exceptval(check=False)
    def _utf8(
        p: cython.pointer(cython.const[cython.uchar]), i: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.bint:
        w: cython.ulonglong
        high: cython.ulonglong = 0x8080808080808080
        c: cython.int
        d: cython.int
        while i < end:
            if i + 8 <= end:
                memcpy(cython.address(w), p + i, 8)  # noqa: F821
                if not w & high:  # noqa: F821
                    i += 8
                    continue
            c = p[i]
            if c < 0x80:
                i += 1
                continue
            if c < 0xC2 or c > 0xF4 or i + 1 >= end:
                return False
            d = p[i + 1]
            if d & 0xC0 != 0x80:
                return False
            if c < 0xE0:
                i += 2
                continue
            if i + 2 >= end or p[i + 2] & 0xC0 != 0x80 or (c == 0xE0 and d < 0xA0) or (c == 0xED and d > 0x9F):
                return False
            if c < 0xF0:
                i += 3
                continue
            if i + 3 >= end or p[i + 3] & 0xC0 != 0x80 or (c == 0xF0 and d < 0x90) or (c == 0xF4 and d > 0x8F):
                return False
            i += 4
        return True
