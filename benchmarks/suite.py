"""What is measured in this process: our operations and all peers on the same rows, group by group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from benchmarks import go_peer, ours
from benchmarks.cases import (
    BATCHES,
    TABLES,
    WIDTHS,
    Update,
    in_batches,
    interleaved,
    recorded,
    recorded_message,
    synthetic,
)
from benchmarks.peers import PEERS, Message, Peer, check
from benchmarks.peers.protobuf import ProtobufColumnar, ProtobufRows
from benchmarks.timing import Effort, Result, Timing, side_by_side

T = TypeVar("T")

DECODE = "decode"
ENCODE = "encode"
TO_VALUES = "to typed Python values"
PARSE_ONLY = "upb parse alone, values left unread"
FROM_ROWS = "from row objects"

Candidates = dict[tuple[str, str], Callable[[], object]]
"""(codec, operation) -> what to time."""


def rounded(count: int, batch: int) -> int:
    """The number of events nearest above ``count`` that makes whole messages."""
    return -(-count // batch) * batch


def check_recordings() -> None:
    """Raise ``AssertionError`` unless the rows become the bytes that TiCDC wrote: what Go was timed on, we are."""
    for events in (1, 4, 64):
        if ours.prepare(recorded(events), events).values[0].as_py() != recorded_message(events):
            raise AssertionError(f"the message of the first {events} recorded events differs from TiCDC's")


def recorded_group(effort: Effort, batches: Sequence[int] = BATCHES) -> Iterator[list[Result]]:
    """The recorded 8-column events in every batch size: decode and encode, ours, all peers, and Go if it is there."""
    check_recordings()
    for batch in batches:
        rows = recorded(rounded(effort.events, batch))
        yield measure_rows("recorded", rows, batch, effort) + go_peer.measure(rows, batch, effort)


def columns_group(effort: Effort, batches: Sequence[int] = (1, 64)) -> Iterator[list[Result]]:
    """Synthetic tables of 8, 20 and 150 columns."""
    for width in WIDTHS:
        for batch in batches:
            count = rounded(max(1, effort.events * 8 // width), batch)
            yield measure_rows("synthetic", synthetic(width, count), batch, effort)


def interleaved_group(effort: Effort, batches: Sequence[int] = (1, 4, 64)) -> Iterator[list[Result]]:
    """Ours alone: topics of 1, 4 and 64 interleaved tables, timed side by side."""
    for batch in batches:
        rows = {tables: interleaved(tables, rounded(effort.events, batch)) for tables in TABLES}
        ready = {tables: ours.prepare(rows[tables], batch) for tables in TABLES}
        for group, pick in ((DECODE, _decode_columns), (ENCODE, _encode_columns)):
            operation = ours.COLUMNS if group == DECODE else ours.FROM_COLUMNS
            timings = side_by_side({str(t): pick(ready[t]) for t in TABLES}, effort.repeats, effort.seconds)
            made = []
            for tables in TABLES:
                timing, wire = timings[str(tables)], ready[tables].wire_bytes
                made.append(_result(group, ours.label(), operation, "interleaved", batch, rows[tables], timing, wire))
            yield made


def ours_alone(rows: Sequence[Update], batch: int, effort: Effort, kind: str) -> list[Result]:
    """Our operations without peers: what the pure-Python child process measures."""
    ready = ours.prepare(rows, batch)
    results = []
    for group, operations in ((DECODE, ours.decoding(ready)), (ENCODE, ours.encoding(ready))):
        timings = side_by_side(operations, effort.repeats, effort.seconds)
        results += [
            _result(group, ours.label(), name, kind, batch, rows, timing, ready.wire_bytes)
            for name, timing in timings.items()
        ]
    return results


def measure_rows(kind: str, rows: Sequence[Update], batch: int, effort: Effort) -> list[Result]:
    """Decode and encode these rows of one table with everything, after checking that everything gives them back."""
    batches = list(in_batches(rows, batch))
    ready = ours.prepare(rows, batch)
    sizes = {ours.label(): ready.wire_bytes}
    decode: Candidates = {(ours.label(), name): run for name, run in ours.decoding(ready).items()}
    encode: Candidates = {(ours.label(), name): run for name, run in ours.encoding(ready).items()}
    for peer_class in PEERS:
        peer = peer_class(rows)
        check(peer, rows, batches)
        messages = peer.sample(batches)
        sizes[peer.name] = sum(len(message.key or b"") + len(message.value) for message in messages)
        decode |= _peer_decoding(peer, messages)
        encode[peer.name, FROM_ROWS] = _bound(peer.encode, batches)
    results = []
    for group, candidates in ((DECODE, decode), (ENCODE, encode)):
        timings = side_by_side({"\0".join(key): run for key, run in candidates.items()}, effort.repeats, effort.seconds)
        results += [
            _result(group, codec, name, kind, batch, rows, timings[f"{codec}\0{name}"], sizes[codec])
            for codec, name in candidates
        ]
    return results


def _peer_decoding(peer: Peer, messages: list[Message]) -> Candidates:
    candidates: Candidates = {(peer.name, TO_VALUES): _bound(peer.decode, messages)}
    if isinstance(peer, ProtobufRows | ProtobufColumnar):
        candidates[peer.name, PARSE_ONLY] = _bound(peer.parse_only, messages)
    return candidates


def _bound(function: Callable[[T], object], argument: T) -> Callable[[], object]:
    return lambda: function(argument)


def _decode_columns(ready: ours.Prepared) -> Callable[[], object]:
    return ours.decoding(ready, single=False)[ours.COLUMNS]


def _encode_columns(ready: ours.Prepared) -> Callable[[], object]:
    return ours.encoding(ready)[ours.FROM_COLUMNS]


def _result(
    group: str, codec: str, operation: str, kind: str, batch: int, rows: Sequence[Update], timing: Timing, wire: int
) -> Result:
    return Result(
        group=group,
        codec=codec,
        operation=operation,
        rows=kind,
        batch=batch,
        columns=len(rows[0].columns),
        tables=len({row.table for row in rows}),
        ns_min=timing.best / len(rows),
        ns_median=timing.median / len(rows),
        events=len(rows),
        calls=timing.calls,
        repeats=timing.repeats,
        bytes_per_event=wire / len(rows),
    )


def contains() -> dict[str, str]:
    """What each figure contains, by operation of ours or name of a peer."""
    texts = ours.CONTAINS | go_peer.CONTAINS
    for peer in PEERS:
        texts[f"{peer.name}: decode"] = peer.decodes
        texts[f"{peer.name}: encode"] = peer.encodes
    return texts
