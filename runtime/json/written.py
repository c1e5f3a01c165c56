"""Row images as JSON objects: what messages say of their columns, spelled once, and their values.

What is the same in all messages of a table, the columns' names and types, is spelled when the table is first seen.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from tidewire.runtime.errors import EncodeError
from tidewire.runtime.json.codecs import STORAGE
from tidewire.runtime.json.numerals import MOST_FLOAT
from tidewire.runtime.json.sink import JsonSink
from tidewire.runtime.memory import Numbers
from tidewire.runtime.source import Source, stored

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if cython.compiled:
    from cython.cimports.libc.math import isfinite
    from cython.cimports.libc.string import memcmp, memcpy
    from cython.cimports.tidewire.runtime.json.codec_numbers import (
        CHECKED_TEXT,
        FLOAT32_TEXT,
        FLOAT64_TEXT,
        INT_TEXT,
        LATIN1_TEXT,
        UNCHECKED_TEXT,
    )
    from cython.cimports.tidewire.runtime.json.numerals import put_float32, put_float64, put_integer, put_unsigned
    from cython.cimports.tidewire.runtime.source import Values
    from cython.cimports.tidewire.runtime.storage_numbers import FLOAT, TEXT
else:
    from tidewire.runtime.json.codecs import (
        CHECKED_TEXT,
        FLOAT32_TEXT,
        FLOAT64_TEXT,
        INT_TEXT,
        LATIN1_TEXT,
        UNCHECKED_TEXT,
    )
    from tidewire.runtime.json.numerals import put_float32, put_float64, put_integer, put_unsigned
    from tidewire.runtime.storage import FLOAT, TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    from tidewire.runtime.batch import Column, Layout

_FLOATS = (FLOAT32_TEXT, FLOAT64_TEXT)
_PADDING = 16
"""Keys are copied 16 bytes at a time: there are as many behind the last one."""


class ByValue(NamedTuple):
    """What is said of a column's type: `value`, but `beyond` of an unsigned number above `limit`, if there is such."""

    value: int | str
    beyond: int | str | None
    limit: int | None


def text_json(protocol: str, text: str, html: bool) -> bytes:
    """A text as JSON, in quotes.

    Raises:
        EncodeError: it has a lone surrogate.
    """
    sink = JsonSink(html)
    try:
        sink.string(text.encode())
    except UnicodeEncodeError:
        raise EncodeError(protocol, None, None, f"{text!r} is not text that UTF-8 can hold") from None
    return sink.written(0)


def value_json(protocol: str, value: int | str, html: bool) -> bytes:
    """A number or a text as JSON."""
    return b"%d" % value if isinstance(value, int) else text_json(protocol, value, html)


def names_json(protocol: str, names: Iterable[str], empty: bytes, html: bool) -> bytes:
    """An array of names, or what is written when there are none."""
    written = [text_json(protocol, name, html) for name in names]
    return b"[%b]" % b",".join(written) if written else empty


def texts_json(protocol: str, texts: Iterable[tuple[str, str]], empty: bytes, html: bool) -> bytes:
    """An object of texts by name, or what is written when there are none."""
    written = [b"%b:%b" % (text_json(protocol, name, html), text_json(protocol, text, html)) for name, text in texts]
    return b"{%b}" % b",".join(written) if written else empty


class RowTexts:
    """What is the same in all objects of row images with these columns: the keys, and how each value is written."""

    def __init__(
        self, protocol: str, columns: Sequence[Column], chosen: Sequence[int], codecs: Sequence[int], html: bool
    ) -> None:
        """
        Args:
            protocol: for errors.
            columns: of the layout.
            chosen: which of them are written, by position.
            codecs: how the values of each of the layout's columns are written (runtime/json/codecs.py).
            html: whether & < > are escaped.

        Raises:
            EncodeError: a name is given twice or is not text.
        """
        k: cython.Py_ssize_t
        self.protocol = protocol
        self.chosen = tuple(chosen)
        self.columns = tuple([columns[c] for c in chosen])
        self.codecs = tuple([codecs[c] for c in chosen])
        self.width = len(self.columns)
        self.places = {column.name: k for k, column in enumerate(self.columns)}
        if len(self.places) != self.width:
            names = [column.name for column in self.columns]
            twice = next(name for name in names if names.count(name) > 1)
            raise EncodeError(protocol, None, twice, "its name is given twice")
        # the comma of the first key makes room for the brace; the quote is the value's, null is written over it
        keys = [b',%b:"' % text_json(protocol, column.name, html) for column in self.columns]
        self.keys = b"".join(keys) + bytes(_PADDING)
        self.ends, self.codes, self.needs = Numbers(), Numbers(), Numbers()
        for numbers in (self.ends, self.codes, self.needs):
            numbers.take(0)
        self.ends.append(0)
        for k in range(self.width):
            self.ends.append(self.ends.i64[k] + len(keys[k]))
            self.codes.append(self.codecs[k])
            self.needs.append(len(keys[k]) + 2 * _PADDING + (MOST_FLOAT if self.codecs[k] in _FLOATS else 24))


