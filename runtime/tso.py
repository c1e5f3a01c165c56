"""TSO: TiDB's timestamps."""

from __future__ import annotations

TSO_SHIFT = 18
"""By how many bits the milliseconds of a TSO, since 1970, are above its counter."""
