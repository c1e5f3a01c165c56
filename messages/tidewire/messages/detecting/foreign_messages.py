"""Adds to the errors of undecodable messages which other protocol they look like."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
    registered: Mapping[str, str] | None,
) -> EventColumns:
    """The columns. If no message can be decoded, but at least half of them can be by another protocol or look like the
    protocol's other encoding, the errors say so.

    Args:
        columns: the decoded columns.
        others: returns the modules of the other protocols.
        otherwise: returns a text about the encoding of a message if it seems to differ from the selected one.
        registered: the option with the schema registry, if messages begin with schema ids, as in some other protocols.
            Other protocols are tried with it unless schemas could not be fetched. None: there are no ids.
    """
    if columns.num_events or len(columns.errors) < len(values) - len(columns.tombstones):
        return columns
    given = sample(values, keys, LOOKED_AT, MOST_BYTES, refuses_text=False)
    said = [text for text in map(otherwise, given.values) if text is not None]
    if said and 2 * len(said) >= len(given.values):
        columns.errors = [_named(error, said[0]) for error in columns.errors]
        return columns
    alike: str | None = None
    known = {} if any(isinstance(error, MissingSchemaError) for error in columns.errors) else registered or {}
    for module in others() if given.values else ():
        found = read(module, given, known)
        if 2 * found.eventful >= len(given.values):
            alike = module.NAME
            break
        if alike is None and registered is None and 2 * (found.eventful + len(found.unregistered)) >= len(given.values):
            alike = module.NAME  # unless they can be read as another protocol
    if alike is not None:
        columns.errors = [_named(error, alike) for error in columns.errors]
    return columns


def _named(error: DecodeError, protocol: str) -> DecodeError:
    if type(error) not in (DecodeError, MissingSchemaError):
        return error  # a more informative error
    return error.with_detail(error.detail, protocol)
