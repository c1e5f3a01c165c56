"""Base class of codecs: how one column value is represented in JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.wire.codec_ids import CALLED
from tidewire.runtime.wire.value_codec import ColumnFacts, ValueCodec

if TYPE_CHECKING:
    from tidewire.runtime.arrow.column_reader import ColumnReader
    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.json.cursor import JsonCursor
    from tidewire.runtime.json.sink import JsonSink


class JsonCodec(ValueCodec):
    """A codec of column values in JSON. Codecs that are not in `codecs.py` are subclasses with `read` and `write`, and
    a constant: `HEX_BYTES = HexBytes(BYTES)`. `read` and `write` are never called for null.

    Attributes:
        numeric: for codecs with number `CALLED`: whether values are JSON numbers; otherwise they are strings.
        lenient: for codecs with number `CALLED`: whether any JSON value is accepted, as its source text, strings
            without their quotes.
    """

    def __init__(
        self,
        storage: int,
        number: int = CALLED,
        unchecked: int | None = None,
        *,
        numeric: bool = False,
        lenient: bool = False,
        writes: bool = True,
    ) -> None:
        """
        Args:
            storage: how columns store the values; TEXT: text, subject to the policy for invalid UTF-8.
            number: codec number (codec_ids.py) by which readers and writers inline the codec.
            unchecked: codec number where UTF-8 is not checked; None: the same.
            numeric: whether the values are JSON numbers; otherwise they are strings.
            lenient: whether any JSON value is accepted.
            writes: whether values can be written; otherwise they are only read.
        """
        ValueCodec.__init__(self, storage, number, number if unchecked is None else unchecked, writes)
        self.numeric = numeric
        self.lenient = lenient

    def for_column(self, facts: ColumnFacts) -> JsonCodec:
        """The codec for a column with these facts; called once per layout."""
        return self

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
        """Parses a value and puts it into row `row` of column c.

        Args:
            r: holds the text as r.p[start:start + size]: a number, or the content of a string, in UTF-8 without
                escapes.
            start: offset of the first byte.
            size: number of bytes, 0 or more.
            columns: receives the value; it checks the UTF-8 of text itself.

        Raises:
            ValueError: the text is not a value of this codec.
        """
        raise NotImplementedError(f"{type(self).__name__} has no read, or none that its .pxd declares")

    def fill(self, s: JsonSink, default: bytes) -> cython.int:
        """Writes what a producer writes for NULL in a column with a default.

        Args:
            default: JSON of the default; for times that are converted to UTC, their text.

        Raises:
            ValueError: the default is not a valid value.
        """
        return s.raw(default)

    def write(self, s: JsonSink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """Writes a value of column c as JSON, strings with their quotes.

        Args:
            source: columns, read with `int_at`, `uint_at`, `binary`, `text` and `value`.

        Raises:
            ValueError: JSON cannot represent the value; the message says why.
        """
        raise NotImplementedError(f"{type(self).__name__} has no write, or none that its .pxd declares")

    def write_usual(
        self,
        s: JsonSink,
        at: cython.Py_ssize_t,
        text: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
        size: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        """Fast path of `write` for texts of the column's most common form; called by compiled code only.

        Args:
            s: sink; its position is not changed.
            at: offset at which to write; `numerals.MOST_FLOAT` bytes are free there.
            text: first byte of the column's text.
            size: number of bytes, 0 or more.

        Returns:
            Offset of the end of the JSON; -1: nothing was written, call `write`.
        """
        return -1

    def read_usual(
        self,
        p: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
        i: cython.Py_ssize_t,
        columns: Columns,
        c: cython.int,
        row: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        """Fast path of `read` for JSON numbers of the column's most common form; called by compiled code only.

        Args:
            p: text of the message, followed by a NUL; 128 bytes past its end are readable.
            i: offset of the number's first digit or minus sign.
            columns: receives the value.

        Returns:
            Offset of the end of the number; -1: nothing was put, call `read`.
        """
        return -1
