"""Row images, and the columns that describe them, as VARIANT."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.mysql import storage
from tidewire.reading.typed import is_text
from tidewire.reading.types import VARIANT
from tidewire.runtime.arrow.literals import column_of, constant
from tidewire.runtime.batch import Column, Layout
from tidewire.spark.kernels.variant import Objects, dictionary


def objects(layouts: Sequence[Layout]) -> pa.Array:
    """The rows of some layouts, one layout after the other, as VARIANT objects from column name to value."""
    parts = []
    for layout in layouts:
        if layout.num_rows:
            mixed = {
                at: is_text(array).cast(pa.uint64())
                for at, (column, array) in enumerate(zip(layout.columns, layout.arrays, strict=True))
                if array.type == pa.binary() and storage(column.type, column.flags) == "text"
            }
            names = [column.name for column in layout.columns]
            parts.append(Objects(names, layout.arrays, layout.num_rows, mixed).struct())
    return pa.concat_arrays(parts) if parts else pa.nulls(0, VARIANT)


class VariantRows:
    """The rows of some layouts as VARIANT objects, addressed by layout and row."""

    def __init__(self, layouts: Sequence[Layout]) -> None:
        bases, rows = [], 0
        for layout in layouts:
            bases.append(rows)
            rows += layout.num_rows
        self._bases = column_of(bases, pa.int64())
        self._values = objects(layouts)

    def take(self, layout: pa.Array, row: pa.Array) -> pa.Array:
        """The object for each pair of layout and row; null if the row is -1."""
        there = pc.greater_equal(row, constant(0, row.type))
        at = pc.add(self._bases.take(pc.if_else(there, layout, constant(None, layout.type))), row)
        return self._values.take(at)


@lru_cache(maxsize=1024)
def describe(columns: tuple[Column, ...]) -> tuple[bytes, bytes]:
    """Value and metadata of a VARIANT array of objects {name, type, flags}, with mysql_type if any column has one."""
    members = {
        "name": column_of([column.name for column in columns], pa.utf8()),
        "type": column_of([column.type for column in columns], pa.int64()),
        "flags": column_of([column.flags for column in columns], pa.uint64()),
    }
    if any(column.mysql_type is not None for column in columns):
        members["mysql_type"] = column_of([column.mysql_type for column in columns], pa.utf8())
    objects = Objects(list(members), list(members.values()), len(columns)).struct().field("value").to_pylist()
    total = sum(map(len, objects))
    out = bytearray([3 | (1 << 2 | 3) << 2]) + len(objects).to_bytes(
        4, "little"
    )  # an array with 4-byte counts and offsets
    at = 0
    for value in objects:
        out += at.to_bytes(4, "little")
        at += len(value)
    return bytes(out) + total.to_bytes(4, "little") + b"".join(objects), dictionary([name.encode() for name in members])


def variants(pairs: list[tuple[bytes, bytes]]) -> pa.StructArray:
    """Pairs of value and metadata as a VARIANT column."""
    return pa.StructArray.from_arrays(
        [column_of([value for value, _ in pairs], pa.binary()), column_of([names for _, names in pairs], pa.binary())],
        fields=list(VARIANT),
    )
