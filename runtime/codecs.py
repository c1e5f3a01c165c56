"""How the values of a column are written, by number: what a value table of a protocol chooses from."""

from __future__ import annotations

from typing import Final

NOTHING: Final = 0
"""No value is ever written, only null."""
VARINT: Final = 1
"""A zigzag varint; storage int64."""
UVARINT: Final = 2
"""A uvarint; storage uint64."""
FLOAT64: Final = 3
"""Eight bytes, IEEE 754, little endian; storage float64."""
TEXT: Final = 4
"""The bytes of a text that has to be UTF-8; storage utf8."""
BYTES: Final = 5
"""The bytes; storage binary."""
RAW_TEXT: Final = 6
"""The bytes of a text, unchecked; storage binary, or utf8 with replacements."""
