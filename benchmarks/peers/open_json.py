"""TiCDC's Open Protocol: JSON rows behind 8-byte lengths, read with msgspec and with the standard library.

Key: u64 version 1, then per row a u64 length and ``{"ts":…,"scm":…,"tbl":…,"rid":…,"t":1}``. Value: per row a u64
length and ``{"u":{name:{"t":…,"h":true,"f":…,"v":…},…},"p":{…}}``: columns sorted by name, ``h`` only on handle keys,
``rid`` only for an integer handle, ``ptn`` (before ``t``) only for a partition.

:func:`exact` prints what TiCDC prints, to the byte; decoding is timed on that. The timed encoders leave ``rid`` out,
do not sort columns unless the library's struct does it for free, and print floats as Python does (``2.0`` where Go
writes ``2``).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, cast

import msgspec

from benchmarks.cases import (
    FLOAT,
    FLOAT_TYPES,
    HANDLE_KEY,
    SIGNED_TYPES,
    Change,
    ColumnDef,
    Value,
    as_float32,
    handle_of,
)
from benchmarks.peers.base import Message, Peer, Truth, as_go_escapes

_LENGTH = struct.Struct(">Q")
_VERSION = _LENGTH.pack(1)
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def frames(data: bytes, start: int) -> list[bytes]:
    """The length-prefixed pieces of a key (from byte 8, after the version) or a value (from byte 0)."""
    pieces = []
    while start < len(data):
        (length,) = _LENGTH.unpack_from(data, start)
        start += 8
        pieces.append(data[start : start + length])
        start += length
    return pieces


def framed(keys: Sequence[bytes], values: Sequence[bytes]) -> Message:
    """One Kafka message of these rows."""
    return Message(
        _VERSION + b"".join([_LENGTH.pack(len(key)) + key for key in keys]),
        b"".join([_LENGTH.pack(len(value)) + value for value in values]),
    )


# ------------------------------------------------------------------------------------ as TiCDC prints it, not timed


def exact(batches: Sequence[Sequence[Change]]) -> list[Message]:
    """The messages that TiCDC writes for these batches, byte for byte (values of the types used here)."""
    return [
        framed([_exact_key(row).encode() for row in rows], [_exact_value(row).encode() for row in rows])
        for rows in batches
    ]


def _exact_key(row: Change) -> str:
    key: dict[str, object] = {"ts": row.commit_ts, "scm": row.schema, "tbl": row.table}
    handle = handle_of(row)
    if handle is not None:
        key["rid"] = handle
    if row.partition is not None:
        key["ptn"] = row.partition
    return _compact(key | {"t": 1})


def _exact_value(row: Change) -> str:
    return f'{{"u":{exact_row(row, row.new)},"p":{exact_row(row, row.old)}}}'


def exact_row(row: Change, values: Any) -> str:
    """One image as TiCDC prints it."""
    cells = [
        f'{_compact(c.name)}:{{"t":{c.type},{_exact_handle(c)}"f":{c.flags},"v":{_exact_number(c, values[c.name])}}}'
        for c in sorted(row.columns)
    ]
    return "{" + ",".join(cells) + "}"


def _exact_handle(column: ColumnDef) -> str:
    return '"h":true,' if column.flags & HANDLE_KEY else ""


def _exact_number(column: ColumnDef, value: Value) -> str:
    """A value as Go's encoding/json prints it: the shortest digits of its own width, no ``.0``."""
    if not isinstance(value, float):
        return as_go_escapes(_compact(value))
    text = repr(value)
    if column.type == FLOAT:
        text = next(t for t in (f"{value:.{digits}g}" for digits in range(1, 18)) if as_float32(float(t)) == value)
    if not (value == 0 or 1e-6 <= abs(value) < 1e21):
        raise ValueError(f"column {column.name}: {value!r} needs an exponent, which this printer does not write")
    return ("-0" if text[0] == "-" else "0") if value == 0 else format(Decimal(text), "f").removesuffix(".0")


# ------------------------------------------------------------------------------------------------- standard library


