"""Tidewire: TiDB's change-data protocols as typed events and columns.

`protocols()` lists what there is; each protocol is a module of this package with the same facade (`decode`, `encode`,
`decode_batch`, `encode_batch`, `dissect`, `Options`, `Decoder`, `Encoder`), and all of them speak `tidewire.events`.
"""
# Generated from spec/ by "make generate". Do not edit.

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import tidewire.runtime as _runtime  # decides whether compiled modules are used, before any is imported
from tidewire.runtime.by_protocol import ByProtocol

if TYPE_CHECKING:
    import pyarrow as pa

    from tidewire.runtime.detecting.detection import Detection
    from tidewire.runtime.delivery.transcoding import Report, Transcoder

    __version__: str
    """Of the installed package."""

_runtime.require_api(1)


def __getattr__(name: str) -> str:
    if name == "__version__":
        # asked for here, not at import: it takes longer than all the rest of this module
        return _runtime.installed_version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@dataclass(frozen=True, slots=True)
class ProtocolInfo:
    """A protocol that TiCDC speaks."""

    name: str
    title: str
    state: str
    """ready, or planned when Tidewire does not have it yet."""
    producers: tuple[str, ...]
    load: Callable[[], ModuleType]
    """Imports the protocol's module."""


def _loader(name: str) -> Callable[[], ModuleType]:
    return lambda: importlib.import_module(f"tidewire.{name}")


def _planned(name: str) -> Callable[[], ModuleType]:
    def load() -> ModuleType:
        raise ModuleNotFoundError(f"{name} is not built yet; tidewire.protocols() says what is")

    return load


def other_protocols(name: str) -> Callable[[], Iterator[ModuleType]]:
    """The modules of all protocols that are ready but this one, which are imported as they are asked for."""
    return lambda: (one.load() for one in protocols().values() if one.state == "ready" and one.name != name)


def protocols() -> ByProtocol[ProtocolInfo]:
    """The protocols by TiCDC's names, those that are ready first; `-` and `_` are the same, and case does not matter.

    Asked for another name, it raises `tidewire.runtime.by_protocol.UnknownProtocolError`, a KeyError that names the
    right ones.
    """
    return ByProtocol(
        {
            "canal-json": ProtocolInfo(
                "canal-json", "Canal-JSON", "ready", ("tiflow", "ticdc"), _loader("canal_json")
            ),
            "craft": ProtocolInfo(
                "craft", "TiCDC Craft", "ready", ("tiflow",), _loader("craft")
            ),
            "open-protocol": ProtocolInfo(
                "open-protocol", "TiCDC Open Protocol", "ready", ("tiflow", "ticdc"), _loader("open_protocol")
            ),
            "debezium": ProtocolInfo(
                "debezium", "Debezium", "planned", (), _planned("debezium")
            ),
            "simple": ProtocolInfo(
                "simple", "TiCDC Simple", "planned", (), _planned("simple")
            ),
            "avro": ProtocolInfo(
                "avro", "Avro with a schema registry", "planned", (), _planned("avro")
            ),
        }
    )


def transcoder(
    source: str,
    target: str,
    source_options: Mapping[str, str] | None = None,
    target_options: Mapping[str, str] | None = None,
) -> Transcoder:
    """What turns messages of one protocol into those of another, batch by batch.

    Args:
        source: name of the protocol that is read.
        target: name of the protocol that is written.
        source_options: the source's, as strings under TiCDC's names.
        target_options: the target's.

    Raises:
        UnknownProtocolError: there is no such protocol.
        OptionError: an option is unknown or has a value that it cannot have.
    """
    from tidewire import mysql
    from tidewire.events import KINDS, ROLES
    from tidewire.runtime.delivery.transcoding import Facts, Transcoder

    known = protocols()
    reader, writer = known[source].load(), known[target].load()
    return Transcoder(
        reader,
        writer,
        reader.Options.from_strings(source_options or {}),
        writer.Options.from_strings(target_options or {}),
        Facts(KINDS, mysql.ddl_type_of, mysql.ddl_class, mysql.DDL_TYPES, mysql.flag_name, ROLES),
    )


def transcode(
    messages: Any,
    source: str,
    target: str,
    source_options: Mapping[str, str] | None = None,
    target_options: Mapping[str, str] | None = None,
    keys: Any = None,
) -> tuple[pa.RecordBatch, Report]:
    """Messages of one protocol as those of another: columns key, value, first_event and events; and a report of what
    the target does not carry.

    Args:
        messages: values of messages of the source (a binary array or a sequence of bytes), or events as columns.
        source: name of the protocol that is read.
        target: name of the protocol that is written.
        source_options: the source's, as strings under TiCDC's names.
        target_options: the target's.
        keys: the messages' keys.

    Raises:
        UnknownProtocolError: there is no such protocol.
        OptionError: an option is unknown or has a value that it cannot have.
    """
    from tidewire.runtime.batch import EventColumns

    made = transcoder(source, target, source_options, target_options)
    if isinstance(messages, EventColumns):
        return made.encode(messages)
    return made.transcode(messages, keys)


def detect(values: Any, keys: Any = None, options: bool = True) -> Detection:
    """Whose messages these seem to be: protocol, compression, batching and, as far as bytes tell, producer and options.

    Args:
        values: the messages' values, a binary array or a sequence of bytes, or one message. Of many, some are looked
            at.
        keys: the messages' keys.
        options: whether to find out about producer and options, too; it takes up to a second.

    Raises:
        TypeError: a value is no bytes.
    """
    from tidewire.events import KINDS, ROLES
    from tidewire.runtime.detecting.detection import detect as found

    known = protocols()
    modules = {name: one.load() for name, one in known.items() if one.state == "ready"}
    return found(modules, [name for name in known if name not in modules], values, keys, KINDS, ROLES, options)
