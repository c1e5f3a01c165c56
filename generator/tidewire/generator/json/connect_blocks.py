"""Kafka Connect schema blocks as the spec states them: each word as on the wire, in wire order."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ..extract import key_word, located, word, word_list
from ..load import YamlNode
from ..syntax.nodes import NONE, Expression, Items, Literal, Name
from ..words import Located, Word

COLUMNS = ("columns", "key_columns")
"""Values of `fields:` that mean the columns of a row, and the columns of its key."""
NAMES = ("schema", "table")
"""What a name may contain in braces, besides options."""
UNWRITTEN = ("when", "producers", "of")
"""Words of a struct or a field that control the encoder and are not written to the wire."""

Said: TypeAlias = "str | int | bool | Word | BlockNode | tuple[Word | BlockNode, ...] | Mapping[str, str]"


@dataclass(frozen=True, kw_only=True, eq=False)
class BlockNode(Located):
    """A struct or a field of a block: its words and their values, in wire order."""

    said: Mapping[str, Said]
    when: Word | None
    """The option without which it is omitted."""
    producers: tuple[Word, ...]
    """The producers that write it; empty: all of them."""
    of: tuple[Word, ...]
    """The classes of events whose blocks contain it; empty: all of them."""

    @property
    def optional(self) -> bool:
        """Whether some options or some producers omit it."""
        return self.when is not None or bool(self.producers)

    @property
    def inner(self) -> Iterator[Word | BlockNode]:
        """The nodes directly inside this one; named structs are given by their names."""
        for one in self.said.values():
            if isinstance(one, BlockNode):
                yield one
            elif isinstance(one, tuple):
                yield from one

    @property
    def all(self) -> Iterator[BlockNode]:
        """This node and all nodes inside it; named structs are not followed."""
        yield self
        for one in self.inner:
            if isinstance(one, BlockNode):
                yield from one.all

    @property
    def braces(self) -> Iterator[Word]:
        """The words in braces in its name."""
        name = self.said.get("name")
        for found in pieces_of(name)[1::2] if isinstance(name, str) else ():
            yield Word(found, self.words["name"])


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


def block_node(node: YamlNode) -> BlockNode:
    """The model of a struct or a field."""
    return BlockNode(
        **located(node),
        said={key: _said(key, below) for key, below in node.items() if key not in UNWRITTEN},
        when=word(node, "when"),
        producers=word_list(node, "producers"),
        of=word_list(node, "of"),
    )


def block_nodes(node: YamlNode) -> dict[Word, BlockNode]:
    """The structs of a chapter, by name."""
    return {key_word(node, key): block_node(below) for key, below in node.items()}


def _said(key: str, node: YamlNode) -> Said:
    if key == "fields" and isinstance(node.value, str):
        return Word(node.value, node.location)
    if key == "fields":
        found = node.list()
        return tuple(Word(one.value, one.location) if isinstance(one.value, str) else block_node(one) for one in found)
    if key == "items":
        return block_node(node)
    plain = node.plain()
    if isinstance(plain, dict):
        return {name: str(text) for name, text in plain.items()}
    assert isinstance(plain, str | int), "words of blocks are texts, numbers, true or false"
    return plain


@dataclass
class _Part:
    """A part of a block's text that is written or omitted as a whole: fixed texts with values between them."""

    node: BlockNode | None
    pieces: list[str] = field(default_factory=lambda: [""])

    def planned(self) -> Expression:
        """The call that makes the part in the printed module."""
        pieces = Items(tuple(map(Literal, self.pieces)))
        if self.node is None:
            return Name("BlockPart")(pieces)
        when = NONE if self.node.when is None else Literal(str(self.node.when))
        producers = Items(tuple(Literal(str(who)) for who in self.node.producers))
        return Name("BlockPart")(pieces, when, producers)


class _Composer:
    """Writes the text of a block."""

    def __init__(self, structs: Mapping[Word, BlockNode], cls: str) -> None:
        self.structs = structs
        self.cls = cls
        self.parts = [_Part(None)]

    def text(self, text: str) -> None:
        self.parts[-1].pieces[-1] += text

    def slot(self, name: str) -> None:
        self.parts[-1].pieces += [name, ""]

    def node(self, node: BlockNode) -> None:
        """Appends the text of a struct or a field."""
        self.text("{")
        for at, (key, said) in enumerate(node.said.items()):
            self.text(f"{',' if at else ''}{json.dumps(key)}:")
            self.value(key, said)
        self.text("}")

    def value(self, key: str, said: Said) -> None:
        if isinstance(said, Word):
            self.text("[")
            self.slot(str(said))
            self.text("]")
        elif isinstance(said, BlockNode):
            self.node(said)
        elif isinstance(said, tuple):
            self.fields(said)
        elif key == "name" and isinstance(said, str):
            self.text('"')
            for at, text in enumerate(pieces_of(said)):
                if at % 2:
                    self.slot(text if text in NAMES else f"option {text}")
                else:
                    self.text(json.dumps(text, ensure_ascii=False)[1:-1])
            self.text('"')
        else:
            self.text(json.dumps(said, ensure_ascii=False, separators=(",", ":")))

    def fields(self, nodes: tuple[Word | BlockNode, ...]) -> None:
        """Appends the text of a list of fields. A field that may be omitted includes its comma."""
        self.text("[")
        at = 0
        for one in nodes:
            node = self.structs[one] if isinstance(one, Word) else one
            if node.of and self.cls not in map(str, node.of):
                continue
            if node.optional:
                self.parts.append(_Part(node))
            self.text("," if at else "")
            self.node(node)
            if node.optional:
                self.parts.append(_Part(None))
            at += 1
        self.text("]")


def planned_block(structs: Mapping[Word, BlockNode], name: Word, cls: str) -> Expression:
    """The text of a block, as the parts that the printed encoder joins.

    Args:
        name: the outermost struct.
        cls: the class of events whose messages have the block.
    """
    composer = _Composer(structs, cls)
    composer.node(structs[name])
    return Items(tuple(one.planned() for one in composer.parts if one.pieces != [""]))
