"""What becomes of a comparison: identical, equivalent under a reason that the protocol's spec names, or different."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tidewire.cli.conform.compare import Carried, Difference, events
from tidewire.cli.conform.recording import Line, Stream
from tidewire.events import Event

CONTEXT = 8


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference with its place in the recording, for people."""

    stream: str
    message: int
    event: int | None
    """`n` of the event, None when it is about the whole message."""
    what: str
    """Which comparison: decode, re-encode, encode from truth."""
    where: str
    wanted: str
    got: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one message came to: `reason` names the defect that explains it, `findings` what nothing explains."""

    reason: str | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def state(self) -> str:
        """identical, equivalent or different."""
        return "different" if self.findings else "equivalent" if self.reason else "identical"


SAME = Verdict()


class Judge:
    """Tells agreement from difference for one stream."""

    def __init__(self, stream: Stream, protocol: Any, options: Any) -> None:
        self._name = f"{stream.producer}/{stream.scenario}/{stream.path.name}"
        self._protocol = protocol
        self._options = options
        self._carried = Carried(protocol.CARRIES, protocol.CARRIED_FLAGS)
        # A mended producer has none of its defects, so nothing of its recordings is excused.
        self._defects: dict[str, tuple[int, ...]] = {}
        if not stream.mended:
            for name, (producers, types, _about) in protocol.DEFECTS.items():
                if stream.producer in producers:
                    self._defects[name] = types

    def decode(self, line: Line) -> list[Event]:
        """The events of a recorded message.

        Raises:
            DecodeError: it cannot be decoded.
        """
        return list(self._protocol.decode(line.value, line.key, self._options))

    def decoded(self, line: Line, wanted: Sequence[Event], got: Sequence[Event]) -> Verdict:
        """A message's events against what happened."""
        return self._of_events("decode", line, events(wanted, got, self._carried))

    def failed(self, what: str, line: Line, wanted: str, got: str) -> Verdict:
        """A message that did not even get to a comparison."""
        return Verdict(findings=(Finding(self._name, line.number, None, what, "message", wanted, got),))

    def encoded(self, what: str, lines: Sequence[Line], messages: Sequence[Any]) -> list[Verdict]:
        """Encoded messages against recorded ones, one verdict for each recorded one."""
        verdicts = [
            self._of_bytes(what, line, message.key, message.value)
            for line, message in zip(lines, messages, strict=False)
        ]
        verdicts += [
            self.failed(what, line, f"{len(lines)} messages", f"{len(messages)} messages")
            for line in lines[len(messages) :]
        ]
        if len(messages) > len(lines):
            extra = self.failed(what, lines[-1], f"{len(lines)} messages", f"{len(messages)} messages")
            verdicts[-1] = Verdict(findings=verdicts[-1].findings + extra.findings)
        return verdicts

    def _of_events(self, what: str, line: Line, differences: Sequence[Difference]) -> Verdict:
        if not differences:
            return SAME
        for name, types in self._defects.items():
            if all(d.column_type in types for d in differences):
                return Verdict(reason=name)
        return Verdict(
            findings=tuple(
                Finding(
                    self._name,
                    line.number,
                    line.events[d.event] if d.event < len(line.events) else None,
                    what,
                    d.where,
                    d.wanted,
                    d.got,
                )
                for d in differences
            )
        )

    def _of_bytes(self, what: str, line: Line, key: bytes | None, value: bytes | None) -> Verdict:
        if (key, value) == (line.key, line.value):
            return SAME
        # A defect overwrites values and nothing else: the message is as long, and only such values are not the same.
        if self._defects and key == line.key and len(value or b"") == len(line.value or b""):
            try:
                ours = list(self._protocol.decode(value, key, self._options))
                verdict = self._of_events(what, line, events(self.decode(line), ours, self._carried))
            except Exception:  # what cannot be decoded is explained by nothing
                verdict = SAME
            if verdict.reason:
                return verdict
        part, wanted, got = ("value", line.value, value) if key == line.key else ("key", line.key, key)
        where = self._field(line, wanted or b"", got or b"") if part == "value" else part
        return Verdict(findings=(Finding(self._name, line.number, None, what, where, *_window(wanted, got)),))

    def _field(self, line: Line, wanted: bytes, got: bytes) -> str:
        """The field that the first differing byte of the recorded message belongs to."""
        offset = first_difference(wanted, got)
        try:
            spans = self._protocol.dissect(wanted, line.key)
        except Exception:  # a dissector that fails takes nothing from the finding but the field's name
            spans = []
        inside = [span for span in spans if span.start <= offset < span.end]
        if not inside:
            return f"value at {offset}"
        return f"{max(inside, key=lambda s: s.depth).path} at {offset}"


def first_difference(wanted: bytes, got: bytes) -> int:
    """Offset of the first byte that differs; where the shorter one ends when it starts the longer one."""
    for offset, (w, g) in enumerate(zip(wanted, got, strict=False)):
        if w != g:
            return offset
    return min(len(wanted), len(got))


def _window(wanted: bytes | None, got: bytes | None) -> tuple[str, str]:
    """Both as hex around the first difference, with their lengths."""
    if wanted is None or got is None:
        return tuple("null" if data is None else f"{len(data)} bytes" for data in (wanted, got))  # type: ignore[return-value]
    start = max(first_difference(wanted, got) - CONTEXT // 2, 0)
    shown = [f"{'…' if start else ''}{d[start : start + CONTEXT].hex(' ')}… of {len(d)}" for d in (wanted, got)]
    return shown[0], shown[1]
