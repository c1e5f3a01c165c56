"""Names and values in sentences for people: whoever wrote them, a sentence stays one, of a length that can be read.

Every text of `tidewire.runtime.errors` goes through here. A name or a value is whatever a message has: as long as the
message, and with characters that a terminal obeys (an escape sequence, a line break, a mark that turns the direction of
writing). What is cut or escaped once stays as it is when it is cut or escaped again: errors are copied and pickled.
"""

from __future__ import annotations

import re

MOST_SHOWN = 200
"""Characters of a name or value that an error shows."""
MOST_SAID = 2000
"""Characters of what an error says is wrong, names and values included."""
HIDDEN = "***"
"""Stands in texts where a secret was."""
_USER = re.compile(r"(?<=//)[^/\s\"'@]*@")
"""A user, with or without a password, in a URL of some text."""
_ADDRESS = re.compile(r"([A-Za-z][\w+.-]*:)?(/*)(.*)", re.DOTALL)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MORE = re.compile(r"… \([0-9,]+ characters\)\Z")


def shortened(text: str, most: int = MOST_SHOWN) -> str:
    """The text, or its beginning and how long it is; what is no printable character escaped, as in \\u202e."""
    size = len(text)
    cut = size > most
    if cut:
        found = _MORE.search(text, max(0, size - 40))
        cut = found is None or found.start() > most
    head = text[:most] if cut else text
    if "@" in head:
        head = _USER.sub(f"{HIDDEN}@", head)
    if not head.isprintable():
        head = "".join(one if one.isprintable() else _escaped(one) for one in head)
        cut = cut or len(head) > most
    return f"{head[:most]}… ({size:,} characters)" if cut else head


def _escaped(one: str) -> str:
    code = ord(one)
    return _SHORT.get(one) or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def public(address: str) -> str:
    """A URL or path as it may be shown: without user, password and what follows ``?`` or ``#``, where they may hold
    secrets. What was meant as a URL is one here, though it may lack a part of one.
    """
    found = _ADDRESS.fullmatch(address)
    assert found is not None
    scheme, slashes, rest = found[1] or "", found[2], found[3]
    user, at, host = rest.rpartition("@")
    if at and (scheme or ":" in user or len(slashes) > 1):
        rest = f"{HIDDEN}@{host}"
    plain = re.split(r"[?#]", rest, maxsplit=1)[0]
    return f"{scheme}{slashes}{plain}{f'?{HIDDEN}' if plain != rest else ''}"


def sentence(text: str) -> str:
    """The same of a whole sentence."""
    return shortened(text, MOST_SAID)


def shown(value: object) -> str:
    """A value as Python writes it, or the beginning of that."""
    if isinstance(value, str | bytes | bytearray) and len(value) > MOST_SHOWN:
        what = "characters" if isinstance(value, str) else "bytes"
        return f"{value[:MOST_SHOWN]!r}… ({len(value):,} {what})"
    try:
        return shortened(repr(value))
    except Exception as error:  # whatever the value's own code raises, and numbers of more digits than Python writes
        return f"{type(value).__name__} that cannot be shown ({type(error).__name__})"
