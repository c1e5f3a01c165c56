"""Numbers and caches for encoders: the terms of a message, and the descriptions of columns that refer to them.

A name has a position among all names of an encoder; a message gives it a number, its term id, at first use. Messages of
one table use the same names in the same order, so the bytes written for the last one are cached.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.arrow.storage import FLOAT, INT, NOTHING, TEXT
from tidewire.runtime.binary import codecs as known
from tidewire.runtime.binary.codec import CALLED, BinaryCodec
from tidewire.runtime.binary.sink import Sink
from tidewire.runtime.encoding.checks import column_source
from tidewire.runtime.errors import EncodeError

if cython.compiled:
    from cython.cimports.libc.string import memcpy
    from cython.cimports.tidewire.runtime.arrow.column_reader import ColumnView
else:
    import struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tidewire.runtime.arrow.column_reader import ColumnReader
    from tidewire.runtime.batch import Column, Layout

MOST_REMEMBERED = 65536
"""The most names; beyond that an encoder drops all names before the next batch."""
MOST_TEXT = 8 << 20
"""The most bytes of names; beyond that, too, an encoder drops all names before the next batch."""
MOST_KEPT = 1024
"""The most written dictionaries that an encoder caches."""
MOST_KEPT_BYTES = 4 << 20
"""The most bytes of these dictionaries."""
MOST_IMAGE = 1 << 14
"""Longer dictionaries (in bytes) are not cached."""


class Terms:
    """The terms of the message being written, numbered in order of first use."""

    def __init__(self) -> None:
        self.names: list[bytes] = []
        self.positions: dict[str, int] = {}
        self.message = 0
        self.used = Numbers()
        self.ids = Numbers()
        self.order = Numbers()
        self.kept: dict[bytes, bytes] = {}
        self.text = self.kept_bytes = 0
        self.order.take(0)

    def position(self, name: str) -> cython.Py_ssize_t:
        """The position of a name among all names of the encoder."""
        known = self.positions.get(name)
        if known is None:
            known = len(self.names)
            self.positions[name] = known
            image: bytes = name.encode()
            self.names.append(image)
            self.text += len(image)
            self.used.take(known + 1)
            self.ids.take(known + 1)
            self.used.i64[known] = 0
        return known

    def refresh(self) -> cython.bint:
        """Drops all names if there are too many; called between batches.

        Returns:
            Whether names were dropped, which makes earlier positions invalid.
        """
        if len(self.names) <= MOST_REMEMBERED and self.text <= MOST_TEXT:
            return False
        self.names.clear()
        self.positions.clear()
        self.kept.clear()
        self.used, self.ids = Numbers(), Numbers()
        self.text = self.kept_bytes = 0
        return True

    def begin(self) -> cython.int:
        """Begins a new message, without terms."""
        self.message += 1
        self.order.take(0)
        return 0

    def use(self, position: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The term id of a name in this message; -1 for position -1 (no name)."""
        if position < 0:
            return -1
        if self.used.i64[position] != self.message:
            self.used.i64[position] = self.message
            self.ids.i64[position] = self.order.size
            self.order.append(position)
        return self.ids.i64[position]

    def use_or(self, position: cython.Py_ssize_t, absent: cython.longlong) -> cython.longlong:
        """`use`, with another number in place of -1."""
        return absent if position < 0 else self.use(position)

    def kept_image(self) -> bytes | None:
        """The cached bytes of a dictionary with the same terms in the same order; None if there are none."""
        return self.kept.get(self.order.image())

    def keep(self, s: Sink, start: cython.Py_ssize_t) -> cython.int:
        """Caches the bytes written since `start` as the dictionary of this message's terms."""
        size: cython.Py_ssize_t = s.pos - start + 8 * self.order.size
        if size > MOST_IMAGE:
            return 0
        if len(self.kept) >= MOST_KEPT or self.kept_bytes + size > MOST_KEPT_BYTES:
            self.kept.clear()
            self.kept_bytes = 0
        self.kept[self.order.image()] = s.written(start)
        self.kept_bytes += size
        return 0

    def texts(self) -> Iterable[bytes]:
        """The terms of this message, in order of their ids."""
        k: cython.Py_ssize_t
        found: list[bytes] = []
        for k in range(self.order.size):
            found.append(self.names[self.order.i64[k]])
        return found


