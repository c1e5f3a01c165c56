"""A recorded stream that is changed, and where a change is made: a line, a message's bytes, an event."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any

Json = dict[str, Any]


@dataclass
class Tape:
    """A stream's file and its truth."""

    stream: str
    header: Json
    lines: list[Json]
    events: list[Json]
    raw: dict[int, str] = field(default_factory=dict)
    """Lines of the stream's file that are written as they stand, by their number from 1."""

    def write(self, folder: Path) -> Path:
        """Into a folder as `conform` takes it."""
        place = folder / self.header["producer"] / "scenario"
        place.mkdir(parents=True)
        texts = [json.dumps(one) for one in (self.header, *self.lines)]
        for number, text in self.raw.items():
            texts[number - 1] = text
        (place / self.stream).write_text("\n".join(texts) + "\n", "utf-8")
        (place / "events.jsonl").write_text("".join(json.dumps(one) + "\n" for one in self.events), "utf-8")
        return folder

    def place(self, line: Json) -> int:
        """The number of a line in its file."""
        return next(k for k, one in enumerate(self.lines, 2) if one is line)

    def rows(self, count: int = 1) -> list[Json]:
        """The lines whose messages have at least that many rows."""
        return [one for one in self.lines if one["kind"] == "row" and len(one["events"]) >= count]

    def event(self, number: int) -> Json:
        """The event with this number."""
        return next(one for one in self.events if one["n"] == number)


Expected = dict[str, Any]
"""Members that one of the findings must have."""


def value(line: Json) -> bytes:
    return base64.b64decode(line["value"])


def put(line: Json, data: bytes) -> None:
    line["value"] = base64.b64encode(data).decode()


def of_a_line(**expected: Any) -> Callable[[Callable[[Json], object]], Callable[[Tape], Expected]]:
    """A change of the second line with rows, of which the finding is."""

    def made(change: Callable[[Json], object]) -> Callable[[Tape], Expected]:
        @wraps(change)
        def tampered(tape: Tape) -> Expected:
            line = tape.rows()[1]
            change(line)
            return {"line": tape.place(line), **expected}

        return tampered

    return made


def of_bytes(**expected: Any) -> Callable[[Callable[[bytes], bytes]], Callable[[Tape], Expected]]:
    """The same of its message."""

    def made(change: Callable[[bytes], bytes]) -> Callable[[Tape], Expected]:
        @of_a_line(**expected)
        @wraps(change)
        def tampered(line: Json) -> None:
            put(line, change(value(line)))

        return tampered

    return made


def of_an_event(kind: str, **expected: Any) -> Callable[[Callable[[Json], object]], Callable[[Tape], Expected]]:
    """A change of the first event of a kind, which decoding then finds."""

    def made(change: Callable[[Json], object]) -> Callable[[Tape], Expected]:
        @wraps(change)
        def tampered(tape: Tape) -> Expected:
            event = next(one for one in tape.events if one["kind"] == kind)
            change(event)
            return {"event": event["n"], "what": "decode", **expected}

        return tampered

    return made
