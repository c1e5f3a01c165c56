"""`tidewire decode`: messages in, events as JSON lines out."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from tidewire.cli.eventjson import to_json
from tidewire.cli.inputs import Files, FilesFormat, Format, Hexes, Input, read, size, unhex
from tidewire.cli.protocols import OptionPairs, load, options, pairs
from tidewire.cli.shell import FOUND_BAD, CommandError, complain, meter

BATCH_MESSAGES = 1024
BATCH_BYTES = 1 << 20


def decode(
    protocol: Annotated[str, typer.Argument(help="Protocol of the messages, such as craft.")],
    files: Files = None,
    form: FilesFormat = Format.auto,
    hexes: Hexes = None,
    option: OptionPairs = None,
    errors: Annotated[
        Path | None, typer.Option(help="Keep messages that cannot be decoded here, with the reason, as JSON lines.")
    ] = None,
) -> None:
    """Turn messages into change events, one JSON object a line.

    A message that cannot be decoded is reported and costs its neighbours nothing; the exit code is then 1. Messages
    without a value (tombstones) have no events; they are counted.
    """
    module = load(protocol)
    opts = options(module, pairs(option or []), invalid_text="bytes")
    bad = tombstones = 0
    with ExitStack() as stack:
        kept = stack.enter_context(errors.open("w", encoding="utf-8")) if errors is not None else None
        out = sys.stdout
        for batch in batches(files or [], form, hexes or [], "decode"):
            wrong, without = _decode(module, opts, batch, out, kept)
            bad, tombstones = bad + wrong, tombstones + without
    if tombstones:
        complain(f"{tombstones} message{'s' if tombstones > 1 else ''} without a value (tombstones): no events")
    if bad:
        complain(f"{bad} message{'s' if bad > 1 else ''} could not be decoded")
        raise typer.Exit(FOUND_BAD)


def batches(files: Sequence[str], form: Format, hexes: Sequence[str], title: str) -> Iterator[list[Input]]:
    """Messages of all sources, in lists that fit in memory; `title` says what is done with them, for the progress bar.

    Raises:
        CommandError: there is nothing to read.
    """
    batch: list[Input] = []
    held = 0
    for message in _inputs(files, form, hexes, title):
        batch.append(message)
        held += len(message.value or b"") + len(message.key or b"")
        if len(batch) == BATCH_MESSAGES or held > BATCH_BYTES:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def _inputs(files: Sequence[str], form: Format, hexes: Sequence[str], title: str) -> Iterator[Input]:
    for index, text in enumerate(hexes):
        try:
            yield Input(f"--hex {index + 1}", None, unhex(text))
        except ValueError as error:
            raise CommandError(f"--hex {index + 1}: {error}") from None
    if not files and not hexes:
        if sys.stdin.isatty():
            raise CommandError("nothing to read: name files, give --hex, or pipe messages in")
        files = ["-"]
    with meter(title, size(files), prints=True) as bar:
        for path in files:
            bar.say(path)
            for message in read(path, form):
                yield message
                # Base64 is what files mostly hold: four bytes for three.
                bar.advance((len(message.value or b"") + len(message.key or b"")) * 4 // 3)


def _decode(module: Any, opts: Any, batch: Sequence[Input], out: IO[str], kept: IO[str] | None) -> tuple[int, int]:
    """Decode and print a list of messages; how many were bad, and how many had no value."""
    bad = 0
    for message in batch:
        if message.problem is not None:
            bad += 1
            _report(message, message.problem, kept, {})
    readable = [m for m in batch if m.problem is None]
    events = module.decode_batch([m.value for m in readable], [m.key for m in readable], opts)
    for event in events:
        out.write(json.dumps(to_json(event), ensure_ascii=False, separators=(",", ":")) + "\n")
    for error in events.errors:
        bad += 1
        where = {"field": error.field, "offset": error.offset, "code": error.code}
        _report(readable[error.message], str(error), kept, where)
    return bad, len(events.tombstones)


def _report(message: Input, reason: str, kept: IO[str] | None, where: dict[str, Any]) -> None:
    complain(f"{message.place}: {reason}")
    if kept is not None:
        line = {
            "place": message.place,
            "reason": reason,
            **where,
            "key": None if message.key is None else base64.b64encode(message.key).decode(),
            "value": None if message.value is None else base64.b64encode(message.value).decode(),
        }
        kept.write(json.dumps(line, ensure_ascii=False) + "\n")
