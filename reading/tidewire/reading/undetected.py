"""Explains why the protocol of messages could not be detected, and what to do.

Messages and files of other programs are recognized by their beginning: Debezium's connectors for other databases,
Maxwell, rows without an envelope, CSV, UTF-16 text, dumps with another separator than a tab after the key.
"""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tidewire.messages.detecting.mixed import Run, likeliest, runs
from tidewire.reading.files.formats import Input
from tidewire.reading.files.streams import InputError
from tidewire.runtime.shortened import shortened

_MOST_RUNS = 4
_SHOWN = 40
"""The most characters of a line that are shown."""
_HEAD = 1 << 16
"""The most bytes that are examined."""
_CONNECTORS = {
    "postgresql": "PostgreSQL", "sqlserver": "SQL Server", "oracle": "Oracle", "mongodb": "MongoDB", "db2": "Db2",
    "cassandra": "Cassandra", "vitess": "Vitess", "spanner": "Spanner", "informix": "Informix",
}  # fmt: skip
"""Debezium's unsupported connectors, by the value of `source.connector`."""
_MAXWELL = {"database", "table", "type", "ts", "data"}
_CANAL = {"mysqlType", "isDdl", "sqlType", "es"}
_SEPARATED = re.compile(rb'(?:null|-?[0-9]+|"[^"]*"|\{[^{}]*\})(?P<between>[^\w{}"\[\]\t-]{1,8})\{')
"""A line with a key, a separator other than a tab, and an object."""


_NO_KEY = "key: it is missing"
"""The beginning of a decoder's error about a message without the key that it needs."""
_LENGTH = 8
"""Bytes of the length prefix of values whose keys carry data."""
_KEYED_LINE = re.compile(rb"\t\0{4}[\s\S]{4}\{")
"""A tab after the key, the length of the value, and the beginning of the value."""


class UndetectedError(InputError):
    """The protocol of messages could not be detected.

    Attributes:
        reason: what the messages look like, and what to do; None: the user has to name one of the `likely` protocols.
        likely: possible protocols, the most likely first.
        why: the evidence for them.
    """

    def __init__(self, detected: Any, values: Iterable[bytes | None]) -> None:
        """
        Args:
            detected: the result of detection.
        """
        read = sorted((-count, name) for name, count in detected.candidates.items() if count)
        first = _first(values)
        self.reason = _foreign(detected, first) or _unread(detected, first)
        names = (detected.protocol, *(name for _, name in read))
        self.likely = [*dict.fromkeys(one for one in names if one is not None)]
        likeness = detected.likeness if detected.protocol is not None else detected.likeness[1:]  # the first names it
        self.why = "; ".join(likeness)
        text = self.reason
        if text is None:
            text = (
                f"the protocol of the messages cannot be detected; it may be {' or '.join(self.likely)}: give protocol="
                f"{self.likely[0]!r}{f'. {self.why}' if self.why else ''}"
            )
        super().__init__(text)


def other_protocol(detected: Any, count: int, protocol: str) -> str | None:
    """The error if the user named another protocol than the messages certainly have; None if there is none.

    Args:
        detected: the result of detection.
        count: number of messages that were examined.
        protocol: name of the protocol that the user named.
    """
    found = detected.protocol
    if not detected.sure or found is None or found == protocol:
        return None
    return f"the first {count:,} messages are {found}, and {protocol} was asked for: name {found} as protocol"


