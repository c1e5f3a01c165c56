"""Checks that every recorded event that the stream's options let through is in exactly one message, or was refused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tidewire.cli.conform.claims import encode, memory_store
from tidewire.cli.conform.recording import RecordedLine
from tidewire.cli.eventjson import ROW_KINDS, kind_of
from tidewire.events import Event
from tidewire.runtime.errors import EncodeError, TidewireError

WHAT = "cover"
"""Name of this comparison in findings."""

Gap = tuple[RecordedLine | None, int | None, str, str, str]
"""Line and event concerned, place, expected value, actual value."""


def gaps(lines: Sequence[RecordedLine], truth: Mapping[int, Event], protocol: Any, options: Any) -> Iterator[Gap]:
    """All mismatches between the lines of a stream and the recorded events.

    Args:
        lines: lines of the stream, in order.
        truth: recorded events by number.
        protocol: module of the protocol.
        options: options of the stream.
    """
    expected = 0
    for line in lines:
        if line.number != expected:
            yield line, None, "m", str(expected), str(line.number)
        expected = line.number + 1
        yield from _line(line, truth)
    for number in range(max(truth, default=-1) + 1):
        if number not in truth:
            yield None, number, "events.jsonl", "events numbered without a gap, from 0", f"no event {number}"
    carriers: dict[int, list[RecordedLine]] = defaultdict(list)
    for line in lines:
        for number in line.events:
            carriers[number].append(line)
    for number, found in carriers.items():
        if len(found) > 1:
            listed = ", ".join(str(line.line_number) for line in found)
            yield found[1], number, "events", "each event once", f"it is in lines {listed}"
    yield from _order(lines, truth)
    for number, event in truth.items():
        if number not in carriers:
            yield from _missing(number, event, protocol, options)


def _line(line: RecordedLine, truth: Mapping[int, Event]) -> Iterator[Gap]:
    """Errors in one line, regardless of other lines."""
    if not line.events:
        yield line, None, "events", "the event that it carries, or several", "none"
    for number in line.events:
        if number not in truth:
            yield line, number, "events", f"an event of the {len(truth)} in events.jsonl", f"there is no event {number}"
    events = [truth[number] for number in line.events if number in truth]
    if not events or line.error is not None:
        return
    kinds = {"row" if kind_of(event) in ROW_KINDS else kind_of(event) for event in events}
    if kinds != {line.kind}:
        yield line, None, "kind", " and ".join(sorted(kinds)), line.kind
    # The line of a row whose message was stored in a file has no ts, schema or table.
    for name, legal in (
        ("ts", {event.commit_ts for event in events} | {0}),
        ("schema", {getattr(event, "schema", None) or "" for event in events}),
        ("table", {getattr(event, "table", None) or "" for event in events}),
        ("rows", {len(events) if kinds == {"row"} else 0}),
    ):
        if name in line.said and line.said[name] not in legal:
            wanted = " or ".join(sorted(str(one) for one in legal - {0} or legal))
            yield line, None, name, wanted, str(line.said[name])


def _order(lines: Sequence[RecordedLine], truth: Mapping[int, Event]) -> Iterator[Gap]:
    """Events that precede events of an earlier transaction. The order within a transaction is checked by comparing
    bytes.
    """
    last = -1
    for line in lines:
        for number in line.events:
            if number < last and number in truth and not _together(truth[number], truth[last]):
                yield line, number, "order", f"it comes before event {last}", "it comes behind it"
                break
            last = max(last, number) if number in truth else last


def _together(one: Event, other: Event) -> bool:
    """Whether two events are rows of one transaction."""
    rows = kind_of(one) in ROW_KINDS and kind_of(other) in ROW_KINDS
    return rows and one.commit_ts == other.commit_ts


def _missing(number: int, event: Event, protocol: Any, options: Any) -> Iterator[Gap]:
    """An event that is in no line although the protocol and the options send events of its kind."""
    if kind_of(event) not in protocol.FACTS.kinds:
        return
    try:
        if not encode(protocol, options, [event], memory_store(protocol, options)):
            return
        wanted = "it is in a message"
    except EncodeError as error:
        wanted = f"a line with the producer's error, for it is refused: {error.reason}"
    except Exception as error:  # crashes of a codec are reported by the other comparisons
        wanted = f"it is in a message ({error if isinstance(error, TidewireError) else type(error).__name__})"
    yield None, number, kind_of(event), wanted, "it is in no line"
