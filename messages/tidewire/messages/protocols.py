"""The functions of a package of protocols: their list, transcoding between them, and detection."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tidewire.messages.by_protocol import ByProtocol

if TYPE_CHECKING:
    import pyarrow as pa

    from tidewire.messages.delivery.ddl_types import EventFacts
    from tidewire.messages.delivery.transcoding import Report, Transcoder
    from tidewire.messages.detecting.detection import Detection
    from tidewire.messages.registry import SchemaRegistry
    from tidewire.runtime.tables import DescribedTable


@dataclass(frozen=True, slots=True)
class ProtocolInfo:
    """One of TiCDC's protocols."""

    name: str
    title: str
    producers: tuple[str, ...]
    module: str
    """The name of its module."""
    importer: Callable[[str], ModuleType] = field(repr=False, compare=False)
    """Imports the module: `importlib.import_module`, which the generated list of protocols passes in."""
    writes: bool = True
    """Whether it has an encoder; without it messages are only read."""

    @property
    def state(self) -> str:
        """`ready`, or `missing` if its module has not been generated."""
        return "ready" if importlib.util.find_spec(self.module) is not None else "missing"

    def load(self) -> ModuleType:
        """The protocol's module; imported on the first call."""
        return self.importer(self.module)


class Protocols:
    """The protocols of a package."""

    def __init__(self, listed: Sequence[ProtocolInfo], facts: Callable[[], EventFacts]) -> None:
        """
        Args:
            listed: all protocols.
            facts: returns the facts about event classes. It is called only when messages are read, since it imports the
                module of these classes.
        """
        self._listed = tuple(listed)
        self._facts = facts

    def protocols(self) -> ByProtocol[ProtocolInfo]:
        """The protocols by TiCDC's names; `-` and `_` are the same, and case does not matter.

        For any other name it raises `tidewire.messages.by_protocol.UnknownProtocolError`, a KeyError whose text lists
        the valid ones.
        """
        return ByProtocol({one.name: one for one in self._listed})

    def other_protocols(self, name: str) -> Callable[[], Iterator[ModuleType]]:
        """An iterator over the modules of all other protocols, each imported when it is reached."""
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
        """A transcoder, which converts messages of one protocol into messages of another, batch by batch.

        Args:
            source: name of the protocol to read.
            target: name of the protocol to write.
            source_options: options of the source, as strings under TiCDC's names.
            target_options: options of the target, likewise.
            tables: table descriptions, such as a TableStore, for protocols that describe tables in separate messages:
                rows of the source are read with them, and messages of the target refer to them. A table without one is
                described from the columns of its rows.
            schemas: the schema registry for protocols that need one; None: the one in the options.

        Raises:
            UnknownProtocolError: there is no such protocol.
            OptionError: an option is unknown or invalid, or the target registers schemas and no registry is given.
            ContradictionError: two descriptions of one version of a table contradict each other.
        """
        from tidewire.messages.delivery.transcoding import Transcoder

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
        """Converts messages of one protocol into messages of another. Returns columns key, value, first_event and
        events, and a report of what the target cannot carry.

        Args:
            messages: values of messages of the source (a binary array or a sequence of bytes), or event columns.
            source: name of the protocol to read.
            target: name of the protocol to write.
            source_options: options of the source, as strings under TiCDC's names.
            target_options: options of the target, likewise.
            keys: keys of the messages.
            tables, schemas: as in `transcoder`.

        Raises:
            UnknownProtocolError: there is no such protocol.
            OptionError: as in `transcoder`.
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
        """Detects which protocol messages have: protocol, compression, batching and, as far as the bytes show it,
        producer and options.

        Args:
            values: the messages' values, a binary array or a sequence of bytes, or a single message. Of many messages a
                sample is examined.
            keys: keys of the messages.
            options: whether to detect producer and options as well, which takes up to a second.
            known: protocol options that cannot be detected from bytes, as strings under TiCDC's names: the location of
                the schema registry, how a connector formats values.
            tables: descriptions of tables that the messages themselves do not describe, such as a TableStore.

        Raises:
            ArgumentError: a value is not bytes, or `known` is not a mapping.
        """
        from tidewire.messages.detecting.detection import detect as found
        from tidewire.runtime.errors import ArgumentError
        from tidewire.runtime.tables.store import listed

        if not isinstance(known, Mapping | None):
            raise ArgumentError(f"known options are strings by their names, not {type(known).__name__}")

        modules = {name: one.load() for name, one in self.protocols().items()}
        facts = self._facts()
        return found(modules, values, keys, facts.kinds, facts.roles, options, known or {}, listed(tables))
