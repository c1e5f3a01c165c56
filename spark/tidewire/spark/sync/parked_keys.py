"""Keys that wait because one of their rows cannot be read. A later row is complete and ends the wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql.types import StructType

from tidewire.spark.sync.changelog import Manifest, Outcome, StagedRows, TargetTable
from tidewire.spark.sync.plan import Apply, TablesPlan
from tidewire.spark.sync.reading import changes, columns_of, ended_keys
from tidewire.spark.sync.shapes import Shape
from tidewire.spark.sync.steps import Steps


def with_ended(
    steps: Steps,
    manifest: Manifest,
    plan: TablesPlan,
    outcomes: dict[str, Outcome],
    rows: Callable[[], Sequence[StagedRows]],
    everything: bool,
) -> dict[str, Outcome]:
    """The outcomes, with the keys that no longer wait.

    Args:
        steps: the steps of the synchronisation, which read staged rows.
        manifest: the applied manifest.
        outcomes: the results of the plan.
        rows: returns the entries of staged files.
        everything: whether to check all rows, as after a crash; otherwise those of the plan.
    """
    for number, outcome in outcomes.items():
        table = manifest.tables[number]
        if not table.keys or steps.order or steps.rules.history(table.name):
            continue
        spans = [one.lo for one in plan.steps.get(number, ()) if isinstance(one, Apply)]
        if spans or everything:
            ended = _ended(steps, manifest, table, rows(), 0 if everything else spans[0], outcome.reached.ts)
            outcomes[number] = outcome._replace(ended=ended)
    return outcomes


def _ended(
    steps: Steps, manifest: Manifest, table: TargetTable, files: Sequence[StagedRows], lo: int, hi: int
) -> tuple[str, ...]:
    """The parked keys with a row in the span that is later than their last unreadable row."""
    last = {key: table.waiting(key)[-1] for key in table.keys}
    lo = max(lo, min(last.values()))
    mine = [one for one in files if one.table == table.name and one.hi > lo and one.lo < hi and _whole(one)]
    if not mine:
        return ()
    every = columns_of(mine, keys_only=True)
    keys = [field for field in every if field.metadata["handle_key"]]
    found = changes(
        steps.spark,
        steps.protocol,
        steps.options,
        steps.state,
        table.name,
        StructType(keys),
        mine,
        lo,
        hi,
        descriptions=manifest.descriptions,
        passed_over=every.names,
    )
    return tuple(sorted(ended_keys(steps.spark, found, last)))


def _whole(rows: StagedRows) -> bool:
    """Whether rows can be merged; otherwise they park their table."""
    shape = Shape.parse(rows.shape)
    return bool(shape.keys) and not shape.lacks
