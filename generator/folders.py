"""The folders of plug-ins: those in this one that have a `plugin.py`. Nothing lists them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent


@cache
def folders() -> tuple[Path, ...]:
    """Sorted by name."""
    return tuple(sorted(path.parent for path in HERE.glob("*/plugin.py")))
