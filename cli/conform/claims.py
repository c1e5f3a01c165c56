"""Files that messages point to: those of a recording beside those that are written while it is encoded again."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from tidewire.cli.conform.alike import Alike
from tidewire.cli.seen_tables import SeenTables
from tidewire.events import Event, Events
from tidewire.runtime.delivery.claims import Claimed, ClaimFiles
from tidewire.runtime.errors import TidewireError


@dataclass(slots=True)
class MemoryStore:
    """A store for files in memory, with locations like those of the recording's producer."""

    url: str
    files: dict[str, Claimed] = field(default_factory=dict)

    def location(self) -> str:
        """A location as the producer makes them."""
        return f"{self.url.rstrip('/')}/{uuid.uuid4()}.json"

    def write(self, location: str, value: bytes, key: bytes | None) -> None:
        """Keeps a message."""
        self.files[location] = Claimed(key, value)


def memory_store(protocol: Any, options: Any) -> MemoryStore | None:
    """The store for files that are written with these options; None when none are written."""
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
    """Messages of events; files that they point to go to `kept`.

    Args:
        tables: what an encoder is given that asks what tables are.
    """
    if kept is None:
        return list(protocol.encode(events, options, **tables))
    batch = protocol.Encoder(options, kept, **tables).encode(Events.of(events).columns)
    return [protocol.Message(*row.values()) for row in batch.to_pylist()]


class Compared(NamedTuple):
    """The result of comparing files."""

    reasons: tuple[str, ...]
    """Why files that are not the same bytes hold the same."""
    difference: tuple[str, str, str] | None
    """Where one is not the same, what was wanted and what is there."""


class Files:
    """Compares what two messages point to.

    Args:
        protocol: its module.
        options: of the stream, with the folder of the recorded files.
        alike: tells whether two messages say the same.
        tables: the descriptions of tables that are known.
    """

    def __init__(self, protocol: Any, options: Any, alike: Alike, tables: SeenTables) -> None:
        self._protocol = protocol
        self._tables = tables
        self._pointing = replace(options, claim_check="")
        self._recorded: ClaimFiles = protocol.Decoder(options).files
        self._alike = alike

    def compare(self, wanted: Any, got: Any, kept: MemoryStore) -> Compared:
        """Whether the files that two messages point to hold the same.

        Args:
            wanted: the recorded message.
            got: ours.
            kept: what was written with ours.
        """
        try:
            locations = [self._locations(message) for message in (wanted, got)]
        except TidewireError as error:
            return Compared((), ("claim check", "an event with a location", str(error)))
        if len(locations[0]) != len(locations[1]):
            return Compared((), ("claim check", f"{len(locations[0])} files", f"{len(locations[1])} files"))
        for there, here in zip(*locations, strict=True):
            # The file's name is another one every time.
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
