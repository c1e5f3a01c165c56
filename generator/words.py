"""Words: what every node of the model is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .problems import Location


class Word(str):
    """A string of the spec that knows where it stands."""

    __slots__ = ("location",)
    location: Location

    def __new__(cls, text: str, location: Location) -> Word:
        word = super().__new__(cls, text)
        word.location = location
        return word

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of a dotted reference."""
        return tuple(self.split("."))


@dataclass(frozen=True, kw_only=True, eq=False)
class Located:
    """What every node has: its location and those of its words."""

    location: Location
    words: Mapping[str, Location] = field(repr=False)

    def at(self, word: str) -> Location:
        """The location of one of the node's words, or of the node when the word is not there."""
        return self.words.get(word, self.location)
