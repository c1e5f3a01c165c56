"""Kinds of record fields that are not columns; codec numbers of columns are greater."""

from __future__ import annotations

from typing import Final

INNER: Final = 0
"""A nested record."""
NUMBER: Final = 1
"""A `long` with a property of the event."""
TEXT: Final = 2
"""A string with a property of the event."""
BOOLEAN: Final = 3
"""A boolean with a property of the event."""
SHORT: Final = 4
"""An `int` with a property of the event."""
PASSED_NUMBER: Final = 5
"""An unused number, which is skipped."""
PASSED_TEXT: Final = 6
"""An unused string or bytes, which are skipped."""
PASSED: Final = 7
"""An unused value of another type, which is skipped."""
