"""What a spec states of schema blocks in parts and members, besides what follows from these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..extract import located, number, text, texts, word, word_list
from ..load import YamlNode
from ..words import Located, Word

NAMES = ("schema", "table")
"""What a name may contain in braces, besides options."""


@dataclass(frozen=True, kw_only=True, eq=False)
class BlockWords(Located):
    """What a block says of a part or a member beyond what follows from it."""

    type: str | None = None
    """Kafka Connect's type; None: that of the member."""
    optional: bool | None = None
    """Whether it can be null; None: if the member is always null, or written as null where there is nothing."""
    optional_of: tuple[Word, ...] = ()
    """The classes of events in whose blocks it can be null."""
    named: Word | None = None
    version: int | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    default: str | int | bool | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    """The fields of a struct that no part describes, with their types."""
    first: tuple[str, ...] = ()
    """Kafka Connect's words that come first, in a struct and in its fields."""
    order: tuple[Word, ...] = ()
    """Members of the part that are fields in another order: each behind the one before it."""
    when: Word | None = None
    """The option without which the field is omitted."""
    producers: tuple[Word, ...] = ()
    """The producers that write the field; empty: all of them."""

    @property
    def braces(self) -> tuple[Word, ...]:
        """The words in braces in the name."""
        if self.named is None:
            return ()
        return tuple(Word(one, self.named.location) for one in pieces_of(self.named)[1::2])


def pieces_of(name: str) -> list[str]:
    """Splits a name at its braces: text, word in braces, text, and so on."""
    first, *others = name.split("{")
    found = [first]
    for one in others:
        inside, brace, behind = one.partition("}")
        if brace:
            found += [inside, behind]
        else:
            found[-1] += "{" + one
    return found


def block_words(node: YamlNode) -> BlockWords:
    """What a mapping states of a block."""
    optional = node["optional"].plain() if "optional" in node else None
    default: Any = node["default"].plain() if "default" in node else None
    return BlockWords(
        **located(node),
        type=text(node, "type"),
        optional=optional if isinstance(optional, bool) else None,
        optional_of=word_list(node, "optional") if isinstance(optional, list) else (),
        named=word(node, "named"),
        version=number(node, "version"),
        parameters=texts(node, "parameters"),
        default=default,
        fields=texts(node, "fields"),
        first=tuple(map(str, word_list(node, "words"))),
        order=word_list(node, "order"),
        when=word(node, "when"),
        producers=word_list(node, "producers"),
    )


def block_of(node: YamlNode) -> BlockWords:
    """What stands under `block` in a part or a member; nothing, where the word is missing."""
    return block_words(node["block"]) if "block" in node else BlockWords(location=node.location, words={})
