"""Staged files that become files of a history as they are, instead of being read and written again."""

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
"""Rows of which the driver looks at the keys; more are copied by Spark, which drops what came twice."""


def adoptable(state: str, files: Sequence[StagedRows], lo: int, hi: int, columns: Sequence[Column]) -> list[str] | None:
    """The paths of staged files that have all changes between two commit timestamps, each once and nothing else, in
    columns of the table; None where they have to be copied.

    What keeps them from it: rows of several tables in a file, rows before or behind, a row that came again, rows
    without a key, which nothing tells from one that came again, and columns that the table has otherwise.

    Args:
        state: where they are.
        files: of one table.
        lo, hi: the first commit ts, and the first that is too late.
        columns: of the history.
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
    """Whether no two rows of these files have the same key, commit ts and rank."""
    tables = [parquet.read_table(path, columns=list(names)) for path in paths]
    if any(one.schema != tables[0].schema for one in tables):
        return False
    rows: Any = pa.concat_tables(tables)
    return bool(rows.group_by(list(names)).aggregate([]).num_rows == rows.num_rows)
