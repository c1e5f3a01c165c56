"""As what the columns of a row count in its checksum, by number."""

from __future__ import annotations

from typing import Final

NUMBER: Final = 0
"""The eight bytes as they are stored, of integers."""
DOUBLE: Final = 1
"""The same of floats."""
SINGLE: Final = 2
"""Floats that are rounded to 32 bits."""
TEXT: Final = 3
"""Length and bytes."""
LOCAL: Final = 4
"""Texts of local times, which count in UTC."""
VECTOR: Final = 5
"""Texts of vectors."""
NONE: Final = 6
"""Nothing."""
