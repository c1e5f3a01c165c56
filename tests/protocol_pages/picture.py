"""The picture on a protocol's page: the bytes of its example, coloured by field, with their meanings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from commands import tidewire
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from recorded import messages, reader_arguments

import tidewire as package

from .examples import ROOT, Shown, shown, spelled

PICTURES = ROOT / "docs" / "pictures" / "messages"
INK, SOFT = "#1f2933", "#7b8794"
COLORS = ("#cfe3f7", "#fbdcc4", "#d3eed9", "#eadcf5", "#fbeeb8", "#f9d3dc", "#d2eef0", "#e3e6c8")
ACROSS = 104
"""Characters of a row."""
DOTS = 150
"""To the inch."""
WIDE, HIGH = 9 / DOTS, 24 / DOTS
"""A character's width and a row's height in inches: whole dots, to which characters are drawn."""
SIZE = WIDE * 72 / 0.602
"""In points, of a font whose characters are 0.602 of it wide."""
EDGE = 0.12
HEX = 24
"""Bytes of a row that is shown in hexadecimal digits."""
MOST_OF_VALUE = 26


class Field(NamedTuple):
    """Bytes that say one thing."""

    part: str
    start: int
    end: int
    path: str
    value: str
    meaning: str


def fields(protocol: str, one: Shown) -> list[Field]:
    """What the dissector finds in a message, without what only has other fields in it."""
    place = [other.number for other in messages(one.stream)].index(one.message.number)
    given = ("-", "-m", place, *reader_arguments(one.stream), "--json")
    result = tidewire("dissect", "-p", protocol, *given, stdin=one.stream.read_bytes())
    assert result.exit_code == 0, result.output
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    found = [row for row in rows if row["start"] < row["end"] and not any(_holds(row, other) for other in rows)]
    return [
        Field(row["part"], row["start"], row["end"], row["path"], _value(row["value"]), row["meaning"])
        for row in sorted(found, key=lambda row: (row["part"] != "key", row["start"]))
    ]


def _holds(row: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether one is a part of the other."""
    inside = row["start"] <= other["start"] and other["end"] <= row["end"] and row["part"] == other["part"]
    return inside and bool(other["path"].startswith(f"{row['path']}/"))


def _value(value: Any) -> str:
    text = "" if value is None else json.dumps(value) if isinstance(value, str | bool) else str(value)
    return _cut(text, MOST_OF_VALUE)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


class Page:
    """A picture that grows downwards by rows of characters."""

    def __init__(self, axes: Axes) -> None:
        self.axes = axes
        self.row = 0.0

    def write(self, at: float, text: str, color: str = INK, weight: str = "normal") -> None:
        """Text that begins at a character of the row."""
        self.axes.text(
            at, self.row + 0.5, text, family="DejaVu Sans Mono", fontsize=SIZE, color=color, weight=weight, va="center"
        )

    def fill(self, start: float, end: float, color: str) -> None:
        """Colours a part of the row."""
        self.axes.add_patch(Rectangle((start, self.row + 0.06), end - start, 0.88, fc=color, ec="none"))


def _bytes(page: Page, data: bytes, told: list[tuple[Field, str]]) -> None:
    """The rows of a key or a value."""
    in_hex = "hexadecimal" in spelled(data)[0]
    each, across, pad = (3, HEX, 0.5) if in_hex else (1, ACROSS - 6, 0.0)
    for first in range(0, len(data), across):
        stop = min(first + across, len(data))
        page.write(0, f"{first:>4}", SOFT)
        for start, end, color in _parts(first, stop, told):
            at = 6 + (start - first) * each
            shown_bytes = data[start:end]
            text = shown_bytes.hex(" ") if in_hex else "".join(chr(b) if 0x20 <= b < 0x7F else "·" for b in shown_bytes)
            if color is not None:
                page.fill(at - pad, at + len(text) + pad, color)
            page.write(at, text, SOFT if color is None else INK)
        page.row += 1


def _parts(first: int, stop: int, told: list[tuple[Field, str]]) -> Iterator[tuple[int, int, str | None]]:
    """The bytes of a row: those of each field, and those between fields, which have no colour."""
    at = first
    for field, color in told:
        start, end = max(field.start, first), min(field.end, stop)
        if start < end:
            if at < start:
                yield at, start, None
            yield start, end, color
            at = end
    if at < stop:
        yield at, stop, None


def _list(page: Page, told: list[tuple[Field, str]]) -> None:
    """What each field says."""
    path = 7 + max(len(field.path) for field, _ in told) + 2
    value = path + max(len(field.value) for field, _ in told) + 2
    for field, color in told:
        page.fill(0.2, 1.8, color)
        page.write(2.4, f"{field.start:>4}", SOFT)
        page.write(8, field.path, INK)
        if field.value:
            page.write(path + 1, field.value, INK)
        room = ACROSS - value - 1
        page.write(value + 1, _cut(field.meaning, room), SOFT)
        page.row += 1


def figure(protocol: str) -> Figure:
    """The picture of a protocol."""
    one = shown(protocol)[0]
    found = fields(protocol, one)
    colored = [(field, COLORS[n % len(COLORS)]) for n, field in enumerate(found)]
    rows = 1.6 + sum(2.6 + _rows(data) for data in one.parts.values()) + len(colored)
    drawn = Figure(figsize=(ACROSS * WIDE + 2 * EDGE, rows * HIGH), dpi=DOTS)
    axes = drawn.add_axes((EDGE / drawn.get_figwidth(), 0.0, 1 - 2 * EDGE / drawn.get_figwidth(), 1.0))
    axes.set(xlim=(0, ACROSS), ylim=(rows, 0))
    axes.axis("off")
    page = Page(axes)
    page.row = 0.3
    page.write(0, f"{package.protocols()[protocol].title}: a row is inserted", INK, "bold")
    page.row += 1.3
    for part, data in one.parts.items():
        told = [(field, color) for field, color in colored if field.part == part]
        page.write(0, f"The {part}, {len(data):,} bytes", INK, "bold")
        page.row += 1.2
        _bytes(page, data, told)
        page.row += 0.5
        _list(page, told)
        page.row += 0.9
    return drawn


def _rows(data: bytes) -> int:
    across = HEX if "hexadecimal" in spelled(data)[0] else ACROSS - 6
    return -(-len(data) // across)


def path(protocol: str) -> Path:
    """Where the picture lies."""
    return PICTURES / f"{protocol}.png"
