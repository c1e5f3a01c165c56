"""Dates as days."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

from tidewire.runtime import cython
from tidewire.runtime.arrow.storage import TEXT
from tidewire.runtime.binary.codec import BinaryCodec

if TYPE_CHECKING:
    from tidewire.runtime.arrow.column_reader import ColumnReader
    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.binary.cursor import Cursor
    from tidewire.runtime.binary.sink import Sink

EPOCH: Final = date(1970, 1, 1).toordinal()


class Days(BinaryCodec):
    """A date as a varint: days since 1970-01-01."""

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
        zigzag: cython.ulonglong = r.cell_uvarint(start, size, field)
        days: cython.longlong = cython.cast(cython.longlong, zigzag >> 1) ^ -cython.cast(cython.longlong, zigzag & 1)
        return columns.put_text(c, row, date.fromordinal(EPOCH + days).isoformat())

    def write(self, s: Sink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        return s.varint(date.fromisoformat(source.text(c, row)).toordinal() - EPOCH)


DAYS: Final = Days(TEXT)
