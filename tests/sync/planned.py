"""Batches of a topic, planned and carried out without Spark."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tidewire.spark.sync.changelog import (
    Action,
    FileList,
    Manifest,
    Outcome,
    Position,
    Source,
    Staged,
    StagedRows,
    Statement,
)
from tidewire.spark.sync.plan import TablesPlan, plan
from tidewire.spark.sync.resolved import advance
from tidewire.spark.sync.rules import DEFAULT, Rules

PARTITIONS = {"t": [0, 1]}


class Topic:
    """Batches one after the other, and where tables are after each."""

    def __init__(self, rules: Rules = DEFAULT) -> None:
        self.rules = rules
        self.manifest = Manifest(Source("t", "any"))
        self.rows: list[StagedRows] = []
        self.where: dict[str, Position] = {}
        self.outcomes: dict[str, Outcome] = {}

    def batch(
        self, watermark: int, *rows: tuple[str, int, int] | tuple[str, int, int, str], **staged: Any
    ) -> TablesPlan:
        """A batch with rows of tables between two commit timestamps; its plan, which is done at once."""
        number = self.manifest.batch + 1
        files = [
            StagedRows(table, f"{number}-{i}", 1, lo, hi, 0, *shape) for i, (table, lo, hi, *shape) in enumerate(rows)
        ]
        pending = tuple(one for one in self.rows if one.hi >= self.manifest.resolved)
        self.rows += files
        listed = FileList(str(number), min(one.lo for one in files), max(one.hi for one in files), 1) if files else None
        marks = {"t": {0: watermark, 1: watermark}} if watermark else {}
        letters = Counter(one.path for one in staged.get("dead", ()))
        given = {"watermarks": marks, "outcomes": self.outcomes, "letters": letters, "pending": pending, **staged}
        partitions = given.pop("partitions", PARTITIONS)
        self.manifest = advance(self.manifest, Staged(number, tuple(files), listed, **given), partitions, self.rules)
        made = plan(self.manifest, self.rows, self.where, self.rules)
        for table, steps in made.steps.items():
            self.where[table] = steps[-1].to
        self.outcomes = {table: Outcome(at, self.where.get(table)) for table, at in made.reached.items()}
        return made

    def table(self, name: str) -> Any:
        return self.manifest.tables[self.manifest.names[name]]


def said(ts: int, table: str, kind: str, **facts: Any) -> Statement:
    return Statement(ts, table, (Action(kind, tuple(facts.items())),))


def kinds(made: TablesPlan, table: str) -> list[str]:
    """The steps of a table, by what it is called at R."""
    return [type(one).__name__ for one in made.steps.get(made.tables[table], ())]
