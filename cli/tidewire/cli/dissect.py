"""`tidewire dissect`: the bytes or text of a message beside the field that each part belongs to."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from tidewire.cli import view_bytes, view_text
from tidewire.cli.inputs import Hexes, Keys, read, with_keys
from tidewire.cli.protocols import OptionPairs, options, pairs, python_name
from tidewire.cli.seen_tables import SeenTables, TablesFiles, described, told
from tidewire.cli.shell import FOUND_BAD, CommandError, complain, console, json_text, printable
from tidewire.cli.spans import TROUBLE, rows
from tidewire.cli.which import Named, Sources, settle, split
from tidewire.messages.delivery.compression import NONE, CompressionError
from tidewire.messages.delivery.items import Packing
from tidewire.reading.files.formats import Format, Input, unhex_message
from tidewire.runtime.errors import DecodeError, MissingTableError
from tidewire.runtime.registered.errors import MissingSchemaError

PARTS = ("key", "value")
"""The parts of a message, in the order in which they are shown."""
MAX_WIDTH = 160
"""Maximum width in columns, since wider output is hard to follow."""


def dissect(
    sources: Sources = None,
    protocol: Named = None,
    form: Annotated[
        Format,
        typer.Option(
            "--from", help="What the file holds: a recorded stream, JSON lines, lines of hex, one raw message."
        ),
    ] = Format.auto,
    hexes: Hexes = None,
    key: Keys = None,
    message: Annotated[
        list[int] | None,
        typer.Option("--message", "-m", min=0, help="Only this message of the file, from 0; may be repeated."),
    ] = None,
    depth: Annotated[int | None, typer.Option(min=0, help="Show fields to this depth of nesting.")] = None,
    full: Annotated[bool, typer.Option("--full", help="Show long values and all their bytes.")] = False,
    option: OptionPairs = None,
    tables_files: TablesFiles = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the fields as JSON lines.")] = False,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the picture here as SVG, too.")] = None,
) -> None:
    """Show which bytes of a message are which field, what they say and what that means.

    Of a damaged message it shows what was understood and where it broke; the exit code is then 1.
    """
    named, files = split(sources or [], protocol)
    store = described(tables_files)
    inputs = ([one] for one in with_keys(_inputs(files, form, hexes or []), key or []))
    known = settle(named, inputs, pairs(option or []), store)
    module, name = known.module, known.module.NAME
    opts = options(module, known.options, invalid_text="bytes")
    out = console()
    if out.width > MAX_WIDTH:
        out.width = MAX_WIDTH
    if svg is not None:
        out.record = True
    bad = 0
    undescribed: set[tuple[str | None, str | None]] = set()
    tables = SeenTables(module, tables=store)
    for number, found in _wanted(chain.from_iterable(known.batches), message, partial(_learn, tables, opts)):
        if found.problem is not None:
            complain(f"{found.location}: {found.problem}")
            bad += 1
            continue
        if found.value is None and not (module.FACTS.deletes_by_key and found.key):
            complain(f"{found.location}: no value: a tombstone, which has no fields")
            continue
        try:
            value = None if found.value is None else _plain(module, opts, found.value)
        except CompressionError as trouble:
            complain(f"{found.location}: {trouble}")
            bad += 1
            continue
        spans, error = _dissect(module, opts, value, found.key, tables)
        if isinstance(error, MissingTableError):
            if (error.schema, error.table) not in undescribed:  # is listed once, and is no error
                undescribed.add((error.schema, error.table))
                complain(f"{found.location or 'the message'}: {told(error)}")
            error = None
        if isinstance(error, MissingSchemaError):
            complain(f"{found.location or 'the message'}: {error.detail}")
            error = None
        # The dissector reports where it had to stop; errors that only a decoder finds are added here.
        said = any(span.type == TROUBLE for span in spans)
        bad += said or error is not None
        if error is not None and error.looks_like is not None:
            complain(f"{found.location or 'the message'}: it looks like {error.looks_like}, not {name}")
        if as_json:
            _print_json(number, spans, error)
        else:
            _print_head(out, module, found, value)
            for part in PARTS if module.FACTS.has_keys else PARTS[-1:]:
                data = (found.key if part == PARTS[0] else value) or b""
                _print_part(out, module, part, data, spans, None if said else error, depth, full)
            out.print()
    if svg is not None:
        out.save_svg(str(svg), title=f"tidewire dissect {name}")
    if bad:
        raise typer.Exit(FOUND_BAD)


def _inputs(files: Sequence[str], form: Format, hexes: Sequence[str]) -> Iterator[Input]:
    for index, text in enumerate(hexes):
        try:
            yield Input(f"--hex {index + 1}" if len(hexes) > 1 else "", *unhex_message(text))
        except ValueError as error:
            raise CommandError(f"--hex {index + 1}: {error}") from None
    for file in files:
        yield from read(file, form)
    if not files and not hexes:
        raise CommandError("nothing to dissect: name a file, - for standard input, or give --hex")


def _learn(tables: SeenTables, opts: Any, passed: Input) -> None:
    """Stores table descriptions from a message that is not shown, since rows that are shown may need them."""
    if passed.problem is None:
        tables.learn(passed.value, passed.key, opts)


def _wanted(
    found: Iterator[Input], numbers: Sequence[int] | None, passed: Callable[[Input], None]
) -> Iterator[tuple[int, Input]]:
    """The selected messages with their numbers; the others are given to `passed`.

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
        else:
            passed(message)
    if left:
        raise CommandError(f"there is no message {min(left)}: they are numbered from 0 to {count - 1}")


