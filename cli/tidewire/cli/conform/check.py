"""Checks one stream: its messages are decoded, encoded again, and encoded from the recorded events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

from tidewire.cli.conform.claims import encode
from tidewire.cli.conform.cover import gaps
from tidewire.cli.conform.recording import RecordedLine, RecordedStream
from tidewire.cli.conform.truth import sent, stamp
from tidewire.cli.conform.verdict import RE_ENCODE, Finding, Judge, Verdict
from tidewire.cli.eventjson import ROW_KINDS, kind_of
from tidewire.cli.protocols import options as make_options
from tidewire.events import Event
from tidewire.runtime.errors import DecodeError, EncodeError, OptionError, TidewireError

KEPT_FINDINGS = 100


@dataclass(slots=True)
class Tally:
    """Counts of messages by verdict, for one comparison."""

    identical: int = 0
    equivalent: int = 0
    different: int = 0

    def add(self, verdict: Verdict) -> None:
        """Counts one message."""
        setattr(self, verdict.state, getattr(self, verdict.state) + 1)

    def __iadd__(self, other: Tally) -> Tally:
        self.identical += other.identical
        self.equivalent += other.equivalent
        self.different += other.different
        return self


@dataclass(slots=True)
class Result:
    """The result of a stream, or of a group of streams."""

    streams: int = 0
    messages: int = 0
    events: int = 0
    decoded: Tally = field(default_factory=Tally)
    reencoded: Tally = field(default_factory=Tally)
    from_truth: Tally = field(default_factory=Tally)
    uncovered: int = 0
    """Number of lines and events that do not match each other."""
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of events that the producer refused, by its error and ours (or the known defect, if we encode them)."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Messages by the reason for which they are equivalent, counted once per comparison."""
    findings: list[Finding] = field(default_factory=list)
    """The first differences."""

    @property
    def different(self) -> int:
        """Messages that differ, summed over all comparisons."""
        return self.decoded.different + self.reencoded.different + self.from_truth.different

    @property
    def agrees(self) -> bool:
        """Whether there were messages, and none differs."""
        return self.messages > 0 and not self.different and not self.uncovered

    def miss(self, finding: Finding) -> None:
        """Counts a line or event that does not match."""
        self.uncovered += 1
        self.findings += [finding][: KEPT_FINDINGS - len(self.findings)]

    def count(self, tally: Tally, verdict: Verdict) -> None:
        """Counts the verdict on one message."""
        tally.add(verdict)
        self.reasons.update(verdict.reasons)
        self.findings += verdict.findings[: KEPT_FINDINGS - len(self.findings)]

    def __iadd__(self, other: Result) -> Result:
        self.streams += other.streams
        self.messages += other.messages
        self.events += other.events
        self.decoded += other.decoded
        self.reencoded += other.reencoded
        self.from_truth += other.from_truth
        self.uncovered += other.uncovered
        self.refused += other.refused
        self.reasons += other.reasons
        self.findings += other.findings[: KEPT_FINDINGS - len(self.findings)]
        return self


def _no_progress(_lines: int) -> None:
    """A progress callback that does nothing."""


def statements(lines: Iterable[RecordedLine], truth: Mapping[int, Event]) -> list[list[RecordedLine]]:
    """Groups lines by what was encoded together: consecutive rows with one commit ts, or one other event. A message
    with rows of several transactions joins their groups.
    """
    groups: list[list[RecordedLine]] = []
    last: int | None = None
    for line in lines:
        kinds = {kind_of(truth[n]) for n in line.events}
        rows = bool(kinds) and kinds.issubset(ROW_KINDS)
        commit_ts = truth[line.events[0]].commit_ts if rows else None
        if commit_ts is not None and commit_ts == last:
            groups[-1].append(line)
        else:
            groups.append([line])
        last = truth[line.events[-1]].commit_ts if rows else None
    return groups


def check(
    stream: RecordedStream,
    lines: Sequence[RecordedLine],
    truth: Mapping[int, Event],
    protocol: Any,
    advance: Callable[[int], None] = _no_progress,
) -> Result:
    """Checks one stream.

    Args:
        stream: the recorded stream.
        truth: recorded events by number.
        protocol: module of the protocol.
        advance: called with the number of lines that were completed since the last call.
    """
    result = Result(streams=1)
    stamp(truth, stream.sent_ms, stream.time_zone)
    messages = [line for line in lines if line.error is None]
    result.messages = len(messages)
    result.events = sum(len(line.events) for line in messages)
    known = stream.producer in protocol.FACTS.producers
    try:
        producer = {"producer": stream.producer} if known else {}
        claims = {"claim_check": str(stream.claims)} if stream.claims.is_dir() else {}
        options = make_options(protocol, {**producer, **stream.options}, invalid_text="bytes", **claims)
    except OptionError as error:
        result.miss(Judge(stream, protocol, None).header("options", str(error), str(dict(stream.options))))
        return result
    judge = Judge(stream, protocol, options)
    kinds = {kind_of(truth[n]) for line in messages for n in line.events if n in truth}
    judge.learn(truth.values(), told=protocol.FACTS.blocks and "ddl" in kinds)
    if not known:
        result.miss(judge.header("producer", " or ".join(protocol.FACTS.producers), stream.producer))
    for gap in gaps(lines, truth, protocol, options):
        result.miss(judge.gap(*gap))
    # Lines without an event, or with an unknown one, were reported already and cannot be compared.
    whole = [line for line in lines if line.events and all(number in truth for number in line.events)]
    advance(len(lines) - len(whole))
    for group in statements(whole, truth):
        _check_statement(judge, protocol, options, stream, group, truth, result)
        advance(len(group))
    return result


