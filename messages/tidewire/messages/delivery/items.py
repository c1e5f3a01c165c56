"""How values are compressed: the format, and whether as a whole or item by item.

An item is the content of a frame, preceded by its big-endian length. The length of a compressed item is its compressed
size. Empty items are not compressed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from tidewire.messages.delivery.compression import MOST, NONE, CompressionError, compress, decompress, guess

WHOLE = 0
"""No length prefix: values are compressed as a whole."""


class Packing(NamedTuple):
    """How values are compressed."""

    name: str = NONE
    """The format; `none`: values are not compressed."""
    prefix: int = WHOLE
    """The size of the length before each item, in bytes; 0: values are compressed as a whole."""
    keys: bool = False
    """Whether keys are compressed, too, as a whole."""

    def pack(self, value: bytes) -> bytes:
        """Compresses a value for sending."""
        if self.name == NONE or not self.prefix:
            return compress(self.name, value)
        return self._each(value, lambda _, data: compress(self.name, data))

    def unpack(self, value: bytes, most: int = MOST) -> bytes:
        """Decompresses a value. From a point where it cannot be divided into items it is left unchanged; the decoder
        reports the error.

        Args:
            value: the value as it was sent.
            most: maximum size of the result in bytes.

        Raises:
            CompressionError: it is not compressed in this way, is damaged, or exceeds `most`.
        """
        if self.name == NONE or not self.prefix:
            return decompress(self.name, value, most)
        left = most

        def one(position: tuple[int, int], data: bytes) -> bytes:
            nonlocal left
            try:
                found = decompress(self.name, data, left)
            except CompressionError as error:
                number, start = position
                # previous items count towards the limit
                available = most if error.available == left else error.available
                raise CompressionError(start + error.offset, error.reason, error.needed, available, number) from None
            left = max(left - len(found), 0)
            return found

        return self._each(value, one)

    def compressor(self) -> Callable[[bytes], bytes] | None:
        """A function that compresses one item; None: items are not compressed."""
        return None if self.name == NONE else partial(compress, self.name)

    def _each(self, value: bytes, change: Callable[[tuple[int, int], bytes], bytes]) -> bytes:
        """The value with the contents of all non-empty items replaced."""
        found = bytearray()
        at = 0
        for number, (start, stop) in enumerate(items(value, self.prefix)):
            if stop > start:
                content = change((number, start), value[start:stop])
                found += value[at : start - self.prefix]
                found += len(content).to_bytes(self.prefix, "big")
                found += content
                at = stop
        found += value[at:]
        return bytes(found)


def items(value: bytes, prefix: int) -> Iterator[tuple[int, int]]:
    """Start and end of the contents of frames, as far as they are complete.

    Args:
        value: consecutive frames.
        prefix: the size of the length before each, in bytes.
    """
    at = 0
    while at + prefix <= len(value):
        start = at + prefix
        at = start + int.from_bytes(value[at:start], "big")
        if at > len(value):
            return
        yield start, at


def guess_packing(value: bytes, prefix: int, item: int | None) -> str | None:
    """The likely compression of a value that cannot be decoded; None if it looks like no known format.

    Args:
        value: the value as it was sent.
        prefix: size of the length before each item in bytes; 0 if values are compressed as a whole.
        item: the item that cannot be decoded; None: the first that is not empty.
    """
    if not prefix:
        return guess(value)
    for number, (start, stop) in enumerate(items(value, prefix)):
        if number == item or (item is None and stop > start):
            return guess(value[start:stop])
    return None
