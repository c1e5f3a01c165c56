"""Recorded messages of both producers are read as each protocol's twin reads them, in batches of every size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from fuzz.described_engine import DescribedEngine
from fuzz.engine import Engine, Wire
from fuzz.session import ENGINES

from tidewire.events import Events
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

READ = {
    "craft": (3419, 0),
    "canal-json": (3088, 0),
    "open-protocol": (4180, 7),
    "simple": (3852, 0),
    "simple-records": (926, 0),
    "debezium": (5100, 0),
    "avro": (3128, 0),
    "debezium-avro": (959, 13),
}
"""How many there are, and how many are errors: values without their column's name, text that is no UTF-8."""
SIZES = (1, 2, 3, 7, 64)
"""Messages of a batch."""
each_engine = pytest.mark.parametrize("name", ENGINES)


def begun(engine: Engine) -> tuple[Wire, Any]:
    """A decoder and what the twin knows, where nothing is known of tables."""
    if isinstance(engine, DescribedEngine):
        return engine.decoder_with(TableStore()), engine.known_nothing()
    return engine.fresh(), engine.known_before()


def outcomes(engine: Engine, decoder: Wire, values: Sequence[bytes]) -> Iterator[list[Any] | None]:
    """Of each message its events; None where it is an error."""
    columns = decoder.decode(values)
    found, failed = engine.plain(columns), {error.message for error in columns.errors}
    for place in range(len(values)):
        yield None if place in failed else found.get(place, [])


@each_engine
def test_they_are_read_as_the_twin_reads_them(name: str) -> None:
    """A stream in one batch, from what its messages say alone."""
    engine, count, refused = ENGINES[name](1, corpus=()), 0, 0
    for stream in engine.recorded():
        decoder, known = begun(engine)
        expected = engine.expected_of(stream, known)
        found = list(outcomes(engine, decoder, stream))
        assert found == expected
        count, refused = count + len(stream), refused + found.count(None)
    assert (count, refused) == READ[name]


@pytest.mark.once
@each_engine
def test_they_are_the_same_in_batches_of_every_size_and_alone(name: str) -> None:
    engine = ENGINES[name](1, corpus=())
    for stream in list(engine.recorded())[::12]:
        whole = list(outcomes(engine, begun(engine)[0], stream))
        for size in SIZES:
            decoder = begun(engine)[0]
            pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
            assert [one for piece in pieces for one in outcomes(engine, decoder, piece)] == whole
        assert list(alone(engine, stream)) == [events for events in whole if events is not None]


def alone(engine: Engine, stream: Sequence[bytes]) -> Iterator[list[Any]]:
    """The events of messages that are none of them errors, one message a call."""
    described = isinstance(engine, DescribedEngine)
    given: Mapping[str, Any] = {"tables": TableStore()} if described else engine.given(stream)
    options = engine.module.Options(**engine.chosen)
    for value in stream:
        (data,), keys = engine.halves([value])
        if engine.expected_of([value])[0] is not None or described:
            events = engine.module.decode(data, keys and keys[0], options, **given)
            yield engine.plain(events.columns).get(0, []) if isinstance(events, Events) else list(events)
