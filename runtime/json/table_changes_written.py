"""Changes of tables as they are written in messages of statements; `table_changes` reads them.

Columns that the statement declares anew are written without their comments, and with the digits and defaults of times
as the statement has them. It also says of such columns whether they are counted up by the database, where the
description does not; where neither does, `autoIncremented` is false.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from tidewire.runtime.json.described_parts import DescriptionWriter
from tidewire.runtime.json.json_literals import text_json
from tidewire.runtime.json.sink import Spelling
from tidewire.runtime.json.table_changes import (
    ALTER,
    CREATE,
    DROP,
    TABLE,
    TINYINT,
    TINYINT_ZEROFILL,
    Name,
    usual_length,
)
from tidewire.runtime.tables.sql_declared import declared_columns

if TYPE_CHECKING:
    from tidewire.runtime.tables.columns import ColumnDescription
    from tidewire.runtime.tables.description import DescribedTable
    from tidewire.runtime.tables.facts import TypesOfTables
    from tidewire.runtime.tables.sql_actions import DeclaredColumn

NOW = "CURRENT_TIMESTAMP"
EPOCH = "1970-01-01 00:00:00"
"""What is written for it."""
YEAR, DOUBLE, VECTOR, HIDDEN = "year", "double", "vector", "var_string"
"""Types of which something else is said than of others: the last is that of an expression that is in an index."""


class SaidColumn(NamedTuple):
    """What is written of a column: the attributes of `table_changes.COLUMN`."""

    name: str
    jdbc_type: int | None
    comment: str | None
    default: str | None
    labels: tuple[str, ...] | None
    type_name: str
    type_expression: str
    charset: str | None
    length: int | None
    scale: int | None
    position: int
    nullable: bool
    auto_incremented: bool
    generated: bool
    native_type: None = None


class SaidTable(NamedTuple):
    """What is written of a table: the attributes of `table_changes.TABLE`."""

    charset: str
    key: tuple[str, ...]
    columns: tuple[SaidColumn, ...]
    comment: None = None


class ChangeWords(NamedTuple):
    """What a protocol says of changes of tables."""

    numbers: str
    """The mapping of column types to the numbers of java.sql.Types."""
    creates: tuple[int, ...]
    """Codes of the DDL types of statements whose changes are CREATE."""
    alters: tuple[int, ...]
    """Those whose changes are ALTER. Statements that are none of the three have no message."""
    drops: tuple[int, ...]
    """Those whose changes are DROP."""
    gone: tuple[int, ...]
    """Those of statements behind which there is no table."""
    silent: tuple[int, ...]
    """Those of statements of whose tables nothing is said."""
    renames: tuple[int, ...]
    """Those of statements that say what a table was called before."""
    hides: tuple[str, ...] = ()
    """The producers that leave out the hidden columns of indexes on expressions."""

    def sent(self, ddl_type: int | None) -> bool:
        """Whether a statement has a message; what it does is not known of None, and it has one."""
        return ddl_type is None or any(ddl_type in known for known in (self.creates, self.alters, self.drops))

    def kind(self, ddl_type: int | None) -> str:
        """What the change of a statement is: CREATE, ALTER or DROP."""
        return CREATE if ddl_type in self.creates else DROP if ddl_type in self.drops else ALTER


class ChangeWriter:
    """Writes changes of tables as TiCDC does."""

    def __init__(
        self, protocol: str, types: TypesOfTables, numbers: str, spelling: Spelling, hides: bool = False
    ) -> None:
        """
        Args:
            protocol: for errors.
            types: of the database.
            numbers: the mapping of its types to the numbers of java.sql.Types.
            spelling: how texts are spelled.
            hides: whether the hidden columns of indexes on expressions are left out; others keep their positions.
        """
        self._protocol = protocol
        self._hides = hides
        self._types = types
        self._numbers = numbers
        self._spelling = spelling
        self._writer = DescriptionWriter(protocol, TABLE, spelling, "")

    def change(
        self, kind: str, name: Name, table: DescribedTable | None, statement: str, before: Name | None = None
    ) -> bytes:
        """A change as an object of JSON.

        Args:
            kind: CREATE, ALTER or DROP.
            name: the table that is named.
            table: how it is now; None where it is gone.
            statement: what changed it.
            before: what it was called before it was renamed.

        Raises:
            EncodeError: a text of it is none that UTF-8 can hold.
        """
        id = ",".join(f'"{one[0]}"."{one[1]}"' for one in (before, name) if one is not None)
        described = b"null" if table is None else self._table(table, declared_columns(statement, self._types))
        texts = [text_json(self._protocol, text, self._spelling) for text in (kind, id)]
        return b'{"type":%b,"id":%b,"table":%b}' % (*texts, described)

    def _table(self, table: DescribedTable, declared: Mapping[str, DeclaredColumn]) -> bytes:
        hidden = table.hidden_columns if self._hides else ()
        columns = [
            self._column(column, at, declared.get(column.name))
            for at, column in enumerate(table.columns, 1)
            if column.name not in hidden
        ]
        return self._writer.written(TABLE, SaidTable(table.charset or "", table.implicit_key, tuple(columns)))

    def _column(self, column: ColumnDescription, position: int, declared: DeclaredColumn | None) -> SaidColumn:
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
        return SaidColumn(
            column.name,
            self._number(code, flags),
            None if declared is not None else column.comment or None,
            self._default(column, declared, code),
            tuple([f"'{label}'" for label in column.labels]) if facts.labels and column.labels else None,
            f"{name.upper()}{behind}",
            f"{name.upper()}{_numbers(column, name)}{behind}",
            column.charset if with_charset else None,
            _known(self._length(column, code, flags, declared)),
            _known(_scale(column, facts.parameters, facts.storage)),
            column.position or position,
            column.nullable is not False,
            counted,
            counted,
        )

    def _number(self, code: int, flags: int) -> int | None:
        """java.sql.Types' number of a type; None when it has none."""
        try:
            return int(self._types.types.mapped(self._numbers, code, flags).value)
        except LookupError:
            return None

    def _behind(self, column: ColumnDescription, code: int) -> str:
        """The words behind the name of a type, which only integers and floats have."""
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
        # as the statement writes it, where it does: TiDB gives a YEAR that cannot be NULL a default of its own
        if declared is not None and declared.default is not None and (facts.fractions or column.mysql_type == YEAR):
            default = declared.default.text
        if isinstance(default, int):
            return _bits(default, column.length or 0)
        return EPOCH if default is not None and default.upper() == NOW else default


def _known(number: int | None) -> int | None:
    """A length or scale; None where it is -1, as TiDB has one that nobody said."""
    return None if number is not None and number < 0 else number


def _numbers(column: ColumnDescription, name: str) -> str:
    """What stands in parentheses behind the name of a type."""
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
    """The digits of bits: as many of the first byte as the length has beyond whole bytes, or as it needs; eight of each
    other.
    """
    first, *rest = number.to_bytes(max(1, (number.bit_length() + 7) // 8), "big")
    return f"{first:0{length % 8 or 1}b}" + "".join(f"{one:08b}" for one in rest)
