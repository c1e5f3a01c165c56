"""Schema ids in Kafka record headers, `__key_schema_id` and `__value_schema_id`, instead of prefixes of key and value.

Such a header is a byte 0 and a number of four bytes, as before a value, or a byte 1 and a UUID
(HeaderSchemaIdSerializer, a class of the Java serializers).
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from tidewire.runtime.arrow import compute as pc
from tidewire.runtime.arrow.literals import column_of, constant, filled

KEY_HEADER, VALUE_HEADER = "__key_schema_id", "__value_schema_id"
"""Names of the headers; the last one of each name counts."""
UUID_HEADER = 17
"""Bytes of a header with a UUID."""
UUID_MARK, UUID_HEAD = b"\x01", b"\x03\x00"
"""The bytes before a UUID, in a header and before a record."""


def framed(
    payloads: pa.Array | pa.ChunkedArray | Sequence[bytes | None],
    headers: pa.Array | pa.ChunkedArray | Sequence[bytes | None],
) -> pa.Array:
    """Keys or values prefixed with their schema ids, as decoders expect them.

    Args:
        payloads: keys or values of messages; null stays null.
        headers: header of each message; null: it has none, and the payload is unchanged.

    Raises:
        ValueError: their numbers differ.
    """
    bodies, ids = (_binary(one) for one in (payloads, headers))
    if len(bodies) != len(ids):
        raise ValueError(f"every message has a header, which may be None: {len(ids)} for {len(bodies)} messages")
    told = filled(ids, b"")
    with_uuid = pc.and_(pc.equal(pc.binary_length(told), UUID_HEADER), pc.starts_with(told, pattern=UUID_MARK))
    heads = pc.if_else(with_uuid, pc.binary_replace_slice(told, start=0, stop=1, replacement=UUID_HEAD), told)
    return pc.binary_join_element_wise(heads, bodies, constant(b"", pa.binary()))


def _binary(values: pa.Array | pa.ChunkedArray | Sequence[bytes | None]) -> pa.Array:
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    return values.cast(pa.binary()) if isinstance(values, pa.Array) else column_of(values, pa.binary())
