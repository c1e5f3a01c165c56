"""The recordings of TiCDC's Debezium: keys and values without compression."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import recorded

from debezium.twin import Flat, read
from debezium.twin_tables import Tables

STREAMS = recorded.streams("debezium")


def plain(stream: Path) -> Iterator[tuple[recorded.Recorded, bytes, bytes]]:
    """Each message as it was sent, with its key and value without compression."""
    for message, unpacked in zip(recorded.messages(stream), recorded.plain(stream), strict=True):
        assert unpacked.key is not None
        yield message, unpacked.key, unpacked.value


def events(stream: Path, *, forgetful: bool = False) -> Iterator[tuple[Flat, dict[str, Any], Tables]]:
    """What the twin reads of each message, in order, with what happened and what is known of the tables.

    Args:
        forgetful: nothing is known but what a message says itself.
    """
    truth = recorded.stream_truth(stream)
    tables = Tables()
    for message, key, value in plain(stream):
        (number,) = message.events
        if forgetful:
            tables = Tables()
        found = read(key, value, tables)
        assert found is not None
        yield found, truth[number], tables


def raw(stream: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """Key and value of each message as JSON, members in their order, with what happened."""
    truth = recorded.stream_truth(stream)
    for message, key, value in plain(stream):
        yield json.loads(key), json.loads(value), truth[message.events[0]]
