"""The storages: the types of values in the columns of a batch, by number.

A binary message has one encoding for each; JSON has more (`tidewire.runtime.wire.codec_ids`).
"""

from __future__ import annotations

from typing import Final

NOTHING: Final = 0
"""No value, only null."""
INT: Final = 1
"""int64; in a binary message a zigzag varint."""
UINT: Final = 2
"""uint64; in a binary message a uvarint."""
FLOAT: Final = 3
"""float64; in a binary message eight bytes, IEEE 754, little endian."""
TEXT: Final = 4
"""utf8, every value checked; in a binary message its bytes."""
BYTES: Final = 5
"""binary; in a binary message the bytes."""
RAW_TEXT: Final = 6
"""Unchecked text: binary, or utf8 with replacements; in a binary message its bytes."""
