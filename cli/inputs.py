"""Messages from files: recorded streams, JSON lines, hex lines, or one raw message."""

from __future__ import annotations

import base64
import binascii
import gzip
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Annotated, BinaryIO, NamedTuple, TypeAlias, cast

import typer

HEX_DIGITS = frozenset(b"0123456789abcdefABCDEF \t\r\n")


GZIP = b"\x1f\x8b"


class Format(StrEnum):
    """How messages lie in a file."""

    auto = "auto"
    recorded = "recorded"
    jsonl = "jsonl"
    hex = "hex"
    raw = "raw"


Files: TypeAlias = Annotated[list[str] | None, typer.Argument(help="Files with messages; - is standard input.")]
FilesFormat: TypeAlias = Annotated[
    Format,
    typer.Option("--from", help="What the files hold: recorded streams, JSON lines, lines of hex, one raw message."),
]
Hexes: TypeAlias = Annotated[
    list[str] | None, typer.Option("--hex", metavar="HEX", help="A message as hex digits; may be repeated.")
]


class Input(NamedTuple):
    """A message, or a place where there should be one."""

    place: str
    """File and line, for people."""
    key: bytes | None
    value: bytes | None
    """None is no value: a tombstone."""
    problem: str | None = None
    """Why there is no message here; None when there is one."""


def detect(line: bytes) -> Format:
    """The format of a file whose first line that is not blank is `line`; raw when it looks like none of the others."""
    text = line.strip()
    if text.startswith(b"{"):
        try:
            found = json.loads(text)
        except ValueError:
            return Format.raw
        if "value" in found or "key" in found:
            return Format.jsonl
        return Format.recorded if "protocol" in found else Format.raw
    return Format.hex if text and HEX_DIGITS.issuperset(line) else Format.raw


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """A file, unpacked when it is gzip, or standard input for `-`."""
    if path == "-":
        yield sys.stdin.buffer
        return
    with Path(path).open("rb") as plain:
        if plain.peek(2)[:2] == GZIP:
            with gzip.GzipFile(fileobj=plain) as unpacked:
                yield cast(BinaryIO, unpacked)
        else:
            yield plain


def size(paths: Sequence[str]) -> int | None:
    """Bytes in all files, None when one is standard input or not a plain file."""
    files = [Path(p) for p in paths]
    return sum(f.stat().st_size for f in files) if all(f.is_file() for f in files) else None


def read(path: str, form: Format) -> Iterator[Input]:
    """The messages of one file.

    A line that cannot be read gives an `Input` with a problem, and reading goes on.

    Raises:
        OSError: the file cannot be read.
    """
    name = "standard input" if path == "-" else path
    with opened(path) as stream:
        head: list[bytes] = []
        for line in stream:
            head.append(line)
            if line.strip():
                break
        if form is Format.auto:
            form = detect(head[-1]) if head else Format.raw
        if form is Format.raw:
            value = b"".join(chain(head, stream))
            yield Input(name, None, value, None if value else "the file is empty")
            return
        yield from _lines(name, chain(head, stream), form)


def _lines(name: str, lines: Iterable[bytes], form: Format) -> Iterator[Input]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{name}:{number}"
        try:
            if form is Format.hex:
                yield Input(place, None, unhex(line.decode("ascii", "replace")))
                continue
            found = json.loads(line)
            if not isinstance(found, dict):
                raise ValueError("a line is a JSON object with key and value")
            if form is Format.recorded and "value" not in found:
                continue  # the header, or an event that the producer refused
            if "value" not in found:
                raise ValueError("a line is a JSON object with key and value; the value of a tombstone is null")
            yield Input(place, _unbase64(found, "key"), _unbase64(found, "value"))
        except ValueError as error:
            yield Input(place, None, None, str(error))


def _unbase64(line: dict[str, object], member: str) -> bytes | None:
    text = line.get(member)
    if text is None:
        return None
    if not isinstance(text, str):
        raise ValueError(f"{member} is base64 text or null, not {json.dumps(text)[:40]}")
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"{member} is not base64: {error}") from None


def unhex(text: str) -> bytes:
    """Bytes from hex digits; white space between them does not matter.

    Raises:
        ValueError: something else is there, or a digit is missing.
    """
    try:
        return bytes.fromhex(text.strip())
    except ValueError as error:
        raise ValueError(f"not hex digits: {error}") from None
