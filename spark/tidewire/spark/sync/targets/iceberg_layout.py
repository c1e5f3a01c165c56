"""The user's partitions and sort order of an Iceberg table when columns change."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from tidewire.spark.sync.targets.shapes import TargetError


def check_partitions(table: str, of: Any, gone: Collection[str], new: Mapping[str, str | None]) -> None:
    """Refuses changes that Iceberg does not support for partition columns, current or in older snapshots: dropping one,
    as no MERGE could be written afterwards, or giving its name to another column.

    Args:
        table: its name.
        of: Iceberg's object for the table.
        gone: columns that are dropped, or whose values are recomputed.
        new: new names of columns, each with the previous name.

    Raises:
        TargetError: it is such a change.
    """
    for spec in of.specs().values():
        for field in spec.fields():
            column = of.schema().findColumnName(field.sourceId())
            if field.transform().isVoid():
                continue
            if column in gone or new.get(field.name(), column) != column:
                raise TargetError(
                    f"table {table} has files partitioned by {field.name()} ({field.transform()} of {column}), so that"
                    f" Iceberg cannot {'change' if column in gone else 'give another column the name of'} it: take the"
                    " partition field off first, and what was written with it, as docs/live-tables-operation.md says"
                )


class Order:
    """The sort order that a table had before its columns changed, in one transaction."""

    def __init__(self, jvm: Any, tx: Any, gone: Collection[str]) -> None:
        """Removes columns to be dropped from the sort order: Iceberg requires that first.

        Args:
            jvm: Iceberg's package.
            tx: the transaction.
            gone: the columns.
        """
        self._jvm = jvm
        self._tx = tx
        now = tx.table()
        fields = [(now.schema().findColumnName(one.sourceId()), one) for one in now.sortOrder().fields()]
        self._fields = fields if any(column in gone for column, _ in fields) else []
        if self._fields:
            self._replace({column: column for column, _ in fields if column not in gone})

    def put_back(self, names: Mapping[str, str]) -> None:
        """Restores the sort order.

        Args:
            names: the current name of each column. A missing column, and a function that does not support a column's
                new type, are left out of the order.
        """
        if self._fields:
            self._replace(names)

    def _replace(self, names: Mapping[str, str]) -> None:
        update = self._tx.replaceSortOrder()
        schema = self._tx.table().schema()
        for column, field in self._fields:
            # by name, as the function object is bound to the column's previous type
            transform = self._jvm.transforms.Transforms.fromString(field.transform().toString())
            if column in names and transform.canTransform(schema.findType(names[column])):
                add = update.asc if field.direction().name() == "ASC" else update.desc
                add(self._jvm.expressions.Expressions.transform(names[column], transform), field.nullOrder())
        update.commit()
