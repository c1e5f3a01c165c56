"""Nodes -> the model of a binary protocol. The nodes have passed their JSON Schema, so nothing is checked here."""

from __future__ import annotations

from ..build_common import common
from ..extract import about, entries, key_word, need, number, placed, text, word, word_list
from ..load import Node
from ..words import Word
from .model import (
    Batching,
    BinaryProtocol,
    Case,
    ColumnField,
    ColumnsStruct,
    Enum,
    Estimate,
    Section,
    SectionsStruct,
    Struct,
    SwitchStruct,
    TableRow,
    TablesStruct,
    TermsStruct,
)

ESTIMATE_WORDS = ("event", "schema", "table", "column", "name", "value")


def protocol(top: Node, file: str) -> BinaryProtocol:
    """The model of a protocol's file, named `file` in reports."""
    return BinaryProtocol(
        **common(top, file),
        enums={
            key: Enum(
                **placed(node),
                name=key_word(top["enums"], key),
                members={key_word(node, member): value.plain() for member, value in node.items()},
            )
            for key, node in entries(top, "enums")
        },
        structs={key: _struct(key_word(top["structs"], key), node) for key, node in top["structs"].items()},
        image_order=word_list(top["order"], "images") if "order" in top else (),
        batching=_batching(top["batching"]) if "batching" in top else None,
    )


def _struct(name: Word, node: Node) -> Struct:
    common = {**placed(node), "name": name, "about": about(node)}
    if "sections" in node:
        return SectionsStruct(**common, sections=tuple(_section(one) for one in node["sections"].list()))
    if "columns" in node:
        return ColumnsStruct(**common, columns=tuple(_column(one) for one in node["columns"].list()))
    if "switch" in node:
        cases = {
            key: Case(
                **placed(case),
                member=key_word(node["cases"], key),
                struct=need(case, "struct"),
                event=need(case, "event"),
            )
            for key, case in node["cases"].items()
        }
        return SwitchStruct(**common, switch=need(node, "switch"), cases=cases)
    if "terms" in node:
        return TermsStruct(**common, count=need(node["terms"], "count"), chunk=need(node["terms"], "chunk"))
    rows = tuple(_row(one) for one in node["rows"].list())
    return TablesStruct(**common, count=need(node["tables"], "count"), chunk=need(node["tables"], "chunk"), rows=rows)


def _section(node: Node) -> Section:
    const = node.get("const")
    return Section(
        **placed(node),
        id=need(node, "id"),
        type=word(node, "type"),
        struct=word(node, "struct"),
        chunk=_column(node) if "chunk" in node else None,
        const=const.plain() if const is not None else None,
        enum=word(node, "enum"),
        max=number(node, "max"),
        event=word(node, "event"),
        size=word(node, "size"),
        count=word(node, "count"),
        each=word(node, "each"),
        at_end="at" in node,
        omit_empty="omit" in node,
        image=word(node, "image"),
        about=about(node),
    )


def _column(node: Node) -> ColumnField:
    return ColumnField(
        **placed(node),
        id=need(node, "id"),
        chunk=need(node, "chunk"),
        enum=word(node, "enum"),
        max=number(node, "max"),
        null_as=number(node, "null_as"),
        intern=word(node, "intern"),
        event=word(node, "event"),
        column=word(node, "column"),
        values=word(node, "values"),
        about=about(node),
    )


def _row(node: Node) -> TableRow:
    when = next(((key_word(node["when"], key), need(node["when"], key)) for key, _ in entries(node, "when")), None)
    return TableRow(
        **placed(node), id=need(node, "id"), numbers=word_list(node, "numbers"), repeat=word(node, "repeat"), when=when
    )


def _batching(node: Node) -> Batching:
    guess = node.get("estimate")
    estimate = None
    if guess is not None:
        estimate = Estimate(**placed(guess), weights={word: number(guess, word) or 0 for word in ESTIMATE_WORDS})
    return Batching(
        **placed(node),
        gather=need(node, "gather"),
        count=word(node, "count"),
        bytes=word(node, "bytes"),
        close=text(node, "close") or "after",
        estimate=estimate,
        about=about(node),
    )
