"""The text of a message that an error is about, short enough for one line."""

from __future__ import annotations

import re

MOST = 48
"""Most characters that are shown."""
_TOKEN = re.compile(rb'"(?:[^"\\\x00-\x1f]|\\.)*"?|[-+.\w]+|[\[{].*', re.DOTALL)
_WORD = re.compile(rb"[-+.\w]*\Z")


def shown(text: bytes) -> str:
    """Bytes of a message as characters: escapes for what is no UTF-8 or cannot be seen, an ellipsis for the rest."""
    found = text[: 4 * MOST].decode("utf-8", "backslashreplace")
    if len(found) > MOST or len(text) > 4 * MOST:
        found = f"{found[: MOST - 1]}…"
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in found)


def token(before: bytes, after: bytes) -> str:
    """The string, number, word or sign that stands at a place, as far as it goes.

    Args:
        before: of the message up to the place: a word that is wrong in its middle is shown whole.
        after: the message from there on, as far as it may be shown.
    """
    word = _WORD.search(before)
    head = b"" if word is None else word[0]
    found = _TOKEN.match(after)
    if head:
        rest = re.match(rb"[-+.\w]+", after)
        return shown(head + (rest[0] if rest else after[:1]))
    return shown(found[0] if found else after[:1])


def listed(names: list[str]) -> str:
    """Names that are possible; of many the first ones."""
    most = 16
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")
