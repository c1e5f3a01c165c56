"""The Avro recordings by name, and with their schema files."""

from __future__ import annotations

from pathlib import Path

import recorded

from avro.recordings import STREAMS, messages
from tidewire import avro


def streams() -> list[Path]:
    """Some streams, of every option set and both producers some."""
    return STREAMS[::5]


def stream(scenario: str, option_set: str) -> Path:
    """One of our own scenarios."""
    return next(one for one in STREAMS if one.parent.name == scenario and recorded.option_set(one) == option_set)


def registry(stream: Path) -> str:
    """The file with the schemas of a stream."""
    return str(stream.with_suffix(".registry.json"))


def options(stream: Path) -> avro.Options:
    """Options that a stream is read with."""
    return avro.Options(schema_registry=registry(stream))


def values_and_keys(stream: Path) -> tuple[list[bytes | None], list[bytes | None]]:
    """The messages of a stream as two lists."""
    found = list(messages(stream))
    return [one.value for one in found], [one.key for one in found]