def _plain(module: Any, opts: Any, value: bytes) -> bytes:
    """A message after decompression.

    Raises:
        CompressionError: it is not compressed as the options say.
    """
    if module.FACTS.compression is None:
        return value
    return Packing(getattr(opts, python_name(module.FACTS.compression)), module.FACTS.item_prefix).unpack(value)


def _dissect(
    module: Any, opts: Any, value: bytes | None, key: bytes | None, tables: SeenTables
) -> tuple[Sequence[Any], DecodeError | None]:
    """The fields of a message that were decoded, and the error where decoding stopped."""
    where = {} if module.FACTS.registry is None else {"options": opts}
    spans = list(module.dissect(value, key, **tables.given, **where))
    if module.FACTS.compression is not None:
        opts = replace(opts, **{python_name(module.FACTS.compression): NONE})
    if value is not None and module.FACTS.are_records(value):
        opts = replace(opts, **{python_name(module.FACTS.records.option): module.FACTS.records.choice})
    try:
        module.decode(value, key, opts, **tables.given)
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
            "part": span.part,
            "start": span.start,
            "end": span.end,
            "path": span.path,
            "type": span.type,
            "value": shown,
            "meaning": span.meaning,
            "depth": span.depth,
            "column": span.column,
        }
        typer.echo(json_text(line))
    if error is not None:
        typer.echo(
            json_text(
                {
                    "message": number,
                    "part": error.part or "value",
                    "offset": error.offset,
                    "path": error.field,
                    "code": error.code,
                    "error": error.detail,
                }
            )
        )


def _print_head(out: Console, module: Any, message: Input, value: bytes | None) -> None:
    """Prints the line above the fields: protocol, length and place of the message."""
    packed = "" if value == message.value else f" of {len(message.value or b'')} compressed ones"
    length = "  no value" if value is None else f"  {len(value)} bytes{packed}"
    if module.FACTS.has_keys:
        length += ", no key" if message.key is None else f", key {len(message.key)} bytes"
    location = f"  {printable(message.location)}" if message.location else ""
    out.print(Text.assemble((module.NAME, "bold"), length, (location, "dim")))


def _print_part(
    out: Console,
    module: Any,
    part: str,
    data: bytes,
    spans: Sequence[Any],
    error: DecodeError | None,
    depth: int | None,
    full: bool,
) -> None:
    """Prints the fields of a key or a value.

    Args:
        out: the console.
        part: `key` or `value`.
        data: bytes of the part.
        spans: fields of the message.
        error: an error that is not among the spans.
        depth: maximum depth of the fields shown; None: no limit.
        full: whether long values are shown in full.
    """
    own = [span for span in spans if span.part == part]
    here = error is not None and error.part in ("", part)
    broken = (error.offset, error.field, error.detail) if error is not None and here else None
    if module.FACTS.has_keys:
        if not own and broken is None:
            return
        out.print(Text(part, "bold"))
    text_lies_open = module.FACTS.text and not module.FACTS.are_records(data)
    view, text = (view_text, view_text) if text_lies_open else (view_bytes, None)
    out.print(view.draw(data, rows(own, data, depth, broken, text), full, out.width))
