"""Varints and chunks, through messages: read as they were written, and written as the twin writes them."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from craft import wire
from craft.plain import made, plain
from craft.strategies import blobs, floats, ints, statements, texts, uints
from craft.twin import read
from craft.wire import Cell, Change, Mark, Parts, Statement
from tidewire import craft
from tidewire.events import Events
from tidewire.runtime.errors import DecodeError

pytestmark = pytest.mark.codec


def decoded(message: bytes) -> list[wire.Plain]:
    """The events of a message, by the codec; the twin has to agree."""
    found = plain(craft.decode(message))
    assert found == read(message)
    return found


def encoded(events: list[wire.Plain], **options: int) -> list[bytes]:
    """The messages of events, by the codec."""
    messages = craft.encode(Events.of(made(events)), craft.Options(**options))  # type: ignore[arg-type]
    return [message.value or b"" for message in messages]


def row(*cells: Cell, partition: int | None = None) -> Change:
    return Change("insert", 1, "s", "t", partition, cells, None)


@given(st.lists(uints, min_size=1, max_size=20))
@example([5, 3])
@example([0, 2**64 - 1, 0])
def test_delta_uvarints(stamps: list[int]) -> None:
    """commit ts: increasing, equal and decreasing (differences modulo 2^64)."""
    message = wire.write([Mark(ts) for ts in stamps])
    assert decoded(message) == [Mark(ts) for ts in stamps]
    rows: list[wire.Plain] = [Change("insert", ts, "s", "t", None, (Cell("c", 3, 0, 1),), None) for ts in stamps]
    assert encoded(rows, max_batch_size=len(rows)) == [wire.write(rows)]


@given(st.lists(ints.filter(lambda value: value != -1), min_size=1, max_size=20))
@example([2**63 - 1, -(2**63)])
@example([-(2**63), 2**63 - 1, 0])
def test_delta_varints(partitions: list[int]) -> None:
    """Partition ids: differences modulo 2^64, whatever the sign."""
    rows: list[wire.Plain] = [row(Cell("c", 3, 0, 1), partition=p) for p in partitions]
    message = wire.write(rows)
    assert decoded(message) == rows
    assert encoded(rows, max_batch_size=len(rows)) == [message]


@given(st.lists(st.tuples(st.integers(0, 255), uints), min_size=1, max_size=20))
def test_uvarints(described: list[tuple[int, int]]) -> None:
    """Types and flags of columns."""
    event = row(*(Cell(f"c{k}", kind, flags, None) for k, (kind, flags) in enumerate(described)))
    message = wire.write([event])
    assert decoded(message) == [event]
    assert encoded([event]) == [message]


@given(st.lists(texts.filter(bool), min_size=1, max_size=12, unique=True))
def test_strings(terms: list[str]) -> None:
    """The dictionary: lengths first, then all texts."""
    event = row(*(Cell(term, 3, 0, 1) for term in terms))
    message = wire.write([event])
    assert decoded(message) == [event]
    assert encoded([event]) == [message]


@given(st.lists(st.none() | blobs, min_size=1, max_size=20))
def test_nullable_bytes(contents: list[bytes | None]) -> None:
    """Values of columns: null is a length of -1, empty one of 0."""
    event = row(*(Cell(f"c{k}", 252, 1, content) for k, content in enumerate(contents)))
    message = wire.write([event])
    assert decoded(message) == [event]
    assert encoded([event]) == [message]


@given(ints, uints, floats)
def test_numbers_in_cells(signed: int, unsigned: int, float64: bytes) -> None:
    """A number fills its cell exactly: zigzag, uvarint and float64."""
    cells = Cell("i", 8, 0, signed), Cell("u", 8, 0x80, unsigned), Cell("b", 16, 0, unsigned), Cell("f", 5, 0, float64)
    event = row(*cells)
    message = wire.write([event])
    assert decoded(message) == [event]
    assert encoded([event]) == [message]


@given(statements)
def test_string(event: Statement) -> None:
    """DDL: type and query."""
    assert decoded(wire.write([event])) == [event]
    assert encoded([event]) == [wire.write([event])]


def padded(number: int, size: int, back_to_front: bool = False) -> bytes:
    """A uvarint that is longer than it has to be."""
    image = wire.uvarint(number)
    image = bytes(b | 0x80 for b in image) + b"\x80" * (size - len(image) - 1) + b"\0"
    return image[::-1] if back_to_front else image


@pytest.mark.parametrize("size", range(2, 11))
def test_overlong_numbers_are_read(size: int) -> None:
    """`81 00` is 1, as for the producer's own reader; up to 10 bytes, wherever a number stands."""
    parts = wire.parts([row(Cell("c", 3, 0, 7))])
    described = padded(4, size) + padded(3, size) + padded(0, size) + padded(2 * size, size)
    parts.bodies = [b"\x01" + padded(1, size) + described + padded(14, size)]
    parts.group_sizes = [[len(parts.bodies[0])]]
    parts.version = padded(1, size)
    parts.headers = padded(1, size) * 2 + padded(1, size) + padded(0, size) + padded(2, size)
    parts.dictionary = padded(3, size) + padded(1, size) * 3 + b"stc"
    sections = parts.sections()
    sizes = [len(sections["headers"]), len(sections["terms"]) - len(sections["headers"])]
    body = padded(1, size) + padded(2 * len(parts.bodies[0]), size)
    parts.size_tables = padded(2, size) + b"".join(padded(wire.zigzag(v), size) for v in sizes) + body * 2
    parts.trailer = padded(len(parts.size_tables), size, back_to_front=True)
    assert decoded(parts.build()) == [row(Cell("c", 3, 0, 7))]


@pytest.mark.parametrize("tail", [b"\x80" * 10 + b"\0", b"\x80" * 9 + b"\x02", b"\xff" * 10 + b"\x01", b"\xff" * 20])
def test_more_than_64_bits(tail: bytes) -> None:
    """An 11th byte, or more than one bit in the 10th, is an overflow at the number's first byte."""
    parts = Parts(bodies=[b""], headers=tail + b"\x03\x01\x01\x01", terms=[])
    with pytest.raises(DecodeError) as caught:
        craft.decode(parts.build())
    assert (caught.value.code, caught.value.field, caught.value.offset) == ("overflow", "headers/commit_ts", 1)
    with pytest.raises(DecodeError) as caught:
        craft.decode(b"\x01" + b"\0" * 20 + tail[::-1])
    assert (caught.value.code, caught.value.field) == ("overflow", "sizes_length")


@pytest.mark.parametrize("number", [0, 1, 127, 128, 2**63 - 1, 2**63, 2**64 - 1])
def test_a_truncated_number_is_refused(number: int) -> None:
    """Go reads 0 where the bytes run out inside a number. Here it is an error: the section ends where its size says."""
    image = wire.uvarint(number)
    for cut in range(len(image)):
        headers = b"\0\x03\x01\x01" + image[:cut]
        with pytest.raises(DecodeError) as caught:
            craft.decode(Parts(bodies=[b""], headers=headers).build())
        assert (caught.value.code, caught.value.field, caught.value.offset) == ("truncated", "headers/table", 5)
