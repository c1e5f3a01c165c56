"""Changes of tables as messages of statements list them; `table_changes` reads them.

Columns that the statement itself declares are written without comments, and with the time precision and defaults as in
the statement. Whether such a column has AUTO_INCREMENT is also taken from the statement, if the description does not
say it; if neither does, `autoIncremented` is false.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple

from tidewire.runtime.json.descriptions import JsonDescriptionWriter
from tidewire.runtime.json.table_changes import (
    ALTER,
    CREATE,
    DROP,
    TINYINT,
    TINYINT_ZEROFILL,
    Name,
    usual_length,
)
from tidewire.runtime.tables.sql_declared import declared_columns

if TYPE_CHECKING:
    from tidewire.runtime.json.sink import Spelling
    from tidewire.runtime.tables.columns import ColumnDescription
    from tidewire.runtime.tables.described_parts import DescribedPart
    from tidewire.runtime.tables.description import DescribedTable
    from tidewire.runtime.tables.facts import TypesOfTables
    from tidewire.runtime.tables.sql_actions import DeclaredColumn

NOW = "CURRENT_TIMESTAMP"
EPOCH = "1970-01-01 00:00:00"
"""What is written for CURRENT_TIMESTAMP."""
YEAR, DOUBLE, VECTOR, HIDDEN = "year", "double", "vector", "var_string"
"""Types with special rules; the last is the type of an expression in an index."""


class ChangeWords(NamedTuple):
    """How a protocol lists changes of tables, by the codes of DDL types."""

    creates: tuple[int, ...]
    """Those whose changes are CREATE."""
    alters: tuple[int, ...]
    """Those whose changes are ALTER. Statements of none of the three kinds have no message."""
    drops: tuple[int, ...]
    """Those whose changes are DROP."""
    nothing: tuple[int, ...] = ()
    """Those whose messages list no table."""
    no_table: tuple[int, ...] = ()
    """Those after which the table no longer exists."""
    old_name: tuple[int, ...] = ()
    """Those whose changes have the previous name of the table as well."""

    def sent(self, ddl_type: int | None) -> bool:
        """Whether a statement has a message; true for None, the unknown type."""
        return ddl_type is None or any(ddl_type in known for known in (self.creates, self.alters, self.drops))

    def kind(self, ddl_type: int | None) -> str:
        """The type of a statement's changes: CREATE, ALTER or DROP."""
        return CREATE if ddl_type in self.creates else DROP if ddl_type in self.drops else ALTER


