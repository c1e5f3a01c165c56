"""Builds the model of records from YAML nodes. The nodes have passed their JSON Schema, so nothing is checked here."""

from __future__ import annotations

from typing import Any

from ...extract import about, entries, flag, key_word, located, need, text, word, word_list
from ...load import YamlNode
from ...words import Word
from .model import HELD, PLAIN_BRANCHES, Record, RecordField, Records


def records(node: YamlNode, producers: tuple[str, ...]) -> Records:
    """The records of a protocol; `producers` are the protocol's."""
    chosen, _ = next(iter(entries(node, "when")))
    return Records(
        **located(node),
        option=key_word(node["when"], chosen),
        choice=need(node["when"], chosen),
        namespace=str(text(node, "namespace")),
        root=need(node, "root"),
        values=need(node, "values"),
        enums={name: word_list(node["enums"], name) for name, _ in entries(node, "enums")},
        types={
            name: Record(
                **located(one),
                name=key_word(node["types"], name),
                part=word(one, "part"),
                of=word(one, "of"),
                holds=_held(one) if name != need(node, "root") else None,
                fields={id: _field(one["fields"], id, producers) for id, _ in one["fields"].items()},
            )
            for name, one in node["types"].items()
        },
        about=about(node),
    )


def _held(node: YamlNode) -> str | None:
    """The name in `HELD` for a record that is neither a part nor of a class, by the types of its fields."""
    if "part" in node or "of" in node:
        return None
    types = tuple(one.plain() for _, one in node["fields"].items())
    return next((name for name, held in HELD.items() if held == types), None)


def _field(fields: YamlNode, id: str, producers: tuple[str, ...]) -> RecordField:
    node = fields[id]
    if not isinstance(node.plain(), dict):
        return RecordField(location=node.location, words={}, id=key_word(fields, id), **_type(fields, id))
    types: dict[str, tuple[Word, ...]] = {}
    if "types" in node:
        by = isinstance(node["types"].plain(), dict)
        types = {who: word_list(node["types"], who) if by else word_list(node, "types") for who in producers}
    return RecordField(
        **located(node),
        id=key_word(fields, id),
        **_type(node, "type"),
        name=word(node, "name"),
        optional=flag(node, "optional"),
        only=types,
        raw=word_list(node, "numbers"),
        random_order="random" in node,
    )


def _type(node: YamlNode, key: str) -> dict[str, Any]:
    """A type, or the branches of a union: records that a message can be, or what the values of a row are."""
    if not isinstance(node[key].plain(), list):
        return {"type": need(node, key)}
    branches = word_list(node, key)
    return {"type": None, "map" if any(one in PLAIN_BRANCHES for one in branches) else "union": branches}
