"""The parts of a protocol's page that are about JSON objects, sequences of objects, and envelopes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..model import Spec, Word
from ..pages.markdown import EMPTY, Markdown, link, mono, names, say, sentence, series, together
from ..pages.parts import PagePart, PageTable, field_table
from ..words import Located
from .around_model import Envelope, FlaggedColumns, Lines
from .described_model import ONE, DescribedPart
from .model import JsonCase, JsonObject, JsonProtocol
from .page_connect import HEADING, connect_parts
from .page_members import member_field, told_field
from .records.page import record_parts
from .spelling_model import Spelled, Spelling

SKIPS = "A reader skips members that are not listed."
REFUSES = "Members that are not listed are an error."
UNREAD = Markdown("Readers do not look at it.")
"""Of objects of keys, from which nothing is read."""
HTML, SEPARATORS = ("`&`", "`<`", "`>`"), ("U+2028", "U+2029")
"""Characters that producers escape, for the words `html` and `separators` of `spelling`."""


def json_page(spec: Spec, protocol: JsonProtocol) -> tuple[PagePart, ...]:
    """The parts of a message in the order of the spec, followed by schema blocks and records."""
    parts = [_part(spec, protocol, one) for one in in_order(protocol)]
    if protocol.connect is not None:
        parts += connect_parts(spec, protocol, protocol.connect)
    if protocol.records is not None:
        parts += record_parts(protocol.records)
    return tuple(parts)


def in_order(protocol: JsonProtocol) -> list[Located]:
    """The parts of a protocol in the order of its file."""
    kinds = (
        protocol.objects,
        protocol.lines,
        protocol.parts_described,
        protocol.envelopes,
        protocol.flagged_columns,
    )
    return sorted((one for kind in kinds for one in kind.values()), key=lambda one: one.location.line)


def _part(spec: Spec, protocol: JsonProtocol, part: Located) -> PagePart:
    match part:
        case JsonObject():
            if part.name in protocol.parts_in_keys:
                return object_part(part, reads=UNREAD)
            if part is not protocol.message:
                return object_part(part)
            notes = (_described(protocol), spelled(protocol.spelling, tuple(protocol.producers)))
            return _message(spec, part, notes)
        case Lines():
            lies = say(
                "It is one {}, or several, each followed by the text of the option {}.",
                link(part.part),
                mono(part.terminator),
            )
            return PagePart(mono(part.name), together(sentence(part.about), lies))
        case Envelope():
            return _envelope(protocol, part)
        case FlaggedColumns():
            lies = say(
                "It is an object with those columns of a row that have the flag {}. Values are written as in {}.",
                mono(part.flagged),
                link(part.values),
            )
            return PagePart(mono(part.name), together(sentence(part.about), lies))
        case DescribedPart():
            lies = say(
                "It is a JSON object that describes {}. {}", Markdown(ONE[part.describes]), unknown(part.skip_unknown)
            )
            head = ("Name", "Type", f"Says of the {ONE[part.describes].partition(' ')[2]}", "What it is")
            fields = field_table((told_field(one) for one in part.members.values()), head)
            return PagePart(mono(part.name), together(sentence(part.about), lies), fields)
    raise AssertionError(part)


def unknown(skips: bool) -> Markdown:
    """How readers treat members that are not listed."""
    return Markdown(SKIPS if skips else REFUSES)


def _envelope(protocol: JsonProtocol, part: Envelope) -> PagePart:
    """An object in Kafka Connect's envelope."""
    lies = [
        Markdown(
            "It is an object in Kafka Connect's envelope: `payload` is the message itself, and `schema` is a block "
            "with the types of the payload. The key is in such an envelope, too."
        ),
        say("The payload is {}.", link(part.payload)),
    ]
    if part.unless is not None:
        lies.append(say("With the option {} there is no block.", mono(part.unless)))
    keys = {str(cls): link(held) for cls, held in protocol.keys.items()}
    rows = tuple(
        (mono(cls), link(f"{part.name}.{cls}", HEADING), keys[str(cls)], link(f"key.{cls}", HEADING))
        for cls in part.blocks
    )
    table = PageTable(("Events", "Schema block", "Payload of the key", "Schema block of the key"), rows)
    return PagePart(mono(part.name), together(sentence(part.about), *lies), (table,))


def _message(spec: Spec, part: JsonObject, notes: tuple[Markdown, ...]) -> PagePart:
    """The object that is a message."""
    cases = PageTable(("Case", "Stands for", "Row images"), tuple(_cases(part)))
    rest = EMPTY if part.rest is None else _rest(spec, part)
    return object_part(part, (cases,), tuple(one for one in (rest, _without_events(part), *notes) if one))


