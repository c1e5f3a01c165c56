"""The parts of a protocol's page about the members of JSON objects."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from ..pages.markdown import EMPTY, Markdown, link, mono, names, say, sentence, series, together
from ..pages.parts import PageField
from .described_model import DescribedMember, EachMember, ToldMember
from .model import (
    OMIT,
    ByProducer,
    ChangesMember,
    DeclaredMember,
    DescriptionMember,
    ImageMember,
    MappedMember,
    Member,
    MemberBase,
    NamesMember,
    ObjectMember,
    RowsMember,
    Scalar,
)

SCALARS: Mapping[str, str] = {
    "integer": "integer",
    "unsigned": "unsigned integer",
    "text": "text",
    "bool": "true or false",
    "base64": "bytes, as base64",
    "nothing": "null",
    "texts": "list of texts",
}
"""The types of members, in words."""


def member_field(one: Member) -> PageField:
    """A member as a row of the page: name, type, meaning and notes."""
    return PageField(
        mono(one.name), _type(one), _says(one), together(sentence(one.about), *_more(one), *_presence(one))
    )


def told_field(one: DescribedMember) -> PageField:
    """A member of an object that describes a table, a column or an index."""
    if not isinstance(one, ToldMember):
        kind = say("list of {}", link(one.part)) if isinstance(one, EachMember) else link(one.part)
        order = _sorted(one.sorted, "them in the order of their ids") if isinstance(one, EachMember) else EMPTY
        hides = one.hides if isinstance(one, EachMember) else ()
        hidden = say("{} leaves out hidden columns of indexes on expressions.", names(hides)) if hides else EMPTY
        return PageField(mono(one.name), kind, EMPTY, together(sentence(one.about), order, hidden))
    more = []
    if one.numbers:
        more.append(say("Of columns of type {} it is a number.", series(map(str.upper, one.numbers))))
    if one.silent:
        more.append(say("Columns of type {} do not have it.", series(map(str.upper, one.silent))))
    if one.absent is not None:
        more.append(_nothing(one.absent))
    if one.reads:
        more.append(Markdown("Read and never written."))
    return PageField(mono(one.name), Markdown(SCALARS[one.type]), mono(one.tells), together(sentence(one.about), *more))


def _type(one: Member) -> Markdown:
    """The JSON type of a member."""
    match one:
        case Scalar():
            return Markdown(SCALARS[one.type])
        case NamesMember():
            return Markdown("list of texts")
        case DeclaredMember() | MappedMember():
            return Markdown("object, by column")
        case RowsMember():
            return Markdown("object, by column" if one.single else "list of objects, by column")
        case ImageMember():
            return say("object of {}, by column", link(one.part))
        case ChangesMember():
            return say("list of {}", link(one.part))
        case DescriptionMember() | ObjectMember():
            return link(one.part)


def _says(one: Member) -> Markdown:
    """The meaning of a member."""
    match one:
        case Scalar():
            return _scalar_says(one)
        case NamesMember():
            return Markdown("names of columns")
        case DeclaredMember():
            return Markdown("declared types")
        case MappedMember():
            return say("{} of types", mono(one.mapping))
        case RowsMember() | ImageMember():
            return Markdown("a row image" if isinstance(one, ImageMember) or one.single else "row images")
        case DescriptionMember():
            return mono(one.event)
        case ObjectMember():
            return EMPTY


def _scalar_says(one: Scalar) -> Markdown:
    if one.event is not None:
        return mono(one.event)
    if one.switch:
        return Markdown("which case")
    if one.const is not None:
        return say("always {}", mono(json.dumps(one.const)))
    if one.option is not None:
        return say("the option {}", mono(one.option))
    return EMPTY if one.tells is None else say("whether it is a {} event", mono(one.tells))


def _more(one: Member) -> Iterator[Markdown]:
    """Sentences about this kind of member."""
    match one:
        case Scalar():
            yield from _scalar_more(one)
        case NamesMember():
            yield say("Those with the flag {}.", mono(one.flagged))
            if one.also:
                yield say("A reader gives them {} as well.", names(one.also))
        case DeclaredMember() if one.full is not None:
            yield say("Complete with {}.", mono(one.full))
        case RowsMember():
            yield say("Values are written as in {}.", link(one.values))
            yield from _rows_more(one)
        case ChangesMember():
            yield say("Types have their numbers of {}.", mono(one.mapping))
            if one.renamed is not None:
                yield say("Of a renamed table {} has its old name.", mono(one.renamed))
    if isinstance(one, ByProducer) and one.empty:
        yield from _empty(one)
    if one.reason is not None:
        yield Markdown(
            "Producers write its columns in another order every time."
            if one.reason.endswith("-order")
            else "Producers write another value every time."
        )


def _rows_more(one: RowsMember) -> Iterator[Markdown]:
    yield _sorted(one.sorted, "the columns in the order of their names")
    if one.located is not None:
        yield say("{} has the time zone of TIMESTAMP values.", mono(one.located))
    if one.utc is not None:
        yield say("TIMESTAMP values are in UTC, which {} says.", mono(one.utc))
    if one.known_by is not None:
        yield say("The event's {} says where the types of the columns come from.", mono(one.known_by))
    if one.empty is not None:
        yield Markdown("A row image without columns is left out.")


def _scalar_more(one: Scalar) -> Iterator[Markdown]:
    if one.unit is not None:
        yield say("It counts {}; the event has milliseconds.", str(one.unit))
    if one.again:
        yield Markdown("Another part of the message has the same; a reader ignores it here.")
    if one.instead is not None:
        yield say("If an event has {}, it is written here instead.", mono(one.instead))
    if one.omit_zero:
        yield say("0 is left out in {} events.", names(one.omit_zero))
    if one.zero:
        yield say("In {} events it is 0, and means nothing.", names(one.zero))
    if one.believed:
        yield say(
            "A message in which it is false is a {} event all the same, unless it has only what the spec skips.",
            mono(one.tells),
        )
    if one.accepts:
        yield say("A reader accepts {} as well, and refuses all others.", names(one.accepts))
    if one.refused:
        yield Markdown("Never written. A reader refuses messages in which it is neither null nor empty.")
    if one.beside is not None and not one.again:
        yield say("Written when {} is.", mono(one.beside))


def _empty(one: ByProducer) -> Iterator[Markdown]:
    """What is written for a row without columns."""
    said: dict[str, list[str]] = {}
    for producer, found in one.empty.items():
        said.setdefault(str(found), []).append(str(producer))
    shown = [(Markdown("left out") if found == OMIT else mono(found), producers) for found, producers in said.items()]
    if len(shown) == 1:
        yield say("Without columns: {}.", shown[0][0])
    else:
        yield say("Without columns: {}.", series(say("{} by {}", what, names(who)) for what, who in shown))


def _presence(one: MemberBase) -> Iterator[Markdown]:
    """When a member is present."""
    if one.of:
        yield say("In {} events only.", names(one.of))
    if one.producers:
        yield say("Written by {} only.", names(one.producers))
    if one.reads:
        yield Markdown("Read and never written.")
    if one.when is not None:
        yield say("Written with {} only.", mono(one.when))
    for kind, option in one.when_of.items():
        yield say("In {} events it is written with {} only.", mono(kind), mono(option))
    if one.absent_by:
        shown = (
            say("{} by {}", Markdown("left out") if how == OMIT else mono(how), mono(who))
            for who, how in one.absent_by.items()
        )
        yield say("When there is nothing: {}.", series(shown))
    elif one.absent is not None:
        yield _nothing(one.absent)
    if one.nothing:
        yield say("{} also means that there is nothing.", names(one.nothing))
    if one.may_miss:
        which = say("Messages of {} events", names(one.may_miss_of)) if one.may_miss_of else Markdown("Messages")
        yield say("{} may lack it.", which)


def _nothing(absent: str) -> Markdown:
    if absent == OMIT:
        return Markdown("Left out when there is nothing.")
    return say("{} when there is nothing.", mono(absent))


def _sorted(producers: tuple[str, ...], how: str) -> Markdown:
    return say("{} {} {}.", names(producers), "write" if len(producers) > 1 else "writes", how) if producers else EMPTY
