"""A bounds-checked cursor over one message: the primitives and chunks of binary protocols.

Every reading method takes the number of the field that it reads; a `WireError` has it with the offset, the bytes needed
and the bytes available. A chunk does not contain its count: n is its number of elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.errors import CONST, ENUM, OVERFLOW, RANGE, TRUNCATED, VALUE, WireError
from tidewire.runtime.wire.number_reader import NumberReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.arrow.memory import Numbers


class Cursor(NumberReader):
    """Reads a message, value after value and chunk after chunk. Containers of bytes may add methods in a subclass."""

    # ---- primitives

    def reversed_uvarint(self, field: cython.int) -> cython.ulonglong:
        """Reads a uvarint written back to front at the end of the window; the window then ends before it."""
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

    def count(self, field: cython.int) -> cython.Py_ssize_t:
        """Reads a uvarint that counts elements of at least one byte each, all still to come."""
        start: cython.Py_ssize_t = self.pos
        v: cython.ulonglong = self.uvarint(field)
        room: cython.ulonglong = self.end - self.pos
        if v > room:
            self.fail(RANGE, field, start, self.clamped(v), self.end - self.pos)
        return v

    def within(self, value: cython.longlong, offset: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """Checks a number read at `offset` as a size or count of what follows. Returns it."""
        if value < 0 or value > self.end - self.pos:
            return self.fail(RANGE, field, offset, value, self.end - self.pos)
        return value

    def limited(
        self, value: cython.ulonglong, most: cython.ulonglong, offset: cython.Py_ssize_t, field: cython.int
    ) -> cython.longlong:
        """Checks that a number read at `offset` is at most `most`. Returns it."""
        if value > most:
            self.fail(RANGE, field, offset, self.clamped(value), most)
        return value

    def limited_signed(
        self, value: cython.longlong, most: cython.longlong, offset: cython.Py_ssize_t, field: cython.int
    ) -> cython.longlong:
        """Checks that a number read at `offset` is between 0 and `most`. Returns it."""
        if value < 0 or value > most:
            self.fail(RANGE, field, offset, value, most)
        return value

    def one_of(
        self, numbers: Numbers, members: Sequence[int], offset: cython.Py_ssize_t, field: cython.int
    ) -> cython.int:
        """Checks that each number of a chunk that starts at `offset` is one of `members`."""
        k: cython.Py_ssize_t
        for k in range(numbers.size):
            if numbers.i64[k] not in members:
                names: str = ", ".join(map(str, members))
                return self.refuse(ENUM, field, offset, numbers.i64[k], str(numbers.i64[k]), names)
        return 0

    def undefined(self, value: cython.ulonglong, offset: cython.Py_ssize_t, field: cython.int) -> cython.int:
        """Raises the error of an undefined number read at `offset`."""
        return self.refuse(ENUM, field, offset, self.clamped(value), str(value), "")

    def expect(
        self, value: cython.ulonglong, wanted: cython.ulonglong, offset: cython.Py_ssize_t, field: cython.int
    ) -> cython.int:
        """Checks that a number read at `offset` has the wanted value."""
        if value != wanted:
            raise WireError(CONST, field, offset, self.clamped(value), self.clamped(wanted), str(value), str(wanted))
        return 0

    def expect_bytes(self, wanted: bytes, start: cython.Py_ssize_t, field: cython.int) -> cython.int:
        """Checks that the bytes from `start` to the current position are the wanted ones."""
        image: bytes = self.copy(start, self.pos)
        if image != wanted:
            raise WireError(CONST, field, start, len(image), len(wanted), f"x'{image.hex()}'", f"x'{wanted.hex()}'")
        return 0

    def expect_float(self, wanted: cython.double, field: cython.int) -> cython.int:
        """Checks that the next eight bytes are the wanted double."""
        start: cython.Py_ssize_t = self.pos
        value: cython.double = self.float64(field)
        if value != wanted:
            raise WireError(CONST, field, start, 0, 0, repr(value), repr(wanted))
        return 0

    def at_most(
        self, numbers: Numbers, most: cython.ulonglong, offset: cython.Py_ssize_t, field: cython.int
    ) -> cython.int:
        """Checks that no number of a chunk that starts at `offset` exceeds `most`."""
        k: cython.Py_ssize_t
        for k in range(numbers.size):
            if numbers.u64[k] > most:
                return self.fail(RANGE, field, offset, self.clamped(numbers.u64[k]), most)
        return 0

    def string(self, field: cython.int) -> cython.Py_ssize_t:
        """Skips a uvarint length and as many bytes. Returns where the bytes start."""
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

    @cython.final
    def room_for(self, n: cython.Py_ssize_t, out: Numbers, field: cython.int) -> cython.Py_ssize_t:
        """Makes room for n numbers of at least one byte each after the existing ones. Returns the index of the
        first.
        """
        first: cython.Py_ssize_t = out.size
        if n > self.end - self.pos:
            return self.fail(TRUNCATED, field, self.pos, n, self.end - self.pos)
        out.take(first + n)
        return first

    def append_uvarints(self, n: cython.Py_ssize_t, out: Numbers, field: cython.int) -> cython.int:
        """Appends a chunk of n uvarints to the numbers."""
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
        """Appends a chunk of n zigzag numbers to the numbers."""
        k: cython.Py_ssize_t
        first: cython.Py_ssize_t = self.room_for(n, out, field)
        for k in range(first, first + n):
            out.i64[k] = self.varint(field)
        return 0

    def append_delta_uvarints(self, n: cython.Py_ssize_t, out: Numbers, field: cython.int) -> cython.int:
        """Appends a chunk of n delta-encoded numbers to the numbers."""
        k: cython.Py_ssize_t
        v: cython.ulonglong = 0
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        first: cython.Py_ssize_t = self.room_for(n, out, field)
        for k in range(first, first + n):
            if self.pos < self.end and self.p[self.pos] < 0x80:
                v = (v + self.p[self.pos]) & mask
                self.pos += 1
            else:
                v = (v + self.uvarint(field)) & mask
            out.u64[k] = v
        return 0

    def append_delta_varints(self, n: cython.Py_ssize_t, out: Numbers, field: cython.int) -> cython.int:
        """Appends a chunk of n zigzag delta-encoded numbers to the numbers."""
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
        """Reads the sizes of a nullable bytes chunk: n zigzag numbers, -1 for null; checks that the payloads fit in the
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
        """Reads a string chunk: n uvarint sizes, then the payloads, which are skipped.

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
            if self.pos < self.end and self.p[self.pos] < 0x80:
                v = self.p[self.pos]
                self.pos += 1
            else:
                v = self.uvarint(field)
            if total > self.end - self.pos:
                return self.fail(TRUNCATED, field, self.pos, total, self.end - self.pos)
            room = self.end - self.pos - total
            if v > room:
                return self.fail(TRUNCATED, field, self.pos, self.clamped(v), self.end - self.pos - total)
            total += v
            ends.i64[k + 1] = total
        ends.i64[0] = self.pos
        for k in range(n):
            ends.i64[k + 1] += self.pos
        self.pos += total
        return 0

    def cell_uvarint(self, start: cython.Py_ssize_t, size: cython.Py_ssize_t, field: cython.int) -> cython.ulonglong:
        """Reads a uvarint that takes exactly these bytes, which must exist."""
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
