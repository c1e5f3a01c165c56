"""The folders of plug-ins: those here with a `plugin.py`. There is no list of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent


@cache
def folders() -> tuple[Path, ...]:
    """The folders, sorted by name."""
    return tuple(sorted(path.parent for path in HERE.glob("*/plugin.py")))
