"""Nodes -> the model of a protocol. The nodes have passed their JSON Schema, so nothing is checked here."""

from __future__ import annotations

from .extract import about, entries, flag, key_word, need, number, placed, range_of, text, texts, word, word_list
from .load import Node
from .model import (
    Batching,
    Case,
    ColumnField,
    ColumnsStruct,
    Defect,
    Enum,
    Estimate,
    Keep,
    Option,
    Protocol,
    Section,
    SectionsStruct,
    Struct,
    SwitchStruct,
    TableRow,
    TablesStruct,
    TermsStruct,
    ValueCase,
    ValueTable,
)
from .words import Word

ESTIMATE_WORDS = ("event", "schema", "table", "column", "name", "value")


def protocol(top: Node, file: str) -> Protocol:
    """The model of a protocol's file, named `file` in reports."""
    return Protocol(
        **placed(top),
        name=need(top, "protocol"),
        file=file,
        title=need(top, "title"),
        about=about(top),
        sources=texts(top, "sources"),
        producers=texts(top, "producers"),
        wire=need(top, "wire"),
        root=need(top, "root"),
        enums={
            key: Enum(
                **placed(node),
                name=key_word(top["enums"], key),
                members={key_word(node, member): value.plain() for member, value in node.items()},
            )
            for key, node in entries(top, "enums")
        },
        structs={key: _struct(key_word(top["structs"], key), node) for key, node in top["structs"].items()},
        values={key: _value_table(key_word(top["values"], key), node) for key, node in entries(top, "values")},
        image_order=word_list(top["order"], "images") if "order" in top else (),
        batching=_batching(top["batching"]) if "batching" in top else None,
        options={key: _option(key_word(top["options"], key), node) for key, node in entries(top, "options")},
        defects={
            key: Defect(
                **placed(node),
                name=key_word(top["defects"], key),
                producers=word_list(node, "producers"),
                types=word_list(node, "types"),
                excuses="excuses" not in node or flag(node, "excuses"),
                about=about(node),
            )
            for key, node in entries(top, "defects")
        },
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


def _value_table(name: Word, node: Node) -> ValueTable:
    return ValueTable(
        **placed(node),
        name=name,
        cases=tuple(
            ValueCase(
                **placed(case),
                types=word_list(case, "types"),
                codec=need(case, "codec"),
                flagged={
                    key_word(case["flagged"], flag): need(case["flagged"], flag) for flag, _ in entries(case, "flagged")
                },
            )
            for case in node["cases"].list()
        ),
        unknown=text(node, "unknown") or "error",
        about=about(node),
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


def _option(name: Word, node: Node) -> Option:
    kept = node.get("keep")
    keep = None
    if kept is not None:
        keep = Keep(**placed(kept), event=need(kept, "event"), image=need(kept, "image"), flagged=need(kept, "flagged"))
    return Option(
        **placed(node),
        name=name,
        type=need(node, "type"),
        default=node["default"].plain(),
        range=range_of(node),
        keep=keep,
        about=about(node),
    )
