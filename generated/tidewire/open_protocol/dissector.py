"""Dissector of TiCDC Open Protocol: every field of a message beside its bytes.

It follows the frames of key and value and the text of their objects; what is wrong with a message, its decoder says.
"""
# Generated from spec/open-protocol.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.open_protocol.decoder import Decoder
from tidewire.runtime import require_api
from tidewire.runtime.dissecting.frames import trace_frames
from tidewire.runtime.dissecting.shapes import MEANINGS, Shape
from tidewire.runtime.dissecting.spans import Span

require_api(1)

HEADS: Final = {"version": Shape("u64be", "Version of the protocol.")}
COLUMN: Final = {
    "t": Shape("integer", "MySQL's type code."),
    "h": Shape("bool", "The column is in the handle key."),
    "f": Shape("unsigned", "What the column is; TiCDC before 4.0.3 has none."),
    "v": Shape("value", "Its value."),
}
KEY: Final = Shape(
    "object",
    "What happened, when, and to which table.",
    None,
    {
        "ts": Shape("uinteger", "TSO of the transaction; of a watermark the resolved ts.", MEANINGS["tso"]),
        "scm": Shape("text", "The database."),
        "tbl": Shape("text", "The table."),
        "rid": Shape("integer", "The row's integer handle."),
        "ptn": Shape("integer", "TiDB's id of the partition."),
        "t": Shape("integer", "What the event is."),
        "ohk": Shape("boolean", "The row has its handle key columns only."),
        "ccl": Shape("text", "Where the whole message is stored."),
    },
)
VALUE: Final = Shape(
    "object",
    "",
    None,
    {
        "u": Shape("image", "The row, inserted or updated.", None, COLUMN),
        "p": Shape("image", "The row before an update, or those of its columns that changed.", None, COLUMN),
        "d": Shape("image", "The row that was deleted.", None, COLUMN),
        "q": Shape("text", "The statement."),
        "t": Shape("integer", "TiDB's DDL action code."),
    },
)


def dissect(value: bytes, key: bytes | None = None) -> list[Span]:
    """Every field of a message, in the order of the bytes, those of the key first; of a malformed one those before the
    trouble, and the trouble.
    """
    errors = Decoder("bytes").decode([value], [key]).errors
    return trace_frames(value, key, HEADS, KEY, VALUE, errors[0] if errors else None)