def _check_statement(
    judge: Judge,
    protocol: Any,
    options: Any,
    stream: RecordedStream,
    group: Sequence[RecordedLine],
    truth: Mapping[int, Event],
    result: Result,
) -> None:
    lines = [line for line in group if line.error is None]
    for line in group:
        if line.error is not None:
            for number in line.events:
                _check_refused(judge, protocol, options, line, number, truth[number], result)
    if not lines:
        return
    writes = protocol.FACTS.writes
    uncut = _uncut(protocol, options)
    decoded: list[Event] | None = []
    again = []  # the lines that have events
    for line in lines:
        silent = judge.silent(line, [truth[n] for n in line.events])
        if silent is not None:
            result.count(result.decoded, silent)
            if writes:
                result.count(result.reencoded, silent)
            continue
        again.append(line)
        try:
            got = judge.decode(line)
        except Exception as error:
            excused = (
                judge.unreadable(line, [truth[n] for n in line.events]) if isinstance(error, DecodeError) else None
            )
            if excused is None:
                result.count(result.decoded, judge.failed("decode", line, "its events", _said(error)))
                decoded = None
            else:
                result.count(result.decoded, Verdict(reasons=(excused[0],)))
                if decoded is not None:
                    decoded += excused[1]
            continue
        wanted = [
            sent(truth[n], stream.options, read, protocol.OPTIONS, protocol.FACTS.large, judge.told)
            for n, read in zip_longest(line.events, got)
            if n is not None
        ]
        result.count(result.decoded, judge.decoded(line, wanted, got, uncut))
        if decoded is not None:
            decoded += judge.timed(got, [truth[n] for n in line.events])
    if not writes:
        return
    if decoded is None:
        verdicts = [
            judge.failed("re-encode", line, "its events", "a message of the statement was not decoded")
            for line in again
        ]
    else:
        verdicts = _encode(judge, protocol, uncut, RE_ENCODE, again, decoded) if again else []
    for verdict in verdicts:
        result.count(result.reencoded, verdict)
    # in the order of the recorded events, not of the lines
    happened = [truth[n] for n in sorted({n for line in lines for n in line.events})]
    for verdict in _encode(judge, protocol, options, "encode from truth", lines, happened):
        result.count(result.from_truth, verdict)


def _uncut(protocol: Any, options: Any) -> Any:
    """The options without those that remove columns from row images: the expected events have only the columns that
    were sent.
    """
    return replace(options, **{one.python_name: False for one in protocol.OPTIONS if one.cuts})


def _encode(
    judge: Judge, protocol: Any, options: Any, what: str, lines: Sequence[RecordedLine], events: Sequence[Event]
) -> list[Verdict]:
    kept = judge.place_for_files()
    try:
        messages = encode(protocol, options, events, kept, judge.known(what))
    except Exception as error:
        return [judge.failed(what, line, "a message", _said(error)) for line in lines]
    return judge.encoded(what, lines, messages, kept)


def _check_refused(
    judge: Judge, protocol: Any, options: Any, line: RecordedLine, number: int, event: Event, result: Result
) -> None:
    said = str(line.error)
    if not protocol.FACTS.writes:
        result.refused[said, "the protocol has no encoder"] += 1
        return
    try:
        encode(protocol, options, [event], judge.place_for_files(), judge.known("encode from truth"))
    except EncodeError as error:
        result.refused[said, error.reason] += 1
    except Exception as error:
        result.miss(judge.gap(line, number, "error", "EncodeError", _said(error)))
    else:
        name = judge.refused(event)
        if name is None:
            result.miss(judge.gap(line, number, "error", "a message, for nothing of it is refused", said))
        else:
            result.refused[said, f"written, see {name}"] += 1


def _said(error: Exception) -> str:
    """The text of an exception. Any that is not a `TidewireError` is a bug here, and reported as a difference."""
    return str(error) if isinstance(error, TidewireError) else f"{type(error).__name__}: {error}"
