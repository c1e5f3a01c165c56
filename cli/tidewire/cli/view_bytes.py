"""The view of a binary message: offset, hex, ASCII, field, encoding, and value."""

from __future__ import annotations

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from tidewire.cli import views
from tidewire.cli.spans import Kind, SpanRow

HEX_LINES = 4
LAYOUTS = ((16, True), (12, True), (8, True), (8, False), (4, False))
"""Bytes per line and whether types are shown, from the widest layout on."""
ROOM = 32
"""Preferred width in columns of values and their meanings."""


def draw(value: bytes, rows: list[SpanRow], full: bool, width: int) -> Table:
    """The rows of a message as a table.

    Args:
        value: the message.
        full: whether long values and all their bytes are shown.
        width: columns of the terminal.
    """
    digits, label_width = views.digits(len(value)), views.label_width(rows, width)
    type_width = max((cell_len(row.type) for row in rows if row.kind is not Kind.broken), default=0)
    counts = max((len(_count(row)) for row in rows if row.kind is Kind.group), default=0)
    for per_line, typed in LAYOUTS:  # the last one if none leaves enough room
        hex_width = max(per_line * 3 - 1, counts)
        rest = width - digits - hex_width - per_line - label_width - 8 - (type_width + 2 if typed else 0)
        if rest >= ROOM:
            break
    spelled = rest >= views.FEWEST
    if not spelled:  # with the bytes as text there would be no room for the meaning
        per_line, digits = 2, max(2, len(str(len(value))))
        hex_width = max(per_line * 3 - 1, counts)
        rest = max(width - digits - hex_width - label_width - 6, views.FEWEST)
    table = views.table()
    left_out = [name for name, there in (("the bytes as text", spelled), ("types", typed)) if not there]
    if left_out:
        table.caption = f"{' and '.join(left_out)} left out: there is no room"
        table.caption_style, table.caption_justify = "dim", "left"
    table.add_column("offset" if spelled else "at", justify="right", width=digits, no_wrap=True, style="dim")
    table.add_column("bytes", width=hex_width, no_wrap=True)
    if spelled:
        table.add_column("text", width=per_line, no_wrap=True, style="dim")
    table.add_column("field", width=label_width, no_wrap=True)
    if typed:
        table.add_column("type", width=type_width, no_wrap=True, style="dim")
    table.add_column("value", width=rest, overflow="fold")
    for row in rows:
        hexes, text = _bytes(value, row, per_line, full)
        shown = "" if row.value is None or row.kind is Kind.broken else views.plain(row.value)
        said = views.said(row, shown, rest, full)
        label = views.cut_label(row, width, label_width)
        cells: list[str | Text] = [str(row.start), hexes, *([text] if spelled else []), label]
        if typed:
            cells.append(Text("" if row.kind is Kind.broken else row.type))
        table.add_row(*cells, said)
    return table


def _count(row: SpanRow) -> str:
    count = row.end - row.start
    return f"{count} byte{'' if count == 1 else 's'}"


def _bytes(value: bytes, row: SpanRow, per_line: int, full: bool) -> tuple[Text, Text]:
    """The bytes of a row in hex and as text, as many per line as fit; for a group, the number of bytes."""
    if row.kind is Kind.group:
        return Text(_count(row), "bright_black italic"), Text("")
    if row.start == row.end:
        return Text("" if row.kind is Kind.broken else "·", "bright_black"), Text("")
    data = value[row.start : row.end]
    lines = [data[i : i + per_line] for i in range(0, len(data), per_line)]
    more = []
    if not full and len(lines) > HEX_LINES:
        more = [f"… {len(data) - (HEX_LINES - 1) * per_line} more"]
        lines = lines[: HEX_LINES - 1]
    hexes = "\n".join([*(line.hex(" ") for line in lines), *more])
    return Text(hexes, views.colour(row)), Text("\n".join(_ascii(line) for line in lines))


def _ascii(data: bytes) -> str:
    """One character per byte; a dot for unprintable ones."""
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in data)
