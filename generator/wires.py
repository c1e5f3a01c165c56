"""The wires that there are. A new one is a folder with a `Wire`, its JSON Schema, and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .binary.plugin import BINARY
from .json.plugin import JSON
from .model import Protocol
from .wire import Wire

WIRES: Mapping[str, Wire[Any, Any]] = {one.name: one for one in (BINARY, JSON)}


def wire_of(protocol: Protocol) -> Wire[Any, Any]:
    """The wire of a protocol."""
    return WIRES[protocol.wire]
