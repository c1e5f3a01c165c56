"""Every primitive and chunk by itself: Sink writes what the twin writes, and Cursor reads it and stops where it ends.

Interpreted only: compiled, these methods are C functions that cannot be called from here. test_primitives.py and
tests/every_protocol/test_modes.py say the same of the compiled ones.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craft import wire
from craft.strategies import blobs, floats, ints, uints
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.binary.cursor import Cursor
from tidewire.runtime.binary.sink import Sink
from tidewire.runtime.errors import REASONS, WireError

pytestmark = pytest.mark.codec

FIELD = 7
"""The number of a field: comes back in errors."""


def cursor(data: bytes, before: bytes = b"", after: bytes = b"") -> Cursor:
    """A cursor on the middle one of three messages."""
    ends = [0, len(before), len(before + data), len(before + data + after)]
    found = Cursor()
    found.attach(memoryview(before + data + after + b"\0"), memoryview(array("q", ends)))
    found.load(1)
    return found


def numbers(values: list[int]) -> Numbers:
    found = Numbers()
    found.take(len(values))
    for k, value in enumerate(values):
        found.u64[k] = value & wire.MASK
    return found


def written(write: Callable[[Sink], object]) -> bytes:
    sink = Sink()
    sink.raw(b"before")
    write(sink)
    assert sink.written(0) == b"before" + sink.written(6)
    return sink.written(6)


def refused(read: Callable[[], object]) -> tuple[str, int, int, int]:
    """Reason, offset, needed and available of the error that reading raises."""
    with pytest.raises(WireError) as caught:
        read()
    assert caught.value.field == FIELD
    return REASONS[caught.value.code][0], caught.value.offset, caught.value.needed, caught.value.available


@given(uints)
def test_uvarint(value: int) -> None:
    image = written(lambda s: s.uvarint(value))
    assert image == wire.uvarint(value)
    r = cursor(image, b"\xff" * 3, b"\xff" * 3)
    assert (r.uvarint(FIELD), r.pos) == (value, len(image))
    assert cursor(image).cell_uvarint(0, len(image), FIELD) == value
    for cut in range(len(image)):
        r = cursor(image[:cut], after=image[cut:])
        assert refused(lambda r=r: r.uvarint(FIELD)) == ("truncated", 0, cut + 1, cut)  # type: ignore[misc]
        assert refused(lambda cut=cut: cursor(image).cell_uvarint(0, cut, FIELD)) == ("value", 0, cut, 0)  # type: ignore[misc]


@given(ints)
def test_varint(value: int) -> None:
    image = written(lambda s: s.varint(value))
    assert image == wire.varint(value)
    assert cursor(image).varint(FIELD) == value


@given(uints)
def test_reversed_uvarint(value: int) -> None:
    image = written(lambda s: s.reversed_uvarint(value))
    assert image == wire.reversed_uvarint(value)
    r = cursor(b"\x80\x80" + image, b"\0", b"\0")
    r.select(2, 2 + len(image))
    assert (r.reversed_uvarint(FIELD), r.pos, r.end) == (value, 2, 2)
    for cut in range(1, len(image)):
        r = cursor(image[cut:], image[:cut])
        assert refused(lambda r=r: r.reversed_uvarint(FIELD))[0] == "truncated"  # type: ignore[misc]


@given(floats)
def test_float64(image: bytes) -> None:
    assert written(lambda s: s.float64(struct.unpack("<d", image)[0])) == image
    assert struct.pack("<d", cursor(image).float64(FIELD)) == image
    assert refused(lambda: cursor(image[:7], after=image).float64(FIELD)) == ("truncated", 0, 8, 7)


@given(blobs)
def test_string(text: bytes) -> None:
    image = written(lambda s: s.string(text))
    assert image == wire.string(text)
    r = cursor(image, b"\0", b"\0")
    start = r.string(FIELD)
    assert (r.copy(start, r.pos), r.pos) == (text, len(image))
    if text:
        assert refused(lambda: cursor(image[:-1], after=b"\0").string(FIELD))[0] in ("range", "truncated")


@given(st.lists(blobs, max_size=10))
def test_strings(texts: list[bytes]) -> None:
    image = written(lambda s: s.strings(texts))
    assert image == wire.strings(texts)
    r, ends = cursor(image), Numbers()
    r.strings(len(texts), ends, FIELD)
    places = list(ends.i64[: ends.size])
    assert [r.copy(a, b) for a, b in pairwise(places)] == texts
    assert (r.pos, ends.size) == (len(image), len(texts) + 1)


CHUNKS: list[tuple[str, Callable[[list[int]], bytes], bool]] = [
    ("uvarints", wire.uvarints, False),
    ("varints", lambda values: b"".join(map(wire.varint, values)), True),
    ("delta_uvarints", wire.delta_uvarints, False),
    ("delta_varints", wire.delta_varints, True),
]


@pytest.mark.parametrize(("name", "image_of", "signed"), CHUNKS, ids=[name for name, _, _ in CHUNKS])
@given(data=st.data())
def test_chunks_of_numbers(name: str, image_of: Callable[[list[int]], bytes], signed: bool, data: Any) -> None:
    values: list[int] = data.draw(st.lists(ints if signed else uints, max_size=12))
    image = written(lambda s: getattr(s, name)(numbers(values)))
    assert image == image_of(values)
    r, out = cursor(image, b"\0", b"\0"), numbers([1, 2])
    getattr(r, name)(len(values), out, FIELD)
    assert list((out.i64 if signed else out.u64)[: out.size]) == values
    assert r.pos == len(image)
    r, out = cursor(image), numbers([77])
    getattr(r, "append_" + name)(len(values), out, FIELD)
    assert list((out.i64 if signed else out.u64)[: out.size]) == [77, *values]
    for cut in range(len(image)):
        r = cursor(image[:cut], after=image[cut:])
        assert refused(lambda r=r: getattr(r, name)(len(values), Numbers(), FIELD))[0] == "truncated"  # type: ignore[misc]


@given(st.lists(st.none() | blobs, max_size=12))
def test_sizes_of_nullable_bytes(values: list[bytes | None]) -> None:
    image = wire.nullables(values)
    r, sizes = cursor(image, b"\0", b"\0"), Numbers()
    r.nullable_sizes(len(values), sizes, FIELD)
    assert list(sizes.i64[: sizes.size]) == [-1 if value is None else len(value) for value in values]
    assert len(image) - r.pos == sum(len(value or b"") for value in values)
    for cut in range(len(image)):
        r = cursor(image[:cut], after=image[cut:])
        assert refused(lambda r=r: r.nullable_sizes(len(values), Numbers(), FIELD))[0] in ("truncated", "range")  # type: ignore[misc]


@pytest.mark.parametrize("size", [-(2**63), -(2**32) - 1, -(2**31), -3, -2])
def test_no_size_is_below_minus_one(size: int) -> None:
    assert refused(lambda: cursor(wire.varint(size) + b"x" * 20).nullable_sizes(1, Numbers(), FIELD))[0] == "range"


@pytest.mark.parametrize("number", [2**31 - 1, 2**31, 2**62, 2**63, 2**64 - 1])
def test_nothing_is_reserved_on_the_word_of_a_count(number: int) -> None:
    data = wire.uvarint(number) + b"\0" * 50
    said = min(number, 2**63 - 1)
    assert refused(lambda: cursor(data).count(FIELD)) == ("range", 0, said, 50)
    assert refused(lambda: cursor(data).string(FIELD)) == ("range", 0, said, 50)
    assert refused(lambda: cursor(data).strings(1, Numbers(), FIELD)) == ("truncated", len(data) - 50, said, 50)
    r = cursor(data)
    assert refused(lambda: r.before(len(data), number, FIELD)) == ("range", len(data), said, len(data))
    for name, _, _ in CHUNKS:
        out = Numbers()
        room, read = out.room, getattr(cursor(data), name)
        assert refused(partial(read, said, out, FIELD))[0] == "truncated"
        assert out.room == room
