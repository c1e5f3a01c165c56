"""Refuses swapped arguments: options where the Kafka key belongs, strings where options belong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass

from tidewire.runtime.options import CodecOptions
from tidewire.runtime.shortened import shown


def check_key(key: object) -> None:
    """The key of one message is bytes or None.

    Raises:
        TypeError: it is something else.
    """
    if key is not None and not isinstance(key, bytes | bytearray | memoryview):
        raise TypeError(
            f"the second argument is the Kafka key, bytes or None, not {_named(key)}; options are given by name: "
            "options=Options(...)"
        )


def check_keys(keys: object) -> None:
    """The keys of many messages are a sequence of bytes and None, or an Arrow array.

    Raises: TypeError: they are something else, such as options or a single key.
    """
    if keys is not None and (isinstance(keys, Mapping | str | bytes) or is_dataclass(keys)):
        raise TypeError(
            f"the second argument is the Kafka keys, one for each value, not {_named(keys)}; options are given by "
            "name: options=Options(...)"
        )


def check_options(options: object) -> None:
    """Options are an object of the protocol's class `Options`.

    Raises:
        TypeError: they are strings by name, or a text.
    """
    if options is None or isinstance(options, CodecOptions):
        return
    if isinstance(options, Mapping | str | bytes):
        raise TypeError(f"options are made from {_named(options)} with Options.from_strings({{'name': 'value'}})")


def _named(value: object) -> str:
    return f"{type(value).__name__} ({shown(value)})"
