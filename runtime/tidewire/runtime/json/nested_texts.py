"""Texts of values that are arrays and structs in Kafka Connect, for all wires."""

from __future__ import annotations

from collections.abc import Iterable

from tidewire.runtime.json.sink import JsonSink
from tidewire.runtime.wire.conversions import unscaled_text
from tidewire.runtime.wire.value_codec import RefusedValueError

MOST_UNSCALED = 32
"""Maximum bytes of the unscaled value of a decimal: 65 digits take at most 28."""
MOST_SCALE = 130
"""Maximum absolute scale of a decimal; larger than any database allows."""


def vector_text(numbers: Iterable[float], single: bool) -> bytes:
    """A vector as TiDB writes it: `[1,2.5,-3.25]`.

    Args:
        numbers: elements of the vector.
        single: whether they are float32 values, written with their shortest digits; otherwise float64.

    Raises:
        ValueError: one of them is infinite or not a number.
    """
    sink = JsonSink(False)
    write = sink.float32 if single else sink.float64
    sink.raw(b"[")
    try:
        for k, number in enumerate(numbers):
            if k:
                sink.raw(b",")
            write(number)
    except ValueError:
        raise RefusedValueError("one of its elements is infinite or not a number") from None
    sink.raw(b"]")
    return sink.written(0)


def scaled_text(image: bytes, scale: int) -> bytes:
    """The text of a decimal.

    Args:
        image: unscaled value, big-endian in two's complement.
        scale: digits after the decimal point; if negative, that many zeros are appended.

    Raises:
        ValueError: no column has such a decimal.
    """
    if not 0 < len(image) <= MOST_UNSCALED:
        raise RefusedValueError(f"{len(image)} bytes are no decimal: 1 to {MOST_UNSCALED} are")
    if not -MOST_SCALE <= scale <= MOST_SCALE:
        raise RefusedValueError(f"a decimal with {scale} digits behind its point is none: at most {MOST_SCALE} are")
    number = int.from_bytes(image, "big", signed=True)
    return unscaled_text(number * 10 ** max(-scale, 0), scale)
