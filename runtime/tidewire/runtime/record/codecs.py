"""The codecs of column values in records: each writes one branch of the values' union (branches.py).

Null is the null branch in every codec. Readers accept a number from any numeric branch.
"""

from __future__ import annotations

from typing import Final

from tidewire.runtime.arrow import storage
from tidewire.runtime.record import branches
from tidewire.runtime.wire.value_codec import ValueCodec


def _codec(held: int, branch: int) -> ValueCodec:
    return ValueCodec(held, branch, branch, True)


NOTHING: Final = _codec(storage.NOTHING, branches.NULL_VALUE)
"""No value but null."""
LONG: Final = _codec(storage.INT, branches.LONG_VALUE)
UNSIGNED_LONG: Final = _codec(storage.UINT, branches.LONG_VALUE)
"""An unsigned number as a long: negative from 2**63 on."""
WRAPPED_LONG: Final = _codec(storage.UINT, branches.WRAPPED_VALUE)
"""As UNSIGNED_LONG, in a nested record."""
UINT_TEXT: Final = _codec(storage.UINT, branches.STRING_VALUE)
"""An unsigned number as a string of decimal digits."""
FLOAT: Final = _codec(storage.FLOAT, branches.FLOAT_VALUE)
DOUBLE: Final = _codec(storage.FLOAT, branches.DOUBLE_VALUE)
STRING: Final = _codec(storage.TEXT, branches.STRING_VALUE)
BYTES: Final = _codec(storage.BYTES, branches.BYTES_VALUE)
LOCATED_STRING: Final = _codec(storage.TEXT, branches.LOCATED_VALUE)
"""Text with the location that it is in; the writer is given the location of the row."""