class WrittenColumns:
    """Columns as messages describe them, cached: everything but the values."""

    def __init__(
        self,
        terms: Terms | None,
        columns: Sequence[Column],
        chosen: Sequence[int],
        codecs: Sequence[BinaryCodec | None],
    ) -> None:
        """

        Args:
            terms: the dictionary of column names; None if they are written in full.
            columns: the checked columns of row images.
            chosen: which of them are written, by position.
            codecs: the codec of each column; None if its type has none.
        """
        k: cython.Py_ssize_t
        self.columns = tuple([columns[c] for c in chosen])
        self.chosen = tuple(chosen)
        picked = [_writer(codecs[c]) for c in chosen]
        self.storages = tuple([-1 if codec is None else codec.stored(False) for codec in picked])
        self.width = len(self.columns)
        self.calls = False
        self.names, self.ids, self.types, self.flags = Numbers(), Numbers(), Numbers(), Numbers()
        self.codecs = Numbers()
        for numbers in (self.names, self.ids, self.types, self.flags, self.codecs):
            numbers.take(self.width)
        self.encoded_names = [column[0].encode() for column in self.columns]
        self.name_size = sum(map(len, self.encoded_names))
        for k in range(self.width):
            name, kind, flags, _ = self.columns[k]
            self.names.i64[k] = -1 if terms is None else terms.position(name)
            self.ids.i64[k] = -1
            self.types.u64[k] = kind
            self.flags.u64[k] = flags
            codec = picked[k]
            self.codecs.i64[k] = NOTHING if codec is None else codec.unchecked
            if self.codecs.i64[k] < 0:
                self.calls = True
        self.image = b""
        self.message = -1

    def described(self, terms: Terms) -> cython.bint:
        """Numbers the column names in the message. Returns whether the cached `image` is still their description."""
        k: cython.Py_ssize_t
        same: cython.bint = len(self.image) > 0
        number: cython.longlong
        if self.message == terms.message:
            return True
        for k in range(self.width):
            number = terms.use(self.names.i64[k])
            if self.ids.i64[k] != number:
                self.ids.i64[k] = number
                same = False
        if same:
            self.message = terms.message
        else:
            self.image = b""  # the cached bytes have other ids from now on, whatever happens to the message
        return same

    def keep(self, s: Sink, start: cython.Py_ssize_t, message: cython.longlong = 0) -> cython.int:
        """Caches the bytes written since `start` as the description of the columns, with the ids of `message`."""
        self.image = s.written(start)
        self.message = message
        return 0


def _writer(codec: BinaryCodec | None) -> BinaryCodec | None:
    """The codec that writes the values; None if the type has none."""
    return codec if codec is None or codec.writes else known.NOTHING


