"""The texts of values that Kafka Connect has as arrays and structs, whatever the wire."""

from __future__ import annotations

from collections.abc import Iterable

from tidewire.runtime.json.sink import JsonSink
from tidewire.runtime.wire.value_codec import RefusedValueError

MOST_UNSCALED = 32
"""Bytes of a decimal without its point: 65 digits take 28 of them at most."""
MOST_SCALE = 130
"""Digits behind the point, and zeros before it, that a decimal can say: more than any database has."""


def vector_text(numbers: Iterable[float], single: bool) -> bytes:
    """A vector as TiDB writes it: `[1,2.5,-3.25]`.

    Args:
        numbers: its elements.
        single: whether they are floats of 32 bits, of which the shortest digits are written; else they have 64.

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
    """A decimal.

    Args:
        image: the number without its point, big-endian in two's complement.
        scale: how many digits are behind the point; below 0, so many zeros follow before it.

    Raises:
        ValueError: no column has such a decimal.
    """
    if not 0 < len(image) <= MOST_UNSCALED:
        raise RefusedValueError(f"{len(image)} bytes are no decimal: 1 to {MOST_UNSCALED} are")
    if not -MOST_SCALE <= scale <= MOST_SCALE:
        raise RefusedValueError(f"a decimal with {scale} digits behind its point is none: at most {MOST_SCALE} are")
    number = int.from_bytes(image, "big", signed=True)
    sign = b"-" if number < 0 else b""
    digits = b"%d" % abs(number) + b"0" * max(-scale if number else 0, 0)
    digits = digits.rjust(scale + 1, b"0")
    return sign + (digits[:-scale] + b"." + digits[-scale:] if scale > 0 else digits)
