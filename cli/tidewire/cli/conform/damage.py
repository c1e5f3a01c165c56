"""Checks whether a recorded message differs from ours only by what a known defect overwrites or omits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple


class Overwritten(NamedTuple):
    """How a defect damages a value, from the protocol's spec (`FACTS.defects` of its module)."""

    keeps: int
    """Number of leading bytes of a value that are correct."""
    by: Sequence[str]
    """Codecs of the values whose first bytes overwrite the rest."""


class Nameless(NamedTuple):
    """What a defect omits, from the protocol's spec (`nameless` in the `FACTS` of its module)."""

    image: str
    """The member whose columns lose their names and braces, so that their contents are directly in the image."""
    other: str
    """The member in which the affected columns are NULL."""

    def without(self, protocol: Any, value: bytes, key: bytes | None) -> bytes:
        """An uncompressed message value as a producer with this defect writes it."""
        spans = sorted((one for one in protocol.dissect(value, key) if one.part == "value"), key=lambda one: one.start)
        found = b""
        for item in (one for one in spans if one.depth == 0):
            length, *rest = _inside(spans, item)
            body, at = b"", length.end
            for start, end in self._lost(spans, {one.path.rpartition("/")[2]: one for one in rest}):
                body, at = body + value[at:start], end
            body += value[at : item.end]
            found += len(body).to_bytes(length.end - length.start, "big") + body
        return found

    def _lost(self, spans: Sequence[Any], images: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
        """Start and end of the names and braces that the producer omits in an item."""
        if self.image not in images or self.other not in images:
            return
        other = {
            column.path.partition(f"/{self.other}/")[2]: value
            for column in _inside(spans, images[self.other])
            for value in _inside(spans, column)
            if value.type == "value"
        }
        for column in _inside(spans, images[self.image]):
            said = _inside(spans, column)
            same = other.get(column.path.partition(f"/{self.image}/")[2])
            if same is not None and same.value is None:
                yield column.start, said[0].start
                yield said[-1].end, column.end


def _inside(spans: Sequence[Any], outer: Any) -> list[Any]:
    """The direct parts of a span, in order."""
    return [one for one in spans if one.depth == outer.depth + 1 and outer.start <= one.start and one.end <= outer.end]


def explains(rule: Overwritten, protocol: Any, recorded: bytes | None, ours: bytes | None) -> bool:
    """Whether the recorded message is ours with values overwritten according to the rule, and is otherwise identical.
    """
    if recorded is None or ours is None or len(recorded) != len(ours):
        return False
    values = [span for span in protocol.dissect(ours) if span.column is not None and span.end > span.start]
    values.sort(key=lambda span: span.start)
    at = 0
    following: list[bytes] = []
    for k, span in enumerate(values):
        if recorded[at : span.start] != ours[at : span.start]:
            return False
        at = span.end
        own, found = ours[span.start : span.end], recorded[span.start : span.end]
        if found != own:
            following = [ours[one.start : one.end] for one in values[k + 1 :] if one.type in rule.by][:1]
            if not following or found != overwritten(rule, own, following[0]):
                return False
    return recorded[at:] == ours[at:]


def overwritten(rule: Overwritten, value: bytes, following: bytes) -> bytes:
    """A value after its leading bytes were kept and the rest was overwritten with the following value, as far as that
    reaches.
    """
    return (value[: rule.keeps] + following + value[rule.keeps + len(following) :])[: len(value)]
