"""Rows below the resolved ts: replays of staged rows, or new rows that contradict a watermark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from tidewire.spark.sync.changelog import Manifest, StagedRows
from tidewire.spark.sync.reading import changes, columns_of
from tidewire.spark.sync.resolved import may_lack_rows
from tidewire.spark.sync.shapes import METADATA
from tidewire.spark.sync.steps import Steps
from tidewire.spark.sync.targets.shapes import quoted


def unknown_rows(
    steps: Steps, new: Sequence[StagedRows], known: Sequence[StagedRows], before: Manifest
) -> Mapping[str, int]:
    """By table, rows of a batch below the resolved ts that were not staged before. Rows older than the kept changelog,
    or of a table that was not always kept, cannot be told from replays, and are not counted.

    Args:
        steps: the steps of the synchronisation, which read staged rows.
        new: entries of the batch's staged files.
        known: entries of files staged before.
        before: the previous manifest.
    """
    lo, hi = before.kept_from, before.resolved
    found: dict[str, int] = {}
    if lo is None:
        return found
    for table in sorted({one.table for one in new if one.late and one.hi >= lo}):
        if may_lack_rows(before, table):
            continue
        files = [[one for one in some if one.table == table and one.hi >= lo and one.lo < hi] for some in (new, known)]
        if not files[0]:
            continue
        every = columns_of([*files[0], *files[1]], keys_only=True)
        keys = [field for field in every if field.metadata["handle_key"]] or list(every)
        late, there = (_rows(steps, table, StructType(keys), every, some, lo, hi, before) for some in files)
        names = [*(field.name for field in keys), *METADATA]
        same = [F.col(f"n.{quoted(one)}").eqNullSafe(F.col(f"k.{quoted(one)}")) for one in names]
        on = reduce(lambda one, other: one & other, same)
        count = late.dropDuplicates().alias("n").join(there.alias("k"), on, "left_anti").count()
        if count:
            found[table] = count
    return found


def _rows(
    steps: Steps,
    table: str,
    keys: StructType,
    every: StructType,
    files: Sequence[StagedRows],
    lo: int,
    hi: int,
    before: Manifest,
) -> DataFrame:
    """The keys of staged rows, with the columns that order them."""
    return changes(
        steps.spark,
        steps.protocol,
        steps.options,
        steps.state,
        table,
        keys,
        files,
        lo,
        hi,
        descriptions=before.descriptions,
        passed_over=every.names,
        merge=False,
    )
