"""Known damage: whether a recorded message differs from ours only by what a defect overwrites or leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple


class Overwritten(NamedTuple):
    """What a defect does to a value, as the protocol's spec says it (`FACTS.defects` of its module)."""

    keeps: int
    """Bytes at the value's start that are right."""
    by: Sequence[str]
    """The codecs of the values whose first bytes are found behind them."""


class Nameless(NamedTuple):
    """What a defect leaves out, as the protocol's spec says it (`nameless` in the `FACTS` of its module)."""

    image: str
    """The member whose columns lose name and braces, so that what is said of them stands in the image by itself."""
    other: str
    """The member in which these columns are NULL."""

    def without(self, protocol: Any, value: bytes, key: bytes | None) -> bytes:
        """The value of a message, not compressed, as the producer with this defect writes it."""
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
        """Where an item has names and braces of columns that the producer leaves out."""
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
    """The parts of a span, in their order."""
    return [one for one in spans if one.depth == outer.depth + 1 and outer.start <= one.start and one.end <= outer.end]


def explains(rule: Overwritten, protocol: Any, recorded: bytes | None, ours: bytes | None) -> bool:
    """Whether the recorded message is ours with values overwritten as the rule says, and with nothing else changed."""
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
    """A value's bytes behind whose first ones those of the following value were written, as far as these reach."""
    return (value[: rule.keeps] + following + value[rule.keeps + len(following) :])[: len(value)]
