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
from tidewire.runtime.batch import Column, Layout
from tidewire.spark.arrow_types import target_of
from tidewire.spark.sync.shapes import Shape, ShapeColumn

_TELLING = int(ColumnFlag.BINARY | ColumnFlag.UNSIGNED)
_AS_THEY_ARE = {"string": pa.utf8(), "binary": pa.binary(), "bigint": pa.int64(), "double": pa.float64()}
"""The Arrow storage of values that need no conversion to a Spark type."""


def misfits(
    layouts: Iterable[Layout], tables: Collection[int], shape: Callable[[Layout], Shape], options: ReadOptions
) -> set[int]:
    """The tables with a value that does not fit, possibly including tables in which only an old image has one.

    Args:
        layouts: of a batch.
        tables: the tables to check.
        shape: gives the shape of a layout's rows; a shape without columns is skipped.
        options: how values are converted.
    """
    groups: dict[Any, tuple[Column, ShapeColumn, list[pa.Array], list[int]]] = {}
    for layout in layouts:
        if layout.table not in tables or not layout.num_rows:
            continue
        for column, own, array in zip(layout.columns, shape(layout).columns, layout.arrays, strict=False):
            if _AS_THEY_ARE.get(own.type) == array.type:
                continue
            key = column.type, column.flags & _TELLING, array.type, own.type
            _, _, arrays, of = groups.setdefault(key, (column, own, [], []))
            arrays.append(array)
            of.append(layout.table)
    found: set[int] = set()
    for column, own, arrays, of in groups.values():
        try:
            convert = converter(column, arrays[0].type, target_of(own.kind), options.timezone).convert
        except SchemaError:
            found.update(of)
            continue
        states = convert(arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)).states
        bad = None if states is None else pc.indices_nonzero(lost(states, options)).to_pylist()
        if bad:
            ends = list(accumulate(len(array) for array in arrays))
            found.update(of[bisect_right(ends, row)] for row in bad)
    return found
