"""The chapter `connect`: how an encoder writes columns into schema blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..extract import about, entries, key_word, located, need
from ..load import YamlNode
from ..words import Located, Word


@dataclass(frozen=True, kw_only=True, eq=False)
class ConnectChapter(Located):
    """The model of the chapter `connect`."""

    unsent: Mapping[Word, Word]
    """By producer, where a block lists table columns that its rows do not have: at the end, or twice (in their place
    and at the end).
    """
    nulls: Mapping[Word, Word]
    """By producer, how NULL in a column with a default is written: as the default, or as the result of parsing the
    default; a producer that is not listed writes null.
    """
    about: str


def connect_chapter(node: YamlNode) -> ConnectChapter:
    """The model of a chapter."""
    return ConnectChapter(
        **located(node),
        unsent={key_word(node["unsent"], key): need(node["unsent"], key) for key, _ in entries(node, "unsent")},
        nulls={key_word(node["nulls"], key): need(node["nulls"], key) for key, _ in entries(node, "nulls")},
        about=about(node),
    )
