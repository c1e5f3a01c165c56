"""What the same rows cost in other formats. One class per peer; all read and write :class:`benchmarks.cases.Change`."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.cases import Change
from benchmarks.peers.avro import Avro
from benchmarks.peers.base import Message, Peer
from benchmarks.peers.canal_json import ArrowJson, MsgspecColumns, MsgspecStructs, OrjsonDicts, StdlibDicts
from benchmarks.peers.debezium_json import BareColumns, BareStructs, DebeziumColumns, DebeziumStructs
from benchmarks.peers.open_columns import OpenColumns
from benchmarks.peers.open_json import MsgspecAnyTable, MsgspecTyped, StdlibJson
from benchmarks.peers.protobuf import ProtobufColumnar, ProtobufRows
from benchmarks.peers.registered_records import RegisteredColumns
from benchmarks.peers.simple_json import SimpleColumns, SimpleStructs
from benchmarks.peers.simple_records import RecordColumns

PEERS: tuple[type[Peer], ...] = (MsgspecTyped, MsgspecAnyTable, StdlibJson, ProtobufRows, ProtobufColumnar, Avro)
"""Other formats for the same rows."""
CANAL_JSON: tuple[type[Peer], ...] = (MsgspecColumns, MsgspecStructs, OrjsonDicts, StdlibDicts, ArrowJson)
"""Canal-JSON by hand."""
CANAL_JSON_ANY: tuple[type[Peer], ...] = (MsgspecColumns, MsgspecStructs, OrjsonDicts, StdlibDicts)
"""Those of them that take a topic of several tables."""

CANAL_JSON_VARIED: tuple[type[Peer], ...] = (MsgspecColumns, MsgspecStructs, OrjsonDicts, ArrowJson)
"""Those that many rows do not take minutes of."""

OPEN_PROTOCOL: tuple[type[Peer], ...] = (OpenColumns, MsgspecTyped, MsgspecAnyTable, StdlibJson)
"""Open Protocol by hand."""
OPEN_PROTOCOL_MIXED: tuple[type[Peer], ...] = (OpenColumns, MsgspecTyped, MsgspecAnyTable)
"""Those of them that are measured on a topic of several tables."""
OPEN_PROTOCOL_VARIED: tuple[type[Peer], ...] = (OpenColumns, MsgspecTyped)
"""Those that are measured on many rows."""

SIMPLE: tuple[type[Peer], ...] = (SimpleColumns, SimpleStructs)
"""Simple by hand."""
SIMPLE_RECORDS: tuple[type[Peer], ...] = (RecordColumns,)
"""The same as records of Avro."""

REGISTERED: tuple[type[Peer], ...] = (RegisteredColumns,)
"""Avro with a registry by hand."""

DEBEZIUM: tuple[type[Peer], ...] = (DebeziumColumns, DebeziumStructs)
"""Debezium by hand, messages with schema blocks."""
DEBEZIUM_BARE: tuple[type[Peer], ...] = (BareColumns, BareStructs)
"""The same without."""


def check(peer: Peer, rows: Sequence[Change], batches: Sequence[Sequence[Change]]) -> None:
    """Raise ``AssertionError`` unless the peer gives the rows back, from its own messages and those it is timed on."""
    truth = [row.truth(peer.tells_old) for row in rows]
    origins = {"encode": peer.encode} if peer.encodes else {}
    for origin, write in (origins | {"sample": peer.sample}).items():
        messages = write(batches)
        found = peer.truth(peer.decode(messages))
        if found != truth:
            index = next(
                (i for i, pair in enumerate(zip(found, truth, strict=False)) if pair[0] != pair[1]), len(found)
            )
            raise AssertionError(
                f"{peer.name}: event {index} of its {origin}() messages is not the row that was written"
            )


__all__ = [
    "CANAL_JSON",
    "CANAL_JSON_ANY",
    "CANAL_JSON_VARIED",
    "DEBEZIUM",
    "DEBEZIUM_BARE",
    "OPEN_PROTOCOL",
    "OPEN_PROTOCOL_MIXED",
    "OPEN_PROTOCOL_VARIED",
    "PEERS",
    "REGISTERED",
    "SIMPLE",
    "SIMPLE_RECORDS",
    "Message",
    "MsgspecTyped",
    "Peer",
    "check",
]
