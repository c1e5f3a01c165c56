"""What the fields of a record are that are no columns; codecs of columns have greater numbers."""

from __future__ import annotations

from typing import Final

INNER: Final = 0
"""A record in the record."""
NUMBER: Final = 1
"""A `long` that says something of the event."""
TEXT: Final = 2
"""Likewise a text."""
BOOLEAN: Final = 3
"""Likewise true or false."""
SHORT: Final = 4
"""Likewise an `int`."""
PASSED_NUMBER: Final = 5
"""A number that nobody asks for."""
PASSED_TEXT: Final = 6
"""Likewise a text, or bytes."""
PASSED: Final = 7
"""Likewise a value of another type."""
