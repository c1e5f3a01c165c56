"""What the value of a column can be in a union of a record, by number; a protocol says which branch is which.

They are the numbers of the codecs of such values, too.
"""

from __future__ import annotations

from typing import Final

NULL_VALUE: Final = 32
"""Nothing stands behind the branch."""
LONG_VALUE: Final = 33
"""A number of 64 bits with a sign."""
FLOAT_VALUE: Final = 34
"""IEEE 754 single."""
DOUBLE_VALUE: Final = 35
"""IEEE 754 double."""
STRING_VALUE: Final = 36
"""A text behind its length."""
BYTES_VALUE: Final = 37
"""Bytes behind their length."""
LOCATED_VALUE: Final = 38
"""A record of two texts: a location (a time zone), and a time there."""
WRAPPED_VALUE: Final = 39
"""A record of a long: a number without a sign, of which those from 2**63 on are negative there."""
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
"""What they are called in errors."""
