"""The row images of event objects: their columns, checked, and their values in the columns' memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tidewire.runtime import cython
from tidewire.runtime.arrow.columns import Columns
from tidewire.runtime.arrow.decimal_texts import DECIMAL
from tidewire.runtime.arrow.storage import BYTES, FLOAT, INT, NOTHING, RAW_TEXT, TEXT, UINT
from tidewire.runtime.batch import Column
from tidewire.runtime.batch.rows import Row
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.shortened import shown

Storage = Callable[[int, int], str]
"""A function that gives a column's storage by type code and flags: int, uint, float, text, bytes or nothing."""

STORAGES = {"int": INT, "uint": UINT, "float": FLOAT, "text": TEXT, "bytes": BYTES, "nothing": NOTHING}
RANGES = {INT: (-(2**63), 2**63 - 1), UINT: (0, 2**64 - 1)}
WANTED = {
    INT: "int",
    UINT: "int",
    FLOAT: "float or int",
    TEXT: "str or bytes",
    BYTES: "bytes or bytearray or memoryview",
}

_MISSING = object()


class RowSchema:
    """The checked columns of a row image. Row schemas with equal columns are equal."""

    def __init__(self, given: tuple[Column, ...], storage: Storage) -> None:
        """

        Args:
            given: name, type, flags and declared type of each, as `Column` or as a tuple.
            storage: gives the storage of a column by its type and flags.
        """
        self.given = self.columns = given
        self.digest = hash(given)
        if any(type(column) is not Column for column in given):
            self.columns = tuple([Column(*column) for column in given])
        self.names = [column.name for column in self.columns]
        self.storages = [STORAGES[storage(column.type, column.flags)] for column in self.columns]
        self.decimals = [c for c, column in enumerate(self.columns) if column.type == DECIMAL]

    def __hash__(self) -> int:
        return self.digest

    def __eq__(self, other: object) -> bool:
        shape: RowSchema
        if not isinstance(other, RowSchema):
            return NotImplemented
        shape = other
        return self.given == shape.given


class BuiltRows(Columns):
    """The row images of one table and shape while they are collected.

    Attributes:
        number: the number of their layout.
        unspeakable: row, column, event, name and value of each text with lone surrogates; reported at the end, so that
            errors of other kinds come first.
    """

    def __init__(self, table: cython.Py_ssize_t, shape: RowSchema, number: cython.Py_ssize_t) -> None:
        c: cython.int
        Columns.__init__(self, shape.storages)
        for c in shape.decimals:
            self.marks[c].type = DECIMAL
        self.table = table
        self.shape = shape
        self.names = shape.names
        self.number = number
        self.unspeakable: list[tuple[int, int, int, str, str]] | None = None

    def take(self, index: cython.Py_ssize_t, image: Any) -> cython.bint:
        """Puts a row image if it has exactly these columns. Returns whether it did.

        Args:
            index: of the event, for errors.
            image: a mapping from name to value.

        Raises:
            EncodeError: a column cannot hold a value.
        """
        c: cython.int
        values: list[Any]
        if len(image) != self.width:
            return False
        self.reserve(self.rows + 1)
        if type(image) is dict:
            if self.take_plain(image):
                return True
        elif type(image) is Row and image.columns is self.shape.columns:
            return self.put_values(index, image.values())
        values = []
        for c in range(self.width):
            if self.names[c] not in image:
                return False
            values.append(image[self.names[c]])
        return self.put_values(index, values)

    def take_plain(self, image: dict[Any, Any]) -> cython.bint:
        """Like `take`, for a dict whose values have exactly the usual Python types of their columns; returns False if
        they have not.
        """
        c: cython.int
        storage: cython.int
        at: cython.Py_ssize_t = self.rows
        names: list[str] = self.names
        try:
            for c in range(self.width):
                value = image.get(names[c], _MISSING)
                storage = self.cells[c].storage
                if value is None:
                    self.put_null(c, at)
                elif type(value) is str:
                    if storage != TEXT and storage != RAW_TEXT:
                        return False
                    self.put_text(c, at, value)
                elif type(value) is int:
                    if storage == INT:
                        self.put_int(c, at, value)
                    elif storage == UINT:
                        self.put_uint(c, at, value)
                    else:
                        return False
                elif type(value) is float:
                    if storage != FLOAT:
                        return False
                    self.put_float(c, at, value)
                elif type(value) is bytes and (storage == BYTES or storage == RAW_TEXT):
                    self.put_image(c, at, value)
                else:
                    return False
        except (OverflowError, ValueError):  # includes UnicodeEncodeError
            return False
        self.rows = at + 1
        return True

    def put_values(self, index: cython.Py_ssize_t, values: list[Any]) -> cython.bint:
        """Puts a row of values, each of any type that its column can hold."""
        c: cython.int
        for c in range(self.width):
            self.put_value(index, c, values[c])
        self.rows += 1
        return True

    def put_value(self, index: cython.Py_ssize_t, c: cython.int, value: Any) -> cython.int:
        """Puts a value of the next row."""
        at: cython.Py_ssize_t = self.rows
        storage: cython.int = self.cells[c].storage
        if value is None:
            return self.put_null(c, at)
        try:
            if storage >= TEXT:
                if storage != BYTES and isinstance(value, str):
                    return self.put_text(c, at, value if type(value) is str else str.__str__(value))
                if type(value) is bytes:
                    if storage == TEXT:
                        self.cells[c].storage = RAW_TEXT
                    return self.put_image(c, at, value)
                if storage != BYTES and isinstance(value, bytes):
                    self.cells[c].storage = RAW_TEXT
                if isinstance(value, bytes) or (storage == BYTES and isinstance(value, bytearray | memoryview)):
                    return self.put_image(c, at, bytes(memoryview(value)))
            elif storage == FLOAT:
                if type(value) is float:
                    return self.put_float(c, at, value)
                if isinstance(value, float | int):
                    return self.put_float(c, at, _exact_float(value))
            elif storage != NOTHING and isinstance(value, int):
                if storage == INT:
                    return self.put_int(c, at, value)
                return self.put_uint(c, at, value)
        except UnicodeEncodeError:
            if self.unspeakable is None:
                self.unspeakable = []
            self.unspeakable.append((c, at, index, self.names[c], repr(value)))
            return self.put_null(c, at)
        except (OverflowError, ValueError) as error:
            return _refuse(index, self.names[c], storage, value, error)
        return _refuse(index, self.names[c], storage, value, None)


