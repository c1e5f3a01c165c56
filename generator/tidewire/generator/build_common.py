"""Builds the part of a protocol's model that does not depend on its containers. The nodes have passed their JSON
Schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .extract import (
    about,
    entries,
    flag,
    key_word,
    located,
    need,
    number,
    one_or_several,
    range_of,
    text,
    texts,
    word,
    word_list,
)
from .load import YamlNode
from .meta import containers
from .model import (
    Batching,
    Defect,
    Difference,
    Estimate,
    Keep,
    Large,
    LargeWay,
    Lost,
    Option,
    Overwritten,
    ValueCase,
    ValueTable,
)
from .schema_types.model import schema_types
from .words import Word

ESTIMATE_WORDS = ("event", "schema", "table", "column", "name", "value")
NO_KEY = "none"
"""`key: none`: messages have no key."""


def container(part: YamlNode) -> str:
    """The container of a part."""
    return next(kind for kind in containers() if kind in part)


def common(top: YamlNode, file: str) -> dict[str, Any]:
    """The fields of `Protocol`; `file` is the file's name in reports."""
    key, value = top["root"]["key"], need(top["root"], "value")
    by_class = isinstance(key.plain(), dict)
    return {
        **located(top),
        "name": need(top, "protocol"),
        "file": file,
        "title": need(top, "title"),
        "about": about(top),
        "sources": texts(top, "sources"),
        "producers": texts(top, "producers"),
        "container": container(top["parts"][value]),
        "key": None if by_class or key.value == NO_KEY else need(top["root"], "key"),
        "keys": {key_word(key, cls): need(key, cls) for cls in key.plain()} if by_class else {},
        "root": value,
        "values": {key: _value_table(key_word(top["values"], key), node) for key, node in entries(top, "values")},
        "batching": _batching(top, top["batching"]) if "batching" in top else None,
        "compression": word(top, "compression"),
        "large": _large(top["large"]) if "large" in top else None,
        "options": {key: _option(key_word(top["options"], key), node) for key, node in entries(top, "options")},
        "defects": {key: _defect(key_word(top["defects"], key), node) for key, node in entries(top, "defects")},
        "losses": {key: _lost(key_word(top["losses"], key), node) for key, node in entries(top, "losses")},
        "differences": {
            key: Difference(
                **located(node),
                name=key_word(top["differences"], key),
                says={key_word(node, producer): str(said.value) for producer, said in node.items()},
            )
            for key, node in entries(top, "differences")
        },
        "schema_types": schema_types(top["schema_types"]) if "schema_types" in top else None,
        "exchanged": {
            key_word(top["exchanged"], key): need(top["exchanged"], key) for key, _ in entries(top, "exchanged")
        },
    }


def _value_table(name: Word, node: YamlNode) -> ValueTable:
    return ValueTable(
        **located(node),
        name=name,
        cases=tuple(
            ValueCase(
                **located(case),
                types=word_list(case, "types"),
                **_codec(case),
                flagged={
                    key_word(case["flagged"], flag): need(case["flagged"], flag) for flag, _ in entries(case, "flagged")
                },
                unflagged=word(case, "unflagged"),
            )
            for case in node["cases"].list()
        ),
        unknown=text(node, "unknown") or "error",
        about=about(node),
    )


def _codec(case: YamlNode) -> dict[str, Any]:
    """The codec of values; one for all producers, or one for each."""
    node = case["codec"]
    if not isinstance(node.value, Mapping) or "by" not in node:
        return {"codec": need(case, "codec")}
    cases = node["cases"]
    by = {key_word(cases, who): need(cases, who) for who, _ in entries(node, "cases")}
    return {"codec": next(iter(by.values())), "by_producer": by}


def _batching(top: YamlNode, node: YamlNode) -> Batching:
    guess = node.get("estimate")
    most = one_or_several(node, "bytes")
    estimate = None
    if guess is not None:
        estimate = Estimate(**located(guess), weights={word: number(guess, word) or 0 for word in ESTIMATE_WORDS})
    return Batching(
        **located(node),
        gather=need(node, "gather"),
        count=word(node, "count"),
        bytes=most[0] if most else None,
        bytes_of=dict.fromkeys(_producers_of(top, most[1]), most[1]) if most[1:] else {},
        overhead=number(node, "overhead") or 0,
        estimate=estimate,
        **_agreeing(node),
        about=about(node),
    )


