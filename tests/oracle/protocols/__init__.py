"""The protocols that are compared with TiCDC's own codecs."""

from __future__ import annotations

from .avro import Avro
from .base import Cell, Found, Protocol, Reader, Sent
from .canal_json import CanalJson
from .craft import Craft
from .debezium import Debezium
from .open_protocol import OpenProtocol
from .simple import Simple
from .simple_records import SimpleRecords

PROTOCOLS: dict[str, Protocol] = {
    protocol.name: protocol
    for protocol in (Craft(), CanalJson(), OpenProtocol(), Simple(), SimpleRecords(), Debezium(), Avro())
}

__all__ = ["PROTOCOLS", "Cell", "Found", "Protocol", "Reader", "Sent"]
