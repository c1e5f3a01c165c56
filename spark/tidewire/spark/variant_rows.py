"""Rows of tables without a known schema: one VARIANT for each row image."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

import pyarrow as pa
from pyspark.sql.types import ArrayType, StringType, StructField, StructType, VariantType

from tidewire.mysql import ColumnFlag
from tidewire.reading.labels import LABELLED, as_labels, labels_of
from tidewire.reading.message_batch import MessageBatch
from tidewire.runtime.arrow.literals import column_of, constant
from tidewire.runtime.batch import EventColumns, Layout
from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.images import TableTask
from tidewire.spark.variants import objects

VARIANT_COLUMNS = StructType(
    [
        StructField("schema", StringType(), True, {"comment": "The database."}),
        StructField("table", StringType(), True, {"comment": "The table."}),
        StructField("row", VariantType(), True, {"comment": "The row: an object of column names and values."}),
        StructField("key", ArrayType(StringType(), True), True, {"comment": "The columns of the row's handle key."}),
    ]
)
"""The columns of a frame with schema "variant", in place of a table's columns."""
KEY = pa.field("key", pa.list_(pa.field("element", pa.utf8())))
"""The column `key` as an Arrow field."""


def variant_schema(full: StructType, kept: Collection[str] = ()) -> pa.Schema:
    """The Arrow schema of a frame with schema "variant"; kept columns may have any type."""
    found = arrow_schema(full, [*kept, KEY.name])
    return found.set(found.get_field_index(KEY.name), KEY)


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
            of_rows = [pa.repeat(constant(at, pa.int32()), part.num_rows) for at, part in enumerate(images.parts)]
            columns[KEY.name] = _keys(images.parts).take(pa.concat_arrays(of_rows).take(images.image))
        return self.finish(messages, decoded, columns, images.message, images.reasons)


def _keys(layouts: Sequence[Layout]) -> pa.Array:
    """By layout, the column names of its handle key."""
    names = [[one.name for one in layout.columns if one.flags & ColumnFlag.HANDLE_KEY] for layout in layouts]
    ends = column_of([0, *accumulate(map(len, names))], pa.int32())
    return pa.ListArray.from_arrays(ends, column_of([*chain.from_iterable(names)], pa.utf8()), type=KEY.type)


def _labelled(layout: Layout) -> Layout:
    """The same rows with the labels of ENUM and SET, if the messages carry them and the number has one."""
    arrays = list(layout.arrays)
    for at, column in enumerate(layout.columns):
        labels = labels_of(column.mysql_type) if column.type in LABELLED and arrays[at].type == pa.uint64() else ()
        made = as_labels(column, arrays[at], labels) if labels else None
        if made is not None and made.states is None:
            arrays[at] = made.array
    return Layout(layout.table, layout.columns, arrays, layout.num_rows, layout.lacks)
