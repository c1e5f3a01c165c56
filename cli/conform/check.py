"""One stream through the codec: decoded, encoded again, and encoded from the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tidewire.cli.conform.claims import encode
from tidewire.cli.conform.recording import Line, Stream
from tidewire.cli.conform.truth import pick, sent, stamp
from tidewire.cli.conform.verdict import Finding, Judge, Verdict
from tidewire.cli.eventjson import ROW_KINDS, kind_of
from tidewire.cli.protocols import options as make_options
from tidewire.events import Event
from tidewire.runtime.errors import EncodeError, OptionError, TidewireError

KEPT_FINDINGS = 100


@dataclass(slots=True)
class Tally:
    """How many messages came out how, for one comparison."""

    identical: int = 0
    equivalent: int = 0
    different: int = 0

    def add(self, verdict: Verdict) -> None:
        """Count one message."""
        setattr(self, verdict.state, getattr(self, verdict.state) + 1)

    def __iadd__(self, other: Tally) -> Tally:
        self.identical += other.identical
        self.equivalent += other.equivalent
        self.different += other.different
        return self


@dataclass(slots=True)
class Result:
    """What a stream, or a group of streams, came to."""

    streams: int = 0
    messages: int = 0
    events: int = 0
    decoded: Tally = field(default_factory=Tally)
    reencoded: Tally = field(default_factory=Tally)
    from_truth: Tally = field(default_factory=Tally)
    refused: int = 0
    """Events that the producer refused, and so do we."""
    carried: list[str] = field(default_factory=list)
    """Events that the producer refused and we can carry, with what it said."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Messages by the reason they are equivalent under; one counts once for each comparison."""
    findings: list[Finding] = field(default_factory=list)
    """The first differences."""

    @property
    def different(self) -> int:
        """Messages that differ, over all comparisons."""
        return self.decoded.different + self.reencoded.different + self.from_truth.different

    def count(self, tally: Tally, verdict: Verdict) -> None:
        """Add one message's verdict."""
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
        self.refused += other.refused
        self.carried += other.carried
        self.reasons += other.reasons
        self.findings += other.findings[: KEPT_FINDINGS - len(self.findings)]
        return self


def statements(lines: Iterable[Line], truth: Mapping[int, Event]) -> list[list[Line]]:
    """Lines that were encoded together: consecutive rows with one commit ts; every other event is alone."""
    groups: list[list[Line]] = []
    last: int | None = None
    for line in lines:
        kinds = {kind_of(truth[n]) for n in line.events}
        rows = bool(kinds) and kinds.issubset(ROW_KINDS)
        commit_ts = truth[line.events[0]].commit_ts if rows else None
        if commit_ts is not None and commit_ts == last:
            groups[-1].append(line)
        else:
            groups.append([line])
        last = commit_ts
    return groups


def check(stream: Stream, lines: Sequence[Line], truth: Mapping[int, Event], protocol: Any) -> Result:
    """Run one stream.

    Args:
        stream: what it is.
        lines: its lines.
        truth: the events by number.
        protocol: the module that is tested.

    Raises:
        CommandError: a line names an event that is not in the truth.
    """
    result = Result(streams=1)
    place = str(stream.path)
    stamp(truth, stream.sent_ms)
    for line in lines:
        pick(truth, line.events, place)
    messages = [line for line in lines if line.error is None]
    result.messages = len(messages)
    result.events = sum(len(line.events) for line in messages)
    try:
        # A producer that the protocol's spec does not know is taken to write what the default one writes.
        producer = {"producer": stream.producer} if stream.producer in protocol.PRODUCERS else {}
        claims = {"claim_check": str(stream.claims)} if stream.claims.is_dir() else {}
        options = make_options(protocol, {**producer, **stream.options}, invalid_text="bytes", **claims)
    except OptionError as error:
        judge = Judge(stream, protocol, None)
        for line in messages:
            result.count(result.decoded, judge.failed("options", line, str(dict(stream.options)), str(error)))
        return result
    judge = Judge(stream, protocol, options)
    for group in statements(lines, truth):
        _check_statement(judge, protocol, options, stream, group, truth, result)
    return result


def _check_statement(
    judge: Judge,
    protocol: Any,
    options: Any,
    stream: Stream,
    group: Sequence[Line],
    truth: Mapping[int, Event],
    result: Result,
) -> None:
    lines = [line for line in group if line.error is None]
    for line in group:
        if line.error is not None:
            _check_refused(judge, protocol, options, line, [truth[n] for n in line.events], result)
    if not lines:
        return
    decoded: list[Event] | None = []
    for line in lines:
        wanted = [sent(truth[n], stream.options) for n in line.events]
        try:
            got = judge.decode(line)
        except Exception as error:
            result.count(result.decoded, judge.failed("decode", line, "its events", _said(error)))
            decoded = None
            continue
        result.count(result.decoded, judge.decoded(line, wanted, got))
        if decoded is not None:
            decoded += got
    if decoded is None:
        verdicts = [
            judge.failed("re-encode", line, "its events", "a message of the statement was not decoded")
            for line in lines
        ]
    else:
        verdicts = _encode(judge, protocol, _uncut(protocol, options), "re-encode", lines, decoded)
    for verdict in verdicts:
        result.count(result.reencoded, verdict)
    happened = [truth[n] for line in lines for n in line.events]
    for verdict in _encode(judge, protocol, options, "encode from truth", lines, happened):
        result.count(result.from_truth, verdict)


def _uncut(protocol: Any, options: Any) -> Any:
    """Options that leave no columns out: a message has those that are left, and need not say why."""
    return replace(options, **{one.python_name: False for one in protocol.OPTIONS if one.cuts})


def _encode(
    judge: Judge, protocol: Any, options: Any, what: str, lines: Sequence[Line], events: Sequence[Event]
) -> list[Verdict]:
    kept = judge.place_for_files()
    try:
        messages = encode(protocol, options, events, kept)
    except Exception as error:
        return [judge.failed(what, line, "a message", _said(error)) for line in lines]
    return judge.encoded(what, lines, messages, kept)


def _check_refused(
    judge: Judge, protocol: Any, options: Any, line: Line, events: Sequence[Event], result: Result
) -> None:
    try:
        encode(protocol, options, events, judge.place_for_files())
    except EncodeError:
        result.refused += 1
    except Exception as error:
        result.count(result.from_truth, judge.failed("encode from truth", line, "EncodeError", _said(error)))
    else:
        result.carried.append(str(line.error))


def _said(error: Exception) -> str:
    """What an exception says. One that is not of the family is a defect of ours, shown like any other difference."""
    return str(error) if isinstance(error, TidewireError) else f"{type(error).__name__}: {error}"
