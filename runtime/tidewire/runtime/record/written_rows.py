"""Writes row images as maps of column names to values; names are encoded once per layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.encoding.checks import column_source
from tidewire.runtime.encoding.chosen_columns import ChosenColumns
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.record import branches
from tidewire.runtime.record.branches import (
    LOCATED_VALUE,
    LONG_VALUE,
)
from tidewire.runtime.record.codecs import NOTHING
from tidewire.runtime.record.fields import COUNT_FIELD
from tidewire.runtime.record.sink import long_bytes, string_bytes
from tidewire.runtime.wire.value_codec import RefusedValueError

if cython.compiled:
    from cython.cimports.libc.string import memcpy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.batch import Column, Layout
    from tidewire.runtime.record.sink import RecordSink
    from tidewire.runtime.wire.value_codec import ValueCodec


class RecordTexts(ChosenColumns):
    """The constant parts of row images with these columns: names, and the branch of each value.

    Attributes:
        keys: name and branch number of each column, concatenated.
        ends: offset in `keys` of the first, then the end of each.
        codes: codec number of each column.
        null: encoded branch number of null.
        head: encoded number of columns at the start of the map; empty if there are none.
    """

    def __init__(
        self,
        protocol: str,
        columns: Sequence[Column],
        chosen: Sequence[int],
        codecs: Sequence[ValueCodec | None],
        kinds: bytes,
    ) -> None:
        """
        Args:
            protocol: name of the protocol, for errors.
            columns: columns of the layout, already checked.
            chosen: positions of the columns that are written.
            codecs: codec of each of the layout's columns; None: its type has none.
            kinds: types of the branches of the values' union (branches.py).

        Raises:
            EncodeError: the protocol has no representation of a column's type.
        """
        self.choose(protocol, columns, chosen, codecs, NOTHING)
        k: cython.Py_ssize_t
        keys = b""
        self.ends, self.codes = Numbers(), Numbers()
        self.ends.append(0)
        for k in range(self.width):
            codec: ValueCodec = self.codecs[k]
            # a column without values is always null, so the branch in its key is not used
            branch = max(kinds.find(LONG_VALUE if codec.number == COUNT_FIELD else codec.number), 0)
            keys += string_bytes(self.columns[k].name) + long_bytes(branch)
            self.ends.append(len(keys))
            self.codes.append(codec.number)
        self.keys = keys
        self.null = long_bytes(kinds.index(branches.NULL_VALUE))[0]
        self.head = long_bytes(self.width) if self.width else b""


class WrittenRecordRows:
    """The row images of a layout, prepared for writing.

    Attributes:
        location: encoded location of values with a location.
    """

    def __init__(self, texts: RecordTexts, layout: Layout) -> None:
        """
        Args:
            texts: constant parts for the columns of this layout.
            layout: the row images.

        Raises:
            EncodeError: a column's storage does not match its type.
        """
        self.texts = texts
        self.rows = layout.num_rows
        self.source = column_source(
            texts.protocol, layout, texts.chosen, [codec.stored(False) for codec in texts.codecs]
        )
        self.location = b"\0"

    def write(self, s: RecordSink, row: cython.Py_ssize_t) -> cython.int:
        """Writes a row as a map of its columns.

        Raises:
            EncodeError: a value does not fit its type.
        """
        texts: RecordTexts = self.texts
        keys: cython.pointer(cython.const[cython.uchar]) = texts.keys  # type: ignore[valid-type]
        start: cython.Py_ssize_t
        size: cython.Py_ssize_t
        c: cython.int = 0
        s.raw(texts.head)
        try:
            for c in range(texts.width):
                start = texts.ends.i64[c]
                size = texts.ends.i64[c + 1] - start
                s.reserve(s.pos + size)
                if cython.compiled:
                    memcpy(s.u8 + s.pos, keys + start, size)
                else:
                    s.u8[s.pos : s.pos + size] = keys[start : start + size]
                s.pos += size
                if self.source.null_at(c, row):
                    s.u8[s.pos - 1] = texts.null
                else:
                    if texts.codes.i64[c] == LOCATED_VALUE:
                        s.raw(self.location)
                    s.value_of(self.source, c, row, texts.codes.i64[c])
        except RefusedValueError as error:
            raise EncodeError(texts.protocol, None, texts.columns[c].name, str(error)) from None
        s.reserve(s.pos + 1)
        s.u8[s.pos] = 0  # ends the map: there is no other block
        s.pos += 1
        return 0
