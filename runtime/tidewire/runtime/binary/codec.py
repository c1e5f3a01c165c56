"""Codecs of column values in binary messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tidewire.runtime import cython
from tidewire.runtime.arrow.arrays import finished
from tidewire.runtime.arrow.columns import Columns
from tidewire.runtime.binary.cursor import Cursor
from tidewire.runtime.wire.value_codec import ValueCodec

if TYPE_CHECKING:
    from tidewire.runtime.arrow.column_reader import ColumnReader
    from tidewire.runtime.binary.sink import Sink

CALLED: Final[list[BinaryCodec]] = []
"""The codecs that readers and writers call. Their numbers are negative, -1 for the first one: a column stores only the
number of its codec. The number of a built-in codec is its storage.
"""


class BinaryCodec(ValueCodec):
    """A codec of a binary message. One that is not in `codecs.py` is a subclass with `read` and `write`, and a
    constant: `DAYS = Days(INT)`. It is never called for null.
    """

    def __init__(
        self, storage: int, number: int | None = None, unchecked: int | None = None, *, writes: bool = True
    ) -> None:
        """Args:
            storage: the storage of the column; TEXT: text, with the configured handling of invalid UTF-8.
            number: of a built-in codec; other codecs are numbered here, and never removed.
            unchecked: the number for unchecked text.
            writes: whether values are written; otherwise they are only read.
        """
        if number is None:
            CALLED.append(self)
            number = -len(CALLED)
        ValueCodec.__init__(self, storage, number, number if unchecked is None else unchecked, writes)

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
        """Stores the value in message[start:start + size], which must exist, in a row of column c.

        Args:
            r: cursor over the message.
            start: offset of the first byte.
            size: number of bytes, 0 or more.
            columns: receives the value; text need not be checked by the codec.
            c: index of the column.
            row: index of the row.
            field: field number for errors.

        Raises:
            ValueError: the bytes are not a valid value; also raised by `r.fail`.
        """
        raise NotImplementedError(f"{type(self).__name__} has no read, or none that its .pxd declares")

    def write(self, s: Sink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """Writes a value of column c, without its size.

        Args:
            s: the sink.
            source: the columns, read with `int_at`, `uint_at`, `binary`, `text` and `value`.
            c: index of the column.
            row: index of the row.

        Raises:
            ValueError: the message cannot represent the value; the text gives the reason.
        """
        raise NotImplementedError(f"{type(self).__name__} has no write, or none that its .pxd declares")

    def decoded(self, image: bytes) -> object:
        """The value of these bytes as an object, for display.

        Raises:
            ValueError: they are not such a value.
        """
        r: Cursor = Cursor()
        columns: Columns = Columns([self.stored(False)])
        r.receive([image])
        r.load(0)
        columns.reserve(1)
        self.read(r, 0, len(image), columns, 0, 0, 0)
        columns.rows = 1
        return finished(columns, True)[0].to_pylist()[0]
