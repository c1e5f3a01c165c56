"""Dissects messages whose key and value are frames of JSON.

A frame is a length of 8 bytes, big-endian, and an object of that many bytes, or nothing. Keys may have further
8-byte numbers before their frames.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tidewire.runtime.errors import DecodeError
from tidewire.runtime.json.trace import Expected, followed, with_trouble
from tidewire.runtime.wire.spans import Span

NUMBER = "u64be"
WIDTH = 8
LENGTH = Expected(NUMBER, "How many bytes of the frame follow.")


def trace_frames(
    value: bytes,
    key: bytes | None,
    heads: Mapping[str, Expected],
    key_shape: Expected,
    value_shape: Expected,
    error: DecodeError | None,
) -> list[Span]:
    """Every field of a message as spans: the key's first, each part in byte order; for a malformed message, the fields
    before the error, and the error.

    Args:
        key: its key; None: there is none.
        heads: numbers before the frames of the key, by name.
        key_shape: members of the key's objects.
        value_shape: members of the value's objects, of all kinds.
        error: error of the decoder; None: there is none.
    """
    found: list[Span] = []
    for part, data, numbers, shape in (("key", key or b"", heads, key_shape), ("value", value, {}, value_shape)):
        spans = list(_fields(data, numbers, shape))
        if error is not None and error.part == part:
            spans = with_trouble(spans, data, error)
        spans.sort(key=lambda span: (span.start, span.type == "trouble", span.depth))
        found += [span._replace(part=part) for span in spans]
        if error is not None and error.part == part == "key":
            break  # the decoder has read nothing of the value
    return found


def _fields(data: bytes, heads: Mapping[str, Expected], shape: Expected) -> Iterator[Span]:
    """The fields of a key or a value, as far as its frames are complete."""
    at = 0
    for name, head in heads.items():
        if at + WIDTH <= len(data):
            yield _number(data, at, name, head, 0)
        at += WIDTH
    frame = 0
    while at + WIDTH <= len(data):
        start, number = at + WIDTH, str(frame)
        end = start + int.from_bytes(data[at:start], "big")
        stop = min(end, len(data))
        yield Span(at, stop, number, "frame", None, shape.about, 0)
        yield _number(data, at, f"{number}/length", LENGTH, 1)
        for span in followed(data[start:stop], shape).spans:
            path = f"{number}/{span.path}"
            yield span._replace(start=span.start + start, end=span.end + start, path=path, depth=span.depth + 1)
        at, frame = end, frame + 1


def _number(data: bytes, at: int, name: str, shape: Expected, depth: int) -> Span:
    value = int.from_bytes(data[at : at + WIDTH], "big")
    meaning = "" if shape.meaning is None else shape.meaning(value)
    said = f"{meaning}. {shape.about}" if meaning and shape.about else meaning or shape.about
    return Span(at, at + WIDTH, name, shape.type, value, said, depth)
