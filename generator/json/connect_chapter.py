"""The chapter `connect`: what blocks are, and what a writer makes of columns there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..extract import about, entries, key_word, located, need
from ..load import YamlNode
from ..words import Located, Word
from .connect_blocks import BlockNode, block_nodes


@dataclass(frozen=True, kw_only=True, eq=False)
class ConnectChapter(Located):
    """All of it."""

    unsent: Mapping[Word, Word]
    """By producer, where a block has the columns of a table that its rows do not have: the last ones, or twice, in
    their place and as the last ones."""
    nulls: Mapping[Word, Word]
    """By producer, as what NULL in a column with a default is written: as the default, or as what comes of parsing it;
    where none is said, NULL is null."""
    structs: Mapping[Word, BlockNode]
    about: str


def connect_chapter(node: YamlNode) -> ConnectChapter:
    """The model of a chapter."""
    return ConnectChapter(
        **located(node),
        unsent={key_word(node["unsent"], key): need(node["unsent"], key) for key, _ in entries(node, "unsent")},
        nulls={key_word(node["nulls"], key): need(node["nulls"], key) for key, _ in entries(node, "nulls")},
        structs=block_nodes(node["structs"]),
        about=about(node),
    )
