"""Dates as days."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

from tidewire.runtime import cython
from tidewire.runtime.arrow.storage import TEXT
from tidewire.runtime.json.codec import JsonCodec

if TYPE_CHECKING:
    from tidewire.runtime.arrow.column_reader import ColumnReader
    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.json.cursor import JsonCursor
    from tidewire.runtime.json.sink import JsonSink

EPOCH: Final = date(1970, 1, 1).toordinal()


class Days(JsonCodec):
    """A date as a number: days since 1970-01-01."""

    def read(
        self,
        r: JsonCursor,
        start: cython.Py_ssize_t,
        size: cython.Py_ssize_t,
        columns: Columns,
        c: cython.int,
        row: cython.Py_ssize_t,
        field: cython.int,
    ) -> cython.int:
        days: cython.longlong = r.signed_digits(start, start + size, field)
        return columns.put_text(c, row, date.fromordinal(EPOCH + days).isoformat())

    def write(self, s: JsonSink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        return s.integer(date.fromisoformat(source.text(c, row)).toordinal() - EPOCH)


DAYS: Final = Days(TEXT, numeric=True)
