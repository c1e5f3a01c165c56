"""`tidewire encode`: events as JSON lines in, messages out."""

from __future__ import annotations

import base64
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

import tidewire
from tidewire.cli.completion import complete_protocol
from tidewire.cli.eventjson import EventJsonError, from_json
from tidewire.cli.left_out import FACTS, LeftOut
from tidewire.cli.protocols import OptionPairs, load, options, pairs
from tidewire.cli.seen_tables import SeenTables, TablesFiles, described
from tidewire.cli.shell import FOUND_BAD, CommandError, Meter, complain, many, meter, say_waiting
from tidewire.cli.shortjson import ShortReader
from tidewire.cli.troubles import LISTED
from tidewire.events import Ddl, Event, Events
from tidewire.messages.delivery.ddl_types import with_ddl_types
from tidewire.messages.delivery.refused import refused
from tidewire.reading.files.arrivals import named
from tidewire.reading.files.formats import BEHIND_KEY, RECORD
from tidewire.reading.files.jsontext import parse_object
from tidewire.reading.files.streams import DamagedError, lines, opened, size
from tidewire.runtime.errors import EncodeError

if TYPE_CHECKING:
    from tidewire.tables import TableStore

CHUNK_EVENTS = 4096
MESSAGE = "message"
"""The member of a line with the number of the message that contained the event."""


class Target(StrEnum):
    """Output format of messages."""

    jsonl = "jsonl"
    hex = "hex"
    raw = "raw"


class Grouping(StrEnum):
    """How events are grouped into messages."""

    gather = "gather"
    keep = "keep"


class Line(NamedTuple):
    """An event and its place in the input."""

    location: str
    event: Event
    message: tuple[Any, ...] | None
    """Identifies the original message; None if rows are regrouped."""


def encode(
    protocol: Annotated[
        str, typer.Argument(help="Protocol of the messages, such as craft.", autocompletion=complete_protocol)
    ],
    files: Annotated[
        list[str] | None, typer.Argument(help="Files with events as JSON lines; - is standard input.")
    ] = None,
    to: Annotated[
        Target,
        typer.Option(
            help="JSON lines with base64, lines of hex (KEY:VALUE where there are keys), or the one message as it is."
        ),
    ] = Target.jsonl,
    option: OptionPairs = None,
    tables: TablesFiles = None,
    producer: Annotated[str | None, typer.Option(help="Whose bytes to write where producers differ.")] = None,
    messages: Annotated[
        Grouping,
        typer.Option(help="gather: rows share messages as the producer does it. keep: as they did when they came."),
    ] = Grouping.gather,
) -> None:
    """Turn change events, one JSON object a line, into messages.

    Lines are those of decode --exact, or recorded events. The short form that decode prints without it is read as well,
    as far as it goes: it has no types of columns, so that an integer becomes a BIGINT, a number with a point a DOUBLE,
    text a VARCHAR and {"base64": "..."} a BLOB, unless --tables says what the columns are.

    Rows are gathered in messages as TiCDC does it. With --messages keep, events whose lines have the same message
    number share one, and options that limit messages have their greatest value unless they are given. An event that
    the protocol cannot carry is reported and left out; the exit code is then 1.
    """
    if protocol not in tidewire.protocols() and Path(protocol).is_file():
        raise CommandError(f"{protocol} is a file, before which a protocol is named: encode PROTOCOL {protocol}")
    module = load(protocol)
    strings = pairs(option or [])
    if producer is not None:
        strings["producer"] = producer
    keep = messages is Grouping.keep
    opts = options(
        module, strings, **(_unlimited(module, strings.get("producer", module.FACTS.producers[0])) if keep else {})
    )
    _check_registry(module, opts)
    writer = Encoding(module, opts, to, keep, described(tables))
    paths = files or ["-"]
    if not files and sys.stdin.isatty():
        raise CommandError("nothing to read: name files or pipe events in")
    for path in paths:
        say_waiting(path)
    with meter("encode", size(paths), prints=True) as bar:
        for path in paths:
            bar.say(path)
            writer.read(path, bar)
    writer.finish()
    for text in writer.said():
        complain(text)
    if not writer.taken and not writer.bad:
        complain(f"there is no event in {' or '.join(map(named, paths))}: no message was written")
    if writer.untyped:
        complain(
            f"{many(writer.untyped, 'row')} came in the short form, which has no types of "
            "columns: integers were written as BIGINT, numbers with a point as DOUBLE, text as VARCHAR, base64 as "
            "BLOB. decode --exact prints lines that have them"
        )
    if writer.bad:
        more = f", {writer.bad - LISTED:,} of them are not listed" if writer.bad > LISTED else ""
        complain(f"{many(writer.bad, 'event')} could not be encoded{more}")
        raise typer.Exit(FOUND_BAD)


