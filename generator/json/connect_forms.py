"""What schema blocks call columns: the forms of a spec, and how the values of a column in a form are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..extract import about, entries, flag, key_word, located, need, range_of, text, word, word_list
from ..load import YamlNode
from ..model import Spec
from ..syntax.nodes import NONE, Expression, Items, Literal, Name
from ..words import Located, Word
from .column_lines import LineOfColumns, codes_by_codec, flags_of_line, line_of_columns, modules_of_lines
from .connect_blocks import BlockNode, block_nodes


@dataclass(frozen=True, kw_only=True, eq=False)
class Form(Located):
    """What a block says of a column."""

    name: Word
    type: str
    semantic: str | None
    """Kafka Connect's name of it."""
    versioned: bool
    length: str | None
    """The parameter that says the length of the column; so do those that follow."""
    scale: str | None
    labels: str | None
    escapes: bool
    """Whether a comma in a label has a backslash before it."""
    default: str | None
    """As what the default of such a column is written; None: as a text."""
    stands_for: str
    """The declared type of a column of which nothing else is known."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FormOfColumns(LineOfColumns):
    """How the values of columns of some types are written in a form."""

    form: Word
    length: tuple[int, int] | None
    fraction: tuple[int, int] | None
    unscaled: bool
    """Whether it is for columns without digits behind the point that are declared."""
    bare: bool
    """Whether a reader takes it before others where no block says the form."""
    mode: tuple[Word, Word] | None
    """The option, and its choice, with which a reader takes it before others."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ConnectForms(Located):
    """All of them."""

    exact: str | None
    """The word of a column's field that is TiDB's name of its type."""
    exact_when: Word | None
    """The option with which it is written; None: it always is."""
    exact_plain: tuple[Word, ...]
    """The types that it names without what their flags say."""
    unsent: Mapping[Word, Word]
    """By producer, where a block has the columns of a table that its rows do not have: the last ones, or twice, in
    their place and as the last ones."""
    nulls: Mapping[Word, Word]
    """By producer, as what NULL in a column with a default is written: as the default, or as what comes of parsing it;
    where none is said, NULL is null."""
    forms: tuple[Form, ...]
    structs: Mapping[Word, BlockNode]
    columns: tuple[FormOfColumns, ...]
    about: str

    @property
    def modes(self) -> tuple[str, ...]:
        """The options that choose between lines of columns, in the order of these."""
        return tuple(dict.fromkeys(str(one.mode[0]) for one in self.columns if one.mode is not None))


@dataclass(frozen=True)
class PlannedForms:
    """The same, as it is printed."""

    forms: tuple[tuple[object, ...], ...]
    columns: tuple[Expression, ...]
    exact: str | None
    exact_when: str | None
    exact_plain: tuple[int, ...]
    unsent: dict[str, str]
    nulls: dict[str, str]
    modules: tuple[str, ...]


def connect_forms(node: YamlNode) -> ConnectForms:
    """The model of a chapter."""
    forms = [
        Form(
            **located(one),
            name=key_word(node["forms"], key),
            type=str(one["type"].value),
            semantic=text(one, "name"),
            versioned="version" not in one,
            length=text(one, "length"),
            scale=text(one, "scale"),
            labels=text(one, "labels"),
            escapes=flag(one, "escapes"),
            default=text(one, "default"),
            stands_for=str(one["stands_for"].value),
        )
        for key, one in node["forms"].items()
    ]
    columns = [
        FormOfColumns(
            **line_of_columns(one),
            form=need(one, "form"),
            length=range_of(one, "length"),
            fraction=range_of(one, "fraction"),
            unscaled="scale" in one,
            bare=flag(one, "bare"),
            mode=next(((key_word(one["mode"], key), need(one["mode"], key)) for key, _ in entries(one, "mode")), None),
        )
        for one in node["columns"].list()
    ]
    exact = node.get("exact")
    return ConnectForms(
        **located(node),
        exact=None if exact is None else text(exact, "word"),
        exact_when=None if exact is None else word(exact, "when"),
        exact_plain=() if exact is None else word_list(exact, "plain"),
        unsent={key_word(node["unsent"], key): need(node["unsent"], key) for key, _ in entries(node, "unsent")},
        nulls={key_word(node["nulls"], key): need(node["nulls"], key) for key, _ in entries(node, "nulls")},
        forms=tuple(forms),
        structs=block_nodes(node["structs"]),
        columns=tuple(columns),
        about=about(node),
    )


def planned_forms(spec: Spec, said: ConnectForms) -> PlannedForms:
    """What is printed of a chapter."""
    forms = tuple(
        (
            *(str(one.name), one.type, one.semantic, one.versioned, one.length, one.scale, one.labels, one.escapes),
            *(one.default, one.stands_for),
        )
        for one in said.forms
    )
    columns = tuple(line for one in said.columns for line in _lines(spec, one))
    return PlannedForms(
        forms,
        columns,
        said.exact,
        None if said.exact_when is None else str(said.exact_when),
        tuple(spec.mysql_types.types[name].code for name in said.exact_plain),
        {str(who): str(where) for who, where in said.unsent.items()},
        {str(who): str(how) for who, how in said.nulls.items()},
        modules_of_lines(spec, said.columns),
    )


def _lines(spec: Spec, one: FormOfColumns) -> Iterator[Expression]:
    """A call for each way in which the values are stored."""
    limits = [NONE if limit is None else Items(tuple(map(Literal, limit))) for limit in (one.length, one.fraction)]
    for codec, codes in codes_by_codec(spec, one).items():
        module, _, constant = codec.partition(".")
        types = Items(tuple(map(Literal, codes)))
        given = (types, Literal(str(one.form)), Name(module).attribute(constant), *flags_of_line(spec, one), *limits)
        mode = NONE if one.mode is None else Items(tuple(Literal(str(name)) for name in one.mode))
        more = [Literal(one.unscaled), Literal(one.reads), Literal(one.bare), mode]
        while more[-1] in (NONE, Literal(False)) and len(more) > 2:
            more.pop()
        yield Name("ColumnForm")(*given, *more)
