"""Bytes as hexadecimal digits."""

from __future__ import annotations

from binascii import hexlify, unhexlify
from typing import TYPE_CHECKING, Final

from tidewire.runtime import cython
from tidewire.runtime.arrow.storage import BYTES
from tidewire.runtime.json.codec import JsonCodec

if TYPE_CHECKING:
    from tidewire.runtime.arrow.column_reader import ColumnReader
    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.json.cursor import JsonCursor
    from tidewire.runtime.json.sink import JsonSink


class HexBytes(JsonCodec):
    """A text with two digits for each byte."""

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
        return columns.put_image(c, row, unhexlify(r.copy(start, start + size)))

    def write(self, s: JsonSink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        return s.raw(b'"%b"' % hexlify(source.binary(c, row)))


HEX_BYTES: Final = HexBytes(BYTES)