def _check_registry(module: Any, opts: Any) -> None:
    """Checks that the location of the schemas is known before the first message is written.

    Raises:
        CommandError: it is not.
    """
    option = module.FACTS.registry
    if option is not None and not opts.value(option):
        raise CommandError(f"{module.NAME} messages carry the ids of schemas that a registry has: give -o {option}=URL")


def _unlimited(module: Any, producer: str) -> dict[str, str]:
    """The maximum values of a producer's options that limit the size of messages."""
    limits = (one for one in module.OPTIONS if one.type == "int" and one.range and one.has(producer))
    return {one.python_name: str(one.range[1]) for one in limits}


class Encoding:
    """Encodes events in batches of a few thousand.

    Attributes:
        bad: number of lines that gave no message.
        taken: number of events that were read.
    """

    def __init__(
        self, module: Any, opts: Any, to: Target, keep: bool = False, tables: TableStore | None = None
    ) -> None:
        self.bad = self.taken = 0
        self._module = module
        self._options = opts
        self._keep = keep
        self._writer = Writer(to)
        self._short = ShortReader(tables)
        self._known = SeenTables(module, tables=tables)
        self._left_out = LeftOut(module, opts, self._known.given)
        self._derived: Counter[tuple[str, str]] = Counter()
        self._held: list[Line] = []
        self._limit = CHUNK_EVENTS

    @property
    def untyped(self) -> int:
        """Number of rows whose lines have no column types."""
        return self._short.rows

    def read(self, path: str, bar: Meter) -> None:
        """Reads the events of a file, and writes all messages that are certainly complete."""
        number = 0
        try:
            with opened(path, bar.advance) as stream:
                for some in lines(stream.pieces()):
                    for text in some:
                        number += 1
                        if text.strip():
                            self._take(f"{named(path)}:{number}", text)
        except DamagedError as error:
            self._refuse(f"{named(path)}:{number + 1}", str(error))

    def _take(self, location: str, text: bytes) -> None:
        try:
            found = parse_object(text, "a line is a JSON object: an event")
            if "value" in found and found.keys().isdisjoint(("kind", "op")):
                raise CommandError(
                    f"{location}: this is a message, not an event: tidewire transcode {self._module.NAME} FILE writes "
                    f"messages of another protocol as {self._module.NAME}"
                )
            event = self._concluded(self._short.event(found) if "op" in found else from_json(found))
            message = _message(found) if self._keep else None
        except (ValueError, RecursionError) as error:
            self._refuse(location, str(error))
            return
        self.taken += 1
        if self._keep and self._held and self._held[0].message != message:
            self._encode(last=True)
        self._held.append(Line(location, event, message))
        if len(self._held) >= self._limit and not self._keep:
            self._encode(last=False)

    def _concluded(self, event: Event) -> Event:
        """Adds the DDL type or class to a statement if the protocol's messages have it and the event does not.

        Raises:
            EventJsonError: the type cannot be inferred.
        """
        if not isinstance(event, Ddl):
            return event
        columns, unknown = with_ddl_types(Events.columns_of([event]), self._module, FACTS, _classed_as, self._derived)
        if unknown:
            raise EventJsonError(unknown[0])
        (told,) = Events(columns)
        return told

    def finish(self) -> None:
        """Writes the remaining messages."""
        self._encode(last=True)

    def said(self) -> Iterator[str]:
        """Sentences about inferred values, and about parts of events that the messages lack."""
        for name in dict.fromkeys(name for name, _ in self._derived):
            count = sum(count for (one, _), count in self._derived.items() if one == name)
            yield f"{name} was concluded from the text of {many(count, 'statement')}, as transcode does"
        yield from self._left_out.said()

    def _refuse(self, location: str, reason: str) -> None:
        self.bad += 1
        if self.bad <= LISTED:
            complain(f"{location}: {reason}")

    def _encode(self, last: bool) -> None:
        messages = self._messages()
        written = len(self._held)
        if messages and not last:
            # More rows may belong to the last message, so its events wait. Messages are completed in order: the others
            # are complete.
            written = messages.pop().first_event
        for message in messages:
            self._writer.write(message.key, message.value)
        self._left_out.add([line.event for line in self._held[:written]], messages)
        self._held = self._held[written:]
        self._limit = max(CHUNK_EVENTS, 2 * len(self._held))

    def _messages(self) -> list[Any]:
        """Encodes the pending events; those that the protocol cannot carry are reported and dropped."""
        while True:
            try:
                return list(
                    self._module.encode([line.event for line in self._held], self._options, **self._known.given)
                )
            except EncodeError as error:
                if error.event is None:
                    raise
                errors = self._refused() or {error.event: error}
                for event in sorted(errors):
                    self._refuse(self._held[event].location, str(errors[event]))
                self._held = [line for event, line in enumerate(self._held) if event not in errors]

    def _refused(self) -> Mapping[int, EncodeError]:
        """The pending events that cannot be encoded whatever the length of their messages, by their index."""
        alone = {at: _no_columns(line.event) for at, line in enumerate(self._held)}
        if wrong := {at: error for at, error in alone.items() if error is not None}:
            return wrong
        encoder = self._module.Encoder(self._options, **self._known.given)
        columns = Events.columns_of([line.event for line in self._held])
        return refused(lambda events: encoder.check(columns.take(events)), range(len(self._held)))


