"""The protocol that a command reads: the one given, or one detected with certainty."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import typer

import tidewire
from tidewire.cli.completion import complete_protocol
from tidewire.cli.protocols import load
from tidewire.cli.shell import CommandError, complain
from tidewire.reading.files.formats import Input
from tidewire.reading.undetected import UndetectedError, mixed

if TYPE_CHECKING:
    from tidewire.tables import TableDescription, TableStore

MOST_MESSAGES = 256
"""Maximum number of messages that are read to detect the protocol."""


Sources: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[PROTOCOL] [FILES]...",
        help="The protocol, such as craft, unless it can be detected from the messages, and files with messages; - is "
        "standard input. A file that is named like a protocol is written ./craft.",
        autocompletion=complete_protocol,
    ),
]


Named: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--protocol",
        "-p",
        metavar="PROTOCOL",
        help="The protocol of the messages, such as craft, where it is not named before the files.",
        autocompletion=complete_protocol,
    ),
]
"""The command-line option for the protocol of messages."""


def split(arguments: Sequence[str], named: str | None = None) -> tuple[str | None, list[str]]:
    """Protocol, if an option or the first argument names one, and files.

    Args:
        arguments: arguments of the command.
        named: protocol given as an option; then no argument is a protocol.

    Raises:
        CommandError: the first argument is neither a protocol nor a file.
    """
    if named is not None or not arguments:
        return named, list(arguments)
    first, rest = arguments[0], list(arguments[1:])
    known = tidewire.protocols()
    if first in known:
        if Path(first).is_file():
            complain(f"{first} is the protocol here; the file of that name is ./{first}")
        return first, rest
    if first == "-" or Path(first).exists():
        behind = next((one for one in rest if one in known and not Path(one).exists()), None)
        if behind is not None:
            raise CommandError(f"{behind} is a protocol, which stands before the files: {behind} {first}")
        return None, list(arguments)
    near = difflib.get_close_matches(first.lower(), known, n=1)
    if not near and ("/" in first or "." in first):
        return None, list(arguments)  # opening it reports that it does not exist
    try:
        load(first)
    except CommandError as error:
        raise CommandError(f"{error}. Nor is there a file of that name") from None
    raise AssertionError(first)


class Known(NamedTuple):
    """A protocol with its options."""

    module: Any
    options: Mapping[str, str]
    """Detected options that reading needs, overridden by those that the user gave."""
    batches: Iterator[list[Input]]


def settle(
    protocol: str | None, found: Iterable[list[Input]], strings: Mapping[str, str], tables: TableStore | None = None
) -> Known:
    """The protocol given by name, or detected from the first messages and then reported on standard error.

    Args:
        protocol: name; None: detect it.
        found: the messages.
        strings: options that the user gave.
        tables: table descriptions that the user gave.

    Raises:
        CommandError: there is no such protocol, or detection is not certain.
    """
    batches = iter(found)
    if protocol is not None:
        return Known(load(protocol), strings, batches)
    seen: list[list[Input]] = []
    given = {name.replace("_", "-"): value for name, value in strings.items()}
    count, detected = 0, None
    for batch in batches:
        seen.append(batch)
        count += len(batch)
        detected = tidewire.detect(*_messages(seen), options=False, known=given, tables=tables or ())
        if detected.sure and detected.protocol is not None:
            own = {name: value for name, value in detected.reading.items() if name not in given}
            complain(_taken(detected, own))
            return Known(load(detected.protocol), {**own, **strings}, chain(seen, batches))
        if count >= MOST_MESSAGES:
            break
    known = {name: info.load() for name, info in tidewire.protocols().items()}
    messages = [one for batch in seen for one in batch if one.problem is None]
    both = mixed(detected, known, messages, given, tables or ()) if messages and detected is not None else None
    if both is not None:
        complain(both.said("-p "))
        return Known(known[both.protocol], strings, chain(seen, batches))
    raise _unsure(seen, given, tables or ())


def _messages(seen: Sequence[Sequence[Input]]) -> tuple[list[bytes | None], list[bytes | None]]:
    """Values and keys of all entries that are messages."""
    found = [one for batch in seen for one in batch if one.problem is None]
    return [one.value for one in found], [one.key for one in found]


def _taken(detected: Any, options: Mapping[str, str]) -> str:
    """A text with the detected protocol, the detected options that reading needs, the certainty, and the evidence."""
    said = ", ".join(f"{name}={value if value.isprintable() else json.dumps(value)}" for name, value in options.items())
    found = f"{detected.protocol} with {said}" if said else detected.protocol
    return f"the messages are {found} ({detected.certainty}): {detected.evidence[0]}, and none as another protocol"


def _unsure(
    seen: Sequence[Sequence[Input]], known: Mapping[str, str], tables: Iterable[TableDescription]
) -> CommandError:
    """The error for messages whose protocol was not detected, with the reasons and remedies, each at most a line."""
    values, keys = _messages(seen)
    problems = [f"{one.location}: {one.problem}" for batch in seen for one in batch if one.problem is not None]
    if not values:
        first = f" ({problems[0]})" if problems else ""
        return CommandError(f"there is no message from which to detect the protocol{first}")
    detected = tidewire.detect(values, keys, options=False, known=known, tables=tables)
    return undetected(UndetectedError(detected, values))


def undetected(found: UndetectedError) -> CommandError:
    """The error with remedies for the command line."""
    if found.reason is not None:
        return CommandError(found.reason)
    remedy = f"It may be {' or '.join(found.likely)}: name it, such as -p {found.likely[0]}"
    text = f"the protocol of the messages cannot be detected. {remedy}"
    return CommandError(text, (f"{found.why}; tidewire detect lists why it is none of the others",))
