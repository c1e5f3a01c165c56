"""Dissector of TiCDC Open Protocol: every field of a message beside its bytes.

It follows the frames of key and value and the text of their objects; what is wrong with a message, its decoder says.
"""
# Generated from spec/open-protocol.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.open_protocol.decoder import Decoder
from tidewire.runtime import require_api
from tidewire.runtime.json.frame_trace import trace_frames
from tidewire.runtime.json.trace import MEANINGS, Expected
from tidewire.runtime.wire.spans import Span

require_api(1)

HEADS: Final = {"version": Expected("u64be", "Version of the protocol.")}
COLUMN: Final = {
    "t": Expected("integer", "MySQL's type code."),
    "h": Expected("bool", "The column is in the handle key."),
    "f": Expected("unsigned", "What the column is; TiCDC before 4.0.3 has none."),
    "v": Expected("value", "Its value."),
}
KEY: Final = Expected(
    "object",
    "What happened, when, and to which table.",
    None,
    {
        "ts": Expected("uinteger", "TSO of the transaction; of a watermark the resolved ts.", MEANINGS["tso"]),
        "scm": Expected("text", "The database."),
        "tbl": Expected("text", "The table."),
        "rid": Expected("integer", "The row's integer handle."),
        "ptn": Expected("integer", "TiDB's id of the partition."),
        "t": Expected("integer", "What the event is."),
        "ohk": Expected("boolean", "The row has its handle key columns only."),
        "ccl": Expected("text", "Where the whole message is stored."),
    },
)
VALUE: Final = Expected(
    "object",
    "",
    None,
    {
        "u": Expected("image", "The row, inserted or updated.", None, COLUMN),
        "p": Expected("image", "The row before an update, or those of its columns that changed.", None, COLUMN),
        "d": Expected("image", "The row that was deleted.", None, COLUMN),
        "q": Expected("text", "The statement."),
        "t": Expected("integer", "TiDB's DDL action code."),
    },
)


def dissect(value: bytes, key: bytes | None = None) -> list[Span]:
    """Every field of a message, in the order of the bytes, those of the key first; of a malformed one those before the
    trouble, and the trouble.
    """
    errors = Decoder("bytes").decode([value], [key]).errors
    return trace_frames(value, key, HEADS, KEY, VALUE, errors[0] if errors else None)
