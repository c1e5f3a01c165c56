"""The page sections with a protocol's value tables."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Protocol, Spec, ValueCase, ValueTable
from .markdown import Markdown, mono, say, sentence
from .parts import PagePart, PageTable
from .types import type_names

UNKNOWN = {
    "error": "A type code that TiDB does not have is an error.",
    "nothing": "Of a type code that TiDB does not have only null is written, and whatever is read is null.",
}


def value_tables(spec: Spec, protocol: Protocol) -> tuple[PagePart, ...]:
    """One section per value table."""
    return tuple(_table(spec, one) for one in protocol.values.values())


def _table(spec: Spec, table: ValueTable) -> PagePart:
    rows = tuple(row for case in table.cases for row in _rows(spec, case))
    notes = (Markdown(UNKNOWN[table.unknown]),)
    return PagePart(
        mono(table.name), sentence(table.about), (PageTable(("Columns", "Codec", "Written as"), rows),), notes
    )


def _rows(spec: Spec, case: ValueCase) -> Iterator[tuple[Markdown, ...]]:
    """A row per codec of some types: without flags, with each flag, and if messages lack flags."""
    plain = type_names(spec, case.types)
    if case.by_producer:
        for producer, codec in case.by_producer.items():
            yield say("{} by {}", plain, mono(producer)), mono(codec), _about(spec, codec)
    else:
        yield plain, mono(case.codec), _about(spec, case.codec)
    for flag, codec in case.flagged.items():
        yield type_names(spec, case.types, flag), mono(codec), _about(spec, codec)
    if case.unflagged is not None:
        where = say("{}, read where flags are unknown", plain)
        yield where, mono(case.unflagged), _about(spec, case.unflagged)


def _about(spec: Spec, codec: str) -> Markdown:
    return sentence(spec.primitives.codecs[codec].about)
