"""Messages from files, from standard input and from the command line, in lists that fit in memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Annotated, TypeAlias

import typer

from tidewire.cli.formats import Format, Input, parse, tell, unhex
from tidewire.cli.shell import CommandError, meter
from tidewire.cli.streams import DamagedError, Stream, lines, opened, size

BATCH_MESSAGES = 1024
BATCH_BYTES = 1 << 20
FORMATS = (
    "How messages lie in the files: recorded (streams), jsonl (objects with value or payload, as Spark and kcat -J "
    "write), lines (a JSON message a line), hex (lines of digits), raw (a message a file). gzip and zstd are unpacked."
)

Files: TypeAlias = Annotated[list[str] | None, typer.Argument(help="Files with messages; - is standard input.")]
FilesFormat: TypeAlias = Annotated[Format, typer.Option("--from", help=FORMATS)]
Hexes: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--hex", metavar="HEX", help="A message as hex digits, with or without 0x; may be repeated."),
]


def named(path: str) -> str:
    """A source as people call it."""
    return "standard input" if path == "-" else path


def read(path: str, form: Format, advance: Callable[[int], None] | None = None) -> Iterator[Input]:
    """The messages of one file, - for standard input; see `arrivals`."""
    with opened(path) if advance is None else opened(path, advance) as stream:
        for messages in arrivals(named(path), stream, form):
            yield from messages


def arrivals(name: str, stream: Stream, form: Format) -> Iterator[list[Input]]:
    """The messages of a stream, in lists of those that arrived together.

    A line that cannot be read gives an `Input` with a problem, and reading goes on.
    """
    pieces = stream.pieces()
    number = 0
    try:
        if form is Format.auto:
            head, form = _told(pieces)
            pieces = chain(head, pieces)
        if form is Format.raw:
            value = b"".join(pieces)
            yield [Input(name, None, value, None if value.strip() else "there is nothing in it")]
            return
        for some in lines(pieces):
            found = []
            for line in some:
                number += 1
                message = parse(form, f"{name}:{number}", line) if line.strip() else None
                if message is not None:
                    found.append(message)
            if found:
                yield found
    except DamagedError as error:
        trouble = Input(f"{name}:{number + 1}" if number else name, None, None, str(error))
    else:
        return
    yield [trouble]


def _told(pieces: Iterator[bytes]) -> tuple[list[bytes], Format]:
    """What was read to tell the format, and the format.

    Raises:
        DamagedError: there is not even a line.
    """
    head: list[bytes] = []
    for piece in pieces:
        head.append(piece)
        if b"\n" in piece and b"".join(head).strip():
            whole, _, _ = b"".join(head).rpartition(b"\n")
            return head, tell(whole.split(b"\n"))
    return head, tell(b"".join(head).split(b"\n"))


def batches(files: Sequence[str], form: Format, hexes: Sequence[str], title: str) -> Iterator[list[Input]]:
    """Messages of all sources, in lists that fit in memory; `title` says what is done with them, for the progress bar.

    What comes from a pipe is handed on as it arrives.

    Raises:
        CommandError: there is nothing to read.
    """
    if hexes:
        yield list(_given(hexes))
    if not files and not hexes:
        if sys.stdin.isatty():
            raise CommandError("nothing to read: name files, give --hex, or pipe messages in")
        files = ["-"]
    with meter(title, size(files), prints=True) as bar:
        batch: list[Input] = []
        held = 0
        for path in files:
            bar.say(path)
            with opened(path, bar.advance) as stream:
                for messages in arrivals(named(path), stream, form):
                    for message in messages:
                        batch.append(message)
                        held += len(message.value or b"") + len(message.key or b"")
                        if len(batch) == BATCH_MESSAGES or held > BATCH_BYTES:
                            yield batch
                            batch, held = [], 0
                    if batch and stream.live:
                        yield batch
                        batch, held = [], 0
        if batch:
            yield batch


def _given(hexes: Sequence[str]) -> Iterator[Input]:
    """The messages of the command line.

    Raises:
        CommandError: one is not hex.
    """
    for index, text in enumerate(hexes, 1):
        try:
            yield Input(f"--hex {index}", None, unhex(text))
        except ValueError as error:
            raise CommandError(f"--hex {index}: {error}") from None
