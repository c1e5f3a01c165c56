"""Adds replayed rows to history tables whose position is already beyond them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import cast

from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from tidewire.reading.types import SchemaError
from tidewire.spark.sync.changelog import Manifest, Outcome, StagedRows, StateError
from tidewire.spark.sync.equal_rows import NTH
from tidewire.spark.sync.named import spans_of
from tidewire.spark.sync.reading import changes
from tidewire.spark.sync.shapes import METADATA
from tidewire.spark.sync.steps import Steps
from tidewire.spark.sync.targets import TargetError
from tidewire.spark.sync.targets.shapes import quoted


def add_replayed(steps: Steps, manifest: Manifest, rows: Iterable[StagedRows], outcomes: Mapping[str, Outcome]) -> None:
    """Adds replayed rows to history tables whose position is beyond them. Rows already there are left out, so that a
    repetition changes nothing.

    Args:
        steps: the steps of the synchronisation, which write tables.
        manifest: the newest.
        rows: entries of staged files with the rows of replayed messages.
        outcomes: of applying the manifest, by table id.

    Raises:
        StateError: a history table cannot take them.
    """
    of: dict[str, list[StagedRows]] = {}
    for one in rows:
        of.setdefault(one.table, []).append(one)
    for number, table in manifest.tables.items():
        writes = steps if steps.rules.history(table.name) else steps.beside
        if writes is None:
            continue
        reached = outcomes[number].reached if number in outcomes else table.applied
        for name, lo, hi in spans_of(table):
            hi = min(hi, reached.ts)
            files = [one for one in of.get(name, ()) if one.lo < hi and one.hi >= lo]
            if files:
                try:
                    _added(writes, manifest, number, name, files, lo, hi)
                except (SchemaError, TargetError) as error:
                    raise StateError(f"rows cannot be added to the history of {name}: {error}") from error


def _added(steps: Steps, manifest: Manifest, number: str, name: str, files: list[StagedRows], lo: int, hi: int) -> None:
    table = steps.table(number, manifest.tables[number])
    at = None if table is None else table.position()
    if table is None or at is None:
        return
    own = [one for one in table.columns() or () if one.name.lower() not in METADATA]
    columns = cast(StructType, StructType.fromDDL(", ".join(f"{quoted(one.name)} {one.type}" for one in own)))
    lo = max(lo, min(one.lo for one in files))
    found = changes(
        table.spark,
        steps.protocol,
        steps.options,
        steps.state,
        name,
        columns,
        files,
        lo,
        hi,
        descriptions=manifest.descriptions,
        merge=False,
        nth=True,
    )
    found = found.dropDuplicates().drop(NTH)
    there = table.read(table.version()).where(F.col("_commit_version").between(lo, hi - 1))
    same = [F.col(f"n.{quoted(one)}").eqNullSafe(F.col(f"t.{quoted(one)}")) for one in found.columns]
    new = found.alias("n").join(there.alias("t"), reduce(lambda one, other: one & other, same), "left_anti")
    if not new.isEmpty():
        table.append(new, at, at)