class WrittenImages:
    """The row images of one layout, prepared for writing: their values, and the description of their columns."""

    def __init__(self, protocol: str, columns: WrittenColumns, layout: Layout) -> None:
        """
        Args:
            protocol: for errors.
            columns: those of the layout that are written.
            layout: the row images.

        Raises:
            EncodeError: values are not what their column's type stores.
        """
        self.protocol = protocol
        self.columns = columns
        self.width = columns.width
        self.called_sizes: Numbers | None = None
        self.called_values: Sink | None = None
        if columns.calls:
            self.called_sizes, self.called_values = Numbers(), Sink()
            self.called_sizes.take(self.width)
        self.source = column_source(protocol, layout, columns.chosen, columns.storages)
        self.last = -1
        """The greatest row used so far: rows are used once, in order, unless events share them."""

    def estimate(
        self, row: cython.Py_ssize_t, column: cython.longlong, name: cython.longlong, value: cython.longlong
    ) -> cython.Py_ssize_t:
        """The estimated size of a row: weights for each column, and for each byte of names and values."""
        c: cython.int
        size: cython.Py_ssize_t
        total: cython.longlong = 0
        for c in range(self.source.width):
            size = self.source.size(c, row)
            if size > 0:
                total += size
        return column * self.width + name * self.columns.name_size + value * total

    def most_bytes(self, column: cython.longlong, name: cython.longlong, value: cython.longlong) -> cython.Py_ssize_t:
        """An upper bound of the sum of all rows' estimates."""
        total: cython.longlong = self.source.variable_bytes() + 10 * self.width * self.source.rows
        return (column * self.width + name * self.columns.name_size) * self.source.rows + value * total

    # ---- values

    def write(self, s: Sink, row: cython.Py_ssize_t) -> cython.int:
        """Writes a row as a nullable bytes chunk: all sizes (zigzag, -1 for null), then the values.

        Raises:
            EncodeError: a codec refuses a value.
        """
        source: ColumnReader = self.source
        values: cython.pointer(ColumnView) = source.values  # type: ignore[valid-type]
        codecs: cython.pointer(cython.longlong) = self.columns.codecs.i64  # type: ignore[valid-type]
        width: cython.int = source.width
        c: cython.int
        codec: cython.longlong
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        size: cython.Py_ssize_t
        other: cython.Py_ssize_t = 0
        u: cython.ulonglong
        v: cython.longlong
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        total: cython.Py_ssize_t = 20 * width
        for c in range(width):
            if values[c].storage >= TEXT:
                i = values[c].first + row
                total += values[c].ends[i + 1] - values[c].ends[i]
        if self.columns.calls:
            total += self.call(row)
        s.reserve(s.pos + total)
        out: cython.p_uchar = s.u8
        at = s.pos
        for c in range(width):
            i = values[c].first + row
            codec = codecs[c]
            if values[c].nullable and (values[c].storage == NOTHING or not (values[c].bitmap[i >> 3] >> (i & 7)) & 1):
                out[at] = 1
                at += 1
                continue
            if codec >= TEXT:
                size = 2 * (values[c].ends[i + 1] - values[c].ends[i])
            elif codec == FLOAT:
                size = 16
            elif codec < 0:
                size = 2 * self.called_sizes.i64[c]  # type: ignore[union-attr]
            else:
                if codec == INT:
                    v = values[c].i64[i]
                    u = ((v << 1) & mask) ^ (mask if v < 0 else 0)
                else:
                    u = values[c].u64[i]
                size = 2
                while u >= 0x80:
                    u >>= 7
                    size += 2
            while size >= 0x80:
                out[at] = (size & 0x7F) | 0x80
                size >>= 7
                at += 1
            out[at] = size
            at += 1
        for c in range(width):
            i = values[c].first + row
            codec = codecs[c]
            if values[c].nullable and (values[c].storage == NOTHING or not (values[c].bitmap[i >> 3] >> (i & 7)) & 1):
                continue
            if codec >= TEXT:
                size = values[c].ends[i + 1] - values[c].ends[i]
                if cython.compiled:
                    memcpy(out + at, values[c].data + values[c].ends[i], size)
                else:
                    out[at : at + size] = values[c].data[values[c].ends[i] : values[c].ends[i + 1]]
                at += size
            elif codec == FLOAT:
                if cython.compiled:
                    memcpy(out + at, values[c].f64 + i, 8)
                else:
                    out[at : at + 8] = struct.pack("<d", values[c].f64[i])
                at += 8
            elif codec < 0:
                size = self.called_sizes.i64[c]  # type: ignore[union-attr]
                if cython.compiled:
                    memcpy(out + at, self.called_values.u8 + other, size)
                else:
                    out[at : at + size] = self.called_values.u8[other : other + size]  # type: ignore[union-attr]
                other += size
                at += size
            else:
                if codec == INT:
                    v = values[c].i64[i]
                    u = ((v << 1) & mask) ^ (mask if v < 0 else 0)
                else:
                    u = values[c].u64[i]
                while u >= 0x80:
                    out[at] = (u & 0x7F) | 0x80
                    u >>= 7
                    at += 1
                out[at] = u
                at += 1
        s.pos = at
        return 0

    def call(self, row: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Writes a row's values that only their own codecs can write. Returns their size in bytes."""
        codec: BinaryCodec
        c: cython.int
        start: cython.Py_ssize_t
        sizes: Numbers = self.called_sizes  # type: ignore[assignment]
        written: Sink = self.called_values  # type: ignore[assignment]
        written.pos = 0
        for c in range(self.width):
            if self.columns.codecs.i64[c] >= 0 or self.source.null_at(c, row):
                continue
            codec = CALLED[-1 - self.columns.codecs.i64[c]]
            start = written.pos
            try:
                codec.write(written, self.source, c, row)
            except (OverflowError, ValueError) as error:
                raise EncodeError(self.protocol, None, self.columns.columns[c].name, str(error)) from None
            sizes.i64[c] = written.pos - start
        return written.pos
