"""Texts and numbers as JSON, spelled once for all messages of a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tidewire.runtime.errors import EncodeError
from tidewire.runtime.json.sink import JsonSink


class ByValue(NamedTuple):
    """What is said of a column's type: `value`, but `beyond` of an unsigned number above `limit`, if there is such."""

    value: int | str
    beyond: int | str | None
    limit: int | None


def text_json(protocol: str, text: str, html: bool, letters: bool = False, lines: bool = True, _: int = 1) -> bytes:
    """A text as JSON, in quotes.

    Args:
        protocol: for errors.
        text: what is written.
        html, letters, lines, _: how, in the order of `Spelling`.

    Raises:
        EncodeError: it has a lone surrogate.
    """
    sink = JsonSink(html, letters, lines)
    try:
        sink.string(text.encode())
    except UnicodeEncodeError:
        raise EncodeError(protocol, None, None, f"{text!r} is not text that UTF-8 can hold") from None
    return sink.written(0)


def value_json(protocol: str, value: int | str, html: bool) -> bytes:
    """A number or a text as JSON."""
    return b"%d" % value if isinstance(value, int) else text_json(protocol, value, html)


def names_json(protocol: str, names: Iterable[str], empty: bytes, html: bool) -> bytes:
    """An array of names, or what is written when there are none."""
    written = [text_json(protocol, name, html) for name in names]
    return b"[%b]" % b",".join(written) if written else empty


def texts_json(protocol: str, texts: Iterable[tuple[str, str]], empty: bytes, html: bool) -> bytes:
    """An object of texts by name, or what is written when there are none."""
    written = [b"%b:%b" % (text_json(protocol, name, html), text_json(protocol, text, html)) for name, text in texts]
    return b"{%b}" % b",".join(written) if written else empty
