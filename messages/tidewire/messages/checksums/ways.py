"""Numbers of the forms in which column values enter a row's checksum."""

from __future__ import annotations

from typing import Final

NUMBER: Final = 0
"""Integers: the eight stored bytes."""
DOUBLE: Final = 1
"""Floats: the eight stored bytes."""
SINGLE: Final = 2
"""Floats rounded to 32 bits."""
TEXT: Final = 3
"""Length and bytes of a text."""
LOCAL: Final = 4
"""Texts of local times, converted to UTC."""
VECTOR: Final = 5
"""Texts of vectors."""
NONE: Final = 6
"""Not part of the checksum."""