def _producers_of(top: YamlNode, option: Word) -> tuple[Word, ...]:
    """The producers that have an option."""
    own = top["options"].get(option) if "options" in top else None
    if own is not None and "producers" in own:
        return word_list(own, "producers")
    return tuple(key_word(top["producers"], who) for who in texts(top, "producers"))


def _agreeing(node: YamlNode) -> dict[str, Any]:
    """The fields in which events of one value agree: those of all producers, and what else by producer."""
    if "by" not in node or isinstance(node["by"].plain(), list):
        return {"by": word_list(node, "by"), "apart": {}, "agree_by": ()}
    by = {key_word(node["by"], who): word_list(node["by"], who) for who, _ in entries(node, "by")}
    first, *others = by.values()
    of_all = tuple(one for one in first if all(one in names for names in others))
    apart = {who: tuple(one for one in names if one not in of_all) for who, names in by.items()}
    return {"by": of_all, "apart": {who: names for who, names in apart.items() if names}, "agree_by": tuple(by)}


def _large(node: YamlNode) -> Large:
    return Large(
        **located(node),
        option=need(node, "option"),
        bytes=need(node, "bytes"),
        overhead=number(node, "overhead") or 0,
        kinds=word_list(node, "kinds"),
        ways={
            key: LargeWay(
                **located(way),
                choice=key_word(node["ways"], key),
                keep=need(way, "keep"),
                mark=need(way, "mark"),
                also=word_list(way, "also"),
                store=word(way, "store"),
                raw=word(way, "raw"),
            )
            for key, way in node["ways"].items()
        },
        about=about(node),
    )


def _changed(node: YamlNode) -> dict[str, Any]:
    """Whether only changed columns are kept, and the producers that compare the texts of values."""
    if "changed" not in node or flag(node, "changed"):
        return {"changed": "changed" in node, "as_written": ()}
    by = {key_word(node["changed"], who): text(node["changed"], who) for who, _ in entries(node, "changed")}
    texts = tuple(who for who, how in by.items() if how == "texts")
    return {"changed": True, "as_written": texts, "changed_by": tuple(by)}


def keep(node: YamlNode, event: Word) -> Keep:
    """Which columns of a row image of these events are kept."""
    return Keep(
        **located(node),
        event=event,
        image=need(node, "image"),
        flagged=word(node, "flagged"),
        **_changed(node),
    )


def _option(name: Word, node: YamlNode) -> Option:
    needs = node.get("needs")
    by_choice = needs is not None and isinstance(needs.plain(), dict)
    kept, called = node.get("keep"), node.get("aliases")
    return Option(
        **located(node),
        name=name,
        type=need(node, "type"),
        default=node["default"].plain(),
        range=range_of(node),
        choices=word_list(node, "choices"),
        aliases={key_word(called, key): need(called, key) for key in called.plain()} if called is not None else {},
        implies=word_list(node, "implies"),
        needs=() if by_choice else word_list(node, "needs"),
        choice_needs={key_word(needs, key): word_list(needs, key) for key in needs.plain()}
        if by_choice and needs is not None
        else {},
        producers=word_list(node, "producers"),
        ignored=flag(node, "ignored"),
        keep=None if kept is None else keep(kept, need(kept, "kind")),
        about=about(node),
    )


def _defect(name: Word, node: YamlNode) -> Defect:
    damage, lost = node.get("overwritten"), text(node, "lost")
    return Defect(
        **located(node),
        name=name,
        producers=word_list(node, "producers"),
        types=word_list(node, "types"),
        overwritten=None
        if damage is None
        else Overwritten(**located(damage), keeps=number(damage, "size") or 0, by=word_list(damage, "codec")),
        nameless=word(node, "image"),
        refused=text(node, "refused"),
        respelled=lost == "nothing",
        lost=lost if lost == "defaults" else None,
        first_schema=word_list(node, "of"),
        about=about(node),
    )


def _lost(name: Word, node: YamlNode) -> Lost:
    return Lost(
        **located(node),
        name=name,
        types=word_list(node, "types"),
        nulls=flag(node, "nulls"),
        keyless=text(node, "lost") == "key",
        about=about(node),
    )
