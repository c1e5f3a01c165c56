"""Long text in JSON, with and without escapes: bytes of messages a second, beside what copying them takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks import ours, suite
from benchmarks.peers.canal_json import MsgspecColumns, OrjsonDicts
from benchmarks.subjects import CANAL, Subject
from benchmarks.text_cases import KINDS, LENGTHS, QUICK_TOTAL, TOTAL, texts
from benchmarks.timing import Effort, Result, side_by_side

GROUP = "long text"
COPY = "memcpy"
COPIED = "the messages copied, one by one"
CONTAINS = {f"{COPY}: {COPIED}": "the bytes of every message copied to one place: the reading and writing alone"}
"""What each figure contains, beyond what stands elsewhere."""


def text_group(subject: Subject, effort: Effort) -> Iterator[list[Result]]:
    """Inserts with a TEXT of each kind and length, one a message, to Arrow columns; protocols of JSON only."""
    if subject is not CANAL:
        return
    for length in LENGTHS:
        for kind in KINDS:
            yield _measured(subject, kind, length, effort)


def _measured(subject: Subject, kind: str, length: int, effort: Effort) -> list[Result]:
    rows = texts(kind, length, QUICK_TOTAL if effort.quick else TOTAL)
    ready = ours.prepare(rows, 1, subject)
    decoder = subject.codec.Decoder(ready.options)
    messages = ready.sent.messages()
    values = [message.value for message in messages]
    place = memoryview(bytearray(max(map(len, values))))
    candidates: dict[tuple[str, str], Callable[[], object]] = {
        (ours.label(), ours.COLUMNS): lambda: ours.with_batches(decoder.decode(*ready.sent)),
        (COPY, COPIED): lambda: _copy(values, place),
    }
    for peer_class in (MsgspecColumns, OrjsonDicts):
        peer = peer_class(rows)
        if peer.truth(peer.decode(messages)) != [row.truth() for row in rows]:
            raise AssertionError(f"{peer.name}: texts of {kind} are not those that were written")
        candidates[peer.name, peer.result or suite.TO_VALUES] = suite.bound(peer.decode, messages)
    timings = side_by_side({"\0".join(key): run for key, run in candidates.items()}, effort.repeats, effort.seconds)
    return [
        suite.result(
            subject, GROUP, whose, name, rows_of(kind, length), 1, rows, timings[f"{whose}\0{name}"], ready.wire_bytes
        )
        for whose, name in candidates
    ]


def _copy(values: list[bytes], place: memoryview) -> None:
    for value in values:
        place[: len(value)] = value


def rows_of(kind: str, length: int) -> str:
    """What the rows are called in results."""
    return f"{kind}, {length:,} bytes"


def gigabytes_per_second(result: Result) -> float:
    """Bytes of messages a nanosecond, which is GB a second."""
    return (result.bytes_per_event or 0.0) / result.ns_min
