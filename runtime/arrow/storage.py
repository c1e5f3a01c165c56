"""What the columns of a batch hold, by number.

A binary message has one way to write each of these; JSON has more (`tidewire.runtime.json.codec_ids`).
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
"""utf8, and every value is checked; in a binary message its bytes."""
BYTES: Final = 5
"""binary; in a binary message the bytes."""
RAW_TEXT: Final = 6
"""Text that is not checked: binary, or utf8 with replacements; in a binary message its bytes."""
