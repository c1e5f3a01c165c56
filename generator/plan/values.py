"""The plan of a value table, whatever codecs it names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PlannedCase:
    """How the values of some column types are written."""

    codes: tuple[int, ...]
    """Of the types."""
    flagged: tuple[tuple[str, str], ...]
    """Flags, and the codecs that they change."""
    codec: str
    names: str
    """Of the types."""
    unflagged: str | None = None
    """The codec where a message says no flags, where that is another one."""

    @property
    def codecs(self) -> tuple[str, ...]:
        return (self.codec, *(codec for _, codec in self.flagged), *([self.unflagged] if self.unflagged else []))


@dataclass(frozen=True)
class PlannedValues:
    """A table that says how values are written."""

    name: str
    about: str
    cases: tuple[PlannedCase, ...]
    unknown: str
