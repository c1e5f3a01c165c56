"""Kafka Connect schema blocks, derived from the parts that they describe; each word in the order of the wire."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

from ..syntax.nodes import NONE, Expression, Items, Literal, Name
from ..words import Word
from .connect_words import NAMES, BlockWords, pieces_of
from .described_model import DescribedMember, DescribedPart, EachMember, InnerMember, ToldMember
from .member_types import BASE64, BOOL, INTEGER, NOTHING, TEXT, TEXTS, UNSIGNED
from .model import ChangesMember, JsonObject, JsonProtocol, Member, ObjectMember, RowsMember, Scalar

COLUMNS, KEY_COLUMNS = "columns", "key_columns"
"""What stands for the fields of a struct that are the columns of a row, or of its key."""
ORDER = ("type", "optional", "name", "version", "parameters", "default", "field", "items", "fields")
"""Kafka Connect's words, in their order where a part states no other one."""
TYPES: Mapping[str, str] = {
    TEXT: "string",
    INTEGER: "int64",
    UNSIGNED: "int64",
    BOOL: "boolean",
    BASE64: "bytes",
    NOTHING: "string",
}
"""Kafka Connect's types by those of members."""

Said: TypeAlias = "str | int | bool | BlockNode | tuple[BlockNode, ...] | Mapping[str, str]"


@dataclass(frozen=True)
class BlockNode:
    """A struct or a field of a block: its words and their values, in the order of the wire."""

    said: Mapping[str, Said]
    """Where the fields are columns of a row, `fields` is `COLUMNS` or `KEY_COLUMNS`."""
    words: BlockWords
    when: Word | None = None
    """The option without which it is omitted."""
    part: Word | None = None
    """The part that it describes."""

    @property
    def may_be_omitted(self) -> bool:
        """Whether some options or some producers omit it."""
        return self.when is not None or bool(self.words.producers)

    @property
    def fields(self) -> tuple[BlockNode, ...]:
        """Its fields, besides columns."""
        said = self.said.get("fields")
        return said if isinstance(said, tuple) else ()


class _Deriver:
    """Derives the block of messages of one class of events."""

    def __init__(self, protocol: JsonProtocol, cls: str) -> None:
        self.parts = {str(one.name): one for one in parts_of_blocks(protocol)}
        self.flagged = protocol.flagged_columns
        self.cls = cls

    def root(self, words: BlockWords, part: Word) -> BlockNode:
        """The struct of a payload."""
        said: dict[str, Said] = {"type": "struct", "optional": False, "fields": self._fields(part, words)}
        return _node(said, words, words, None, part)

    def _fields(self, part: Word, words: BlockWords) -> Said:
        if part in self.flagged:
            return KEY_COLUMNS
        return tuple(self._field(one, words) for one in ordered_fields(self.parts[part]) if self._has(one))

    def _has(self, member: Member | DescribedMember) -> bool:
        return not isinstance(member, Member) or member.is_of(self.cls)

    def _field(self, member: Member | DescribedMember, around: BlockWords) -> BlockNode:
        """The field of a member.

        Args:
            around: words of the struct that has it.
        """
        own = member.block
        order = own if own.first else around
        said: dict[str, Said] = {"field": str(member.name), "optional": _is_optional(member, self.cls)}
        when = member.when if isinstance(member, Member) else None
        if isinstance(member, ObjectMember | InnerMember):
            words = self.parts[member.part].block
            return _node(said | self._struct(member.part), own, words, when, member.part)
        if isinstance(member, ChangesMember | EachMember):
            words = self.parts[member.part].block
            items = _node({"optional": False} | self._struct(member.part), words, words, None, member.part)
            return _node(said | {"type": "array", "items": items}, own, order, when)
        if isinstance(member, RowsMember):
            return _node(said | {"type": "struct", "fields": COLUMNS}, own, order, when)
        if own.fields:
            inner = (_scalar(own, type, field=name) for name, type in own.fields.items())
            return _node(said | {"type": "struct", "fields": tuple(inner)}, own, order, when)
        if isinstance(member, ToldMember) and member.type == TEXTS:
            return _node(said | {"type": "array", "items": _scalar(own, "string")}, own, order, when)
        return _node(said | {"type": own.type or TYPES[member.type]}, own, order, when)

    def _struct(self, part: Word) -> dict[str, Said]:
        words = self.parts[part].block
        return {"type": "struct", "fields": self._fields(part, words), **_stated(words)}


def _scalar(words: BlockWords, type: str, **more: str) -> BlockNode:
    """A field or an item of a scalar type, which is never null."""
    return BlockNode({"type": type, "optional": False, **more}, words)


