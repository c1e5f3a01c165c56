"""The plan of the module with the schema types of a protocol."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..model import Protocol, Spec
from ..plan.names import flag_constants
from ..plan.values import runtime_name
from ..syntax.nodes import Call, Expression, Items, Literal, Name, Table, named
from .lines import LineOfColumns
from .model import SchemaType, SchemaTypes, TidbWord

COLUMN_TYPE = Name("ColumnType")


@dataclass(frozen=True)
class SchemaTypesPlan:
    """The module."""

    source: str
    title: str
    about: str
    wire: str
    codec: str
    """The class of the wire's codecs, and its module."""
    codec_module: str
    modules: tuple[str, ...]
    """Modules of the codecs, in the folder of the wire."""
    flags: tuple[str, ...]
    """The flag constants used."""
    types: tuple[Expression, ...]
    columns: tuple[Expression, ...]
    exact: Expression | None
    in_source: Expression | None
    """The parameters in which connectors repeat facts from the source database."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of the runtime used."""
        found = ["ColumnMapping", "SchemaType", "SchemaTypes"]
        found += ["SourceWords"] * (self.in_source is not None) + ["TidbWord"] * (self.exact is not None)
        return tuple(found)


CODECS = {
    "json": ("JsonCodec", "json.codec"),
    "record": ("ValueCodec", "wire.value_codec"),
}
"""By wire: the class of codecs and its module in the runtime."""


def types_by_codec(spec: Spec, one: LineOfColumns) -> dict[str, list[str]]:
    """Type names by the runtime's name of the codec, which depends on the storage."""
    found: dict[str, list[str]] = {}
    for name in one.types:
        kind = spec.mysql_types.types[name]
        found.setdefault(runtime_name(spec, one.codec, one.storage(kind)), []).append(str(name))
    return found


def schema_types_plan(spec: Spec, protocol: Protocol, wire: str) -> SchemaTypesPlan | None:
    """The plan of a protocol's module; None if it has no schema types."""
    said = protocol.schema_types
    if said is None:
        return None
    lines = said.lines(wire, protocol.options)
    used = {str(one.schema) for one in lines}
    flags = flag_constants(spec)
    told = dict.fromkeys(flags[flag] for one in lines for flag in (one.flagged, one.unflagged) if flag is not None)
    return SchemaTypesPlan(
        source=protocol.file if said.like is None else f"{protocol.file} and {said.location.file}",
        title=protocol.title,
        about=said.about,
        wire=wire,
        codec=CODECS[wire][0],
        codec_module=CODECS[wire][1],
        modules=tuple(sorted({codec.partition(".")[0] for one in lines for codec in types_by_codec(spec, one)})),
        flags=tuple(sorted(one for one in told if not one.isdecimal())),
        types=tuple(_type(one) for key, one in said.types.items() if key in used),
        columns=tuple(row for one in lines for row in _rows(spec, one)),
        exact=None if said.exact is None else _exact(said.exact),
        in_source=_source(said),
    )


def _type(one: SchemaType) -> Expression:
    given: list[tuple[str, Expression]] = [
        ("id", Literal(str(one.id))),
        ("type", Literal(one.type)),
        ("stands_for", Literal(str(one.stands_for))),
    ]
    words = {"name": one.name, "logical": one.logical, "length": one.length, "scale": one.scale, "labels": one.labels}
    given += [(key, Literal(text)) for key, text in words.items() if text is not None]
    if one.parameters:
        said = tuple((Literal(key), Literal(text)) for key, text in one.parameters.items())
        given.append(("parameters", Table(said)))
    if one.precision is not None:
        given.append(("precision", Literal(one.precision)))
    if not one.versioned:
        given.append(("versioned", Literal(False)))
    if one.escapes:
        given.append(("escapes", Literal(True)))
    if one.default is not None:
        given.append(("default", Literal(one.default)))
    return Call(Name("SchemaType"), (), tuple(given))


def _rows(spec: Spec, one: LineOfColumns) -> Iterator[Expression]:
    """One row per storage of the values."""
    for codec, types in types_by_codec(spec, one).items():
        module, _, constant = codec.partition(".")
        given = [
            ("types", Items(tuple(COLUMN_TYPE.attribute(name.upper()) for name in types))),
            ("schema", Literal(str(one.schema))),
            ("codec", Name(module).attribute(constant)),
            *_conditions(spec, one),
        ]
        yield Call(Name("ColumnMapping"), (), tuple(given))


def _conditions(spec: Spec, one: LineOfColumns) -> Iterator[tuple[str, Expression]]:
    """The arguments that only few rows have."""
    flags = flag_constants(spec)
    for key, flag in (("flagged", one.flagged), ("unflagged", one.unflagged)):
        if flag is not None:
            yield key, named(flags[flag])
    for key, limits in (("length", one.length), ("fraction", one.fraction)):
        if limits is not None:
            yield key, Items(tuple(map(Literal, limits)))
    for key, said in (("unscaled", one.unscaled), ("reads", one.reads), ("bare", one.bare)):
        if said:
            yield key, Literal(True)
    if one.default is not None:
        yield "default", Literal(one.default)
    for key, choice in (("mode", one.mode), ("when", one.when)):
        if choice is not None:
            yield key, _texts(choice)
    if one.producers:
        yield "producers", _texts(one.producers)


def _texts(words: tuple[str, ...]) -> Items:
    return Items(tuple(Literal(str(one)) for one in words))


def _exact(said: TidbWord) -> Expression:
    given: list[tuple[str, Expression]] = [("word", Literal(said.word))]
    if said.when is not None:
        given.append(("when", Literal(str(said.when))))
    if said.plain:
        given.append(("plain", Items(tuple(COLUMN_TYPE.attribute(name.upper()) for name in said.plain))))
    return Call(Name("TidbWord"), (), tuple(given))


def _source(said: SchemaTypes) -> Expression | None:
    if not said.source:
        return None
    return Call(Name("SourceWords"), (), tuple((key, Literal(text)) for key, text in said.source.items()))
