"""Thousands of tables in one topic: what an event costs when the one before was of another table."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from benchmarks import ours
from benchmarks.cases import interleaved
from benchmarks.subjects import Subject
from benchmarks.timing import Effort, Result, side_by_side
from tidewire.runtime.batch import EventColumns

TABLES, QUICK_TABLES = (1, 64, 1024, 4096, 10_000), (1, 10_000)
EVENTS = 20_000
"""Events of one call. Of 10,000 tables each has two of them."""
REPEATS = 7
GROUP = "many tables"
IN_TURN, SHUFFLED = "in turn", "shuffled"
DECODED = "to columns, no Arrow array asked for"
CONTAINS = {
    DECODED: "Decoder.decode of all messages in one call, decoder reused: all values read and placed in columns; "
    "Arrow arrays are made when they are asked for, which a job that wants one table does for that one"
}
"""What the figure contains."""


def many_group(subject: Subject, effort: Effort) -> Iterator[list[Result]]:
    """Updates of up to 10,000 tables of 8 columns in turn, and the same messages shuffled, side by side."""
    for batch in subject.many_batches[: 1 if effort.quick else None]:
        yield _measured(subject, batch, QUICK_TABLES if effort.quick else TABLES, effort)


def _measured(subject: Subject, batch: int, counts: tuple[int, ...], effort: Effort) -> list[Result]:
    candidates: dict[tuple[str, str, int], Callable[[], object]] = {}
    sizes: dict[int, float] = {}
    for tables in counts:
        rows = subject.rows(interleaved(tables, EVENTS))
        _, in_turn = ours.written(rows, batch, subject, shared=True)
        shuffled = in_turn.messages()
        sizes[tables] = in_turn.wire_bytes / EVENTS
        random.Random(tables).shuffle(shuffled)
        for order, sent in ((IN_TURN, in_turn), (SHUFFLED, ours.Sent.of(shuffled))):
            decode = partial(subject.codec.Decoder(subject.ours(batch), **ours.given(rows, subject)).decode, *sent)
            candidates[order, DECODED, tables] = decode
            candidates[order, ours.COLUMNS, tables] = partial(_with_batches, decode)
    named = {"\0".join(map(str, key)): run for key, run in candidates.items()}
    timings = side_by_side(named, 3 if effort.quick else REPEATS, effort.seconds / 2)
    return [
        Result(
            group=GROUP,
            codec=ours.label(),
            operation=operation,
            rows=order,
            batch=batch,
            columns=8,
            tables=tables,
            ns_min=timing.best / EVENTS,
            ns_median=timing.median / EVENTS,
            events=EVENTS,
            calls=timing.calls,
            repeats=timing.repeats,
            bytes_per_event=sizes[tables],
            protocol=subject.name,
        )
        for (order, operation, tables), timing in zip(candidates, timings.values(), strict=True)
    ]


def _with_batches(decode: Callable[[], Any]) -> EventColumns:
    return ours.with_batches(decode())
