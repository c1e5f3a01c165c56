"""The fuzzing engine for Craft."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

import recorded
from craft import wire
from craft.plain import plain
from craft.twin import read
from craft.vectors import CASE_1, VECTORS
from craft.wire import Cell, Change, Mark, Plain, Statement

from tidewire import craft
from tidewire.events import Events
from tidewire.runtime.batch import EventColumns

from .crowd import Row
from .engine import Engine, Wire, same
from .finding import Finding
from .mutations import mutated

SINGLY = craft.Options(max_batch_size=1)


class CraftEngine(Engine):
    """The decoder of Craft, and its encoder."""

    name = "craft"
    module = craft
    largest = 1 << 30
    sparse = 4
    packs = False
    points = False

    @classmethod
    def made(cls) -> Sequence[bytes]:
        return _made()

    @classmethod
    def recorded(cls) -> Iterator[list[bytes]]:
        for stream in recorded.streams("craft"):
            yield [one.value for one in recorded.messages(stream)]

    def fresh(self) -> Wire:
        return craft.Decoder()

    def read(self, value: bytes, known: Any) -> list[Any]:
        return read(value)

    def said(self, event: Any) -> Any:
        (found,) = plain([event])
        return found

    def spoiled(self, chance: Random, corpus: Sequence[bytes]) -> bytes:
        return mutated(chance, corpus)

    def written(self, row: Row) -> bytes:
        cells = [Cell("id", 3, 2, row.id)] + [Cell(f"c{k}", 15, 0, text) for k, text in enumerate(row.texts)]
        return wire.write([Change("insert", 1, "s", row.table, None, tuple(cells), None)])

    def _encoded_again(self, values: Sequence[bytes], columns: EventColumns) -> None:
        """What was accepted can be encoded, one event a message, and is decoded to the same again."""
        batch = craft.Encoder(SINGLY).encode(columns)
        again = craft.decode_batch(batch["value"]).columns
        if again.errors:
            raise Finding(f"what was encoded again cannot be decoded: {again.errors[0]}", values)
        if _alike(columns, again):
            return
        for one, other in zip(plain(Events(columns)), plain(Events(again)), strict=True):
            if one != other:
                raise Finding(f"encoded and decoded again, {one} is {other}", values)


def _alike(one: EventColumns, other: EventColumns) -> bool:
    """Whether two batches hold the same in the same order, bit for bit; they may be equal even when this says no."""

    names = [name for name in one.events.schema.names if name != "message"]
    return (
        one.tables == other.tables
        and one.events.select(names).equals(other.events.select(names))
        and [(layout.table, layout.columns) for layout in one.layouts]
        == [(layout.table, layout.columns) for layout in other.layouts]
        and all(
            same(a, b)
            for mine, theirs in zip(one.layouts, other.layouts, strict=True)
            for a, b in zip(mine.arrays, theirs.arrays, strict=True)
        )
    )


@cache
def _made() -> list[bytes]:
    """Vectors and messages by hand, and those of the benchmark."""
    cells = tuple(Cell(f"c{kind}", kind, 0, None) for kind in range(256))
    wide = tuple(Cell(f"column {k}", 3, k << 55, k) for k in range(140))
    tables = [
        Change("insert", 1, f"s{k % 3}", f"t{k % 5}", k, (Cell(f"c{k % 4}", 15, 0, "é" * k),), None) for k in range(30)
    ]
    old = (Cell("a", 3, 2, 1),)
    events: list[list[Plain]] = [
        [Change("insert", 2**64 - 1, "s", "t", None, cells, None)],
        [Change("update", 1, "s", "t", 0, wide, wide)],
        list(tables),
        [Statement(1, "s", None, 1, "x"), Mark(2), Statement(3, None, None, 255, "é" * 200), Mark(0)],
        [
            Change("update", 3, "t", "t", 2**63 - 1, (Cell("t", 3, 0, 1),), old),
            Change("delete", 2, "t", "s", 7, None, old),
        ],
    ]
    found = [vector.message for vector in VECTORS] + [recorded.bench_value(1), recorded.bench_value(4)]
    return [*found, wire.write(CASE_1), *(wire.write(batch) for batch in events)]
