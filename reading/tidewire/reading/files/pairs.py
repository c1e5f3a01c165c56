"""Files of keys and values that alternate, each with a length prefix: the former format of TiCDC's storage sink.

A pair is the key and the value that a Kafka message would have for one event. The number that keys begin with is stored
once, before the first pair, or not at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tidewire.messages.protocols import ProtocolInfo
from tidewire.reading.files.formats import Input
from tidewire.reading.files.streams import MOST_LINE, DamagedError, before_it

LENGTH = 8
"""Bytes of a length prefix, big-endian."""


def key_head(protocols: Mapping[str, ProtocolInfo]) -> bytes:
    """The bytes that keys begin with, for the protocol that is recognized by them; empty if no protocol is."""
    for info in protocols.values():
        signs = info.load().FACTS.signs
        if signs.part == "key" and signs.prefix:
            head: bytes = signs.prefix
            return head
    return b""


def pairs(name: str, pieces: Iterable[bytes], head: bytes) -> Iterator[list[Input]]:
    """The messages of such a file, one per pair, in lists of those that arrived together.

    Reading stops at an invalid length, since the next pair cannot be found.

    Args:
        pieces: bytes of the file as they arrive.
        head: bytes that keys begin with, which the file contains once before the first length.

    Raises:
        DamagedError: a length is too great, or a piece raises it.
    """
    arrived = bytearray()
    read = number = 0
    begun = False
    for piece in pieces:
        arrived += piece
        at = 0
        found = []
        if not begun and len(arrived) >= LENGTH:
            begun = True
            at = len(head) if arrived.startswith(head) else 0
        while begun and (ends := _ends(arrived, at)) is not None:
            middle, end = ends
            number += 1
            found.append(Input(f"{name}:{number}", head + arrived[at:middle], bytes(arrived[middle:end])))
            at = end
        del arrived[:at]
        read += at
        if found:
            yield found
    if arrived:
        problem = (
            f"{len(arrived)} bytes from byte {read} on are no key and value, each behind its length in {LENGTH} bytes; "
            f"{before_it(number)}"
        )
        yield [Input(f"{name}:{number + 1}", None, None, problem)]


def _ends(arrived: bytearray, start: int) -> tuple[int, int] | None:
    """The end offsets of the key and the value at `start`; None if the pair is incomplete."""
    at, found = start, []
    for _ in range(2):
        length = int.from_bytes(arrived[at : at + LENGTH], "big")
        if length > MOST_LINE:
            raise DamagedError(f"the length of a key or value is {length:,} bytes, at most {MOST_LINE:,} are read")
        if len(arrived) - at < LENGTH + length:
            return None
        at += LENGTH + length
        found.append(at)
    return found[0], found[1]
