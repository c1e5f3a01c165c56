"""Builds the model of a protocol of frames from YAML nodes. The nodes have passed their JSON Schema, so nothing is
checked here.
"""

from __future__ import annotations

from dataclasses import replace

from ..build_common import common
from ..extract import about, entries, flag, key_word, located, need, number, text, texts, word, word_list
from ..json.build import object_part, spelling
from ..json.model import JsonObject
from ..load import YamlNode
from ..words import Word
from .model import ColumnPart, Fact, FrameCase, Frames, FramesProtocol, Head


def protocol(top: YamlNode, file: str) -> FramesProtocol:
    """The model of a protocol's file; `file` is its name in reports."""
    producers = tuple(texts(top, "producers"))
    parts = {key: (key_word(top["parts"], key), node) for key, node in top["parts"].items()}
    frames = {key: _frames(name, node) for key, (name, node) in parts.items() if "frames" in node}
    key, value = (
        frames.get(str(one), _no_frames(one)) for one in (need(top["root"], "key"), need(top["root"], "value"))
    )
    chosen = parts.get(str(value.part))
    choice = chosen[1].get("choice") if chosen is not None else None
    objects = {}
    columns = {}
    for name, node in parts.values():
        if "object" in node and _is_column(node):
            columns[str(name)] = _column(name, node)
        elif "object" in node:
            cases = _cases(choice, parts) if choice is not None and name == key.part else {}
            objects[str(name)] = _object(name, node, producers, cases, _classes(name, choice))
    order = parts[key.part][1] if key.part in parts else None
    return FramesProtocol(
        **common(top, file),
        spelling=spelling(top["spelling"]),
        objects=objects,
        columns=columns,
        lines={},
        key_frames=key,
        value_frames=value,
        orders={} if order is None else _orders(order),
        frames=frames,
        choices=tuple(name for name, node in parts.values() if "choice" in node),
        by=None if choice is None else word(choice, "by"),
        choice_about="" if chosen is None else about(chosen[1]),
    )


def _orders(node: YamlNode) -> dict[str, tuple[Word, ...]]:
    """By producer, the order in which it writes members."""
    return {key_word(node["order"], who): word_list(node["order"], who) for who, _ in entries(node, "order")}


def _no_frames(name: Word) -> Frames:
    """Stands in for a name that does not refer to frames, until that is reported."""
    return Frames(location=name.location, words={}, name=name, head=None, size=name, part=name, about="")


def _is_column(node: YamlNode) -> bool:
    return all("column" in one for one in node["object"].list())


def _frames(name: Word, node: YamlNode) -> Frames:
    own = node["frames"]
    head = own.get("head")
    return Frames(
        **located(own),
        name=name,
        head=None
        if head is None
        else Head(
            **located(head),
            id=need(head, "id"),
            type=need(head, "type"),
            const=number(head, "const") or 0,
            about=about(head),
        ),
        size=need(own, "size"),
        part=need(own, "part"),
        about=about(node),
    )


def _classes(name: Word, choice: YamlNode | None) -> tuple[Word, ...]:
    """The classes of events whose values are this object; empty if it is not used in values."""
    if choice is None:
        return ()
    return tuple(need(case, "class") for _, case in choice["cases"].items() if text(case, "part") == name)


def _object(
    name: Word, node: YamlNode, producers: tuple[str, ...], cases: dict[str, FrameCase], classes: tuple[Word, ...]
) -> JsonObject:
    """An object of key or value. Members of a value's object are present for the events of that object's classes."""
    found = object_part(name, node, producers)
    members = {id: replace(one, of=one.of or classes) for id, one in found.members.items()}
    return replace(found, members=members, order={}, cases=cases)


def _column(name: Word, node: YamlNode) -> ColumnPart:
    return ColumnPart(
        **located(node),
        name=name,
        facts=tuple(
            Fact(
                **located(one),
                id=need(one, "id"),
                name=need(one, "name") if "name" in one else need(one, "id"),
                type=word(one, "type"),
                says=need(one, "column"),
                flagged=word(one, "flagged"),
                absent=word(one, "absent"),
                may_miss=flag(one, "may_miss"),
                values=word(one, "values"),
                about=about(one),
            )
            for one in node["object"].list()
        ),
        skip_unknown=text(node, "unknown") == "skip",
        sorted=word_list(node, "sorted"),
        about=about(node),
    )


def _cases(choice: YamlNode, parts: dict[str, tuple[Word, YamlNode]]) -> dict[str, FrameCase]:
    found = {}
    for value, node in choice["cases"].items():
        body = word(node, "part")
        images = parts[body][1] if body is not None and body in parts else None
        found[value] = FrameCase(
            **located(node),
            text=key_word(choice["cases"], value),
            event=None,
            images={},
            when=None,
            skip=(),
            alias=None,
            cls=need(node, "class"),
            body=body,
            about=about(node),
            kinds={}
            if images is None
            else {
                key_word(images["kinds"], kind): {key_word(held, image): need(held, image) for image, _ in held.items()}
                for kind, held in entries(images, "kinds")
            },
        )
    return found
