"""Words: what every node of the model is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .problems import Place


class Word(str):
    """A string of the spec that knows where it stands."""

    __slots__ = ("place",)
    place: Place

    def __new__(cls, text: str, place: Place) -> Word:
        word = super().__new__(cls, text)
        word.place = place
        return word

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of a dotted reference."""
        return tuple(self.split("."))


@dataclass(frozen=True, kw_only=True, eq=False)
class Placed:
    """What every node has: its place and the places of its words."""

    place: Place
    words: Mapping[str, Place] = field(repr=False)

    def at(self, word: str) -> Place:
        """The place of one of the node's words, or of the node when the word is not there."""
        return self.words.get(word, self.place)
