"""Kafka Connect's types in Avro, as the Avro converter for it has them."""

from __future__ import annotations

from collections.abc import Mapping

AVRO_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("int8", "int16", "int32"), "int"),
    "int64": "long",
    "struct": "record",
    **{name: name for name in ("boolean", "string", "bytes", "float", "double", "array", "map")},
}
"""By type of Kafka Connect the one of Avro; those that one of the two does not have are not here."""