class WrittenRows:
    """The row images of a layout, ready to be written."""

    def __init__(self, texts: RowTexts, layout: Layout) -> None:
        """
        Args:
            texts: of columns of this layout.
            layout: the row images.

        Raises:
            EncodeError: values are not what their column's type stores.
        """
        self.texts = texts
        self.rows = layout.num_rows
        self.source = Source(
            [self.fitting(texts, layout, k) for k in range(texts.width)], [STORAGE[codec] for codec in texts.codecs]
        )
        self.against: WrittenRows | None = None
        self.as_written = False
        self.pairs = Numbers()

    @staticmethod
    def fitting(texts: RowTexts, layout: Layout, k: int) -> pa.Array:
        """The values of a column, as a column of its storage holds them."""
        column = texts.columns[k]
        try:
            return stored(layout.arrays[texts.chosen[k]], STORAGE[texts.codecs[k]])
        except TypeError as error:
            reason = f"type {column.type} with flags {column.flags} has other values: {error}"
            raise EncodeError(texts.protocol, None, column.name, reason) from None

    def write(self, s: JsonSink, row: cython.Py_ssize_t) -> cython.int:
        """A row as an object of its columns.

        Raises:
            EncodeError: a float has no digits.
        """
        return self._write(s, row, None, 0)

    def write_changed(
        self,
        s: JsonSink,
        row: cython.Py_ssize_t,
        other: WrittenRows,
        other_row: cython.Py_ssize_t,
        as_written: cython.bint,
    ) -> cython.int:
        """The same of the columns that the other row has not, or not with this value; null differs from every value.

        Args:
            s: where to.
            row: which one.
            other: the rows that it is compared with.
            other_row: which one of them.
            as_written: whether 0.0 and -0.0 are two values, as they are written.
        """
        if self.against is not other:
            self._pair(other)
        self.as_written = as_written
        return self._write(s, row, other, other_row)

    def _write(
        self, s: JsonSink, row: cython.Py_ssize_t, other: WrittenRows | None, other_row: cython.Py_ssize_t
    ) -> cython.int:
        values: cython.pointer(Values) = self.source.values  # type: ignore[valid-type]
        texts: RowTexts = self.texts
        out: cython.p_uchar = s.u8
        keys: cython.pointer(cython.const[cython.uchar]) = texts.keys  # type: ignore[valid-type]
        start: cython.Py_ssize_t = s.pos
        at: cython.Py_ssize_t = start
        first: cython.Py_ssize_t
        size: cython.Py_ssize_t
        i: cython.Py_ssize_t
        c: cython.int
        codec: cython.int
        for c in range(texts.width):
            if other is not None and self._same(c, row, other, other_row):
                continue
            if at + texts.needs.i64[c] > s.room:
                s.reserve(at + texts.needs.i64[c])
                out = s.u8
            first = texts.ends.i64[c]
            size = texts.ends.i64[c + 1] - first
            if cython.compiled:
                memcpy(out + at, keys + first, 16)
                if size > 16:
                    memcpy(out + at + 16, keys + first + 16, size - 16)
            else:
                out[at : at + size] = keys[first : first + size]
            at += size
            if values[c].nullable and self.source.null_at(c, row):
                out[at - 1] = 110  # null, over the quote
                out[at] = 117
                out[at + 1] = out[at + 2] = 108
                at += 3
                continue
            codec = texts.codes.i64[c]
            i = values[c].first + row
            if codec == UNCHECKED_TEXT or codec == CHECKED_TEXT:
                s.pos = at
                s.escape(values[c].data, values[c].ends[i], values[c].ends[i + 1])
                out = s.u8
                at = s.pos
            elif codec == INT_TEXT:
                at = put_integer(out, at, values[c].i64[i])
            elif codec == FLOAT64_TEXT:
                self._check_float(c, values[c].f64[i])
                at = put_float64(out, at, values[c].f64[i])
            elif codec == FLOAT32_TEXT:
                self._check_float(c, values[c].f64[i])
                at = put_float32(out, at, values[c].f64[i])
            elif codec == LATIN1_TEXT:
                s.pos = at
                s.escape_mapped(values[c].data, values[c].ends[i], values[c].ends[i + 1])
                out = s.u8
                at = s.pos
            else:
                at = put_unsigned(out, at, values[c].u64[i])
            out[at] = 34  # "
            at += 1
        if at == start:
            s.reserve(at + 2)
            out = s.u8
            at += 1
        out[start] = 123  # {
        if at + 1 > s.room:
            s.reserve(at + 1)
            out = s.u8
        out[at] = 125  # }
        s.pos = at + 1
        return 0

    def _pair(self, other: WrittenRows) -> cython.int:
        """Finds the column of the other layout that each column is compared with; -1 when there is none."""
        k: cython.Py_ssize_t
        self.pairs.take(self.texts.width)
        for k in range(self.texts.width):
            mine = self.texts.columns[k]
            place = other.texts.places.get(mine.name, -1)
            if place >= 0:
                theirs = other.texts.columns[place]
                if theirs.type != mine.type or other.texts.codecs[place] != self.texts.codecs[k]:
                    place = -1
            self.pairs.i64[k] = place
        self.against = other
        return 0

    def _same(
        self, c: cython.int, row: cython.Py_ssize_t, other: WrittenRows, other_row: cython.Py_ssize_t
    ) -> cython.bint:
        """Whether the other row has the column with this value."""
        mine: cython.pointer(Values) = self.source.values  # type: ignore[valid-type]
        theirs: cython.pointer(Values) = other.source.values  # type: ignore[valid-type]
        d: cython.int = self.pairs.i64[c]
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        size: cython.Py_ssize_t
        if d < 0:
            return False
        if self.source.null_at(c, row) or other.source.null_at(d, other_row):
            return self.source.null_at(c, row) and other.source.null_at(d, other_row)
        i = mine[c].first + row
        j = theirs[d].first + other_row
        if mine[c].storage == FLOAT and not self.as_written:
            return bool(mine[c].f64[i] == theirs[d].f64[j])
        if mine[c].storage < TEXT:
            return bool(mine[c].u64[i] == theirs[d].u64[j])
        size = mine[c].ends[i + 1] - mine[c].ends[i]
        if size != theirs[d].ends[j + 1] - theirs[d].ends[j]:
            return False
        if cython.compiled:
            return memcmp(mine[c].data + mine[c].ends[i], theirs[d].data + theirs[d].ends[j], size) == 0
        return bool(
            mine[c].data[mine[c].ends[i] : mine[c].ends[i + 1]]
            == theirs[d].data[theirs[d].ends[j] : theirs[d].ends[j + 1]]
        )

    def _check_float(self, c: cython.int, value: cython.double) -> cython.int:
        """Refuses a float that JSON text cannot say."""
        if cython.compiled:
            if isfinite(value):
                return 0
        elif math.isfinite(value):
            return 0
        reason = f"{value} cannot be written: it has no digits"
        raise EncodeError(self.texts.protocol, None, self.texts.columns[c].name, reason)


