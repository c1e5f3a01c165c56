"""The names of the types that a member's value can have."""

from __future__ import annotations

INTEGER, UNSIGNED, TEXT, BOOL, BASE64 = "integer", "unsigned", "text", "bool", "base64"
SCALARS = (INTEGER, UNSIGNED, TEXT, BOOL, BASE64)
"""Scalar types: signed and unsigned 64-bit integer, text, boolean, and bytes as base64 text."""
NOTHING = "nothing"
"""A member that is always null."""
TEXTS = "texts"
"""In a described part: an array of texts."""
SECONDS, MICROSECONDS = "seconds", "microseconds"
"""What a number of a message counts where the event's field is in milliseconds."""
THOUSAND = 1000
"""Milliseconds in a second, microseconds in a millisecond."""
THOUSANDTH = "thousandth"
"""The function that divides by 1000 (tidewire.runtime.tso)."""
