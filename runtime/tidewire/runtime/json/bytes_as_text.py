"""Bytes as text for interpreted code; compiled code uses base64.pxd, go_quote.pxd and go_unquote.pxd instead.

Quoted bytes are in the form of Go's strconv.Quote, without the surrounding quotes. Printable characters are written
unchanged. All others, and bytes that are not UTF-8, are escaped: \\a \\b \\f \\n \\r \\t \\v \\\\ \\" \\xNN \\uNNNN
\\UNNNNNNNN. Readers also accept \\NNN in octal digits.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from bisect import bisect_right

from tidewire.runtime.json.printable import STARTS

_LETTERS = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}
_BYTES = {ord(spelled[1]): byte for byte, spelled in _LETTERS.items()}
_PART = re.compile(
    rb'([^"\\\n]+)|\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([abfnrtv"\\]))'
)


def decoded64(text: bytes) -> bytes | None:
    """The bytes that a base64 text (RFC 4648, with padding) encodes; None if it is not valid base64."""
    try:
        image = b64decode(text, validate=True)
    except ValueError:
        return None
    # reject texts whose unused trailing bits are not 0
    return image if b64encode(image) == text else None


def unquoted(text: bytes) -> bytes | None:
    """The bytes that a quoted text encodes; None if it is malformed."""
    out = bytearray()
    at = 0
    while at < len(text):
        found = _PART.match(text, at)
        if found is None:
            return None
        plain, byte, *code_points, octal, letter = found.groups()
        if plain is not None:
            out += plain
        elif byte is not None:
            out.append(int(byte, 16))
        elif octal is not None:
            out.append(int(octal, 8))
        elif letter is not None:
            out.append(_BYTES[letter[0]])
        else:
            code_point = int(code_points[0] or code_points[1], 16)
            if code_point > 0x10FFFF or 0xD800 <= code_point < 0xE000:
                return None
            out += chr(code_point).encode()
        at = found.end()
    return bytes(out)


def quoted(image: bytes) -> str:
    """Bytes as quoted text."""
    return "".join(map(_spelled, image.decode("utf-8", "surrogateescape")))


def _spelled(letter: str) -> str:
    """Escapes one character, or one byte that is not UTF-8 (given as Python's `surrogateescape` encodes it)."""
    code_point = ord(letter)
    if code_point in _LETTERS:
        return _LETTERS[code_point]
    if code_point < 0x20 or code_point == 0x7F or 0xDC80 <= code_point < 0xDD00:
        return f"\\x{code_point & 0xFF:02x}"
    if bisect_right(STARTS, code_point) & 1:
        return letter
    return f"\\u{code_point:04x}" if code_point < 0x10000 else f"\\U{code_point:08x}"
