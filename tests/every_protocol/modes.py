"""Prints all that decoding and encoding good and spoiled messages of a protocol gives (`test_modes.py`)."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from both_modes import show
from fuzz.engine import Engine
from fuzz.session import ENGINES

from tidewire.events import Bootstrap, Ddl, Event, Events, RowChange, Watermark
from tidewire.messages.registry import MemorySchemas
from tidewire.runtime.batch import Column, EventColumns
from tidewire.runtime.errors import TidewireError

BATCHES, BATCH = 8, 150
ID = Column("id", 3, 0, "int")
REFUSED: tuple[Event, ...] = (
    Watermark(2**64, sent_ms=1),
    Ddl(1, "s", "t", 300, "x", sent_ms=1),
    Ddl(1, "s", "t", 3, "\ud800", sent_ms=1),
    Bootstrap(1, "s", "t", 7, [ID], sent_ms=1),
    RowChange("insert", 1, None, "t", new={"id": 1}, columns=[ID], sent_ms=1),
    RowChange("insert", 1, "s", "t", new={"id": 2**63}, columns=[ID], sent_ms=1),
    RowChange("delete", 1, "s", "t", old={"id": "1"}, columns=[ID], sent_ms=1),
    RowChange("update", 1, "s", "t", new={"id": 1}, columns=[ID], sent_ms=1),
    RowChange("insert", 1, "s", "t", new={"id": None}, columns=[Column("id", 256, 0)], sent_ms=1),
)
"""Events that most protocols cannot carry."""


def error(found: Exception) -> str:
    return repr((type(found).__name__, vars(found), str(found)))


def decoded(columns: EventColumns) -> Iterator[str]:
    """Tables, layouts with their values, events, errors with their numbers."""
    yield repr(columns.tables)
    for layout in columns.layouts:
        types = [str(array.type) for array in layout.arrays]
        yield repr((layout.table, layout.columns, types, [array.to_pylist() for array in layout.arrays]))
    yield repr(columns.events.to_pylist())
    yield from (repr(event) for event in Events(columns))
    yield from (error(one) for one in columns.errors)


def read(engine: Engine, batches: Sequence[Sequence[bytes]]) -> Iterator[str]:
    """Spoiled messages, by each policy for text that is none."""
    for policy in ("error", "replace", "bytes"):
        given = engine.given([value for batch in batches for value in batch])
        decoder = engine.module.Decoder(engine.module.Options(**engine.chosen, invalid_text=policy), **given)
        for batch in batches:
            yield from decoded(decoder.attempt(*engine.halves(batch)))


def switched(engine: Engine) -> Iterator[Any]:
    """Options of each producer: as they are, and with each switch the other way, where it stands alone."""
    for producer in engine.module.FACTS.producers:
        switches = [one for one in engine.module.OPTIONS if isinstance(one.default, bool)]
        for other in ({}, *({one.python_name: not one.default} for one in switches)):
            try:
                yield engine.module.Options(**{**engine.chosen, "producer": producer, **other})
            except TidewireError:
                continue


def written(engine: Engine, corpus: Sequence[bytes]) -> Iterator[str]:
    """Good messages encoded again by the encoders of all producers, among events that are refused."""
    given = engine.given(corpus)
    decoder = engine.module.Decoder(engine.module.Options(**engine.chosen), **given)
    columns = [decoder.attempt(*engine.halves(corpus[at : at + 20])) for at in range(0, len(corpus), 20)]
    for options in switched(engine):
        registered: Mapping[str, Any] = {"schemas": MemorySchemas()} if "schemas" in given else {}
        encoder = engine.module.Encoder(options, **{**given, **registered})
        for batch in (*columns, *REFUSED):
            try:
                sent = batch if isinstance(batch, EventColumns) else Events.of([batch]).columns
                yield repr(encoder.encode(sent).to_pylist())
            except TidewireError as found:
                yield error(found)


def lines(name: str) -> Iterator[str]:
    """All lines of a protocol."""
    corpus = ENGINES[name].messages()[::9]
    engine, chance = ENGINES[name](1, corpus=corpus), Random(1)
    yield from read(engine, [[engine.spoiled(chance, corpus) for _ in range(BATCH)] for _ in range(BATCHES)])
    yield from written(engine, [one for one in corpus if len(one) < 2000][::3])


if __name__ == "__main__":
    show(line for name in sys.argv[1:] for line in lines(name))
