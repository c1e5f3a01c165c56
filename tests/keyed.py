"""A protocol of tests with keys, and messages that hold several events: frames of JSON in key and value.

A key is a version (one byte) and frames, a value is frames; frame i of both is event i. A frame is its length, 4 bytes
big endian, and its content. Of a key: [commit ts, table or null, location or null, handle key only]; of a value:
[id, body], or [id] where the row has its handle key only, or nothing where it is a watermark's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa
from written import Written

from tidewire.events import Events, RowChange, Watermark
from tidewire.messages.delivery.items import Packing
from tidewire.runtime.batch import Column, EventColumns
from tidewire.runtime.errors import DecodeError, no_key
from tidewire.runtime.wire.messages import Piece, Values, keys_of

ID = Column("id", 3, 2)
BODY = Column("body", 252, 64)
VERSION = b"\x01"
PREFIX = 4
MOST_OF_MESSAGE = 3


def frame(content: bytes) -> bytes:
    return len(content).to_bytes(PREFIX, "big") + content


def frames(data: bytes) -> Iterator[bytes]:
    while data:
        size = int.from_bytes(data[:PREFIX], "big")
        yield data[PREFIX : PREFIX + size]
        data = data[PREFIX + size :]


def row(commit_ts: int, number: int, body: str | None = None, location: str | None = None) -> tuple[bytes, bytes]:
    """The frames of a row."""
    partial = body is None and location is None
    head = json.dumps([commit_ts, "t", location, partial]).encode()
    return frame(head), frame(json.dumps([number] if body is None else [number, body]).encode())


def message(*rows: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """Key and value."""
    return VERSION + b"".join(key for key, _ in rows), b"".join(value for _, value in rows)


def decode_pieces(pieces: Iterable[Piece]) -> EventColumns:
    """Messages -> events, as a printed decoder does it."""
    events: list[Any] = []
    numbers: list[int] = []
    errors: list[DecodeError] = []
    tombstones: list[int] = []
    at = 0
    for values, keys in pieces:
        for value, key in zip(_plain(values), _plain(keys_of(values, keys)), strict=True):
            if value is None:
                tombstones.append(at)
            elif key is None:
                errors.append(no_key("p", at))
            elif key[:1] != VERSION:
                errors.append(DecodeError("p", "version", 0, "const", "another version", message=at, part="key"))
            else:
                try:
                    found = [_event(*pair) for pair in zip(frames(key[1:]), frames(value), strict=True)]
                except ValueError:
                    errors.append(DecodeError("p", "0", PREFIX, "syntax", "no JSON", message=at, part="value"))
                    found = []
                events += found
                numbers += [at] * len(found)
            at += 1
    made = Events.of(events).columns
    place = made.events.schema.get_field_index("message")
    numbered = made.events.set_column(place, made.events.schema.field(place), pa.array(numbers, pa.int64()))
    return EventColumns(numbered, made.tables, made.layouts, errors, tombstones)


class Decoder:
    """The same as an object, as a printed decoder is one."""

    def decode(self, values: Values, keys: Values | None) -> EventColumns:
        return decode_pieces([(values, keys)])

    def decode_pieces(self, pieces: Iterable[Piece]) -> EventColumns:
        return decode_pieces(pieces)


def _plain(cells: Any) -> list[bytes | None]:
    return [cell.as_py() if isinstance(cell, pa.Scalar) else cell for cell in cells]


def _event(key: bytes, value: bytes) -> Any:
    commit_ts, table, location, partial = json.loads(key)
    if table is None:
        return Watermark(commit_ts)
    number, *body = json.loads(value)
    columns, new = [ID, *[BODY] * len(body)], {"id": number} | ({"body": body[0]} if body else {})
    return RowChange(
        "insert", commit_ts, "s", table, new, columns=columns, claim_check=location, handle_key_only=partial or None
    )


class Encoder:
    """Events -> messages of at most three, as a printed encoder does it.

    Args:
        most: bytes that a message may have.
        compress: what is done to the content of a frame of the value.
    """

    def __init__(self, most: int = 1 << 20, compress: Callable[[bytes], bytes] | None = None) -> None:
        self.most = most
        self.compress = compress

    def write(self, columns: EventColumns, alone: bool = False) -> Written:
        found: list[tuple[bytes | None, bytes | None, int, int]] = []
        longest = 0
        for at, event in enumerate(Events(columns)):
            key, value, size = self._frames(event)
            longest = max(longest, size)
            before = found[-1] if found else None
            if (
                alone
                or before is None
                or before[3] == MOST_OF_MESSAGE
                or len((before[0] or b"") + (before[1] or b"") + key + value) > self.most
            ):
                found.append((VERSION + key, value, at, 1))
            else:
                found[-1] = ((before[0] or b"") + key, (before[1] or b"") + value, before[2], before[3] + 1)
        return Written(found, longest)

    def _frames(self, event: Any) -> tuple[bytes, bytes, int]:
        """The frames of an event, and the bytes of its own message where it is a row."""
        if isinstance(event, Watermark):
            return frame(json.dumps([event.commit_ts, None, None, False]).encode()), frame(b""), 0
        assert isinstance(event, RowChange)
        assert event.new is not None
        head = [event.commit_ts, event.table, event.claim_check, bool(event.handle_key_only)]
        body = json.dumps(list(event.new.values())).encode()
        key, value = frame(json.dumps(head).encode()), frame(body if self.compress is None else self.compress(body))
        return key, value, len(VERSION + key + value)


def rows_of(*sizes: int) -> EventColumns:
    """Rows with bodies of these lengths, and a watermark."""
    events: list[Any] = [
        RowChange("insert", n, "s", "t", {"id": n, "body": "x" * size}, columns=[ID, BODY])
        for n, size in enumerate(sizes)
    ]
    return Events.of([*events, Watermark(99)]).columns


def packed(name: str, value: bytes) -> bytes:
    """A value whose items are compressed."""
    return Packing(name, PREFIX).pack(value)
