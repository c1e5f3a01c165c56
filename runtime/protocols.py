"""What a package of protocols offers as a whole: the list of them, transcoding from one to another, and detection."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tidewire.runtime.by_protocol import ByProtocol

if TYPE_CHECKING:
    import pyarrow as pa

    from tidewire.runtime.delivery.transcoding import EventFacts, Report, Transcoder
    from tidewire.runtime.detecting.detection import Detection
    from tidewire.runtime.registry import SchemaRegistry
    from tidewire.runtime.tables import DescribedTable


@dataclass(frozen=True, slots=True)
class ProtocolInfo:
    """A protocol that TiCDC speaks."""

    name: str
    title: str
    producers: tuple[str, ...]
    module: str
    """The name of its module."""
    importer: Callable[[str], ModuleType] = field(repr=False, compare=False)
    """Imports the module of that name: `importlib.import_module`, which the printed list of protocols gives."""

    @property
    def state(self) -> str:
        """ready, or missing where its module has not been generated."""
        return "ready" if importlib.util.find_spec(self.module) is not None else "missing"

    def load(self) -> ModuleType:
        """The protocol's module, which is imported now if it has not been before."""
        return self.importer(self.module)


class Protocols:
    """The protocols of a package."""

    def __init__(self, listed: Sequence[ProtocolInfo], facts: Callable[[], EventFacts]) -> None:
        """
        Args:
            listed: all of them.
            facts: what their events are; asked for when messages are read, as it imports the module of the events.
        """
        self._listed = tuple(listed)
        self._facts = facts

    def protocols(self) -> ByProtocol[ProtocolInfo]:
        """The protocols by TiCDC's names; `-` and `_` are the same, and case does not matter.

        Asked for another name, it raises `tidewire.runtime.by_protocol.UnknownProtocolError`, a KeyError that names the
        right ones.
        """
        return ByProtocol({one.name: one for one in self._listed})

    def other_protocols(self, name: str) -> Callable[[], Iterator[ModuleType]]:
        """The modules of all protocols but this one, which are imported as they are asked for."""
        return lambda: (one.load() for one in self._listed if one.name != name)

    def transcoder(
        self,
        source: str,
        target: str,
        source_options: Mapping[str, str] | None = None,
        target_options: Mapping[str, str] | None = None,
        tables: Iterable[DescribedTable] = (),
        schemas: SchemaRegistry | None = None,
    ) -> Transcoder:
        """What turns messages of one protocol into those of another, batch by batch.

        Args:
            source: name of the protocol that is read.
            target: name of the protocol that is written.
            source_options: the source's, as strings under TiCDC's names.
            target_options: the target's.
            tables: descriptions of tables, such as a TableStore, for protocols that describe tables apart from rows:
                rows of the source are read by them, and the target's say which one they are of. Of tables that are not
                among them, a target's messages have what the rows' columns tell.
            schemas: gives and registers the schemas of records, for protocols whose schemas a registry has; None: what
                options name.

        Raises:
            UnknownProtocolError: there is no such protocol.
            OptionError: an option is unknown or has a value that it cannot have, or schemas of the target have to be
                registered and no registry is named.
            ContradictionError: two descriptions of one version of a table contradict each other.
        """
        from tidewire.runtime.delivery.transcoding import Transcoder

        known = self.protocols()
        reader, writer = known[source].load(), known[target].load()
        return Transcoder(
            reader,
            writer,
            reader.Options.from_strings(source_options or {}),
            writer.Options.from_strings(target_options or {}),
            self._facts(),
            tables,
            schemas,
        )

    def transcode(
        self,
        messages: Any,
        source: str,
        target: str,
        source_options: Mapping[str, str] | None = None,
        target_options: Mapping[str, str] | None = None,
        keys: Any = None,
        tables: Iterable[DescribedTable] = (),
        schemas: SchemaRegistry | None = None,
    ) -> tuple[pa.RecordBatch, Report]:
        """Messages of one protocol as those of another: columns key, value, first_event and events; and a report of
        what the target does not carry.

        Args:
            messages: values of messages of the source (a binary array or a sequence of bytes), or events as columns.
            source: name of the protocol that is read.
            target: name of the protocol that is written.
            source_options: the source's, as strings under TiCDC's names.
            target_options: the target's.
            keys: the messages' keys.
            tables, schemas: as of `transcoder`.

        Raises:
            UnknownProtocolError: there is no such protocol.
            OptionError: as of `transcoder`.
            ContradictionError: two descriptions of one version of a table contradict each other.
        """
        from tidewire.runtime.batch import EventColumns

        made = self.transcoder(source, target, source_options, target_options, tables, schemas)
        if isinstance(messages, EventColumns):
            return made.encode(messages)
        return made.transcode(messages, keys)

    def detect(
        self,
        values: Any,
        keys: Any = None,
        options: bool = True,
        known: Mapping[str, str] | None = None,
        tables: Iterable[DescribedTable] = (),
    ) -> Detection:
        """Whose messages these seem to be: protocol, compression, batching and, as far as bytes tell, producer and
        options.

        Args:
            values: the messages' values, a binary array or a sequence of bytes, or one message. Of many, some are
                looked at.
            keys: the messages' keys.
            options: whether to find out about producer and options, too; it takes up to a second.
            known: options of protocols that are known and that no bytes tell, as strings under TiCDC's names: where the
                schemas of records are, how a connector writes values.
            tables: descriptions of tables that no message describes, such as a TableStore.

        Raises:
            ArgumentError: a value is no bytes, or `known` is no mapping.
        """
        from tidewire.runtime.detecting.detection import detect as found
        from tidewire.runtime.errors import ArgumentError
        from tidewire.runtime.tables.store import listed

        if not isinstance(known, Mapping | None):
            raise ArgumentError(f"known options are strings by their names, not {type(known).__name__}")

        modules = {name: one.load() for name, one in self.protocols().items()}
        facts = self._facts()
        return found(modules, values, keys, facts.kinds, facts.roles, options, known or {}, listed(tables))
