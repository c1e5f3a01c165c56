"""JSON that is known when an encoder is printed, spelled as Go's encoders spell it."""

from __future__ import annotations

import json

HTML = "html"
"""`escape: html`: & < > are escaped too."""


def spelled(value: object, html: bool) -> bytes:
    """A number, a text, true, false or null."""
    if not isinstance(value, str):
        return json.dumps(value).encode()
    text = json.dumps(str(value), ensure_ascii=False)
    # only the tab, the newline and the carriage return have a short form
    text = text.replace("\\\\", "\0").replace("\\b", "\\u0008").replace("\\f", "\\u000c").replace("\0", "\\\\")
    others = "\u2028\u2029" + ("&<>" if html else "")
    for one in others:
        text = text.replace(one, f"\\u{ord(one):04x}")
    return text.encode()
