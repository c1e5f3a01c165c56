"""Strings of a JSON message (RFC 8259), escaped and unescaped.

Compiled code copies each message into scratch memory, followed by NULs: JSON never contains NUL, so every scan stops
there, and blocks of bytes can be loaded from any offset. Behind the NULs is room for all strings of the message
unescaped, which are never longer than escaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Memory
from tidewire.runtime.errors import KIND, OUTSIDE, SYNTAX, TRAILING, TRUNCATED, UNKNOWN, UTF8, VALUE, WireError
from tidewire.runtime.wire import characters as chars
from tidewire.runtime.wire.byte_reader import ByteReader
from tidewire.runtime.wire.codec_ids import CHECKED_TEXT, LATIN1_TEXT, UNCHECKED_TEXT
from tidewire.runtime.wire.excerpts import shown, token

if cython.compiled:
    from cython.cimports.libc.string import memcpy, memset
    from cython.cimports.tidewire.runtime.json.escapes import passed, point, short, unescaped
    from cython.cimports.tidewire.runtime.wire.swar import plain
else:
    import re
    _SPACE = re.compile(rb"[ \t\n\r]*")
    _PLAIN = re.compile(rb'[^"\\\x00-\x1f]*')
    _ESCAPED = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|(.))")
    _SHORT = {b"b": "\b", b"f": "\f", b"n": "\n", b"r": "\r", b"t": "\t"}

if TYPE_CHECKING:
    from typing import Any

PADDING: cython.Py_ssize_t = 128
"""NUL bytes after a message, so that a block loaded at its last byte does not reach the unescaped strings."""
SLACK: cython.Py_ssize_t = 128
"""Bytes behind the room for strings, which are read and written in blocks."""

MOST_LOOKED_AT: Final = 256
"""Bytes around an error's offset from which its excerpt is taken."""


