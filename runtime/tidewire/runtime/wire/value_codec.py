"""The base class of the codecs of column values, for all wires."""

from __future__ import annotations

from binascii import Error, a2b_base64, b2a_base64
from typing import TYPE_CHECKING, NamedTuple

from tidewire.runtime import cython
from tidewire.runtime.arrow.storage import RAW_TEXT, TEXT
from tidewire.runtime.errors import BATCH, UTF8, VALUE, ColumnFull

if cython.compiled:
    from cython.cimports.tidewire.runtime.wire.utf8 import well_formed

if TYPE_CHECKING:
    from tidewire.runtime.arrow.columns import Columns


class RefusedValueError(ValueError):
    """A codec refuses a value. The text completes the sentence of an error: "it is no base64"."""


def strict64(text: bytes) -> bytes:
    """The bytes of a canonical base64 text.

    Raises:
        ValueError: it is not canonical base64.
    """
    try:
        found: bytes = a2b_base64(text, strict_mode=True) if text else b""
    except Error as error:
        raise RefusedValueError(f"it is no base64: {error}") from None
    if b2a_base64(found, newline=False) != text:
        raise RefusedValueError("it is no base64: bits behind its last byte are not 0")
    return found


class ColumnFacts(NamedTuple):
    """Facts besides the type of a column that can select a codec; None: unknown."""

    labels: tuple[str, ...] = ()
    """Labels of an ENUM or SET."""
    length: int | None = None
    """Number of bits of a BIT."""
    scale: int | None = None
    """Digits after the decimal point of a decimal."""
    fraction: int | None = None
    """Digits of fractional seconds of a time."""
    nullable: bool = True
    """Whether the column can be NULL."""


class ValueCodec:
    """A codec of column values; the value table of a protocol assigns codecs to columns.

    Attributes:
        storage: storage of the column (tidewire.runtime.arrow.storage). TEXT: text, with the configured handling of
            invalid UTF-8.
        number: number of the codec for readers and writers.
        unchecked: number of the codec for unchecked text.
        writes: whether values are written; otherwise they are only read.
    """

    def __init__(self, storage: int, number: int, unchecked: int, writes: bool) -> None:
        self.storage = storage
        self.number = number
        self.unchecked = unchecked
        self.writes = writes

    def stored(self, checked: bool) -> int:
        """The storage of a column.

        Args:
            checked: whether text must be UTF-8.
        """
        return RAW_TEXT if self.storage == TEXT and not checked else self.storage


def holds_text(columns: Columns, c: cython.int, row: cython.Py_ssize_t) -> cython.bint:
    """Whether the variable-width value in this cell is UTF-8."""
    end: cython.Py_ssize_t = 2 * columns.room * c + row
    start: cython.Py_ssize_t = columns.values.i32[end]
    stop: cython.Py_ssize_t = columns.values.i32[end + 1]
    if cython.compiled:
        return well_formed(columns.cells[c].data, start, stop)
    try:
        columns.cells[c].data[start:stop].decode()
    except UnicodeDecodeError:
        return False
    return True


def reading_trouble(error: Exception) -> int:
    """The error number (tidewire.runtime.errors) for an exception that a codec raised while reading."""
    if isinstance(error, UnicodeError):
        return UTF8
    return BATCH if isinstance(error, ColumnFull) else VALUE
