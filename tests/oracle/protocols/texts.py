"""Texts that are not UTF-8, of which text messages lose bytes, and texts that TiCDC treats as equal."""

from __future__ import annotations

import codecs
import re

from ..cases import BINARY, Column, Row, Value
from .base import comparable

REPLACED = "text-replaced"
"""TiCDC writes U+FFFD for every byte of a text that is not UTF-8; ours refuses such a text."""
LOST = re.compile(rb"(?<!\\)((?:\\\\)*)\\ufffd")
"""What it writes, as an escape; as the first group the backslashes before it."""
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")


def carried(value: bytes) -> str:
    """The text that is read: U+FFFD for every byte that is part of no character."""
    return value.decode("utf-8", "one-by-one")


def alike(row: Row) -> bool:
    """Whether a text of both images differs in bytes that are no UTF-8 alone: on the wire it is the same."""
    columns = zip(row.table.columns, row.new or (), row.old or (), strict=False)
    return any(not column.flags & BINARY and new != old and _sent(new) == _sent(old) for column, new, old in columns)


def _sent(value: Value) -> Value:
    """A text as it is sent: a character for every byte that is no UTF-8."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    return _ESCAPED_BYTE.sub("\ufffd", value) if isinstance(value, str) else value


def unreadable(column: Column, value: Value) -> bool:
    """Whether it is a text that is not UTF-8."""
    if column.flags & BINARY or not isinstance(value, bytes):
        return False
    try:
        value.decode()
    except UnicodeDecodeError:
        return True
    return False


def equal(new: Value, old: Value) -> bool:
    """Go's ==, for which the two zeros are one, and bytes and text are the same."""
    one, other = ((value.encode() if isinstance(value, str) else value) for value in (new, old))
    return comparable(0, one) == comparable(0, other) or (isinstance(one, float) and one == other)


def _one_by_one(error: UnicodeError) -> tuple[str, int]:
    """As Go does it: every byte that is part of no character becomes U+FFFD."""
    assert isinstance(error, UnicodeDecodeError)
    return "\ufffd", error.start + 1


codecs.register_error("one-by-one", _one_by_one)
