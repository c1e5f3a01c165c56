"""Equal rows of one transaction in a table without a key: numbers them, so that each is kept and replays are not.

A delivery contains a whole transaction in one partition, in order, so that a replay numbers its rows alike. Where the
commit ts decreases within a task, another delivery begins.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from tidewire.runtime.arrow.literals import column_of, constant

NTH = "_tidewire_nth"
"""An extra column in files of rows without a key: how many equal rows of the same commit ts came before."""


def nth_of_equals(rows: pa.Table, version: str) -> pa.Array:
    """int32: for each row, how many equal rows precede it in the same delivery.

    Args:
        rows: in the order of their messages.
        version: the column with their commit ts.
    """
    names = rows.column_names
    distinct = rows.group_by(names, use_threads=False).aggregate([]).num_rows
    if distinct == rows.num_rows:
        return pa.repeat(constant(0, pa.int32()), rows.num_rows)
    at = names.index(version)
    seen: dict[tuple[Any, ...], int] = {}
    found = []
    last = None
    for row in zip(*(rows.column(name).to_pylist() for name in names), strict=True):
        if last is not None and row[at] < last:
            seen.clear()
        last = row[at]
        nth = seen.get(row, 0)
        seen[row] = nth + 1
        found.append(nth)
    return column_of(found, pa.int32())
