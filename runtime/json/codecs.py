"""How the values of a column are written in JSON, by number: what a value table of a protocol chooses from.

In every codec, null is null.
"""

from __future__ import annotations

from typing import Final

from tidewire.runtime.codecs import BYTES, FLOAT64, UVARINT, VARINT
from tidewire.runtime.codecs import NOTHING as NO_STORAGE
from tidewire.runtime.codecs import RAW_TEXT as RAW_STORAGE
from tidewire.runtime.codecs import TEXT as TEXT_STORAGE

NOTHING: Final = 0
"""No value is ever written, only null."""
INT_TEXT: Final = 1
"""Decimal digits in a string, or a number; storage int64."""
UINT_TEXT: Final = 2
"""The same without a sign; storage uint64."""
ENUM_TEXT: Final = 3
"""The number of a label in a string, or the label; storage uint64."""
SET_TEXT: Final = 4
"""The bits of labels as a number in a string, or the labels with commas between; storage uint64."""
FLOAT32_TEXT: Final = 5
"""A decimal number in a string, or a number, rounded to the nearest float32; storage float64."""
FLOAT64_TEXT: Final = 6
"""The same, rounded to the nearest float64."""
TEXT: Final = 7
"""A string that has to be UTF-8; storage utf8."""
RAW_TEXT: Final = 8
"""A string, unchecked; storage binary, or utf8 with replacements."""
LATIN1_TEXT: Final = 9
"""Bytes as a string of the code points 0 to 255; storage binary."""

STORAGE: Final = (
    NO_STORAGE,
    VARINT,
    UVARINT,
    UVARINT,
    UVARINT,
    FLOAT64,
    FLOAT64,
    TEXT_STORAGE,
    RAW_STORAGE,
    BYTES,
)
"""The codec of runtime/codecs.py that says how the values of each codec are kept."""