class Mixed(NamedTuple):
    """Messages of several protocols."""

    protocol: str
    """The protocol of most messages."""
    runs: Sequence[Run]
    places: Sequence[str]

    @property
    def others(self) -> list[str]:
        """The other protocols."""
        return [name for name in dict.fromkeys(run.protocol for run in self.runs) if name != self.protocol]

    def named(self) -> str:
        """Which messages are whose."""
        named = [
            f"{self._places(run, self.runs[at - 1] if at else None)} {run.protocol}"
            for at, run in enumerate(self.runs[:_MOST_RUNS])
        ]
        more = len(self.runs) - len(named)
        rest = f", and so on, {more} more time{'' if more == 1 else 's'}" if more else ""
        return f"the messages are of {1 + len(self.others)} protocols: {', '.join(named)}{rest}"

    def said(self, one: str) -> str:
        """A text that tells which messages are of which protocol, and which of them are read.

        Args:
            one: the option that selects a protocol, for the text, such as ``-p craft``.
        """
        return (
            f"{self.named()}. They are read as {self.protocol} here, and the others are errors: read them once more "
            f"with {' and '.join(one + name for name in self.others)}"
        )

    def _places(self, run: Run, before: Run | None) -> str:
        """Where the messages of a run lie; its file is not named where those before it lie in the same."""
        first, last = self.places[run.first], self.places[run.last]
        path, colon, line = first.rpartition(":")
        if colon and line.isdigit() and last.rpartition(":")[0] == path:
            until = last.rpartition(":")[2]
            lines = line if line == until else f"{line}-{until}"
            same = before is not None and self.places[before.last].rpartition(":")[0] == path
            return lines if same else f"{path}: lines {lines}"
        return first if first == last else f"{first} to {last}"


def mixed(
    detected: Any,
    modules: Mapping[str, Any],
    messages: Sequence[Input],
    known: Mapping[str, str],
    tables: Iterable[Any] = (),
) -> Mixed | None:
    """Assigns messages to protocols if they are of several; None if they are not.

    Args:
        detected: the result of detection.
        modules: modules of the protocols by name.
        known: protocol options that cannot be detected from bytes.
        tables: descriptions of tables that the messages themselves do not describe.
    """
    likely = {name: modules[name] for name, count in detected.candidates.items() if count}
    if len(likely) < 2:
        return None
    keys = [one.key for one in messages]
    found = runs(likely, [one.value for one in messages], keys if any(keys) else None, known, list(tables))
    return Mixed(likeliest(found), found, [one.location for one in messages]) if found else None


def reason(detected: Any, values: Iterable[bytes | None]) -> str | None:
    """A sentence about what the messages look like and what to do; None if the user has to name a protocol.

    Args:
        detected: the result of detection.
    """
    first = _first(values)
    return _foreign(detected, first) or _unread(detected, first)


def _first(values: Iterable[bytes | None]) -> bytes:
    return next((bytes(one) for one in values if one), b"")


def _foreign(detected: Any, first: bytes) -> str | None:
    """Which other program writes such messages, and what to do; None if no known one does."""
    found = None if _wide(first) else _object(first[:_HEAD]) or _object(_line(first))
    connector = None if found is None else _of_connector(_payload(found))
    if connector is not None or detected.schemas or any(detected.candidates.values()):
        return connector
    return _of_text(first) if found is None else _of_object(_payload(found))


def _unread(detected: Any, first: bytes) -> str | None:
    """Why most messages cannot be read, and what to do; None if the user has to name a protocol.

    Args:
        detected: the result of detection.
    """
    if detected.schemas:
        return str(detected.schemas)
    if any(detected.candidates.values()):
        return _of_one(detected)
    unread = detected.problems.get(detected.protocol)
    if unread is not None:
        return f"the messages look like {detected.protocol}, and none can be read: {unread}"
    if detected.protocol is not None:
        return None
    keyed = [name for name, problem in detected.problems.items() if problem.startswith(_NO_KEY)]
    names = " or ".join(keyed)
    if keyed and _KEYED_LINE.search(first[:_HEAD]):
        return (
            f"these are keys and values of {names} in lines of text, and text lines spoil this protocol, whose lengths "
            "may have the bytes of tabs and ends of lines: dump it as bytes (docs/dumps.md)"
        )
    if keyed and 0 < int.from_bytes(first[:_LENGTH], "big") <= len(first) - _LENGTH:
        return f"{names} cannot be read without keys, and the messages have none: dump the topic with its keys"
    return f"the messages look like none of the protocols: {_beginning(first)}"


def _of_one(detected: Any) -> str | None:
    """Why most messages cannot be read, if some can be read with one protocol and none with others; None otherwise."""
    read = {name: count for name, count in detected.candidates.items() if count}
    problem = detected.problems.get(detected.protocol)
    if problem is None or read.keys() != {detected.protocol}:
        return None
    count = read[detected.protocol]
    return f"the messages look like {detected.protocol}, and {count} of {detected.looked_at} can be read: {problem}"


