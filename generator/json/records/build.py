"""Builds the model of records from YAML nodes. The nodes have passed their JSON Schema, so nothing is checked here."""

from __future__ import annotations

from typing import Any

from ...extract import about, entries, flag, key_word, located, need, text, word, word_list
from ...load import YamlNode
from .model import Record, RecordField, Records


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
                holds=text(one, "holds"),
                fields={id: _field(one["fields"], id, producers) for id, _ in one["fields"].items()},
            )
            for name, one in node["types"].items()
        },
        about=about(node),
    )


def _field(fields: YamlNode, id: str, producers: tuple[str, ...]) -> RecordField:
    node = fields[id]
    plain = not isinstance(node.plain(), dict)
    said: dict[str, Any] = {
        "name": None,
        "array": None,
        "map": (),
        "union": (),
        "optional": False,
        "only": {},
        "raw": (),
        "random_order": False,
    }
    if plain:
        return RecordField(location=node.location, words={}, id=key_word(fields, id), type=need(fields, id), **said)
    said |= {
        "name": word(node, "name"),
        "array": word(node, "array"),
        "map": word_list(node, "map"),
        "union": word_list(node, "union"),
        "optional": flag(node, "optional"),
        "raw": word_list(node, "raw"),
        "random_order": "random" in node,
    }
    if "only" in node:
        by = isinstance(node["only"].plain(), dict)
        said["only"] = {who: word_list(node["only"], who) if by else word_list(node, "only") for who in producers}
    return RecordField(**located(node), id=key_word(fields, id), type=word(node, "type"), **said)
