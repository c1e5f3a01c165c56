"""Descriptions of columns and indexes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NoReturn

from tidewire.runtime.errors import DescriptionError
from tidewire.runtime.shortened import shown

MOST_OF_DEFAULT = 255
"""Maximum bytes of the default of a BIT column, which has at most 64 bits."""
MOST = {
    **dict.fromkeys(("length", "scale", "position", "id"), 2**63 - 1),
    "version": 2**64 - 1,
    "default_length": MOST_OF_DEFAULT,
}
LEAST = {"length": -1, "scale": -1, "position": 1, "id": -(2**63), "version": 0, "default_length": 0}


def wrong(table: str, path: str, detail: str) -> NoReturn:
    """Raises the error of a description."""
    raise DescriptionError(table, path, detail)


def check_text(table: str, path: str, value: Any, optional: bool) -> None:
    """Checks that a value is text that can be encoded as UTF-8; None and empty text are allowed only if `optional`."""
    if value is None and optional:
        return
    if not isinstance(value, str):
        wrong(table, path, f"text is expected, not {shown(value)}")
    if not value and not optional:
        wrong(table, path, "it is empty, and has to have a name")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            wrong(table, path, f"{shown(value)} is not text that UTF-8 can hold")


def check_number(table: str, path: str, value: Any) -> None:
    """Checks that a value is None or a number in the range for the last part of the path."""
    if value is None:
        return
    what = path.rpartition("/")[2]
    if type(value) is not int or not LEAST[what] <= value <= MOST[what]:
        wrong(table, path, f"a number from {LEAST[what]} to {MOST[what]} is expected, not {shown(value)}")


def check_truth(table: str, path: str, value: Any, optional: bool) -> None:
    """Checks that a value is a boolean; None is allowed only if `optional`."""
    if not isinstance(value, bool) and not (optional and value is None):
        wrong(table, path, f"true or false is expected, not {shown(value)}")


def check_texts(table: str, path: str, value: Any, optional: bool) -> tuple[str, ...]:
    """The texts of a list as a tuple; checks that it is a sequence of texts. Empty texts are allowed only if
    `optional`.
    """
    if isinstance(value, str) or not isinstance(value, tuple | list):
        wrong(table, path, f"a list of texts is expected, not {shown(value)}")
    for at, one in enumerate(value):
        check_text(table, f"{path}/{at}", "" if one is None and not optional else one, optional)
        if one is None:
            wrong(table, f"{path}/{at}", "text is expected, not None")
    return tuple(value)


def bytes_of_bits(number: int, length: int | None = None) -> bytes:
    """The default of a BIT column as bytes, big-endian: `length` bytes, or as many as needed, at least one."""
    return number.to_bytes(max(1, (number.bit_length() + 7) // 8) if length is None else length, "big")


def length_of_bits(image: bytes) -> int | None:
    """The `default_length` of a description for a default with these bytes; None if its number needs exactly that many.
    """
    return None if bytes_of_bits(int.from_bytes(image, "big")) == image else len(image)


@dataclass(frozen=True, slots=True)
class ColumnDescription:
    """A column of a table.

    Attributes that a protocol does not state are None, also if a statement has no AUTO_INCREMENT or ON UPDATE.
    `TableDescription` checks the values when it is made.

    Attributes:
        name: name of the column.
        mysql_type: its base type in lower case, as in INFORMATION_SCHEMA.COLUMNS.DATA_TYPE: int, varchar, longtext.
        unsigned: whether it is unsigned. TiDB sets this for YEAR and BIT columns, too.
        zerofill: whether numbers are padded with zeros.
        length: length, display width or precision, as TiDB states it: -1 for a vector of any dimension, 4294967295 for
            a LONGTEXT. None can also stand for 0, in messages that omit zeros.
        scale: digits after the decimal point of a DECIMAL, FLOAT or DOUBLE, or fractional digits of a time; None can
            also stand for 0.
        labels: labels of an ENUM or SET.
        charset: the character set; TiDB states binary for everything that is not text.
        collation: the collation.
        nullable: whether it may be null.
        default: the default as text, also of numbers; expressions as in SQL (CURRENT_TIMESTAMP). A number for BIT
            columns. None if there is none, or if it is null.
        auto_increment: whether it has AUTO_INCREMENT.
        on_update: whether it has ON UPDATE CURRENT_TIMESTAMP.
        generated: the expression of a generated column, without the parentheses around it.
        stored: whether the generated column is stored in the table. Rows never contain virtual columns.
        comment: its comment.
        position: its position in the table, from 1.
        id: TiDB's id of the column.
        default_length: bytes of the default of a BIT column: a literal may begin with zero bytes. None: as many as the
            number needs, or not stated.
    """

    name: str
    mysql_type: str
    unsigned: bool = False
    zerofill: bool = False
    length: int | None = None
    scale: int | None = None
    labels: tuple[str, ...] = ()
    charset: str | None = None
    collation: str | None = None
    nullable: bool | None = None
    default: str | int | None = None
    auto_increment: bool | None = None
    on_update: bool | None = None
    generated: str | None = None
    stored: bool = False
    comment: str | None = None
    position: int | None = None
    id: int | None = None
    default_length: int | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, name) for name in COLUMN_FIELDS)

    def check(self, table: str, path: str) -> None:
        """Checks all values.

        Args:
            table: name of the table, for the error.
            path: path of the column in the description, for the error.

        Raises:
            DescriptionError: a value is invalid.
        """
        check_text(table, f"{path}/name", self.name, False)
        check_text(table, f"{path}/mysql_type", self.mysql_type, False)
        for name in ("unsigned", "zerofill", "stored"):
            check_truth(table, f"{path}/{name}", getattr(self, name), False)
        for name in ("nullable", "auto_increment", "on_update"):
            check_truth(table, f"{path}/{name}", getattr(self, name), True)
        for name in ("length", "scale", "default_length", "position", "id"):
            check_number(table, f"{path}/{name}", getattr(self, name))
        for name in ("charset", "collation", "generated", "comment"):
            check_text(table, f"{path}/{name}", getattr(self, name), True)
        if type(self.default) is int:
            if not 0 <= self.default < 2**64:
                said = f"{self.default}" if abs(self.default) < 2**128 else f"one of {self.default.bit_length()} bits"
                wrong(table, f"{path}/default", f"bits are a number from 0 to {2**64 - 1}, not {said}")
            if self.default_length is not None and self.default.bit_length() > 8 * self.default_length:
                wrong(table, f"{path}/default_length", f"{self.default} has more than {self.default_length} bytes")
        else:
            check_text(table, f"{path}/default", self.default, True)
            if self.default_length is not None:
                wrong(table, f"{path}/default_length", "only a default that is a number of bits has one")
        if type(self.labels) is not tuple:
            wrong(table, f"{path}/labels", f"a tuple of texts is expected, not {shown(self.labels)}")
        check_texts(table, f"{path}/labels", self.labels, True)
        if self.stored and self.generated is None:
            wrong(table, f"{path}/stored", "only a generated column is stored or not: give the expression, too")


@dataclass(frozen=True, slots=True)
class IndexDescription:
    """An index of a table.

    Attributes:
        name: name of the index.
        columns: names of its columns, in order.
        unique: whether it is unique.
        primary: whether it is the primary key.
        nullable: whether any of its columns may be null; None if not stated.
    """

    name: str
    columns: tuple[str, ...]
    unique: bool = False
    primary: bool = False
    nullable: bool | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.columns, self.unique, self.primary, self.nullable)

    @property
    def hidden_columns(self) -> tuple[str, ...]:
        """The hidden columns that TiDB makes for expressions in the index. They are named `_V$_INDEX_0`: by the
        name of the index and a number (BuildHiddenColumnInfo of pingcap/tidb pkg/ddl/index.go).
        """
        return tuple([name for name in self.columns if self._hides(name)])

    def _hides(self, name: str) -> bool:
        before, _, number = name.lower().rpartition("_")
        return before == f"_v$_{self.name.lower()}" and number.isdecimal()

    def check(self, table: str, path: str, known: set[str]) -> None:
        """Checks all values.

        Args:
            table: name of the table, for the error.
            path: path of the index in the description, for the error.
            known: names of the table's columns in lower case.

        Raises:
            DescriptionError: a value is invalid.
        """
        check_text(table, f"{path}/name", self.name, False)
        for name in ("unique", "primary"):
            check_truth(table, f"{path}/{name}", getattr(self, name), False)
        check_truth(table, f"{path}/nullable", self.nullable, True)
        if type(self.columns) is not tuple or not self.columns:
            wrong(table, f"{path}/columns", f"a tuple with the names of one or more columns, not {shown(self.columns)}")
        check_texts(table, f"{path}/columns", self.columns, False)
        seen: set[str] = set()
        for at, column in enumerate(self.columns):
            if column.lower() not in known:
                wrong(table, f"{path}/columns/{at}", f"the table has no column {shown(column)}")
            if column.lower() in seen:
                wrong(table, f"{path}/columns/{at}", f"the index has the column {shown(column)} twice")
            seen.add(column.lower())


COLUMN_FIELDS = tuple(one.name for one in fields(ColumnDescription))
"""Attributes of a column's description, in order."""
INDEX_FIELDS = tuple(one.name for one in fields(IndexDescription))
"""Attributes of an index's description, in order."""
