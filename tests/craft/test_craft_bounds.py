"""How much memory and time messages can cost that only Craft has, and batches of them."""

from __future__ import annotations

import pytest
from timed import fastest, spent

import tidewire.runtime
from craft.test_errors import HOSTILE, hostile
from craft.wire import Cell, Change, parts
from tidewire import craft
from tidewire.runtime.batch import EventColumns

pytestmark = pytest.mark.codec


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
