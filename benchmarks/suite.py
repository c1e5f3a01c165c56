"""What is measured in this process: our operations and all peers on the same rows, group by group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from benchmarks import go_peer, ours, rust_peer
from benchmarks.cases import Change, in_batches, interleaved, recorded, synthetic
from benchmarks.peers import Message, Peer, check
from benchmarks.peers.protobuf import ProtobufColumnar, ProtobufRows
from benchmarks.subjects import CRAFT, SUBJECTS, Subject
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


def check_recordings(subject: Subject = CRAFT) -> None:
    """Raise ``AssertionError`` unless the rows become the bytes that TiCDC wrote: what Go was timed on, we are."""
    for events, message in subject.recorded.items():
        if ours.prepare(recorded(events), events, subject).sent.values[0].as_py() != message(events):
            raise AssertionError(f"the message of the first {events} recorded events differs from TiCDC's")


def recorded_group(subject: Subject, effort: Effort) -> Iterator[list[Result]]:
    """The recorded 8-column events in every batch size: decode and encode, ours, all peers, and Go if it is there."""
    check_recordings(subject)
    for batch in subject.batches:
        rows = subject.rows(recorded(rounded(effort.events, batch)))
        beside = measure_rows(subject, "recorded", rows, batch, effort, subject.peers)
        if subject.plain_avro:
            beside += _plain_avro(subject, rows, batch, effort)
        yield beside + beside_ours(subject, "recorded", rows, batch, effort)


def beside_ours(
    subject: Subject,
    kind: str,
    rows: Sequence[Change],
    batch: int,
    effort: Effort,
    messages: Sequence[Message] | None = None,
    swept: int = 0,
) -> list[Result]:
    """What is measured in processes of its own, if it is there: TiCDC's Go, and arrow-avro where a registry has the
    schemas of records.

    Args:
        subject: what is measured.
        kind: what the rows are called in results.
        rows: the rows.
        batch: events of a message.
        effort: how long to measure.
        messages: ours of these rows, where they have been made and checked already.
        swept: bytes that arrow-avro's process writes to before each repeat.
    """
    written = ours.prepare(rows, batch, subject).sent.messages() if messages is None else messages
    found = go_peer.measure(subject, kind, rows, batch, effort, written)
    if subject.registered:
        measured = rust_peer.measure_registered(written, effort.repeats, min(rust_peer.BATCH, effort.events), swept)
        if measured is None and kind == "recorded":
            measured = rust_peer.recorded_registered()
        if measured is not None:
            name, figures = measured
            timing = Timing(figures["ns_min"] * len(rows), figures["ns_median"] * len(rows), 1, figures["repeats"])
            wire = sum(len(message.value) for message in written)
            key = (DECODE, name, rust_peer.REGISTERED_OPERATION)
            found.append(result(subject, *key, kind, batch, rows, timing, wire))
    return found


def _plain_avro(subject: Subject, rows: Sequence[Change], batch: int, effort: Effort) -> list[Result]:
    """arrow-avro over plain records of the rows, two for an update."""
    measured = rust_peer.measure(rows, effort.repeats)
    if measured is None:
        return []
    name, figures = measured
    images = sum(bool(row.new) + bool(row.old) for row in rows)
    timing = Timing(figures["ns_min"] * images, figures["ns_median"] * images, 1, figures["repeats"])
    wire = len(rust_peer.bodies(rows))
    return [result(subject, DECODE, name, rust_peer.OPERATION, "recorded", batch, rows, timing, wire)]


def columns_group(subject: Subject, effort: Effort) -> Iterator[list[Result]]:
    """Synthetic tables of some widths; beside Go too where a message is one event."""
    for kind in subject.kinds:
        for width in subject.widths:
            for batch in subject.width_batches:
                count = rounded(max(1, effort.events * 8 // width), batch)
                rows = subject.rows(synthetic(width, count, kind))
                found = measure_rows(subject, "synthetic", rows, batch, effort, subject.peers)
                if subject.batches == (1,):
                    found += beside_ours(subject, "synthetic", rows, batch, effort)
                yield found


def interleaved_group(subject: Subject, effort: Effort) -> Iterator[list[Result]]:
    """Topics of one and of several interleaved tables, ours side by side; then the largest beside the peers of it."""
    for batch in subject.mixed_batches:
        rows = {tables: subject.rows(interleaved(tables, rounded(effort.events, batch))) for tables in subject.tables}
        ready = {tables: ours.prepare(rows[tables], batch, subject) for tables in subject.tables}
        for group, pick in ((DECODE, _decode_columns), (ENCODE, _encode_columns)):
            operation = ours.COLUMNS if group == DECODE else ours.FROM_COLUMNS
            candidates = {str(tables): pick(ready[tables]) for tables in subject.tables}
            timings = side_by_side(candidates, effort.repeats, effort.seconds)
            made = []
            for tables in subject.tables:
                timing, wire = timings[str(tables)], ready[tables].wire_bytes
                key = (group, ours.label(), operation)
                made.append(result(subject, *key, "interleaved", batch, rows[tables], timing, wire))
            yield made
        if subject.mixed_peers:
            mixed = rows[subject.tables[-1]]
            found = measure_rows(subject, "mixed", mixed, batch, effort, subject.mixed_peers)
            yield found + beside_ours(subject, "mixed", mixed, batch, effort)


def ours_alone(subject: Subject, rows: Sequence[Change], batch: int, effort: Effort, kind: str) -> list[Result]:
    """Our operations without peers: what the pure-Python child process measures."""
    ready = ours.prepare(rows, batch, subject)
    results = []
    for group, operations in ((DECODE, ours.decoding(ready)), (ENCODE, ours.encoding(ready))):
        timings = side_by_side(operations, effort.repeats, effort.seconds)
        results += [
            result(subject, group, ours.label(), name, kind, batch, rows, timing, ready.wire_bytes)
            for name, timing in timings.items()
        ]
    return results


def measure_rows(
    subject: Subject,
    kind: str,
    rows: Sequence[Change],
    batch: int,
    effort: Effort,
    peers: Sequence[type[Peer]],
) -> list[Result]:
    """Decode and encode these rows with everything, after checking that everything gives them back."""
    batches = list(in_batches(rows, batch))
    ready = ours.prepare(rows, batch, subject)
    sizes = {ours.label(): ready.wire_bytes}
    decode: Candidates = {(ours.label(), name): run for name, run in ours.decoding(ready).items()}
    encode: Candidates = {(ours.label(), name): run for name, run in ours.encoding(ready).items()}
    for peer_class in peers:
        peer = peer_class(rows)
        check(peer, rows, batches)
        messages = peer.sample(batches)
        sizes[peer.name] = sum(len(message.key or b"") + len(message.value) for message in messages)
        decode |= _peer_decoding(peer, messages)
        if peer.encodes:
            encode[peer.name, FROM_ROWS] = bound(peer.encode, batches)
    results = []
    for group, candidates in ((DECODE, decode), (ENCODE, encode)):
        timings = side_by_side({"\0".join(key): run for key, run in candidates.items()}, effort.repeats, effort.seconds)
        results += [
            result(subject, group, codec, name, kind, batch, rows, timings[f"{codec}\0{name}"], sizes[codec])
            for codec, name in candidates
        ]
    return results


def _peer_decoding(peer: Peer, messages: list[Message]) -> Candidates:
    candidates: Candidates = {(peer.name, peer.result or TO_VALUES): bound(peer.decode, messages)}
    if isinstance(peer, ProtobufRows | ProtobufColumnar):
        candidates[peer.name, PARSE_ONLY] = bound(peer.parse_only, messages)
    return candidates


def bound(function: Callable[[T], object], argument: T) -> Callable[[], object]:
    return lambda: function(argument)


def _decode_columns(ready: ours.Prepared) -> Callable[[], object]:
    return ours.decoding(ready, single=False)[ours.COLUMNS]


def _encode_columns(ready: ours.Prepared) -> Callable[[], object]:
    return ours.encoding(ready)[ours.FROM_COLUMNS]


def result(
    subject: Subject,
    group: str,
    codec: str,
    operation: str,
    kind: str,
    batch: int,
    rows: Sequence[Change],
    timing: Timing,
    wire: int,
) -> Result:
    """The figure of one operation on rows whose messages take up ``wire`` bytes."""
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
        protocol=subject.name,
        kind=rows[0].kind,
    )


def contains() -> dict[str, str]:
    """What each figure contains, by operation of ours or name of a peer."""
    texts = ours.CONTAINS | go_peer.CONTAINS | rust_peer.CONTAINS
    for peer in dict.fromkeys(peer for subject in SUBJECTS.values() for peer in subject.peers):
        texts[f"{peer.name}: {peer.result or 'decode'}"] = peer.decodes
        if peer.encodes:
            texts[f"{peer.name}: encode"] = peer.encodes
    return texts
