"""How much memory and time a message can cost: both grow with its bytes and with nothing that it claims."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from hashlib import sha256

import pyarrow as pa
import pyarrow.compute
import pytest
from timed import fastest

import tidewire.runtime
from craft import wire
from craft.test_errors import HOSTILE, hostile
from craft.wire import NEW, RESOLVED, ROW, Cell, Change, Parts, parts
from tidewire import craft
from tidewire.craft.decoder import Decoder
from tidewire.events import Events
from tidewire.runtime.batch import EventColumns

pytestmark = pytest.mark.codec


def spent(work: Callable[[], object]) -> tuple[int, int]:
    """Most bytes held at once, and bytes held in the end, the result's included; Arrow's own and Python's."""
    arrow = pa.total_allocated_bytes()
    tracemalloc.start()
    try:
        kept = work()
        now, most = tracemalloc.get_traced_memory()
        del kept
    finally:
        tracemalloc.stop()
    return most + max(0, pa.total_allocated_bytes() - arrow), now


@pytest.mark.parametrize("number", HOSTILE)
def test_nothing_is_reserved_on_the_word_of_a_number(number: int) -> None:
    """A size or count of 2^31 - 1 to 2^64 - 1 in a message of 30 bytes: what the decoder takes for itself, and those of
    other protocols, which look whether the message is theirs.
    """
    craft.decode_batch([b"no message"])  # loads the other protocols
    for place, message in hostile(number).items():
        image = message.build()
        most, _ = spent(lambda image=image: craft.decode_batch([image]))  # type: ignore[misc]
        assert most < 250_000, place


def many_events(count: int) -> Parts:
    """Watermarks of 6 bytes each."""
    message = Parts([1] * count, [RESOLVED] * count, [-1] * count, [-1] * count, [-1] * count, [b""] * count)
    return message


def many_rows(count: int) -> Parts:
    """Inserts of one layout, 14 bytes each."""
    return parts([Change("insert", 1, "s", "t", None, (Cell("c", 3, 0, 1),), None)] * count)


def many_columns(count: int) -> Parts:
    """One row of null columns."""
    return parts([Change("insert", 1, "s", "t", None, tuple(Cell(f"{k:x}", 3, 0, None) for k in range(count)), None)])


def many_layouts(count: int) -> Parts:
    """Rows of one column, whose flags are never the same."""
    cells = ((Cell("c", 3, k << 7, 1),) for k in range(count))
    return parts([Change("insert", 1, "s", "t", None, row, None) for row in cells])


