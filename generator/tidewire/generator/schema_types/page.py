"""The sections about columns and schema types on a protocol's page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..model import Spec
from ..pages.markdown import EMPTY, Markdown, mono, names, say, sentence, series, together
from ..pages.parts import PagePart, PageTable
from ..pages.types import type_names
from .avro import AVRO_TYPES
from .lines import LineOfColumns
from .model import SchemaType, SchemaTypes

DEFAULTS: Mapping[str, str] = {
    "bool": "true or false",
    "bits": "the bytes in base64, the lowest first",
    "number": "a number",
    "year": "a number",
    "days": "days since 1970",
    "millis": "milliseconds since 1970",
    "micros": "microseconds since 1970",
    "time": "microseconds",
    "zoned": "a text of ISO 8601 in UTC",
    "integer": "a number",
    "single": "the number of 32 bits that is the nearest",
    "double": "a number",
    "base64": "the bytes in base64",
    "none": "none",
}
"""Descriptions of the forms of defaults; forms that are not listed are texts."""


def schema_type_parts(
    spec: Spec, said: SchemaTypes, lines: Sequence[LineOfColumns], in_avro: bool, notes: Sequence[Markdown] = ()
) -> list[PagePart]:
    """Sections on how columns are written here and by other producers.

    Args:
        said: the protocol's chapter.
        lines: the lines that apply to the protocol.
        in_avro: whether schemas are Avro; otherwise they are Kafka Connect schema blocks.
        notes: additional notes.
    """
    written = [one for one in lines if not one.reads]
    read = [one for one in lines if one.reads]
    about = together(sentence(said.about), Markdown("A reader decodes values by their schema."))
    more = (*_told(said), *notes, *_defaults(said, written), *_versions(said, written))
    found = [PagePart(Markdown("Columns in schemas"), about, (_table(spec, said, written, in_avro),), more)]
    if read:
        also = Markdown("What other programs write. It is read, and never written.")
        found.append(PagePart(Markdown("Columns that are read only"), also, (_table(spec, said, read, in_avro),)))
    return found


def _told(said: SchemaTypes) -> Iterator[Markdown]:
    """Texts about the other contents of schemas for columns."""
    if said.exact is not None:
        with_option = EMPTY if said.exact.when is None else say(", written with {},", mono(said.exact.when))
        yield say(
            "{} in the field of a column{} is TiDB's name of the column's type. A reader uses it before all others.",
            mono(said.exact.word),
            with_option,
        )
        if said.exact.plain:
            yield say("For {} the name never says UNSIGNED.", names([one.upper() for one in said.exact.plain]))
    if said.source:
        yield say(
            "A connector can repeat the column's type in the source database in the parameter {}, with its "
            "length in {}, its scale in {}, and the labels of an ENUM or SET in {}. A reader uses it next, unless "
            "values of that type cannot have the schema's type.",
            *(mono(said.source[word]) for word in ("type", "length", "scale", "labels")),
        )


def _defaults(said: SchemaTypes, lines: Sequence[LineOfColumns]) -> Iterator[Markdown]:
    """Texts about how the defaults of columns are written."""
    found: dict[str, dict[Markdown, None]] = {}
    for line in lines:
        type = said.types[line.schema]
        way = line.default or type.default or "text"
        if way != "text":
            found.setdefault(DEFAULTS[way], {})[_called(type)] = None
    if found:
        shown = "; ".join(say("for {} {}", series(which), what) for what, which in found.items())
        yield say("Defaults of columns are written as text, except: {}.", Markdown(shown))


def _versions(said: SchemaTypes, lines: Sequence[LineOfColumns]) -> Iterator[Markdown]:
    used = [said.types[key] for key in dict.fromkeys(str(line.schema) for line in lines)]
    if any(one.name is not None for one in used):
        without = [_called(one) for one in used if one.name is not None and not one.versioned]
        but = say(", except {}", series(without)) if without else EMPTY
        yield say("Types with a name also have {}{}.", mono("version: 1"), but)


def _called(one: SchemaType) -> Markdown:
    told = next(iter(one.parameters.values()), None)
    return mono(one.name or told or one.type)


def _table(spec: Spec, said: SchemaTypes, lines: Sequence[LineOfColumns], in_avro: bool) -> PageTable:
    rows = tuple(
        (
            together(type_names(spec, one.types, one.flagged), *_conditions(one)),
            _type(said.types[one.schema], in_avro),
            together(sentence(spec.primitives.codecs[one.codec].about), *_chosen(one, in_avro)),
        )
        for one in lines
    )
    return PageTable(("Columns", "The schema says", "Values"), rows)


def _type(one: SchemaType, in_avro: bool) -> Markdown:
    """The type in a schema: in a block Kafka Connect's; in Avro the Avro type with Kafka Connect's beside it."""
    avro = AVRO_TYPES.get(one.type, one.type)
    said = [mono(avro if in_avro else one.type)]
    if in_avro and avro == "int" and one.type != "int32":
        said.append(say("the type {}", mono(one.type)))
    if one.name is not None:
        said.append(say("the name {}", mono(one.name)))
    if in_avro and one.logical is not None:
        said.append(say("the logical type {}", mono(one.logical)))
    if one.precision is not None:
        said.append(say("the precision {}, the scale 0 and no parameters", mono(str(one.precision))))
    said += [say("{} in {}", mono(text), mono(key)) for key, text in one.parameters.items()]
    for what, where in (("its length", one.length), ("its scale", one.scale), ("its labels", one.labels)):
        if where is not None:
            said.append(say("{} in {}", what, mono(where)))
    return series(said)


def _conditions(one: LineOfColumns) -> Iterator[Markdown]:
    if one.length is not None:
        yield say("of length {}", _span(one.length))
    if one.fraction is not None:
        yield say("with {} digits in the fraction of a second", _span(one.fraction))
    if one.unscaled:
        yield Markdown("declared without a scale")


def _span(limits: tuple[int, int]) -> Markdown:
    return say("{}", limits[0]) if limits[0] == limits[1] else say("{} to {}", *limits)


def _chosen(one: LineOfColumns, in_avro: bool) -> Iterator[Markdown]:
    """Texts about the conditions of the line."""
    if one.when is not None and not one.reads:
        yield say("Only with {}.", mono(f"{one.when[0]}={one.when[1]}"))
    if one.producers and not one.reads:
        yield say("Written by {} only.", names(one.producers))
    if one.mode is not None:
        yield say("Used with {} where no schema says the type.", mono(f"{one.mode[0]}={one.mode[1]}"))
    if one.bare and not in_avro:
        yield Markdown("Tried first where there is no schema block.")
