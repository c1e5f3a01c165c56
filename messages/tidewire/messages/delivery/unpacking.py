"""Decompresses the messages of a batch, piece by piece, within its allowance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import pyarrow as pa

from tidewire.messages.delivery.compression import MOST, NONE, CompressionError
from tidewire.messages.delivery.items import Packing, guess_packing
from tidewire.messages.delivery.unpack_budget import Allowance, Divide
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.wire.messages import Piece, Values, counted, image_of

PIECE = 16 << 20
"""The bytes of decompressed messages that are held at once, plus or minus one message."""
MOST_OF_PIECE = 1 << 16
"""The most messages that are held at once."""
Cell: TypeAlias = "bytes | pa.Scalar | None"


class TooLong(CompressionError):
    """A message that exceeds the remaining allowance."""


def paired(values: Values, keys: Values | None) -> Iterator[tuple[Cell, Cell]]:
    """Pairs of values and keys.

    Raises:
        ArgumentError: the arguments are not messages.
    """
    counted(values, keys)
    if keys is None:
        for value in values:
            yield value, None
    else:
        yield from zip(values, keys, strict=True)


def unpack(
    protocol: str,
    packing: Packing,
    messages: Iterable[tuple[Cell, Cell]],
    allowance: Allowance,
    errors: list[DecodeError],
    over: list[int] | None = None,
    keyed: bool = False,
) -> Iterator[Piece]:
    """The decompressed messages of a batch, in arrays of about `PIECE` bytes; null stays null.

    Args:
        protocol: name for errors.
        packing: how values are compressed; uncompressed ones do not count towards the allowance.
        messages: values and keys.
        allowance: the limit for the decompressed size. If it divides batches, it receives the end of this one.
        errors: receives errors of messages that cannot be decompressed; their values become null.
        over: receives the indexes of messages that exceed the allowance.
        keyed: whether keys are decompressed as well.

    Raises:
        Divide: the first message is too long for a batch that can be divided.
    """
    plain: list[bytes | None] = []
    keys: list[bytes | None] = []
    size = 0
    for at, (given, given_key) in enumerate(messages):
        value, key = image_of(given), image_of(given_key) if keyed else None
        data = None
        packed, part = value, "value"
        if value is not None:
            try:
                if packing.keys and key is not None:
                    packed, part = key, "key"
                    key = key if packing.name == NONE else _within(packing, key, allowance)
                    packed, part = value, "value"
                data = value if packing.name == NONE else _within(packing, value, allowance)
            except TooLong as error:
                if allowance.divides and over is None:
                    if not at:
                        raise Divide(1) from None
                    allowance.stop = at
                    break
                if over is not None:
                    over.append(at)
                errors.append(_decode_error(protocol, packing, packed, error, at, part if keyed else ""))
            except CompressionError as error:
                errors.append(_decode_error(protocol, packing, packed, error, at, part if keyed else ""))
        plain.append(data)
        keys.append(key)
        size += len(data or b"") + len(key or b"")
        del data, value, packed, given
        if size >= PIECE or len(plain) >= MOST_OF_PIECE:
            piece = _piece(plain, keys, keyed)
            plain, keys, size = [], [], 0
            yield piece
            del piece
    if plain:
        yield _piece(plain, keys, keyed)


def _piece(values: list[bytes | None], keys: list[bytes | None], keyed: bool) -> Piece:
    return column_of(values, pa.large_binary()), column_of(keys, pa.large_binary()) if keyed else None


def _within(packing: Packing, value: bytes, allowance: Allowance) -> bytes:
    """A decompressed message; its bytes are taken from the allowance.

    Raises:
        TooLong: the allowance is too small.
        CompressionError: it is damaged.
    """
    most = min(MOST, allowance.left)
    try:
        data = packing.unpack(value, most)
    except CompressionError as error:
        if error.available == most < MOST:
            raise TooLong(error.offset, allowance.reason, error.needed, most, error.item) from None
        raise
    # the lengths before items are not counted during unpacking
    allowance.take(min(len(data), allowance.left))
    return data


def _decode_error(
    protocol: str, packing: Packing, packed: bytes | None, error: CompressionError, message: int, part: str
) -> DecodeError:
    seems = guess_packing(packed or b"", packing.prefix, error.item)
    hint = "" if seems in (None, packing.name) else f"; it looks like {'no compression' if seems == NONE else seems}"
    return DecodeError(
        protocol,
        "message" if error.item is None else str(error.item),
        error.offset,
        "compressed",
        error.reason + hint,
        error.needed,
        error.available,
        message,
        part=part,
    )
