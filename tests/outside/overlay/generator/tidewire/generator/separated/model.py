"""The model of a protocol whose values are fields of text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tidewire.generator.model import Protocol
from tidewire.generator.words import Located, Word


@dataclass(frozen=True, kw_only=True, eq=False)
class Field(Located):
    """A field: what happened (`switch`), a field of the event, or, last, the columns and all that follows."""

    id: Word
    switch: bool
    event: Word | None
    values: Word | None
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class LineCase(Located):
    """What happened, by its text, and the mark before the columns of each image."""

    text: str
    event: Word
    images: Mapping[Word, str]


@dataclass(frozen=True, kw_only=True, eq=False)
class LineProtocol(Protocol):
    """A protocol whose values are lines."""

    fields: tuple[Field, ...]
    separator: int
    cases: tuple[LineCase, ...]
