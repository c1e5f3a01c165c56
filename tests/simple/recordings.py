"""The recordings of Simple: uncompressed values without claim checks, and their contents."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import recorded

from simple.twin import Flat, Tables, read

STREAMS = recorded.streams("simple")


def plain(stream: Path) -> Iterator[tuple[recorded.Recorded, bytes]]:
    """Each message as it was sent, with its value without compression."""
    for message, unpacked in zip(recorded.messages(stream), recorded.plain(stream), strict=True):
        yield message, unpacked.value


def claimed(stream: Path, location: str) -> bytes:
    """The value that a claim-check file has, without its compression."""
    options = recorded.header(stream)["options"]
    data = (stream.with_suffix(".claims") / location.rpartition("/")[2]).read_bytes()
    if not options.get("claim-check-raw-value"):
        data = base64.b64decode(json.loads(data)["value"])
    return recorded.inflated(recorded.compression(stream), data)


def events(stream: Path) -> Iterator[tuple[Flat, dict[str, Any]]]:
    """What the twin reads of each message, in order, with what happened; the whole row where a claim is checked."""
    truth = recorded.stream_truth(stream)
    tables: Tables = {}
    for message in recorded.plain(stream):
        found = read(message.value, tables)
        (number,) = message.events
        if found.claim_check is not None:
            whole = read(claimed(stream, found.claim_check), tables)
            assert found.handle_key_only
            assert found == whole._replace(
                handle_key_only=True, claim_check=found.claim_check, new=found.new, old=found.old
            )
            yield whole, truth[number]
        yield found, truth[number]


def raw(stream: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The message of each value as JSON, members in their order, with what happened."""
    truth = recorded.stream_truth(stream)
    for message in recorded.plain(stream):
        yield json.loads(message.value), truth[message.events[0]]
