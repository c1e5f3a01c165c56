"""Accounts in N tables that pay each other, as Canal-JSON of some 680 bytes a message, in three partitions."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from demo.broker import Record
from tidewire import canal_json
from tidewire.events import Column, Event, Events, RowChange, Watermark
from tidewire.mysql import ColumnFlag, ColumnType

KEY = ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY
COLUMNS = (
    Column("id", ColumnType.BIGINT, KEY, "bigint"),
    Column("owner", ColumnType.VARCHAR, ColumnFlag.NULLABLE, "varchar(40)"),
    Column("balance", ColumnType.BIGINT, ColumnFlag.NULLABLE, "bigint"),
    Column("amount", ColumnType.DECIMAL, ColumnFlag.NULLABLE, "decimal(12,2)"),
    Column("note", ColumnType.VARCHAR, ColumnFlag.NULLABLE, "varchar(60)"),
    Column("updated", ColumnType.DATETIME, ColumnFlag.NULLABLE, "datetime"),
    Column("seq", ColumnType.INT, ColumnFlag.NULLABLE, "int"),
)
TYPES = {
    "id": "bigint",
    "owner": "string",
    "balance": "bigint",
    "amount": "decimal(12,2)",
    "note": "string",
    "updated": "timestamp_ntz",
    "seq": "int",
}
"""Of a table in Spark."""
PARTITIONS = 3
START = 450_000_000_000 << 18
EVERY = 2_000
"""Events between two watermarks."""
Row = dict[str, Any]


def encoded(streams: Sequence[Sequence[Event]], resolved: int) -> Iterator[Record]:
    """The events of each partition, then a watermark in it, as messages."""
    encoder = canal_json.Encoder(canal_json.Options(enable_tidb_extension=True, content_compatible=True))
    for partition, stream in enumerate(streams):
        values = encoder.encode(Events.of([*stream, Watermark(resolved)]).columns).column("value").to_pylist()
        yield from (Record(partition, None, value) for value in values)


class Workload:
    """So many row changes of so many tables.

    Attributes:
        tables: what is left of each at the end, by name and id.
        resolved: the last watermark.
    """

    def __init__(self, events: int, tables: int, seed: int = 7) -> None:
        self.events = events
        self.names = [f"acct{number:04d}" for number in range(tables)]
        self.tables: dict[str, dict[int, Row]] = {name: {} for name in self.names}
        self.resolved = START
        self._random = random.Random(seed)
        self._sequence = 0

    def records(self) -> Iterator[Record]:
        """The messages."""
        streams: list[list[Event]] = [[] for _ in range(PARTITIONS)]
        ts = START
        for number in range(1, self.events + 1):
            ts += 1 << 18
            change = self._change(ts)
            row = change.new or change.old
            assert row is not None
            streams[(row["id"] + number) % PARTITIONS].append(change)
            if number % EVERY == 0 or number == self.events:
                self.resolved = ts + 1
                yield from encoded(streams, self.resolved)
                for stream in streams:
                    stream.clear()

    def _change(self, ts: int) -> RowChange:
        chance = self._random.random()
        name = self._random.choice(self.names)
        rows = self.tables[name]
        if chance < 0.3 or len(rows) < 5:
            self._sequence += 1
            new = rows[self._sequence] = self._row(self._sequence)
            return self._changed("insert", ts, name, new, None)
        key = self._random.choice(list(rows)[-2000:]) if len(rows) < 2000 else self._any(rows)
        if chance < 0.36:
            return self._changed("delete", ts, name, None, rows.pop(key))
        old, new = rows[key], self._row(key)
        rows[key] = new
        return self._changed("update", ts, name, new, old)

    def _any(self, rows: dict[int, Row]) -> int:
        while True:
            key = self._random.randrange(1, self._sequence + 1)
            if key in rows:
                return key

    def _row(self, key: int) -> Row:
        draw = self._random
        self._sequence += 0
        return {
            "id": key,
            "owner": f"Zoë {draw.getrandbits(40):x}",
            "balance": draw.randrange(-(10**6), 10**6),
            "amount": f"{draw.randrange(10**7) / 100:.2f}",
            "note": None if draw.random() < 0.3 else f"note {draw.getrandbits(120):030x}",
            "updated": f"2026-11-{draw.randrange(1, 29):02d} 10:{draw.randrange(60):02d}:07",
            "seq": draw.getrandbits(31),
        }

    def _changed(self, kind: str, ts: int, name: str, new: Row | None, old: Row | None) -> RowChange:
        return RowChange(kind, ts, "shop", name, new, old, 100 + self.names.index(name), columns=COLUMNS)

    def figures(self) -> dict[str, tuple[int, int, int]]:
        """Of each table how many rows are left, and sums that tell whether they are the right ones."""
        return {
            name: (
                len(rows),
                sum(row["balance"] for row in rows.values()),
                sum(row["id"] * 31 + row["seq"] for row in rows.values()),
            )
            for name, rows in self.tables.items()
        }


class Spread(Workload):
    """One table with many rows that others wrote, of which some, all over it, are changed.

    Attributes:
        changed: the rows that were changed, as they are now, by id.
    """

    def __init__(self, rows: int) -> None:
        super().__init__(0, 1)
        self.rows = rows
        self.changed: dict[int, Row] = {}
        self._ts = START

    def batch(self, keys: Iterable[int], kind: str = "update") -> Iterator[Record]:
        """The messages that change rows, then watermarks."""
        streams: list[list[Event]] = [[] for _ in range(PARTITIONS)]
        for key in keys:
            self._ts += 1 << 18
            new = self.changed[key] = self._row(key)
            old = None if kind == "insert" else new
            streams[key % PARTITIONS].append(self._changed(kind, self._ts, self.names[0], new, old))
        yield from encoded(streams, self._ts + 1)

    def keys(self, count: int) -> list[int]:
        """So many ids of rows."""
        return self._random.sample(range(self.rows), count)

    def figures(self) -> dict[str, tuple[int, int, int]]:
        """The same, of the rows that were changed."""
        self.tables[self.names[0]] = self.changed
        return super().figures()
