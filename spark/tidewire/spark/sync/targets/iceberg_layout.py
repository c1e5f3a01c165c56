"""Changes columns of an Iceberg table, and keeps the user's partitions and sort order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tidewire.spark.sync.targets.iceberg_files import keep_names, mapping_of
from tidewire.spark.sync.targets.shapes import Column, Shape, TargetError, found

STORED = {"tinyint": "int", "smallint": "int"}
"""Types that Iceberg lacks, and the types that it stores them as."""


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


def reshape(jvm: Any, table: str, tx: Any, before: Sequence[Column], shape: Shape) -> None:
    """Changes the columns of a table, in a transaction.

    Args:
        jvm: the Java packages.
        table: its name.
        tx: the transaction.
        before: its columns before.
        shape: its columns after.
    """

    def type_of(type: str) -> Any:
        schema = jvm.org.apache.spark.sql.types.StructType.fromDDL(f"c {type}")
        return jvm.org.apache.iceberg.spark.SparkSchemaUtil.convert(schema).findType("c")

    mapping = mapping_of(tx.table())
    stay = {one.before for one in shape.columns if one.before is not None}
    gone = [one.name for one in before if one.name not in stay]
    check_partitions(table, tx.table(), gone, {one.name: one.before for one in shape.columns})
    order = Order(jvm.org.apache.iceberg, tx, gone)
    update = tx.updateSchema().caseSensitive(False)
    for name in gone:
        update.deleteColumn(name)
    update.commit()
    # one after the other, as a column cannot take a name in the same update that frees it
    update = tx.updateSchema().caseSensitive(False)
    for made in shape.columns:
        old = None if made.before is None else found(before, made.before)
        if old is not None and old.type != STORED.get(made.type, made.type):
            update.updateColumn(old.name, type_of(made.type))
        if old is not None and old.name != made.name:
            update.renameColumn(old.name, made.name)
    update.commit()
    update = tx.updateSchema().caseSensitive(False)
    for made in shape.columns:
        if made.before is None:
            update.addColumn(None, made.name, type_of(made.type))
    update.commit()
    order.put_back({one.of: one.name for one in shape.columns if one.of is not None})
    keep_names(tx, mapping)
