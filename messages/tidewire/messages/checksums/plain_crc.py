"""The CRC-32 of IEEE 802.3 for interpreted code; crc.pxd has it for compiled code.

A state is the complement of the checksum so far.
"""

from __future__ import annotations

import struct
from typing import Any
from zlib import crc32


def crc_number(state: int, number: int) -> int:
    """The state after a 64-bit number, little-endian."""
    return crc32(number.to_bytes(8, "little"), state ^ 0xFFFFFFFF) ^ 0xFFFFFFFF


def crc_short(state: int, number: int) -> int:
    """The state after a 32-bit number, little-endian."""
    return crc32(number.to_bytes(4, "little"), state ^ 0xFFFFFFFF) ^ 0xFFFFFFFF


def crc_bytes(state: int, data: Any, _size: int) -> int:
    """The state after some bytes."""
    return crc32(data, state ^ 0xFFFFFFFF) ^ 0xFFFFFFFF


def double_bits(number: float) -> int:
    """The bits of a float64."""
    return int.from_bytes(struct.pack("<d", number), "little")


def single_bits(number: float) -> int:
    """The bits of a number as a float32."""
    return int.from_bytes(struct.pack("<f", number), "little")
