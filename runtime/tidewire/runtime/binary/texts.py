"""Codecs of numbers as text. JSON's readers and writers have the same codecs, by number (runtime/json/codecs.py)."""

from __future__ import annotations

import re
from math import isinf
from typing import TYPE_CHECKING, Final

from tidewire.runtime import cython
from tidewire.runtime.arrow.storage import INT
from tidewire.runtime.binary.codec import BinaryCodec
from tidewire.runtime.wire.numerals import MOST_FLOAT, put_float64

if TYPE_CHECKING:
    from tidewire.runtime.arrow.column_reader import ColumnReader
    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.binary.cursor import Cursor
    from tidewire.runtime.binary.sink import Sink

NUMBER = re.compile(rb"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")
MOST_DIGITS: Final = 20
"""Maximum length of the decimal text of a 64-bit integer, with its sign."""


class Digits(BinaryCodec):
    """An integer in decimal digits."""

    def read(
        self,
        r: Cursor,
        start: cython.Py_ssize_t,
        size: cython.Py_ssize_t,
        columns: Columns,
        c: cython.int,
        row: cython.Py_ssize_t,
        field: cython.int,
    ) -> cython.int:
        text: bytes = r.copy(start, start + size)
        signed: cython.bint = self.storage == INT
        if not (text.removeprefix(b"-") if signed else text).isdigit():
            raise ValueError("it is no integer in decimal digits")
        if size > MOST_DIGITS and len(text.lstrip(b"-0")) > MOST_DIGITS:
            raise OverflowError(f"{size} digits")  # Python converts no more than 4,300
        if signed:
            return columns.put_int(c, row, int(text))
        return columns.put_uint(c, row, int(text))

    def write(self, s: Sink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        return s.raw(b"%d" % (source.int_at(c, row) if self.storage == INT else source.uint_at(c, row)))


class FloatText(BinaryCodec):
    """A float in the shortest decimal text that it is the nearest to, without exponent; one is read too."""

    def read(
        self,
        r: Cursor,
        start: cython.Py_ssize_t,
        size: cython.Py_ssize_t,
        columns: Columns,
        c: cython.int,
        row: cython.Py_ssize_t,
        field: cython.int,
    ) -> cython.int:
        text: bytes = r.copy(start, start + size)
        if NUMBER.fullmatch(text) is None:
            raise ValueError("it is no decimal number")
        value = float(text)
        if isinf(value):
            raise OverflowError("it is beyond a 64-bit float")
        return columns.put_float(c, row, value)

    def write(self, s: Sink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        s.reserve(s.pos + MOST_FLOAT)
        s.pos = put_float64(s.u8, s.pos, source.value(c, row))
        return 0
