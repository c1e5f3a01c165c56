"""TSO: TiDB's timestamps."""

from __future__ import annotations

TSO_SHIFT = 18
"""How many bits the milliseconds since 1970 are shifted in a TSO, above its counter."""
