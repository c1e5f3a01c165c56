"""What schemas say of columns, and how the values of columns are written: the chapter `schemas` of a spec."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..extract import about, entries, flag, key_word, located, need, number, range_of, text, word, word_list
from ..json.column_lines import LineOfColumns, line_of_columns
from ..load import YamlNode
from ..words import Located, Word


@dataclass(frozen=True, kw_only=True, eq=False)
class SchemaColumn(LineOfColumns):
    """What a schema says of columns of some types, and how their values are written."""

    type: Word
    """Avro's type."""
    logical: str | None
    """Avro's logical type."""
    word: str | None
    """TiDB's name of the type, as the schema says it."""
    length: str | None
    """The parameter with the length of the column."""
    labels: str | None
    """The parameter with its labels."""
    default: str | None
    """As what the default of a column is written; None: it is not."""
    when: tuple[Word, Word] | None
    """The option, and its choice, with which a writer takes the line."""
    producers: tuple[Word, ...]
    """The producers that write it; none: all do."""
    stands_for: Word
    """The declared type of a column of which nothing else is known."""
    semantic: str | None
    """Kafka Connect's name of the type; so do those that follow say something to Kafka Connect's schemas only."""
    small: str | None
    """The type of Kafka Connect, where Avro has no such type."""
    versioned: bool
    escapes: bool
    """Whether a comma in a label has a backslash before it."""
    length_within: tuple[int, int] | None
    """The lengths of the columns; None: any. So it is with the digits of parts of a second."""
    fraction_within: tuple[int, int] | None
    precision: int | None
    """The digits of a decimal by which a reader knows it; None: it does not say them."""
    unscaled: bool
    """Whether it is for columns without digits behind the point that are declared."""

    @property
    def form(self) -> tuple[str | None, ...]:
        """By what a reader knows it."""
        precision = None if self.precision is None else str(self.precision)
        return str(self.type), self.logical, self.word, self.semantic, self.small, precision

    @property
    def is_narrowed(self) -> bool:
        """Whether it is for some columns of its types only, whatever their flags."""
        return self.length_within is not None or self.fraction_within is not None or self.unscaled


@dataclass(frozen=True, kw_only=True, eq=False)
class ConnectStyle(Located):
    """What schemas are like that stand for those of Kafka Connect."""

    exact_when: Word | None
    """The option with which a field says TiDB's name of its column's type; None: it always does."""
    exact_plain: tuple[Word, ...]
    """The types that it names without what their flags say."""
    fills_nulls: bool
    """Whether NULL in a column with a default is written as what comes of parsing the default."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Schemas(Located):
    """How schemas of records are made, and under which subjects they are registered."""

    registry: Word
    """The option that says where schemas are."""
    topic: Word
    """The option that says to which topic messages are written."""
    subjects: Mapping[str, Word]
    """Of key and value."""
    pointed: bool
    """Whether points of a topic are points in its subjects; else they are underscores."""
    namespace: Word
    connect: ConnectStyle | None
    """None: schemas stand for none of Kafka Connect."""
    parameters: Word
    """The name under which a column's type has its parameters."""
    word: Word
    """The parameter with TiDB's name of the type."""
    by_id: Word | None
    """The option with which columns are in the order of their ids."""
    unsent: tuple[Word, ...]
    """The producers whose schemas have the generated columns that rows lack."""
    refuses: tuple[Word, ...]
    """The types of columns that no record has."""
    columns: tuple[SchemaColumn, ...]
    about: str

    @property
    def namespace_option(self) -> Word | None:
        """The option with which the namespace begins; None: it begins with a name."""
        head, _, _ = self.namespace.partition("}")
        return Word(head[1:], self.namespace.location) if head.startswith("{") else None

    @property
    def written(self) -> tuple[SchemaColumn, ...]:
        """The lines that a writer takes."""
        return tuple(one for one in self.columns if not one.reads)


def schemas(node: YamlNode) -> Schemas:
    """The model of the chapter."""
    return Schemas(
        **located(node),
        registry=need(node, "registry"),
        topic=need(node, "topic"),
        subjects={side: need(node["subjects"], side) for side, _ in node["subjects"].items()},
        pointed=flag(node, "pointed"),
        namespace=need(node, "namespace"),
        connect=_connect(node["connect"]) if "connect" in node else None,
        parameters=need(node, "parameters"),
        word=need(node, "word"),
        by_id=word(node, "by_id"),
        unsent=word_list(node, "unsent"),
        refuses=word_list(node, "refuses"),
        columns=tuple(_lines(node)),
        about=about(node),
    )


def _connect(node: YamlNode) -> ConnectStyle:
    return ConnectStyle(
        **located(node),
        exact_when=word(node, "when"),
        exact_plain=word_list(node, "plain"),
        fills_nulls="nulls" in node,
    )


def _lines(node: YamlNode) -> Iterator[SchemaColumn]:
    for one in node["columns"].list():
        when = [(key_word(one["when"], option), need(one["when"], option)) for option, _ in entries(one, "when")]
        yield SchemaColumn(
            **line_of_columns(one),
            type=need(one, "type"),
            logical=text(one, "logical"),
            word=text(one, "word"),
            length=text(one, "length"),
            labels=text(one, "labels"),
            default=text(one, "default"),
            when=next(iter(when), None),
            producers=word_list(one, "producers"),
            stands_for=need(one, "stands_for"),
            semantic=text(one, "semantic"),
            small=text(one, "small"),
            versioned="version" not in one,
            escapes=flag(one, "escapes"),
            length_within=range_of(one["only"], "length") if "only" in one else None,
            fraction_within=range_of(one["only"], "fraction") if "only" in one else None,
            precision=number(one, "precision"),
            unscaled="only" in one and "scale" in one["only"],
        )
