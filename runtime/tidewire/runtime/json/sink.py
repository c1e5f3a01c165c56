"""A growing buffer for JSON messages, in the spelling of Go's encoders."""

from __future__ import annotations

import re
from binascii import b2a_base64
from typing import TYPE_CHECKING, NamedTuple

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.json.printable import STARTS
from tidewire.runtime.wire import characters as chars
from tidewire.runtime.wire.byte_sink import ByteSink
from tidewire.runtime.wire.numerals import MOST_FLOAT, put_float32, put_float64, put_integer, put_number64, put_unsigned

if cython.compiled:
    from cython.cimports.libc.string import memchr, memcpy, memmove
    from cython.cimports.tidewire.runtime.json.base64 import encode64
    from cython.cimports.tidewire.runtime.json.go_quote import quote
    from cython.cimports.tidewire.runtime.json.plain_copies import copied
    from cython.cimports.tidewire.runtime.wire.utf8 import well_formed
else:
    from tidewire.runtime.json.bytes_as_text import quoted

if TYPE_CHECKING:
    from tidewire.runtime.arrow.column_reader import ColumnReader

FRAME_LENGTH: cython.Py_ssize_t = 8
"""Bytes of the length before a frame."""
ROOM_BEHIND: cython.Py_ssize_t = 16
"""Bytes that are free behind escaped text, so that its closing quote needs no check."""
_PRINTABLE = Numbers()
"""Code points of printable.py."""
for _code_point in STARTS:
    _PRINTABLE.append(_code_point)
_SHORT = {
    chars.TAB: b"t",
    chars.LINE_FEED: b"n",
    chars.CARRIAGE_RETURN: b"r",
    chars.QUOTE: b'"',
    chars.BACKSLASH: b"\\",
}
_HTML = frozenset(b"&<>")
_LETTERS = frozenset(b"\b\f")


class Spelling(NamedTuple):
    """Spelling choices that differ between writers of JSON."""

    html: bool
    """Whether & < > are written as \\u and four hexadecimal digits."""
    letters: bool = False
    """Whether backspace and form feed are written as \\b and \\f, as in Go's encoding/json since Go 1.22."""
    separators: bool = True
    """Whether U+2028 and U+2029 are written as \\u and four hexadecimal digits."""
    exponent: int = 1
    """Minimum digits of a number's exponent, 1 or 2: 1e-7 or 1e-07."""


def _actions(html: bool, letters: bool) -> bytes:
    """The action for each byte of a text.

    0: copied; 1: a backslash and a letter; 2: \\u00 and two hexadecimal digits; 3, 4, 5: first byte of a character of
    two, three and four bytes; 6: never the first byte of a character.
    """
    actions = bytearray(256)
    for byte in range(256):
        if byte in _SHORT or (letters and byte in _LETTERS):
            actions[byte] = 1
        elif byte < 0x20 or (html and byte in _HTML):
            actions[byte] = 2
        elif byte >= 0x80:
            actions[byte] = (
                3 if 0xC2 <= byte <= 0xDF else 4 if 0xE0 <= byte <= 0xEF else 5 if 0xF0 <= byte <= 0xF4 else 6
            )
    return bytes(actions)


_ACTIONS = {(html, letters): _actions(html, letters) for html in (False, True) for letters in (False, True)}
_PLAIN = {
    False: re.compile(rb'[^\x00-\x1f"\\\x80-\xff]*'),
    True: re.compile(rb'[^\x00-\x1f"\\&<>\x80-\xff]*'),
}


