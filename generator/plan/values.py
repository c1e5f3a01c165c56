"""The plan of a value table, whatever codecs it names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PlannedValues:
    """A table that says how values are written."""

    name: str
    about: str
    cases: tuple[tuple[tuple[int, ...], tuple[tuple[str, str], ...], str, str], ...]
    """Type codes, (flag, codec) of what a flag changes, codec, names of the types."""
    unknown: str
