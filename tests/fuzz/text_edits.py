"""Edits of texts of JSON: any bytes, and what is said of something."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random

LONG = (120, 130, 32_760, 40_000, 65_500)
"""Bytes of long values: around 128, 2^15 and 2^16 other memory is given to the values that come next."""
PIECES = (
    *(bytes((byte,)) for byte in b'"\\{}[],: .e-0'),
    *(b"null", b"true", b"1e5", b"1.0", b"0.1", b'""', b"{}", b"[]", b"9" * 25, b"\r\n", b"\x00", b"\x1f"),
    *(rb"\u0041", rb"\ud800", rb"\udc00", rb"\u003c", rb"\/", rb"\b", b"\xff", b"\xc3\xa9", b"\xed\xa0\x80"),
    *(b'"type"', b'"data"', b"INSERT", b"UPDATE", b"DELETE", b"18446744073709551616", b"-9223372036854775809"),
    *(b"enum('a')", b"varchar", b"binary", b"float", b"double", b"bigint unsigned", b"tinyint", b"[" * 600),
    *(b"x" * size for size in LONG),
)
"""What is put into messages."""


def edited(chance: Random, content: bytes, corpus: Sequence[bytes], pieces: Sequence[bytes] = PIECES) -> bytes:
    """One change: a bit, a piece put in, taken out or replaced, a graft, another string, the end cut.

    Args:
        chance: picks it.
        content: what is changed.
        corpus: where grafts come from.
        pieces: what is put in.
    """
    image = bytearray(content)
    place = chance.randrange(len(image) + 1)
    choice = chance.randrange(8)
    if choice == 0 and image:
        image[place % len(image)] ^= 1 << chance.randrange(8)
    elif choice == 1:
        image[place:place] = chance.choice(pieces)
    elif choice == 2:
        del image[place : place + chance.randrange(1, 12)]
    elif choice == 3:
        image[place : place + chance.randrange(1, 6)] = chance.choice(pieces)
    elif choice == 4:
        other = chance.choice(corpus)
        start = chance.randrange(len(other) + 1)
        image[place : place + chance.randrange(60)] = other[start : start + chance.randrange(60)]
    elif choice < 7:
        quotes = [at for at, byte in enumerate(image) if byte == 34]
        if len(quotes) > 1:
            at = chance.randrange(len(quotes) - 1)
            image[quotes[at] + 1 : quotes[at + 1]] = chance.choice(pieces)
    else:
        del image[place:]
    return bytes(image)


def told_otherwise(
    chance: Random,
    content: bytes,
    facts: Mapping[bytes, Sequence[bytes]],
    pattern: re.Pattern[bytes],
    pieces: Sequence[bytes] = PIECES,
) -> bytes | None:
    """One fact told otherwise, or left out with its name; None where none is told.

    Args:
        chance: picks it.
        content: what is changed.
        facts: by name what stands in place of what is told.
        pattern: finds a fact; its groups are the name and what is told.
        pieces: what may stand in its place as well.
    """
    found = list(pattern.finditer(content))
    if not found:
        return None
    fact = chance.choice(found)
    if chance.random() < 0.1:
        return content[: fact.start()] + content[fact.end() + (content[fact.end() : fact.end() + 1] == b",") :]
    put = chance.choice(facts[fact[1]] if chance.random() < 0.9 else pieces)
    return content[: fact.start(2)] + put + content[fact.end(2) :]
