"""The model of the chapter `schema_types`, which protocols of several wires can share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..extract import about, entries, flag, key_word, located, need, number, range_of, text, texts, word, word_list
from ..load import YamlNode
from ..words import Located, Word
from .lines import LineOfColumns

WIRES = ("json", "record")
"""The wires whose schemas speak in these types: blocks, and schemas of Avro."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SchemaType(Located):
    """A type of Kafka Connect, as a schema says it of a column."""

    id: Word
    type: str
    name: str | None
    """Kafka Connect's name for what values stand for."""
    logical: str | None
    """The logical type of Avro that says the same."""
    precision: int | None
    """The digits of a decimal by which a reader knows it; None: any."""
    parameters: Mapping[str, str]
    """What a schema always says beside the type."""
    versioned: bool
    length: str | None
    """The parameter that says the length of the column; so do those that follow."""
    scale: str | None
    labels: str | None
    escapes: bool
    """Whether a comma in a label has a backslash before it."""
    default: str | None
    """As what the default of such a column is written; None: as a text."""
    stands_for: Word
    """The declared type of a column of which nothing else is known."""

    @property
    def told_by(self) -> tuple[object, ...]:
        """By what a reader knows it."""
        return self.type, self.name or self.logical, self.precision, tuple(sorted(self.parameters.items()))


@dataclass(frozen=True, kw_only=True, eq=False)
class TidbWord(Located):
    """The word of a column's field that is TiDB's name of its type."""

    word: str
    when: Word | None
    """The option with which it is written; None: it always is."""
    plain: tuple[Word, ...]
    """The types that it names without what their flags say."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SchemaTypes(Located):
    """All of them, and the columns that are said in them."""

    like: Word | None
    """The protocol whose chapter it is; None: it is the protocol's own."""
    exact: TidbWord | None
    source: Mapping[str, str]
    """The parameters with what the source database says of a column: its `type`, `length`, `scale` and `labels`; empty:
    there are none."""
    types: Mapping[str, SchemaType]
    columns: tuple[LineOfColumns, ...]
    about: str

    def lines(self, wire: str, options: Iterable[str]) -> tuple[LineOfColumns, ...]:
        """The lines that a protocol has, as it has them.

        Args:
            wire: of its messages.
            options: the protocol's.
        """
        legal = frozenset(options)
        return tuple(one.on(wire, legal) for one in self.columns if wire in one.codecs)


def schema_types(node: YamlNode) -> SchemaTypes:
    """The model of the chapter."""
    exact = node.get("exact")
    return SchemaTypes(
        **located(node),
        like=word(node, "like"),
        exact=None
        if exact is None
        else TidbWord(
            **located(exact), word=str(exact["word"].value), when=word(exact, "when"), plain=word_list(exact, "plain")
        ),
        source=texts(node, "source"),
        types={key: _type(key_word(node["types"], key), one) for key, one in entries(node, "types")},
        columns=tuple(map(_line, node["columns"].list())) if "columns" in node else (),
        about=about(node),
    )


def _type(id: Word, node: YamlNode) -> SchemaType:
    return SchemaType(
        **located(node),
        id=id,
        type=str(node["type"].value),
        name=text(node, "name"),
        logical=text(node, "logical"),
        precision=number(node, "precision"),
        parameters=texts(node, "parameters"),
        versioned="version" not in node,
        length=text(node, "length"),
        scale=text(node, "scale"),
        labels=text(node, "labels"),
        escapes=flag(node, "escapes"),
        default=text(node, "default"),
        stands_for=need(node, "stands_for"),
    )


def _line(node: YamlNode) -> LineOfColumns:
    return LineOfColumns(
        **located(node),
        types=word_list(node, "types"),
        schema=need(node, "as"),
        codecs={wire: need(node, wire) for wire in WIRES if wire in node},
        flagged=word(node, "flagged"),
        unflagged=word(node, "unflagged"),
        length=range_of(node, "length"),
        fraction=range_of(node, "fraction"),
        unscaled="scale" in node,
        default=text(node, "default"),
        reads=flag(node, "reads"),
        writes=word_list(node, "writes"),
        bare=flag(node, "bare"),
        mode=_choice(node, "mode"),
        when=_choice(node, "when"),
        producers=word_list(node, "producers"),
    )


def _choice(node: YamlNode, key: str) -> tuple[Word, Word] | None:
    """An option and its choice."""
    return next(((key_word(node[key], option), need(node[key], option)) for option, _ in entries(node, key)), None)
