"""The parts of a protocol's page about frames, and the objects in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..json.model import JsonObject
from ..json.page import images, object_part, spelled, unknown
from ..json.page_members import SCALARS
from ..model import Spec
from ..pages.markdown import EMPTY, Markdown, link, mono, names, say, sentence, together
from ..pages.parts import PageField, PagePart, PageTable, field_table
from ..words import Located, Word
from .model import ColumnPart, Fact, Frames, FramesProtocol

FACTS = {"type": "the column's type code", "flags": "the column's flags", "value": "the column's value"}
"""The facts about a column, in words."""


def frames_page(spec: Spec, protocol: FramesProtocol) -> tuple[PagePart, ...]:
    """The parts of key and value in the order of the spec."""
    kinds = (protocol.frames, protocol.objects, protocol.columns)
    found: list[Located | Word] = [*protocol.choices, *(one for kind in kinds for one in kind.values())]
    found.sort(key=lambda one: one.location.line)
    return tuple(_part(spec, protocol, one) for one in found)


def _part(spec: Spec, protocol: FramesProtocol, part: Located | Word) -> PagePart:
    match part:
        case Word():
            return _choice(protocol, part)
        case Frames():
            return _frames(spec, part)
        case ColumnPart():
            return _column(part)
        case JsonObject():
            return _key(protocol, part) if part is protocol.message else _body(protocol, part)
    raise AssertionError(part)


def _frames(spec: Spec, part: Frames) -> PagePart:
    """A sequence of objects, each preceded by its length."""
    length = spec.primitives.primitives[part.size]
    lies = [
        Markdown("It is a run of frames, one for each event: a length and as many bytes."),
        say("Lengths are {}: {}", mono(length.name), sentence(length.about)),
    ]
    if part.head is not None:
        head, kind = part.head, spec.primitives.primitives[part.head.type]
        lies += [
            say(
                "Before the first frame stands {}, a {} that is always {}.",
                mono(head.id),
                mono(kind.name),
                mono(head.const),
            ),
            sentence(head.about),
        ]
    lies.append(say("A frame holds {}.", link(part.part)))
    return PagePart(mono(part.name), together(sentence(part.about), *lies))


def _choice(protocol: FramesProtocol, name: Word) -> PagePart:
    """The object in a frame of the value, which the key selects."""
    about = say(
        "It is one of several objects, or nothing: {} of the frame with the same number says which.", mono(protocol.by)
    )
    rows = tuple(
        (
            mono(case.text),
            Markdown("nothing, the frame is empty") if case.body is None else link(case.body),
            together(say("{} events", mono(case.cls)), say("({})", case.about) if case.about else EMPTY),
        )
        for case in protocol.cases
    )
    table = PageTable(("Case", "Holds", "Stands for"), rows)
    return PagePart(mono(name), together(sentence(protocol.choice_about), about), (table,))


def _key(protocol: FramesProtocol, part: JsonObject) -> PagePart:
    orders = tuple(
        say("{} writes the members in this order: {}.", mono(who), names(_written(part, who, ids)))
        for who, ids in protocol.orders.items()
    )
    return object_part(part, (), (*orders, spelled(protocol.spelling, tuple(protocol.producers))))


def _written(part: JsonObject, who: str, ids: tuple[Word, ...]) -> Iterator[Word]:
    """The names of the members that a producer writes."""
    for member in (part.members[id] for id in ids):
        if not member.producers or who in member.producers:
            yield member.name


def _body(protocol: FramesProtocol, part: JsonObject) -> PagePart:
    """An object of the value, and which row images make which kind of event."""
    rows = tuple(
        (mono(kind), images(part, held))
        for case in protocol.cases
        if case.body == part.name
        for kind, held in case.kinds.items()
    )
    # an object is only used for the events of its cases, so its members need not repeat that
    part = replace(part, members={id: replace(one, of=()) for id, one in part.members.items()})
    if not rows:
        return object_part(part)
    note = Markdown("An event is of the first of these kinds whose row images are there.")
    return object_part(part, (PageTable(("Kind", "Row images"), rows),), (note,))


def _column(part: ColumnPart) -> PagePart:
    """How a column of a row image is written."""
    about = together(sentence(part.about), Markdown("It is a JSON object."), unknown(part.skip_unknown))
    notes = (say("{} writes the columns in the order of their names.", names(part.sorted)),) if part.sorted else ()
    return PagePart(mono(part.name), about, field_table(_fact(one) for one in part.facts), notes)


def _fact(one: Fact) -> PageField:
    says = say("the flag {}", mono(one.flagged)) if one.flagged is not None else Markdown(FACTS[one.says])
    more = [sentence(one.about)]
    if one.absent is not None:
        more.append(Markdown("Left out when there is nothing."))
    if one.may_miss:
        more.append(Markdown("Columns may lack it."))
    if one.values is not None:
        more.append(say("Values are written as in {}.", link(one.values)))
    kind = EMPTY if one.type is None else Markdown(SCALARS[one.type])
    return PageField(mono(one.name), kind, says, together(*more))
