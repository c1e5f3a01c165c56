"""The facts that tasks report when they stage a micro-batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pyspark.sql.types import StringType, StructField, StructType

from tidewire.spark.sync.changelog import DeadLetter, StagedRows, table_name

FACTS = StructType([StructField("kind", StringType()), StructField("fact", StringType())])
"""The schema of a task's output: each fact is JSON."""


class SeenStatement(NamedTuple):
    """A DDL statement from a message."""

    ts: int
    schema: str
    table: str
    query: str
    type: int | None
    """TiDB's DDL type code; None if the protocol does not carry it."""
    kind: str | None
    """The statement class of Canal-JSON, which it carries instead."""
    topic: str
    partition: int
    offset: int


@dataclass
class Facts:
    """The facts reported by the tasks of a job."""

    rows: list[StagedRows] = field(default_factory=list)
    watermarks: dict[str, dict[int, int]] = field(default_factory=dict)
    statements: list[SeenStatement] = field(default_factory=list)
    dead: list[DeadLetter] = field(default_factory=list)
    letters: dict[str, int] = field(default_factory=dict)
    unmergeable: dict[str, tuple[int, str]] = field(default_factory=dict)
    missed: dict[str, tuple[str, int]] = field(default_factory=dict)
    descriptions: dict[str, Any] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)
    away: str = ""
    """Why a schema is unavailable: the registry does not answer. The other facts are invalid then."""
    messages: int = 0
    first: dict[str, dict[int, int]] = field(default_factory=dict)
    least: dict[str, dict[int, int]] = field(default_factory=dict)
    """The smallest watermark of each partition."""

    def take(self, kind: str, fact: Any) -> None:
        """Adds a fact from a task."""
        if kind == "rows":
            self.rows.append(StagedRows(*fact))
        elif kind == "watermark":
            topic, partition, ts = fact
            of = self.watermarks.setdefault(topic, {})
            of[partition] = max(ts, of.get(partition, 0))
        elif kind in ("first", "least"):
            topic, partition, number = fact
            of = (self.first if kind == "first" else self.least).setdefault(topic, {})
            of[partition] = min(number, of.get(partition, number))
        elif kind == "statement":
            self.statements.append(SeenStatement(*fact))
        elif kind == "dead":
            self.dead.append(DeadLetter(*fact))
        elif kind == "letters":
            path, count = fact
            self.letters[path] = count
        elif kind == "unmergeable":
            name, ts, lacks = fact
            if name not in self.unmergeable or ts < self.unmergeable[name][0]:
                self.unmergeable[name] = ts, lacks
        elif kind == "missed":
            name, topic, partition = fact
            self.missed.setdefault(name, (topic, partition))
        elif kind == "description":
            version = "" if fact.get("version") is None else f"@{fact['version']}"
            self.descriptions.setdefault(table_name(fact.get("schema") or "", fact["table"]) + version, fact)
        elif kind == "waiting":
            self.waiting.append(fact)
        elif kind == "away":
            self.away = fact
        else:
            self.messages += fact

    def add(self, other: Facts, counted: bool) -> None:
        """Adds the facts of another job."""
        self.rows += other.rows
        self.dead += other.dead
        self.letters |= other.letters
        self.statements += other.statements
        self.missed = {**other.missed, **self.missed}
        self.away = self.away or other.away
        for name, (ts, lacks) in other.unmergeable.items():
            self.take("unmergeable", (name, ts, lacks))
        for topic, each in other.watermarks.items():
            for partition, ts in each.items():
                self.take("watermark", (topic, partition, ts))
        if counted:
            self.messages += other.messages
