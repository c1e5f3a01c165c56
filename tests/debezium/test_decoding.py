"""The decoder reads every recorded event of both producers, with the same values as the twin."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import recorded

from debezium.recordings import STREAMS, events, plain
from debezium.twin import Flat
from tidewire import debezium
from tidewire.events import Event, Events

pytestmark = pytest.mark.codec

RECORDED = 5100
"""Events of all streams."""
SIZES = (1, 2, 3, 7, 64, 4096)
"""Messages of a batch."""


def zeros_off(value: Any) -> Any:
    """A number or a time without zeros at the end of what is behind its point: the twin does not know how many a
    column has, which the descriptions of tables tell the decoder.
    """
    return re.sub(r"\.?0+$", "", value) if isinstance(value, str) and re.fullmatch(r"[-0-9 :]+\.\d+", value) else value


def check(found: Any, twin: Flat) -> None:
    """Holds an event against the twin's."""
    for name in ("kind", "commit_ts", "sent_ms"):
        assert getattr(found, name) == getattr(twin, name)
    if twin.kind != "watermark":
        assert (found.schema or None, found.table or None) == (twin.schema, twin.table)
    if twin.kind == "ddl":
        assert found.query == twin.query
        return
    for side in ("new", "old"):
        image, wanted = getattr(found, side, None), getattr(twin, side)
        assert (image is None) == (wanted is None)
        if image is not None:
            assert list(image) == list(wanted)
            assert list(map(zeros_off, image.values())) == list(map(zeros_off, wanted.values()))
    if twin.new is not None or twin.old is not None:
        assert found.start_ts == twin.start_ts


def both(stream: Path) -> tuple[list[bytes], list[bytes]]:
    """The values and the keys of a stream."""
    messages = list(plain(stream))
    return [value for _, _, value in messages], [key for _, key, _ in messages]


def in_batches(values: Sequence[bytes], keys: Sequence[bytes], size: int) -> list[Event]:
    """The events of all messages, by one decoder in batches of that size; none has an error."""
    decoder, found = debezium.Decoder(), []
    for at in range(0, len(values), size):
        columns = decoder.decode(values[at : at + size], keys[at : at + size])
        assert not columns.errors
        found += list(Events(columns))
    return found


def test_every_recording_is_read() -> None:
    assert sum(1 for stream in STREAMS for _ in recorded.messages(stream)) == RECORDED


@pytest.mark.parametrize("stream", STREAMS, ids=recorded.stream_name)
def test_every_event_is_what_the_twin_finds(stream: Path) -> None:
    values, keys = both(stream)
    found = in_batches(values, keys, len(values))
    twins = [flat for flat, _, _ in events(stream)]
    assert len(found) == len(twins)
    for one, twin in zip(found, twins, strict=True):
        check(one, twin)


@pytest.mark.parametrize("size", SIZES)
def test_events_are_the_same_in_batches_of_every_size(size: int) -> None:
    for stream in STREAMS[:: len(STREAMS) // 12]:
        values, keys = both(stream)
        assert in_batches(values, keys, size) == in_batches(values, keys, len(values))
