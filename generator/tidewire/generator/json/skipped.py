"""What messages without events may contain: their members and the allowed values.

A skipped message is checked, so that none that holds a row is skipped. The YAML node is checked by its JSON Schema.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ..extract import located, word
from ..load import YamlNode
from ..model import Located
from ..plan.constants import constant
from ..syntax.nodes import Call, Expression, Items, Literal, Name
from ..words import Word

ALWAYS = "always"
"""The word for a member that must be present."""
NOTHING = "nothing"
"""Null, or an empty text, array or object."""

Held: TypeAlias = "str | tuple[str, ...] | Begins | Several | Members"
"""integer, text, bool, denied, nothing; one of several texts; a statement; several values; an object."""


@dataclass(frozen=True)
class Begins:
    """A statement that begins with one of these words, or an empty one."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class Several:
    """Several values of one kind: an array, or an object with any member names."""

    word: str
    """list or by_column."""
    each: Held


@dataclass(frozen=True)
class Members:
    """An object with these members, each of which may be null or missing."""

    members: tuple[tuple[str, Held], ...]
    always: tuple[str, ...] = ()
    """The members that must be present."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Skipped(Located):
    """What a message without events may contain."""

    name: Word
    holds: Members
    named: Word | None = None
    """The name of its schema, if a schema block has one."""

    @property
    def constant(self) -> str:
        """The name of its printed constant."""
        return constant(f"skipped_{self.name}")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its members."""
        return tuple(name for name, _ in self.holds.members)

    @property
    def empty(self) -> tuple[str, ...]:
        """The names of the members that must be empty."""
        return tuple(name for name, held in self.holds.members if held == NOTHING)

    @property
    def construction(self) -> Expression:
        """The expression that constructs it in printed code (tidewire.runtime.json.skipped)."""
        return _constructed(self.holds, self.named)


def skipped(name: Word, node: YamlNode) -> Skipped:
    """The model of one entry."""
    held = node["object"]
    words = located(held)["words"] | located(node)["words"]
    return Skipped(location=node.location, words=words, name=name, holds=_members(held), named=word(node, "named"))


def _members(node: YamlNode) -> Members:
    always = {key for key, below in node.items() if isinstance(below.plain(), dict) and ALWAYS in below}
    held = ((key, below[ALWAYS] if key in always else below) for key, below in node.items())
    needed = tuple(key for key, _ in node.items() if key in always)
    return Members(tuple((key, _held(below)) for key, below in held), needed)


def _held(node: YamlNode) -> Held:
    plain = node.plain()
    if isinstance(plain, str):
        return plain
    if isinstance(plain, list):
        return tuple(map(str, plain))
    if "object" in node:
        return _members(node["object"])
    if "begins" in node:
        return Begins(tuple(map(str, node["begins"].plain())))
    ((word, each),) = node.items()
    return Several(word, _held(each))


def _constructed(held: Members, named: Word | None = None) -> Expression:
    pairs = Items(tuple(Items((Literal(name), _planned(one))) for name, one in held.members))
    more: list[tuple[str, Expression]] = []
    if held.always:
        more.append(("always", Items(tuple(map(Literal, held.always)))))
    if named is not None:
        more.append(("named", Literal(str(named))))
    return Call(Name("Skipped"), (pairs,), tuple(more))


def _planned(held: Held) -> Expression:
    if isinstance(held, str):
        return Literal(held)
    if isinstance(held, tuple):
        return Items(tuple(map(Literal, held)))
    if isinstance(held, Begins):
        return Name("Begins")(Items(tuple(map(Literal, held.words))))
    if isinstance(held, Several):
        return Name("ListOf" if held.word == "list" else "ByName")(_planned(held.each))
    return _constructed(held)
