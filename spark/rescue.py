"""What a row has beside the schema that was given for its table."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.mysql import ColumnType
from tidewire.runtime.arrow.literals import constant
from tidewire.runtime.batch import Column, Layout
from tidewire.spark.kernels.variant import ARROW_TYPE
from tidewire.spark.variants import objects

ABSENT = "_absent"
"""The member that names the columns of the schema that a row does not have."""


def rescued(
    layout: Layout, left: Sequence[int], refused: Sequence[tuple[int, pa.Array]], absent: Sequence[str]
) -> pa.Array:
    """An object of column names and values for each row of a layout, as VARIANT; null where there is nothing to keep.

    Args:
        layout: the rows.
        left: places of columns that the schema lacks.
        refused: places of columns with values that the schema cannot hold, and in which rows: bool.
        absent: columns of the schema that the rows do not have.
    """
    code = pa.repeat(constant(0, pa.int64()), layout.num_rows)
    for _, rows in refused:
        # which of the columns are refused, as a number that stays below that of the rows
        code = pc.add(pc.multiply(code, constant(2, pa.int64())), rows.cast(pa.int64()))
        code = code.dictionary_encode().indices.cast(pa.int64())
    parts, order = [], []
    for one in pc.unique(code):
        members = pc.indices_nonzero(pc.equal(code, one))
        first = members[0].as_py()
        places = [*left, *(place for place, rows in refused if rows[first].as_py())]
        order.append(members)
        parts.append(_objects(layout, places, members, absent))
    if len(parts) < 2:
        return parts[0] if parts else pa.nulls(0, ARROW_TYPE)
    return pa.concat_arrays(parts).take(pc.array_sort_indices(pa.concat_arrays(order)))


def _objects(layout: Layout, places: Sequence[int], members: pa.Array, absent: Sequence[str]) -> pa.Array:
    count = len(members)
    if not places and not absent:
        return pa.nulls(count, ARROW_TYPE)
    whole = count == layout.num_rows
    columns = [layout.columns[place] for place in places]
    arrays = [layout.arrays[place] if whole else layout.arrays[place].take(members) for place in places]
    if absent:
        name = ABSENT
        while any(column.name == name for column in columns):
            name = "_" + name
        columns.append(Column(name, ColumnType.VARCHAR, 0))
        arrays.append(pa.repeat(constant(", ".join(absent), pa.utf8()), count))
    return objects([Layout(layout.table, tuple(columns), arrays, count)])
