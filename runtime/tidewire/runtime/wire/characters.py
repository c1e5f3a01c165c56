"""Names for ASCII codes: JSON's syntax (RFC 8259), and what numbers, dates and times in text need."""

from __future__ import annotations

from typing import Final

TAB: Final = 9
LINE_FEED: Final = 10
CARRIAGE_RETURN: Final = 13
SPACE: Final = 32
QUOTE: Final = 34
PLUS: Final = 43
COMMA: Final = 44
MINUS: Final = 45
POINT: Final = 46
SLASH: Final = 47
ZERO: Final = 48
ONE: Final = 49
NINE: Final = 57
COLON: Final = 58
UPPER_A: Final = 65
UPPER_Z: Final = 90
OPEN_LIST: Final = 91
BACKSLASH: Final = 92
CLOSE_LIST: Final = 93
LOWER_A: Final = 97
LOWER_B: Final = 98
LOWER_E: Final = 101
LOWER_F: Final = 102
LOWER_L: Final = 108
LOWER_N: Final = 110
LOWER_R: Final = 114
LOWER_S: Final = 115
LOWER_T: Final = 116
LOWER_U: Final = 117
LOWER_Z: Final = 122
OPEN_OBJECT: Final = 123
CLOSE_OBJECT: Final = 125
LOWER_CASE: Final = 32
"""The bit that differs between an upper-case and a lower-case letter."""
