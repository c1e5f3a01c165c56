"""Facts of the database's column types and flags that descriptions need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tidewire.runtime.column_types import ColumnTypes
from tidewire.runtime.tables.columns import ColumnDescription, IndexDescription

FLOATS = ("float", "float4")
"""Names of the type that TiDB replaces by another one depending on its digits."""
FLOAT_DIGITS, DOUBLE_DIGITS = 24, 53
"""Maximum binary digits of a FLOAT and of a DOUBLE: MaxFloatPrecisionLength and MaxDoublePrecisionLength of
pingcap/tidb pkg/parser/mysql/const.go.
"""


HIDDEN = ("var_string",)
"""Types that cannot be declared: TiDB uses them for the hidden columns of indexes on expressions."""


class TypesOfTables:
    """The column types and flags of a database, for descriptions of its tables.

    Attributes:
        types: column types.
    """

    def __init__(self, types: ColumnTypes, flags: Mapping[str, int]) -> None:
        """
        Args:
            flags: column flags by name, in upper case; missing flags are never set.
        """
        self.types = types
        self._flags = {name: int(bit) for name, bit in flags.items()}

    def code(self, column: ColumnDescription) -> tuple[int, int]:
        """Type code of a column, and the flags that follow from its type, UNSIGNED and a binary charset."""
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
            labels: labels of an ENUM, whose length is that of the longest label in bytes of UTF-8, or of a SET, whose
                length is that of all labels separated by commas.
            scale: fractional digits of a time.
        """
        facts = self.types.facts(type)
        if facts.labels:
            lengths = [len(label.encode()) for label in labels] or [0]
            return sum(lengths) + len(lengths) - 1 if facts.labels == "several" else max(lengths)
        found = next((one.length for one in facts.flagged if flags & one.flag and one.length is not None), facts.length)
        return found + 1 + scale if found is not None and facts.fractions and scale else found

    def has_charset(self, column: ColumnDescription) -> bool:
        """Whether the column's declaration can name a character set."""
        return self.takes_charset(*self.code(column))

    def takes_charset(self, code: int, flags: int) -> bool:
        """Whether a declaration with this type and these flags can name a character set."""
        return bool(self.types.facts(code).labels) or bool(
            self.types.telling_flags(code) & self.flag("BINARY") & ~flags
        )

    def has_fractions(self, column: ColumnDescription) -> bool:
        """Whether the column is a time with fractional seconds."""
        return self.types.facts(self.code(column)[0]).fractions

    def is_bits(self, code: int) -> bool:
        """Whether the type is BIT: stored as an unsigned integer, without labels."""
        facts = self.types.facts(code)
        return facts.storage == "uint" and not facts.labels

    def has_days(self, code: int) -> bool:
        """Whether the type is a date with a time of day."""
        facts = self.types.facts(code)
        return facts.fractions and facts.spark.startswith("timestamp")

    def is_integer(self, column: ColumnDescription) -> bool:
        """Whether the column is an integer, which can be the row's own handle."""
        return bool(self.types.telling_flags(self.code(column)[0]) & self.flag("UNSIGNED"))

    def is_long(self, column: ColumnDescription) -> bool:
        """Whether the column is a TEXT or BLOB of any size, of which an index contains a prefix only."""
        return self.is_long_type(self.code(column)[0])

    def is_long_type(self, code: int) -> bool:
        """Whether the type is a TEXT or BLOB of any size."""
        return bool(self.types.telling_flags(code) & self.flag("BINARY")) and not self.types.facts(code).parameters

    def base_name(self, code: int, flags: int, written: str) -> str:
        """The name of a type, without parameters and attributes.

        Args:
            code: type code.
            written: the name in the declaration, which is kept if the type has several names.
        """
        name = self.types.type_text(code, flags & self.flag("BINARY"))
        return written if self.types.facts(code).storage == "bytes" and written else name

    def type_text(self, column: ColumnDescription) -> str:
        """The column's full type as in SQL: ``decimal(10,2) unsigned``. The type's own name if TiDB has no such type.
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
        """The flags that columns get from indexes, by column name in lower case. All columns of an index have its
        flag, not only the first: pingcap/tiflow cdc/model/sink.go.

        Args:
            handle_key: columns that identify a row.
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
        """The flags that follow from the column's own description."""
        _, flags = self.code(column)
        flags |= self.flag("NULLABLE") if column.nullable else 0
        return flags | (self.flag("GENERATED") if column.generated is not None else 0)

    def flag(self, name: str) -> int:
        """The flag with this name; 0: the database has no such flag."""
        return self._flags.get(name, 0)
