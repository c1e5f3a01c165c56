"""What is known of the columns of rows that are written: their own types, and the description of their table."""

from __future__ import annotations

from collections.abc import Callable

from tidewire.runtime.batch import Column
from tidewire.runtime.column_types import Declared
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.json.codec import ColumnFacts
from tidewire.runtime.tables.description import DescribedTable


class KnownColumns:
    """What is known of the columns of a table, by name.

    Attributes:
        columns: as rows have them.
        defaults: of each, None for none.
        described: its description; None: nothing is known of it.
    """

    def __init__(self, described: DescribedTable | None) -> None:
        """
        Args:
            described: the table; None: nothing is known of it.
        """
        rows = () if described is None else described.row_columns()
        self.described = described
        self.columns = {one.name: one for one in rows}
        self.defaults = {} if described is None else {one.name: one.default for one in described.columns}

    def facts(self, column: Column, declared: Callable[[str], Declared], nullable: int) -> ColumnFacts:
        """What a codec can depend on besides the type of a column.

        Args:
            column: of a row.
            declared: takes a declared type apart.
            nullable: the flag of a column that can be NULL.

        Raises:
            EncodeError: what it is declared as is no type.
        """
        known = self.columns.get(column.name)
        can_be_null = bool((column if known is None else known).flags & nullable)
        # a description may leave out what the column itself is declared with
        texts = [one.mysql_type for one in (known, column) if one is not None and one.mysql_type is not None]
        try:
            said = [declared(text) for text in texts]
        except ValueError as error:
            reason = f"its declared type cannot be read: {error}; give one that TiDB has, or none"
            raise EncodeError("events", None, column.name, reason) from None
        labels = next((one.members for one in said if one.members), ())
        length = next((one.length for one in said if one.length is not None), None)
        decimals = next((one.decimals for one in said if one.decimals is not None), None)
        return ColumnFacts(labels, length, decimals, decimals, can_be_null)
