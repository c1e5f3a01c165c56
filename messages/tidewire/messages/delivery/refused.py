"""Finds the events that an encoder cannot write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tidewire.runtime.errors import EncodeError

Check = Callable[[Sequence[int]], object]
"""A function that raises the error of one of these events, if some cannot be written; the error's `event` counts them
from 0. It has no side effects.
"""


def refused(check: Check, events: Iterable[int]) -> dict[int, EncodeError]:
    """The events that cannot be encoded, with their errors; all others can be encoded together.

    Events are tried in groups, smaller after every error and larger after every success, so that the work does not grow
    with the product of events and refused events.

    Raises:
        EncodeError: an error that does not concern an event.
    """
    found: dict[int, EncodeError] = {}
    rest = list(events)
    # an error of an event may be found after that of a later one
    while rest:
        start, size, before = 0, len(rest), len(found)
        while start < len(rest):
            try:
                check(rest[start : start + size])
                start, size = start + size, 2 * size
            except EncodeError as error:
                if error.event is None:
                    raise
                found[rest[start + error.event]] = error
                start, size = start + error.event + 1, max(1, size // 2)
        if len(found) == before:
            return found
        rest = [event for event in rest if event not in found]
    return found
