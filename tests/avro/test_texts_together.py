"""UTF-8 checks of the texts of many rows at once, and of long texts in blocks: invalid text affects only its own row.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from random import Random

import pyarrow as pa
import pytest

import tidewire.runtime
from tidewire import avro
from tidewire.events import Events
from tidewire.messages.registry import MemorySchemas, RegisteredSchema

pytestmark = pytest.mark.codec

KEY = {"type": "record", "name": "k", "fields": [{"name": "id", "type": "int"}]}
ROW = {"type": "record", "name": "t", "fields": [{"name": "v", "type": ["null", "string"]}]}
SCHEMAS = MemorySchemas([RegisteredSchema(id, f"s{id}", 1, json.dumps(one)) for id, one in ((1, KEY), (2, ROW))])
TOGETHER, ONE_BY_ONE = pa.binary(), pa.large_binary()
BYTES = (0x00, 0x41, 0x7F, *range(0x80, 0xC3), 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, *range(0xF0, 0x100))
"""One of each kind that there is, and all those of which little hangs on a bit."""
LENGTHS = (*range(70), 127, 128, 129, 255, 256, 257, 300, 4095, 4096, 8191, 8192, 70_000)
"""Around those of the ways in which texts are copied, and of what their lengths take up."""

LETTERS = ("aZ", "é\u07ff", "\u0800漢\ud7ff\ue000\uffff", "\U00010000😀\U0010ffff")
"""Of one to four bytes, the first and the last ones among them."""


def _number(value: int) -> bytes:
    value *= 2
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def _message(value: bytes | None) -> bytes:
    return b"\0\0\0\0\2" + (b"\0" if value is None else b"\2" + _number(len(value)) + value)


def _is_text(value: bytes | None) -> bool:
    try:
        return value is None or value.decode() is not None
    except UnicodeDecodeError:
        return False


def _check(values: Sequence[bytes | None], way: pa.DataType, **options: str) -> None:
    """Every text that is one comes out, and of the others their number and what is wrong."""
    sent = pa.array([_message(one) for one in values], way), pa.array([b"\0\0\0\0\1\0"] * len(values), way)
    decoder = avro.Decoder(avro.Options(**options), schemas=SCHEMAS)  # type: ignore[arg-type]
    for _ in range(2):  # with memory that has been used, too
        found = decoder.attempt(*sent)
        assert [error.message for error in found.errors] == [k for k, one in enumerate(values) if not _is_text(one)]
        assert all("not valid UTF-8" in str(error) for error in found.errors)
        texts = [one if one is None else one.decode() for one in values if _is_text(one)]
        assert [event.new["v"] for event in Events(found)] == texts  # type: ignore[attr-defined]


def _made_of(letters: Sequence[int], count: int) -> Iterator[bytes]:
    if count == 0:
        yield b""
    else:
        for rest in _made_of(letters, count - 1):
            for letter in letters:
                yield bytes([letter]) + rest


@pytest.mark.parametrize("before", [0, 3, 14, 15, 30] if tidewire.runtime.compiled else [0, 15])
@pytest.mark.parametrize("behind", [0, 1, 16, 40] if tidewire.runtime.compiled else [0, 16])
def test_bytes_at_every_edge(before: int, behind: int) -> None:
    """All pairs of bytes of one kind each, before and behind an edge of sixteen bytes, in texts short and long."""
    pairs = list(_made_of(BYTES, 2))
    _check([b"a" * before + one + b"b" * behind for one in pairs], ONE_BY_ONE)


@pytest.mark.parametrize("seed", range(12))
def test_bytes_of_long_characters(seed: int) -> None:
    """Three and four bytes of any kinds, nearly right."""
    r = Random(seed)
    found: list[bytes | None] = []
    for _ in range(2000):
        letters = "".join(r.choices(r.choice(LETTERS), k=9))
        value = bytearray(b"x" * r.randrange(20) + letters.encode() + b"y" * r.randrange(20))
        for _ in range(r.randrange(2)):
            value[r.randrange(len(value))] = r.choice(BYTES)
        found.append(bytes(value[: r.randrange(len(value) + 1)] if r.random() < 0.2 else value))
    _check(found, ONE_BY_ONE)


@pytest.mark.parametrize("kind", ["漢".encode(), "😀".encode(), "é".encode()])
def test_a_character_in_two_rows(kind: bytes) -> None:
    """Its bytes lie behind each other in the column, and yet are no character."""
    for cut in range(1, len(kind)):
        values: list[bytes | None] = [b"a" * (k % 40) for k in range(300)]
        values[100:102] = [b"x" + kind[:cut], kind[cut:] + b"y"]
        values[200:203] = [kind[:cut], None, kind[cut:]]
        values[250:253] = [kind[:cut], b"", kind[cut:]]
        values[299] = kind[:cut]
        _check(values, TOGETHER)


@pytest.mark.parametrize("seed", range(8))
def test_lengths(seed: int) -> None:
    """Texts of every length, null and empty ones among them, of letters of one byte and more."""
    r = Random(seed)
    found: list[bytes | None] = []
    for size in r.choices(LENGTHS, k=1000):
        letter = r.choice(("a", "é", "漢", "😀")).encode()
        found.append(r.choice((None, b"", *(4 * (letter * (size // len(letter)),)))))
    _check(found, TOGETHER)


def test_lengths_that_are_none() -> None:
    """Below 0, above what is there, and of more bits than numbers have: each costs its row."""
    most = b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\1"
    wrong = [b"\1", b"\x81\1", b"\x02", b"\xff\xff\xff\xff\x0f", most, b"\x80" * 10 + b"\1", b""]
    values = [_message(b"v%d" % k) for k in range(500)]
    for k, one in enumerate(wrong):
        values[50 * k + 7] = b"\0\0\0\0\2\2" + one
    values[450] = b"\0\0\0\0\2\4" + b"\2a"  # no branch of the union
    keys = [b"\0\0\0\0\1\0"] * len(values)
    for way in (TOGETHER, ONE_BY_ONE):
        found = avro.Decoder(schemas=SCHEMAS).attempt(pa.array(values, way), pa.array(keys, way))
        assert [error.message for error in found.errors] == [7, 57, 107, 157, 207, 257, 307, 450]
        texts = [event.new["v"] for event in Events(found)]  # type: ignore[attr-defined]
        assert texts == [f"v{k}" for k in range(500) if k not in {error.message for error in found.errors}]
