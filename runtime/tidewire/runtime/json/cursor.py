"""A cursor over the members of JSON objects. Generated decoders call it, one method for each kind of value.

Every method takes the number of the field that it reads; a `WireError` carries it together with the offset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.errors import (
    CONST,
    DUPLICATE,
    OUTSIDE,
    ROWS,
    SYNTAX,
    TRAILING,
    TRUNCATED,
    UNNAMED,
    VALUE,
    WireError,
)
from tidewire.runtime.json.text import JsonText
from tidewire.runtime.wire import characters as chars
from tidewire.runtime.wire.codec_ids import CHECKED_TEXT
from tidewire.runtime.wire.excerpts import listed, shown

if cython.compiled:
    from cython.cimports.tidewire.runtime.json.base64 import decode64
    from cython.cimports.tidewire.runtime.wire.swar import plain, same, small
else:
    from tidewire.runtime.json.bytes_as_text import decoded64

if TYPE_CHECKING:
    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.decoding.names import Names
    from tidewire.runtime.wire.part import Part


class JsonCursor(JsonText):
    """Reads a message member by member."""

    # ---- objects

    def open(self, names: Names, field: cython.int) -> cython.int:
        """Enters an object with these members."""
        self.pos = self.space(self.pos)
        if self.p[self.pos] != chars.OPEN_OBJECT:
            return self.another(field, self.pos, "an object")
        self.pos += 1
        names.begin()
        return 0

    def member(self, names: Names, field: cython.int, first: cython.int) -> cython.bint:
        """Moves to the value of the next member and sets `which` to the member's number, -1 for unknown names; returns
        False at the end of the object.

        Args:
            names: names of the object's members.
            field: field of the object.
            first: field of its first member.
        """
        i: cython.Py_ssize_t = self.pos
        k: cython.Py_ssize_t
        c: cython.int = self.p[i]
        if c <= chars.SPACE:
            i = self.space(i)
            c = self.p[i]
        if c == chars.CLOSE_OBJECT:
            self.pos = i + 1
            return False
        if self.p[self.pos - 1] != chars.OPEN_OBJECT:
            if c != chars.COMMA:
                self.broken(SYNTAX, field, i)
            i += 1
            if self.p[i] <= chars.SPACE:
                i = self.space(i)
        if cython.compiled:
            k = 0 if names.last < 0 else names.all[names.last].next
            if k < names.count and same(
                self.p + i,
                self.p + self.end,
                names.all[k].word,
                names.all[k].mask,
                names.pool.u8 + names.all[k].spelling,
                names.all[k].size,
            ):
                self.pos = i + names.all[k].size
                names.last = k
            else:
                k = self.match(names, i, field)
        else:
            k = self.match(names, i, field)
        if k >= 0:
            if names.all[k].seen == names.object_number:
                self.fail(DUPLICATE, first + k, i, 0, 0)
            names.all[k].seen = names.object_number
        if self.p[self.pos] <= chars.SPACE:
            self.pos = self.space(self.pos)
        self.which = k
        return True

    def given(self, field: cython.int) -> cython.bint:
        """Whether the value is not null; skips null."""
        if self.p[self.pos] != chars.LOWER_N:
            return True
        self.pos = self.literal(self.pos, field)
        return False

    def passed(self, field: cython.int) -> cython.int:
        """Skips a value of any type."""
        self.pos = self.pass_over(self.pos, field)
        return 0

    def part(self, part: Part, field: cython.int) -> cython.int:
        """Skips a value and records its position."""
        if self.given(field):
            part.start = self.pos
            self.pos = part.end = self.skip(self.pos, field)
            part.high = self.high
        else:
            part.start = -1
        return 0

    def checked_part(self, part: Part, field: cython.int) -> cython.int:
        """Skips a value and records its position; its UTF-8 is checked now, because it may never be read."""
        self.part(part, field)
        return self.unread(part, field)

    def unread(self, part: Part, field: cython.int) -> cython.int:
        """Checks the UTF-8 of a skipped value that will not be read."""
        if part.start >= 0 and part.high:
            return self.check_utf8(part.start, part.end, field)
        return 0

    def denied(self, part: Part) -> cython.bint:
        """Whether a skipped value is false."""
        return bool(part.start >= 0 and self.p[part.start] == chars.LOWER_F)

    def no_row(self, part: Part, field: cython.int) -> cython.int:
        """Checks that a skipped value that will not be read holds no row: it must be null or empty."""
        c: cython.int
        behind: cython.int
        if part.start >= 0:
            self.unread(part, field)
            c = self.p[part.start]
            behind = self.p[self.space(part.start + 1)]
            if not (c == chars.OPEN_LIST and behind == chars.CLOSE_LIST) and not (
                c == chars.OPEN_OBJECT and behind == chars.CLOSE_OBJECT
            ):
                return self.fail(ROWS, field, part.start, 0, 0)
        return 0

    # ---- values

    def text(self, part: Part, field: cython.int) -> cython.int:
        """Reads a string, which must be UTF-8, or null."""
        if self.p[self.pos] != chars.QUOTE:
            if self.given(field):
                return self.another(field, self.pos, "a string")
            part.start = -1
            return 0
        part.start = self.pos + 1
        if cython.compiled:
            high: cython.ulonglong = 0
            j: cython.Py_ssize_t = plain(self.p, self.pos + 1, cython.address(high))
            if self.p[j] == chars.QUOTE:
                part.end = j
                part.escaped = False
                part.high = high != 0
                self.pos = j + 1
                if high:
                    self.check_utf8(part.start, j, field)
                return 0
        self.pos = self.string(self.pos + 1, field)
        part.end = self.pos - 1
        part.escaped = self.escaped
        part.high = self.high
        if self.high:
            self.check_utf8(part.start, part.end, field)
        return 0

    def integer(self, field: cython.int) -> cython.longlong:
        """Reads a signed 64-bit integer."""
        start: cython.Py_ssize_t = self.pos
        if cython.compiled:
            value: cython.longlong = 0
            end: cython.Py_ssize_t = small(self.p, start, cython.address(value))
            if (
                end >= 0
                and self.p[start] > chars.ZERO
                and self.p[end] != chars.POINT
                and self.p[end] | chars.LOWER_CASE != chars.LOWER_E
            ):
                self.pos = end
                return value
        self.whole(field)
        return self.signed_digits(start, self.pos, field)

    def uinteger(self, field: cython.int) -> cython.ulonglong:
        """Reads an unsigned 64-bit integer."""
        start: cython.Py_ssize_t = self.pos
        if cython.compiled:
            value: cython.longlong = 0
            end: cython.Py_ssize_t = small(self.p, start, cython.address(value))
            if (
                end >= 0
                and self.p[start] > chars.ZERO
                and self.p[end] != chars.POINT
                and self.p[end] | chars.LOWER_CASE != chars.LOWER_E
            ):
                self.pos = end
                return value
        self.whole(field)
        return self.digits(start, self.pos, field)

    def between(self, low: cython.longlong, high: cython.longlong, field: cython.int) -> cython.longlong:
        """Reads an integer from `low` to `high`, both inclusive."""
        start: cython.Py_ssize_t = self.pos
        value: cython.longlong = self.integer(field)
        if value < low or value > high:
            found: str = shown(self.copy(start, self.pos))
            self.refuse(OUTSIDE, field, start, self.pos - start, found, f"{low} to {high}")
        return value

    def whole(self, field: cython.int) -> cython.int:
        """Skips a number."""
        if self.p[self.pos] != chars.MINUS and (self.p[self.pos] < chars.ZERO or self.p[self.pos] > chars.NINE):
            return self.another(field, self.pos, "a number")
        self.pos = self.number(self.pos, field)
        return 0

    def boolean(self, field: cython.int) -> cython.bint:
        """Reads true or false."""
        c: cython.int = self.p[self.pos]
        if c != chars.LOWER_T and c != chars.LOWER_F:
            self.another(field, self.pos, "true or false")
        self.pos = self.literal(self.pos, field)
        return c == chars.LOWER_T

    # ---- parts

    def put_text(
        self, columns: Columns, c: cython.int, row: cython.Py_ssize_t, part: Part, field: cython.int
    ) -> cython.int:
        """Puts a text into a column."""
        size: cython.Py_ssize_t = self.plain_text(part, field)
        return columns.put_known(c, row, self, self.at, size, field)

    def put_base64(
        self, columns: Columns, c: cython.int, row: cython.Py_ssize_t, part: Part, field: cython.int
    ) -> cython.int:
        """Puts the bytes of a base64 text (RFC 4648, with padding) into a column."""
        size: cython.Py_ssize_t = self.plain_text(part, field)
        return columns.put_known(c, row, self, self.free, self.base64(part.start, size, field), field)

    def base64(self, start: cython.Py_ssize_t, size: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """Decodes the base64 text at `at` into scratch memory, possibly in place; returns the number of bytes.

        Four characters become three bytes, so what is written never reaches what is still to be read.
        """
        found: cython.Py_ssize_t
        if cython.compiled:
            found = decode64(self.scratch.u8 + self.free, self.p + self.at, size)
            if found < 0:
                return self.fail(VALUE, field, start, size, 0)
            return found
        image = decoded64(bytes(self.p[self.at : self.at + size]))
        if image is None:
            return self.fail(VALUE, field, start, size, 0)
        return self.put_behind(image)

    def plain_text(self, part: Part, field: cython.int) -> cython.Py_ssize_t:
        """Sets `at` to a string's unescaped content and returns its size in bytes."""
        if not part.escaped:
            self.at = part.start
            return part.end - part.start
        self.high = part.high
        self.at = self.free
        return self.unescape(part.start, part.end, CHECKED_TEXT, field)

    def name_of(self, names: Names, part: Part, field: cython.int) -> cython.Py_ssize_t:
        """The position of the text among `names`; other texts are an error."""
        size: cython.Py_ssize_t = self.plain_text(part, field)
        k: cython.Py_ssize_t = names.find(self, self.at, self.at + size)
        if k < 0:
            found: str = shown(self.copy(self.at, self.at + size)) or '""'
            return self.refuse(UNNAMED, field, part.start, part.end - part.start, found, listed(names.texts))
        return k

    def says(self, part: Part, text: bytes, field: cython.int) -> cython.bint:
        """Whether the value of a string equals `text`."""
        size: cython.Py_ssize_t = self.plain_text(part, field)
        return self.copy(self.at, self.at + size) == text

    # ---- numbers

    def digits(self, i: cython.Py_ssize_t, end: cython.Py_ssize_t, field: cython.int) -> cython.ulonglong:
        """message[i:end] as an unsigned 64-bit integer: one or more digits; -0 is 0."""
        start: cython.Py_ssize_t = i
        if cython.compiled:
            value: cython.longlong = 0
            if small(self.p, i, cython.address(value)) == end and value >= 0:
                return value
        negative: cython.bint = self.p[i] == chars.MINUS and i < end
        v: cython.ulonglong = 0
        most: cython.ulonglong = 1844674407370955161
        d: cython.ulonglong
        if negative:
            i += 1
        if i == end:
            self.fail(VALUE, field, start, end - start, 0)
        if not cython.compiled:
            found = bytes(self.p[i:end])
            if not found.isdigit():
                self.fail(VALUE, field, start, end - start, 0)
            found = found.lstrip(b"0")
            v = int(found or b"0") if len(found) <= 20 else 1 << 64
            if v >> 64 or (negative and v):
                self.fail(OUTSIDE, field, start, end - start, 0)
            return v
        while i < end:
            d = self.p[i] - chars.ZERO
            if d > 9:
                self.fail(VALUE, field, start, end - start, 0)
            if v >= most and (v > most or d > 5):
                while i < end:
                    if self.p[i] < chars.ZERO or self.p[i] > chars.NINE:
                        self.fail(VALUE, field, start, end - start, 0)
                    i += 1
                self.fail(OUTSIDE, field, start, end - start, 0)
            v = v * 10 + d
            i += 1
        if negative and v:
            self.fail(OUTSIDE, field, start, end - start, 0)
        return v

    def signed_digits(self, i: cython.Py_ssize_t, end: cython.Py_ssize_t, field: cython.int) -> cython.longlong:
        """message[i:end] as a signed 64-bit integer."""
        start: cython.Py_ssize_t = i
        if cython.compiled:
            value: cython.longlong = 0
            if small(self.p, i, cython.address(value)) == end:
                return value
        negative: cython.bint = self.p[i] == chars.MINUS and i < end
        v: cython.ulonglong
        most: cython.ulonglong = 0x7FFFFFFFFFFFFFFF
        if negative:
            i += 1
            if self.p[i] == chars.MINUS:
                self.fail(VALUE, field, start, end - start, 0)
        v = self.digits(i, end, field)
        if negative:
            if v > most + 1:
                self.fail(OUTSIDE, field, start, end - start, 0)
            return 0 - v
        if v > most:
            self.fail(OUTSIDE, field, start, end - start, 0)
        return v

    # ---- frames

    def begin(self) -> cython.int:
        """Starts reading frames at the message's first byte: each is a length of 8 bytes, big-endian, and its content.

        `pos` and `end` are those of the current frame's content. Behind it is the length of the next frame, whose first
        byte is 0 because no message has 2^56 bytes, or the NUL behind the message: so every content is followed by a
        NUL byte.
        """
        self.next = 0
        self.stop = self.end
        return 0

    def expect_u64(self, value: cython.ulonglong, field: cython.int) -> cython.int:
        """Reads a number of 8 bytes, big-endian, before the next frame; it must equal `value`."""
        found: cython.ulonglong = self.head(field)
        if found != value:
            start: cython.Py_ssize_t = self.next - 8
            raise WireError(CONST, field, start, self.clamped(found), self.clamped(value), str(found), str(value))
        return 0

    def more(self) -> cython.bint:
        """Whether there is another frame."""
        return self.next < self.stop

    def frame(self, field: cython.int) -> cython.int:
        """Moves to the content of the next frame."""
        start: cython.Py_ssize_t
        size: cython.ulonglong = self.head(field)
        self.pos = start = self.next
        if size > cython.cast(cython.ulonglong, self.stop - start):
            self.end = self.stop
            return self.short(field, start, size)
        self.end = self.next = start + size
        if self.next < self.stop and self.p[self.next] != 0:
            # Reading relies on a NUL behind every content. Here the next length would be 2^56 or more.
            size = self.head(field)
            return self.short(field, self.next, size)
        return 0

    def short(self, field: cython.int, start: cython.Py_ssize_t, size: cython.ulonglong) -> cython.int:
        """Raises the error of a frame that is longer than the rest of the message."""
        raise WireError(TRUNCATED, field, start, self.clamped(size), self.stop - start, str(size))

    def head(self, field: cython.int) -> cython.ulonglong:
        """Reads the number of 8 bytes, big-endian, at the next frame's start."""
        self.pos = self.next
        self.end = self.stop
        value: cython.ulonglong = self.u64be(field)
        self.next = self.pos
        return value

    def empty(self) -> cython.bint:
        """Whether the frame has no content."""
        return self.pos == self.end

    def close(self, field: cython.int) -> cython.int:
        """Checks that only white space is left of the frame's content."""
        self.pos = self.space(self.pos)
        return self.consumed(field)

    def finished(self, field: cython.int) -> cython.int:
        """Checks that no frame is left."""
        if self.next < self.stop:
            return self.fail(TRAILING, field, self.next, self.stop - self.next, 0)
        return 0

    def ended(self, field: cython.int) -> cython.int:
        """Checks that nothing follows the object that ends at the cursor, which is not moved."""
        end: cython.Py_ssize_t = self.pos
        if self.separator(b"", field):
            return self.fail(TRAILING, field, self.pos, self.end - self.pos, 0)
        self.pos = end
        return 0

    def separator(self, terminator: bytes, field: cython.int) -> cython.bint:
        """Skips white space and terminators; returns whether another object follows."""
        size: cython.Py_ssize_t = len(terminator)
        while True:
            self.pos = self.space(self.pos)
            if size == 0 or not self.matches(terminator, size):
                return self.pos < self.end
            self.pos += size
