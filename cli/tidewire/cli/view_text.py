"""The view of a JSON message: offset, member, value as written, and its meaning."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from tidewire.cli import views
from tidewire.cli.shell import printable
from tidewire.cli.spans import Kind, SpanRow

NAME = re.compile(rb'"(?:[^"\\]|\\.)*"[ \t\r\n]*:[ \t\r\n]*', re.DOTALL)
"""The name of a member, to the beginning of its value."""
TEXT = re.compile(rb"[\x20-\x7e]")
"""The beginning of a text value."""
BETWEEN = b"{}[],: \t\r\n"
"""Separators between values."""
VALUE_LINES = 3
"""Maximum number of lines of a long value."""
ROOM = 45
"""Preferred width in columns of meanings: that of a time and some words."""
SEEN = 48
"""Number of characters shown around an error."""


def opened(value: bytes, row: SpanRow) -> int:
    """Start of the contents of an object or array, after its name and bracket."""
    return _value_at(value, row) + 1


def between(value: bytes, start: int, end: int) -> tuple[int, int]:
    """A range of text without leading and trailing separators; empty if there is nothing else."""
    while start < end and value[start] in BETWEEN:
        start += 1
    while start < end and value[end - 1] in BETWEEN:
        end -= 1
    return start, end


def draw(value: bytes, rows: Sequence[SpanRow], full: bool, width: int) -> Table:
    """The rows of a message as a table.

    Args:
        value: the message.
        full: whether long values are shown in full.
        width: columns of the terminal.
    """
    rows = list(rows)
    digits, label_width = views.digits(len(value)), views.label_width(rows, width)
    rest = width - digits - label_width - 4
    shown = [_shown(value, row, rows) for row in rows]
    needed = max(map(cell_len, shown), default=0)
    value_width = max(min(needed, max((rest - 2) // 2, rest - 2 - ROOM)), 5)
    meaning_width = rest - value_width - 2
    table = views.table()
    table.add_column("offset", justify="right", width=digits, no_wrap=True, style="dim")
    table.add_column("field", width=label_width, no_wrap=True)
    table.add_column("value", width=value_width, overflow="fold")
    table.add_column("meaning", width=meaning_width, overflow="fold", style="dim")
    for row, text in zip(rows, shown, strict=True):
        cells = (str(row.start), views.cut_label(row, width, label_width))
        if row.kind is Kind.broken:
            table.add_row(*cells, Text(text, "red", overflow="fold"), Text(printable(row.meaning), "bold red"))
            continue
        number = text.lstrip("-").isdigit() or row.kind is Kind.group
        own = Text(text if full or number else _cut(text, value_width * VALUE_LINES), _style(row), overflow="fold")
        table.add_row(*cells, own, _meaning(row, meaning_width, full))
    return table


def _cut(text: str, room: int) -> str:
    """A text cut to that many columns, with the number of characters missing."""
    if cell_len(text) <= room:
        return text
    tail = f"… {len(text)} characters"
    return views.cut(text, max(room - len(tail), 1)).rstrip("…") + tail


def _meaning(row: SpanRow, width: int, full: bool) -> Text:
    alone = SpanRow(Kind.leaf, row.start, row.end, row.label, row.depth, meaning=row.meaning)
    text = views.said(alone, "", width, full)
    text.stylize("italic")
    return text


def _style(row: SpanRow) -> str:
    return {Kind.group: "bright_black italic", Kind.gap: "dim red"}.get(row.kind, "default")


def _value_at(value: bytes, row: SpanRow) -> int:
    name = NAME.match(value, row.start, row.end)
    return row.start if name is None else name.end()


def _shown(value: bytes, row: SpanRow, rows: Sequence[SpanRow]) -> str:
    """The text of a value, or a summary of its contents; control characters and bytes that are not UTF-8 are escaped.
    """
    if row.kind is Kind.group:
        inside = sum(one.start >= row.start and one.end <= row.end and one.depth == row.depth + 1 for one in rows)
        what = "element" if value[_value_at(value, row) : row.end][:1] == b"[" else "member"
        return f"{inside} {what}{'' if inside == 1 else 's'}"
    if row.kind is Kind.broken:
        text = value[row.start :].decode("utf-8", "backslashreplace")
        return printable(text[:SEEN]) + ("…" if len(text) > SEEN else "") if text else "the end"
    if row.kind is Kind.leaf and isinstance(row.value, int) and not TEXT.match(value, row.start, row.end):
        return str(row.value)  # a number that is not stored as text
    at = _value_at(value, row) if row.kind is Kind.leaf else row.start
    return printable(value[at : row.end].decode("utf-8", "backslashreplace"))
