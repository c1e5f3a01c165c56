"""Reads names, lists and flags from YAML mappings, with the line of each for error messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .load import YamlNode
from .words import Word


def located(node: YamlNode) -> dict[str, Any]:
    """The attributes of every model node: its location and those of its words."""
    return {"location": node.location, "words": {key: below.location for key, below in node.map().items()}}


def key_word(parent: YamlNode, key: str) -> Word:
    """A key as a word with the location of its value."""
    return Word(key, parent[key].location)


def word(node: YamlNode, key: str) -> Word | None:
    """The name under a key; None if it is missing."""
    below = node.get(key)
    return None if below is None else Word(str(below.value), below.location)


def need(node: YamlNode, key: str) -> Word:
    """The name under a key that must be present."""
    below = node[key]
    return Word(str(below.value), below.location)


def word_list(node: YamlNode, key: str) -> tuple[Word, ...]:
    """The list of names under a key; empty if it is missing."""
    below = node.get(key)
    return () if below is None else tuple(Word(str(one.value), one.location) for one in below.list())


def one_or_several(node: YamlNode, key: str) -> tuple[Word, ...]:
    """The names under a key that has one or a list; empty if it is missing."""
    if key in node and isinstance(node[key].plain(), list):
        return word_list(node, key)
    return (need(node, key),) if key in node else ()


def text(node: YamlNode, key: str) -> str | None:
    """The text under a key; None if it is missing."""
    below = node.get(key)
    return None if below is None else str(below.value)


def texts(node: YamlNode, key: str) -> Mapping[str, str]:
    """The texts by key; empty if the mapping is missing."""
    return {word: str(below.value) for word, below in entries(node, key)}


def about(node: YamlNode) -> str:
    """The `about` text of a node; empty if it has none."""
    return (text(node, "about") or "").strip()


def number(node: YamlNode, key: str) -> int | None:
    """The integer under a key; None if it is missing."""
    below = node.get(key)
    return below.value if below is not None and isinstance(below.value, int) else None


def flag(node: YamlNode, key: str) -> bool:
    """The boolean under a key; False if it is missing."""
    below = node.get(key)
    return below is not None and below.value is True


def range_of(node: YamlNode, key: str = "range") -> tuple[int, int] | None:
    """The range [smallest, biggest]; None if it is missing."""
    below = node.get(key)
    if below is None:
        return None
    low, high = below.plain()
    return int(low), int(high)


def entries(node: YamlNode, key: str) -> list[tuple[str, YamlNode]]:
    """Keys and values of a mapping; empty if it is missing."""
    below = node.get(key)
    return [] if below is None else list(below.items())
