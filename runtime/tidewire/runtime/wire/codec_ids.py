"""Numbers of the codecs in codecs.py: readers and writers inline these codecs and select them by number."""

from __future__ import annotations

from typing import Final

INT_TEXT: Final = 1
"""Decimal digits in a string, or a number; storage int64."""
UINT_TEXT: Final = 2
"""As INT_TEXT, unsigned; storage uint64."""
ENUM_TEXT: Final = 3
"""The index of an ENUM label in a string, or the label itself; storage uint64."""
SET_TEXT: Final = 4
"""The bits of a SET as a number in a string, or its labels separated by commas; storage uint64."""
FLOAT32_TEXT: Final = 5
"""A decimal number in a string, or a number, rounded to the nearest float32; storage float64."""
FLOAT64_TEXT: Final = 6
"""As FLOAT32_TEXT, rounded to the nearest float64."""
CHECKED_TEXT: Final = 7
"""A string, checked to be UTF-8; storage utf8."""
UNCHECKED_TEXT: Final = 8
"""A string, unchecked; storage binary, or utf8 with replacements."""
LATIN1_TEXT: Final = 9
"""Bytes as a string of the code points 0 to 255; storage binary."""
INT_NUMBER: Final = 10
"""A JSON number without fraction and exponent; storage int64."""
UINT_NUMBER: Final = 11
"""As INT_NUMBER, unsigned; storage uint64."""
FLOAT32_NUMBER: Final = 12
"""A JSON number, rounded to the nearest float32; storage float64."""
FLOAT64_NUMBER: Final = 13
"""As FLOAT32_NUMBER, rounded to the nearest float64."""
CALLED: Final = 14
"""A codec that is not inlined: its `read` and `write` methods are called (codec.py)."""
BASE64_BYTES: Final = 15
"""A string of bytes in base64 (RFC 4648, with padding); storage binary."""
BASE64_CHECKED_TEXT: Final = 16
"""Text in base64, checked to be UTF-8; storage utf8."""
BASE64_UNCHECKED_TEXT: Final = 17
"""Text in base64, not checked; storage binary, or utf8 with replacement characters."""
QUOTED_BYTES: Final = 18
"""Bytes in the form of Go's strconv.Quote, without the surrounding quotes, in a string; storage binary."""
LOCATED_TEXT: Final = 19
"""An object of a string and its location (a time zone); storage utf8."""
