"""How rows of an Iceberg table lie in its files, by partitions and an order that people chose, when columns change."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from tidewire.spark.sync.targets.shapes import TargetError


def check_partitions(table: str, of: Any, gone: Collection[str], new: Mapping[str, str | None]) -> None:
    """Refuses what Iceberg cannot do to a table that is partitioned by its columns, or was and has snapshots of then:
    it lets no column go, as no MERGE could be written any more, and no other column take its name.

    Args:
        table: its name.
        of: Iceberg's own object.
        gone: columns that go, or whose values are made anew.
        new: names that columns get, and what each was called before.

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
    """The order that a table had before its columns changed, in one transaction."""

    def __init__(self, jvm: Any, tx: Any, gone: Collection[str]) -> None:
        """Takes off what is of columns that go: Iceberg lets them go only then.

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
        """Orders rows as before.

        Args:
            names: what each column is called now. By one that is not there, and by a function that takes no values of
                the type that a column has now, rows are ordered no longer.
        """
        if self._fields:
            self._replace(names)

    def _replace(self, names: Mapping[str, str]) -> None:
        update = self._tx.replaceSortOrder()
        schema = self._tx.table().schema()
        for column, field in self._fields:
            # by its name, as the function itself is one for the type that the column had
            transform = self._jvm.transforms.Transforms.fromString(field.transform().toString())
            if column in names and transform.canTransform(schema.findType(names[column])):
                add = update.asc if field.direction().name() == "ASC" else update.desc
                add(self._jvm.expressions.Expressions.transform(names[column], transform), field.nullOrder())
        update.commit()
