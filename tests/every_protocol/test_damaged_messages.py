"""Messages that are cut off, or in which bits are flipped, are errors with a place in them, or are read; they cost no
other message anything.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from fuzz import keyed_inputs, registered_inputs
from fuzz.engine import Engine
from fuzz.registered_engine import RegisteredEngine
from fuzz.session import ENGINES

pytestmark = [pytest.mark.codec, pytest.mark.filterwarnings("ignore::UserWarning")]

MESSAGES = 12
LONGEST = 4800
"""Bytes of a message, key and schemas included."""
CUTS, FLIPS = 200, 60
"""Of each; it is cut at each of its last bytes."""
each_engine = pytest.mark.parametrize("name", ENGINES)


def with_value(engine: Engine, one: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """An input whose value is changed, and its key and schemas are not."""
    if isinstance(engine, RegisteredEngine):
        made = registered_inputs.parted(one)
        return one if made.value is None else registered_inputs.joined(made._replace(value=change(made.value)))
    if engine.halves([one])[1] is None:
        return change(one)
    pair = keyed_inputs.parted(one)
    return keyed_inputs.joined(pair._replace(value=change(pair.value)))


def flipped(value: bytes, chance: Random) -> bytes:
    at = chance.randrange(len(value))
    return value[:at] + bytes((value[at] ^ 1 << chance.randrange(8),)) + value[at + 1 :]


def check(engine: Engine, damaged: list[bytes], good: bytes) -> list[list[Any] | None]:
    """The events of damaged messages, each of which has a good one behind it; None where one is an error."""
    values = [one for each in damaged for one in (each, good)]
    columns = engine.fresh().decode(values)
    found, errors = engine.plain(columns), {error.message: error for error in columns.errors}
    for at, error in errors.items():
        assert at is not None
        assert at % 2 == 0
        assert 0 <= error.offset <= len(engine.part(values[at], error))
    (expected,) = engine.expected_of([good])
    assert all(found.get(at, []) == expected for at in range(1, len(values), 2))
    return [None if at in errors else found.get(at, []) for at in range(0, len(values), 2)]


def good_messages(engine: Engine, chance: Random) -> list[bytes]:
    """Some that are short enough, and read whatever others say."""
    good = [one for one in engine.messages() if len(one) <= LONGEST and engine.is_steady(one)]
    return chance.sample(good, min(MESSAGES, len(good)))


@each_engine
def test_what_is_cut_off_is_refused(name: str) -> None:
    """Nearly everywhere: some values are whole where an object or a frame ends."""
    engine, chance = ENGINES[name](1, corpus=()), Random(4)
    made = errors = 0
    for one in good_messages(engine, chance):
        damaged = [with_value(engine, one, lambda value, size=size: value[:size]) for size in range(-CUTS, 0)]  # type: ignore[misc]
        damaged = [each for each in damaged if each != one]
        found = check(engine, damaged, one)
        assert found == engine.expected_of(damaged)
        made, errors = made + len(damaged), errors + found.count(None)
    assert 0.9 * made < errors <= made


@each_engine
def test_flipped_bits_are_read_or_refused(name: str) -> None:
    engine, chance = ENGINES[name](1, corpus=()), Random(5)
    for one in good_messages(engine, chance):
        check(engine, [with_value(engine, one, lambda value: flipped(value, chance)) for _ in range(FLIPS)], one)
