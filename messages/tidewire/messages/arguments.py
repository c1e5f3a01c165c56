"""Argument checks of public functions: options passed as the Kafka key, strings passed as options or messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass

from tidewire.messages.options import CodecOptions
from tidewire.runtime.errors import ArgumentError
from tidewire.runtime.shortened import shown


def check_key(key: object) -> None:
    """Checks that the key of one message is bytes or None.

    Raises:
        ArgumentError: it is not.
    """
    if key is not None and not isinstance(key, bytes | bytearray | memoryview):
        raise ArgumentError(
            f"the second argument is the Kafka key, bytes or None, not {_named(key)}; options are given by name: "
            "options=Options(...)"
        )


def check_keys(keys: object) -> None:
    """Checks that the keys of messages are a sequence of bytes and None, or an Arrow array.

    Raises:
        ArgumentError: they are not; they may be options, or a single key.
    """
    if keys is not None and (isinstance(keys, Mapping | str | bytes) or is_dataclass(keys)):
        raise ArgumentError(
            f"the second argument is the Kafka keys, one for each value, not {_named(keys)}; options are given by "
            "name: options=Options(...)"
        )


def part_of_message(part: object) -> bytes | None:
    """The value or the key of one message, as bytes.

    Raises:
        ArgumentError: it is of another type.
    """
    if part is None or isinstance(part, bytes):
        return part
    if isinstance(part, bytearray | memoryview):
        return bytes(part)
    raise ArgumentError(f"the value and the key of a message are bytes or None, not {_named(part)}")


def check_options(options: object, protocol: str) -> None:
    """Checks that options are an instance of the protocol's class `Options`.

    Raises:
        ArgumentError: they are a mapping of strings, a text, or options of another protocol.
    """
    if options is None or (isinstance(options, CodecOptions) and protocol == options.PROTOCOL):
        return
    if isinstance(options, Mapping | str | bytes):
        raise ArgumentError(f"options are made from {_named(options)} with Options.from_strings({{'name': 'value'}})")
    raise ArgumentError(f"{protocol}: options are an object of its class Options, not {_named(options)}")


def _named(value: object) -> str:
    return f"{type(value).__name__} ({shown(value)})"
