"""The conformance run over every recorded message of Open Protocol: with keys, claim-check files and compression."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from json_twin import MalformedError
from recorded import golden_open, messages

from open_protocol.twin import read
from tidewire import open_protocol
from tidewire.cli.conform import recording, truth
from tidewire.cli.conform.check import check
from tidewire.events import Event, RowChange

pytestmark = pytest.mark.codec

NAMELESS = "open-protocol.updated-only.jsonl"
"""Streams in which the new producer writes values that became NULL without a column's name: nobody can tell whose."""
DEFECT = "updated-null-loses-its-name"


def nameless_messages() -> Iterator[tuple[recording.RecordedStream, dict[int, Event], recording.RecordedLine]]:
    """The messages that nobody can read, each with its stream and its truth, as if there were no others."""
    for stream in recording.find(golden_open() / "ticdc"):
        if stream.path.name == NAMELESS:
            numbers = unreadable(stream.path)
            happened = truth.load(stream.truth)
            for line in recording.read(stream):
                if line.number in numbers:
                    (event,) = line.events
                    yield stream, {0: happened[event]}, replace(line, number=0, events=(0,))


def test_what_a_lost_name_excuses_and_nothing_more() -> None:
    """Each byte of the value counts, so do the producer and what happened."""
    for stream, happened, line in nameless_messages():
        assert check(stream, [line], happened, open_protocol).different == 0
        assert line.value is not None
        for at in range(0, len(line.value), 41):
            value = bytearray(line.value)
            value[at] ^= 1
            changed = check(stream, [replace(line, value=bytes(value))], happened, open_protocol)
            assert changed.decoded.different + changed.from_truth.different > 0, at
        classic = replace(stream, producer="tiflow")
        assert check(classic, [line], happened, open_protocol).different > 0
        event = happened[0]
        assert isinstance(event, RowChange)
        assert event.old is not None
        inserted = RowChange("insert", event.commit_ts, event.schema, event.table, new=event.new, columns=event.columns)
        assert check(stream, [line], {0: inserted}, open_protocol).different > 0


def unreadable(stream: Path) -> list[int]:
    """The numbers of the messages that have values without a column's name."""
    found = []
    for message in messages(stream):
        try:
            read(message.key, message.value)
        except MalformedError:
            assert any(not isinstance(column, dict) for column in old_row(message.value).values())
            found.append(message.number)
    return found


def old_row(value: bytes) -> dict[str, object]:
    """The old row of a value of one event."""
    found: dict[str, object] = json.loads(value[8:])["p"]
    return found


def test_only_the_new_producer_loses_names() -> None:
    streams = {path: unreadable(path) for path in golden_open().glob(f"*/*/{NAMELESS}")}
    assert sum(map(len, streams.values())) == 7
    assert {path.parts[-3] for path, numbers in streams.items() if numbers} == {"ticdc"}