def _without_events(part: JsonObject) -> Markdown:
    """Which messages without events are skipped."""
    if not part.skipped:
        return EMPTY
    each = (
        say(
            "no members but {}{}{}",
            names(one.names),
            say(" and no schema of another name than {}", mono(one.named)) if one.named else EMPTY,
            say(", with {} null or empty", names(one.empty)) if one.empty else EMPTY,
        )
        for one in part.skipped.values()
    )
    return say(
        "A reader skips a message without events if it has {}. With anything else in it, it may hold a row, and is an "
        "error.",
        series(each, "or"),
    )


def _described(protocol: JsonProtocol) -> Markdown:
    """How rows find their columns if the messages do not describe them."""
    if protocol.untyped is not None:
        return Markdown("Nothing tells the types of columns. A decoder can be given them: the option `column-types`.")
    if protocol.described is None:
        return EMPTY
    return say(
        "What the message of a row does not say about its columns is in a description of the table, which comes in "
        "another message: {} tells which one.",
        mono(protocol.described.by),
    )


def object_part(
    part: JsonObject,
    tables: tuple[PageTable, ...] = (),
    notes: tuple[Markdown, ...] = (),
    reads: Markdown | None = None,
) -> PagePart:
    """An object, with its members in the order of writing.

    Args:
        tables: further tables, printed after that of the members.
        notes: paragraphs printed after the tables and the deviating orders of members.
        reads: what readers do with it; None: they read it.
    """
    read = unknown(part.skip_unknown) if reads is None else reads
    about = together(sentence(part.about), Markdown("It is a JSON object."), read)
    fields = field_table(member_field(one) for one in part.members.values())
    orders = tuple(
        say("Members of {} messages are in this order: {}.", mono(what), names(part.members[id].name for id in ids))
        for what, ids in part.order.items()
    )
    return PagePart(mono(part.name), about, (*fields, *tables), (*orders, *notes))


def _rest(spec: Spec, part: JsonObject) -> Markdown:
    rest = part.rest
    assert rest is not None
    said = say(
        "Other texts are the class of a statement, {}: the message is a {} event, and {} has the text.",
        names(spec.mysql_types.ddl_classes, "or"),
        mono(rest.event),
        mono(rest.names),
    )
    notes = [
        say("Statements of type {} are {} here.", names(types), mono(cls))
        if who is None
        else say("Where {} writes them, those of type {} are {}.", mono(who), names(types), mono(cls))
        for who, cls, types in rest.classed
    ]
    return together(said, *notes)


def _cases(part: JsonObject) -> Iterator[tuple[Markdown, ...]]:
    """The meaning of each text of the switch, and of messages without it."""
    for case in part.all_cases:
        name = mono(case.text) if case.text in part.cases else Markdown("without it")
        if case.has is not None:
            name = say("without it, with {}", mono(part.members[case.has].name))
        yield name, _stands_for(part, case), images(part, case.images)


def _stands_for(part: JsonObject, case: JsonCase) -> Markdown:
    if case.skip:
        return Markdown("a message without events; read and never written")
    if case.alias is not None:
        return say("the same as {}; never written", mono(case.alias))
    found = say("{} events", mono(case.event))
    if case.when is not None:
        found = say("{}, which are sent with {} only", found, mono(case.when))
    if case.actions:
        found = say("{} of the type {}", found, names(case.actions, "or"))
    if case.keep is not None:
        kept = Markdown("whose value changed") if case.keep.changed else say("flagged {}", mono(case.keep.flagged))
        found = say("{}; of the {} row image the columns {}", found, mono(case.keep.image), kept)
    return say("{}; read and never written", found) if case.reads else found


def images(part: JsonObject, held: Mapping[Word, Word]) -> Markdown:
    """Which member holds which row image."""
    shown = (say("{} in {}", image, mono(part.members[id].name)) for image, id in held.items())
    return series(shown)


def spelled(spelling: Spelling, producers: tuple[str, ...]) -> Markdown:
    """How producers escape JSON and write floats."""
    found = {who: spelling.of(who) for who in producers}
    if len(set(found.values())) == 1:
        return _spelled(Markdown("producers"), "escape", found[producers[0]])
    return together(*(_spelled(mono(who), "escapes", how) for who, how in found.items()))


def _spelled(who: Markdown, escape: str, how: Spelled) -> Markdown:
    escaped = [Markdown(one) for one in (*(HTML if how.html else ()), *(SEPARATORS if how.separators else ()))]
    said = [say("In texts {} {} {}.", who, escape, series(escaped) if escaped else "only what JSON demands")]
    if how.letters:
        said.append(Markdown(r"Backspace and form feed are `\b` and `\f`."))
    if how.exponent > 1:
        said.append(say("Exponents have at least {} digits.", how.exponent))
    return together(*said)
