"""When no message can be read, every error says which other protocol they look like."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tidewire.messages.detecting.reading import read, sample
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.registered.errors import MissingSchemaError

LOOKED_AT = 16
"""The most messages that are examined."""
MOST_BYTES = 8 << 10
"""The most bytes of a message that is examined: the memory for a hint must not depend on the size of a hostile
message.
"""


def explained(
    columns: EventColumns,
    values: Any,
    keys: Any,
    others: Callable[[], Iterable[Any]],
    otherwise: Callable[[bytes], str | None],
    registered: bool,
) -> EventColumns:
    """The columns; where no message can be read and at least half of them can be as another protocol, or are encoded in
    the other way that the protocol has, errors say so.

    Args:
        columns: what was read.
        values: the messages.
        keys: their keys.
        others: gives the modules of the other protocols.
        otherwise: says of a message what it looks like when it is encoded in another way than was asked for.
        registered: whether messages have the ids of schemas before them, as those of some other protocols have.
    """
    if columns.num_events or len(columns.errors) < len(values) - len(columns.tombstones):
        return columns
    given = sample(values, keys, LOOKED_AT, MOST_BYTES, refuses_text=False)
    said = [text for text in map(otherwise, given.values) if text is not None]
    if said and 2 * len(said) >= len(given.values):
        columns.errors = [_named(error, said[0]) for error in columns.errors]
        return columns
    alike: str | None = None
    for module in others() if given.values else ():
        found = read(module, given)
        if 2 * found.eventful >= len(given.values):
            alike = module.NAME
            break
        if alike is None and not registered and 2 * (found.eventful + len(found.unregistered)) >= len(given.values):
            alike = module.NAME  # unless they can be read as another protocol
    if alike is not None:
        columns.errors = [_named(error, alike) for error in columns.errors]
    return columns


def _named(error: DecodeError, protocol: str) -> DecodeError:
    if type(error) not in (DecodeError, MissingSchemaError):
        return error  # a more informative error
    return error.with_detail(error.detail, protocol)
