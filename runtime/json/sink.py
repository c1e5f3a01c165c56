"""A growing buffer to which JSON messages are written, as Go's encoders spell JSON."""

from __future__ import annotations

import re
import struct
from binascii import b2a_base64
from typing import TYPE_CHECKING, NamedTuple

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Memory, Numbers
from tidewire.runtime.json import characters as chars
from tidewire.runtime.json.numerals import MOST_FLOAT, put_float32, put_float64, put_integer, put_number64, put_unsigned
from tidewire.runtime.json.printable import STARTS

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
"""Bytes that there is room for behind what is escaped: its quote is written without looking."""
_PRINTABLE = Numbers()
"""The code points of printable.py."""
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
    """What writers of JSON spell differently."""

    html: bool
    """Whether & < > are \\u and four hexadecimal digits."""
    letters: bool = False
    """Whether a backspace and a form feed are \\b and \\f, as in Go's encoding/json since Go 1.22."""
    separators: bool = True
    """Whether U+2028 and U+2029 are \\u and four hexadecimal digits."""
    exponent: int = 1
    """Digits that the exponent of a number has at least, 1 or 2: 1e-7 or 1e-07."""


def _actions(html: bool, letters: bool) -> bytes:
    """What becomes of each byte of a text.

    0 stays as it is, 1 is a backslash and a letter, 2 is \\u00 and two hexadecimal digits; 3, 4, 5 begin characters of
    two, three and four bytes; 6 begins none.
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


class JsonSink(Memory):
    """JSON that has been written: the bytes before pos.

    Text is spelled as Go's JSON encoders spell it: a tab, a newline, a carriage return, a quote and a backslash have a
    short form; other control characters, and what `Spelling` says, are \\u and four hexadecimal digits in lower case;
    everything else is UTF-8. Bytes that are not UTF-8 are left out and counted in `invalid`.
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
            html, letters, separators, exponent: how text and numbers are spelled (`Spelling`).
        """
        Memory.__init__(self, 4096)
        self.pos = 0
        self.zone = ""
        self.invalid = 0
        self.html = html
        self.separators = separators
        self.exponent = exponent
        self.actions = _ACTIONS[bool(html), bool(letters)]
        self.action = self.actions

    def written(self, start: cython.Py_ssize_t) -> bytes:
        """What has been written from start on."""
        return bytes(memoryview(self.data)[start : self.pos])

    # ---- what is written as it is

    def raw(self, image: bytes) -> cython.int:
        """JSON that has been spelled before."""
        size: cython.Py_ssize_t = len(image)
        self.reserve(self.pos + size)
        if cython.compiled:
            memcpy(self.u8 + self.pos, cython.cast(cython.p_char, image), size)
        else:
            self.u8[self.pos : self.pos + size] = image
        self.pos += size
        return 0

    def comma(self) -> cython.int:
        """A comma, unless this is the first member of an object."""
        self.reserve(self.pos + 1)
        if self.u8[self.pos - 1] != chars.OPEN_OBJECT:  # {
            self.u8[self.pos] = chars.COMMA
            self.pos += 1
        return 0

    # ---- frames

    def u64be(self, value: cython.ulonglong) -> cython.int:
        """A number of 8 bytes, big endian."""
        self.reserve(self.pos + FRAME_LENGTH)
        self.put_u64be(self.pos, value)
        self.pos += FRAME_LENGTH
        return 0

    def open_frame(self) -> cython.Py_ssize_t:
        """Leaves room for the length of what is written next, up to `close_frame`: where that is."""
        start: cython.Py_ssize_t = self.pos
        self.reserve(start + FRAME_LENGTH)
        self.pos = start + FRAME_LENGTH
        return start

    def close_frame(self, start: cython.Py_ssize_t) -> cython.int:
        """Writes the length of what has been written since `open_frame`, which gave `start`."""
        return self.put_u64be(start, self.pos - start - FRAME_LENGTH)

    def take_out(self, at: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.int:
        """Takes bytes out of what has been written; those behind them move up."""
        if cython.compiled:
            memmove(self.u8 + at, self.u8 + at + size, self.pos - at - size)
        else:
            self.u8[at : self.pos - size] = bytes(self.u8[at + size : self.pos])
        self.pos -= size
        return 0

    def replace(self, at: cython.Py_ssize_t, image: bytes) -> cython.int:
        """These bytes instead of all that has been written from `at` on."""
        self.pos = at
        return self.raw(image)

    def put_u64be(self, at: cython.Py_ssize_t, value: cython.ulonglong) -> cython.int:
        """Writes a number of 8 bytes, big endian, where there is room for it."""
        k: cython.int
        for k in range(7, -1, -1):
            self.u8[at + k] = value & 0xFF
            value >>= 8
        return 0

    # ---- numbers

    def integer(self, value: cython.longlong) -> cython.int:
        """A signed number."""
        self.reserve(self.pos + 20)
        self.pos = put_integer(self.u8, self.pos, value)
        return 0

    def unsigned(self, value: cython.ulonglong) -> cython.int:
        """An unsigned number."""
        self.reserve(self.pos + 20)
        self.pos = put_unsigned(self.u8, self.pos, value)
        return 0

    def float64(self, value: cython.double) -> cython.int:
        """The shortest digits of a double.

        Raises:
            ValueError: it is infinite or not a number.
        """
        self.reserve(self.pos + MOST_FLOAT)
        self.pos = put_float64(self.u8, self.pos, value)
        return 0

    def number64(self, value: cython.double) -> cython.int:
        """The same as a JSON number, with an exponent from 1e21 on and below 1e-6.

        Raises:
            ValueError: it is infinite or not a number.
        """
        self.reserve(self.pos + MOST_FLOAT)
        self.pos = put_number64(self.u8, self.pos, value, self.exponent)
        return 0

    def float32(self, value: cython.double) -> cython.int:
        """The shortest digits of the 32-bit float that is nearest to a double.

        Raises:
            ValueError: it is infinite or not a number.
        """
        self.reserve(self.pos + MOST_FLOAT)
        self.pos = put_float32(self.u8, self.pos, value)
        return 0

    # ---- text in quotes

    def string(self, text: bytes) -> cython.int:
        """A text, in quotes."""
        return self._quoted(text, False)

    def mapped(self, text: bytes) -> cython.int:
        """Bytes as the code points 0 to 255 (ISO 8859-1), in quotes."""
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
        """Bytes in base64, with padding, in quotes."""
        self.raw(b'"')
        if cython.compiled:
            self.escape_base64(cython.cast(cython.p_uchar, cython.cast(cython.p_char, image)), 0, len(image))
        else:
            self.escape_base64(memoryview(image), 0, len(image))
        return self.raw(b'"')

    def text_of(self, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """A text that is there, in quotes."""
        i: cython.Py_ssize_t = source.values[c].first + row
        self.raw(b'"')
        self.escape(source.values[c].data, source.values[c].ends[i], source.values[c].ends[i + 1])
        return self.raw(b'"')

    def base64_of(self, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """Bytes that are there, in base64, in quotes."""
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
        """The text data[start:stop] without quotes around it."""
        out: cython.p_uchar
        action: cython.pointer(cython.const[cython.uchar]) = self.action  # type: ignore[valid-type]
        at: cython.Py_ssize_t = self.pos
        i: cython.Py_ssize_t = start
        size: cython.Py_ssize_t
        kind: cython.int
        second: cython.int
        trusted: cython.int = -1
        # Room for what is left, and for one character that takes more: every step keeps it.
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
                # once: all that is not ASCII may stay as it is from here on
                trusted = not (self.separators and memchr(data + i, 0xE2, stop - i)) and well_formed(data, i, stop)
                continue
            # Characters that are not plain, for as long as one follows the other
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
                            # not the overlong ones, and not the halves of surrogate pairs
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
        """The bytes data[start:stop] as code points, without quotes around them."""
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
        """The bytes data[start:stop] as Go's strconv.Quote spells them, without quotes around them."""
        i: cython.Py_ssize_t = start
        if cython.compiled:
            while i < stop:
                # a character takes 16 bytes at most
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
        """The bytes data[start:stop] in base64, with padding, without quotes around them."""
        if cython.compiled:
            self.reserve(self.pos + (stop - start + 2) // 3 * 4 + ROOM_BEHIND)
            self.pos += encode64(self.u8 + self.pos, data + start, stop - start)
            return 0
        self.raw(b2a_base64(data[start:stop], newline=False))
        return self.reserve(self.pos + ROOM_BEHIND)

    def escape_one(self, at: cython.Py_ssize_t, byte: cython.int) -> cython.Py_ssize_t:
        """An ASCII character that is not written as it is, where there is room for it; where it ends."""
        out: cython.p_uchar = self.u8
        out[at] = chars.BACKSLASH  # backslash
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


def single_digits(value: float) -> bool:
    """Whether a finite number is a 32-bit float, or has the digits of one, as 0.1 has those of its nearest."""
    sink = JsonSink(False)
    try:
        sink.float32(value)
    except ValueError:
        return False
    near: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return near == value or float(sink.written(0)) == value
