"""UTF-8 validation: every pair of bytes, and every kind of truncated, over-long, too large or surrogate character."""

from __future__ import annotations

from itertools import product

import pytest

import tidewire.runtime
from canal_json.test_reading import decoded, insert
from tidewire.runtime.wire.utf8 import STATE_BITS, steps

pytestmark = pytest.mark.codec

COMPILED = tidewire.runtime.compiled
AROUND = ("", "p", "pq", "pqrs", "é", "中", "中文字", "pqrstuv", "😀", "aé中😀")
"""What stands before and behind: eight bytes are looked at together, in text beyond ASCII and in Chinese six."""
BAD = STATE_BITS
"""The state that nothing leads out of."""
CUT = "unexpected end of data"
EDGES = (0x22, 0x5C, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xE0, 0xED, 0xFF)


def sequences() -> list[bytes]:
    """Bytes beyond ASCII and what may or may not follow them; no control characters, which JSON forbids."""
    pairs = [bytes(pair) for pair in product(range(0x80, 0x100), range(0x20, 0x100))]
    wide = [bytes(one) for one in product((0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF), EDGES, EDGES)]
    widest = [bytes(one) for one in product((0xF0, 0xF1, 0xF3, 0xF4, 0xF5), EDGES, (0x7F, 0x80, 0xBF, 0xC0), EDGES)]
    return [one for one in pairs + wide + widest if b'"' not in one and b"\\" not in one]


def why_not(data: bytes) -> str | None:
    """Python's reason why bytes are no text, None if they are."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.reason
    return None


def test_what_is_utf8() -> None:
    """Values of a text column that must be text: the row of one that is not is lost, with its reason."""
    chosen = sequences() if COMPILED else sequences()[::23]
    values = [
        AROUND[k % len(AROUND)].encode() + one + AROUND[k // len(AROUND) % len(AROUND)].encode()
        for k, one in enumerate(chosen)
    ]
    head, tail = insert("text", '"@"').split(b"@")
    found = decoded(*(head + value + tail for value in values))
    assert {error.message for error in found.errors} == {k for k, value in enumerate(values) if why_not(value)}
    assert 0 < len(found.errors) < len(values)


def test_letters_at_every_place() -> None:
    """What is right stays right wherever it stands among blocks of eight bytes, and one wrong byte is seen there."""
    head, tail = insert("text", '"@"').split(b"@")
    letters = ("é" * 9, "中" * 9, "😀" * 9, "aé中😀" * 3, "中文é" * 4, "\ud7ff\ue000" * 4)
    right = ["p" * before + text + "q" * behind for text in letters for before in range(9) for behind in (0, 1, 7, 8)]
    assert not decoded(*(head + one.encode() + tail for one in right)).errors
    wrong = []
    for text in letters:
        data = bytearray(b"p" + text.encode() + b"qqqqqqqqq")
        for k in range(len(data)):
            wrong.append(bytes([*data[:k], 0xFF, *data[k + 1 :]]))
    assert len(decoded(*(head + one + tail for one in wrong)).errors) == len(wrong)


def test_table_of_steps() -> None:
    """Python's own decoder agrees about every byte from every state, found by the bytes that lead there."""
    table = steps()
    leads = (b"", b"\xc2", b"\xe1", b"\xf1", b"\xe0", b"\xed", b"\xf0", b"\xf4", b"\xe1\x80", b"\xf1\x80\x80")
    for lead, byte in product(leads, range(256)):
        state = 0
        for step in (*lead, byte):
            state = table[step] >> state & 63
        reason = why_not(lead + bytes([byte]))
        assert (state == 0) == (reason is None), (lead, byte)
        assert (state == BAD) == (reason not in (None, CUT)), (lead, byte)
