"""Compressed messages: snappy (one raw block) and lz4 (one frame), as producers compress the values that they send.

Nothing in a message says that it is compressed; an option does. What is decompressed is bounded three times: by what
the format can make of so many bytes, by `MOST` for one message, and by an allowance for the messages of a batch.
Memory is taken as bytes come out, never because a length in the message says so.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator

import lz4.frame
import pyarrow as pa

from tidewire.runtime.delivery.allowance import Allowance, Divide
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.literals import column_of

NONE = "none"
OTHERWISE = "compressed-otherwise"
"""Name of the reason why compressed messages may differ in bytes: they are the same decompressed."""
MOST = 512 << 20
"""Most bytes that one message may have, decompressed: twice what TiDB's largest transaction entry can become, a row
before and after an update, each byte escaped."""
PIECE = 16 << 20
"""Bytes of decompressed messages that are held at once, give or take one message."""
MOST_OF_PIECE = 1 << 16
"""Most messages that are held at once."""

# The densest element is a copy of 64 bytes written in 3; 22 covers the rounding of what is left over.
_SNAPPY_EXPANDS = 22
# A match is lengthened by 255 with each byte.
_LZ4_EXPANDS = 255
_LZ4_MAGIC = b"\x04\x22\x4d\x18"
# What a guess may cost.
_MOST_GUESSED = 1 << 20
_LEAST_PIECE = 1 << 12
_MOST_PIECE = 4 << 20


class CompressionError(ValueError):
    """Bytes that are not what the format says.

    Attributes:
        offset: byte of the compressed message at which that was noticed.
        reason: a sentence.
        needed: bytes that it would have had, None where it makes no sense.
        available: most bytes that it can have, None where it makes no sense.
    """

    def __init__(self, offset: int, reason: str, needed: int | None = None, available: int | None = None) -> None:
        super().__init__(reason)
        self.offset = offset
        self.reason = reason
        self.needed = needed
        self.available = available


class TooLong(CompressionError):
    """A message that is longer than what is left of the allowance."""


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
    """A frame, in pieces that grow with what was read."""
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
# A context for each thread, kept because a frame's blocks may be 4 MiB and a new one takes room for them.
_KEPT = threading.local()
_COMPRESS: dict[str, Callable[[bytes], bytes]] = {"snappy": _snappy, "lz4": _lz4}
_DECOMPRESS: dict[str, Callable[[bytes, int], bytes]] = {"snappy": _unsnappy, "lz4": _unlz4}

NAMES = (NONE, *_COMPRESS)
"""What a message can be compressed with."""


def compress(name: str, data: bytes) -> bytes:
    """A message as it is sent."""
    return data if name == NONE else _COMPRESS[name](data)


def decompress(name: str, data: bytes, most: int = MOST) -> bytes:
    """A message as it was before it was compressed.

    Raises:
        CompressionError: it is not of that format, is damaged, or is longer than `most`.
    """
    return data if name == NONE else _DECOMPRESS[name](data, most)


def unpack(
    protocol: str,
    name: str,
    values: Iterable[bytes | pa.Scalar | None],
    allowance: Allowance,
    errors: list[DecodeError],
    over: list[int] | None = None,
) -> Iterator[pa.Array]:
    """The messages of a batch, decompressed, in arrays of about `PIECE` bytes; null stays null.

    Args:
        protocol: for errors.
        name: what they are compressed with; `none` costs no allowance.
        values: the messages.
        allowance: what they may become. When it divides batches, it says where this one ends.
        errors: gets those of messages that cannot be decompressed, which are null.
        over: gets the numbers of those for which the allowance is too small.

    Raises:
        Divide: the first message is too long for a batch that can be divided.
    """
    plain: list[bytes | None] = []
    size = 0
    for at, given in enumerate(values):
        value = given.as_py() if isinstance(given, pa.Scalar) else given
        data = None
        if value is not None:
            try:
                data = value if name == NONE else _within(name, value, allowance)
            except TooLong as error:
                if allowance.divides and over is None:
                    if not at:
                        raise Divide(1) from None
                    allowance.stop = at
                    break
                if over is not None:
                    over.append(at)
                errors.append(_decode_error(protocol, name, value, error, at))
            except CompressionError as error:
                errors.append(_decode_error(protocol, name, value, error, at))
        plain.append(data)
        size += len(data or b"")
        del data, value, given
        if size >= PIECE or len(plain) >= MOST_OF_PIECE:
            packed = column_of(plain, pa.large_binary())
            plain, size = [], 0
            yield packed
            del packed
    if plain:
        yield column_of(plain, pa.large_binary())


def _within(name: str, value: bytes, allowance: Allowance) -> bytes:
    """A message decompressed, its bytes taken of the allowance.

    Raises:
        TooLong: the allowance is too small.
        CompressionError: it is damaged.
    """
    most = min(MOST, allowance.left)
    try:
        data = decompress(name, value, most)
    except CompressionError as error:
        if error.available == most < MOST:
            raise TooLong(error.offset, allowance.reason, error.needed, most) from None
        raise
    allowance.take(len(data))
    return data


def _decode_error(protocol: str, name: str, value: bytes, error: CompressionError, message: int) -> DecodeError:
    seems = guess(value)
    hint = "" if seems in (None, name) else f"; it looks like {'no compression' if seems == NONE else seems}"
    detail = error.reason + hint
    return DecodeError(protocol, "message", error.offset, "compressed", detail, error.needed, error.available, message)


def guess(value: bytes) -> str | None:
    """What a message that cannot be read seems to be compressed with; None when it looks like nothing known."""
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
