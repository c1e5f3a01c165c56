"""The built-in codecs of column values in binary messages. Readers and writers handle those by number that have one."""

from __future__ import annotations

from typing import Final

from tidewire.runtime.arrow import storage
from tidewire.runtime.binary.codec import BinaryCodec
from tidewire.runtime.binary.texts import Digits, FloatText

NOTHING: Final = BinaryCodec(storage.NOTHING, storage.NOTHING)
"""No value, only null."""
VARINT: Final = BinaryCodec(storage.INT, storage.INT)
"""A zigzag varint."""
UVARINT: Final = BinaryCodec(storage.UINT, storage.UINT)
"""A uvarint."""
FLOAT64: Final = BinaryCodec(storage.FLOAT, storage.FLOAT)
"""Eight bytes, IEEE 754, little endian."""
TEXT: Final = BinaryCodec(storage.TEXT, storage.TEXT, storage.RAW_TEXT)
"""Text in UTF-8."""
BYTES: Final = BinaryCodec(storage.BYTES, storage.BYTES)
"""The bytes."""
INT_TEXT: Final = Digits(storage.INT)
"""Decimal digits, with a - before them."""
UINT_TEXT: Final = Digits(storage.UINT)
"""Decimal digits."""
FLOAT64_TEXT: Final = FloatText(storage.FLOAT)
"""The shortest decimal text, without exponent."""