class StdlibJson(Peer):
    """The ``json`` module."""

    name = "JSON, stdlib json"
    decodes = "framing, json.loads of every key and value: nested dicts {'u': {name: {'t', 'f', 'v'}}, 'p': …}"
    encodes = "dict per column, json.dumps of every key and value, framing"

    def encode(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        messages = []
        for rows in batches:
            keys = [
                _compact({"ts": row.commit_ts, "scm": row.schema, "tbl": row.table, "t": 1}).encode() for row in rows
            ]
            values = [
                _compact({"u": self._cells(row, row.new), "p": self._cells(row, row.old)}).encode() for row in rows
            ]
            messages.append(framed(keys, values))
        return messages

    def _cells(self, row: Change, values: Any) -> dict[str, dict[str, Value]]:
        return {
            name: {"t": type_, "h": True, "f": flags, "v": values[name]}
            if flags & HANDLE_KEY
            else {"t": type_, "f": flags, "v": values[name]}
            for name, type_, flags in row.columns
        }

    def sample(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        return exact(batches)

    def decode(self, messages: Sequence[Message]) -> Sequence[object]:
        """See :class:`Peer`."""
        loads = json.loads
        decoded: list[object] = []
        for key, value in messages:
            for head, body in zip(frames(key or b"", 8), frames(value, 0), strict=True):
                decoded.append((loads(head), loads(body)))
        return decoded

    def truth(self, decoded: Sequence[Any]) -> list[Truth]:
        """See :class:`Peer`."""
        return [
            (
                key["ts"],
                key["scm"],
                key["tbl"],
                *(_plain({n: (c["t"], c["v"]) for n, c in value[side].items()}) for side in "up"),
            )
            for key, value in decoded
        ]


def _plain(cells: dict[str, tuple[int, Value]]) -> dict[str, Value]:
    """FLOAT travels as the shortest text of its 32 bits: widen it again, and make JSON's integers floats."""
    return {
        name: value
        if value is None or type_ not in FLOAT_TYPES
        else as_float32(float(value))
        if type_ == FLOAT
        else float(value)
        for name, (type_, value) in cells.items()
    }


# ---------------------------------------------------------------------------------------------------------- msgspec


class Key(msgspec.Struct, omit_defaults=True, gc=False):
    """Key of one row."""

    ts: int
    scm: str
    tbl: str
    t: int
    rid: int | None = None
    ptn: int | None = None


class IntCell(msgspec.Struct, omit_defaults=True, gc=False):
    """A column that holds integers."""

    t: int
    f: int
    v: int | None
    h: bool = False


class FloatCell(msgspec.Struct, omit_defaults=True, gc=False):
    """A FLOAT or DOUBLE column."""

    t: int
    f: int
    v: float | None
    h: bool = False


class TextCell(msgspec.Struct, omit_defaults=True, gc=False):
    """A column whose value travels as text."""

    t: int
    f: int
    v: str | None
    h: bool = False


class AnyCell(msgspec.Struct, omit_defaults=True, gc=False):
    """A column of any table."""

    t: int
    f: int
    v: int | float | str | None
    h: bool = False


class AnyRow(msgspec.Struct, gc=False):
    """Both images of a row of any table."""

    u: dict[str, AnyCell]
    p: dict[str, AnyCell]


def _cell_type(column: ColumnDef) -> type[msgspec.Struct]:
    return IntCell if column.type in SIGNED_TYPES else FloatCell if column.type in FLOAT_TYPES else TextCell


class MsgspecTyped(Peer):
    """msgspec, with a struct made for every table: all names and types known beforehand."""

    name = "JSON, msgspec typed"
    decodes = (
        "framing, msgspec decode of every key and value into structs made for this table (column names and types known)"
    )
    encodes = "struct per column and row, msgspec encode of every key and value, framing"

    def __init__(self, rows: Sequence[Change]) -> None:
        super().__init__(rows)
        self.key_decoder = msgspec.json.Decoder(Key)
        self.encoder = msgspec.json.Encoder()
        self.decoders: dict[str, dict[str, Callable[[bytes], Any]]] = {}
        self.shapes: dict[
            tuple[str, str], tuple[Callable[..., Any], Callable[..., Any], list[tuple[Any, ColumnDef, bool]]]
        ] = {}
        for (schema, table), columns in self.tables.items():
            ordered = sorted(columns)
            cells = [(column.name, _cell_type(column)) for column in ordered]
            row = msgspec.defstruct(f"Row_{table}", cells, gc=False)
            both = msgspec.defstruct(f"Both_{table}", [("u", row), ("p", row)], gc=False)
            self.decoders.setdefault(schema, {})[table] = msgspec.json.Decoder(both).decode
            makers = [
                (cell, column, bool(column.flags & HANDLE_KEY))
                for (_, cell), column in zip(cells, ordered, strict=True)
            ]
            self.shapes[schema, table] = (both, row, makers)

    def encode(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        encode = self.encoder.encode
        messages = []
        for rows in batches:
            keys, values = [], []
            for row in rows:
                both, image, makers = self.shapes[row.schema, row.table]
                new, old = row.new, row.old
                keys.append(encode(Key(row.commit_ts, row.schema, row.table, 1)))
                values.append(
                    encode(
                        both(
                            image(*[cell(type_, flags, new[name], h) for cell, (name, type_, flags), h in makers]),
                            image(*[cell(type_, flags, old[name], h) for cell, (name, type_, flags), h in makers]),
                        )
                    )
                )
            messages.append(framed(keys, values))
        return messages

    def sample(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        return exact(batches)

    def decode(self, messages: Sequence[Message]) -> Sequence[object]:
        """See :class:`Peer`."""
        decode_key, decoders = self.key_decoder.decode, self.decoders
        decoded: list[object] = []
        for key, value in messages:
            for head, body in zip(frames(key or b"", 8), frames(value, 0), strict=True):
                row_key = decode_key(head)
                decoded.append((row_key, decoders[row_key.scm][row_key.tbl](body)))
        return decoded

    def truth(self, decoded: Sequence[Any]) -> list[Truth]:
        """See :class:`Peer`."""
        return [
            (
                key.ts,
                key.scm,
                key.tbl,
                *(
                    _plain(
                        {name: (cell.t, cell.v) for name in image.__struct_fields__ for cell in (getattr(image, name),)}
                    )
                    for image in (value.u, value.p)
                ),
            )
            for key, value in decoded
        ]


class MsgspecAnyTable(MsgspecTyped):
    """msgspec for tables nobody knew beforehand: rows are dicts of one column struct."""

    name = "JSON, msgspec any table"
    decodes = (
        "framing, msgspec decode of every key and value into {name: struct(t, f, v)}: columns not known beforehand"
    )
    encodes = "struct per column, dict per row, msgspec encode of every key and value, framing"

    def __init__(self, rows: Sequence[Change]) -> None:
        super().__init__(rows)
        self.row_decoder = msgspec.json.Decoder(AnyRow)

    def encode(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        encode, cell = self.encoder.encode, cast(Callable[..., AnyCell], AnyCell)
        messages = []
        for rows in batches:
            keys, values = [], []
            for row in rows:
                keys.append(encode(Key(row.commit_ts, row.schema, row.table, 1)))
                images = [
                    {
                        name: cell(type_, flags, image[name], bool(flags & HANDLE_KEY))
                        for name, type_, flags in row.columns
                    }
                    for image in (row.new, row.old)
                ]
                values.append(encode(AnyRow(*images)))
            messages.append(framed(keys, values))
        return messages

    def decode(self, messages: Sequence[Message]) -> Sequence[object]:
        """See :class:`Peer`."""
        decode_key, decode_row = self.key_decoder.decode, self.row_decoder.decode
        decoded: list[object] = []
        for key, value in messages:
            for head, body in zip(frames(key or b"", 8), frames(value, 0), strict=True):
                decoded.append((decode_key(head), decode_row(body)))
        return decoded

    def truth(self, decoded: Sequence[Any]) -> list[Truth]:
        """See :class:`Peer`."""
        return [
            (
                key.ts,
                key.scm,
                key.tbl,
                *(_plain({n: (c.t, c.v) for n, c in image.items()}) for image in (value.u, value.p)),
            )
            for key, value in decoded
        ]
