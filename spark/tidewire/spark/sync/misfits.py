"""Finds tables with values that their columns cannot hold without making rows of each table: values of all tables that
are converted alike are converted together. Tables whose messages are kept are checked this way, because a row that
cannot be applied must be known before any row of its batch is applied.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.mysql import ColumnFlag
from tidewire.reading.options import ReadOptions
from tidewire.reading.table_rows import lost
from tidewire.reading.typed import converter
from tidewire.reading.types import SchemaError
from tidewire.runtime.arrow.columns import ARROW_TYPES
from tidewire.runtime.batch import Column, Layout
from tidewire.spark.arrow_types import target_of
from tidewire.spark.sync.shapes import Shape, ShapeColumn

_TELLING = int(ColumnFlag.BINARY | ColumnFlag.UNSIGNED)
_AS_THEY_ARE = {"string": pa.utf8(), "binary": pa.binary(), "bigint": pa.int64(), "double": pa.float64()}
"""The Arrow storage of values that need no conversion to a Spark type."""


class _Alike:
    """Values that are converted alike, of columns of some tables.

    Attributes:
        column, own: one of the columns, and its Spark type.
        arrays, tables: the values, and the table of each array.
    """

    def __init__(self, column: Column, own: ShapeColumn) -> None:
        self.column = column
        self.own = own
        self.arrays: list[pa.Array] = []
        self.tables: list[int] = []


def misfits(
    layouts: Iterable[Layout], tables: Collection[int], shape: Callable[[Layout], Shape], options: ReadOptions
) -> set[int]:
    """The tables with a value that does not fit, possibly including tables in which only an old image has one.

    Args:
        layouts: of a batch.
        tables: the tables to check.
        shape: gives the shape of a layout's rows, the same object only for equal columns; a shape without columns is
            skipped.
        options: how values are converted.
    """
    groups: dict[Any, _Alike] = {}
    known: dict[Any, tuple[Shape, list[tuple[int, _Alike]]]] = {}
    """By shape and storages: which columns are converted, and with which others."""
    for layout in layouts:
        if layout.table not in tables or not layout.num_rows:
            continue
        own, storages = shape(layout), layout.storages()
        key = id(own), *storages
        if key not in known:
            known[key] = own, _converted(layout.columns, own, storages, groups)
        if converted := known[key][1]:
            rows = layout.to_batch().to_struct_array()  # whose fields are found without making the batch's schema
            for at, alike in converted:
                alike.arrays.append(rows.field(at))
                alike.tables.append(layout.table)
    found: set[int] = set()
    for alike in groups.values():
        arrays = alike.arrays
        try:
            convert = converter(alike.column, arrays[0].type, target_of(alike.own.kind), options.timezone).convert
        except SchemaError:
            found.update(alike.tables)
            continue
        states = convert(arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)).states
        bad = None if states is None else pc.indices_nonzero(lost(states, options)).to_pylist()
        if bad:
            ends = list(accumulate(len(array) for array in arrays))
            found.update(alike.tables[bisect_right(ends, row)] for row in bad)
    return found


def _converted(
    columns: tuple[Column, ...], own: Shape, storages: list[int], groups: dict[Any, _Alike]
) -> list[tuple[int, _Alike]]:
    """The positions of columns whose values are converted, each with all values that are converted alike."""
    found = []
    for at, (column, of, storage) in enumerate(zip(columns, own.columns, storages, strict=False)):
        kind = ARROW_TYPES[storage]
        if _AS_THEY_ARE.get(of.type) != kind:
            key = column.type, column.flags & _TELLING, kind, of.type
            if key not in groups:
                groups[key] = _Alike(column, of)
            found.append((at, groups[key]))
    return found
