"""Inputs of protocols whose messages have keys: key and value in one, the key's length before it in four bytes."""

from __future__ import annotations

from collections.abc import Sequence

from open_protocol.wire import Made

from tidewire.runtime.errors import DecodeError


def joined(made: Made) -> bytes:
    """A message as one input."""
    return len(made.key).to_bytes(4, "big") + made.key + made.value


def parted(given: bytes) -> Made:
    """Key and value of an input, whatever it is."""
    size = int.from_bytes(given[:4], "big")
    return Made(given[4 : 4 + size], given[4 + size :])


def halves(inputs: Sequence[bytes]) -> tuple[Sequence[bytes], Sequence[bytes]]:
    """Values and keys."""
    messages = [parted(one) for one in inputs]
    return [one.value for one in messages], [one.key for one in messages]


def part(given: bytes, error: DecodeError) -> bytes:
    """The part of an input in which an error's offset counts."""
    made = parted(given)
    return made.key if error.part == "key" else made.value
