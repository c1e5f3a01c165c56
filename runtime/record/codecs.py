"""The codecs of column values in records: each is a branch of the union that a value is one of (branches.py).

In every codec, null is null. A reader takes numbers from any branch that has one.
"""

from __future__ import annotations

from typing import Final

from tidewire.runtime.arrow import storage
from tidewire.runtime.record import branches
from tidewire.runtime.wire.value_codec import ValueCodec


def _codec(held: int, branch: int) -> ValueCodec:
    return ValueCodec(held, branch, branch, True)


NOTHING: Final = _codec(storage.NOTHING, branches.NULL_VALUE)
"""No value, only null."""
LONG: Final = _codec(storage.INT, branches.LONG_VALUE)
UNSIGNED_LONG: Final = _codec(storage.UINT, branches.LONG_VALUE)
"""A number without a sign as a long: from 2**63 on it is negative."""
WRAPPED_LONG: Final = _codec(storage.UINT, branches.WRAPPED_VALUE)
"""The same in a record of its own."""
UINT_STRING: Final = _codec(storage.UINT, branches.STRING_VALUE)
"""Decimal digits."""
FLOAT: Final = _codec(storage.FLOAT, branches.FLOAT_VALUE)
DOUBLE: Final = _codec(storage.FLOAT, branches.DOUBLE_VALUE)
STRING: Final = _codec(storage.TEXT, branches.STRING_VALUE)
BYTES: Final = _codec(storage.BYTES, branches.BYTES_VALUE)
LOCATED_STRING: Final = _codec(storage.TEXT, branches.LOCATED_VALUE)
"""Text with the location that it is in; whoever writes it is told the location of the row."""
