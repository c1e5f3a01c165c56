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
_MORE = re.compile(r"… \([0-9,]+ characters\)\Z")


def shortened(text: str, most: int = MOST_SHOWN) -> str:
    """The text, or its beginning and how long it is; what is no printable character as Python escapes it."""
    if len(text) > most:
        found = _MORE.search(text, max(0, len(text) - 40))
        if found is None or found.start() > most:
            text = f"{text[:most]}… ({len(text):,} characters)"
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)


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
