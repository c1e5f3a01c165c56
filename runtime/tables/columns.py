"""What descriptions of tables say of a column and of an index."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NoReturn

from tidewire.runtime.errors import DescriptionError
from tidewire.runtime.shortened import shown

MOST_OF_DEFAULT = 255
"""Bytes of the default of a BIT column, which has 64 bits at most."""
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
    """An error unless the value is text that UTF-8 can hold; None and empty text only where it is optional."""
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
    """An error unless the value is None or a number in the range of what the last word of the path is."""
    if value is None:
        return
    what = path.rpartition("/")[2]
    if type(value) is not int or not LEAST[what] <= value <= MOST[what]:
        wrong(table, path, f"a number from {LEAST[what]} to {MOST[what]} is expected, not {shown(value)}")


def check_truth(table: str, path: str, value: Any, optional: bool) -> None:
    """An error unless the value is true or false, or None where it is optional."""
    if not isinstance(value, bool) and not (optional and value is None):
        wrong(table, path, f"true or false is expected, not {shown(value)}")


def check_texts(table: str, path: str, value: Any, optional: bool) -> tuple[str, ...]:
    """The texts of a list as a tuple; an error unless it is a sequence of texts. Empty texts only where they are
    optional.
    """
    if isinstance(value, str) or not isinstance(value, tuple | list):
        wrong(table, path, f"a list of texts is expected, not {shown(value)}")
    for at, one in enumerate(value):
        check_text(table, f"{path}/{at}", "" if one is None and not optional else one, optional)
        if one is None:
            wrong(table, f"{path}/{at}", "text is expected, not None")
    return tuple(value)


def bytes_of_bits(number: int, length: int | None = None) -> bytes:
    """The default of a BIT column as bytes: as many as its description says, else as it needs, one or more."""
    return number.to_bytes(max(1, (number.bit_length() + 7) // 8) if length is None else length, "big")


def length_of_bits(image: bytes) -> int | None:
    """How many bytes a default is, for its description: None where they are as many as its number needs."""
    return None if bytes_of_bits(int.from_bytes(image, "big")) == image else len(image)


@dataclass(frozen=True, slots=True)
class ColumnDescription:
    """A column of a table.

    What a protocol does not say is None; a statement without AUTO_INCREMENT or ON UPDATE does not say it either.
    `TableDescription` checks the values when it is made.

    Attributes:
        name: its name.
        mysql_type: its base type in lower case, as INFORMATION_SCHEMA.COLUMNS.DATA_TYPE has it: int, varchar, longtext.
        unsigned: whether it is a number without a sign. TiDB says so of YEAR and BIT columns, too.
        zerofill: whether numbers are filled with zeros.
        length: the length, display width or number of digits, as TiDB says it: -1 for a vector of any dimension,
            4294967295 for a LONGTEXT. None also stands for 0 where a message leaves zeros out.
        scale: digits behind the point of a DECIMAL, FLOAT or DOUBLE, or of the seconds of a time; None also stands for
            0.
        labels: of an ENUM or SET.
        charset: the character set; TiDB says binary for everything that is not text.
        collation: the collation.
        nullable: whether it may be null.
        default: the default as text, also of numbers; expressions as they stand in SQL (CURRENT_TIMESTAMP). A number
            for BIT columns. None when there is none, or it is null.
        auto_increment: whether the database counts it up: AUTO_INCREMENT.
        on_update: whether it becomes the time of each change of its row: ON UPDATE CURRENT_TIMESTAMP.
        generated: the expression of a generated column, without the parentheses around it.
        stored: whether the generated column is kept in the table. Rows never have one that is not.
        comment: its comment.
        position: its place in the table, from 1.
        id: TiDB's id of the column.
        default_length: how many bytes the default of a BIT column has: a literal may begin with bytes that are zero.
            None: as many as the number needs, or it is not said.
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
        """Raises DescriptionError for a value that cannot be.

        Args:
            table: name of the table, for the error.
            path: where the column is in it, for the error.
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
        name: its name.
        columns: the names of its columns, in order.
        unique: whether no two rows have the same values in it.
        primary: whether it is the primary key.
        nullable: whether any of its columns may be null; None when that is not said.
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
        """The columns that TiDB has made for expressions that the index is on. They are called `_V$_INDEX_0`: by the
        name of the index and a number (BuildHiddenColumnInfo of pingcap/tidb pkg/ddl/index.go).
        """
        return tuple([name for name in self.columns if self._hides(name)])

    def _hides(self, name: str) -> bool:
        before, _, number = name.lower().rpartition("_")
        return before == f"_v$_{self.name.lower()}" and number.isdecimal()

    def check(self, table: str, path: str, known: set[str]) -> None:
        """Raises DescriptionError for a value that cannot be.

        Args:
            table: name of the table, for the error.
            path: where the index is in it, for the error.
            known: names of the table's columns in lower case.
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
"""The attributes of a column's description, in order."""
INDEX_FIELDS = tuple(one.name for one in fields(IndexDescription))
"""Those of an index."""