class JsonSink(ByteSink):
    """JSON that has been written: the bytes before `pos`.

    Text is spelled as Go's JSON encoders do: tab, newline, carriage return, quote and backslash have a short escape;
    other control characters, and what `Spelling` selects, are \\u and four hexadecimal digits in lower case; everything
    else is UTF-8. Bytes that are not UTF-8 are omitted and counted in `invalid`.
    """

    def __init__(
        self,
        html: cython.bint,
        letters: cython.bint = False,
        separators: cython.bint = True,
        exponent: cython.int = 1,
    ) -> None:
        """
        Args:
            html, letters, separators, exponent: see `Spelling`.
        """
        ByteSink.__init__(self)
        self.zone = ""
        self.invalid = 0
        self.html = html
        self.separators = separators
        self.exponent = exponent
        self.actions = _ACTIONS[bool(html), bool(letters)]
        self.action = self.actions

    # ---- literal bytes

    def raw(self, image: bytes) -> cython.int:
        """Writes JSON text unchanged. Encoders call this some 20 times a row, so it does not call the base class."""
        size: cython.Py_ssize_t = len(image)
        self.reserve(self.pos + size)
        if cython.compiled:
            memcpy(self.u8 + self.pos, cython.cast(cython.p_char, image), size)
        else:
            self.u8[self.pos : self.pos + size] = image
        self.pos += size
        return 0

    def comma(self) -> cython.int:
        """Writes a comma, unless this is the first member of an object."""
        self.reserve(self.pos + 1)
        if self.u8[self.pos - 1] != chars.OPEN_OBJECT:
            self.u8[self.pos] = chars.COMMA
            self.pos += 1
        return 0

    # ---- frames

    def open_frame(self) -> cython.Py_ssize_t:
        """Reserves the length of the frame that follows; returns the offset of the length, for `close_frame`."""
        start: cython.Py_ssize_t = self.pos
        self.reserve(start + FRAME_LENGTH)
        self.pos = start + FRAME_LENGTH
        return start

    def close_frame(self, start: cython.Py_ssize_t) -> cython.int:
        """Writes the length of the frame that `open_frame` began at `start`."""
        return self.put_u64be(start, self.pos - start - FRAME_LENGTH)

    def take_out(self, at: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.int:
        """Removes written bytes; those behind them move up."""
        if cython.compiled:
            memmove(self.u8 + at, self.u8 + at + size, self.pos - at - size)
        else:
            self.u8[at : self.pos - size] = bytes(self.u8[at + size : self.pos])
        self.pos -= size
        return 0

    def replace(self, at: cython.Py_ssize_t, image: bytes) -> cython.int:
        """Replaces everything written from `at` on."""
        self.pos = at
        return self.raw(image)

    # ---- numbers

    def integer(self, value: cython.longlong) -> cython.int:
        """Writes a signed integer."""
        self.reserve(self.pos + 20)
        self.pos = put_integer(self.u8, self.pos, value)
        return 0

    def unsigned(self, value: cython.ulonglong) -> cython.int:
        """Writes an unsigned integer."""
        self.reserve(self.pos + 20)
        self.pos = put_unsigned(self.u8, self.pos, value)
        return 0

    def float64(self, value: cython.double) -> cython.int:
        """Writes the shortest digits of a float64.

        Raises:
            ValueError: it is infinite or not a number.
        """
        self.reserve(self.pos + MOST_FLOAT)
        self.pos = put_float64(self.u8, self.pos, value)
        return 0

    def number64(self, value: cython.double) -> cython.int:
        """Writes a float64 as a JSON number, with an exponent from 1e21 on and below 1e-6.

        Raises:
            ValueError: it is infinite or not a number.
        """
        self.reserve(self.pos + MOST_FLOAT)
        self.pos = put_number64(self.u8, self.pos, value, self.exponent)
        return 0

    def float32(self, value: cython.double) -> cython.int:
        """Writes the shortest digits of the float32 that is nearest to a float64.

        Raises:
            ValueError: it is infinite or not a number.
        """
        self.reserve(self.pos + MOST_FLOAT)
        self.pos = put_float32(self.u8, self.pos, value)
        return 0

    # ---- text in quotes

    def string(self, text: bytes) -> cython.int:
        """Writes a text as a JSON string."""
        return self._quoted(text, False)

    def mapped(self, text: bytes) -> cython.int:
        """Writes bytes as a JSON string of the code points 0 to 255 (ISO 8859-1)."""
        return self._quoted(text, True)

    def _quoted(self, text: bytes, mapped: cython.bint) -> cython.int:
        self.raw(b'"')
        if cython.compiled:
            if mapped:
                self.escape_mapped(cython.cast(cython.p_uchar, cython.cast(cython.p_char, text)), 0, len(text))
            else:
                self.escape(cython.cast(cython.p_uchar, cython.cast(cython.p_char, text)), 0, len(text))
        elif mapped:
            self.escape_mapped(memoryview(text), 0, len(text))
        else:
            self.escape(memoryview(text), 0, len(text))
        return self.raw(b'"')

    def base64(self, image: bytes) -> cython.int:
        """Writes bytes as a JSON string in base64, with padding."""
        self.raw(b'"')
        if cython.compiled:
            self.escape_base64(cython.cast(cython.p_uchar, cython.cast(cython.p_char, image)), 0, len(image))
        else:
            self.escape_base64(memoryview(image), 0, len(image))
        return self.raw(b'"')

    def text_of(self, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """Writes the text of a column as a JSON string; it is not null."""
        i: cython.Py_ssize_t = source.values[c].first + row
        self.raw(b'"')
        self.escape(source.values[c].data, source.values[c].ends[i], source.values[c].ends[i + 1])
        return self.raw(b'"')

    def base64_of(self, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """Writes the bytes of a column as a JSON string in base64; they are not null."""
        i: cython.Py_ssize_t = source.values[c].first + row
        self.raw(b'"')
        self.escape_base64(source.values[c].data, source.values[c].ends[i], source.values[c].ends[i + 1])
        return self.raw(b'"')

    def escape(
        self,
        data: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
        start: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
    ) -> cython.int:
        """Writes the text data[start:stop], escaped, without quotes."""
        out: cython.p_uchar
        action: cython.pointer(cython.const[cython.uchar]) = self.action  # type: ignore[valid-type]
        at: cython.Py_ssize_t = self.pos
        i: cython.Py_ssize_t = start
        size: cython.Py_ssize_t
        kind: cython.int
        second: cython.int
        trusted: cython.int = -1
        # Room for the rest, plus one character that takes more: every step preserves this.
        self.reserve(at + stop - start + 16)
        out = self.u8
        while True:
            if cython.compiled:
                size = copied(out + at, data + i, stop - i, action, trusted > 0)
            else:
                size = _PLAIN[self.html].match(data, i, stop).end() - i  # type: ignore[union-attr]
                out[at : at + size] = data[i : i + size]
            i += size
            at += size
            if i >= stop:
                break
            if cython.compiled and trusted < 0 and data[i] >= 0x80:
                # checked once: from here on all non-ASCII characters can be copied
                trusted = not (self.separators and memchr(data + i, 0xE2, stop - i)) and well_formed(data, i, stop)
                continue
            # Characters that need escapes or checks, as long as they follow one another
            while i < stop:
                kind = action[data[i]]
                if kind == 0:
                    break
                if kind < 3:
                    at = self.escape_one(at, data[i])
                    i += 1
                else:
                    size = 0
                    second = data[i + 1] if i + 1 < stop else 0
                    if second & 0xC0 == 0x80:
                        if kind == 3:
                            size = 2
                        elif kind == 4 and i + 2 < stop and data[i + 2] & 0xC0 == 0x80:
                            # excludes overlong forms and surrogates
                            if not (data[i] == 0xE0 and second < 0xA0) and not (data[i] == 0xED and second > 0x9F):
                                size = 3
                        elif kind == 5 and i + 3 < stop and data[i + 2] & 0xC0 == 0x80 and data[i + 3] & 0xC0 == 0x80:
                            if not (data[i] == 0xF0 and second < 0x90) and not (data[i] == 0xF4 and second > 0x8F):
                                size = 4
                    if (
                        size == 3
                        and self.separators
                        and data[i] == 0xE2
                        and second == 0x80
                        and data[i + 2] & 0xFE == 0xA8
                    ):
                        # U+2028 and U+2029
                        if cython.compiled:
                            memcpy(out + at, cython.cast(cython.p_char, b"\\u202"), 5)
                        else:
                            out[at : at + 5] = b"\\u202"
                        out[at + 5] = chars.ZERO + 8 + (data[i + 2] & 1)
                        at += 6
                        i += 3
                    elif size > 0:
                        while size > 0:
                            out[at] = data[i]
                            at += 1
                            i += 1
                            size -= 1
                    else:
                        self.invalid += 1
                        i += 1
                if at + stop - i + 16 > self.room:
                    self.pos = at
                    self.reserve(at + stop - i + 16)
                    out = self.u8
        self.pos = at
        return 0

    def escape_mapped(
        self,
        data: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
        start: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
    ) -> cython.int:
        """Writes the bytes data[start:stop] as code points, escaped, without quotes."""
        out: cython.p_uchar
        action: cython.pointer(cython.const[cython.uchar]) = self.action  # type: ignore[valid-type]
        at: cython.Py_ssize_t = self.pos
        i: cython.Py_ssize_t = start
        size: cython.Py_ssize_t
        b: cython.int
        self.reserve(at + 2 * (stop - start) + 16)
        out = self.u8
        while i < stop:
            if cython.compiled:
                size = copied(out + at, data + i, stop - i, action, False)
                i += size
                at += size
                if i >= stop:
                    break
            b = data[i]
            i += 1
            if b >= 0x80:
                out[at] = 0xC0 | (b >> 6)
                out[at + 1] = 0x80 | (b & 0x3F)
                at += 2
            elif action[b] == 0:
                out[at] = b
                at += 1
            else:
                at = self.escape_one(at, b)
                if at + 2 * (stop - i) + 16 > self.room:
                    self.pos = at
                    self.reserve(at + 2 * (stop - i) + 16)
                    out = self.u8
        self.pos = at
        return 0

    def escape_quoted(
        self,
        data: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
        start: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
    ) -> cython.int:
        """Writes the bytes data[start:stop] in the form of Go's strconv.Quote, without its quotes, escaped for JSON."""
        i: cython.Py_ssize_t = start
        if cython.compiled:
            while i < stop:
                # a character takes at most 16 bytes
                self.reserve(self.pos + stop - i + 64)
                self.pos += quote(
                    self.u8 + self.pos,
                    self.room - self.pos,
                    data,
                    cython.address(i),
                    stop,
                    _PRINTABLE.i64,
                    _PRINTABLE.size,
                    self.html,
                )
            return self.reserve(self.pos + ROOM_BEHIND)
        text = quoted(bytes(data[start:stop])).replace("\\", "\\\\").replace('"', '\\"')
        if self.html:
            text = text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
        self.raw(text.encode())
        return self.reserve(self.pos + ROOM_BEHIND)

    def escape_base64(
        self,
        data: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
        start: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
    ) -> cython.int:
        """Writes the bytes data[start:stop] in base64, with padding, without quotes."""
        if cython.compiled:
            self.reserve(self.pos + (stop - start + 2) // 3 * 4 + ROOM_BEHIND)
            self.pos += encode64(self.u8 + self.pos, data + start, stop - start)
            return 0
        self.raw(b2a_base64(data[start:stop], newline=False))
        return self.reserve(self.pos + ROOM_BEHIND)

    def escape_one(self, at: cython.Py_ssize_t, byte: cython.int) -> cython.Py_ssize_t:
        """Writes the escape of an ASCII character at `at`, where there is room; returns the offset of its end."""
        out: cython.p_uchar = self.u8
        out[at] = chars.BACKSLASH
        if byte == chars.QUOTE or byte == chars.BACKSLASH:
            out[at + 1] = byte
            return at + 2
        if byte == chars.LINE_FEED:
            out[at + 1] = chars.LOWER_N
            return at + 2
        if byte == chars.TAB:
            out[at + 1] = chars.LOWER_T
            return at + 2
        if byte == chars.CARRIAGE_RETURN:
            out[at + 1] = chars.LOWER_R
            return at + 2
        if self.action[byte] == 1:  # a backspace or a form feed
            out[at + 1] = chars.LOWER_B if byte < chars.TAB else chars.LOWER_F
            return at + 2
        out[at + 1] = chars.LOWER_U
        out[at + 2] = chars.ZERO
        out[at + 3] = chars.ZERO
        out[at + 4] = chars.ZERO + (byte >> 4)
        byte &= 15
        out[at + 5] = chars.ZERO + byte if byte < chars.LINE_FEED else 87 + byte
        return at + 6
