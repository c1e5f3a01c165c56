"""The rescued-data column: values of a row that do not fit the schema of its table."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.mysql import ColumnType
from tidewire.reading.types import VARIANT
from tidewire.runtime.arrow.literals import constant
from tidewire.runtime.batch import Column, Layout
from tidewire.spark.variants import objects

ABSENT = "_absent"
"""The member that lists the schema's columns that a row lacks."""


def rescued(
    layout: Layout, left: Sequence[int], refused: Sequence[tuple[int, pa.Array]], absent: Sequence[str]
) -> pa.Array:
    """For each row of a layout, a VARIANT object from column name to rescued value; null if there is nothing to rescue.

    Args:
        left: positions of columns that the schema lacks.
        refused: positions of columns with values that the schema cannot hold, and a bool array of the rows concerned.
        absent: columns of the schema that the rows lack.
    """
    code = pa.repeat(constant(0, pa.int64()), layout.num_rows)
    for _, rows in refused:
        # each row's set of refused columns is encoded as a number; sets are renumbered so that numbers stay below the
        # number of rows
        code = pc.add(pc.multiply(code, constant(2, pa.int64())), rows.cast(pa.int64()))
        code = code.dictionary_encode().indices.cast(pa.int64())
    parts, order = [], []
    for one in pc.unique(code):
        members = pc.indices_nonzero(pc.equal(code, one))
        first = members[0].as_py()
        positions = [*left, *(position for position, rows in refused if rows[first].as_py())]
        order.append(members)
        parts.append(_objects(layout, positions, members, absent))
    if len(parts) < 2:
        return parts[0] if parts else pa.nulls(0, VARIANT)
    return pa.concat_arrays(parts).take(pc.array_sort_indices(pa.concat_arrays(order)))


def _objects(layout: Layout, positions: Sequence[int], members: pa.Array, absent: Sequence[str]) -> pa.Array:
    count = len(members)
    if not positions and not absent:
        return pa.nulls(count, VARIANT)
    whole = count == layout.num_rows
    columns = [layout.columns[position] for position in positions]
    arrays = [layout.arrays[position] if whole else layout.arrays[position].take(members) for position in positions]
    if absent:
        name = ABSENT
        while any(column.name == name for column in columns):
            name = "_" + name
        columns.append(Column(name, ColumnType.VARCHAR, 0))
        arrays.append(pa.repeat(constant(", ".join(absent), pa.utf8()), count))
    return objects([Layout(layout.table, tuple(columns), arrays, count)])
