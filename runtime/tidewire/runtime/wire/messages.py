"""The messages passed to a decoder, as one buffer with offsets."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple, TypeAlias

import pyarrow as pa

from tidewire.runtime.arrow import compute as pc
from tidewire.runtime.arrow.literals import column_of, filled
from tidewire.runtime.errors import ArgumentError
from tidewire.runtime.shortened import shown

Values: TypeAlias = "pa.Array | pa.ChunkedArray | Sequence[bytes | None]"
"""Values of messages, or their keys: a binary array, or a sequence of bytes and None."""
Piece: TypeAlias = "tuple[Values, Values | None]"
"""The values of messages, and their keys if there are any."""
_ORDERED = (list, tuple, pa.Array, pa.ChunkedArray)
_UNORDERED = (Mapping, Set)


class Messages(NamedTuple):
    """Messages in one buffer."""

    data: memoryview
    """Their bytes; at least one byte even without a message."""
    offsets: memoryview
    """int32 or int64: the start of each message, then the end of the last."""
    missing: frozenset[int] = frozenset()
    """The indexes of null messages: a Kafka record without a value differs from one with an empty value."""


def messages(values: pa.Array | pa.ChunkedArray | Sequence[bytes | None]) -> Messages:
    """Messages as one buffer; an Arrow array, or a single message, is not copied. A null has no bytes, and its index is
    in `missing`.

    Args:
        values: binary or large_binary array, or a sequence of bytes.

    Raises:
        ArgumentError: values are something else.
    """
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if not isinstance(values, pa.Array):
        try:
            if len(values) == 1 and type(values[0]) is bytes and values[0]:
                return Messages(memoryview(values[0]), memoryview(array("q", [0, len(values[0])])))
            counted(values, None)
            values = column_of(values, pa.large_binary())
        except (TypeError, LookupError, UnicodeEncodeError) as error:
            if isinstance(error, ArgumentError):
                raise
            raise _no_messages(values, error) from None
    if pa.types.is_binary(values.type) or pa.types.is_string(values.type):
        width = 4
    elif pa.types.is_large_binary(values.type) or pa.types.is_large_string(values.type):
        width = 8
    else:
        raise ArgumentError(f"messages are a binary array or a sequence of bytes, not {values.type}")
    missing: frozenset[int] = frozenset()
    if values.null_count:
        missing = frozenset(pc.indices_nonzero(pc.is_null(values)).to_pylist())
        values = filled(values, b"")
    count = len(values)
    if count == 0:
        return Messages(memoryview(b"\0"), memoryview(bytes(8)).cast("q"))
    _, ends, payload = values.buffers()
    whole = memoryview(ends).cast("B")[width * values.offset : width * (values.offset + count + 1)]
    positions = whole.cast("i") if width == 4 else whole.cast("q")
    data = memoryview(payload).cast("B") if payload is not None and payload.size else memoryview(b"\0")
    return Messages(data, positions, missing)


def keys_of(values: Values, keys: Values | None) -> Values:
    """The keys of messages, one for each value; None for messages without a key.

    Raises:
        ArgumentError: the numbers of keys and values differ.
    """
    if type(keys) is list and type(values) is list and len(keys) == len(values):  # for single messages, tested first
        return keys
    count = counted(values, keys)
    return pa.nulls(count, pa.binary()) if keys is None else keys


def counted(values: Values, keys: Values | None) -> int:
    """The number of messages.

    Raises:
        ArgumentError: the arguments are not messages, or the numbers of keys and values differ.
    """
    count = _length(values)
    others = count if keys is None else _length(keys)
    if others != count:
        raise ArgumentError(f"every value has a key, which may be None: there are {others} keys for {count} values")
    return count


def _length(given: Values) -> int:
    """The number of values or keys."""
    try:
        if not isinstance(given, _ORDERED) and isinstance(given, _UNORDERED):
            raise TypeError("they have no order")
        return len(given)
    except TypeError as error:
        raise _no_messages(given, error) from None


def image_of(value: object) -> bytes | None:
    """A value or key as bytes.

    Raises:
        ArgumentError: it is something else.
    """
    if isinstance(value, pa.Scalar):
        value = value.as_py()
    if value is None or isinstance(value, bytes):
        return value
    try:
        if isinstance(value, str):
            return value.encode()
    except UnicodeEncodeError as error:
        raise _no_messages(value, error) from None
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    raise ArgumentError(f"a message is bytes or None, not {type(value).__name__}")


def _no_messages(values: object, error: Exception) -> ArgumentError:
    said = f"{type(values).__name__} ({shown(values)})"
    return ArgumentError(f"messages are a binary array or a sequence of bytes and None, not {said}: {error}")
