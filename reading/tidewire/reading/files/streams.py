"""Bytes of files and of standard input: decompressed if they are gzip or zstd, and returned as soon as they arrive."""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from tidewire.runtime.errors import TidewireError
from tidewire.runtime.shortened import public, shortened

PIECE = 1 << 16
"""The most bytes requested at once: the capacity of a pipe."""
MOST_LINE = 256 << 20
"""The most bytes of a line, or of a file that is one message: half of the limit for an unpacked message, since a line
holds it in base64.
"""
MOST_UNPACKED = 64 << 30
"""The most bytes of a decompressed file."""
TOO_LONG: Final = b"(a line that is too long)"
"""Stands in lists of lines for one that is too long; it is compared by identity, and is not a valid line."""
MOST_IN_MEMORY = 16 << 20
"""The most bytes of a copy in memory; a longer one is in a file."""
GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
MARK = b"\xef\xbb\xbf"
"""The byte order mark that some programs write before UTF-8 text; it is skipped."""
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/|//[^/]*@|https?:", re.IGNORECASE)
"""The beginning of a URL; a letter and a colon begin Windows paths."""
TEXT = re.compile(rb"[\t\n\r -~]")


CUT_OFF: Final = "the file is cut off or damaged here"
"""How the reason begins why compressed bytes cannot be read to the end."""


class InputError(TidewireError, ValueError):
    """An input that cannot be read; the text says why, and what to do."""


class DamagedError(ValueError):
    """Compressed bytes that cannot be decompressed to the end, or a message that is too long."""


class Unended(bytes):
    """The last line of a file, if it has no line end."""


def too_long() -> str:
    """The reason for a line or a message that is too long."""
    return f"it is longer than {MOST_LINE:,} bytes, which is the most that is read of a message"


def before_it(count: int) -> str:
    """How many messages were read before a file ended."""
    if not count:
        return "there is no message before it"
    return f"the {count:,} messages before it were read" if count > 1 else "the message before it was read"


def _ignore(_count: int) -> None:
    """A progress callback that does nothing."""


class _Arriving(io.RawIOBase):
    """A stream whose reads return available bytes without waiting for a full buffer."""

    def __init__(self, plain: Any, advance: Callable[[int], None]) -> None:
        self._plain = plain
        self._advance = advance

    def readable(self) -> bool:
        """Always true."""
        return True

    def readinto(self, room: Any) -> int:
        """At most as many bytes as there is room for; 0 at the end."""
        data = self._plain.read1(len(room))
        room[: len(data)] = data
        self._advance(len(data))
        return len(data)


class Stream:
    """The bytes of one source.

    Attributes:
        live: whether they may still be being written: a pipe, a socket, a terminal.
    """

    def __init__(self, plain: Any, live: bool, advance: Callable[[int], None]) -> None:
        self.live = live
        self._plain = plain
        head = plain.peek(len(ZSTD))[: len(ZSTD)]
        arriving = _Arriving(plain, advance)
        self._packed = "gzip" if head.startswith(GZIP) else "zstd" if head == ZSTD else None
        self._unpacked = 0
        self._read: Callable[[int], bytes | None] = arriving.read
        if self._packed == "gzip":
            self._read = gzip.GzipFile(fileobj=cast(BinaryIO, arriving)).read1
        elif self._packed == "zstd":
            import pyarrow as pa

            # Arrow has a zstd decoder; the standard library only from Python 3.14 on
            packed = pa.CompressedInputStream(pa.PythonFile(arriving, "r"), "zstd")
            self._read = io.BufferedReader(packed, PIECE).read1

    def pieces(self) -> Iterator[bytes]:
        """The bytes, in pieces as they arrive; without the byte order mark of a text.

        Raises:
            DamagedError: it is compressed, and truncated or damaged.
        """
        head = b""
        begun = False
        while piece := self._piece():
            if not begun:
                piece = head + piece
                begun = len(piece) > len(MARK) or not MARK.startswith(piece)
                head = b"" if begun else piece
                if not begun:
                    continue
                if piece.startswith(MARK) and TEXT.match(piece, len(MARK)):
                    piece = piece[len(MARK) :]
            yield piece
        if head:
            yield head

    def whole(self, pieces: Iterable[bytes]) -> Any:
        """The bytes as a seekable file: the file itself if it is one, otherwise a copy.

        Args:
            pieces: the bytes from the beginning on, as from `pieces`; they are read if a copy is made.

        Raises:
            DamagedError: as the pieces do.
        """
        if self._packed is None and not self.live and self._plain.seekable():
            self._plain.seek(0)
            return self._plain
        copy = tempfile.SpooledTemporaryFile(MOST_IN_MEMORY)  # noqa: SIM115 - it goes with the last that reads it
        for piece in pieces:
            copy.write(piece)
        copy.seek(0)
        return copy

    def _piece(self) -> bytes | None:
        if self._packed is None:
            return self._read(PIECE)
        if self._unpacked > MOST_UNPACKED:
            most = f"{MOST_UNPACKED:,} bytes"
            raise DamagedError(f"what is compressed with {self._packed} becomes more than {most}: give it in parts")
        try:
            piece = self._read(PIECE)
            self._unpacked += len(piece or b"")
            return piece
        except (OSError, EOFError, zlib.error) as error:
            raise DamagedError(f"{CUT_OFF}: {self._packed}: {error}") from None


