"""TSO: TiDB's timestamps."""

from __future__ import annotations

from datetime import UTC, datetime

TSO_SHIFT = 18
"""How many bits the milliseconds since 1970 are shifted in a TSO, above its counter."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""The time that the milliseconds of a TSO are counted from."""
