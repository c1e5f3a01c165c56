"""`tidewire encode`: events as JSON lines in, messages out."""

from __future__ import annotations

import base64
import json
import sys
from enum import StrEnum
from typing import Annotated, Any, NamedTuple

import typer

from tidewire.cli.eventjson import EventJsonError, from_json
from tidewire.cli.inputs import opened, size
from tidewire.cli.protocols import OptionPairs, load, options, pairs
from tidewire.cli.shell import FOUND_BAD, CommandError, Meter, complain, meter
from tidewire.events import Event
from tidewire.runtime.errors import EncodeError

CHUNK_EVENTS = 4096


class Target(StrEnum):
    """How messages are written."""

    jsonl = "jsonl"
    hex = "hex"
    raw = "raw"


class Line(NamedTuple):
    """An event and where it was read."""

    place: str
    event: Event


def encode(
    protocol: Annotated[str, typer.Argument(help="Protocol of the messages, such as craft.")],
    files: Annotated[
        list[str] | None, typer.Argument(help="Files with events as JSON lines; - is standard input.")
    ] = None,
    to: Annotated[
        Target, typer.Option(help="JSON lines with base64, lines of hex (values only), or the one message as it is.")
    ] = Target.jsonl,
    option: OptionPairs = None,
    producer: Annotated[str | None, typer.Option(help="Whose bytes to write where producers differ.")] = None,
) -> None:
    """Turn change events, one JSON object a line, into messages.

    Rows are gathered in messages as TiCDC does it. An event that the protocol cannot carry is reported and left out;
    the exit code is then 1.
    """
    module = load(protocol)
    strings = pairs(option or [])
    if producer is not None:
        strings["producer"] = producer
    opts = options(module, strings)
    writer = Encoding(module, opts, to)
    paths = files or ["-"]
    if not files and sys.stdin.isatty():
        raise CommandError("nothing to read: name files or pipe events in")
    with meter("encode", size(paths), prints=True) as bar:
        for path in paths:
            bar.say(path)
            writer.read(path, bar)
    writer.finish()
    if writer.bad:
        complain(f"{writer.bad} event{'s' if writer.bad > 1 else ''} could not be encoded")
        raise typer.Exit(FOUND_BAD)


class Encoding:
    """Events on their way to messages, a few thousand at a time.

    Attributes:
        bad: lines that gave no message.
    """

    def __init__(self, module: Any, opts: Any, to: Target) -> None:
        self.bad = 0
        self._module = module
        self._options = opts
        self._writer = Writer(to)
        self._held: list[Line] = []
        self._limit = CHUNK_EVENTS

    def read(self, path: str, bar: Meter) -> None:
        """Take in the events of a file; what surely makes whole messages is written."""
        with opened(path) as stream:
            for number, text in enumerate(stream, 1):
                place = f"{'standard input' if path == '-' else path}:{number}"
                if text.strip():
                    self._take(place, text)
                bar.advance(len(text))

    def _take(self, place: str, text: bytes) -> None:
        try:
            found = json.loads(text)
            if not isinstance(found, dict):
                raise EventJsonError("a line is a JSON object")
            self._held.append(Line(place, from_json(found)))
        except ValueError as error:
            self._refuse(place, str(error))
            return
        if len(self._held) >= self._limit:
            self._encode(last=False)

    def finish(self) -> None:
        """Write what is left."""
        self._encode(last=True)

    def _refuse(self, place: str, reason: str) -> None:
        self.bad += 1
        complain(f"{place}: {reason}")

    def _encode(self, last: bool) -> None:
        messages = self._messages()
        if messages and not last:
            # More rows may belong to the last message, so its events wait. Messages close in order: the others stay.
            self._held = self._held[messages.pop().first_event :]
        else:
            self._held = []
        self._limit = max(CHUNK_EVENTS, 2 * len(self._held))
        for message in messages:
            self._writer.write(message.key, message.value)

    def _messages(self) -> list[Any]:
        """Messages of the events that are held; those that cannot be carried are reported and dropped."""
        while True:
            try:
                return list(self._module.encode([line.event for line in self._held], self._options))
            except EncodeError as error:
                if error.event is None:
                    raise
                self._refuse(self._held.pop(error.event).place, str(error))


class Writer:
    """Messages on standard output."""

    def __init__(self, to: Target) -> None:
        self._to = to
        self._written = 0

    def write(self, key: bytes | None, value: bytes | None) -> None:
        """One message.

        Raises:
            CommandError: it is the second one, and they are not written line by line.
        """
        self._written += 1
        if self._to is Target.raw:
            if self._written > 1:
                raise CommandError("--to raw writes one message, and these events need more; write jsonl or hex")
            sys.stdout.buffer.write(value or b"")
            sys.stdout.buffer.flush()
        elif self._to is Target.hex:
            sys.stdout.write((value or b"").hex() + "\n")
        else:
            line = {"key": _base64(key), "value": _base64(value)}
            sys.stdout.write(json.dumps(line, separators=(",", ":")) + "\n")


def _base64(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()
