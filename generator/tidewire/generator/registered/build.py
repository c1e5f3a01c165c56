"""Builds the model of a protocol of registered records from YAML nodes, which are valid by their JSON Schema."""

from __future__ import annotations

from typing import Any

from ..build_common import common
from ..extract import about, entries, flag, key_word, located, need, number, text, texts, word, word_list
from ..json.build import object_part, spelling
from ..load import YamlNode
from ..words import Word
from .model import (
    ALL,
    TABLE,
    InnerRecord,
    OtherMessages,
    RecordCase,
    RecordMember,
    RecordScalar,
    Registered,
    RegisteredProtocol,
    RegisteredRecord,
    RowFields,
    ValueMark,
)
from .schemas_chapter import schemas


def protocol(top: YamlNode, file: str) -> RegisteredProtocol:
    """The model of a protocol's file, named `file` in reports."""
    producers = tuple(texts(top, "producers"))
    parts = [(key_word(top["parts"], key), node) for key, node in top["parts"].items()]
    return RegisteredProtocol(
        **common(top, file),
        spelling=spelling(top["spelling"]),
        schemas=schemas(top["schemas"]),
        unnamed=word(top, "unnamed"),
        described_by=need(top["described"], "by"),
        described_flags=word_list(top["described"], "flags"),
        roots={str(name): _registered(name, node) for name, node in parts if "registered" in node},
        records={str(name): _record(name, node, producers) for name, node in parts if "record" in node},
        objects={str(name): object_part(name, node, producers) for name, node in parts if "object" in node},
    )


def _registered(name: Word, node: YamlNode) -> Registered:
    own = node["registered"]
    return Registered(
        **located(own),
        name=name,
        record=need(own, "record"),
        tombstone=word(own, "missing"),
        marks=tuple(map(_mark, own["marks"].list())) if "marks" in own else (),
        others=_others(own["others"]) if "others" in own else None,
        about=about(node),
    )


def _others(node: YamlNode) -> OtherMessages:
    return OtherMessages(
        **located(node),
        protocol=need(node, "protocol"),
        kinds={key_word(node["kinds"], key): str(one.value) for key, one in node["kinds"].items()},
        when=need(node, "when"),
        options={key_word(node["options"], key): one.plain() for key, one in entries(node, "options")},
        about=about(node),
    )


def _mark(node: YamlNode) -> ValueMark:
    return ValueMark(
        **located(node),
        id=need(node, "id"),
        byte=number(node, "const") or 0,
        event=need(node, "kind"),
        part=word(node, "part"),
        carries=word(node, "event"),
        when=word(node, "when"),
        producers=word_list(node, "producers"),
        about=about(node),
    )


def _record(name: Word, node: YamlNode, producers: tuple[str, ...]) -> RegisteredRecord:
    fields: dict[str, RecordMember] = {}
    again = []
    for one in node["record"].list():
        field = _field(one, producers)
        if fields.setdefault(str(field.id), field) is not field:
            again.append(field)
    return RegisteredRecord(
        **located(node),
        part=name,
        named=need(node, "named") if "named" in node else Word(TABLE, name.location),
        version=number(node, "version"),
        fields=fields,
        again=tuple(again),
        cases={key: _case(node["cases"], key_word(node["cases"], key), one) for key, one in entries(node, "cases")},
        missing=word(node, "missing"),
        about=about(node),
    )


def _field(node: YamlNode, producers: tuple[str, ...]) -> RecordMember:
    every: dict[str, Any] = {**located(node), "id": need(node, "id"), "about": about(node)}
    if "columns" in node:
        return RowFields(**every, **_columns(node, producers), known_by=word(node, "known_by"), utc=word(node, "utc"))
    every |= {"name": need(node, "name" if "name" in node else "id"), "when": _when(node)}
    if "part" in node:
        sent = {key_word(node["sent"], key): need(node["sent"], key) for key, _ in entries(node, "sent")}
        return InnerRecord(**every, part=need(node, "part"), optional=flag(node, "optional"), sent=sent)
    return RecordScalar(
        **every,
        type=need(node, "type"),
        event=word(node, "event"),
        switch=flag(node, "switch"),
        default=node["default"].plain() if "default" in node else None,
        const=node["const"].plain() if "const" in node else None,
        option=word(node, "option"),
        nothing=flag(node, "optional"),
        accepts=word_list(node, "accepts"),
        refused="refused" in node,
        states=text(node, "refused") == "statement",
    )


def _columns(node: YamlNode, producers: tuple[str, ...]) -> dict[str, Any]:
    """Flags by producer; a single flag applies to all."""
    below = node["columns"]
    if isinstance(below.plain(), dict):
        by = tuple(key_word(below, who) for who in below.plain())
        return {"flags": {str(who): need(below, who) for who in by}, "by": by}
    said = need(node, "columns")
    return {"flags": {} if said == ALL else dict.fromkeys(producers, said), "by": ()}


def _when(node: YamlNode) -> tuple[Word, ...]:
    """The options that add the field to records; one of them suffices."""
    below = node.get("when")
    if below is not None and isinstance(below.plain(), str):
        return (need(node, "when"),)
    return word_list(node, "when")


def _case(cases: YamlNode, said: Word, own: YamlNode) -> RecordCase:
    """Builds a case; an alias is replaced by the case it refers to, if that exists."""
    alias = word(own, "alias")
    node = cases[str(alias)] if alias is not None and alias in cases else own
    return RecordCase(
        **located(own),
        text=said,
        event=word(node, "kind") or alias or said,
        images={key_word(node["images"], key): need(node["images"], key) for key, _ in entries(node, "images")},
        when=word(node, "when"),
        alias=alias,
    )
