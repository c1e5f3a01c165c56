"""Tables as messages, saved files and SQL statements describe them, apart from their rows."""
# Generated from spec/events.yaml and spec/mysql_types.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.events import Bootstrap, Events
from tidewire.mysql import TYPES
from tidewire.names import BINARY, HANDLE_KEY, GENERATED, PRIMARY_KEY, UNIQUE_KEY, MULTIPLE_KEY, NULLABLE, UNSIGNED
from tidewire.runtime import require_api
from tidewire.runtime.tables import ColumnDescription, DescribedTable, IndexDescription
from tidewire.runtime.tables.facts import TypesOfTables
from tidewire.runtime.tables.store import DescribedTables

require_api(1)

__all__ = ['ColumnDescription', 'IndexDescription', 'TableDescription', 'TableStore']

_TYPES: Final = TypesOfTables(
    TYPES,
    {
        "BINARY": BINARY,
        "HANDLE_KEY": HANDLE_KEY,
        "GENERATED": GENERATED,
        "PRIMARY_KEY": PRIMARY_KEY,
        "UNIQUE_KEY": UNIQUE_KEY,
        "MULTIPLE_KEY": MULTIPLE_KEY,
        "NULLABLE": NULLABLE,
        "UNSIGNED": UNSIGNED,
    },
)


class TableDescription(DescribedTable):
    __doc__ = DescribedTable.__doc__
    __slots__ = ()
    TYPES = _TYPES


class TableStore(DescribedTables[TableDescription]):
    __doc__ = DescribedTables.__doc__
    DESCRIPTION = TableDescription
    VIEW = Events
    DESCRIBING = ("table_before", "table_after")

    @staticmethod
    def event(table: TableDescription) -> Bootstrap:
        """The event that describes a table."""
        return Bootstrap(
            commit_ts=0,
            schema=table.schema,
            table=table.table,
            table_id=table.id,
            table_after=table,
        )