def _stated(words: BlockWords) -> dict[str, Said]:
    """The words that the spec states."""
    found: dict[str, Said | None] = {"name": words.named, "version": words.version, "default": words.default}
    return {key: one for key, one in found.items() if one is not None} | (
        {"parameters": words.parameters} if words.parameters else {}
    )


def _node(
    said: Mapping[str, Said], words: BlockWords, order: BlockWords, when: Word | None, part: Word | None = None
) -> BlockNode:
    """A node with its words in order.

    Args:
        order: states the order.
    """
    found = {**said, **_stated(words)}
    keys = dict.fromkeys((*order.first, *ORDER))
    return BlockNode({key: found[key] for key in keys if key in found}, words, words.when or when, part)


def _is_optional(member: Member | DescribedMember, cls: str) -> bool:
    own = member.block
    if own.optional is not None or own.optional_of:
        return own.optional or cls in own.optional_of
    absent = None if isinstance(member, InnerMember | EachMember) else member.absent
    return absent == "null" or (isinstance(member, Scalar) and member.type == NOTHING)


def ordered_fields(part: JsonObject | DescribedPart) -> list[Member | DescribedMember]:
    """The members of a part in the order of the fields of its block."""
    found: list[Member | DescribedMember] = list(part.members.values())
    order = part.block.order
    for before, name in pairwise(order):
        found.remove(part.members[name])
        found.insert(found.index(part.members[before]) + 1, part.members[name])
    return found


def parts_of_blocks(protocol: JsonProtocol) -> tuple[JsonObject | DescribedPart, ...]:
    """The parts that blocks can describe."""
    return (*protocol.objects.values(), *protocol.parts_described.values())


def stated_of_blocks(protocol: JsonProtocol) -> Iterator[BlockWords]:
    """What a protocol states of blocks, in parts, members and envelopes."""
    for columns in protocol.flagged_columns.values():
        yield columns.block
    for part in parts_of_blocks(protocol):
        yield part.block
        for member in part.members.values():
            yield member.block
    for envelope in protocol.envelopes.values():
        yield from envelope.blocks.values()


def words_of_values(protocol: JsonProtocol) -> dict[str, BlockWords]:
    """What is stated of the blocks of values, by class of events; empty where no message is in an envelope."""
    return {} if protocol.envelope is None else {str(cls): one for cls, one in protocol.envelope.blocks.items()}


def words_of_keys(protocol: JsonProtocol) -> dict[str, BlockWords]:
    """What is stated of the blocks of keys, by class of events; empty where no message is in an envelope."""
    blocks = {str(name): one.block for name, one in protocol.objects.items()}
    blocks |= {str(name): one.block for name, one in protocol.flagged_columns.items()}
    keys = {} if protocol.envelope is None else protocol.keys
    return {str(cls): blocks[part] for cls, part in keys.items() if part in blocks}


def value_blocks(protocol: JsonProtocol) -> dict[str, BlockNode]:
    """The blocks of values, by class of events."""
    words = words_of_values(protocol)
    return {cls: _Deriver(protocol, cls).root(one, protocol.message_name) for cls, one in words.items()}


def key_blocks(protocol: JsonProtocol) -> dict[str, BlockNode]:
    """The blocks of keys, by class of events."""
    parts = {str(cls): part for cls, part in protocol.keys.items()}
    return {cls: _Deriver(protocol, cls).root(one, parts[cls]) for cls, one in words_of_keys(protocol).items()}


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
        producers = Items(tuple(Literal(str(who)) for who in self.node.words.producers))
        return Name("BlockPart")(pieces, when, producers)


class _Composer:
    """Writes the text of a block."""

    def __init__(self) -> None:
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
        if isinstance(said, BlockNode):
            self.node(said)
        elif isinstance(said, tuple):
            self.fields(said)
        elif key == "fields":
            self.text("[")
            self.slot(str(said))
            self.text("]")
        elif key == "name":
            self.text('"')
            for at, text in enumerate(pieces_of(str(said))):
                if at % 2:
                    self.slot(text if text in NAMES else f"option {text}")
                else:
                    self.text(json.dumps(text, ensure_ascii=False)[1:-1])
            self.text('"')
        else:
            self.text(json.dumps(said, ensure_ascii=False, separators=(",", ":")))

    def fields(self, nodes: tuple[BlockNode, ...]) -> None:
        """Appends the text of a list of fields. A field that may be omitted includes its comma."""
        self.text("[")
        for at, node in enumerate(nodes):
            if node.may_be_omitted:
                self.parts.append(_Part(node))
            self.text("," if at else "")
            self.node(node)
            if node.may_be_omitted:
                self.parts.append(_Part(None))
        self.text("]")


def planned_block(node: BlockNode) -> Expression:
    """The text of a block, as the parts that the printed encoder joins."""
    composer = _Composer()
    composer.node(node)
    return Items(tuple(one.planned() for one in composer.parts if one.pieces != [""]))
