"""Writes row images as JSON objects.

Text that is the same in all messages of a table, such as column names and types, is prepared when the table is first
seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.arrow.storage import FLOAT, NOTHING, TEXT
from tidewire.runtime.encoding.checks import column_source
from tidewire.runtime.encoding.chosen_columns import ChosenColumns
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.json.codec import JsonCodec
from tidewire.runtime.json.codecs import NOTHING as NULL_ONLY
from tidewire.runtime.json.json_literals import text_json, value_json
from tidewire.runtime.json.sink import JsonSink, Spelling
from tidewire.runtime.wire import characters as chars
from tidewire.runtime.wire.codec_ids import (
    CALLED,
    CHECKED_TEXT,
    FLOAT32_NUMBER,
    FLOAT32_TEXT,
    FLOAT64_NUMBER,
    FLOAT64_TEXT,
    INT_NUMBER,
    INT_TEXT,
    LATIN1_TEXT,
    LOCATED_TEXT,
    QUOTED_BYTES,
    UNCHECKED_TEXT,
)
from tidewire.runtime.wire.numerals import (
    MOST_FLOAT,
    put_float32,
    put_float64,
    put_integer,
    put_number32,
    put_number64,
    put_unsigned,
    single_digits,
)

if cython.compiled:
    from cython.cimports.libc.string import memcmp, memcpy
    from cython.cimports.tidewire.runtime.arrow.column_reader import ColumnView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.batch import Column, Layout
    from tidewire.runtime.column_types import MappedName

_FLOATS = (FLOAT32_TEXT, FLOAT64_TEXT, FLOAT32_NUMBER, FLOAT64_NUMBER)
_PADDING = 16
"""Bytes of padding behind the keys: they are copied 16 bytes at a time."""


class RowTexts(ChosenColumns):
    """The constant parts of row images with these columns: the keys, and the codec of each value."""

    def __init__(
        self,
        protocol: str,
        columns: Sequence[Column],
        chosen: Sequence[int],
        codecs: Sequence[JsonCodec | None],
        descriptions: Sequence[object],
        spelling: Spelling,
        null_defaults: Sequence[bytes | None] = (),
    ) -> None:
        """
        Args:
            protocol: name of the protocol, for errors.
            columns: columns of the layout, already checked.
            chosen: positions of the columns that are written.
            codecs: codec of each of the layout's columns; None: its type has none.
            descriptions: for each written column, what messages state about it: its declared type and the name lists
                that contain it.
            spelling: how names are escaped.
            null_defaults: for each of the layout's columns, the default that is written for NULL, as for
                `JsonCodec.fill`; None: null.

        Raises:
            EncodeError: the protocol has no representation of a column's type.
        """
        self.choose(protocol, columns, chosen, codecs, NULL_ONLY)
        self.descriptions = tuple(descriptions)
        # the opening brace replaces the comma of the first key
        self.spell([b",%b:" % text_json(protocol, column.name, spelling) for column in self.columns], b"")
        if any(null_defaults):
            self.null_defaults: list[bytes | None] | None = [null_defaults[c] for c in chosen]

    def spell(self, keys: list[bytes], close: bytes) -> None:
        """Stores the text before the value of each column, and the text after every value."""
        k: cython.Py_ssize_t
        self.null_defaults = None
        for k in range(self.width):
            codec = self.codecs[k].unchecked
            if not INT_NUMBER <= codec <= CALLED:
                keys[k] += b'"'  # the opening quote of the value; null overwrites it
        self.keys = b"".join(keys) + bytes(_PADDING)
        self.close = close
        self.close_size = len(close)
        self.ends, self.codes, self.needs = Numbers(), Numbers(), Numbers()
        for numbers in (self.ends, self.codes, self.needs):
            numbers.take(0)
        self.ends.append(0)
        for k in range(self.width):
            self.ends.append(self.ends.i64[k] + len(keys[k]))
            codec = self.codecs[k].unchecked
            self.codes.append(codec)
            most = MOST_FLOAT if codec in _FLOATS or codec == CALLED else 24
            self.needs.append(len(keys[k]) + most + 2 * _PADDING)


class WrittenRows:
    """The row images of a layout, prepared for writing."""

    def __init__(self, texts: RowTexts, layout: Layout) -> None:
        """
        Args:
            texts: constant texts for the columns of this layout.
            layout: the row images.

        Raises:
            EncodeError: a column's storage does not match its type.
        """
        self.texts: Any = texts  # of the class that the generated code made
        self.rows = layout.num_rows
        self.source = column_source(
            texts.protocol, layout, texts.chosen, [codec.stored(False) for codec in texts.codecs]
        )
        self.location = b""
        """Text before the value of a text with a location, including the opening quote."""
        self.against: WrittenRows | None = None
        self.as_written = False
        self.pairs = Numbers()

    def write(self, s: JsonSink, row: cython.Py_ssize_t) -> cython.int:
        """Writes a row as an object of its columns; returns their number.

        Raises:
            EncodeError: a float cannot be represented, or is not exactly one of its type; text is not UTF-8.
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
        """Like `write`, for the columns whose value differs from the other row's, or that the other row lacks; null
        differs from every value. An object without columns is written too; the caller removes it if needed.

        Args:
            row: number of the row.
            other: rows to compare with.
            other_row: number of the row there.
            as_written: whether 0.0 and -0.0 are different values, as their texts are.
        """
        if self.against is not other:
            self._pair(other)
        self.as_written = as_written
        return self._write(s, row, other, other_row)

    def _write(
        self, s: JsonSink, row: cython.Py_ssize_t, other: WrittenRows | None, other_row: cython.Py_ssize_t
    ) -> cython.int:
        values: cython.pointer(ColumnView) = self.source.values  # type: ignore[valid-type]
        texts: RowTexts = self.texts
        out: cython.p_uchar = s.u8
        keys: cython.pointer(cython.const[cython.uchar]) = texts.keys  # type: ignore[valid-type]
        close: cython.pointer(cython.const[cython.uchar]) = texts.close  # type: ignore[valid-type]
        close_size: cython.Py_ssize_t = texts.close_size
        start: cython.Py_ssize_t = s.pos
        at: cython.Py_ssize_t = start
        first: cython.Py_ssize_t
        size: cython.Py_ssize_t
        i: cython.Py_ssize_t
        c: cython.int
        codec: cython.int
        quoted: cython.bint
        null: cython.bint
        count: cython.int = texts.width
        for c in range(texts.width):
            if other is not None and self._same(c, row, other, other_row):
                count -= 1
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
            codec = texts.codes.i64[c]
            quoted = codec < INT_NUMBER or codec > CALLED
            i = values[c].first + row
            null = values[c].nullable
            if null and values[c].storage != NOTHING:
                null = not (values[c].bitmap[i >> 3] >> (i & 7)) & 1
            if null:
                if quoted:
                    at -= 1
                if texts.null_defaults is not None and texts.null_defaults[c] is not None:
                    s.pos = at
                    self._fill(s, c)
                    out = s.u8
                    at = s.pos
                else:
                    out[at] = chars.LOWER_N
                    out[at + 1] = chars.LOWER_U
                    out[at + 2] = out[at + 3] = chars.LOWER_L
                    at += 4
            else:
                if codec == UNCHECKED_TEXT or codec == CHECKED_TEXT:
                    s.pos = at
                    s.escape(values[c].data, values[c].ends[i], values[c].ends[i + 1])
                    if s.invalid:
                        self._refuse_text(c, row)
                    at = s.pos
                elif codec == INT_TEXT or codec == INT_NUMBER:
                    at = put_integer(out, at, values[c].i64[i])
                elif codec == LOCATED_TEXT:
                    s.pos = at - 1  # overwrites the quote
                    s.raw(self.location)
                    s.escape(values[c].data, values[c].ends[i], values[c].ends[i + 1])
                    if s.invalid:
                        self._refuse_text(c, row)
                    s.raw(b'"}')
                    quoted = False
                    out = s.u8
                    at = s.pos
                elif codec == CALLED:
                    size = -1
                    if cython.compiled and values[c].storage >= TEXT:
                        size = cython.cast(JsonCodec, texts.codecs[c]).write_usual(
                            s, at, values[c].data + values[c].ends[i], values[c].ends[i + 1] - values[c].ends[i]
                        )
                    if size >= 0:
                        at = size
                    else:
                        s.pos = at
                        self._call(s, c, row)
                        out = s.u8
                        at = s.pos
                elif values[c].storage == FLOAT:
                    at = self._write_float(s, at, c, codec, values[c].f64[i])
                elif values[c].storage < TEXT:
                    at = put_unsigned(out, at, values[c].u64[i])
                else:
                    s.pos = at
                    if codec == LATIN1_TEXT:
                        s.escape_mapped(values[c].data, values[c].ends[i], values[c].ends[i + 1])
                    elif codec == QUOTED_BYTES:
                        s.escape_quoted(values[c].data, values[c].ends[i], values[c].ends[i + 1])
                    else:
                        s.escape_base64(values[c].data, values[c].ends[i], values[c].ends[i + 1])
                    at = s.pos
                if quoted:
                    out = s.u8
                    out[at] = chars.QUOTE
                    at += 1
            if close_size:
                if at + close_size > s.room:
                    s.reserve(at + close_size)
                    out = s.u8
                if cython.compiled:
                    memcpy(out + at, close, close_size)
                else:
                    out[at : at + close_size] = close[:close_size]
                at += close_size
        if at == start:
            s.reserve(at + 2)
            out = s.u8
            at += 1
        out[start] = chars.OPEN_OBJECT
        if at + 1 > s.room:
            s.reserve(at + 1)
            out = s.u8
        out[at] = chars.CLOSE_OBJECT
        s.pos = at + 1
        return count

    def _pair(self, other: WrittenRows) -> cython.int:
        """Finds the column of the other layout to compare each column with; -1: none."""
        k: cython.Py_ssize_t
        self.pairs.take(self.texts.width)
        for k in range(self.texts.width):
            mine = self.texts.columns[k]
            position = other.texts.positions.get(mine.name, -1)
            if position >= 0:
                theirs = other.texts.columns[position]
                if theirs.type != mine.type or other.texts.codecs[position] != self.texts.codecs[k]:
                    position = -1
            self.pairs.i64[k] = position
        self.against = other
        return 0

    def _same(
        self, c: cython.int, row: cython.Py_ssize_t, other: WrittenRows, other_row: cython.Py_ssize_t
    ) -> cython.bint:
        """Whether the other row has the column with the same value."""
        mine: cython.pointer(ColumnView) = self.source.values  # type: ignore[valid-type]
        theirs: cython.pointer(ColumnView) = other.source.values  # type: ignore[valid-type]
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

    def _call(self, s: JsonSink, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """Lets the column's codec write the value."""
        codec: JsonCodec = self.texts.codecs[c]
        try:
            return codec.write(s, self.source, c, row)
        except (OverflowError, ValueError) as error:
            return self._refuse(c, str(error))

    def _fill(self, s: JsonSink, c: cython.int) -> cython.int:
        """Lets the column's codec write its default for NULL."""
        codec: JsonCodec = self.texts.codecs[c]
        try:
            return codec.fill(s, self.texts.null_defaults[c])
        except ValueError as error:
            return self._refuse(c, f"the default {error}")

    def _write_float(
        self, s: JsonSink, at: cython.Py_ssize_t, c: cython.int, codec: cython.int, value: cython.double
    ) -> cython.Py_ssize_t:
        """Writes a float at `at`, where there is room; returns the offset of its end."""
        if codec == FLOAT32_TEXT or codec == FLOAT32_NUMBER:
            self._check_single(c, value)
            if codec == FLOAT32_TEXT:
                return put_float32(s.u8, at, value)
            return put_number32(s.u8, at, value, s.exponent)
        self._check_float(c, value)
        if codec == FLOAT64_TEXT:
            return put_float64(s.u8, at, value)
        return put_number64(s.u8, at, value, s.exponent)

    def _check_float(self, c: cython.int, value: cython.double) -> cython.int:
        """Refuses infinity and NaN, which JSON cannot represent."""
        if value - value == 0:  # neither infinite nor NaN
            return 0
        return self._refuse(c, f"{value} cannot be written: it has no digits")

    def _check_single(self, c: cython.int, value: cython.double) -> cython.int:
        """Refuses a number that is not a float32, and does not have the shortest digits of one either."""
        narrow: cython.float
        if cython.compiled:
            narrow = cython.cast(cython.float, value)
            if narrow == value and value - value == 0:
                return 0
        self._check_float(c, value)
        if single_digits(value):
            return 0
        return self._refuse(c, f"{value} is no 32-bit float, as the values of its type are")

    def _refuse_text(self, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """Refuses text that is not UTF-8."""
        value: bytes = self.source.binary(c, row)
        shown = repr(value if len(value) <= 60 else value[:60] + b"...")
        return self._refuse(c, f"{shown} is not UTF-8, and JSON has no other text")

    def _refuse(self, c: cython.int, reason: str) -> cython.int:
        raise EncodeError(self.texts.protocol, None, self.texts.columns[c].name, reason)


class MappedTexts:
    """An object with a number or name for the type of each column; for some columns it depends on the value."""

    def __init__(self, texts: RowTexts, mappings: Sequence[MappedName], empty: bytes, spelling: Spelling) -> None:
        """
        Args:
            texts: the columns.
            mappings: the number or name for each of them.
            empty: JSON that is written if there are no columns.
            spelling: how names are escaped.
        """
        self.columns, self.limits = Numbers(), Numbers()
        self.columns.take(0)
        self.limits.take(0)
        self.parts: list[bytes] = []
        self.usual: list[bytes] = []
        self.beyond: list[bytes] = []
        part = b"{"
        for k, (column, mapping) in enumerate(zip(texts.columns, mappings)):
            part += b"%b:" % text_json(texts.protocol, column.name, spelling)
            said = value_json(texts.protocol, mapping.value, spelling)
            if mapping.beyond is None or mapping.limit is None:
                part += said
            else:
                self.parts.append(part)
                self.usual.append(said)
                self.beyond.append(value_json(texts.protocol, mapping.beyond, spelling))
                self.columns.append(k)
                self.limits.append(mapping.limit)
                part = b""
            part += b","
        self.whole = part[: len(part) - 1] + b"}" if texts.width else empty
        """The whole object, or the part after the last column that depends on its value."""

    def write(self, s: JsonSink, rows: WrittenRows, row: cython.Py_ssize_t) -> cython.int:
        """Writes the object for a row; for null, the column's usual number or name."""
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
