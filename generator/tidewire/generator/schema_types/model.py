"""The model of the chapter `schema_types`, which protocols with different wires can share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..extract import about, entries, flag, key_word, located, need, range_of, text, texts, word, word_list
from ..load import YamlNode
from ..words import Located, Word
from .lines import LineOfColumns

WIRES = ("json", "record")
"""The wires with schemas of these types: Kafka Connect schema blocks, and Avro schemas."""


OF_COLUMNS = ("{length}", "{scale}", "{labels}")
"""Placeholders in parameters, replaced by facts of the column."""
PRECISION = "precision"
"""The parameter of decimals in schemas of Avro that readers recognize by it."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SchemaType(Located):
    """A Kafka Connect type in the schema of a column."""

    id: Word
    type: str
    name: str | None
    """Kafka Connect's semantic name."""
    logical: str | None
    """The corresponding logical type of Avro."""
    precision: int | None
    """The precision by which readers recognize a decimal; None: any."""
    parameters: Mapping[str, str]
    """Fixed parameters of the schema besides the type."""
    doubled: bool
    """Whether two parameters state the same fact of a column."""
    versioned: bool
    length: str | None
    """The parameter with the column's length; the following attributes are names of parameters, too."""
    scale: str | None
    labels: str | None
    escapes: bool
    """Whether commas in labels are escaped by a backslash."""
    default: str | None
    """How the default of a column of this type is written; None: as text."""
    stands_for: Word
    """The declared type assumed for a column about which nothing else is known."""

    @property
    def distinguished_by(self) -> tuple[object, ...]:
        """The properties by which readers distinguish it from other schema types."""
        return self.type, self.name or self.logical, self.precision, tuple(sorted(self.parameters.items()))


@dataclass(frozen=True, kw_only=True, eq=False)
class TidbWord(Located):
    """The attribute of a column's field that contains TiDB's name of its type."""

    word: str
    when: Word | None
    """The option with which it is written; None: always."""
    plain: tuple[Word, ...]
    """Column types whose name is the same with and without flags such as UNSIGNED."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SchemaTypes(Located):
    """All schema types, and the columns that use them."""

    like: Word | None
    """The protocol whose chapter is shared; None: the protocol has its own."""
    exact: TidbWord | None
    source: Mapping[str, str]
    """The parameters with facts from the source database: `type`, `length`, `scale` and `labels`; empty: there are
    none.
    """
    types: Mapping[str, SchemaType]
    columns: tuple[LineOfColumns, ...]
    about: str

    def lines(self, wire: str, options: Iterable[str]) -> tuple[LineOfColumns, ...]:
        """The lines that apply to a protocol, reduced to it by `LineOfColumns.on`."""
        legal = frozenset(options)
        return tuple(one.on(wire, legal) for one in self.columns if wire in one.codecs)


def schema_types(node: YamlNode) -> SchemaTypes:
    """The model of the chapter."""
    exact = node.get("exact")
    return SchemaTypes(
        **located(node),
        like=word(node, "protocol"),
        exact=None
        if exact is None
        else TidbWord(
            **located(exact), word=str(exact["name"].value), when=word(exact, "when"), plain=word_list(exact, "plain")
        ),
        source={what.strip("{}"): name for name, what in texts(node, "source").items()},
        types={key: _type(key_word(node["types"], key), one) for key, one in entries(node, "types")},
        columns=tuple(map(_line, node["columns"].list())) if "columns" in node else (),
        about=about(node),
    )


def _type(id: Word, node: YamlNode) -> SchemaType:
    said = texts(node, "parameters")
    parameters = {name: one for name, one in said.items() if one not in OF_COLUMNS}
    of_column = {one.strip("{}"): name for name, one in said.items() if one in OF_COLUMNS}
    return SchemaType(
        **located(node),
        id=id,
        type=str(node["type"].value),
        name=text(node, "name"),
        logical=text(node, "logical"),
        precision=int(told) if (told := parameters.pop(PRECISION, "")).isdecimal() else None,
        parameters=parameters,
        versioned="version" not in node,
        doubled=len(of_column) < sum(one in OF_COLUMNS for one in said.values()),
        length=of_column.get("length"),
        scale=of_column.get("scale"),
        labels=of_column.get("labels"),
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
        fraction=None if text(node, "scale") == "none" else range_of(node, "scale"),
        unscaled=text(node, "scale") == "none",
        default=text(node, "default"),
        reads=flag(node, "reads") or text(node, "reads") == "first",
        reads_on=word_list(node, "reads") if "reads" in node and isinstance(node["reads"].plain(), list) else (),
        bare=text(node, "reads") == "first",
        mode=_choice(node, "mode"),
        when=_choice(node, "when"),
        producers=word_list(node, "producers"),
    )


def _choice(node: YamlNode, key: str) -> tuple[Word, Word] | None:
    """An option and its choice."""
    return next(((key_word(node[key], option), need(node[key], option)) for option, _ in entries(node, key)), None)
