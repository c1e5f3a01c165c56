"""Conversions of column values that have several forms, for all wires."""

from __future__ import annotations

from binascii import Error, unhexlify

from tidewire.runtime import cython
from tidewire.runtime.wire.value_codec import RefusedValueError, strict64


def base64_url(text: bytes) -> bytes:
    """The bytes of a text in URL-safe base64 (- and _), with or without padding; they and the following functions raise
    ValueError for other texts.
    """
    if b"+" in text or b"/" in text:
        raise RefusedValueError("it has + or /, where - and _ are expected")
    text = text.replace(b"-", b"+").replace(b"_", b"/")
    return strict64(text + b"=" * (3 - (len(text) + 3) % 4))


def hexadecimal(text: bytes) -> bytes:
    """The bytes of pairs of hexadecimal digits."""
    try:
        return unhexlify(text)
    except Error:
        raise RefusedValueError("it has something else than pairs of hexadecimal digits") from None


def spatial(form: bytes, srid: cython.longlong) -> bytes:
    """A spatial value in MySQL's storage format: the SRID in four bytes, little-endian, followed by the WKB.

    Args:
        form: the value as well-known binary (WKB).
        srid: number of its spatial reference system.
    """
    if srid < 0 or srid > 0xFFFFFFFF:
        raise RefusedValueError(f"{srid} is no spatial reference system")
    return int(srid).to_bytes(4, "little") + form


def unscaled_text(number: int, scale: cython.Py_ssize_t) -> bytes:
    """A decimal as text.

    Args:
        number: the unscaled value.
        scale: digits after the decimal point.
    """
    digits: bytes = b"%d" % abs(number)
    if scale > 0:
        digits = digits.rjust(scale + 1, b"0")
        digits = digits[:-scale] + b"." + digits[-scale:]
    return b"-" + digits if number < 0 else digits
