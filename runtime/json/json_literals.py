"""Texts and numbers as JSON, spelled once for all messages of a table."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tidewire.runtime.errors import EncodeError
from tidewire.runtime.json.sink import JsonSink, Spelling
from tidewire.runtime.shortened import shown

_PLAIN = re.compile(r"[ !#-%'-;=?-\[\]-~]*")
"""Characters that are written as they are, however texts are spelled."""


def text_json(protocol: str, text: str, spelling: Spelling) -> bytes:
    """A text as JSON, in quotes.

    Args:
        protocol: for errors.
        text: what is written.
        spelling: how.

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
    """A number or a text as JSON."""
    return b"%d" % value if isinstance(value, int) else text_json(protocol, value, spelling)


def names_json(protocol: str, names: Iterable[str], empty: bytes, spelling: Spelling) -> bytes:
    """An array of names, or what is written when there are none."""
    written = [text_json(protocol, name, spelling) for name in names]
    return b"[%b]" % b",".join(written) if written else empty


def texts_json(protocol: str, texts: Iterable[tuple[str, str]], empty: bytes, spelling: Spelling) -> bytes:
    """An object of texts by name, or what is written when there are none."""
    written = [
        b"%b:%b" % (text_json(protocol, name, spelling), text_json(protocol, text, spelling)) for name, text in texts
    ]
    return b"{%b}" % b",".join(written) if written else empty
