"""Known damage of values: whether a recorded message is what we write, but for what a producer's defect overwrites."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class Overwritten(NamedTuple):
    """What a defect does to a value, as the protocol's spec says it (`OVERWRITTEN` of its module)."""

    keeps: int
    """Bytes at the value's start that are right."""
    by: Sequence[str]
    """The codecs of the values whose first bytes are found behind them."""


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
