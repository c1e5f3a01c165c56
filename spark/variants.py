"""Row images, and the columns that describe them, as VARIANT."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.mysql import storage
from tidewire.runtime.batch import Layout
from tidewire.runtime.variant import ARROW_TYPE, Objects
from tidewire.spark.typed import is_text


def objects(layouts: Sequence[Layout]) -> pa.Array:
    """The rows of some layouts, one layout after the other, as VARIANT objects of column names and values."""
    parts = []
    for layout in layouts:
        if layout.num_rows:
            mixed = {
                at: is_text(array).cast(pa.uint8())
                for at, (column, array) in enumerate(zip(layout.columns, layout.arrays, strict=True))
                if array.type == pa.binary() and storage(column.type, column.flags) == "text"
            }
            names = [column.name for column in layout.columns]
            parts.append(Objects(names, layout.arrays, layout.num_rows, mixed).struct())
    return pa.concat_arrays(parts) if parts else pa.nulls(0, ARROW_TYPE)


class Rows:
    """The rows of some layouts as VARIANT objects, addressed by layout and row."""

    def __init__(self, layouts: Sequence[Layout]) -> None:
        bases, rows = [], 0
        for layout in layouts:
            bases.append(rows)
            rows += layout.num_rows
        self._bases = pa.array(bases, pa.int64())
        self._values = objects(layouts)

    def take(self, layout: pa.Array, row: pa.Array) -> pa.Array:
        """One object for each pair; null where the row is -1."""
        there = pc.greater_equal(row, pa.scalar(0, row.type))
        at = pc.add(self._bases.take(pc.if_else(there, layout, pa.scalar(None, layout.type))), row)
        return self._values.take(at)
