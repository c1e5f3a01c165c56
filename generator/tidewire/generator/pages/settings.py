"""The page sections about a protocol's options, and about batching, compression and long messages."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Batching, Estimate, Keep, Large, Option, Protocol
from ..plan.planned_options import producer_option
from .markdown import EMPTY, Markdown, mono, names, say, sentence, series, together
from .parts import PagePart, PageTable

SHARED = Markdown(
    "Names are those of TiCDC's configuration; in Python they have `_` instead of `-`. Options say what an "
    "encoder writes, unless they say that they are for reading. [The options of all "
    "protocols](../options.md) are on one page, those of [Spark](../spark-options.md) on another."
)


def options(protocol: Protocol) -> PagePart:
    """The options, each with its values and its effect."""
    rows = [
        (mono(one.name), _values(one), _default(one.default), together(sentence(one.about), *_more(protocol, one)))
        for one in protocol.options.values()
    ]
    own = producer_option(protocol)
    rows.append((mono(own.name), names(own.choices, "or"), _default(own.default), sentence(own.about)))
    return PagePart(
        Markdown("Options"), SHARED, (PageTable(("Option", "Values", "Default", "What it does"), tuple(rows)),)
    )


def _values(one: Option) -> Markdown:
    if one.range is not None:
        return say("{} to {}", *(f"{limit:,}" for limit in one.range))
    if one.choices:
        return names(one.choices, "or")
    return Markdown({"int": "integer", "bool": "`true` or `false`", "text": "text"}.get(str(one.type), str(one.type)))


def _default(value: int | bool | str) -> Markdown:
    if isinstance(value, bool):
        return mono(str(value).lower())
    return Markdown(f"{value:,}") if isinstance(value, int) else mono(value) if value else Markdown("empty")


def _more(protocol: Protocol, one: Option) -> Iterator[Markdown]:
    """What an option implies and requires."""
    if one.name in protocol.read_modes:
        yield Markdown("It is an option of the decoder.")
    for alias, choice in one.aliases.items():
        yield say("{} is another name of {}.", mono(alias), mono(choice))
    if one.producers:
        yield say("Only {} has it.", names(one.producers))
    if one.implies:
        yield say("With it {} is true as well.", names(one.implies))
    if one.needs:
        yield say("It needs {}.", names(one.needs))
    for choice, needed in one.choice_needs.items():
        yield say("{} needs {}.", mono(choice), names(needed))
    if one.keep is not None and one.keep.changed and one.keep.as_written:
        yield say("{} compares values as they are written.", names(one.keep.as_written))
    if one.keep is not None:
        yield _kept(one.keep)


def _kept(keep: Keep) -> Markdown:
    """The columns that an option leaves in a row image."""
    which = Markdown("whose value changed") if keep.flagged is None else say("with the flag {}", mono(keep.flagged))
    return say("The {} row image of {} events keeps the columns {}.", keep.image, mono(keep.event), which)


def sending(protocol: Protocol) -> tuple[PagePart, ...]:
    """Batching, compression and long messages, as far as the protocol has them."""
    found = [_batching(protocol.batching)]
    if protocol.compression is not None:
        about = say(
            "{} says how they are compressed. Nothing in a message says it, so a reader has to know.",
            mono(protocol.compression),
        )
        found.append(PagePart(Markdown("Compressed messages"), about))
    if protocol.large is not None:
        found.append(_large(protocol.large))
    return tuple(found)


def _batching(batching: Batching | None) -> PagePart:
    title = Markdown("Events in a message")
    if batching is None:
        return PagePart(title, Markdown("Every event is a message of its own."))
    notes = []
    if batching.by:
        notes.append(say("Events of a message agree in {}.", names(batching.by)))
    for producer, fields in batching.apart.items():
        notes.append(say("As {} writes, they agree in {} besides.", mono(producer), names(fields)))
    limits = [one for one in (batching.count, batching.bytes) if one is not None]
    if limits:
        ends = (
            "after the event that crosses the limit"
            if batching.estimate is not None
            else "before the event that would cross the limit"
        )
        notes.append(say("{} limit a message, which ends {}.", names(limits), Markdown(ends)))
    for producer, option in batching.bytes_of.items():
        notes.append(say("As {} writes, {} limits its bytes besides.", mono(producer), mono(option)))
    if batching.overhead:
        notes.append(
            say("{} bytes are added to those of a message before they are compared with the limit.", batching.overhead)
        )
    if batching.estimate is not None:
        notes.append(_estimate(batching.estimate))
    return PagePart(title, sentence(batching.about), (), (together(*notes),) if notes else ())


def _estimate(estimate: Estimate) -> Markdown:
    """How the encoded size is estimated."""
    weights = {name: weight for name, weight in estimate.weights.items() if weight}
    fixed = [say("{} bytes for {}", weights[name], what) for name, what in FIXED.items() if name in weights]
    lengths = [
        say("the length of {}", what) if weights[name] == 1 else say("{} times the length of {}", weights[name], what)
        for name, what in LENGTHS.items()
        if name in weights
    ]
    return say("The bytes of an event are estimated: {}.", series([*fixed, *lengths]))


FIXED = {"event": "every event", "column": "every column of a row image"}
LENGTHS = {
    "schema": "the database's name",
    "table": "the table's name",
    "name": "each column's name",
    "value": "each value",
}


def _large(large: Large) -> PagePart:
    limit = together(
        sentence(large.about),
        say("{} chooses.", mono(large.option)),
        say(
            "{} bytes are added to the lengths of key and value before they are compared with {}.",
            large.overhead,
            mono(large.bytes),
        )
        if large.overhead
        else EMPTY,
        say("Messages of {} events that are too long are refused.", names(large.kinds)) if large.kinds else EMPTY,
    )
    rows = tuple(
        (
            mono(choice),
            say("Columns with the flag {} are kept.", mono(way.keep)),
            names((way.mark, *way.also)),
            Markdown("not stored") if way.store is None else _stored(str(way.store), way.raw),
        )
        for choice, way in large.ways.items()
    )
    head = ("Choice", "The message", "Fields that say so", "The whole message")
    return PagePart(Markdown("Messages that are too long"), limit, (PageTable(head, rows),))


def _stored(store: str, raw: str | None) -> Markdown:
    stored = say("It is stored where {} says", mono(store))
    return say("{}, without its key with {}.", stored, mono(raw)) if raw is not None else say("{}.", stored)
