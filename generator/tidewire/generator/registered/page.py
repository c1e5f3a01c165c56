"""The sections about registered records on a protocol's page: key, value, their fields, and their schemas."""

from __future__ import annotations

from collections.abc import Iterator

from ..json.model import JsonObject
from ..json.page import object_part, spelled
from ..json.page_connect import NULLS
from ..model import Spec
from ..pages.markdown import EMPTY, Markdown, link, mono, names, say, sentence, series, together
from ..pages.parts import PageField, PagePart, PageTable, field_table
from ..schema_types.page import schema_type_parts
from ..words import Located, Word
from .model import (
    STRING,
    InnerRecord,
    RecordCase,
    RecordMember,
    RecordScalar,
    Registered,
    RegisteredProtocol,
    RegisteredRecord,
    RowFields,
    ValueMark,
)
from .schemas_chapter import ConnectStyle, Schemas

NUMBER = Markdown(
    "It is a record of Avro, and before it the number under which a registry has its schema: a byte 0 and four bytes, "
    "the most significant first, or the bytes 3 and 0 and a UUID."
)


def registered_page(spec: Spec, protocol: RegisteredProtocol) -> tuple[PagePart, ...]:
    """The parts of a message in the order of the spec, then its schemas."""
    kinds = (protocol.roots, protocol.records, protocol.objects)
    found: list[Located] = [one for kind in kinds for one in kind.values()]
    parts = [_part(protocol, one) for one in sorted(found, key=lambda one: one.location.line)]
    return (*parts, *_schemas(spec, protocol))


def _part(protocol: RegisteredProtocol, part: Located) -> PagePart:
    match part:
        case Registered():
            return _registered(part)
        case RegisteredRecord():
            return _record(protocol, part)
        case JsonObject():
            return object_part(part)
    raise AssertionError(part)


def _registered(part: Registered) -> PagePart:
    """A key or a value."""
    about = together(sentence(part.about), NUMBER, say("The record is {}.", link(part.record)))
    rows = tuple((say("byte {}", mark.byte), _behind(mark), _stands_for(mark)) for mark in part.marks)
    notes = []
    if part.tombstone is not None:
        notes.append(
            say(
                "A message without a value is an event of kind {}; the key has the columns of its row.",
                mono(part.tombstone),
            )
        )
    if part.marks:
        notes.append(
            Markdown(
                "Of several ways to write an event a producer takes the record where there is one of such events, then "
                "what begins with another byte, then a message without a value, as options allow it."
            )
        )
    if part.others is not None:
        kinds = series(mono(name) for name in part.others.kinds)
        notes.append(
            say(
                "Events of kind {} are messages of {}, which are written with {} only: the schema block of such a "
                "message becomes the schema of a record, registered under the block's name, and its payload the "
                "record. {}",
                kinds,
                mono(part.others.protocol),
                mono(part.others.when),
                sentence(part.others.about),
            )
        )
    tables = (PageTable(("Begins with", "Behind it", "What it is"), rows),) if rows else ()
    return PagePart(mono(part.name), about, tables, tuple(notes))


def _behind(mark: ValueMark) -> Markdown:
    if mark.part is not None:
        return link(mark.part)
    return say("the number {}, eight bytes, the most significant first", mono(mark.carries))


def _stands_for(mark: ValueMark) -> Markdown:
    who = say("Only {} writes it.", names(mark.producers)) if mark.producers else EMPTY
    event = say("{}: an event of kind {}.", mono(mark.id), mono(mark.event))
    return together(event, sentence(mark.about), who, *_written_with(() if mark.when is None else (mark.when,)))


def _written_with(options: tuple[Word, ...]) -> Iterator[Markdown]:
    if options:
        yield say("Written with {} only.", names(options, "or"))


def _record(protocol: RegisteredProtocol, part: RegisteredRecord) -> PagePart:
    version = EMPTY if part.version is None else say("Its schema says version {}.", part.version)
    named = say("It is a record of Avro that is named {}.", mono(part.named))
    about = together(sentence(part.about), named, version)
    fields = field_table(_field(protocol, one) for one in part.fields.values())
    if not part.cases:
        return PagePart(mono(part.part), about, fields)
    cases = tuple(_case(part, one) for one in part.cases.values())
    missing = EMPTY if part.missing is None else say("Without it a record is an event of kind {}.", mono(part.missing))
    switched = together(say("{} says which case a record is.", mono(part.switches[0].name)), missing)
    return PagePart(
        mono(part.part), about, (*fields, PageTable(("Case", "Stands for", "Row images"), cases)), (switched,)
    )


def _case(part: RegisteredRecord, case: RecordCase) -> tuple[Markdown, ...]:
    stands = say("{} events", mono(case.event))
    if case.alias is not None:
        stands = say("{}, as {} does; it is only read", stands, mono(case.alias))
    if case.when is not None:
        stands = say("{}, which are sent with {} only", stands, mono(case.when))
    shown = (say("{} in {}", image, mono(part.fields[id].id)) for image, id in case.images.items())
    return mono(case.text), stands, series(shown)


