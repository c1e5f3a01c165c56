"""Schema blocks that are the same in every message: what they cost, beside comparing their bytes.

The same rows are decoded with a block of some kilobytes and with one many times as long: a table's ENUM has few labels,
or thousands of them, which blocks list twice and rows do not. What the longer block costs is the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from benchmarks import ours, suite
from benchmarks.cases import Change, recorded
from benchmarks.peers import Message
from benchmarks.subjects import DEBEZIUM_JSON, Subject
from benchmarks.timing import Effort, Result, side_by_side
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.batch import Column

GROUP = "schema blocks"
EVENTS = 512
"""Events of one call."""
SHORT, LONG = "a short block", "a long block"
LABELS = {SHORT: 2, LONG: 2048}
"""How many labels of 12 letters the ENUM has."""
SHORTER = 20
"""By how much repeats are shorter here than elsewhere, and more."""
COMPARED = "comparing the blocks' bytes"
COMPARER = "memcmp"
CONTAINS = {
    f"{COMPARER}: {COMPARED}": "whether every value, and every key, ends with the bytes of its schema block: "
    "bytes.endswith, called from Python"
}
"""What the figure contains, beyond what stands elsewhere."""


class BlockCost(NamedTuple):
    """What the bytes cost that a long block has more than a short one, ns per event."""

    decoded: float
    compared: float
    length: float
    """How many bytes these are."""


def blocks_group(subject: Subject, effort: Effort) -> Iterator[list[Result]]:
    """The recorded updates with an ENUM besides, its schema block short and long; protocols with blocks only."""
    if subject is DEBEZIUM_JSON:
        yield _measured(subject, effort)


def _measured(subject: Subject, effort: Effort) -> list[Result]:
    rows = subject.rows(recorded(EVENTS))
    sizes: dict[str, int] = {}
    candidates: dict[tuple[str, str, str], Callable[[], object]] = {}
    for which, labels in LABELS.items():
        sent = _sent(subject, rows, labels)
        sizes[which] = sent.wire_bytes
        decoder = subject.codec.Decoder(subject.ours(1))
        _check(decoder.decode(*sent))
        candidates[which, ours.label(), ours.COLUMNS] = suite.bound(_decoded, (decoder, sent))
        candidates[which, COMPARER, COMPARED] = suite.bound(_compared, _tails(sent))
    # the difference of two figures is smaller than what disturbs a repeat; of short repeats few are disturbed
    named = {"\0".join(key): run for key, run in candidates.items()}
    timings = side_by_side(named, SHORTER * effort.repeats, effort.seconds / SHORTER)
    return [
        suite.result(
            subject, GROUP, whose, name, which, 1, rows, timings["\0".join((which, whose, name))], sizes[which]
        )
        for which, whose, name in candidates
    ]


def _sent(subject: Subject, rows: Sequence[Change], labels: int) -> ours.Sent:
    """The rows' messages; their table has an ENUM of so many labels besides, of which rows have the second."""
    declared = ",".join(f"'label {number:06d}'" for number in range(labels))
    column = Column("chosen", ColumnType.ENUM, ColumnFlag.NULLABLE, f"enum({declared})")
    events = [ours.row_change(row, subject) for row in rows]
    columns = [*(Column(*one) for one in rows[0].columns), column]
    for row, event in zip(rows, events, strict=True):
        event.given_columns = tuple(columns)
        event.new, event.old = {**row.new, "chosen": 2}, {**row.old, "chosen": 2}
    messages = subject.codec.encode(events, subject.ours(1))
    return ours.Sent.of([Message(message.key, message.value or b"") for message in messages])


def _check(columns: Any) -> None:
    """Every row has its label."""
    found = [layout.arrays[-1].to_pylist() for layout in columns.layouts]
    if columns.errors or {value for values in found for value in values} != {2}:
        raise AssertionError(f"rows with an ENUM became something else: {columns.errors or found}")


def _decoded(given: tuple[Any, ours.Sent]) -> object:
    decoder, sent = given
    return ours.with_batches(decoder.decode(*sent))


def _tails(sent: ours.Sent) -> list[tuple[list[bytes], bytes]]:
    """Values and keys, each with the block that all of them end with."""
    messages = sent.messages()
    parts = [message.value for message in messages], [message.key or b"" for message in messages]
    return [(part, part[0][part[0].index(b',"schema":') :]) for part in parts]


def _compared(given: list[tuple[list[bytes], bytes]]) -> int:
    count = sum([text.endswith(block) for texts, block in given for text in texts])
    if count != sum(len(texts) for texts, _ in given):
        raise AssertionError("a message has another block")
    return count


def cost(results: Sequence[Result]) -> BlockCost | None:
    """What a longer block costs, out of the results of a run; None where it was not measured."""
    found = {(r.rows, r.codec): r for r in results if r.group == GROUP}
    pairs = [(found.get((SHORT, codec)), found.get((LONG, codec))) for codec in ("tidewire", COMPARER)]
    (short, long), (short_compared, long_compared) = pairs
    if short is None or long is None or short_compared is None or long_compared is None:
        return None
    return BlockCost(
        long.ns_min - short.ns_min,
        long_compared.ns_min - short_compared.ns_min,
        (long.bytes_per_event or 0.0) - (short.bytes_per_event or 0.0),
    )
