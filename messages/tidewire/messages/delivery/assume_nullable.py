"""Column flags that a protocol does not carry and another one's schemas need."""

from __future__ import annotations

from tidewire.runtime.batch import EventColumns
from tidewire.runtime.batch.layout import Layout
from tidewire.runtime.tables.facts import TypesOfTables


def with_nullable_columns(columns: EventColumns, types: TypesOfTables) -> EventColumns:
    """The events of a protocol that does not carry nullability: all columns are marked nullable, except the handle key.

    Args:
        types: the database's flags.
    """
    nullable, key = types.flag("NULLABLE"), types.flag("HANDLE_KEY")
    layouts = [
        Layout(
            layout.table,
            tuple(one if one.flags & key else one._replace(flags=one.flags | nullable) for one in layout.columns),
            layout.arrays,
            layout.num_rows,
            layout.lacks,
        )
        for layout in columns.layouts
    ]
    return columns.with_columns({}, layouts)
