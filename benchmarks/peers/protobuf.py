"""Protobuf (python-protobuf, upb) in the two shapes of the Craft document's own comparison.

* :class:`ProtobufRows` (document: protobuf 1): per row a ``Key`` and a ``RowChanged`` of repeated ``Column``.
* :class:`ProtobufColumnar` (protobuf 2): per message a ``KeysColumnar`` and a ``RowChangedColumnar``.

Field numbers are those of TiCDC's ``CraftBenchmark.proto``. A column's value is ``bytes``: an integer as zigzag
varint (uvarint when the column is unsigned), FLOAT and DOUBLE as 8 bytes, everything else as its text. NULL is no
bytes at all, so in these two shapes NULL and '' are the same; the rows measured here hold no ''. The bytes of the
values are read and written in Python, there being no library for them: that is part of the shape. What upb alone
needs is reported beside it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory  # type: ignore[import-untyped]

from benchmarks.cases import FLOAT_TYPES, SIGNED_TYPES, UNSIGNED, Change, ColumnDef, Value
from benchmarks.peers.base import Message, Peer, Truth

_FLOAT64 = struct.Struct("<d")
_PACKAGE = "tidewire.benchmark"
_SHAPES: dict[str, tuple[tuple[str, int, str, bool], ...]] = {
    "Key": (
        ("ts", 1, "uint64", False),
        ("schema", 2, "string", False),
        ("table", 3, "string", False),
        ("row_id", 4, "int64", False),
        ("type", 5, "uint32", False),
        ("partition", 6, "int64", False),
    ),
    "Column": (
        ("name", 1, "string", False),
        ("type", 2, "uint32", False),
        ("flag", 3, "uint32", False),
        ("value", 4, "bytes", False),
    ),
    "RowChanged": (("old_value", 1, "Column", True), ("new_value", 2, "Column", True)),
    "KeysColumnar": (
        ("ts", 1, "uint64", True),
        ("schema", 2, "string", True),
        ("table", 3, "string", True),
        ("row_id", 4, "int64", True),
        ("type", 5, "uint32", True),
        ("partition", 6, "int64", True),
    ),
    "ColumnsColumnar": (
        ("name", 1, "string", True),
        ("type", 2, "uint32", True),
        ("where_handle", 3, "bool", True),
        ("flag", 4, "uint32", True),
        ("value", 5, "bytes", True),
    ),
    "RowChangedColumnar": (("old_value", 1, "ColumnsColumnar", True), ("new_value", 2, "ColumnsColumnar", True)),
}


@lru_cache(maxsize=1)
def message_classes() -> dict[str, Any]:
    """The message classes by name, built from descriptors made here: no protoc."""
    field = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="benchmark.proto", package=_PACKAGE, syntax="proto3")
    for message, fields in _SHAPES.items():
        shape = file.message_type.add(name=message)
        for name, number, type_, repeated in fields:
            entry = shape.field.add(name=name, number=number)
            entry.label = field.LABEL_REPEATED if repeated else field.LABEL_OPTIONAL
            if type_ in _SHAPES:
                entry.type, entry.type_name = field.TYPE_MESSAGE, f".{_PACKAGE}.{type_}"
            else:
                entry.type = getattr(field, f"TYPE_{type_.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")) for name in _SHAPES}


# ------------------------------------------------------------------------------------------------ bytes of the values


def _write_uvarint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _write_zigzag(value: int) -> bytes:
    return _write_uvarint((value << 1) ^ (value >> 63))


def _read_uvarint(data: bytes) -> int:
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
    return value


def _read_zigzag(data: bytes) -> int:
    value = _read_uvarint(data)
    return (value >> 1) ^ -(value & 1)


def _read_float(data: bytes) -> float:
    value: float = _FLOAT64.unpack(data)[0]
    return value


def writer(type_: int, flags: int) -> Callable[[Any], bytes]:
    """The function that writes values of such a column."""
    if type_ in SIGNED_TYPES:
        return _write_uvarint if flags & UNSIGNED else _write_zigzag
    return _FLOAT64.pack if type_ in FLOAT_TYPES else str.encode


def reader(type_: int, flags: int) -> Callable[[bytes], Value]:
    """The function that reads values of such a column."""
    if type_ in SIGNED_TYPES:
        return _read_uvarint if flags & UNSIGNED else _read_zigzag
    return _read_float if type_ in FLOAT_TYPES else bytes.decode


class _Readers(dict[tuple[int, int], Callable[[bytes], Value]]):
    def __missing__(self, key: tuple[int, int]) -> Callable[[bytes], Value]:
        self[key] = reader(*key)
        return self[key]


# --------------------------------------------------------------------------------------------------------- the peers


class _Protobuf(Peer):
    def __init__(self, rows: Sequence[Change]) -> None:
        super().__init__(rows)
        self.classes = message_classes()
        self.readers = _Readers()
        self.writers: dict[tuple[ColumnDef, ...], list[tuple[ColumnDef, Callable[[Any], bytes]]]] = {
            columns: [(column, writer(column.type, column.flags)) for column in columns]
            for columns in self.tables.values()
        }

    def truth(self, decoded: Sequence[Any]) -> list[Truth]:
        """See :class:`Peer`."""
        return list(decoded)

    def parse_only(self, messages: Sequence[Message]) -> None:
        """What upb does alone: ParseFromString of key and value, nothing read from them."""
        raise NotImplementedError


class ProtobufRows(_Protobuf):
    """Protobuf 1: a message per row."""

    name = "protobuf 1 (rows)"
    decodes = "upb parse of key and value of every row (no batches in this shape), all values to typed dicts in Python"
    encodes = "values to bytes in Python, protobuf objects, SerializeToString of key and value of every row"

    def encode(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        key_class, value_class = self.classes["Key"], self.classes["RowChanged"]
        messages = []
        for rows in batches:
            for row in rows:
                value = value_class()
                writers = self.writers[row.columns]
                for add, image in ((value.old_value.add, row.old), (value.new_value.add, row.new)):
                    for (name, type_, flags), write in writers:
                        cell = image[name]
                        if cell is None:
                            add(name=name, type=type_, flag=flags)
                        else:
                            add(name=name, type=type_, flag=flags, value=write(cell))
                key = key_class(ts=row.commit_ts, schema=row.schema, table=row.table)
                messages.append(Message(key.SerializeToString(), value.SerializeToString()))
        return messages

    def decode(self, messages: Sequence[Message]) -> Sequence[object]:
        """See :class:`Peer`."""
        parse_key, parse_value = self.classes["Key"].FromString, self.classes["RowChanged"].FromString
        readers = self.readers
        decoded: list[object] = []
        for key_bytes, value_bytes in messages:
            key, value = parse_key(key_bytes), parse_value(value_bytes)
            images: list[dict[str, Value]] = []
            for columns in (value.new_value, value.old_value):
                image: dict[str, Value] = {}
                for column in columns:
                    data = column.value
                    image[column.name] = readers[column.type, column.flag](data) if data else None
                images.append(image)
            decoded.append((key.ts, key.schema, key.table, images[0], images[1]))
        return decoded

    def parse_only(self, messages: Sequence[Message]) -> None:
        """See :class:`_Protobuf`."""
        parse_key, parse_value = self.classes["Key"].FromString, self.classes["RowChanged"].FromString
        for key, value in messages:
            parse_key(key)
            parse_value(value)


class ProtobufColumnar(_Protobuf):
    """Protobuf 2: a message per batch, its fields as columns."""

    name = "protobuf 2 (columnar)"
    decodes = "upb parse of key and value of every message, all values to typed dicts in Python"
    encodes = "values to bytes in Python, protobuf objects, SerializeToString of key and value of every message"

    def encode(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        key_class, value_class = self.classes["KeysColumnar"], self.classes["RowChangedColumnar"]
        messages = []
        for rows in batches:
            zeros = [0] * len(rows)
            key = key_class(
                ts=[row.commit_ts for row in rows],
                schema=[row.schema for row in rows],
                table=[row.table for row in rows],
                row_id=zeros,
                partition=zeros,
            )
            value = value_class()
            for row in rows:
                writers = self.writers[row.columns]
                names = [column.name for column, _ in writers]
                types = [column.type for column, _ in writers]
                flags = [column.flags for column, _ in writers]
                for add, image in ((value.old_value.add, row.old), (value.new_value.add, row.new)):
                    cells = [
                        write(cell) if (cell := image[column.name]) is not None else b"" for column, write in writers
                    ]
                    add(name=names, type=types, flag=flags, value=cells)
            messages.append(Message(key.SerializeToString(), value.SerializeToString()))
        return messages

    def decode(self, messages: Sequence[Message]) -> Sequence[object]:
        """See :class:`Peer`."""
        parse_key, parse_value = self.classes["KeysColumnar"].FromString, self.classes["RowChangedColumnar"].FromString
        readers = self.readers
        decoded: list[object] = []
        for key_bytes, value_bytes in messages:
            key, value = parse_key(key_bytes), parse_value(value_bytes)
            sides = []
            for groups in (value.new_value, value.old_value):
                side = []
                for group in groups:
                    side.append(
                        {
                            name: readers[type_, flags](data) if data else None
                            for name, type_, flags, data in zip(
                                group.name, group.type, group.flag, group.value, strict=True
                            )
                        }
                    )
                sides.append(side)
            decoded.extend(zip(key.ts, key.schema, key.table, sides[0], sides[1], strict=True))
        return decoded

    def parse_only(self, messages: Sequence[Message]) -> None:
        """See :class:`_Protobuf`."""
        parse_key, parse_value = self.classes["KeysColumnar"].FromString, self.classes["RowChangedColumnar"].FromString
        for key, value in messages:
            parse_key(key)
            parse_value(value)