def many_tables(count: int) -> Parts:
    """Watermarks that name a table each, of as few terms as can be."""
    message = many_events(count)
    terms = int(count**0.5) + 1
    message.terms = [b"%x" % k for k in range(terms)]
    message.schemas, message.tables = [k // terms for k in range(count)], [k % terms for k in range(count)]
    return message


def many_images(count: int) -> Parts:
    """Updates whose old and new rows have a layout of their own each, of one null: 10 bytes a layout."""

    def row(k: int) -> tuple[Cell, ...]:
        return (Cell(f"{k >> 9:x}", (1, 2, 3, 8)[k & 3], k >> 2 & 127, None),)

    return parts([Change("update", 1, "s", "t", None, row(2 * k), row(2 * k + 1)) for k in range(count // 2)])


def many_texts(count: int) -> Parts:
    """One row of texts of one byte."""
    return parts([Change("insert", 1, "s", "t", None, tuple(Cell(f"{k:x}", 15, 0, "x") for k in range(count)), None)])


def many_tables_with_rows(count: int) -> Parts:
    """Inserts of one null, each into a table of its own: 14 bytes for a table, a layout and a row."""
    terms = int(count**0.5) + 1
    cell = (Cell("0", 3, 0, None),)
    return parts([Change("insert", 1, f"{k // terms:x}", f"{k % terms:x}", None, cell, None) for k in range(count)])


def many_terms(count: int) -> Parts:
    """Empty terms, which nothing uses."""
    message = many_events(1)
    message.dictionary = wire.uvarint(count) + b"\0" * count
    return message


def many_group_tables(count: int) -> Parts:
    """Group tables that no event has; the message is refused."""
    message = many_events(1)
    message.group_sizes = [[]] * count
    return message


def many_groups(count: int) -> Parts:
    """Groups of which the second one is refused."""
    message = parts([Change("insert", 1, "s", "t", None, (Cell("c", 3, 0, 1),), None)])
    message.bodies = [wire.group(NEW, [Cell("c", 3, 0, 1)], [2]) * count]
    message.group_sizes = [[7] * count]
    return message


def nothing_but_sizes(count: int) -> Parts:
    """Body sizes of zero, and headers that are not there for them; refused."""
    message = many_events(1)
    message.types, message.body_sizes = [ROW], [0] * count
    return message


SHAPES: list[tuple[Callable[[int], Parts], int]] = [
    (many_events, 29),
    (many_rows, 15),
    (many_columns, 20),
    (many_texts, 30),
    (many_layouts, 38),
    (many_images, 53),
    (many_tables, 40),
    (many_tables_with_rows, 67),
    (many_terms, 20),
    (many_group_tables, 12),
    (many_groups, 2),
    (nothing_but_sizes, 11),
]
"""Messages, and what each of their bytes may cost."""
NAMES = [shape.__name__ for shape, _ in SHAPES]


COUNTS = (2000, 50_000) if tidewire.runtime.compiled else (2000,)
"""Items of a message: interpreted, the larger number takes long and shows nothing that the smaller one does not."""


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(("shape", "most"), SHAPES, ids=NAMES)
def test_memory_is_a_multiple_of_the_message(shape: Callable[[int], Parts], most: int, count: int) -> None:
    """Bytes held for each byte of the message, at its worst, above what a decoder takes for itself.

    A layout is an object of some hundred bytes, which the wire says in 10, and a table an entry of a list and of an
    index, which it says in 6.
    """
    message = shape(count).build()
    little = many_rows(1).build()
    # what is imported once is no message's doing
    Events(Decoder().decode([little[:-1], little]))
    own, _ = spent(lambda: Events(Decoder().decode([little])))
    held, _ = spent(lambda: Events(Decoder().decode([message])))
    factor = 1 if tidewire.runtime.compiled else 4
    assert (held - own) / len(message) < factor * most


@pytest.mark.parametrize("shape", [shape for shape, _ in SHAPES], ids=NAMES)
def test_time_grows_with_the_message(shape: Callable[[int], Parts]) -> None:
    """Eight times the message: about eight times the time, not 64."""
    size = 1500 if tidewire.runtime.compiled else 250
    small, large = shape(size).build(), shape(8 * size).build()

    def spent_on(message: bytes) -> float:
        return fastest(lambda: craft.Decoder().decode([message]))

    assert spent_on(large) < 40 * max(spent_on(small), 50e-6)


def test_time_grows_with_the_batch() -> None:
    """Bad messages between good ones, each with a layout of its own."""

    def batch(count: int) -> list[bytes]:
        found = []
        for k in range(count):
            message = parts([Change("insert", 1, "s", "t", None, (Cell("c", 3, k << 7, 1),), None)]).build()
            found += [message, message[:-1] + b"\0"]
        return found

    def spent_on(messages: list[bytes]) -> float:
        return fastest(lambda: craft.decode_batch(messages), times=3)

    size = 400 if tidewire.runtime.compiled else 80
    assert spent_on(batch(8 * size)) < 40 * spent_on(batch(size))


def test_a_decoder_keeps_less_than_it_read() -> None:
    """What it remembers is bounded in bytes: 200 messages of 1 MB whose names are never the same."""
    decoder = craft.Decoder()

    def work() -> None:
        for k in range(200):
            message = many_events(1)
            message.terms = [sha256(b"%d" % k).hexdigest().encode() * 15_000]
            decoder.decode([message.build()])

    _, kept = spent(work)
    assert kept < 100 << 20


def test_what_a_decoder_hands_out_is_not_held_twice() -> None:
    """A batch is freed when its columns are; the decoder keeps what it knows of tables, not the values."""
    decoder = craft.Decoder()
    message = parts([Change("insert", 1, "s", "t", None, (Cell("c", 15, 0, "x" * 100_000),), None)]).build()

    def work() -> None:
        for _ in range(50):
            columns: EventColumns = decoder.decode([message] * 10)
            assert columns.num_events == 10

    _, kept = spent(work)
    assert kept < 10 << 20
