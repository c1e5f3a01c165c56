"""Messages of Craft with much of one thing each, and what each of their bytes may cost."""

from __future__ import annotations

from collections.abc import Callable

from . import wire
from .wire import NEW, RESOLVED, ROW, Cell, Change, Parts, parts


def many_events(count: int) -> Parts:
    """Watermarks of 6 bytes each."""
    message = Parts([1] * count, [RESOLVED] * count, [-1] * count, [-1] * count, [-1] * count, [b""] * count)
    return message


def many_rows(count: int) -> Parts:
    """Inserts of one layout, 14 bytes each."""
    return parts([Change("insert", 1, "s", "t", None, (Cell("c", 3, 0, 1),), None)] * count)


def many_columns(count: int) -> Parts:
    """One row of null columns."""
    return parts([Change("insert", 1, "s", "t", None, tuple(Cell(f"{k:x}", 3, 0, None) for k in range(count)), None)])


def many_layouts(count: int) -> Parts:
    """Rows of one column, whose flags are never the same."""
    cells = ((Cell("c", 3, k << 7, 1),) for k in range(count))
    return parts([Change("insert", 1, "s", "t", None, row, None) for row in cells])


def many_tables(count: int) -> Parts:
    """Watermarks that name a table each, of as few terms as can be."""
    message = many_events(count)
    terms = int(count**0.5) + 1
    message.terms = [b"%x" % k for k in range(terms)]
    message.schemas, message.tables = [k // terms for k in range(count)], [k % terms for k in range(count)]
    return message


def many_images(count: int) -> Parts:
    """Updates whose old and new rows have a layout of their own each, of one null: 10 bytes a layout."""

    def row(k: int) -> tuple[Cell, ...]:
        return (Cell(f"{k >> 9:x}", (1, 2, 3, 8)[k & 3], k >> 2 & 127, None),)

    return parts([Change("update", 1, "s", "t", None, row(2 * k), row(2 * k + 1)) for k in range(count // 2)])


def many_texts(count: int) -> Parts:
    """One row of texts of one byte."""
    return parts([Change("insert", 1, "s", "t", None, tuple(Cell(f"{k:x}", 15, 0, "x") for k in range(count)), None)])


def many_tables_with_rows(count: int) -> Parts:
    """Inserts of one null, each into a table of its own: 14 bytes for a table, a layout and a row."""
    terms = int(count**0.5) + 1
    cell = (Cell("0", 3, 0, None),)
    return parts([Change("insert", 1, f"{k // terms:x}", f"{k % terms:x}", None, cell, None) for k in range(count)])


def many_terms(count: int) -> Parts:
    """Empty terms, which nothing uses."""
    message = many_events(1)
    message.dictionary = wire.uvarint(count) + b"\0" * count
    return message


def many_group_tables(count: int) -> Parts:
    """Group tables that no event has; the message is refused."""
    message = many_events(1)
    message.group_sizes = [[]] * count
    return message


def many_groups(count: int) -> Parts:
    """Groups of which the second one is refused."""
    message = parts([Change("insert", 1, "s", "t", None, (Cell("c", 3, 0, 1),), None)])
    message.bodies = [wire.group(NEW, [Cell("c", 3, 0, 1)], [2]) * count]
    message.group_sizes = [[7] * count]
    return message


def nothing_but_sizes(count: int) -> Parts:
    """Body sizes of zero, and headers that are not there for them; refused."""
    message = many_events(1)
    message.types, message.body_sizes = [ROW], [0] * count
    return message


SHAPES: list[tuple[Callable[[int], Parts], int]] = [
    (many_events, 29),
    (many_rows, 15),
    (many_columns, 20),
    (many_texts, 30),
    (many_layouts, 38),
    (many_images, 53),
    (many_tables, 40),
    (many_tables_with_rows, 67),
    (many_terms, 20),
    (many_group_tables, 12),
    (many_groups, 2),
    (nothing_but_sizes, 11),
]
"""Messages, and what each of their bytes may cost."""


def sent(shape: Callable[[int], Parts], count: int) -> tuple[list[bytes], ...]:
    """The values, as a decoder takes them."""
    return ([shape(count).build()],)


def named(name: str) -> Parts:
    """A watermark, and a term that nothing uses."""
    message = many_events(1)
    message.terms = [name.encode()]
    return message
