"""Checks whether bytes are well-formed UTF-8.

Each byte is one step in a state table. Decoding by characters would be five times as slow for mixed characters of two,
three and four bytes, because of mispredicted branches. States are multiples of 6, used as shift counts: the table entry
of a byte contains the next state for each state (the shift-based automaton of P. Vognsen).
"""

# ruff: noqa: F821 - names in memory of C are declared in utf8.pxd
from __future__ import annotations

from typing import Final

from tidewire.runtime import cython

if cython.compiled:
    from cython.cimports.libc.string import memcpy
    from cython.cimports.tidewire.runtime.wire.utf8_blocks import has_utf8_blocks, utf8_blocks

TAIL: Final = (0x80, 0xBF)
LETTERS: Final = (
    ((0x00, 0x7F),),
    ((0xC2, 0xDF), TAIL),
    ((0xE0, 0xE0), (0xA0, 0xBF), TAIL),
    ((0xE1, 0xEC), TAIL, TAIL),
    ((0xED, 0xED), (0x80, 0x9F), TAIL),
    ((0xEE, 0xEF), TAIL, TAIL),
    ((0xF0, 0xF0), (0x90, 0xBF), TAIL, TAIL),
    ((0xF1, 0xF3), TAIL, TAIL, TAIL),
    ((0xF4, 0xF4), (0x80, 0x8F), TAIL, TAIL),
)
"""The ranges of the bytes of a character: RFC 3629, section 4."""
STATE_BITS: Final = 6
BAD: cython.ulonglong = 6
"""The error state, which is never left; 0 is the state between characters."""
MANY: cython.Py_ssize_t = 24
"""Texts of at least this many bytes are checked by utf8_blocks.pxd, if the processor has the instructions for it."""


def steps() -> list[int]:
    """The state table, a number for each byte value: the lowest 6 bits of `number >> state` are the next state."""
    # a state is the ranges of the bytes that are missing from a character
    states = [(), None, *dict.fromkeys(letter[k:] for letter in LETTERS for k in range(1, len(letter)))]
    found = [0] * 256
    for number, rest in enumerate(states):
        for byte in range(256):
            then = _after(rest, byte)
            found[byte] |= STATE_BITS * states.index(then) << STATE_BITS * number
    return found


def _after(rest: tuple[tuple[int, int], ...] | None, byte: int) -> tuple[tuple[int, int], ...] | None:
    """The ranges of the missing bytes after this byte; None if the byte is not allowed here."""
    possible = LETTERS if rest == () else () if rest is None else (rest,)
    for first, *others in possible:
        if first[0] <= byte <= first[1]:
            return tuple(others)
    return None


if cython.compiled:
    k: cython.int
    for k, numbers in enumerate(steps()):
        STEPS[k] = numbers
    # two characters of three bytes: most text in scripts other than Latin, Greek, Cyrillic, Hebrew and Arabic consists
    # of these
    memcpy(cython.address(WIDE), b"\xe0\x80\x80\xe0\x80\x80\0\0", 8)
    memcpy(cython.address(WIDE_MASK), b"\xf0\xc0\xc0\xf0\xc0\xc0\0\0", 8)

    @cython.cfunc
    @cython.exceptval(check=False)
    def well_formed(
        p: cython.pointer(cython.const[cython.uchar]), i: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.bint:
        """Whether p[i:end] is well-formed UTF-8 (RFC 3629: no over-long form, no surrogate)."""
        w: cython.ulonglong
        high: cython.ulonglong = 0x8080808080808080
        state: cython.ulonglong = 0
        if end - i >= MANY and has_utf8_blocks():
            return utf8_blocks(p + i, end - i)
        while i + 8 <= end:
            if state & 63 == 0:
                memcpy(cython.address(w), p + i, 8)
                if not w & high:
                    i += 8
                    continue
                # the byte after E0 and after ED has a smaller range
                if w & WIDE_MASK == WIDE and p[i] != 0xE0 and p[i] != 0xED and p[i + 3] != 0xE0 and p[i + 3] != 0xED:
                    i += 6
                    continue
            state = STEPS[p[i]] >> (state & 63)
            state = STEPS[p[i + 1]] >> (state & 63)
            state = STEPS[p[i + 2]] >> (state & 63)
            state = STEPS[p[i + 3]] >> (state & 63)
            state = STEPS[p[i + 4]] >> (state & 63)
            state = STEPS[p[i + 5]] >> (state & 63)
            state = STEPS[p[i + 6]] >> (state & 63)
            state = STEPS[p[i + 7]] >> (state & 63)
            i += 8
            if state & 63 == BAD:
                return False
        while i < end:
            state = STEPS[p[i]] >> (state & 63)
            i += 1
        return state & 63 == 0
