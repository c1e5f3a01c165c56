"""Varied values: many different messages that no cache holds, beside the recorded ones, which are few and alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from benchmarks import ours, suite
from benchmarks.cases import Change, in_batches
from benchmarks.peers import Message, Peer, check
from benchmarks.subjects import Subject
from benchmarks.timing import Effort, Result, side_by_side_cold, swept_bytes
from benchmarks.varied_cases import COUNT, QUICK_COUNT, varied

T = TypeVar("T")

ROWS = "varied"
CALL = 4096
"""Events of one call: what a pass over all rows is cut into, for every candidate."""
REPEATS, GO_REPEATS = 5, 3


def varied_group(subject: Subject, effort: Effort) -> Iterator[list[Result]]:
    """Varied rows of both kinds: ours, the peers that take them, and Go if it is there."""
    count = QUICK_COUNT if effort.quick else COUNT
    for kind, batch in subject.varied:
        rows = subject.rows(varied(count, kind))
        peers = subject.varied_peers if kind == "update" or subject.batches == (1,) else ()
        found, messages = _measured(subject, rows, batch, peers, 3 if effort.quick else REPEATS)
        few = replace(effort, repeats=1 if effort.quick else GO_REPEATS)
        yield found + suite.beside_ours(subject, ROWS, rows, batch, few, messages, swept_bytes())


def _measured(
    subject: Subject, rows: Sequence[Change], batch: int, peers: Sequence[type[Peer]], repeats: int
) -> tuple[list[Result], list[Message]]:
    """The figures of everything that runs in this process, and our messages."""
    parts = list(in_batches(rows, CALL))
    ready = [ours.prepare(part, batch, subject) for part in parts]
    sizes = {ours.label(): sum(part.wire_bytes for part in ready)}
    codec, options = subject.codec, ready[0].options
    more = ready[0].given
    writing = ready[0].giving
    decoder, encoder = codec.Decoder(options, **more), codec.Encoder(options, **writing)
    decode: suite.Candidates = {
        (ours.label(), ours.COLUMNS): _each(ready, lambda part: ours.with_batches(decoder.decode(*part.sent))),
        (ours.label(), ours.EVENTS): _each(
            ready, lambda part: ours.as_dicts(codec.decode_batch(*part.sent, options, **more))
        ),
    }
    encode: suite.Candidates = {
        (ours.label(), ours.FROM_COLUMNS): _each(ready, lambda part: encoder.encode(part.columns)),
        (ours.label(), ours.FROM_EVENTS): _each(ready, lambda part: codec.encode(part.events, options, **writing)),
    }
    for peer_class in peers:
        peer = peer_class(rows)
        batches = [list(in_batches(part, batch)) for part in parts]
        check(peer, parts[0], batches[0])
        messages = [
            one.sent.messages() if subject.shared else peer.sample(cut) for one, cut in zip(ready, batches, strict=True)
        ]
        for part, read in zip(parts, messages, strict=True):
            if peer.truth(peer.decode(read)) != [row.truth(peer.tells_old) for row in part]:
                raise AssertionError(f"{peer.name}: the varied {rows[0].kind}s are not those that were written")
        sizes[peer.name] = sum(len(m.key or b"") + len(m.value) for part in messages for m in part)
        decode[peer.name, peer.result or suite.TO_VALUES] = _each(messages, peer.decode)
        if peer.encodes:
            encode[peer.name, suite.FROM_ROWS] = _each(batches, peer.encode)
    results = []
    for group, candidates in ((suite.DECODE, decode), (suite.ENCODE, encode)):
        timings = side_by_side_cold({"\0".join(key): run for key, run in candidates.items()}, repeats)
        results += [
            suite.result(subject, group, whose, name, ROWS, batch, rows, timings[f"{whose}\0{name}"], sizes[whose])
            for whose, name in candidates
        ]
    return results, [message for part in ready for message in part.sent.messages()]


def _each(parts: Sequence[T], work: Callable[[T], object]) -> Callable[[], object]:
    """A pass over all parts; what one gives is dropped before the next."""

    def run() -> None:
        for part in parts:
            work(part)

    return run
