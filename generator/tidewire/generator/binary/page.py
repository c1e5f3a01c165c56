"""The parts of a protocol's page about sections, chunks, choices, dictionaries and tables of numbers."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Spec
from ..pages.markdown import EMPTY, Markdown, link, mono, names, say, sentence, series, text, together
from ..pages.parts import PageField, PagePart, PageTable, field_table
from .model import BinaryProtocol, Chunks, ColumnField, Enum, PartChoice, Section, Sections, Tables, Terms
from .model import Part as AnyPart

SIDE_BY_SIDE = (
    "It holds columns: all values of the first field, then all of the second one, and so on. "
    "All of them have as many values."
)


def binary_page(spec: Spec, protocol: BinaryProtocol) -> tuple[PagePart, ...]:
    """The parts of a message, and the types of their numbers and texts."""
    parts = tuple(_part(protocol, name, part) for name, part in protocol.parts.items())
    return (*parts, _types(spec, protocol))


def _part(protocol: BinaryProtocol, name: str, part: AnyPart) -> PagePart:
    about = sentence(part.about)
    match part:
        case Sections():
            if not part.sections:
                return PagePart(mono(name), together(about, Markdown("It has no bytes.")))
            lies = Markdown("It holds sections, one after another.")
            return PagePart(
                mono(name), together(about, lies), field_table(_section(protocol, one) for one in part.sections)
            )
        case Chunks():
            fields = (_chunk(protocol, one) for one in part.columns)
            return PagePart(mono(name), together(about, Markdown(SIDE_BY_SIDE)), field_table(fields))
        case PartChoice():
            lies = say("It is one of several parts, which {} tells.", mono(part.by))
            rows = tuple(
                (mono(case.member), link(case.part), say("{} events", mono(case.cls))) for case in part.cases.values()
            )
            return PagePart(mono(name), together(about, lies), (PageTable(("Case", "Part", "Stands for"), rows),))
        case Terms():
            lies = say("It is a count ({}) and as many texts ({}).", mono(part.count), mono(part.chunk))
            return PagePart(mono(name), together(about, lies))
        case Tables():
            lies = say(
                "Each table is the number of its entries ({}) and the entries ({}).", mono(part.count), mono(part.chunk)
            )
            tables = tuple((mono(row.id), _row(row.numbers, row.repeat, row.when)) for row in part.rows)
            return PagePart(mono(name), together(about, lies), (PageTable(("Table", "Entries"), tables),))


def _row(numbers: tuple[str, ...], repeat: str | None, when: tuple[str, str] | None) -> Markdown:
    if numbers:
        return say("exactly {}: {}", len(numbers), names(numbers))
    if repeat is None or when is None:
        return Markdown("one for each repetition")
    return say(
        "one such table for each entry of {} where {} is {}, with an entry for each repetition",
        mono(repeat),
        mono(when[0]),
        mono(when[1]),
    )


def _section(protocol: BinaryProtocol, one: Section) -> PageField:
    """A section, and how a reader finds its end."""
    if one.chunk is not None:
        field = _chunk(protocol, one.chunk)
        return PageField(field.name, field.type, field.says, together(field.about, *_places(one)))
    kind = link(one.part) if one.part is not None else mono(one.type)
    says = EMPTY
    if one.const is not None:
        says = say("always {}", mono(one.const))
    elif one.event is not None:
        says = mono(one.event)
    about = (sentence(one.about), _members(protocol, one.enum), _most(one.max), *_places(one))
    return PageField(mono(one.id), kind, says, together(*about))


def _places(one: Section) -> Iterator[Markdown]:
    """What determines the length, number and position of a section."""
    if one.size is not None:
        yield say("{} says its bytes.", mono(one.size))
    if one.count is not None:
        yield say("{} says how many there are.", mono(one.count))
    if one.each is not None:
        yield say("It is there once for each entry of {}, which is its size.", mono(one.each))
    if one.image is not None:
        yield say("Row images come in this order: {}.", names(one.order, "then"))
    if one.at_end:
        yield Markdown("It is read backwards from the end.")
    if one.omit_empty:
        yield Markdown("It has no bytes when there is nothing in it.")


def _chunk(protocol: BinaryProtocol, one: ColumnField) -> PageField:
    """A field of all events, or of all columns of a row image."""
    says = EMPTY
    if one.event is not None:
        says = mono(one.event)
    elif one.switch:
        says = Markdown("which case")
    elif one.column is not None:
        says = say("the column's {}", one.column)
    about = [sentence(one.about), _members(protocol, one.enum), _most(one.max)]
    if one.intern is not None:
        about.append(say("The numbers are positions in {}.", mono(one.intern)))
    if one.absent is not None:
        about.append(say("{} stands for nothing.", mono(one.absent)))
    if one.values is not None:
        about.append(say("Values are written as in {}.", link(one.values)))
    return PageField(mono(one.id), mono(one.chunk), says, together(*about))


def _members(protocol: BinaryProtocol, enum: str | None) -> Markdown:
    if enum is None:
        return EMPTY
    found: Enum = protocol.enums[enum]
    return say("{}.", series(say("{} is {}", mono(number), mono(name)) for name, number in found.members.items()))


def _most(most: int | None) -> Markdown:
    return EMPTY if most is None else say("At most {}.", mono(most))


def _types(spec: Spec, protocol: BinaryProtocol) -> PagePart:
    """The primitives and chunks that the parts use, as explained in primitives.yaml."""
    used = [*_used(protocol)]
    primitives = [spec.primitives.primitives[name] for what, name in used if what == "value"]
    chunks = [spec.primitives.chunks[name] for what, name in used if what == "column"]
    rows = [(mono(one.name), Markdown("one value"), text(one.about)) for one in primitives]
    rows += [(mono(one.name), Markdown("a column"), text(one.about)) for one in chunks]
    about = Markdown("What the types in the tables above are, as single values and as columns of values.")
    return PagePart(Markdown("Types"), about, (PageTable(("Type", "Of", "Bytes"), tuple(rows)),))


def _used(protocol: BinaryProtocol) -> Iterator[tuple[str, str]]:
    """The distinct primitives and chunks, in the order of use."""
    found: dict[tuple[str, str], None] = {}
    for part in protocol.parts.values():
        for one in part.sections if isinstance(part, Sections) else ():
            if one.type is not None:
                found["value", one.type] = None
            if one.chunk is not None:
                found["column", one.chunk.chunk] = None
        for column in part.columns if isinstance(part, Chunks) else ():
            found["column", column.chunk] = None
        if isinstance(part, Terms | Tables):
            found["value", part.count] = None
            found["column", part.chunk] = None
    yield from found
