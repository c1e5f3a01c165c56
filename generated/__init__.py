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
from typing import Any

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


class Protocols(dict[str, ProtocolInfo]):
    """Protocols by TiCDC's names; `-` and `_` are the same, and case does not matter."""

    def __missing__(self, name: str) -> ProtocolInfo:
        return self[self._own(name)]

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and bool(self._own(name))
        except KeyError:
            return False

    def get(self, name: str, default: Any = None) -> Any:
        """The protocol of that name, or the default."""
        return self[name] if name in self else default

    def _own(self, name: str) -> str:
        for own in self:
            if own.replace("-", "_") == name.lower().replace("-", "_"):
                return own
        raise KeyError(name)


def protocols() -> Protocols:
    """The protocols by name, those that are ready first."""
    return Protocols(
        {
            "craft": ProtocolInfo(
                "craft", "TiCDC Craft", "ready", ("tiflow",), _loader("craft")
            ),
            "open-protocol": ProtocolInfo(
                "open-protocol", "TiCDC Open Protocol", "planned", (), _planned("open-protocol")
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