def _no_columns(event: Event) -> EncodeError | None:
    """The error of an event that no protocol can carry, such as an integer of more than 64 bits."""
    try:
        Events.columns_of([event])
    except EncodeError as error:
        return error
    return None


def _classed_as(cls: str | None) -> tuple[int, ...]:
    """The codes of DDL types that only some producers of any protocol give this class."""
    modules = (info.load() for info in tidewire.protocols().values())
    return tuple(dict.fromkeys(code for module in modules for code in module.FACTS.classed_as(cls)))


def _message(found: Mapping[str, Any]) -> tuple[Any, ...]:
    """Identifies the original message of a line.

    Raises:
        EventJsonError: the line does not name it.
    """
    said = tuple(found.get(name) for name in (MESSAGE, *RECORD[:3]))
    if all(one is None for one in said):
        raise EventJsonError("message is missing, the number that decode prints: --messages keep needs it")
    return said


class Writer:
    """Writes messages to standard output."""

    def __init__(self, to: Target) -> None:
        self._to = to
        self._written = 0

    def write(self, key: bytes | None, value: bytes | None) -> None:
        """Writes one message.

        Raises:
            CommandError: it is the second one, and the format has room for one only.
        """
        self._written += 1
        if self._to is Target.raw:
            if self._written > 1:
                raise CommandError("--to raw writes one message, and these events need more; write jsonl or hex")
            if key is not None:
                raise CommandError("--to raw has no place for the message's key; write jsonl or hex")
            sys.stdout.buffer.write(value or b"")
            sys.stdout.buffer.flush()
        elif self._to is Target.hex:
            before = "" if key is None else key.hex() + BEHIND_KEY
            sys.stdout.write(before + (value or b"").hex() + "\n")
        else:
            line = {"key": _base64(key), "value": _base64(value)}
            sys.stdout.write(json.dumps(line, separators=(",", ":")) + "\n")


def _base64(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()