class MappedTexts:
    """An object that says a number or name of every column's type; of some columns it depends on the value."""

    def __init__(self, texts: RowTexts, mappings: Sequence[ByValue], empty: bytes, html: bool) -> None:
        """
        Args:
            texts: the columns.
            mappings: what is said of each of them.
            empty: what is written when there are no columns.
            html: whether & < > are escaped.
        """
        self.columns, self.limits = Numbers(), Numbers()
        self.columns.take(0)
        self.limits.take(0)
        self.parts: list[bytes] = []
        self.usual: list[bytes] = []
        self.beyond: list[bytes] = []
        part = b"{"
        for k, (column, mapping) in enumerate(zip(texts.columns, mappings)):
            part += b"%b:" % text_json(texts.protocol, column.name, html)
            said = value_json(texts.protocol, mapping.value, html)
            if mapping.beyond is None or mapping.limit is None:
                part += said
            else:
                self.parts.append(part)
                self.usual.append(said)
                self.beyond.append(value_json(texts.protocol, mapping.beyond, html))
                self.columns.append(k)
                self.limits.append(mapping.limit)
                part = b""
            part += b","
        self.whole = part[: len(part) - 1] + b"}" if texts.width else empty
        """All of it, or what follows the last column that depends on its value."""

    def write(self, s: JsonSink, rows: WrittenRows, row: cython.Py_ssize_t) -> cython.int:
        """The object for a row; null is what its column usually is."""
        k: cython.Py_ssize_t
        c: cython.int
        for k in range(self.columns.size):
            c = self.columns.i64[k]
            s.raw(self.parts[k])
            if not rows.source.null_at(c, row) and rows.source.uint_at(c, row) > self.limits.u64[k]:
                s.raw(self.beyond[k])
            else:
                s.raw(self.usual[k])
        return s.raw(self.whole)
