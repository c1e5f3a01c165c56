"""Types of the union branches that a column value can have in a record; a protocol maps branch numbers to these types.

They are also the numbers of the codecs of such values.
"""

from __future__ import annotations

from typing import Final

NULL_VALUE: Final = 32
"""Null, without data."""
LONG_VALUE: Final = 33
"""A signed 64-bit integer."""
FLOAT_VALUE: Final = 34
"""IEEE 754 float32."""
DOUBLE_VALUE: Final = 35
"""IEEE 754 float64."""
STRING_VALUE: Final = 36
"""A length-prefixed string."""
BYTES_VALUE: Final = 37
"""Length-prefixed bytes."""
LOCATED_VALUE: Final = 38
"""A record of two strings: a location (a time zone), and a time in that zone."""
WRAPPED_VALUE: Final = 39
"""A record with a long: an unsigned number, stored as negative from 2**63 on."""
NAMES: Final = {
    NULL_VALUE: "null",
    LONG_VALUE: "a long",
    FLOAT_VALUE: "a float",
    DOUBLE_VALUE: "a double",
    STRING_VALUE: "a string",
    BYTES_VALUE: "bytes",
    LOCATED_VALUE: "a record with a location",
    WRAPPED_VALUE: "a record with a long",
}
"""Names of the branches in errors."""
