"""Kafka Connect's types in Avro, as converted by the Avro converter."""

from __future__ import annotations

from collections.abc import Mapping

AVRO_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("int8", "int16", "int32"), "int"),
    "int64": "long",
    "struct": "record",
    **{name: name for name in ("boolean", "string", "bytes", "float", "double", "array", "map")},
}
"""Avro type by Kafka Connect type; types that only one of them has are absent."""
