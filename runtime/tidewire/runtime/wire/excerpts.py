"""Excerpts of messages for errors, short enough for one line."""

from __future__ import annotations

import re

MOST = 48
"""Maximum number of characters shown."""
_TOKEN = re.compile(rb'"(?:[^"\\\x00-\x1f]|\\.)*"?|[-+.\w]+|[\[{].*', re.DOTALL)
_WORD = re.compile(rb"[-+.\w]*\Z")


def shown(text: bytes) -> str:
    """Bytes of a message as characters: invalid UTF-8 and unprintable characters are escaped, the rest is cut with an
    ellipsis.
    """
    found = text[: 4 * MOST].decode("utf-8", "backslashreplace")
    if len(found) > MOST or len(text) > 4 * MOST:
        found = f"{found[: MOST - 1]}…"
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in found)


def token(before: bytes, after: bytes) -> str:
    """The string, number, word or character at an offset, shortened.

    Args:
        before: message before the offset: if the offset is inside a word, the whole word is shown.
        after: message from the offset on.
    """
    word = _WORD.search(before)
    head = b"" if word is None else word[0]
    found = _TOKEN.match(after)
    if head:
        rest = re.match(rb"[-+.\w]+", after)
        return shown(head + (rest[0] if rest else after[:1]))
    return shown(found[0] if found else after[:1])


def listed(names: list[str]) -> str:
    """Names separated by commas; the first 16 if there are more."""
    most = 16
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")
