"""The parts of a protocol's page about records."""

from __future__ import annotations

from collections.abc import Iterator

from ...pages.markdown import EMPTY, Markdown, link, mono, names, say, sentence, series, together
from ...pages.parts import PagePart, PageTable
from .model import Record, RecordField, Records

HEADING = "Record"
"""Precedes a record's name in its heading, as a part may have the same name."""
HOLDS = {
    "located": "It is a column's value: a text and the location (a time zone) that it is in.",
    "wrapped": "It is a column's value: a number without a sign, as a long with the same 64 bits.",
}


def record_parts(records: Records) -> list[PagePart]:
    """The facts common to all records, then each record in the order of the union."""
    head = together(
        sentence(records.about),
        say("Messages are records with {}.", mono(f"{records.option}={records.choice}")),
        say("Their namespace is {}.", mono(records.namespace)),
        say(
            "Every message is {}, which begins with {}: its number in the union of all records.",
            _type(records, records.root),
            mono(records.begins.hex(" ")),
        ),
        say("Values are written as in {}.", link(records.values)),
    )
    rows = tuple((mono(name), names(symbols)) for name, symbols in records.enums.items())
    tables = (PageTable(("Enum", "Symbols, numbered from 0"), rows),) if rows else ()
    return [PagePart(Markdown("Records"), head, tables), *(_record(records, one) for one in records.types.values())]


def _record(records: Records, one: Record) -> PagePart:
    about = [EMPTY]
    if one.part is not None:
        about = [say("It is the part {}.", link(one.part))]
    elif one.of is not None:
        about = [say("It is the message of a {} event.", mono(one.of))]
    elif one.holds is not None:
        about = [Markdown(HOLDS[one.holds])]
    rows = tuple(
        (mono(field.name or field.id), _field_type(records, field), together(*_more(field)))
        for field in one.fields.values()
    )
    table = PageTable(("Field", "Type in Avro", "More"), rows)
    return PagePart(say("{} {}", HEADING, mono(one.name)), together(*about), (table,))


def _field_type(records: Records, field: RecordField) -> Markdown:
    if field.array is not None:
        found = say("array of {}", _type(records, field.array))
    elif field.map:
        found = say("map by column of {}", series((_type(records, one) for one in field.map), "or"))
    elif field.union:
        found = series((_type(records, one) for one in field.union), "or")
    else:
        found = _type(records, str(field.type))
    return say("null or {}", found) if field.optional else found


def _type(records: Records, name: str) -> Markdown:
    if name in records.types:
        return link(name, HEADING)
    return say("enum {}", mono(name)) if name in records.enums else mono(name)


def _more(field: RecordField) -> Iterator[Markdown]:
    by_types: dict[tuple[str, ...], list[str]] = {}
    for producer, types in field.only.items():
        by_types.setdefault(tuple(map(str, types)), []).append(producer)
    for names_of_types, producers in by_types.items():
        shown = series(one.upper() for one in names_of_types)
        if len(by_types) == 1:
            yield say("Of columns of type {} only.", shown)
        else:
            yield say("Written by {} of columns of type {} only.", names(producers), shown)
    if field.raw:
        yield say("Of columns of type {} it is the bytes of a number.", series(map(str.upper, field.raw)))
    if field.random_order:
        yield Markdown("Producers write the values in another order every time.")
