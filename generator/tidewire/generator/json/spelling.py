"""Constant JSON in printed encoders, formatted as its producer does."""

from __future__ import annotations

import json

from .spelling_model import Spelled


def spelled(value: object, how: Spelled) -> bytes:
    """The JSON of a number, a text, a boolean or null."""
    if not isinstance(value, str):
        return json.dumps(value).encode()
    others = ("&<>" if how.html else "") + ("\u2028\u2029" if how.separators else "")
    others += "" if how.letters else "\b\f"
    characters = (f"\\u{ord(one):04x}" if one in others else json.dumps(one, ensure_ascii=False)[1:-1] for one in value)
    return b'"%b"' % "".join(characters).encode()
