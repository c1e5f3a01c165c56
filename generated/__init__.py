"""Tidewire: TiDB's change-data protocols as typed events and columns.

`protocols()` lists what there is; each protocol is a module of this package with the same face (`decode`, `encode`,
`decode_batch`, `encode_batch`, `dissect`, `Options`, `Decoder`, `Encoder`), and all of them speak `tidewire.events`.
"""
# Generated from spec/ by "make generate". Do not edit.

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import tidewire.runtime as _runtime  # decides whether compiled modules are used, before any is imported

_runtime.require_api(1)


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


def protocols() -> dict[str, ProtocolInfo]:
    """The protocols by name, those that are ready first."""
    return {
        "craft": ProtocolInfo(
            "craft", "TiCDC Craft", "ready", ("tiflow",), _loader("craft")
        ),
        "open_protocol": ProtocolInfo(
            "open_protocol", "TiCDC Open Protocol", "planned", (), _planned("open_protocol")
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
