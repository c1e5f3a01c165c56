"""The page sections of a plug-in about its messages: part by part, in wire order.

A plug-in provides them by `Plugin.page`. Without it, the page lists the Spark type of its messages.
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
    """A row about a field, a member or a section of a part."""

    name: Markdown
    type: Markdown
    """Its layout in bytes."""
    says: Markdown
    """What it carries: an event field, a fact about a column, a constant."""
    about: Markdown
    """Its meaning, and when it is present, in sentences."""


FIELD_HEAD = ("Name", "Type", "Says", "What it is")


@dataclass(frozen=True)
class PagePart:
    """A part of a message: a heading, its meaning and layout, its contents, and further notes."""

    name: Markdown
    about: Markdown = EMPTY
    """Its meaning and layout, in sentences."""
    tables: tuple[PageTable, ...] = ()
    notes: tuple[Markdown, ...] = ()
    """Paragraphs after the tables."""


def field_table(fields: Iterable[PageField], head: tuple[str, ...] = FIELD_HEAD) -> tuple[PageTable, ...]:
    """The table of fields; empty if there are no fields."""
    rows = tuple((one.name, one.type, one.says, one.about) for one in fields)
    return (PageTable(head, rows),) if rows else ()


def spark_parts(root: str, fields: Iterable[PlannedField]) -> tuple[PagePart, ...]:
    """The sections about a message, derived from its Spark type.

    Args:
        root: name of the value's part.
        fields: fields of the Spark type.
    """
    about = Markdown("The fields of a message, with their types in Spark.")
    return (PagePart(mono(root), about, (PageTable(("Name", "Type", "What it is"), tuple(_rows(fields, ""))),)),)


def _rows(fields: Iterable[PlannedField], above: str) -> Iterator[tuple[Markdown, ...]]:
    """A row per field; the rows of a struct's fields follow its own."""
    named = {kind: name for name, kind in SPARK_TYPES.items()}
    for one in fields:
        name = f"{above}{one.name}{'[]' * one.arrays}"
        yield mono(name), text("struct" if one.type is None else named[one.type]), sentence(one.about)
        yield from _rows(one.fields, f"{name}.")
