"""Compressed messages: snappy (one raw block) and lz4 (one frame), as producers compress the values that they send.

Nothing in a message marks it as compressed; an option does. Decompressed data is bounded three times: by what the
format can expand so many bytes to, by `MOST` for one message, and by an allowance for the messages of a batch. Memory
is allocated as bytes come out, never because of a length in the message.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import lz4.frame
import pyarrow as pa

NONE = "none"
OTHERWISE = "compressed-otherwise"
"""Name of the reason why compressed messages may differ in bytes: decompressed they are equal."""
MOST = 512 << 20
"""Most bytes that one message may have, decompressed: twice what TiDB's largest transaction entry can become, a row
before and after an update, each byte escaped."""

# The densest element is a copy of 64 bytes written in 3; 22 includes the rounding of the remainder.
_SNAPPY_EXPANDS = 22
# A match is lengthened by 255 with each byte.
_LZ4_EXPANDS = 255
_LZ4_MAGIC = b"\x04\x22\x4d\x18"
# The most bytes decompressed for a guess.
_MOST_GUESSED = 1 << 20
_LEAST_PIECE = 1 << 12
_MOST_PIECE = 4 << 20


class CompressionError(ValueError):
    """The data is not in the compressed format.

    Attributes:
        offset: offset in the compressed message at which the error was found.
        reason: a sentence.
        needed: the decompressed size in bytes, None if it is unknown.
        available: the most bytes allowed, None if there is no limit.
        item: number of the item, if items are compressed individually; otherwise None.
    """

    def __init__(
        self,
        offset: int,
        reason: str,
        needed: int | None = None,
        available: int | None = None,
        item: int | None = None,
    ) -> None:
        super().__init__(reason if item is None else f"item {item}: {reason}")
        self.offset = offset
        self.reason = reason
        self.needed = needed
        self.available = available
        self.item = item


def _unsnappy(data: bytes, most: int) -> bytes:
    """A raw block: its length as a uvarint, then its elements."""
    length = shift = at = 0
    while True:
        if at == len(data) or at == 5:
            raise CompressionError(at, "the snappy block does not begin with its length")
        byte = data[at]
        length |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if byte < 0x80:
            break
    possible = min((len(data) - at) * _SNAPPY_EXPANDS, most)
    if length > possible:
        raise CompressionError(
            0, f"the snappy block says that it holds {length} bytes; at most {possible} are possible", length, possible
        )
    try:
        plain: bytes = _SNAPPY.decompress(data, length, asbytes=True)
    except (OSError, pa.ArrowInvalid):
        raise CompressionError(at, "the snappy block is damaged") from None
    return plain


def _unlz4(data: bytes, most: int) -> bytes:
    """Decompresses a frame, in growing pieces."""
    if data[:4] != _LZ4_MAGIC:
        raise CompressionError(0, "it does not begin with the magic number of an lz4 frame")
    context = getattr(_KEPT, "context", None)
    if context is None:
        context = _KEPT.context = lz4.frame.create_decompression_context()
    lz4.frame.reset_decompression_context(context)
    rest = memoryview(data)
    possible = min(len(data) * _LZ4_EXPANDS, most)
    piece = min(max(4 * len(data), _LEAST_PIECE), _MOST_PIECE)
    parts: list[bytes] = []
    size = at = 0
    while True:
        try:
            part, read, ended = lz4.frame.decompress_chunk(context, rest[at:], piece)
        except RuntimeError as error:
            raise CompressionError(at, f"the lz4 frame is damaged ({error})") from None
        at += read
        size += len(part)
        parts.append(part)
        if size > possible:
            raise CompressionError(at, f"the lz4 frame holds more than {possible} bytes", size, possible)
        if ended:
            break
        if not part and at == len(data):
            raise CompressionError(at, "the lz4 frame ends too early")
    if at < len(data):
        raise CompressionError(at, f"bytes left over behind the lz4 frame: {len(data) - at}")
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _lz4(data: bytes) -> bytes:
    # As TiCDC writes it: independent blocks, a checksum of the content and no length.
    framed: bytes = lz4.frame.compress(
        data, block_size=lz4.frame.BLOCKSIZE_MAX4MB, block_linked=False, content_checksum=True, store_size=False
    )
    return framed


def _snappy(data: bytes) -> bytes:
    block: bytes = _SNAPPY.compress(data, asbytes=True)
    return block


_SNAPPY = pa.Codec("snappy")
# One context for each thread, reused because a frame's blocks may be 4 MiB, which a new one allocates.
_KEPT = threading.local()
_COMPRESS: dict[str, Callable[[bytes], bytes]] = {"snappy": _snappy, "lz4": _lz4}
_DECOMPRESS: dict[str, Callable[[bytes, int], bytes]] = {"snappy": _unsnappy, "lz4": _unlz4}

NAMES = (NONE, *_COMPRESS)
"""The ways to compress a message."""


def compress(name: str, data: bytes) -> bytes:
    """Compresses a message for sending."""
    return data if name == NONE else _COMPRESS[name](data)


def decompress(name: str, data: bytes, most: int = MOST) -> bytes:
    """Decompresses a message.

    Raises:
        CompressionError: it is not of that format, is damaged, or is longer than `most`.
    """
    return data if name == NONE else _DECOMPRESS[name](data, most)


def guess(value: bytes) -> str | None:
    """The likely compression of a message that cannot be decoded; None if it looks like no known format."""
    if value[:4] == _LZ4_MAGIC:
        return "lz4"
    if value[:1] in (b"{", b"["):
        return NONE
    if value:
        try:
            _unsnappy(value, _MOST_GUESSED)
        except CompressionError:
            return None
        return "snappy"
    return None
