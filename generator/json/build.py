"""Nodes -> the model of a JSON protocol. The nodes have passed their JSON Schema, so nothing is checked here."""

from __future__ import annotations

from typing import Any

from ..build_common import common
from ..extract import about, entries, flag, key_word, need, placed, text, texts, word, word_list
from ..load import Node
from ..words import Word
from .model import (
    DeclaredMember,
    Framing,
    JsonCase,
    JsonObject,
    JsonProtocol,
    MappedMember,
    Member,
    NamesMember,
    ObjectMember,
    Rest,
    RowsMember,
    Scalar,
)


def protocol(top: Node, file: str) -> JsonProtocol:
    """The model of a protocol's file, named `file` in reports."""
    producers = tuple(texts(top, "producers"))
    return JsonProtocol(
        **common(top, file),
        escape=need(top, "escape"),
        objects={key: _object(key_word(top["objects"], key), node, producers) for key, node in top["objects"].items()},
        framing=_framing(top["framing"]) if "framing" in top else None,
    )


def _object(name: Word, node: Node, producers: tuple[str, ...]) -> JsonObject:
    return JsonObject(
        **placed(node),
        name=name,
        members={key: _member(key_word(node["members"], key), one, producers) for key, one in node["members"].items()},
        skip_unknown=text(node, "unknown") == "skip",
        order={key_word(node["order"], key): word_list(node["order"], key) for key, _ in entries(node, "order")},
        cases={key: _case(key_word(node["cases"], key), one) for key, one in entries(node, "cases")},
        rest=_rest(node["rest"]) if "rest" in node else None,
        about=about(node),
    )


def _member(name: Word, node: Node, producers: tuple[str, ...]) -> Member:
    type = need(node, "type")
    every: dict[str, Any] = {
        **placed(node),
        "name": name,
        "type": type,
        "of": word_list(node, "of"),
        "when": word(node, "when"),
        "may_miss": "may_miss" in node,
        "may_miss_of": _classes(node),
        "absent": word(node, "absent"),
        "about": about(node),
    }
    if type == "names":
        return NamesMember(
            **every, **_empty(node, producers), flagged=need(node, "flagged"), also=word_list(node, "also")
        )
    if type == "rows":
        return RowsMember(**every, values=need(node, "values"))
    if type == "object":
        return ObjectMember(**every, object=need(node, "object"))
    randomly = text(node, "random")
    if type == "by_column":
        by_column = {**every, **_empty(node, producers), "random_order": randomly == "order"}
        if "mapping" in node:
            return MappedMember(**by_column, mapping=need(node, "mapping"))
        return DeclaredMember(**by_column, full=word(node, "full"))
    return Scalar(
        **every,
        event=word(node, "event"),
        write=node["write"].plain() if "write" in node else None,
        tells=word(node, "is"),
        believed=flag(node, "believed"),
        switch=flag(node, "switch"),
        omit_zero=word_list(node, "omit_zero"),
        random_value=randomly == "value",
    )


def _classes(node: Node) -> tuple[Word, ...]:
    """Those whose messages may lack a member; none when they all may, or no message may."""
    below = node.get("may_miss")
    return () if below is None or below.plain() is True else word_list(node, "may_miss")


def _empty(node: Node, producers: tuple[str, ...]) -> dict[str, Any]:
    """By producer; what is said once is said of all."""
    below = node.get("empty")
    if below is None:
        return {"empty": {}, "empty_by": ()}
    if isinstance(below.plain(), dict):
        by = tuple(key_word(below, key) for key in below.plain())
        return {"empty": {str(key): need(below, key) for key in by}, "empty_by": by}
    return {"empty": dict.fromkeys(producers, need(node, "empty")), "empty_by": ()}


def _case(text: Word, node: Node) -> JsonCase:
    return JsonCase(
        **placed(node),
        text=text,
        event=word(node, "event"),
        images={key_word(node["images"], key): need(node["images"], key) for key, _ in entries(node, "images")},
        when=word(node, "when"),
        skip=flag(node, "skip"),
        alias=word(node, "alias"),
    )


def _rest(node: Node) -> Rest:
    return Rest(**placed(node), event=need(node, "event"), names=need(node, "names"), when=word(node, "when"))


def _framing(node: Node) -> Framing:
    return Framing(
        **placed(node),
        terminator=need(node, "terminator"),
        gather=need(node, "gather"),
        by=word_list(node, "by"),
        apart={key_word(node["apart"], key): word_list(node["apart"], key) for key, _ in entries(node, "apart")},
        about=about(node),
    )
