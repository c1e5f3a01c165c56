"""The messages of a stream, in lists of those that arrived together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from tidewire.reading.files.arrays import CUT_ARRAY, elements
from tidewire.reading.files.columnar import NoMessagesError, in_columns, of_file
from tidewire.reading.files.formats import ARRAY, Format, Input, is_whole, parse, tell
from tidewire.reading.files.pairs import pairs
from tidewire.reading.files.streams import (
    CUT_OFF,
    MOST_LINE,
    DamagedError,
    Stream,
    Unended,
    before_it,
    joined,
    lines,
    too_long,
)

HALF = "the file ends in the middle of this line"
"""The problem of an incomplete last line."""
BATCH_MESSAGES = 1024
BATCH_BYTES = 1 << 20


def named(path: str) -> str:
    """The name of a source for people."""
    return "standard input" if path == "-" else path


def is_cut(problem: str) -> bool:
    """Whether what is wrong with an input is that the rest of its file is missing."""
    return problem.startswith((HALF, CUT_OFF, CUT_ARRAY))


def arrivals(name: str, stream: Stream, form: Format, head: Callable[[], bytes]) -> Iterator[list[Input]]:
    """The messages of a stream, in lists of those that arrived together.

    A line that cannot be read gives an `Input` with a problem, and reading goes on.

    Args:
        name: name of the source.
        stream: bytes of the source.
        form: file format.
        head: returns the bytes that keys begin with, for files that contain them once, before the first key (`pairs`).
    """
    pieces = stream.pieces()
    number = 0
    count = 0
    half: Input | None = None
    try:
        if form is Format.auto:
            looked_at, form = _told(pieces)
            pieces = chain(looked_at, pieces)
        if form in (Format.parquet, Format.arrow):
            yield from of_file(name, stream.whole(pieces), form)
            return
        if form is Format.raw:
            value = joined(pieces)
            yield [Input(name, None, value, None if value.strip() else "there is nothing in it")]
            return
        if form is Format.pairs:
            yield from pairs(name, pieces, head())
            return
        for some in elements(pieces) if form is Format.array else lines(pieces):
            found = []
            for line in some:
                number += 1
                message = parse(form, f"{name}:{number}", line) if line.strip() else None
                if message is not None and isinstance(line, Unended) and not is_whole(form, message, line):
                    half = message
                elif message is not None:
                    found.append(message)
                    count += message.problem is None
            if found:
                yield found
    except (DamagedError, NoMessagesError) as error:
        why = str(error)
        if half is not None:
            yield [half._replace(problem=f"{HALF}; {before_it(count)}: {why}")]
        else:
            why = f"{why}; {before_it(count)}" if number and is_cut(why) else why
            yield [Input(f"{name}:{number + 1}" if number else name, None, None, why)]
    else:
        if half is not None:
            yield [half._replace(problem=f"{HALF}; {before_it(count)}")]


def _told(pieces: Iterator[bytes]) -> tuple[list[bytes], Format]:
    """The lines that were read to detect the format, and the format.

    Raises:
        DamagedError: there is not one line, or the first one is too long.
    """
    head: list[bytes] = []
    held = 0
    for piece in pieces:
        head.append(piece)
        held += len(piece)
        if (columnar := in_columns(head[0])) is not None:
            return head, columnar
        if held > MOST_LINE:
            raise DamagedError(too_long())
        if ARRAY.match(head[0]):
            return head, Format.array
        if b"\n" in piece and b"".join(head).strip():
            whole, _, _ = b"".join(head).rpartition(b"\n")
            return head, tell(whole.split(b"\n"))
    return head, tell(b"".join(head).split(b"\n"))


def gathered(found: Iterable[tuple[list[Input], bool]]) -> Iterator[list[Input]]:
    """Regroups messages into lists of `BATCH_MESSAGES`, or fewer if they exceed `BATCH_BYTES`.

    Args:
        found: lists of messages that arrived together, each with whether to pass it on without waiting for more.
    """
    batch: list[Input] = []
    held = 0
    for messages, live in found:
        for message in messages:
            batch.append(message)
            held += len(message.value or b"") + len(message.key or b"")
            if len(batch) == BATCH_MESSAGES or held > BATCH_BYTES:
                yield batch
                batch, held = [], 0
        if batch and live:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch
