"""Packs Python values in Arrow's layout: a validity bitmap, offsets and concatenated bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.libc.string import memcpy

if TYPE_CHECKING:
    from collections.abc import Sequence


def bits(given: Sequence[object]) -> bytearray:
    """A bit for each value, low bits first: 0 for None, 1 for all others."""
    at: cython.Py_ssize_t
    values: list[object] = list(given)
    marks: bytearray = bytearray((len(values) + 7) // 8 or 1)
    out: cython.p_uchar
    if cython.compiled:
        out = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(marks))
        for at in range(len(values)):
            if values[at] is not None:
                out[at >> 3] |= 1 << (at & 7)
    else:
        for at in range(len(values)):
            if values[at] is not None:
                marks[at >> 3] |= 1 << (at & 7)
    return marks


def packed(given: Sequence[bytes | None], wide: cython.bint) -> tuple[bytearray, bytearray]:
    """Concatenates variable-width values.

    Args:
        given: the bytes of each value; None has no bytes.
        wide: whether offsets have 64 bits; otherwise 32.

    Returns:
        The offsets (the start of each value, then the end of the last), and the bytes.

    Raises:
        TypeError: a value is something else.
        OverflowError: the end of the last value exceeds 32-bit offsets.
    """
    at: cython.Py_ssize_t
    size: cython.Py_ssize_t = 0
    i32: cython.p_int
    i64: cython.p_longlong
    out: cython.p_char
    image: bytes | None
    images: list[bytes | None] = list(given)
    for image in images:
        if image is not None:
            if not cython.compiled and not isinstance(image, bytes):
                raise TypeError(f"bytes are expected, not {type(image).__name__}")
            size += len(image)
    if not wide and size > 0x7FFFFFFF:
        raise OverflowError(f"{size} bytes are more than a column with offsets of 32 bits holds")
    offsets: bytearray = bytearray((8 if wide else 4) * (len(images) + 1))
    data: bytearray
    if cython.compiled:
        data = bytearray(size)
        out = PyByteArray_AS_STRING(data)
        i32 = cython.cast(cython.p_int, PyByteArray_AS_STRING(offsets))
        i64 = cython.cast(cython.p_longlong, i32)
        size = 0
        for at in range(len(images)):
            image = images[at]
            if image is not None:
                memcpy(out + size, cython.cast(cython.p_char, image), len(image))
                size += len(image)
            if wide:
                i64[at + 1] = size
            else:
                i32[at + 1] = size
    else:
        data = bytearray(b"".join([image for image in images if image is not None]))
        positions = memoryview(offsets).cast("q" if wide else "i")
        size = 0
        for at in range(len(images)):
            size += len(images[at] or b"")
            positions[at + 1] = size
    return offsets, data
