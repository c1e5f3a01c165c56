"""`tidewire dissect`: a message's bytes in hex beside the field that each belongs to."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tidewire.cli.formats import Format, Input, unhex
from tidewire.cli.inputs import Hexes, read
from tidewire.cli.protocols import OptionPairs, load, options, pairs, python_name
from tidewire.cli.shell import FOUND_BAD, CommandError, complain, console
from tidewire.cli.spans import TROUBLE, Kind, Row, rows
from tidewire.runtime.compression import NONE, CompressionError, decompress
from tidewire.runtime.errors import DecodeError

COLOURS = ("bright_cyan", "bright_green", "bright_yellow", "medium_purple1", "sandy_brown", "sky_blue1")
"""By nesting; deeper fields begin again with the first."""
HEX_LINES = 4
ROOM_FOR_VALUES = 42
SURE_VALUE = 21
"""Columns that a value gets even when its meaning has to be cut: a number of 64 bits."""
MAX_WIDTH = 160


def dissect(
    protocol: Annotated[str, typer.Argument(help="Protocol of the message, such as craft.")],
    file: Annotated[str | None, typer.Argument(help="File with messages; - is standard input.")] = None,
    form: Annotated[
        Format,
        typer.Option(
            "--from", help="What the file holds: a recorded stream, JSON lines, lines of hex, one raw message."
        ),
    ] = Format.auto,
    hexes: Hexes = None,
    message: Annotated[
        list[int] | None,
        typer.Option("--message", "-m", min=0, help="Only this message of the file, from 0; may be repeated."),
    ] = None,
    depth: Annotated[int | None, typer.Option(min=0, help="Show fields to this depth of nesting.")] = None,
    full: Annotated[bool, typer.Option("--full", help="Show long values and all their bytes.")] = False,
    option: OptionPairs = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the fields as JSON lines.")] = False,
    svg: Annotated[Path | None, typer.Option(help="Write the picture here as SVG, too.")] = None,
) -> None:
    """Show which bytes of a message are which field, what they say and what that means.

    Of a damaged message it shows what was understood and where it broke; the exit code is then 1.
    """
    module = load(protocol)
    opts = options(module, pairs(option or []), invalid_text="bytes")
    out = console()
    if out.width > MAX_WIDTH:
        out.width = MAX_WIDTH
    if svg is not None:
        out.record = True
    bad = 0
    for number, found in _wanted(_inputs(file, form, hexes or []), message):
        if found.problem is not None:
            complain(f"{found.place}: {found.problem}")
            bad += 1
            continue
        if found.value is None:
            complain(f"{found.place}: no value: a tombstone, which has no fields")
            continue
        try:
            value = _plain(module, opts, found.value)
        except CompressionError as trouble:
            complain(f"{found.place}: {trouble}")
            bad += 1
            continue
        spans, error = _dissect(module, opts, value, found.key)
        bad += error is not None
        if as_json:
            _print_json(number, spans, error)
        else:
            # A dissector says itself where it had to stop. What only a decoder refuses is added.
            told = error is None or any(span.type == TROUBLE for span in spans)
            broken = None if told or error is None else (error.offset, error.field, error.detail)
            _print(out, protocol, found, value, rows(spans, len(value), depth, broken), full)
    if svg is not None:
        out.save_svg(str(svg), title=f"tidewire dissect {protocol}")
    if bad:
        raise typer.Exit(FOUND_BAD)


def _inputs(file: str | None, form: Format, hexes: Sequence[str]) -> Iterator[Input]:
    for index, text in enumerate(hexes):
        try:
            yield Input(f"--hex {index + 1}" if len(hexes) > 1 else "", None, unhex(text))
        except ValueError as error:
            raise CommandError(f"--hex {index + 1}: {error}") from None
    if file is not None:
        yield from read(file, form)
    elif not hexes:
        raise CommandError("nothing to dissect: name a file, - for standard input, or give --hex")


def _wanted(found: Iterator[Input], numbers: Sequence[int] | None) -> Iterator[tuple[int, Input]]:
    """The messages that the user wants, with their number.

    Raises:
        CommandError: there are fewer messages.
    """
    left = set(numbers or ())
    count = 0
    for count, message in enumerate(found, 1):
        if not numbers or count - 1 in numbers:
            left.discard(count - 1)
            yield count - 1, message
            if numbers and not left:
                return
    if left:
        raise CommandError(f"there is no message {min(left)}: they are numbered from 0 to {count - 1}")


def _plain(module: Any, opts: Any, value: bytes) -> bytes:
    """A message as it was before it was compressed.

    Raises:
        CompressionError: it is not compressed as the options say.
    """
    return value if module.COMPRESSION is None else decompress(getattr(opts, python_name(module.COMPRESSION)), value)


def _dissect(module: Any, opts: Any, value: bytes, key: bytes | None) -> tuple[Sequence[Any], DecodeError | None]:
    """The fields of a message that are understood, and what is wrong with it."""
    spans = list(module.dissect(value, key))
    if module.COMPRESSION is not None:
        opts = replace(opts, **{python_name(module.COMPRESSION): NONE})
    try:
        module.decode(value, key, opts)
    except DecodeError as error:
        return spans, error
    return spans, None


def _print_json(number: int, spans: Sequence[Any], error: DecodeError | None) -> None:
    for span in spans:
        shown = span.value
        if isinstance(shown, bytes):
            shown = {"base64": base64.b64encode(shown).decode()}
        line = {
            "message": number,
            "start": span.start,
            "end": span.end,
            "path": span.path,
            "type": span.type,
            "value": shown,
            "meaning": span.meaning,
            "depth": span.depth,
        }
        typer.echo(json.dumps(line, ensure_ascii=False))
    if error is not None:
        typer.echo(
            json.dumps(
                {
                    "message": number,
                    "offset": error.offset,
                    "path": error.field,
                    "code": error.code,
                    "error": error.detail,
                },
                ensure_ascii=False,
            )
        )


def _print(out: Console, protocol: str, message: Input, value: bytes, found: Sequence[Row], full: bool) -> None:
    packed = "" if value == (message.value or b"") else f" of {len(message.value or b'')} compressed ones"
    title = Text.assemble(
        (protocol, "bold"), f"  {len(value)} bytes{packed}", (f"  {message.place}" if message.place else "", "dim")
    )
    out.print(title)
    out.print(_table(value, found, full, out.width))
    out.print()


def _table(value: bytes, found: Sequence[Row], full: bool, width: int) -> Table:
    digits = max(6, len(str(len(value))))
    label_width = max((cell_len(_label(row).plain) for row in found), default=5)
    type_width = max((cell_len(row.type) for row in found), default=0)
    rest = width - digits - label_width - type_width - 8
    # As many bytes to a line as leave room for what they mean.
    per_line = next((n for n in (16, 12) if rest - n * 3 + 1 >= ROOM_FOR_VALUES), 8)
    hex_width = per_line * 3 - 1
    rest = max(rest - hex_width, 16)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold dim", collapse_padding=True)
    table.add_column("offset", justify="right", width=digits, no_wrap=True, style="dim")
    table.add_column("bytes", width=hex_width, no_wrap=True)
    table.add_column("field", width=label_width, no_wrap=True)
    table.add_column("type", width=type_width, no_wrap=True, style="dim")
    table.add_column("value", width=rest, overflow="fold" if full else "ellipsis", no_wrap=not full)
    for row in found:
        table.add_row(
            str(row.start),
            _hex(value, row, per_line, full),
            _label(row),
            Text("" if row.kind is Kind.broken else row.type),
            _value(row, rest, full),
        )
    return table


def _colour(row: Row) -> str:
    if row.kind is Kind.gap:
        return "dim red"
    return "bold red" if row.kind is Kind.broken else COLOURS[row.depth % len(COLOURS)]


def _label(row: Row) -> Text:
    if row.kind is Kind.broken:
        return Text("│ " * row.depth, "bright_black").append(f"✗ {row.label}", "bold red")
    colour = _colour(row)
    guides = Text("│ " * row.depth, "bright_black")
    return guides.append(row.label, f"bold {colour}" if row.kind is Kind.group else colour)


def _hex(value: bytes, row: Row, per_line: int, full: bool) -> Text:
    """The bytes of a row, as many to a line as fit; of a group how many there are."""
    if row.kind is Kind.group:
        count = row.end - row.start
        return Text(f"{count} byte{'' if count == 1 else 's'}", "bright_black italic")
    if row.start == row.end:
        return Text("" if row.kind is Kind.broken else "·", "bright_black")
    data = value[row.start : row.end]
    lines = [data[i : i + per_line].hex(" ") for i in range(0, len(data), per_line)]
    if not full and len(lines) > HEX_LINES:
        left = len(data) - (HEX_LINES - 1) * per_line
        lines = [*lines[: HEX_LINES - 1], f"… {left} more"]
    return Text("\n".join(lines), _colour(row))


def _value(row: Row, width: int, full: bool) -> Text:
    """What a row's bytes say, and behind it what that means."""
    if row.kind is Kind.broken:
        return Text(row.meaning, "bold red", no_wrap=False, overflow="fold")
    said = "" if row.value is None else _show(row.value)
    room = max(width - cell_len(row.meaning) - 2, SURE_VALUE) if row.meaning else width
    if not full and cell_len(said) > room:
        said = said[: room - 1] + "…"
    text = Text(said, "default" if row.kind is Kind.leaf else "dim")
    if row.meaning:
        text.append(("  " if said else "") + row.meaning, "italic dim" if said else "italic")
    return text


def _show(value: Any) -> str:
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
