"""Builds the model of the shared files. The nodes have passed their JSON Schema, so nothing is checked here."""

from __future__ import annotations

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
from .facts import (
    Chunk,
    Codec,
    ColumnFlag,
    ColumnType,
    DdlType,
    EventClass,
    EventField,
    EventKind,
    Events,
    MysqlTypes,
    Primitive,
    Primitives,
    Storage,
    TypeMapping,
    TypeVariant,
)
from .load import YamlNode
from .words import Word


def primitives(top: YamlNode) -> Primitives:
    """The model of primitives.yaml."""
    return Primitives(
        **located(top),
        about=about(top),
        primitives={
            key: Primitive(
                **located(node),
                name=key_word(top["primitives"], key),
                python=text(node, "python") or "",
                range=range_of(node),
                where=text(node, "where") or "start",
                about=about(node),
            )
            for key, node in top["primitives"].items()
        },
        chunks={
            key: Chunk(
                **located(node),
                name=key_word(top["chunks"], key),
                python=text(node, "python") or "",
                range=range_of(node),
                nullable=flag(node, "nullable"),
                about=about(node),
            )
            for key, node in top["chunks"].items()
        },
        codecs={
            key: Codec(
                **located(node),
                name=key_word(top["codecs"], key),
                wires=one_or_several(node, "wire"),
                storage={key_word(node["storage"], kind): path for kind, path in texts(node, "storage").items()},
                avro=word(node, "avro"),
                located=flag(node, "located"),
                reads=flag(node, "reads"),
                about=about(node),
            )
            for key, node in top["codecs"].items()
        },
    )


def events(top: YamlNode) -> Events:
    """The model of events.yaml."""
    return Events(
        **located(top),
        about=about(top),
        kinds={
            key: EventKind(
                **located(node),
                name=key_word(top["kinds"], key),
                code=number(node, "code") or 0,
                cls=need(node, "class"),
                images=word_list(node, "images") if "images" in node else None,
                about=about(node),
            )
            for key, node in top["kinds"].items()
        },
        fields={
            key: EventField(
                **located(node),
                name=key_word(top["fields"], key),
                type=need(node, "type"),
                optional=flag(node, "optional"),
                identity="identity" not in node or flag(node, "identity"),
                range=range_of(node),
                spark=text(node, "spark"),
                means=text(node, "means"),
                about=about(node),
            )
            for key, node in top["fields"].items()
        },
        classes={
            key: EventClass(
                **located(node),
                key=key_word(top["classes"], key),
                name=need(node, "name"),
                fields=word_list(node, "fields"),
                images=word_list(node, "images"),
                columns=flag(node, "columns"),
                needs=word_list(node, "needs"),
                about=about(node),
            )
            for key, node in top["classes"].items()
        },
        values={
            key: Storage(
                **located(node),
                name=key_word(top["values"], key),
                arrow=need(node, "arrow"),
                python=need(node, "python"),
                about=about(node),
            )
            for key, node in top["values"].items()
        },
    )


def mysql_types(top: YamlNode) -> MysqlTypes:
    """The model of mysql_types.yaml."""
    otherwise = text(top, "ddl_class") or ""
    return MysqlTypes(
        **located(top),
        about=about(top),
        ddl_class=otherwise,
        synonyms={key_word(top["synonyms"], key): need(top["synonyms"], key) for key, _ in entries(top, "synonyms")},
        silent=word_list(top, "silent"),
        flags={
            key: ColumnFlag(
                **located(node),
                name=key_word(top["flags"], key),
                bit=number(node, "bit") or 0,
                sql=word_list(node, "sql"),
                reads=word_list(node, "reads"),
                about=about(node),
            )
            for key, node in top["flags"].items()
        },
        types={key: _column_type(key_word(top["types"], key), node) for key, node in top["types"].items()},
        ddl_types={
            key: DdlType(
                **located(node),
                name=key_word(top["ddl_types"], key),
                code=number(node, "code") or 0,
                title=need(node, "title"),
                cls=text(node, "class") or otherwise,
                replicated=flag(node, "replicated"),
                statement=word_list(node, "statement"),
                lists=text(node, "lists") or "one",
            )
            for key, node in top["ddl_types"].items()
        },
    )


def _column_type(name: Word, node: YamlNode) -> ColumnType:
    return ColumnType(
        **located(node),
        name=name,
        code=number(node, "code") or 0,
        sql=word_list(node, "sql"),
        omits=word_list(node, "omits"),
        fractions=flag(node, "fractions"),
        checksum=text(node, "checksum"),
        labels=text(node, "labels"),
        parameters=text(node, "parameters"),
        length=number(node, "length"),
        undeclared=flag(node, "undeclared"),
        storage=need(node, "storage"),
        range=range_of(node),
        spark=need(node, "spark"),
        flagged={
            key: TypeVariant(
                **located(variant),
                flag=key_word(node["flagged"], key),
                sql=word_list(variant, "sql"),
                length=number(variant, "length"),
                storage=word(variant, "storage"),
                range=range_of(variant),
                spark=text(variant, "spark"),
            )
            for key, variant in entries(node, "flagged")
        },
        mappings={key: _mapping(mapped) for key, mapped in entries(node, "mappings")},
        about=about(node),
    )


def _mapping(node: YamlNode) -> TypeMapping:
    said = node.plain()
    if isinstance(said, list):
        return TypeMapping(plain=said[0], flagged=said[1], beyond=None)
    if isinstance(said, dict):
        return TypeMapping(plain=said["code"], flagged=said["code"], beyond=said["beyond"])
    return TypeMapping(plain=said, flagged=said, beyond=None)