def _line(first: bytes) -> bytes:
    """The first line."""
    return first[:_HEAD].lstrip().split(b"\n", 1)[0].rstrip()


def _of_text(first: bytes) -> str | None:
    """What a text that does not consist of JSON objects is; None if it is unknown."""
    wide = _wide(first)
    if wide:
        return (
            "the messages are text in UTF-16, in which no protocol is: convert the file first, such as "
            f"iconv -f {wide} -t UTF-8 FILE > NEW"
        )
    line = _line(first)
    between = _SEPARATED.match(line)
    if between is not None:
        return (
            f"the lines have {between['between'].decode(errors='replace')!r} between key and value, where a tab is "
            "expected: leave key.separator of kafka-console-consumer out, or put a tab there"
        )
    if line.startswith((b"<!", b"<?", b"<html", b"<HTML")):
        return f"the messages look like a page of HTML or XML, and like none of the protocols: {_beginning(first)}"
    if _is_csv(first):
        return f"the messages look like CSV, and like none of the protocols: {_beginning(first)}"
    return None


def _wide(first: bytes) -> str:
    """The UTF-16 variant of a text; empty if it is not UTF-16."""
    if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "UTF-16"
    head = first[:64]
    for name, zeros, others in (("UTF-16LE", head[1::2], head[::2]), ("UTF-16BE", head[::2], head[1::2])):
        if len(head) > 7 and not any(zeros) and all(9 <= one < 127 for one in others):
            return name
    return ""


def _object(text: bytes) -> dict[str, Any] | None:
    """The text as a JSON object; None if it is not one."""
    try:
        found = json.loads(text) if text[:1] == b"{" else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _payload(found: dict[str, Any]) -> dict[str, Any]:
    """The payload of a Kafka Connect envelope; the object itself if it has no envelope."""
    payload = found.get("payload")
    return payload if isinstance(payload, dict) and found.keys() <= {"payload", "schema"} else found


def _of_connector(inside: dict[str, Any]) -> str | None:
    """The error for messages of an unsupported connector; None for others."""
    source = inside.get("source")
    connector = source.get("connector") if isinstance(source, dict) else None
    if isinstance(connector, str) and connector in _CONNECTORS:
        return (
            f"Debezium's {_CONNECTORS[connector]} connector is not supported: of Debezium's own messages those of the "
            "MySQL and MariaDB connectors are read"
        )
    return None


def _of_object(inside: dict[str, Any]) -> str | None:
    """Which other program writes such objects; None if no known one does."""
    if inside.keys() >= _MAXWELL and not inside.keys() & _CANAL:
        return "the messages look like Maxwell's JSON, which is not supported: its columns come without types"
    marks = [name for name in inside if name.startswith("__")]
    flat = inside and all(not isinstance(one, dict | list) for one in inside.values())
    names = ", ".join(shortened(name, _SHOWN) for name in list(inside)[:4])
    if marks or (flat and inside.keys().isdisjoint(_MAXWELL | _CANAL | {"op", "before", "after", "version", "type"})):
        return (
            f"the messages look like rows without an envelope (members {names}), as the transform "
            "ExtractNewRecordState leaves them: what became of a row, and of which table it is, they do not say. "
            "Leave the transform out"
        )
    return None


def _is_csv(first: bytes) -> bool:
    try:
        lines = first[:_HEAD].decode().splitlines()[:5]
    except UnicodeDecodeError:
        return False
    for separator in ",;\t|":
        try:
            widths = {len(row) for row in csv.reader(lines, delimiter=separator)}
        except csv.Error:
            return False
        if len(lines) > 1 and len(widths) == 1 and widths.pop() > 1:
            return True
    return False


def _is_binary(first: bytes) -> bool:
    line = _line(first)[:_SHOWN]
    try:
        return not line.decode().strip().isprintable()
    except UnicodeDecodeError as error:
        return error.start < len(line) - 3 or len(line) < _SHOWN


def _beginning(first: bytes) -> str:
    """The beginning of the first line; the first bytes if it is not text."""
    if _is_binary(first):
        return f"the first one begins with the bytes {first[:8].hex(' ')}"
    return f"the first line begins with {_line(first).decode(errors='replace')[:_SHOWN]!r}"
