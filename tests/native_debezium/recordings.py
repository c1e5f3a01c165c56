"""The recordings: `recorded.tar.xz`, unpacked once."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from archives import unpacked

Json = dict[str, Any]

ARCHIVE = Path(__file__).parent / "recorded.tar.xz"


class Message(NamedTuple):
    """A Kafka record.

    Attributes:
        kind: row, tombstone, ddl, transaction or heartbeat.
        partition: what the connector asks for; None leaves it to Kafka.
        events: the `n` of the events in `truth` that it stands for.
    """

    number: int
    kind: str
    topic: str
    partition: int | None
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]
    events: tuple[int, ...]


class Stream(NamedTuple):
    """All records of a scenario in one option set and form; `header` is the first line of its file."""

    scenario: str
    name: str
    header: Json
    messages: tuple[Message, ...]


@cache
def folder() -> Path:
    """The folder with all recordings, `native/<scenario>/…`. Never written to: copy what you change."""
    return unpacked(ARCHIVE)


@cache
def scenarios() -> tuple[str, ...]:
    """Names of all scenarios."""
    return tuple(sorted(path.name for path in (folder() / "native").iterdir()))


@cache
def truth(scenario: str) -> tuple[Json, ...]:
    """The events of a scenario; `n` is the index."""
    lines = (folder() / "native" / scenario / "events.jsonl").read_text("utf-8").splitlines()
    return tuple(map(json.loads, lines))


def streams(scenario: str = "*", name: str = "*") -> Iterator[Stream]:
    """Streams of one scenario or all; `name` is `<option set>-<form>`, and may have asterisks."""
    for path in sorted((folder() / "native").glob(f"{scenario}/debezium.{name}.jsonl")):
        header, *lines = map(json.loads, path.read_text("utf-8").splitlines())
        found = path.name.removeprefix("debezium.").removesuffix(".jsonl")
        yield Stream(path.parent.name, found, header, tuple(map(_message, lines)))


def _message(line: Json) -> Message:
    headers = tuple((name, _bytes(data)) for name, data in line["headers"])
    written = (_bytes(line["key"]), _bytes(line["value"]), headers, tuple(line["events"]))
    return Message(line["m"], line["kind"], line["topic"], line["partition"], *written)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def payload(data: bytes) -> Json:
    """The payload of a key or a value, with a schema beside it or without; numbers with a fraction are kept as text."""
    found: Json = json.loads(data, parse_float=str)
    if set(found) == {"schema", "payload"} and isinstance(found["schema"], dict):
        return dict(found["payload"])
    return found
