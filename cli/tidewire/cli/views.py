"""Code shared by both views of a dissected message: labels in a tree, and texts cut to the width of the terminal."""

from __future__ import annotations

import textwrap
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.table import Table
from rich.text import Text

from tidewire.cli.shell import printable
from tidewire.cli.spans import Kind, SpanRow

COLOURS = ("bright_cyan", "bright_green", "bright_yellow", "medium_purple1", "sandy_brown", "sky_blue1")
"""Colours by nesting depth; they repeat."""
NARROW = 90
"""Terminal width below which nesting is indented less."""
MEANING_LINES = 3
"""Maximum number of lines of a meaning."""
FEWEST_DIGITS = 6
"""Minimum width of offsets, which is the width of their heading."""


FEWEST = 8
"""Width in columns that is enough for prose."""


def table() -> Table:
    """An empty table in the style of the views."""
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold dim", collapse_padding=True)


def digits(length: int) -> int:
    """Width of the offsets in a message of that many bytes."""
    return max(FEWEST_DIGITS, len(str(length)))


def label(row: SpanRow, width: int) -> Text:
    """The name of a field after tree lines that show its depth, for a terminal of that width."""
    guides = Text(("│" if width < NARROW else "│ ") * row.depth, "bright_black")
    name = printable(row.label)
    if row.kind is Kind.broken:
        return guides.append(f"✗ {name}", "bold red")
    return guides.append(name, f"bold {colour(row)}" if row.kind is Kind.group else colour(row))


def label_width(rows: list[SpanRow], width: int) -> int:
    """Width of the labels: as needed, at most a third of the terminal."""
    return max(5, min(max((cell_len(label(row, width).plain) for row in rows), default=0), width // 3))


def cut_label(row: SpanRow, width: int, room: int) -> Text:
    """A label that fits; a long name is cut at its end, the tree lines are not."""
    text = label(row, width)
    if text.cell_len > room:
        text.truncate(room, overflow="ellipsis")
    return text


def colour(row: SpanRow) -> str:
    """The colour of a row, by kind and depth."""
    if row.kind is Kind.gap:
        return "dim red"
    return "bold red" if row.kind is Kind.broken else COLOURS[row.depth % len(COLOURS)]


def said(row: SpanRow, shown: str, width: int, full: bool) -> Text:
    """The value of a row, followed by its meaning.

    Args:
        shown: text of the value. Numbers are never cut.
        width: available columns.
        full: whether nothing is cut.
    """
    meaning = printable(row.meaning)
    if row.kind is Kind.broken:
        return Text(meaning, "bold red", overflow="fold")
    if not full and not isinstance(row.value, int | float):
        room = max(width - cell_len(meaning) - 2, width * 2 // 3) if meaning else width
        shown = cut(shown, room)
    text = Text(shown, "default" if row.kind is Kind.leaf else "dim", overflow="fold")
    if not meaning:
        return text
    gap = "  " if shown else ""
    left = width - cell_len(shown + gap)
    style = "italic dim" if shown else "italic"
    if full or cell_len(meaning) <= left:
        return text.append(gap + meaning, style)
    first = textwrap.wrap(meaning, left)[0] if left > FEWEST else ""
    below = textwrap.wrap(meaning[len(first) :].strip(), width)
    if len(below) >= MEANING_LINES:
        below = [*below[: MEANING_LINES - 2], cut(" ".join(below[MEANING_LINES - 2 :]), width)]
    return text.append("\n".join([(gap if first else "") + first, *below]).removeprefix("" if shown else "\n"), style)


def cut(text: str, room: int) -> str:
    """A text cut to that many columns."""
    if cell_len(text) <= room:
        return text
    return set_cell_size(text, max(room - 1, 0)).rstrip() + "…"


def plain(value: Any) -> str:
    """A value as text: strings in quotes, bytes in hex, numbers in decimal."""
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if isinstance(value, str):
        inner = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{printable(inner)}"'
    return str(value)