class JsonStrings(ByteReader):
    """A message's text. Offsets are bytes of the message; a NUL follows its end."""

    def __init__(self) -> None:
        self.scratch = Memory(1)
        self.escaped = self.high = self.lone = False
        self.free = self.behind = self.origin = self.kept_at = self.size_kept = 0

    def load(self, message: cython.Py_ssize_t) -> cython.int:
        """Loads a message by its number."""
        ByteReader.load(self, message)
        return self.take(self.end)

    def look(self, message: cython.Py_ssize_t) -> cython.int:
        """Loads a message by its number for comparisons only: no NULs follow it until `take`."""
        return ByteReader.load(self, message)

    def take(self, size: cython.Py_ssize_t) -> cython.int:
        """Makes the first `size` bytes of the loaded message readable, as if they were the whole message."""
        self.end = size
        self.free = self.behind = size + PADDING
        if cython.compiled:
            self.scratch.reserve(2 * size + PADDING + SLACK)
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
        """Raises an error; for an offset in unescaped text, the offset of the string is used."""
        where: cython.Py_ssize_t = offset if offset <= self.end else self.origin
        raise WireError(code, field, where, needed, available, self.found(code, offset, needed))

    def found(self, code: cython.int, offset: cython.Py_ssize_t, size: cython.longlong) -> str:
        """The excerpt of `size` bytes for an error, with quotes; empty for errors without an excerpt."""
        if code not in (VALUE, KIND, OUTSIDE, UNKNOWN, UTF8, TRAILING) or size <= 0:
            return ""
        quoted: cython.int = offset > 0 and self.p[offset - 1] == chars.QUOTE and self.p[offset + size] == chars.QUOTE
        return shown(self.copy(offset - quoted, offset + quoted + min(size, MOST_LOOKED_AT)))

    def broken(self, code: cython.int, field: cython.int, offset: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Raises a syntax error at an offset; at the message's end, the error is that it is truncated."""
        if offset >= self.end:
            return self.fail(TRUNCATED, field, self.end, 1, 0)
        raise WireError(code, field, offset, self.p[offset], 0, self.token(max(0, offset - MOST_LOOKED_AT), offset))

    def another(self, field: cython.int, offset: cython.Py_ssize_t, expected: str) -> cython.Py_ssize_t:
        """Raises the error of a value of the wrong type; at the message's end, the error is that it is truncated."""
        if offset >= self.end:
            return self.fail(TRUNCATED, field, self.end, 1, 0)
        raise WireError(KIND, field, offset, self.p[offset], 0, self.token(offset, offset), expected)

    def token(self, start: cython.Py_ssize_t, offset: cython.Py_ssize_t) -> str:
        """The token at an offset, for an error; a word that began after `start` is taken whole."""
        return token(self.copy(start, offset), self.copy(offset, min(self.end, offset + MOST_LOOKED_AT)))

    def space(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The offset after the white space at i."""
        if not cython.compiled:
            return _SPACE.match(self.p, i).end()  # type: ignore[union-attr]
        while (
            self.p[i] == chars.SPACE
            or self.p[i] == chars.LINE_FEED
            or self.p[i] == chars.CARRIAGE_RETURN
            or self.p[i] == chars.TAB
        ):
            i += 1
        return i

    # ---- strings

    def string(self, i: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """The offset after the string whose content starts at i; checks escapes and control characters.

        Sets `escaped` to whether there are escapes, `high` to whether there may be non-ASCII bytes.
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
        if self.p[j] == chars.QUOTE:
            return j + 1
        return self.string_on(j, field)

    def string_on(self, i: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """`string` continued at a byte that needs a closer look."""
        high: cython.ulonglong = self.high
        if cython.compiled:
            i = passed(self.p, i, cython.address(high))
            if i < 0:
                return self.broken(SYNTAX, field, ~i)
            self.escaped = True
        else:
            while self.p[i] != chars.QUOTE:
                if self.p[i] != chars.BACKSLASH:
                    return self.broken(SYNTAX, field, i)
                self.escaped = True
                i = self.escape(i, field)
                j = _PLAIN.match(self.p, i).end()  # type: ignore[union-attr]
                high = high or not self.p[i:j].isascii()
                i = j
        self.high = high != 0
        return i + 1

    def unescape(
        self, i: cython.Py_ssize_t, end: cython.Py_ssize_t, codec: cython.int, field: cython.int
    ) -> cython.Py_ssize_t:
        """Unescapes the string content message[i:end] into scratch memory; returns the number of bytes.

        Args:
            codec: CHECKED_TEXT: checked to be UTF-8; UNCHECKED_TEXT: not checked, lone surrogates are three bytes;
                LATIN1_TEXT: one byte for each code point.
        """
        self.origin = i
        if cython.compiled:
            any: cython.ulonglong = 0
            size: cython.Py_ssize_t = 0
            lone: cython.Py_ssize_t = -1
            if codec != UNCHECKED_TEXT and self.high and not self.utf8(i, end):
                return self.fail(UTF8, field, i, end - i, 0)
            if codec == LATIN1_TEXT:
                return _latin1(self, i, end, field)
            unescaped(
                self.p,
                i,
                cython.address(any),
                self.scratch.u8 + self.free,
                cython.address(size),
                cython.address(lone),
            )
            if lone >= 0 and codec != UNCHECKED_TEXT:
                return self.fail(UTF8, field, lone, 6, 0)
            return size
        return self.put_behind(self.unescaped(i, end, codec, field))

    # ---- strings that stay unescaped in scratch memory until they are used

    def release(self) -> cython.int:
        """Frees the unescaped strings."""
        self.free = self.behind
        return 0

    def keep(
        self, i: cython.Py_ssize_t, j: cython.Py_ssize_t, high: cython.bint, field: cython.int
    ) -> cython.Py_ssize_t:
        """Like `string`, for content that starts at i and has no escapes before j.

        Compiled code unescapes it at the same time: `size_kept` bytes at `kept_at`, as for UNCHECKED_TEXT; `lone` is
        whether there is a lone surrogate. `unescape_kept` completes the checks.

        Args:
            high: whether there are non-ASCII bytes before j.
        """
        if cython.compiled:
            any: cython.ulonglong = high
            size: cython.Py_ssize_t = 0
            lone: cython.Py_ssize_t = -1
            out: cython.p_uchar = self.scratch.u8 + self.free
            memcpy(out, self.p + i, j - i)
            end: cython.Py_ssize_t = unescaped(
                self.p, j, cython.address(any), out + (j - i), cython.address(size), cython.address(lone)
            )
            if end < 0:
                return self.broken(SYNTAX, field, ~end)
            self.escaped = True
            self.high = any != 0
            self.lone = lone >= 0
            self.kept_at = self.free
            self.size_kept = j - i + size
            self.free += self.size_kept + 1  # a NUL, which ends the scans of readers
            return end + 1
        return self.string(i, field)

    def unescape_kept(
        self,
        i: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        kept_at: cython.Py_ssize_t,
        size: cython.Py_ssize_t,
        lone: cython.bint,
        codec: cython.int,
        field: cython.int,
    ) -> cython.Py_ssize_t:
        """`unescape` of a string that `keep` has unescaped; it stays where it is.

        Args:
            kept_at, size, lone: set by `keep`.
        """
        free: cython.Py_ssize_t = self.free
        if codec == LATIN1_TEXT or (lone and codec != UNCHECKED_TEXT):
            # the result is never longer than what was kept
            self.free = kept_at
            size = self.unescape(i, end, codec, field)
            self.free = free
            return size
        self.origin = i
        # escapes are whole code points here, so the unescaped text is UTF-8 if the escaped text is
        if codec != UNCHECKED_TEXT and self.high and not self.utf8(kept_at, kept_at + size):
            return self.fail(UTF8, field, i, end - i, 0)
        return size

    def content(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t, field: cython.int) -> str:
        """The unescaped content message[start:end] of a string that `string` has scanned."""
        self.high = True
        size: cython.Py_ssize_t = self.unescape(start, end, CHECKED_TEXT, field)
        return self.decoded(self.free, self.free + size, field)

    def check_utf8(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t, field: cython.int) -> cython.int:
        """Checks that message[start:end] is UTF-8."""
        if not self.utf8(start, end):
            return self.fail(UTF8, field, start, end - start, 0)
        return 0

    if not cython.compiled:

        def put_behind(self, image: bytes) -> int:
            """Writes bytes to scratch memory; returns their number."""
            self.p[self.free : self.free + len(image)] = image  # type: ignore[index]
            return len(image)

        def escape(self, i: int, field: int) -> int:
            """The offset after the escape at i."""
            c = self.p[i + 1]
            if c == chars.LOWER_U:
                for k in range(i + 2, i + 6):
                    if self.p[k] not in b"0123456789abcdefABCDEF":
                        return self.broken(SYNTAX, field, k)
                return i + 6
            if c in b'"\\/bfnrt':
                return i + 2
            return self.broken(SYNTAX, field, i + 1)

        def unescaped(self, i: int, end: int, codec: int, field: int) -> bytes:
            """`unescape` as a bytes object."""
            image = bytes(self.p[i:end])
            if codec != UNCHECKED_TEXT and not self.utf8(i, end):
                self.fail(UTF8, field, i, end - i, 0)
            if codec == LATIN1_TEXT:
                return self.latin1(image, i, field)
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

        def latin1(self, image: bytes, i: int, field: int) -> bytes:
            """One byte for each code point of a string that is known to be UTF-8; escapes may be halves of surrogate
            pairs.
            """
            out = bytearray()
            at = 0
            size = len(image)
            while at < size:
                start = at
                if image[at] != chars.BACKSLASH:
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


if cython.compiled:

    @cython.cfunc
    @cython.exceptval(-1)
    def _latin1(r: JsonStrings, i: cython.Py_ssize_t, end: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """`unescape` of UTF-8 to one byte for each code point; writes these and a NUL only."""
        p = r.p
        out: cython.p_uchar = r.scratch.u8 + r.free
        at: cython.Py_ssize_t = 0
        first: cython.Py_ssize_t
        u: cython.int
        any: cython.ulonglong = 0
        while i < end:
            first = i
            u = p[i]
            if u < 0x80 and u != chars.BACKSLASH:
                i = i + 1 if r.high else plain(p, i, cython.address(any))
                memcpy(out + at, p + first, i - first)
                at += i - first
                continue
            if u != chars.BACKSLASH:
                if u > 0xC3:
                    return r.fail(VALUE, field, i, end - i, 0)
                u = (u & 3) << 6 | (p[i + 1] & 63)
                i += 2
            elif p[i + 1] == chars.LOWER_U:
                u = point(p + i)
                i += 6
                if u >= 0xD800 and u < 0xE000:
                    return r.fail(UTF8, field, first, 6, 0)
            else:
                u = short(p[i + 1])
                i += 2
            if u > 0xFF:
                return r.fail(VALUE, field, first, end - first, 0)
            out[at] = u
            at += 1
        out[at] = 0
        return at