class ChangeWriter(JsonDescriptionWriter):
    """Writes changes of tables as TiCDC does."""

    def __init__(
        self, part: DescribedPart, producer: str, protocol: str, spelling: Spelling, types: TypesOfTables, numbers: str
    ) -> None:
        """
        Args:
            part: the object that is a change.
            producer, protocol, spelling: as in `JsonDescriptionWriter`.
            types: column types of the database.
            numbers: name of the mapping of these types to the numbers of java.sql.Types.
        """
        super().__init__(part, producer, protocol, spelling)
        self._types = types
        self._numbers = numbers

    def change(
        self, kind: str, name: Name, table: DescribedTable | None, statement: str, before: Name | None = None
    ) -> bytes:
        """A change as a JSON object.

        Args:
            kind: CREATE, ALTER or DROP.
            table: its new description; None: the table was dropped.
            statement: text of the DDL statement.
            before: its name before it was renamed.

        Raises:
            EncodeError: a text cannot be encoded as UTF-8.
        """
        id = ",".join(f'"{one[0]}"."{one[1]}"' for one in (before, name) if one is not None)
        described = None if table is None else self._table(table, declared_columns(statement, self._types))
        return self.written(self.part, SimpleNamespace(type=kind, id=id, table=described))

    def _table(self, table: DescribedTable, declared: Mapping[str, DeclaredColumn]) -> SimpleNamespace:
        columns = [self._column(one, at, declared.get(one.name)) for at, one in enumerate(table.columns, 1)]
        return SimpleNamespace(
            charset=table.charset or "",
            key=table.implicit_key,
            columns=columns,
            hidden_columns=table.hidden_columns,
            comment=None,
        )

    def _column(self, column: ColumnDescription, position: int, declared: DeclaredColumn | None) -> SimpleNamespace:
        types = self._types
        code, flags = types.code(column)
        facts = types.types.facts(code)
        name = types.types.type_text(code, flags & types.flag("BINARY"))
        if code == types.types.undeclared_code:
            name = column.mysql_type
        zoned = facts.checksum == "utc"
        counted = column.on_update if zoned else column.auto_increment
        if counted is None:
            counted = declared is not None and (declared.on_update if zoned else declared.auto_increment)
        with_charset = types.takes_charset(code, flags) and column.charset != "binary" and name != HIDDEN
        behind = self._behind(column, code)
        return SimpleNamespace(
            name=column.name,
            type_number=self._number(code, flags),
            native_type=None,
            comment=None if declared is not None else column.comment or None,
            default=self._default(column, declared, code),
            labels=tuple([f"'{label}'" for label in column.labels]) if facts.labels and column.labels else None,
            type_name=f"{name.upper()}{behind}",
            type_expression=f"{name.upper()}{_numbers(column, name)}{behind}",
            charset=column.charset if with_charset else None,
            length=_known(self._length(column, code, flags, declared)),
            scale=_known(_scale(column, facts.parameters, facts.storage)),
            position=column.position or position,
            nullable=column.nullable is not False,
            auto_incremented=counted,
            generated=counted,
        )

    def _number(self, code: int, flags: int) -> int | None:
        """The number of a type in java.sql.Types; None: it has none."""
        try:
            return int(self._types.types.mapped(self._numbers, code, flags).value)
        except LookupError:
            return None

    def _behind(self, column: ColumnDescription, code: int) -> str:
        """UNSIGNED and ZEROFILL after the name of a type; only integers and floats have them."""
        facts = self._types.types.facts(code)
        if not (self._types.is_integer(column) or facts.storage == "float"):
            return ""
        return " UNSIGNED ZEROFILL" if column.zerofill else " UNSIGNED" if column.unsigned else ""

    def _length(self, column: ColumnDescription, code: int, flags: int, declared: DeclaredColumn | None) -> int | None:
        types = self._types
        facts = types.types.facts(code)
        if facts.fractions:
            return (column.scale or 0) if declared is None else types.types.declared(declared.type).decimals
        if facts.labels:
            return 1 if facts.labels == "one" else 2 * len(column.labels) - 1 if column.labels else None
        if facts.parameters == "both_or_0":
            return column.length
        if column.mysql_type == YEAR:
            return column.length if declared is None else types.types.declared(declared.type).length
        if not facts.parameters:
            return None
        if facts.storage == "float" and _known(column.scale) is None:
            return None  # alone it would be the digits of FLOAT(24), which are binary
        length = column.length
        if length is None:
            return 0 if facts.parameters == "length_or_0" else None
        usual = usual_length(types, code, flags, (), None)
        if column.mysql_type == TINYINT and column.zerofill:
            usual = TINYINT_ZEROFILL
        return None if length == usual else length

    def _default(self, column: ColumnDescription, declared: DeclaredColumn | None, code: int) -> str | None:
        default: str | int | None = column.default
        facts = self._types.types.facts(code)
        # as in the statement, if it has one: TiDB gives a NOT NULL YEAR a default of its own
        if declared is not None and declared.default is not None and (facts.fractions or column.mysql_type == YEAR):
            default = declared.default.text
        if isinstance(default, int):
            return _bits(default, column.length or 0)
        return EPOCH if default is not None and default.upper() == NOW else default


def _known(number: int | None) -> int | None:
    """A length or scale; None for -1, TiDB's mark for an unspecified one."""
    return None if number is not None and number < 0 else number


def _numbers(column: ColumnDescription, name: str) -> str:
    """The parameters in parentheses after the name of a type."""
    length = column.length
    if name == DOUBLE and column.scale is not None and column.scale > 0:
        return f"({length},{column.scale})"
    if (name == VECTOR and length is not None and length >= 0) or (name == HIDDEN and length != 1):
        return f"({length or 0})"
    return ""


def _scale(column: ColumnDescription, parameters: str, storage: str) -> int | None:
    if parameters == "both_or_0":
        return column.scale or 0
    return column.scale if storage == "float" and column.scale is not None and column.scale >= 0 else None


def _bits(number: int, length: int) -> str:
    """The binary digits of a BIT default: the first byte has as many as the length has beyond whole bytes, or more if
    needed; the others have eight each.
    """
    first, *rest = number.to_bytes(max(1, (number.bit_length() + 7) // 8), "big")
    return f"{first:0{length % 8 or 1}b}" + "".join(f"{one:08b}" for one in rest)
