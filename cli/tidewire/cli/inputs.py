"""Reads messages from files, standard input and the command line, in lists that fit in memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from tidewire.cli.protocols import key_head
from tidewire.cli.shell import CommandError, Meter, many, meter, say_waiting
from tidewire.reading.files.arrivals import arrivals, gathered, named
from tidewire.reading.files.formats import Format, Input, unhex, unhex_message
from tidewire.reading.files.streams import opened, size

FORMATS = (
    "How messages lie in the files: recorded (streams), jsonl (objects with value or payload, as Spark and kcat -J "
    "write), lines (a JSON message a line, or a key, a tab and a message, as kafka-console-consumer prints them), hex "
    "(lines of digits, KEY:VALUE where there are keys), pairs (keys and values in turn, each behind its length, as the "
    "first TiCDC wrote files), array (one JSON array of such objects or messages), escaped (bytes as \\x00, as Kafka's "
    "BytesDeserializer has them printed), parquet and arrow (columns value, key, topic, partition, offset, timestamp), "
    "raw (a message a file). gzip and zstd are unpacked."
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


def read_again(files: Sequence[str], hexes: Sequence[str]) -> bool:
    """Whether messages can be read twice: true for the command line and files, false for pipes."""
    return bool(files or hexes) and all(path != "-" and Path(path).is_file() for path in files)


def read(path: str, form: Format, advance: Callable[[int], None] | None = None) -> Iterator[Input]:
    """The messages of one file, or of standard input for -; see `arrivals`."""
    say_waiting(path)
    with opened(path) if advance is None else opened(path, advance) as stream:
        for messages in arrivals(named(path), stream, form, key_head):
            yield from messages


def with_keys(found: Iterable[Input], keys: Sequence[str]) -> Iterator[Input]:
    """Assigns keys from the command line, in order, to messages without a key.

    Raises:
        CommandError: a key is not hex, or there are more keys than messages without one.
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
    files: Sequence[str],
    form: Format,
    hexes: Sequence[str],
    title: str,
    keys: Sequence[str] = (),
    prints: bool = True,
) -> Iterator[list[Input]]:
    """The messages of all sources, in lists that fit in memory. Input from a pipe is passed on as it arrives.

    Args:
        files: paths; - is standard input.
        form: file format of the messages.
        hexes: messages of the command line, in hex.
        title: the activity, for the progress bar.
        keys: keys for messages without one, in hex.
        prints: whether lines are printed meanwhile.

    Raises:
        CommandError: there is no input, or there are more keys than messages without one.
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
    for path in files:
        say_waiting(path)
    with meter(title, size(files), prints=prints) as bar:
        yield from gathered(_arriving(files, form, bar))


def _arriving(files: Sequence[str], form: Format, bar: Meter) -> Iterator[tuple[list[Input], bool]]:
    """The messages of files as they arrive, each list with whether more may arrive only later."""
    for path in files:
        bar.say(path)
        with opened(path, bar.advance) as stream:
            for messages in arrivals(named(path), stream, form, key_head):
                yield messages, stream.live


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
