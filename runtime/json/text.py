"""The text of a JSON message (RFC 8259): strings, numbers, and values that are passed over.

Compiled, a message is copied to a place of its own, where NULs follow it: NUL may stand nowhere in JSON, so everything
that scans stops there, and eight bytes can be loaded from everywhere. Behind the NULs is room for one string without
its escapes, which is never longer than with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime.errors import DEPTH, SYNTAX, TRUNCATED, UTF8, VALUE
from tidewire.runtime.memory import Memory
from tidewire.runtime.window import Window

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if cython.compiled:
    from cython.cimports.libc.string import memcpy, memset
    from cython.cimports.tidewire.runtime.json.codec_numbers import LATIN1_TEXT, UNCHECKED_TEXT
    from cython.cimports.tidewire.runtime.json.swar import plain, small
else:
    import re

    from tidewire.runtime.json.codecs import LATIN1_TEXT, UNCHECKED_TEXT

    _SPACE = re.compile(rb"[ \t\n\r]*")
    _PLAIN = re.compile(rb'[^"\\\x00-\x1f]*')
    _NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
    _ESCAPED = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|(.))")
    _FLAT = re.compile(
        rb'\{"[^"\\\x00-\x1f]*":(?:"[^"\\\x00-\x1f]*"|(?:0|-?[1-9][0-9]*)(?=[,}])|null)'
        rb'(?:,"[^"\\\x00-\x1f]*":(?:"[^"\\\x00-\x1f]*"|(?:0|-?[1-9][0-9]*)(?=[,}])|null))*\}'
    )
    _SHORT = {b"b": "\b", b"f": "\f", b"n": "\n", b"r": "\r", b"t": "\t"}

if TYPE_CHECKING:
    from typing import Any

MOST_DEPTH: cython.int = 512
"""Objects and arrays within each other, above which a value is refused."""
PADDING: cython.Py_ssize_t = 16
"""NULs behind a message."""


class JsonText(Window):
    """A message's text. Places are bytes of the message; behind its end there is a NUL."""

    def __init__(self) -> None:
        self.scratch = Memory(1)
        self.escaped = self.high = False
        self.free = self.origin = 0
        if not cython.compiled:
            self.kinds = [0] * 8

    def load(self, message: cython.Py_ssize_t) -> cython.int:
        """The message to read, by its number."""
        Window.load(self, message)
        size: cython.Py_ssize_t = self.end
        self.free = size + PADDING
        if cython.compiled:
            self.scratch.reserve(2 * size + 4 * PADDING)
            memcpy(self.scratch.u8, self.p, size)
            memset(self.scratch.u8 + size, 0, PADDING)
            self.p = self.scratch.u8
        else:
            self.p = bytearray(self.p + bytes(PADDING))  # type: ignore[assignment]
        return 0

    def fail(
        self,
        code: cython.int,
        field: cython.int,
        offset: cython.Py_ssize_t,
        needed: cython.longlong,
        available: cython.longlong,
    ) -> cython.int:
        """Raises the error; trouble in a string without its escapes is where the string is."""
        return Window.fail(self, code, field, offset if offset <= self.end else self.origin, needed, available)

    def broken(self, code: cython.int, field: cython.int, offset: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The byte there is wrong; at the message's end, one more is needed."""
        if offset >= self.end:
            return self.fail(TRUNCATED, field, self.end, 1, 0)
        return self.fail(code, field, offset, self.p[offset], 0)

    def space(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Behind the white space at i."""
        if not cython.compiled:
            return _SPACE.match(self.p, i).end()  # type: ignore[union-attr]
        while self.p[i] == 32 or self.p[i] == 10 or self.p[i] == 13 or self.p[i] == 9:
            i += 1
        return i

    # ---- strings

    def string(self, i: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """Behind the string whose content starts at i: no control characters, escapes as they have to be.

        Then `escaped` says whether there are escapes, `high` whether there may be bytes that are not ASCII.
        """
        high: cython.ulonglong = 0
        j: cython.Py_ssize_t
        self.escaped = False
        if cython.compiled:
            j = plain(self.p, i, cython.address(high))
            self.high = high != 0
        else:
            j = _PLAIN.match(self.p, i).end()  # type: ignore[union-attr]
            self.high = not self.p[i:j].isascii()
        if self.p[j] == 34:
            return j + 1
        return self.string_on(j, field)

    def string_on(self, i: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """The same from a byte on that is no plain content."""
        high: cython.ulonglong = self.high
        while self.p[i] != 34:
            if self.p[i] != 92:
                return self.broken(SYNTAX, field, i)
            self.escaped = True
            i = self.escape(i, field)
            if cython.compiled:
                i = plain(self.p, i, cython.address(high))
            else:
                j = _PLAIN.match(self.p, i).end()  # type: ignore[union-attr]
                high = high or not self.p[i:j].isascii()
                i = j
        self.high = high != 0
        return i + 1

    def escape(self, i: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """Behind the escape at i."""
        k: cython.int
        c: cython.int = self.p[i + 1]
        if c == 117:
            for k in range(4):
                if _hex(self.p[i + 2 + k]) < 0:
                    return self.broken(SYNTAX, field, i + 2 + k)
            return i + 6
        if c == 34 or c == 92 or c == 47 or c == 98 or c == 102 or c == 110 or c == 114 or c == 116:
            return i + 2
        return self.broken(SYNTAX, field, i + 1)

    def unescape(
        self, i: cython.Py_ssize_t, end: cython.Py_ssize_t, codec: cython.int, field: cython.int
    ) -> cython.Py_ssize_t:
        """Writes the content message[i:end] of a string, without its escapes, behind the message: how many bytes.

        Args:
            codec: CHECKED_TEXT: UTF-8, and checked; UNCHECKED_TEXT: as it stands, half a surrogate pair in three bytes;
                LATIN1_TEXT: a byte for each code point.
        """
        self.origin = i
        if cython.compiled:
            p: cython.p_uchar = self.scratch.u8
            out: cython.p_uchar = self.scratch.u8 + self.free
            at: cython.Py_ssize_t = 0
            first: cython.Py_ssize_t
            u: cython.int
            low: cython.int
            any: cython.ulonglong = 0
            if codec != UNCHECKED_TEXT and self.high and not self.utf8(i, end):
                return self.fail(UTF8, field, i, end - i, 0)
            while i < end:
                first = i
                u = p[i]
                if u != 92:
                    if u < 0x80 or codec != LATIN1_TEXT:
                        if codec == LATIN1_TEXT and self.high:
                            i += 1
                        else:
                            i = plain(p, i, cython.address(any))
                            i = i if i < end else end
                        memcpy(out + at, p + first, i - first)
                        at += i - first
                        continue
                    if u > 0xC3:
                        return self.fail(VALUE, field, i, end - i, 0)
                    u = (u & 3) << 6 | (p[i + 1] & 63)
                    i += 2
                elif p[i + 1] == 117:
                    u = _hex4(p + i + 2)
                    i += 6
                    if u >= 0xD800 and u < 0xE000:
                        low = 0
                        if u < 0xDC00 and i + 6 <= end and p[i] == 92 and p[i + 1] == 117:
                            low = _hex4(p + i + 2)
                        if low >= 0xDC00 and low < 0xE000:
                            u = 0x10000 + ((u - 0xD800) << 10) + (low - 0xDC00)
                            i += 6
                        elif codec != UNCHECKED_TEXT:
                            return self.fail(UTF8, field, first, 6, 0)
                else:
                    u = p[i + 1]
                    i += 2
                    if u == 110:
                        u = 10
                    elif u == 116:
                        u = 9
                    elif u == 114:
                        u = 13
                    elif u == 98:
                        u = 8
                    elif u == 102:
                        u = 12
                if codec == LATIN1_TEXT:
                    if u > 0xFF:
                        return self.fail(VALUE, field, first, end - first, 0)
                    out[at] = u
                    at += 1
                elif u < 0x80:
                    out[at] = u
                    at += 1
                elif u < 0x800:
                    out[at] = 0xC0 | u >> 6
                    out[at + 1] = 0x80 | (u & 63)
                    at += 2
                elif u < 0x10000:
                    out[at] = 0xE0 | u >> 12
                    out[at + 1] = 0x80 | (u >> 6 & 63)
                    out[at + 2] = 0x80 | (u & 63)
                    at += 3
                else:
                    out[at] = 0xF0 | u >> 18
                    out[at + 1] = 0x80 | (u >> 12 & 63)
                    out[at + 2] = 0x80 | (u >> 6 & 63)
                    out[at + 3] = 0x80 | (u & 63)
                    at += 4
            out[at] = 0  # for those that read until something else comes
            return at
        return self.keep(self.unescaped(i, end, codec, field))

    def content(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t, field: cython.int) -> str:
        """The content message[start:end] of a string that `string` has passed, as text."""
        self.high = True
        size: cython.Py_ssize_t = self.unescape(start, end, 7, field)
        return self.decoded(self.free, self.free + size, field)

    # ---- other values

    def number(self, i: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """Behind the number at i."""
        if not cython.compiled:
            return self.matched_number(i, field)
        p = self.p
        if p[i] == 45:
            i += 1
        if p[i] == 48:
            i += 1
        elif p[i] >= 49 and p[i] <= 57:
            while p[i] >= 48 and p[i] <= 57:
                i += 1
        else:
            return self.broken(SYNTAX, field, i)
        if p[i] == 46:
            i += 1
            if p[i] < 48 or p[i] > 57:
                return self.broken(SYNTAX, field, i)
            while p[i] >= 48 and p[i] <= 57:
                i += 1
        if p[i] | 32 == 101:
            i += 1
            if p[i] == 43 or p[i] == 45:
                i += 1
            if p[i] < 48 or p[i] > 57:
                return self.broken(SYNTAX, field, i)
            while p[i] >= 48 and p[i] <= 57:
                i += 1
        return i

    def literal(self, i: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """Behind null, true or false."""
        p = self.p
        if p[i] == 110 and p[i + 1] == 117 and p[i + 2] == 108 and p[i + 3] == 108:
            return i + 4
        if p[i] == 102 and p[i + 1] == 97 and p[i + 2] == 108 and p[i + 3] == 115 and p[i + 4] == 101:
            return i + 5
        if p[i] == 110:
            wanted = b"null"
        elif p[i] == 116:
            wanted = b"true"
        elif p[i] == 102:
            wanted = b"false"
        else:
            return self.broken(SYNTAX, field, i)
        for byte in wanted:
            if p[i] != byte:
                return self.broken(SYNTAX, field, i)
            i += 1
        return i

    def key(self, i: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """Behind the name of a member at i, and its colon."""
        if self.p[i] != 34:
            return self.broken(SYNTAX, field, i)
        i = self.string(i + 1, field)
        if self.p[i] != 58:
            i = self.space(i)
            if self.p[i] != 58:
                return self.broken(SYNTAX, field, i)
        return i + 1

    def name(self, i: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """`key` of a name that is of no interest; `high` says whether there may be bytes in it that are not ASCII."""
        if cython.compiled:
            any: cython.ulonglong = 0
            if self.p[i] == 34:
                j: cython.Py_ssize_t = plain(self.p, i + 1, cython.address(any))
                if self.p[j] == 34 and self.p[j + 1] == 58:
                    self.high = any != 0
                    return j + 2
        return self.key(i, field)

    def skip(self, i: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """Behind the value at i, whose grammar is checked; what is in it is remembered in bits, not on the stack.

        Then `high` says whether there may be bytes in it that are not ASCII.
        """
        one: cython.ulonglong = 1
        depth: cython.int = 0
        c: cython.int
        inside: cython.bint
        any: cython.ulonglong = 0
        value: cython.longlong = 0
        j: cython.Py_ssize_t
        p = self.p
        if not cython.compiled:
            found = _FLAT.match(self.p, i)
            if found:
                self.high = not found[0].isascii()
                return found.end()
        while True:
            c = p[i]
            if c <= 32:
                i = self.space(i)
                c = p[i]
            if c == 34:
                if cython.compiled:
                    j = plain(p, i + 1, cython.address(any))
                    if p[j] == 34:
                        i = j + 1
                    else:
                        i = self.string(i + 1, field)
                        any |= self.high
                else:
                    i = self.string(i + 1, field)
                    any |= self.high
            elif c == 45 or (c >= 48 and c <= 57):
                j = -1
                if cython.compiled and c != 48 and c != 45:
                    j = small(p, i, cython.address(value))
                i = j if j >= 0 and p[j] != 46 and p[j] | 32 != 101 else self.number(i, field)
            elif c == 123 or c == 91:
                if depth == MOST_DEPTH:
                    return self.fail(DEPTH, field, i, depth + 1, MOST_DEPTH)
                if c == 123:
                    self.kinds[depth >> 6] |= one << (depth & 63)
                else:
                    self.kinds[depth >> 6] &= ~(one << (depth & 63))
                depth += 1
                i += 1
                if p[i] <= 32:
                    i = self.space(i)
                if p[i] != c + 2:
                    if c == 123:
                        i = self.name(i, field)
                        any |= self.high
                    continue
                i += 1
                depth -= 1
            else:
                i = self.literal(i, field)
            while depth:
                c = p[i]
                if c <= 32:
                    i = self.space(i)
                    c = p[i]
                inside = (self.kinds[(depth - 1) >> 6] >> ((depth - 1) & 63)) & 1 != 0
                if c == 44:
                    i += 1
                    if inside:
                        if p[i] <= 32:
                            i = self.space(i)
                        i = self.name(i, field)
                        any |= self.high
                    break
                if c != (125 if inside else 93):
                    return self.broken(SYNTAX, field, i)
                i += 1
                depth -= 1
            else:
                self.high = any != 0
                return i

    def pass_over(self, i: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """Behind the value at i, which nobody reads: its grammar is checked, and that it is UTF-8."""
        end: cython.Py_ssize_t = self.skip(i, field)
        if self.high:
            self.check_utf8(i, end, field)
        return end

    def check_utf8(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t, field: cython.int) -> cython.int:
        """message[start:end] has to be UTF-8."""
        if not self.utf8(start, end):
            return self.fail(UTF8, field, start, end - start, 0)
        return 0

    if not cython.compiled:

        def keep(self, image: bytes) -> int:
            """Puts bytes behind the message: how many they are."""
            self.p[self.free : self.free + len(image)] = image  # type: ignore[index]
            return len(image)

        def matched_number(self, i: int, field: int) -> int:
            """`number` by a regular expression; the byte that is wrong by trying."""
            found = _NUMBER.match(self.p, i)
            j = found.end() if found else i + (self.p[i] == 45)
            if found is None:
                return self.broken(SYNTAX, field, j)
            digits = self.p[i:j]
            if self.p[j] == 46 and b"." not in digits and b"e" not in digits.lower():
                return self.broken(SYNTAX, field, j + 1)
            if self.p[j] in b"eE" and b"e" not in digits.lower():
                return self.broken(SYNTAX, field, j + 2 if self.p[j + 1] in b"+-" else j + 1)
            return j

        def unescaped(self, i: int, end: int, codec: int, field: int) -> bytes:
            """`unescape`, as an object."""
            image = bytes(self.p[i:end])
            if codec != UNCHECKED_TEXT and not self.utf8(i, end):
                self.fail(UTF8, field, i, end - i, 0)
            if codec == LATIN1_TEXT:
                return self._latin1(image, i, field)
            if b"\\" not in image:
                return image
            parts: list[bytes] = []
            at = 0
            pending: tuple[int, Any] | None = None
            for found in _ESCAPED.finditer(image):
                u = int(found[1], 16) if found[1] else ord(_SHORT.get(found[2], found[2].decode()))
                if pending is not None:
                    start, high = pending
                    pending = None
                    if start + 6 == found.start() and found[1] and 0xDC00 <= u < 0xE000:
                        u = 0x10000 + ((high - 0xD800) << 10) + (u - 0xDC00)
                        parts[-1] = chr(u).encode()
                        at = found.end()
                        continue
                    if codec != UNCHECKED_TEXT:
                        self.fail(UTF8, field, i + start, 6, 0)
                parts.append(image[at : found.start()])
                if 0xD800 <= u < 0xDC00 and found[1]:
                    pending = found.start(), u
                elif 0xDC00 <= u < 0xE000 and codec != UNCHECKED_TEXT:
                    self.fail(UTF8, field, i + found.start(), 6, 0)
                parts.append(chr(u).encode("utf-8", "surrogatepass"))
                at = found.end()
            if pending is not None and codec != UNCHECKED_TEXT:
                self.fail(UTF8, field, i + pending[0], 6, 0)
            parts.append(image[at:])
            return b"".join(parts)

        def _latin1(self, image: bytes, i: int, field: int) -> bytes:
            """A byte for each code point of a string that is known to be UTF-8; escapes may stand for half a pair."""
            out = bytearray()
            at = 0
            size = len(image)
            while at < size:
                start = at
                if image[at] != 92:
                    stop = image.find(b"\\", at)
                    stop = size if stop < 0 else stop
                    try:
                        out += image[at:stop].decode().encode("latin-1")
                    except UnicodeEncodeError as error:
                        start += len(image[at:stop].decode()[: error.start].encode())
                        self.fail(VALUE, field, i + start, size - start, 0)
                    at = stop
                    continue
                found = _ESCAPED.match(image, at)
                assert found is not None
                at = found.end()
                u = int(found[1], 16) if found[1] else ord(_SHORT.get(found[2], found[2].decode()))
                if 0xD800 <= u < 0xE000 and found[1]:
                    pair = _ESCAPED.match(image, at) if u < 0xDC00 else None
                    if pair is None or not pair[1] or not 0xDC00 <= int(pair[1], 16) < 0xE000:
                        self.fail(UTF8, field, i + start, 6, 0)
                if u > 0xFF:
                    self.fail(VALUE, field, i + start, size - start, 0)
                out.append(u)
            return bytes(out)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _hex(c: cython.int) -> cython.int:
    """The value of a hexadecimal digit, -1 for what is none."""
    if c >= 48 and c <= 57:
        return c - 48
    c |= 32
    if c >= 97 and c <= 102:
        return c - 87
    return -1


if cython.compiled:

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _hex4(p: cython.p_uchar) -> cython.int:
        """The value of four of them, which are known to be right."""
        return _hex(p[0]) << 12 | _hex(p[1]) << 8 | _hex(p[2]) << 4 | _hex(p[3])
