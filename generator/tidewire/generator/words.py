"""Words: strings of the spec with their locations, and the base class of the model's nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .problems import Location


class Word(str):
    """A string of the spec with its location."""

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
    """Base class of all nodes: the location of the node and those of its words."""

    location: Location
    words: Mapping[str, Location] = field(repr=False)

    def at(self, word: str) -> Location:
        """The location of one of the node's words; of the node itself if it lacks the word."""
        return self.words.get(word, self.location)
