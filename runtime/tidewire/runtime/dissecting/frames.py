"""Dissects messages whose key and value are frames of JSON.

A frame is a length of 8 bytes, big-endian, and an object of that many bytes, or nothing. Keys may have further
8-byte numbers before their frames.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tidewire.runtime.dissecting.json_tracer import followed
from tidewire.runtime.dissecting.shapes import Shape
from tidewire.runtime.dissecting.spans import Span
from tidewire.runtime.dissecting.tracer import of_both_parts, with_trouble
from tidewire.runtime.errors import DecodeError

NUMBER = "u64be"
WIDTH = 8
LENGTH = Shape(NUMBER, "How many bytes of the frame follow.")


def trace_frames(
    value: bytes,
    key: bytes | None,
    heads: Mapping[str, Shape],
    key_shape: Shape,
    value_shape: Shape,
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

    def trace(part: str, data: bytes, own: DecodeError | None) -> list[Span]:
        spans = list(_fields(data, *((heads, key_shape) if part == "key" else ({}, value_shape))))
        return spans if own is None else with_trouble(spans, data, own)

    return of_both_parts(key or b"", value, error, trace)


def _fields(data: bytes, heads: Mapping[str, Shape], shape: Shape) -> Iterator[Span]:
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
            yield span.inside(number, start)
        at, frame = end, frame + 1


def _number(data: bytes, at: int, name: str, shape: Shape, depth: int) -> Span:
    value = int.from_bytes(data[at : at + WIDTH], "big")
    return Span(at, at + WIDTH, name, shape.type, value, shape.explained(value), depth)
