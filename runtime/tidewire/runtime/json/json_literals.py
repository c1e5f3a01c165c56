"""Names, texts and numbers as JSON, written once for all messages of a table."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tidewire.runtime.errors import EncodeError
from tidewire.runtime.json.sink import JsonSink, Spelling
from tidewire.runtime.shortened import shown

_PLAIN = re.compile(r"[ !#-%'-;=?-\[\]-~]*")
"""Characters that need no escape in any spelling."""


def text_json(protocol: str, text: str, spelling: Spelling) -> bytes:
    """A text as a JSON string, with quotes.

    Args:
        protocol: name of the protocol, for errors.
        spelling: how characters are escaped.

    Raises:
        EncodeError: it has a lone surrogate.
    """
    if _PLAIN.fullmatch(text):
        return b'"%b"' % text.encode()
    sink = JsonSink(*spelling)
    try:
        sink.string(text.encode())
    except UnicodeEncodeError:
        raise EncodeError(protocol, None, None, f"{shown(text)} is not text that UTF-8 can hold") from None
    return sink.written(0)


def value_json(protocol: str, value: int | str, spelling: Spelling) -> bytes:
    """A number or a string as JSON."""
    return b"%d" % value if isinstance(value, int) else text_json(protocol, value, spelling)


def names_json(protocol: str, names: Iterable[str], empty: bytes, spelling: Spelling) -> bytes:
    """A JSON array of names; `empty` if there are none."""
    written = [text_json(protocol, name, spelling) for name in names]
    return b"[%b]" % b",".join(written) if written else empty


def texts_json(protocol: str, texts: Iterable[tuple[str, str]], empty: bytes, spelling: Spelling) -> bytes:
    """A JSON object of texts by name; `empty` if there are none."""
    written = [
        b"%b:%b" % (text_json(protocol, name, spelling), text_json(protocol, text, spelling)) for name, text in texts
    ]
    return b"{%b}" % b",".join(written) if written else empty
