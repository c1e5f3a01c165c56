"""Batches with more tables than a decoder caches, which occur again after their eviction."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from tidewire.events import Event, Events, RowChange

from .finding import Finding

TABLES = 12_000
"""Tables of a batch."""
APART = 9_000
"""Tables between the first ones of two batches: some are of both."""
ROUND = 6
"""Batches after which the same tables come again: more of them than are remembered."""
KEPT = 500
"""Events that are kept until the next batch of the kind."""


class Row(NamedTuple):
    """A row that was inserted, and its table."""

    table: str
    id: int
    texts: tuple[str | None, ...]


def rows(seed: int, number: int) -> list[Row]:
    """One to ten rows of each table; their texts are short, or too long for what short ones have room in."""
    chance = Random(f"{seed} crowd {number}")
    first = number % ROUND * APART
    found = []
    for table in range(first, first + TABLES):
        for _ in range(chance.choice((1, 1, 1, 1, 2, 10))):
            size = chance.choice((0, 3, 9, 30, 200))
            texts = tuple(
                None if chance.random() < 0.2 else chance.choice("aé€😀") * chance.randrange(size + 1)
                for _ in range(1 + table % 3)
            )
            found.append(Row(f"t{table}", chance.randrange(2**31), texts))
    chance.shuffle(found)
    return found


class Crowd:
    """One decoder for all batches, and events of the last of them."""

    def __init__(self, decoder: Any, written: Any) -> None:
        """
        Args:
            decoder: long-lived.
            written: a row as a message.
        """
        self.decoder = decoder
        self.written = written
        self.batches = 0
        self.kept: list[tuple[Row, Event]] = []

    def run(self, seed: int, number: int) -> None:
        """Decodes a batch; then looks at its events and at those of the one before.

        Raises:
            Finding: an event is not the row that was written.
        """
        self.batches += 1
        expected = rows(seed, number)
        columns = self.decoder.decode([self.written(row) for row in expected])
        if columns.errors:
            raise Finding(f"a good message of a crowd is refused: {columns.errors[0]}", [])
        events = list(Events(columns))
        pairs = list(zip(expected, events, strict=True))
        self._look(self.kept)
        self.kept = Random(f"{seed} kept {number}").sample(pairs, KEPT)
        if number % 2:
            for layout in columns.layouts:
                for array in layout.arrays:
                    array.validate(full=True)
        del columns, events
        self._look(pairs)

    def _look(self, pairs: Sequence[tuple[Row, Event]]) -> None:
        for row, event in pairs:
            assert isinstance(event, RowChange)
            new: Any = event.new
            values: dict[str, Any] = {"id": row.id} | {f"c{k}": value for k, value in enumerate(row.texts)}
            if event.table != row.table or new.to_dict() != values:
                raise Finding(f"{row} was read as {event}", [self.written(row)])