def _field(protocol: RegisteredProtocol, one: RecordMember) -> PageField:
    about = sentence(one.about)
    if isinstance(one, RowFields):
        kind = Markdown("a field for each column")
        return PageField(mono(one.id), kind, Markdown("values"), together(about, *_chosen(one), *_known(one)))
    more = list(_written_with(one.when))
    if isinstance(one, InnerRecord):
        kind = link(one.part) if protocol.is_always(one) else say("{} or null", link(one.part))
        for name, option in one.sent.items():
            more.append(say("In events of kind {} it is null without {}.", mono(name), mono(option)))
        says = "values" if protocol.records[one.part].rows else "what its fields say"
        return PageField(mono(one.name), kind, Markdown(says), together(about, *more))
    if not one.is_told:
        if one.refused:
            text = "Nobody writes the field. A reader refuses records in which it is neither null nor empty."
            more.append(Markdown(text))
        if one.accepts:
            more.append(say("A reader takes {} as well, and refuses others.", names(one.accepts)))
        return PageField(mono(one.name), _type(one), _always(one), together(about, *more))
    says = Markdown("what happened") if one.switch else mono(one.event)
    if one.of_old is not None:
        more.append(say("Of events that have their old row only it is {}.", mono(one.of_old)))
    if one.default is not None:
        default = Markdown("an empty text") if one.type == STRING else mono(str(one.default).lower())
        more.append(say("Its default is {}.", default))
    return PageField(mono(one.name), mono(one.type), says, together(about, *more))


def _type(one: RecordScalar) -> Markdown:
    return say("{} or null", mono(one.type)) if one.nothing else mono(one.type)


def _always(one: RecordScalar) -> Markdown:
    """A text about the value of a field without data of the event."""
    if one.nothing:
        return Markdown("null")
    if one.option is not None:
        return say("the option {}", mono(one.option))
    return Markdown("an empty text") if one.const == "" else mono(str(one.const))


def _known(one: RowFields) -> Iterator[Markdown]:
    """Texts about column types and times."""
    if one.known_by is not None:
        yield say(
            "The event's {} says where the types of the columns come from, unless the schema has TiDB's own names of "
            "them.",
            mono(one.known_by),
        )
    if one.utc is not None:
        yield say("TIMESTAMP values are in UTC, whatever {} an encoder is given them in.", mono(one.utc))


def _chosen(one: RowFields) -> Iterator[Markdown]:
    """Texts about the choice of columns."""
    said = {str(who): flag for who, flag in one.flags.items()}
    if not said:
        yield Markdown("All columns of the table are there.")
    elif len(set(said.values())) == 1:
        yield say("They are those flagged {}.", mono(next(iter(said.values()))))
    else:
        shown = (say("those flagged {} by {}", mono(flag), mono(who)) for who, flag in said.items())
        yield say("They are {}.", series(shown))


def _schemas(spec: Spec, protocol: RegisteredProtocol) -> Iterator[PagePart]:
    said, types = protocol.schemas, protocol.schema_types
    assert types is not None, "schemas have types"
    notes = tuple(_notes(said))
    how = spelled(protocol.spelling, tuple(protocol.producers))
    yield PagePart(Markdown("Schemas of records"), sentence(said.about), (), (*notes, how))
    yield from schema_type_parts(spec, types, types.lines("record", protocol.options), True)


def _notes(said: Schemas) -> Iterator[Markdown]:
    option = said.namespace_option
    yield say(
        "Schemas are registered under {} and {}, where {} is the value of the option {}{}. Their namespace "
        "is {}, where {} is the database{}. The option {} says where they are.",
        *(mono(name) for name in said.subjects.values()),
        mono("{topic}"),
        mono(said.topic),
        EMPTY if said.pointed else say(", with {} for each dot", mono("_")),
        mono(said.namespace),
        mono("{schema}"),
        say(" and {} the value of that option", mono(f"{{{option}}}")) if option is not None else EMPTY,
        mono(said.registry),
    )
    if said.connect is None:
        yield say(
            "What a schema says about a column besides its type is in {}, an object of texts.", mono(said.parameters)
        )
    else:
        yield from _connect(said, said.connect)
    if said.by_id is not None:
        yield say("With {} columns are in the order of their ids.", mono(said.by_id))
    if said.unsent:
        yield say("Schemas of {} have the generated columns that rows lack; they are null.", names(said.unsent))


def _connect(said: Schemas, connect: ConnectStyle) -> Iterator[Markdown]:
    """Texts about schemas translated from Kafka Connect."""
    yield say(
        "Schemas are those that Kafka Connect's converter for Avro makes: {} is the name of a type in Kafka Connect, "
        "{} its version, {} a type that Avro does not have, {} an object of texts with what else is known of the type, "
        "and {} the name of a column, as the name of the field has only the characters that Avro allows. Every column "
        "can be null.",
        *map(mono, ("connect.name", "connect.version", "connect.type", said.parameters, "connect.field")),
    )
    if connect.fills_nulls:
        yield say("NULL in a column with a default is written {}.", NULLS["parsed"])
