"""Files in which keys and values lie one behind the other, each behind its length: what TiCDC once wrote to storage.

A pair is what one event has in the key and in the value of a Kafka message. The number that keys begin with stands
before the first pair, or nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tidewire.reading.files.formats import Input
from tidewire.reading.files.streams import MOST_LINE, DamagedError
from tidewire.runtime.protocols import ProtocolInfo

LENGTH = 8
"""Bytes of the lengths, big endian."""


def key_head(protocols: Mapping[str, ProtocolInfo]) -> bytes:
    """What the keys begin with of the protocol whose messages are known by it; nothing when there is none."""
    for info in protocols.values():
        signs = info.load().FACTS.signs
        if signs.part == "key" and signs.prefix:
            head: bytes = signs.prefix
            return head
    return b""


def pairs(name: str, pieces: Iterable[bytes], head: bytes) -> Iterator[list[Input]]:
    """The messages of such a file, one for each pair, in lists of those that arrived together.

    Behind what cannot be a length nothing is read: where the next pair begins is not known.

    Args:
        name: of the file.
        pieces: its bytes as they arrive.
        head: what keys begin with, before the first length.

    Raises:
        DamagedError: a length is too great, or as the pieces do.
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
            f"{len(arrived)} bytes from byte {read} on are no key and value, each behind its length in {LENGTH} bytes"
        )
        yield [Input(f"{name}:{number + 1}", None, None, problem)]


def _ends(arrived: bytearray, start: int) -> tuple[int, int] | None:
    """Where the key and the value that begin there end; None: not all of them is there."""
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
