"""The numbers of the codecs of JSON values that readers and writers know and need not call: those of codecs.py."""

from __future__ import annotations

from typing import Final

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
CHECKED_TEXT: Final = 7
"""A string that has to be UTF-8; storage utf8."""
UNCHECKED_TEXT: Final = 8
"""A string, unchecked; storage binary, or utf8 with replacements."""
LATIN1_TEXT: Final = 9
"""Bytes as a string of the code points 0 to 255; storage binary."""
INT_NUMBER: Final = 10
"""A JSON number without fraction and exponent; storage int64."""
UINT_NUMBER: Final = 11
"""The same without a sign; storage uint64."""
FLOAT32_NUMBER: Final = 12
"""A JSON number, rounded to the nearest float32; storage float64."""
FLOAT64_NUMBER: Final = 13
"""The same, rounded to the nearest float64."""
CALLED: Final = 14
"""One that is called (codec.py)."""
BASE64_BYTES: Final = 15
"""A string of bytes in base64 (RFC 4648, with padding); storage binary."""
BASE64_CHECKED_TEXT: Final = 16
"""The same of text that has to be UTF-8; storage utf8."""
BASE64_UNCHECKED_TEXT: Final = 17
"""The same of text, unchecked; storage binary, or utf8 with replacements."""
QUOTED_BYTES: Final = 18
"""Bytes as Go's strconv.Quote spells them, without the quotes around them, in a string; storage binary."""
LOCATED_TEXT: Final = 19
"""An object of a string and the location (a time zone) that it is in; storage utf8."""
