"""What descriptions know of the database's column types and flags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tidewire.runtime.column_types import ColumnTypes
from tidewire.runtime.tables.columns import ColumnDescription, IndexDescription


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

    def has_charset(self, column: ColumnDescription) -> bool:
        """Whether its declaration can name a character set."""
        code, flags = self.code(column)
        binary = self.flag("BINARY")
        return self.types.facts(code).labels or bool(self.types.telling_flags(code) & binary & ~flags)

    def has_fractions(self, column: ColumnDescription) -> bool:
        """Whether it is a time with fractions of seconds."""
        return self.types.facts(self.code(column)[0]).fractions

    def is_integer(self, column: ColumnDescription) -> bool:
        """Whether it is an integer, which can be the row's own handle."""
        return bool(self.types.telling_flags(self.code(column)[0]) & self.flag("UNSIGNED"))

    def is_long(self, column: ColumnDescription) -> bool:
        """Whether it is a TEXT or BLOB of any kind, of which an index has the first part only."""
        code, _ = self.code(column)
        return bool(self.types.telling_flags(code) & self.flag("BINARY")) and not self.types.facts(code).parameters

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
