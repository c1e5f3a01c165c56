"""The size table of the Craft protocol's own document, rebuilt: bytes of key and value, raw and zlib.

The document's Craft column (300 and 993) was taken with an earlier form of the size tables; the released format takes
301 and 997. Its zlib column was taken with Go's deflate, whose output differs from zlib's by a few per cent: the zlib
sizes here are printed, not asserted.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.cases import Change, document_case
from benchmarks.peers import Message, open_json
from benchmarks.peers.protobuf import ProtobufColumnar, ProtobufRows

EXPECTED: dict[str, tuple[int, int]] = {
    "craft": (301, 997),
    "json": (708, 2816),
    "protobuf 1": (382, 1528),
    "protobuf 2": (375, 1482),
}
"""Raw bytes of case 0 and case 1."""


@dataclass(frozen=True, slots=True)
class Size:
    """What one case takes in one format: sum of key and value bytes, and all of them as one zlib stream (level 6)."""

    codec: str
    case: int
    raw: int
    deflated: int


def craft_messages(rows: Sequence[Change], max_message_bytes: int = 8192) -> list[Message]:
    """The rows in Craft, through the public :func:`tidewire.craft.encode`, in one message."""
    from benchmarks.ours import row_change
    from tidewire import craft

    options = craft.Options(max_batch_size=64, max_message_bytes=max_message_bytes)
    messages = craft.encode([row_change(row) for row in rows], options)
    return [Message(message.key, message.value or b"") for message in messages]


def json_messages(rows: Sequence[Change]) -> list[Message]:
    """The rows in Open Protocol, as TiCDC prints it, in one message."""
    return open_json.exact([rows])


WRITERS: dict[str, Callable[[Sequence[Change]], list[Message]]] = {
    "craft": craft_messages,
    "json": json_messages,
    "protobuf 1": lambda rows: ProtobufRows(rows).encode([rows]),
    "protobuf 2": lambda rows: ProtobufColumnar(rows).encode([rows]),
}


def size(codec: str, case: int) -> Size:
    """Size of a case (0 or 1) in a format (a key of :data:`WRITERS`)."""
    messages = WRITERS[codec](document_case(case))
    parts = [part for message in messages for part in message if part]
    return Size(codec, case, sum(map(len, parts)), len(zlib.compress(b"".join(parts))))


def size_table() -> list[Size]:
    """All formats, case 0 then case 1."""
    return [size(codec, case) for case in (0, 1) for codec in WRITERS]