def check_columns(index: int, columns: Sequence[Column]) -> None:
    """Checks that columns have distinct names, and that types and flags are numbers.

    Raises:
        EncodeError: they do not; it names the event with this index, and the column.
    """
    known: set[str] = set()
    for column in columns:
        try:
            name, kind, flags, declared = column
        except (TypeError, ValueError):
            raise EncodeError("events", index, None, f"{shown(column)} is no Column") from None
        if not isinstance(name, str) or not encodable(name):
            raise EncodeError("events", index, None, f"{shown(name)} is no name of a column")
        if not (declared is None or (isinstance(declared, str) and encodable(declared))):
            raise EncodeError("events", index, name, f"mysql_type {shown(declared)} is not text")
        if not (isinstance(kind, int) and isinstance(flags, int)):
            raise EncodeError("events", index, name, f"type {shown(kind)} and flags {shown(flags)} are not integers")
        if name in known:
            raise EncodeError("events", index, name, "its name is given twice")
        known.add(name)


def names_of(index: int, columns: tuple[Column, ...]) -> list[str]:
    """The names of the columns, which have not been checked."""
    names = []
    for column in columns:
        try:
            hash(column.name)
            names.append(column.name)
        except (AttributeError, TypeError):
            raise EncodeError("events", index, None, f"{shown(column)} is no Column") from None
    return names


def name_of(index: int, what: str, value: Any) -> str | None:
    """The name of a schema or a table; None for an empty one."""
    if value is None or (isinstance(value, str) and encodable(value)):
        return value or None
    raise EncodeError("events", index, None, f"{shown(value)} is no name of a {what}")


def encodable(value: Any) -> bool:
    """Whether a text can be encoded: it has no lone surrogates."""
    try:
        return value.isascii() or value.encode() is not None
    except UnicodeEncodeError:
        return False


def said(value: object) -> str:
    """A value as text for an error; Python refuses to print integers of thousands of digits."""
    if isinstance(value, int) and not isinstance(value, bool):
        size = int(value).bit_length()
        return str(int(value)) if size < 512 else f"an integer of {size} bits"
    return shown(value)


def _exact_float(value: Any) -> float:
    """The number as a float.

    Raises:
        ValueError: no float equals the number.
    """
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if isinstance(value, int) and number != value:
        raise ValueError(f"a float cannot hold {said(value)}")
    return number


def _refuse(index: int, column: Any, storage: int, value: object, error: Exception | None) -> int:
    """Raises the error of a value that its column cannot hold.

    Args:
        index: of the event.
        column: its name.
        storage: of the column.
        error: what went wrong with a value of the right type.
    """
    if storage == NOTHING:
        reason = f"its type has no values, only null; {said(value)} was given"
    elif error is None:
        wanted = WANTED[TEXT if storage == RAW_TEXT else storage]
        reason = f"{wanted} is expected, not {type(value).__name__} ({said(value)})"
    elif storage in RANGES:
        low, high = RANGES[storage]
        reason = f"{said(value)} is not between {low} and {high}"
    else:
        reason = str(error)
    raise EncodeError("events", index, column, reason)
