"""Small calls and event objects: what Python code pays that has one message at a time, or makes its events itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from benchmarks import ours
from benchmarks.cases import Change, recorded
from benchmarks.subjects import Subject
from benchmarks.timing import Effort, Result, side_by_side
from tidewire.events import Events

SINGLE, OBJECTS = "one message a call", "event objects"
CALL = "decode"
CALL_DICTS = "decode, both rows as dicts"
CALL_ENCODE = "encode one event"
SHARED = "from event objects that share their columns"
APART = "from event objects with columns of their own"
PARTIAL = "from event objects with half of the old row"

CONTAINS = {
    CALL: "decode called with one message of one event: a sequence of events, none of which has been looked at",
    CALL_DICTS: "the same, then both rows of the event with to_dict()",
    CALL_ENCODE: "encode called with one event object whose rows are dicts, to a Message",
    SHARED: "encode of RowChange objects with one tuple of columns, to Message objects",
    APART: "the same where each event was given an equal list of columns",
    PARTIAL: "the same where old rows have every second column",
}
"""What each figure contains."""


def single_group(subject: Subject, effort: Effort) -> Iterator[list[Result]]:
    """The recorded updates, each in a call of its own."""
    rows = subject.rows(recorded(min(effort.events, 256)))
    ready = ours.prepare(rows, 1, subject)
    with ours.kept_codecs(ready) as (options, reading, writing):
        yield _single(subject, rows, ready, options, reading, writing, effort)


def _single(
    subject: Subject,
    rows: Sequence[Change],
    ready: ours.Prepared,
    options: Any,
    reading: dict[str, Any],
    writing: dict[str, Any],
    effort: Effort,
) -> list[Result]:
    """Calls for one message, and for one event.

    Args:
        subject: what is measured.
        rows: the updates.
        ready: the same as messages and as events.
        options: of the codec.
        reading: arguments for decoders besides.
        writing: arguments for encoders besides.
        effort: how long to measure.
    """
    codec = subject.codec
    messages = ready.sent.messages()

    def decode() -> None:
        for key, value in messages:
            codec.decode(value, key, options, **reading)

    def dicts() -> None:
        for key, value in messages:
            for event in cast(Iterable[Any], codec.decode(value, key, options, **reading)):
                event.new.to_dict()
                if event.old is not None:
                    event.old.to_dict()

    def encode() -> None:
        for event in ready.events:
            codec.encode((event,), options, **writing)

    return _timed(subject, SINGLE, rows, 1, {CALL: decode, CALL_DICTS: dicts, CALL_ENCODE: encode}, effort)


def objects_group(subject: Subject, effort: Effort) -> Iterator[list[Result]]:
    """The recorded updates as event objects, many in a call."""
    batch = subject.batches[-1] if len(subject.batches) > 1 else 1
    rows = subject.rows(recorded(-(-effort.events // batch) * batch))
    ready = ours.prepare(rows, batch, subject)
    shared = ours.event_objects(rows, subject)
    halves = [replace(row, old=dict(list(row.old.items())[::2])) for row in rows]
    partial = ours.event_objects(halves, subject)
    codec, options = subject.codec, ready.options
    candidates: dict[str, Callable[[], object]] = {
        SHARED: lambda: codec.encode(shared, options, **ready.giving),
        APART: lambda: codec.encode(ready.events, options, **ready.giving),
        PARTIAL: lambda: codec.encode(partial, options, **ready.giving),
        ours.VIEW: lambda: ours.as_dicts(Events(decoded)),
    }
    decoded = codec.Decoder(options, **ready.given).decode(*ready.sent)
    yield _timed(subject, OBJECTS, rows, batch, candidates, effort)


def _timed(
    subject: Subject,
    group: str,
    rows: Sequence[Change],
    batch: int,
    candidates: dict[str, Callable[[], object]],
    effort: Effort,
) -> list[Result]:
    timings = side_by_side(candidates, effort.repeats, effort.seconds)
    return [
        Result(
            group=group,
            codec=ours.label(),
            operation=name,
            rows="recorded",
            batch=batch,
            columns=len(rows[0].columns),
            tables=1,
            ns_min=timing.best / len(rows),
            ns_median=timing.median / len(rows),
            events=len(rows),
            calls=timing.calls,
            repeats=timing.repeats,
            protocol=subject.name,
        )
        for name, timing in timings.items()
    ]
