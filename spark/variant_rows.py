"""The rows of tables whose schema is not known: one VARIANT for each row image."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql.types import StringType, StructField, StructType, VariantType

from tidewire.reading.labels import LABELLED, as_labels, labels_of
from tidewire.reading.message_batch import MessageBatch
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.batch import EventColumns, Layout
from tidewire.spark.images import TableTask
from tidewire.spark.variants import objects

VARIANT_COLUMNS = StructType(
    [
        StructField("schema", StringType(), True, {"comment": "The database."}),
        StructField("table", StringType(), True, {"comment": "The table."}),
        StructField("row", VariantType(), True, {"comment": "The row: an object of column names and values."}),
    ]
)
"""The columns of such a frame, instead of a table's."""


@dataclass(frozen=True)
class VariantRowsTask(TableTask):
    """`mapInArrow`: messages -> rows of one table, or of all (None)."""

    def process(self, messages: MessageBatch, decoded: EventColumns) -> pa.RecordBatch | None:
        images = self.images(messages, decoded)
        if not images.parts and not decoded.errors:
            return None
        columns = dict(images.metadata)
        if images.parts:
            table = images.table()
            for position, name in enumerate(("schema", "table")):
                names = column_of([each[position] for each in decoded.tables], pa.utf8())
                columns[name] = names.take(table)
            parts = images.parts if self.options.enum == "number" else [_labelled(part) for part in images.parts]
            columns["row"] = objects(parts).take(images.image)
        return self.finish(messages, decoded, columns, images.message, images.reasons)


def _labelled(layout: Layout) -> Layout:
    """The same rows with the labels of ENUM and SET, where the wire says them and the number has one."""
    arrays = list(layout.arrays)
    for at, column in enumerate(layout.columns):
        labels = labels_of(column.mysql_type) if column.type in LABELLED and arrays[at].type == pa.uint64() else ()
        made = as_labels(column, arrays[at], labels) if labels else None
        if made is not None and made.states is None:
            arrays[at] = made.array
    return Layout(layout.table, layout.columns, arrays, layout.num_rows, layout.lacks)
