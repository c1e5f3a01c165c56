"""How producers spell JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..model import Located


class Spelled(NamedTuple):
    """How a producer spells JSON."""

    html: bool
    """Whether & < > are escaped."""
    letters: bool
    """Whether backspace and form feed have a short form, as tab, newline and carriage return have."""
    separators: bool
    """Whether U+2028 and U+2029 are escaped."""
    exponent: int
    """The fewest digits of a float's exponent."""


@dataclass(frozen=True)
class ByWho:
    """A bool or a number that is said once for all, or by producer."""

    all: int | None
    by: Mapping[str, int]
    """By producer; no entries when it is said once. The keys are words."""

    def of(self, producer: str) -> int:
        """What is said of this producer."""
        return self.by[producer] if self.all is None else self.all


@dataclass(frozen=True, kw_only=True, eq=False)
class Spelling(Located):
    """How JSON is spelled."""

    says: Mapping[str, ByWho]
    """By word."""

    def of(self, producer: str) -> Spelled:
        """How this producer spells it. Every word says something of it, as the pass `links` makes sure."""
        said = {word: one.of(producer) for word, one in self.says.items()}
        return Spelled(
            html=bool(said.get("html")),
            letters=bool(said.get("letters")),
            separators=bool(said.get("separators")),
            exponent=said.get("exponent", 1),
        )
