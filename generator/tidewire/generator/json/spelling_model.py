"""How producers format JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..model import Located


class Spelled(NamedTuple):
    """How one producer formats JSON."""

    html: bool
    """Whether & < > are escaped."""
    letters: bool
    """Whether backspace and form feed have a short form, as tab, newline and carriage return always have."""
    separators: bool
    """Whether U+2028 and U+2029 are escaped."""
    exponent: int
    """The fewest digits of a float's exponent."""


@dataclass(frozen=True)
class ByWho:
    """A boolean or a number, for all producers or for each."""

    all: int | None
    by: Mapping[str, int]
    """The values by producer; empty if one value counts for all. The keys are words."""

    def of(self, producer: str) -> int:
        """The value for this producer."""
        return self.by[producer] if self.all is None else self.all


@dataclass(frozen=True, kw_only=True, eq=False)
class Spelling(Located):
    """How JSON is formatted."""

    says: Mapping[str, ByWho]
    """The settings by name in the spec, such as `html`."""

    def of(self, producer: str) -> Spelled:
        """How this producer formats JSON. The pass `links` checks that every word has a value for it."""
        said = {word: one.of(producer) for word, one in self.says.items()}
        return Spelled(
            html=bool(said.get("html")),
            letters=bool(said.get("letters")),
            separators=bool(said.get("separators")),
            exponent=said.get("exponent", 1),
        )
