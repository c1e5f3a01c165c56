"""Messages of Open Protocol put together by hand: frames, keys, rows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

VERSION = (1).to_bytes(8, "big")
"""What a key starts with."""


class Made(NamedTuple):
    """A Kafka message."""

    key: bytes
    value: bytes


def compact(value: Any) -> bytes:
    """JSON without white space, letters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def frame(content: bytes, more: int = 0) -> bytes:
    """A frame; its length is told too long by `more`."""
    return (len(content) + more).to_bytes(8, "big") + content


def message(*events: tuple[Any, Any], version: bytes = VERSION) -> Made:
    """Keys and values of events; those that are no bytes become JSON."""

    def run(items: Iterable[Any]) -> bytes:
        return b"".join(frame(item if isinstance(item, bytes) else compact(item)) for item in items)

    return Made(version + run(key for key, _ in events), run(value for _, value in events))


def frames(data: bytes) -> list[bytes]:
    """The contents of a run of whole frames."""
    found = []
    while data:
        size = int.from_bytes(data[:8], "big")
        found.append(data[8 : 8 + size])
        data = data[8 + size :]
    return found


def key(kind: int = 1, ts: int = 5, schema: str | None = "s", table: str | None = "t", **more: Any) -> dict[str, Any]:
    """The key of an event: 1 a row, 2 a statement, 3 a watermark."""
    named = {"ts": ts} | ({} if kind == 3 else {"scm": schema, "tbl": table}) | {"t": kind} | more
    return {name: value for name, value in named.items() if value is not None}


def column(kind: int, value: Any, flags: int | None = 0) -> dict[str, Any]:
    """A column with its value as classic TiCDC describes it; without flags, as its first releases did."""
    found: dict[str, Any] = {"t": kind}
    if flags is not None and flags & 2:
        found["h"] = True
    if flags is not None:
        found["f"] = flags
    return found | {"v": value}


def cell(kind: int, value: Any, flags: int | None = 0, name: str = "c") -> Made:
    """A message of one inserted row with one column; the value is JSON when it is bytes."""
    described = column(kind, None, flags)
    if not isinstance(value, bytes):
        value = compact(value)
    text = compact({"u": {name: described}})
    assert text.endswith(b'"v":null}}}')
    return message((key(), text[: -len(b"null}}}")] + value + b"}}}"))


def insert(**columns: dict[str, Any]) -> Made:
    """A message of one inserted row."""
    return message((key(), {"u": columns}))
