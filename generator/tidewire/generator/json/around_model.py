"""The model of what objects lie in, lines and envelopes, and of keys that are columns of a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..words import Located, Word
from .connect_words import BlockWords


@dataclass(frozen=True, kw_only=True, eq=False)
class Lines(Located):
    """Several objects in one value. Each is followed by the text of the option `terminator`, which may be empty."""

    name: Word
    part: Word
    terminator: Word
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Envelope(Located):
    """An object in Kafka Connect's envelope, `{"payload": ..., "schema": ...}`, with the schema block of the
    payload.
    """

    name: Word
    payload: Word
    """The part that is the payload."""
    blocks: Mapping[Word, BlockWords]
    """What schema blocks say of the payload, by class of events."""
    unless: Word | None
    """The option with which the schema block is omitted."""
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class FlaggedColumns(Located):
    """An object with the columns of a row that have a flag: of the new row image, or of the old one if there is no new
    one.
    """

    name: Word
    flagged: Word
    values: Word
    block: BlockWords
    about: str
