"""Builds the model of a protocol of sections from YAML nodes. The nodes have passed their JSON Schema, so nothing is
checked here.
"""

from __future__ import annotations

from typing import Any

from ..build_common import common
from ..extract import about, entries, flag, key_word, located, need, number, word, word_list
from ..load import YamlNode
from ..words import Word
from .model import (
    BinaryProtocol,
    Case,
    Chunks,
    ColumnField,
    Enum,
    Part,
    PartChoice,
    Section,
    Sections,
    TableRow,
    Tables,
    Terms,
)


def protocol(top: YamlNode, file: str) -> BinaryProtocol:
    """The model of a protocol's file; `file` is its name in reports."""
    return BinaryProtocol(
        **common(top, file),
        enums={
            key: Enum(
                **located(node),
                name=key_word(top["enums"], key),
                members={key_word(node, member): value.plain() for member, value in node.items()},
            )
            for key, node in entries(top, "enums")
        },
        parts={key: _part(key_word(top["parts"], key), node) for key, node in top["parts"].items()},
    )


def _part(name: Word, node: YamlNode) -> Part:
    every = {**located(node), "name": name, "about": about(node)}
    if "sections" in node:
        return Sections(**every, sections=tuple(_section(one) for one in node["sections"].list()))
    if "chunks" in node:
        return Chunks(**every, columns=tuple(_chunk(one) for one in node["chunks"].list()))
    if "choice" in node:
        choice = node["choice"]
        cases = {
            key: Case(
                **located(case),
                member=key_word(choice["cases"], key),
                part=need(case, "part"),
                cls=need(case, "class"),
            )
            for key, case in choice["cases"].items()
        }
        return PartChoice(**_within(every, choice), by=need(choice, "by"), cases=cases)
    if "terms" in node:
        terms = node["terms"]
        return Terms(**_within(every, terms), count=need(terms, "count"), chunk=need(terms, "type"))
    tables = node["tables"]
    rows = tuple(_row(one) for one in tables["rows"].list())
    return Tables(**_within(every, tables), count=need(tables, "count"), chunk=need(tables, "type"), rows=rows)


def _within(every: dict[str, Any], node: YamlNode) -> dict[str, Any]:
    """The attributes that every part has, with the words of its container."""
    return {**every, "words": located(node)["words"]}


def _section(node: YamlNode) -> Section:
    const = node.get("const")
    return Section(
        **located(node),
        id=need(node, "id"),
        type=None if "count" in node else word(node, "type"),
        part=word(node, "part"),
        chunk=_chunk(node) if "type" in node and "count" in node else None,
        const=const.plain() if const is not None else None,
        enum=word(node, "enum"),
        event=word(node, "event"),
        size=word(node, "size"),
        count=word(node, "count"),
        each=word(node, "each"),
        omit_empty="part" in node and "absent" in node,
        image=word(node, "image"),
        order=word_list(node, "order"),
        about=about(node),
    )


def _chunk(node: YamlNode) -> ColumnField:
    return ColumnField(
        **located(node),
        id=need(node, "id"),
        chunk=need(node, "type"),
        enum=word(node, "enum"),
        absent=number(node, "absent"),
        intern=word(node, "intern"),
        event=word(node, "event"),
        column=word(node, "column"),
        switch=flag(node, "switch"),
        values=word(node, "values"),
        about=about(node),
    )


def _row(node: YamlNode) -> TableRow:
    when = next(((key_word(node["when"], key), need(node["when"], key)) for key, _ in entries(node, "when")), None)
    return TableRow(
        **located(node), id=need(node, "id"), numbers=word_list(node, "numbers"), repeat=word(node, "each"), when=when
    )