def lines(pieces: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Lines without their ends, in lists of those that were completed by the same piece. An unterminated last line
    counts as a line; a line that is too long is replaced by `TOO_LONG`.

    Raises:
        DamagedError: a piece raises it; the lines before it have been returned.
    """
    rest: list[bytes] = []
    held = 0
    try:
        for piece in pieces:
            if b"\n" not in piece:
                held += len(piece)
                if held > MOST_LINE:
                    rest = [TOO_LONG]  # its other pieces are dropped
                else:
                    rest.append(piece)
                continue
            found = piece.split(b"\n")
            found[0] = _line(rest, found[0], held)
            rest = [found.pop()]
            held = len(rest[0])
            yield found
    except DamagedError:
        if any(rest):
            yield [_last(rest, held)]
        raise
    if any(rest):
        yield [_last(rest, held)]


def _line(begun: list[bytes], end: bytes, held: int) -> bytes:
    """Joins the pieces of a line; `held` is the number of bytes before `end`."""
    return TOO_LONG if held + len(end) > MOST_LINE else b"".join([*begun, end])


def _last(rest: list[bytes], held: int) -> bytes:
    """Joins the pieces of the last line."""
    line = _line(rest, b"", held)
    return line if line is TOO_LONG else Unended(line)


def joined(pieces: Iterable[bytes]) -> bytes:
    """All pieces as one message.

    Raises:
        DamagedError: it is too long, or as the pieces do.
    """
    found: list[bytes] = []
    held = 0
    for piece in pieces:
        held += len(piece)
        if held > MOST_LINE:
            raise DamagedError(too_long())
        found.append(piece)
    return b"".join(found)


def check_no_address(path: str) -> None:
    """Refuses an address where the path of a file is expected.

    Raises:
        InputError: it is one.
    """
    if ADDRESS.match(path) and not os.path.lexists(path):
        raise InputError(
            f"{shortened(public(path))} is an address, and the path of a file is expected: fetch it first, and give "
            "the path of the file, or pipe it in and give -"
        )


@contextmanager
def opened(path: str, advance: Callable[[int], None] = _ignore) -> Iterator[Stream]:
    """A file, or standard input for `-`.

    Args:
        path: of the file.
        advance: is called with the number of bytes read, before decompression.

    Raises:
        InputError: it is a URL rather than a path.
        OSError: the file cannot be opened.
    """
    if path != "-":
        check_no_address(path)
        with Path(path).open("rb") as plain:
            yield Stream(plain, _live(plain), advance)
        return
    given: Any = sys.stdin.buffer
    if hasattr(given, "peek"):
        yield Stream(given, _live(given), advance)
        return
    buffered = io.BufferedReader(given)  # in tests that replace the terminal
    try:
        yield Stream(buffered, _live(given), advance)
    finally:
        buffered.detach()


def _live(plain: Any) -> bool:
    with suppress(OSError):
        mode = os.fstat(plain.fileno()).st_mode
        return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode)
    return False


def size(paths: Sequence[str]) -> int | None:
    """The bytes of all files; None if one is standard input or not a plain file."""
    files = [Path(p) for p in paths]
    return sum(f.stat().st_size for f in files) if all(f.is_file() for f in files) else None
