"""What descriptions know of the database's column types and flags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tidewire.runtime.column_types import ColumnTypes
from tidewire.runtime.tables.columns import ColumnDescription, IndexDescription

FLOATS = ("float", "float4")
"""The type that TiDB chooses another for when its digits are told, by its names."""
FLOAT_DIGITS, DOUBLE_DIGITS = 24, 53
"""The most binary digits of a FLOAT and of a DOUBLE: MaxFloatPrecisionLength and MaxDoublePrecisionLength of
pingcap/tidb pkg/parser/mysql/const.go.
"""


HIDDEN = ("var_string",)
"""Types that no statement declares: TiDB gives them to the columns that it makes for indexes on expressions."""


class TypesOfTables:
    """The column types and flags of a database, for descriptions of its tables.

    Attributes:
        types: the column types.
    """

    def __init__(self, types: ColumnTypes, flags: Mapping[str, int]) -> None:
        """
        Args:
            types: the column types.
            flags: the column flags by name, in upper case; one that is not there is never set.
        """
        self.types = types
        self._flags = {name: int(bit) for name, bit in flags.items()}

    def code(self, column: ColumnDescription) -> tuple[int, int]:
        """The code of the column's type, and the flags that type and sign tell."""
        declared = self.types.declared_or_undeclared(column.mysql_type)
        flags = declared.flags
        if column.unsigned:
            flags |= self.flag("UNSIGNED")
        if column.charset == "binary":
            flags |= self.flag("BINARY")
        return declared.type, flags

    def default_length(self, type: int, flags: int, labels: Sequence[str], scale: int | None) -> int | None:
        """The length that TiDB gives a column that is declared without one.

        Args:
            type: type code.
            flags: column flags.
            labels: of an ENUM, whose length is that of the longest in bytes of UTF-8, or a SET, whose length is that of
                all with commas between.
            scale: fractional digits of a time.
        """
        facts = self.types.facts(type)
        if facts.labels:
            lengths = [len(label.encode()) for label in labels] or [0]
            return sum(lengths) + len(lengths) - 1 if facts.labels == "several" else max(lengths)
        found = next((one.length for one in facts.flagged if flags & one.flag and one.length is not None), facts.length)
        return found + 1 + scale if found is not None and facts.fractions and scale else found

    def has_charset(self, column: ColumnDescription) -> bool:
        """Whether its declaration can name a character set."""
        return self.takes_charset(*self.code(column))

    def takes_charset(self, code: int, flags: int) -> bool:
        """Whether the declaration of a column with this type and these flags can name a character set."""
        return bool(self.types.facts(code).labels) or bool(
            self.types.telling_flags(code) & self.flag("BINARY") & ~flags
        )

    def has_fractions(self, column: ColumnDescription) -> bool:
        """Whether it is a time with fractions of seconds."""
        return self.types.facts(self.code(column)[0]).fractions

    def is_bits(self, code: int) -> bool:
        """Whether it is a type of bits: stored as a number without a sign that no flag makes one."""
        facts = self.types.facts(code)
        return facts.storage == "uint" and not facts.labels

    def has_days(self, code: int) -> bool:
        """Whether it is a time of some day, whose text is longer than a date."""
        facts = self.types.facts(code)
        return facts.fractions and facts.spark.startswith("timestamp")

    def is_integer(self, column: ColumnDescription) -> bool:
        """Whether it is an integer, which can be the row's own handle."""
        return bool(self.types.telling_flags(self.code(column)[0]) & self.flag("UNSIGNED"))

    def is_long(self, column: ColumnDescription) -> bool:
        """Whether it is a TEXT or BLOB of any kind, of which an index has the first part only."""
        return self.is_long_type(self.code(column)[0])

    def is_long_type(self, code: int) -> bool:
        """The same of a type."""
        return bool(self.types.telling_flags(code) & self.flag("BINARY")) and not self.types.facts(code).parameters

    def base_name(self, code: int, flags: int, written: str) -> str:
        """The type's name without parameters and words behind it.

        Args:
            code: of the type.
            flags: of the column.
            written: the name in its declaration, which is kept where the type has several.
        """
        name = self.types.type_text(code, flags & self.flag("BINARY"))
        return written if self.types.facts(code).storage == "bytes" and written else name

    def type_text(self, column: ColumnDescription) -> str:
        """The column's type in full, as SQL declares it: ``decimal(10,2) unsigned``. The type's own name where TiDB has
        no such type.
        """
        code, flags = self.code(column)
        if code == self.types.undeclared_code:
            return column.mysql_type
        return self.types.declaration(
            code, flags, column.length, column.scale, column.labels, column.zerofill, column.mysql_type
        )

    def index_flags(
        self, indexes: Iterable[IndexDescription], handle_key: Iterable[str], names: Iterable[str]
    ) -> dict[str, int]:
        """The flags that indexes give columns, by the columns' names in lower case. All columns of an index have its
        flag, not only the first: pingcap/tiflow cdc/model/sink.go.

        Args:
            indexes: of a table.
            handle_key: the columns that identify a row.
            names: of all columns.
        """
        found = {name.lower(): 0 for name in names}
        for name in handle_key:
            found[name.lower()] |= self.flag("HANDLE_KEY")
        for index in indexes:
            flag = self.flag("PRIMARY_KEY") if index.primary else self.flag("UNIQUE_KEY") if index.unique else 0
            several = len(index.columns) > 1
            for at, name in enumerate(index.columns):
                found[name.lower()] |= flag
                if several or (at == 0 and not flag):
                    found[name.lower()] |= self.flag("MULTIPLE_KEY")
        return found

    def column_flags(self, column: ColumnDescription) -> int:
        """The flags that the column's own description gives it."""
        _, flags = self.code(column)
        flags |= self.flag("NULLABLE") if column.nullable else 0
        return flags | (self.flag("GENERATED") if column.generated is not None else 0)

    def flag(self, name: str) -> int:
        """The flag of that name; 0 where the database has none."""
        return self._flags.get(name, 0)
