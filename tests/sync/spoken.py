"""Histories as messages of a protocol: the driver without Spark applies what staging makes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyarrow import parquet

from sync.driver import Driver
from sync.in_memory import StagedRow
from sync.staged_histories import batch_of, staged, task
from tidewire.spark.sync.changelog import DELETE_RANK, UPSERT_RANK, Manifest, Staged, StagedRows, Statement, table_name
from tidewire.spark.sync.facts import Facts
from tidewire.spark.sync.file_lists import listed
from tidewire.spark.sync.rehearsal.encoded import START, Encoded, sql_of
from tidewire.spark.sync.rehearsal.histories import History
from tidewire.spark.sync.shapes import METADATA
from tidewire.spark.sync.staging import known_by


class Spoken(Driver):
    """One synchronisation of a history in a protocol."""

    def __init__(self, history: History, protocol: str, state: Path) -> None:
        super().__init__(history)
        self.protocol = protocol
        self.state = state
        self.encoded = Encoded(history, protocol)
        self.offset = 0
        self.descriptions: dict[str, Any] = {}
        self.stated = {
            (START + one.ts, text): one
            for items in history.sent
            for one in items
            if isinstance(one, Statement)
            for text in sql_of(one)
        }

    def staged(self, number: int, before: Manifest) -> Staged:
        """What a task hands in that has all partitions of a batch."""
        places: dict[tuple[str, int], tuple[list[bytes | None], list[bytes | None]]] = {}
        for place, key, value in self.encoded.messages(self.history.batches[number]):
            keys, values = places.setdefault(place, ([], []))
            keys.append(key)
            values.append(value)
        resolved = START + before.resolved if before.resolved else 0
        one = task(self.state, self.protocol, resolved=resolved, tables=known_by(self.descriptions))
        facts = staged(one, *(batch_of(*pairs, *place) for place, pairs in places.items())) if places else Facts()
        assert (facts.dead, facts.unmergeable, facts.waiting) == ([], {}, [])
        self.descriptions.update(facts.descriptions)
        rows = [row for each in facts.rows for row in self.rows_of(each)]
        late = {each.table: each.late for each in facts.rows}
        files = self.written(rows, late, number)
        path = f"list-{self.attempt}"
        self.lists[path] = files
        statements = [self.stated[of.ts, of.query] for of in facts.statements]
        for of, statement in zip(facts.statements, statements, strict=True):
            assert table_name(of.schema, of.table) in (statement.table, *self.tables_of(statement))
        return Staged(
            number,
            tuple(files),
            listed(path, files),
            watermarks={
                topic: {partition: ts - START for partition, ts in each.items()}
                for topic, each in facts.watermarks.items()
            },
            statements=tuple(statements),
            outcomes=self.remembered(number, before),
            messages=facts.messages,
        )

    def tables_of(self, statement: Statement) -> list[str]:
        """Tables that a statement names beside its own."""
        return [str(action.get(name)) for action in statement.actions for name in ("old", "new")]

    def rows_of(self, of: StagedRows) -> list[StagedRow]:
        """The rows of a staged file."""
        found: list[StagedRow] = []
        for row in parquet.read_table(self.state / of.path).to_pylist():
            kind, ts, _ = (row.pop(name) for name in METADATA)
            gone = kind == "delete"
            rank = DELETE_RANK if gone else UPSERT_RANK
            found.append((of.table, ts - START, rank, row["id"], None if gone else row, ""))
        return found
