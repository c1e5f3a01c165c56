"""TSO: TiDB's timestamps, and times in other units than their milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime

TSO_SHIFT = 18
"""How many bits the milliseconds since 1970 are shifted in a TSO, above its counter."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""The time that the milliseconds of a TSO are counted from."""


def thousandth(value: int) -> int:
    """A thousandth of a number, rounded down: milliseconds as seconds, microseconds as milliseconds."""
    return value // 1000
