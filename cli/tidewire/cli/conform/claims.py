"""Files that messages point to: compares recorded ones with those that encoding writes."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from tidewire.cli.conform.alike import Alike
from tidewire.cli.seen_tables import SeenTables
from tidewire.events import Event, Events
from tidewire.messages.delivery.claims import Claimed, ClaimFiles
from tidewire.runtime.errors import TidewireError


@dataclass(slots=True)
class MemoryStore:
    """An in-memory store for files, with locations like those of the recording's producer."""

    url: str
    files: dict[str, Claimed] = field(default_factory=dict)

    def location(self) -> str:
        """A new location in the producer's form."""
        return f"{self.url.rstrip('/')}/{uuid.uuid4()}.json"

    def write(self, location: str, value: bytes, key: bytes | None) -> None:
        """Stores a message."""
        self.files[location] = Claimed(key, value)


def memory_store(protocol: Any, options: Any) -> MemoryStore | None:
    """The store for files that encoding with these options writes; None if it writes none."""
    large = protocol.FACTS.large
    way = None if large is None else large.ways.get(options.value(large.option))
    return MemoryStore(options.value(large.store)) if way is not None and way.stored else None


def encode(
    protocol: Any,
    options: Any,
    events: Sequence[Event],
    kept: MemoryStore | None,
    tables: Mapping[str, Any] = MappingProxyType({}),
) -> list[Any]:
    """Encodes events; files that messages point to are written to `kept`.

    Args:
        tables: encoder arguments with table descriptions.
    """
    if kept is None:
        return list(protocol.encode(events, options, **tables))
    batch = protocol.Encoder(options, kept, **tables).encode(Events.of(events).columns)
    return [protocol.Message(*row.values()) for row in batch.to_pylist()]


class Compared(NamedTuple):
    """The result of comparing files."""

    reasons: tuple[str, ...]
    """Why files with different bytes are equivalent."""
    difference: tuple[str, str, str] | None
    """The first difference: place, expected value, actual value."""


class Files:
    """Compares the files that two messages point to.

    Args:
        protocol: module of the protocol.
        options: options of the stream, with the folder of the recorded files.
        alike: compares two messages.
        tables: known table descriptions.
    """

    def __init__(self, protocol: Any, options: Any, alike: Alike, tables: SeenTables) -> None:
        self._protocol = protocol
        self._tables = tables
        self._pointing = replace(options, claim_check="")
        self._recorded: ClaimFiles = protocol.Decoder(options).files
        self._alike = alike

    def compare(self, wanted: Any, got: Any, kept: MemoryStore) -> Compared:
        """Compares the contents of the files that two messages point to.

        Args:
            wanted: the recorded message.
            got: ours.
            kept: the store with the files of our message.
        """
        try:
            locations = [self._locations(message) for message in (wanted, got)]
        except TidewireError as error:
            return Compared((), ("claim check", "an event with a location", str(error)))
        if len(locations[0]) != len(locations[1]):
            return Compared((), ("claim check", f"{len(locations[0])} files", f"{len(locations[1])} files"))
        for there, here in zip(*locations, strict=True):
            # file names are random
            if there.rpartition("/")[0] != here.rpartition("/")[0]:
                return Compared((), ("claim check", there, here))
        found: list[str] = []
        for recorded, own in zip(self._recorded.fetch(locations[0]), map(kept.files.get, locations[1]), strict=True):
            if not isinstance(recorded, Claimed) or own is None:
                return Compared((), ("claim check", str(recorded), "no file" if own is None else "a file"))
            of_key = self._alike.key_reasons(recorded.key, own.key)
            if of_key is None:
                return Compared((), ("claim file's key", repr(recorded.key), repr(own.key)))
            reasons = self._alike.reasons(recorded.value, own.value)
            if reasons is None:
                return Compared((), ("claim file", f"{len(recorded.value)} bytes", f"{len(own.value)} other bytes"))
            found += [*of_key, *reasons]
        return Compared(tuple(dict.fromkeys(found)), None)

    def _locations(self, message: Any) -> list[str]:
        events = self._protocol.decode(message.value, message.key, self._pointing, **self._tables.given)
        return [event.claim_check for event in events if getattr(event, "claim_check", None) is not None]
