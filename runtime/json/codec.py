"""How one value of a column stands in the JSON of a message."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tidewire.runtime import cython
from tidewire.runtime.json.codec_ids import CALLED
from tidewire.runtime.wire.value_codec import ValueCodec

if TYPE_CHECKING:
    from tidewire.runtime.arrow.column_reader import ColumnReader
    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.json.cursor import JsonCursor
    from tidewire.runtime.json.sink import JsonSink


class ColumnFacts(NamedTuple):
    """What a codec can depend on besides the type of a column; None: it is not known."""

    labels: tuple[str, ...] = ()
    """Of an ENUM or SET."""
    length: int | None = None
    """Of a BIT: how many."""
    scale: int | None = None
    """Of a decimal: the digits behind the point."""
    fraction: int | None = None
    """Of a time: the digits behind the point of its seconds."""
    nullable: bool = True
    """Whether the column can be NULL."""


class JsonCodec(ValueCodec):
    """A codec of a JSON message. One that is not among `codecs.py` is a class of its own with `read` and `write`, and a
    constant: `HEX_BYTES = HexBytes(BYTES)`. A null value is never given to it.

    Attributes:
        numeric: of one that is called: whether its values are JSON numbers; else they are strings.
        lenient: of one that is called: whether it takes any JSON, as it is written, a string without its quotes.
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
            storage: what the column holds; TEXT: text, as the policy for text that is not UTF-8 wants it.
            number: of one that readers and writers know (codec_ids.py).
            unchecked: the same where text is not checked.
            numeric: whether the values are JSON numbers; else they are strings.
            lenient: whether any JSON is taken.
            writes: whether values are written; else they are only read.
        """
        ValueCodec.__init__(self, storage, number, number if unchecked is None else unchecked, writes)
        self.numeric = numeric
        self.lenient = lenient

    def for_column(self, facts: ColumnFacts) -> JsonCodec:
        """The codec of a column of which this is known; it is asked for once, when a layout is made."""
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
        """Puts the value that is written there into a row of column c.

        Args:
            r: has the text as r.p[start:start + size]: a number, or the content of a string, in UTF-8 without escapes.
            start: the first byte.
            size: how many there are, 0 or more.
            columns: where to; text need not be checked by the codec.
            c: the column.
            row: which one.
            field: for what else reads.

        Raises:
            ValueError: the text is no such value.
        """
        raise NotImplementedError(f"{type(self).__name__} has no read, or none that its .pxd declares")

    def fill(self, s: JsonSink, default: bytes) -> cython.int:
        """Writes what stands for NULL in a column with a default.

        Args:
            s: where to.
            default: the JSON of it; of a time that is converted to UTC its text.

        Raises:
            ValueError: it is no value.
        """
        return s.raw(default)

    def write(self, s: JsonSink, source: ColumnReader, c: cython.int, row: cython.Py_ssize_t) -> cython.int:
        """Writes a value of column c as JSON, a string with its quotes.

        Args:
            s: where to.
            source: the columns, with `int_at`, `uint_at`, `binary`, `text` and `value`.
            c: the column.
            row: which one.

        Raises:
            ValueError: JSON cannot say the value; the text says why.
        """
        raise NotImplementedError(f"{type(self).__name__} has no write, or none that its .pxd declares")

    def write_usual(
        self,
        s: JsonSink,
        at: cython.Py_ssize_t,
        text: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
        size: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        """`write` of a value whose text is what most texts of the column are, without looking for anything else; only
        compiled code calls it.

        Args:
            s: where to; its cursor is not moved.
            at: from here on it has room for `numerals.MOST_FLOAT` bytes.
            text: the first byte of the column's text.
            size: how many there are, 0 or more.

        Returns:
            Where the JSON ends; -1: nothing was written, and `write` has to decide.
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
        """`read` of a JSON number, if it is what most numbers of the column are; only compiled code calls it.

        Args:
            p: the message's text; behind it stands a NUL, and 128 bytes more can be read.
            i: where the number begins, with a digit or a minus sign.
            columns: where to.
            c: the column.
            row: which one.

        Returns:
            Where the number ends; -1: nothing was put, and others have to look at it.
        """
        return -1
