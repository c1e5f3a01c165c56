"""Writes events as parcels: by hand, knowing nothing of the spec and of what is printed from it."""

from __future__ import annotations

import random
import struct
from typing import Any

from tidewire.events import Ddl, Event, RowChange, Watermark

KINDS = {"insert": 0, "update": 1, "delete": 2, "ddl": 3, "watermark": 4}


def uvarint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def number(field: int, value: int) -> bytes:
    return uvarint(field << 3) + uvarint(value)


def fixed(field: int, value: int) -> bytes:
    return uvarint(field << 3 | 1) + struct.pack("<Q", value)


def sized(field: int, value: bytes) -> bytes:
    return uvarint(field << 3 | 2) + uvarint(len(value)) + value


def column(name: str, kind: int, flags: int, value: Any) -> bytes:
    parts = [sized(1, name.encode()), number(2, kind)]
    if flags:
        parts.append(number(3, flags))
    if value is not None:
        parts.append(sized(4, value if isinstance(value, bytes) else str(value).encode()))
    return b"".join(parts)


def parcel(event: Event, seed: int | None = None) -> bytes:
    """The message of an event; with a seed the fields are in another order, but for the columns among themselves."""
    parts = [number(1, KINDS[event.kind])]
    images: list[list[bytes]] = []
    if event.commit_ts is not None:
        parts.append(fixed(4, event.commit_ts))
    if not isinstance(event, Watermark):
        assert isinstance(event, RowChange | Ddl)
        parts += [sized(2, event.schema.encode())] if event.schema else []
        parts += [sized(3, event.table.encode())] if event.table else []
    if isinstance(event, RowChange):
        facts = {one.name: one for one in event.columns}
        for field, image in ((7, event.new), (1000, event.old)):
            if image is not None:
                images.append(
                    [sized(field, column(name, facts[name].type, facts[name].flags, image[name])) for name in image]
                )
    elif isinstance(event, Ddl):
        parts.append(sized(5, (event.query or "").encode()))
        if event.ddl_type is not None:
            parts.append(number(6, event.ddl_type))
    groups = [[one] for one in parts] + images
    if seed is not None:
        # the columns of both images may stand between one another, and anywhere
        order = [k for k, group in enumerate(groups) for _ in group]
        random.Random(seed).shuffle(order)
        left = [iter(group) for group in groups]
        return b"".join(next(left[k]) for k in order)
    return b"".join(one for group in groups for one in group)
