"""What every way to write the values of a column has, whatever the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.arrow.storage import RAW_TEXT, TEXT
from tidewire.runtime.errors import BATCH, UTF8, VALUE, ColumnFull

if cython.compiled:
    from cython.cimports.tidewire.runtime.wire.utf8 import well_formed

if TYPE_CHECKING:
    from tidewire.runtime.arrow.columns import Columns


class RefusedValueError(ValueError):
    """A value that a codec refuses. Its text says why, for the reader of the message's error: "it is no base64"."""


class ValueCodec:
    """How the values of a column are written. The value table of a protocol says for which columns.

    Attributes:
        storage: what the column holds (runtime/arrow/storage.py). TEXT: text, as the policy for invalid text has it.
        number: by which readers and writers know it.
        unchecked: the same where text is not checked.
        writes: whether values are written; else they are only read.
    """

    def __init__(self, storage: int, number: int, unchecked: int, writes: bool) -> None:
        self.storage = storage
        self.number = number
        self.unchecked = unchecked
        self.writes = writes

    def stored(self, checked: bool) -> int:
        """What a column holds.

        Args:
            checked: whether text has to be UTF-8.
        """
        return RAW_TEXT if self.storage == TEXT and not checked else self.storage


def holds_text(columns: Columns, c: cython.int, row: cython.Py_ssize_t) -> cython.bint:
    """Whether the variable-width value that was put there is UTF-8."""
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
    """The number of the error (runtime/errors.py) for what a codec raised when it read a value."""
    if isinstance(error, UnicodeError):
        return UTF8
    return BATCH if isinstance(error, ColumnFull) else VALUE
