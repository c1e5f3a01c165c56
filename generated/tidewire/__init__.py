"""Tidewire: TiDB's change-data protocols as typed events and columns.

`protocols()` lists what there is; each protocol is a module of this package with the same facade (`decode`, `encode`,
`decode_batch`, `encode_batch`, `dissect`, `Options`, `Decoder`, `Encoder`), and all of them speak `tidewire.events`.
`read_table` gives the rows of one table as an Arrow table, `rows` batch by batch.
"""
# Generated from spec/ by "make generate". Do not edit.

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import tidewire.runtime as _runtime  # decides whether compiled modules are used, before any is imported
from tidewire.messages.protocols import ProtocolInfo, Protocols

if TYPE_CHECKING:
    from tidewire.messages.delivery.ddl_types import EventFacts
    from tidewire.reading.table_reader import TableReader

    __version__: str
    """Of the installed package."""

_runtime.require_api(1)

__all__ = ["ProtocolInfo", "detect", "protocols", "read_table", "rows", "transcode", "transcoder"]


def __getattr__(name: str) -> Any:
    """What takes longer to import than all the rest of this module, the first time it is asked for."""
    if name == "__version__":
        return _runtime.installed_version()
    if name in ("read_table", "rows"):
        reader = _reader()
        globals().update(read_table=reader.read_table, rows=reader.rows)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def event_facts() -> EventFacts:
    """What transcoding knows of the fields and kinds of events."""
    from tidewire import mysql
    from tidewire.events import KINDS, ROLES
    from tidewire.messages.delivery.ddl_types import EventFacts

    return EventFacts(KINDS, mysql.ddl_type_of, mysql.ddl_class, mysql.DDL_TYPES, mysql.flag_name, ROLES)


_PROTOCOLS: Final = Protocols(
    (
        ProtocolInfo("avro", "Avro with a schema registry", ("tiflow", "ticdc"), "tidewire.avro", import_module),
        ProtocolInfo("canal-json", "Canal-JSON", ("tiflow", "ticdc"), "tidewire.canal_json", import_module),
        ProtocolInfo("craft", "TiCDC Craft", ("tiflow",), "tidewire.craft", import_module),
        ProtocolInfo("debezium", "Debezium", ("tiflow", "ticdc"), "tidewire.debezium", import_module),
        ProtocolInfo("debezium-avro", "Debezium-Avro", ("ticdc",), "tidewire.debezium_avro", import_module),
        ProtocolInfo(
            "open-protocol", "TiCDC Open Protocol", ("tiflow", "ticdc"), "tidewire.open_protocol", import_module
        ),
        ProtocolInfo("simple", "TiCDC Simple", ("tiflow", "ticdc"), "tidewire.simple", import_module),
    ),
    event_facts,
)
protocols = _PROTOCOLS.protocols
other_protocols = _PROTOCOLS.other_protocols
transcoder = _PROTOCOLS.transcoder
transcode = _PROTOCOLS.transcode
detect = _PROTOCOLS.detect


def _reader() -> TableReader:
    from tidewire.reading.table_reader import TableReader

    return TableReader(protocols(), detect)


if TYPE_CHECKING:
    read_table = _reader().read_table
    rows = _reader().rows
