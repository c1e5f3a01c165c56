"""What the same rows cost in other formats. One class per peer; all read and write :class:`benchmarks.cases.Update`."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.cases import Update
from benchmarks.peers.avro import Avro
from benchmarks.peers.base import Message, Peer
from benchmarks.peers.open_json import MsgspecAnyTable, MsgspecTyped, StdlibJson
from benchmarks.peers.protobuf import ProtobufColumnar, ProtobufRows

PEERS: tuple[type[Peer], ...] = (MsgspecTyped, MsgspecAnyTable, StdlibJson, ProtobufRows, ProtobufColumnar, Avro)


def check(peer: Peer, rows: Sequence[Update], batches: Sequence[Sequence[Update]]) -> None:
    """Raise ``AssertionError`` unless the peer gives the rows back, from its own messages and those it is timed on."""
    truth = [row.truth() for row in rows]
    for origin, messages in (("encode", peer.encode(batches)), ("sample", peer.sample(batches))):
        found = peer.truth(peer.decode(messages))
        if found != truth:
            index = next(
                (i for i, pair in enumerate(zip(found, truth, strict=False)) if pair[0] != pair[1]), len(found)
            )
            raise AssertionError(
                f"{peer.name}: event {index} of its {origin}() messages is not the row that was written"
            )


__all__ = ["PEERS", "Message", "Peer", "check"]
