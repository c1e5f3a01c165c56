"""What a plug-in tells of the messages that it reads, for a page: part by part, in the order of the wire.

A plug-in says it by `Plugin.page`. One that does not gets what follows from the Spark type of its messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..plan.spark_types import SPARK_TYPES, PlannedField
from .markdown import EMPTY, Markdown, mono, sentence, text


@dataclass(frozen=True)
class PageTable:
    """A table: the titles of its columns, and its rows. Cells are Markdown in one line."""

    head: tuple[str, ...]
    rows: tuple[tuple[Markdown, ...], ...]


@dataclass(frozen=True)
class PageField:
    """Something that lies in a part: a field, a member, a section."""

    name: Markdown
    type: Markdown
    """How it lies in bytes."""
    says: Markdown
    """What it carries: a field of events, something of a column, a constant."""
    about: Markdown
    """What it is and when it is there, in sentences."""


FIELD_HEAD = ("Name", "Type", "Says", "What it is")


@dataclass(frozen=True)
class PagePart:
    """A part of a message: a heading, what it is and how it lies in bytes, what it holds, and what else is to say."""

    name: Markdown
    about: Markdown = EMPTY
    """In sentences."""
    tables: tuple[PageTable, ...] = ()
    notes: tuple[Markdown, ...] = ()
    """Paragraphs behind the tables."""


def field_table(fields: Iterable[PageField], head: tuple[str, ...] = FIELD_HEAD) -> tuple[PageTable, ...]:
    """The table of fields; none where there are none."""
    rows = tuple((one.name, one.type, one.says, one.about) for one in fields)
    return (PageTable(head, rows),) if rows else ()


def spark_parts(root: str, fields: Iterable[PlannedField]) -> tuple[PagePart, ...]:
    """The parts of a message of which nothing is known but its Spark type.

    Args:
        root: the part that a value is.
        fields: of its Spark type.
    """
    about = Markdown("The fields of a message, with their types in Spark.")
    return (PagePart(mono(root), about, (PageTable(("Name", "Type", "What it is"), tuple(_rows(fields, ""))),)),)


def _rows(fields: Iterable[PlannedField], above: str) -> Iterator[tuple[Markdown, ...]]:
    """A row for each field, those of structs behind their own."""
    named = {kind: name for name, kind in SPARK_TYPES.items()}
    for one in fields:
        name = f"{above}{one.name}{'[]' * one.arrays}"
        yield mono(name), text("struct" if one.type is None else named[one.type]), sentence(one.about)
        yield from _rows(one.fields, f"{name}.")
