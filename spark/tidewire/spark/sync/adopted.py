"""Staged files that become files of a history table unchanged, instead of being read and rewritten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from tidewire.spark.sync.changelog import StagedRows
from tidewire.spark.sync.shapes import METADATA, Shape
from tidewire.spark.sync.staged_files import ROWS, full, holds
from tidewire.spark.sync.targets import Column

MOST_CHECKED = 2_000_000
"""The most rows whose keys the driver compares. More rows are copied by Spark, which drops duplicates."""


def adoptable(state: str, files: Sequence[StagedRows], lo: int, hi: int, columns: Sequence[Column]) -> list[str] | None:
    """The paths of staged files that together have exactly the changes between two commit timestamps, each once, in
    columns of the table; None if the rows must be copied.

    They must be copied if a file has rows of several tables, rows outside the span, duplicate rows, rows without a key
    (which cannot be told from duplicates), or columns that differ from the table's.

    Args:
        state: the folder of the state.
        files: staged files of one table.
        lo, hi: the commit timestamps: from `lo`, below `hi`.
        columns: of the history table.
    """
    if "://" in state or sum(one.rows for one in files) > MOST_CHECKED:
        return None
    there = {one.name: one.type for one in columns}
    keys: set[tuple[str, ...]] = set()
    for one in files:
        shape = Shape.parse(one.shape)
        if holds(one.path) != ROWS or one.lo < lo or one.hi >= hi or not shape.keys:
            return None
        if any(there.get(column.name) != column.type for column in shape.columns):
            return None
        keys.add(tuple(sorted(column.name for column in shape.keys)))
    if len(keys) != 1:
        return None
    paths = [full(state, one.path) for one in files]
    return paths if _each_once(paths, (*keys.pop(), *METADATA[1:])) else None


def _each_once(paths: Sequence[str], names: Sequence[str]) -> bool:
    """Whether all rows of these files differ in key, commit ts and rank."""
    tables = [parquet.read_table(path, columns=list(names)) for path in paths]
    if any(one.schema != tables[0].schema for one in tables):
        return False
    rows: Any = pa.concat_tables(tables)
    return bool(rows.group_by(list(names)).aggregate([]).num_rows == rows.num_rows)
