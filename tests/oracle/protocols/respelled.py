"""Compares Debezium messages, ignoring the format of NULLs that became the column's default."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

TWICE, YEAR = "bytes-default-twice", "year-default-as-text"
"""Names of the spec: bytes in base64 and again as text, and a YEAR as a text."""


class Number(NamedTuple):
    """A number by its digits."""

    digits: str


class Members(NamedTuple):
    """The members of an object, in their order."""

    pairs: list[tuple[str, Any]]


def respelled(theirs: bytes, ours: bytes) -> str | None:
    """What TiCDC's message has that ours has not; None where something else differs.

    Args:
        theirs: TiCDC's message.
        ours: our own.
    """
    found: set[str] = set()
    if not _alike(_parsed(theirs), _parsed(ours), found) or not found:
        return None
    return "messages " + " and ".join(sorted(found))


def _parsed(message: bytes) -> Any:
    return json.loads(message, object_pairs_hook=Members, parse_int=Number, parse_float=Number)


def _alike(theirs: Any, ours: Any, found: set[str]) -> bool:
    if isinstance(theirs, Members) and isinstance(ours, Members):
        pairs = _once(theirs.pairs)
        if len(pairs) != len(theirs.pairs):
            found.add(TWICE)
        return [name for name, _ in pairs] == [name for name, _ in ours.pairs] and all(
            _alike(one, other, found) for (_, one), (_, other) in zip(pairs, ours.pairs, strict=True)
        )
    if isinstance(theirs, list) and isinstance(ours, list):
        return len(theirs) == len(ours) and all(map(_alike, theirs, ours, [found] * len(ours)))
    if isinstance(theirs, str) and isinstance(ours, Number) and theirs == ours.digits:
        found.add(YEAR)
        return True
    return type(theirs) is type(ours) and bool(theirs == ours)


def _once(pairs: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """The members without those that stand there a second time at once."""
    return [pair for at, pair in enumerate(pairs) if at == 0 or pairs[at - 1][0] != pair[0]]
