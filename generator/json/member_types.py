"""The words for what the value of one member is."""

from __future__ import annotations

INTEGER, UNSIGNED, TEXT, BOOL, BASE64 = "integer", "unsigned", "text", "bool", "base64"
SCALARS = (INTEGER, UNSIGNED, TEXT, BOOL, BASE64)
"""The types of scalars: 64 bits with and without a sign, text, true or false, bytes as base64 in text."""
NOTHING = "nothing"
"""A member that is always null."""
CHANGES = "changes"
"""A list of changes of tables."""
TEXTS = "texts"
"""Of a part that describes: an array of texts."""
