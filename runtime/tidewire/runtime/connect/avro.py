"""Schemas and values of Kafka Connect in Avro, as its Avro converter (AvroData) and TiCDC's encoder convert them."""

from __future__ import annotations

import struct
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from tidewire.runtime.connect.blocks import adjusted
from tidewire.runtime.record.sink import long_bytes
from tidewire.runtime.shortened import shown

CONNECT_FIELD = "connect.field"
CONNECT_NAME = "connect.name"
CONNECT_TYPE = "connect.type"
CONNECT_VERSION = "connect.version"
"""Schema attributes that carry Kafka Connect's."""
AVRO_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("int8", "int16", "int32"), "int"),
    "int64": "long",
    "struct": "record",
    **{name: name for name in ("boolean", "string", "bytes", "float", "double", "array", "map")},
}
"""Avro type of each Kafka Connect type."""
CONNECT_TYPES = {avro: connect for connect, avro in AVRO_TYPES.items()}
"""Kafka Connect type of each Avro type, unless the schema states another one."""
SMALL = ("int8", "int16")
"""Kafka Connect types that Avro lacks, and that schemas state in an additional attribute."""
BITS: Mapping[str, int] = {"int": 32, "long": 64}
"""Bits of signed integers, by Avro type."""


def avro_schema(block: Mapping[str, Any], field: str = "", parameters: str = "") -> Any:
    """The Avro schema of a Kafka Connect schema: toAvroSchema of TiCDC's encoder.

    Args:
        block: the schema.
        field: name of the field that has it; empty: none.
        parameters: attribute for parameters; empty: they are left out.
    """
    more: dict[str, Any] = {} if "name" not in block else {CONNECT_NAME: block["name"]}
    if block.get("version"):
        more[CONNECT_VERSION] = block["version"]
    if block["type"] == "struct":
        namespace, _, name = ".".join(map(adjusted, str(block.get("name") or field).split("."))).rpartition(".")
        fields = [avro_field(one, parameters) for one in block["fields"]]
        record = {"type": "record", "name": name, "fields": fields, **more}
        return {**record, "namespace": namespace} if namespace else record
    if block["type"] == "array":
        return {"type": "array", "items": avro_schema(block["items"], f"{field}Item"), **more}
    if block["type"] in SMALL:
        more[CONNECT_TYPE] = block["type"]
    if parameters and "parameters" in block:
        more[parameters] = block["parameters"]
    type = AVRO_TYPES[block["type"]]
    return {"type": type, **more} if more else type


def avro_field(block: Mapping[str, Any], parameters: str = "") -> dict[str, Any]:
    """The field of an Avro record for a field of a struct; arguments as in `avro_schema`."""
    name = adjusted(block["field"])
    type = avro_schema(block, name, parameters)
    found = {CONNECT_FIELD: block["field"], "name": name, "type": type}
    return {**found, "default": None, "type": ["null", type]} if block.get("optional") else found


def avro_value(block: Mapping[str, Any], value: Any) -> bytes:
    """A value of a Kafka Connect schema in Avro's binary encoding: toNative of TiCDC's encoder.

    Args:
        block: the schema.
        value: the value, as JSON represents it.

    Raises:
        ValueError: a number is out of range.
    """
    kind = block["type"]
    if kind == "struct":
        return b"".join(_member(one, value.get(one["field"])) for one in block["fields"])
    if kind == "array":
        items = b"".join(avro_value(block["items"], one) for one in value)
        return long_bytes(len(value)) + items + long_bytes(0) if value else long_bytes(0)
    if kind == "boolean":
        return b"\x01" if value else b"\x00"
    if AVRO_TYPES[kind] in BITS:
        number, bits = int(value), BITS[AVRO_TYPES[kind]]
        if not -1 << bits - 1 <= number < 1 << bits - 1:
            raise ValueError(f"{shown(number)} has no room in the field {shown(block.get('field', kind))}: {bits} bits")
        return long_bytes(number)
    if kind in ("float", "double"):
        return struct.pack("<f" if kind == "float" else "<d", value)
    image = b64decode(value) if kind == "bytes" else str(value).encode()
    return long_bytes(len(image)) + image


def _member(block: Mapping[str, Any], value: Any) -> bytes:
    if not block.get("optional"):
        return avro_value(block, value)
    return long_bytes(0) if value is None else long_bytes(1) + avro_value(block, value)
