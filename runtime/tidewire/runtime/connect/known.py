"""What an encoder knows about columns: labels, length and digits, from declared types and table descriptions."""

from __future__ import annotations

from collections.abc import Callable

from tidewire.runtime.batch import Column
from tidewire.runtime.column_types import Declared
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.tables.description import DescribedTable
from tidewire.runtime.wire.value_codec import ColumnFacts


class KnownColumns:
    """The columns of a table, by name, with their types and defaults.

    Attributes:
        columns: columns as rows have them.
        defaults: default of each column; None: it has none.
        described: description of the table; None: unknown.
    """

    def __init__(self, described: DescribedTable | None) -> None:
        """
        Args:
            described: description of the table; None: unknown.
        """
        rows = () if described is None else described.row_columns()
        self.described = described
        self.columns = {one.name: one for one in rows}
        self.defaults = {} if described is None else {one.name: one.default for one in described.columns}

    def facts(self, column: Column, declared: Callable[[str], Declared], nullable: int) -> ColumnFacts:
        """The facts of a column that select its codec.

        Args:
            declared: parses a declared type.
            nullable: flag of nullable columns.

        Raises:
            EncodeError: its declared type cannot be parsed.
        """
        known = self.columns.get(column.name)
        can_be_null = bool((column if known is None else known).flags & nullable)
        # the description may lack parameters that the column's own declared type has
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
