"""Checks whether doubles are exactly representable as 32-bit floats."""

from __future__ import annotations

import math
import struct

import pyarrow as pa

from tidewire.runtime.arrow import compute as pc


def is_single(value: float) -> bool:
    """Whether a finite 32-bit float is exactly this number."""
    try:
        near: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return False
    return math.isfinite(value) and near == value


def singles(array: pa.Array) -> pa.Array:
    """bool: whether each value of a float64 array is exactly a 32-bit float; null where the value is null."""
    return pc.and_(pc.is_finite(array), pc.equal(array.cast(pa.float32(), safe=False).cast(pa.float64()), array))
