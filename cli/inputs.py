"""Messages from files, from standard input and from the command line, in lists that fit in memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Annotated, TypeAlias

import typer

from tidewire.cli.formats import Format, Input, parse, tell, unhex, unhex_message
from tidewire.cli.pairs import pairs
from tidewire.cli.protocols import key_head
from tidewire.cli.shell import CommandError, many, meter
from tidewire.cli.streams import MOST_LINE, DamagedError, Stream, joined, lines, opened, size, too_long

BATCH_MESSAGES = 1024
BATCH_BYTES = 1 << 20
FORMATS = (
    "How messages lie in the files: recorded (streams), jsonl (objects with value or payload, as Spark and kcat -J "
    "write), lines (a JSON message a line, or a key, a tab and a message, as kafka-console-consumer prints them), hex "
    "(lines of digits, KEY:VALUE where there are keys), pairs (keys and values in turn, each behind its length, as the "
    "first TiCDC wrote files), raw (a message a file). gzip and zstd are unpacked."
)

Files: TypeAlias = Annotated[list[str] | None, typer.Argument(help="Files with messages; - is standard input.")]
FilesFormat: TypeAlias = Annotated[Format, typer.Option("--from", help=FORMATS)]
Hexes: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--hex",
        metavar="HEX",
        help="A message as hex digits, with or without 0x, KEY:VALUE where it has a key; may be repeated.",
    ),
]
Keys: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--key",
        metavar="HEX",
        help="The key of a message as hex digits, where the message comes without one: of --hex and of raw files, in "
        "their order; may be repeated.",
    ),
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
            value = joined(pieces)
            yield [Input(name, None, value, None if value.strip() else "there is nothing in it")]
            return
        if form is Format.pairs:
            yield from pairs(name, pieces, key_head())
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
    """The lines that were read to recognize the format, and the format.

    Raises:
        DamagedError: there is not even a line, or the first one is too long.
    """
    head: list[bytes] = []
    held = 0
    for piece in pieces:
        head.append(piece)
        held += len(piece)
        if held > MOST_LINE:
            raise DamagedError(too_long())
        if b"\n" in piece and b"".join(head).strip():
            whole, _, _ = b"".join(head).rpartition(b"\n")
            return head, tell(whole.split(b"\n"))
    return head, tell(b"".join(head).split(b"\n"))


def with_keys(found: Iterable[Input], keys: Sequence[str]) -> Iterator[Input]:
    """Messages, of which those without a key get one of the command line, in their order.

    Raises:
        CommandError: a key is not hex, or there are more of them than messages without one.
    """
    left = []
    for index, text in enumerate(keys, 1):
        try:
            left.append(unhex(text))
        except ValueError as error:
            raise CommandError(f"--key {index}: {error}") from None
    left.reverse()
    for one in found:
        yield one._replace(key=left.pop()) if left and one.key is None and one.problem is None else one
    if left:
        raise CommandError(f"--key: {many(len(keys), 'key')}, and messages without one are {len(keys) - len(left)}")


def batches(
    files: Sequence[str], form: Format, hexes: Sequence[str], title: str, keys: Sequence[str] = ()
) -> Iterator[list[Input]]:
    """Messages of all sources, in lists that fit in memory.

    What comes from a pipe is handed on as it arrives.

    Args:
        files: with messages; - is standard input.
        form: how messages lie in them.
        hexes: messages of the command line.
        title: what is done with them, for the progress bar.
        keys: of messages that have none.

    Raises:
        CommandError: there is nothing to read, or a key belongs to nothing.
    """
    if keys:
        yield list(with_keys(chain.from_iterable(batches(files, form, hexes, title)), keys))
        return
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
            yield Input(f"--hex {index}", *unhex_message(text))
        except ValueError as error:
            raise CommandError(f"--hex {index}: {error}") from None
