"""Which of some events an encoder cannot write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tidewire.runtime.errors import EncodeError

Check = Callable[[Sequence[int]], object]
"""A function that raises the error of one of these events, if any cannot be written; the error's `event` counts them
from 0. It has no effects.
"""


def refused(check: Check, events: Iterable[int]) -> dict[int, EncodeError]:
    """The events that cannot be written, with their errors; all others can be written together.

    They are tried in parts, smaller after every error and greater after every success, so that the work does not grow
    with the number of events times that of refused ones.

    Raises:
        EncodeError: one that is about no event.
    """
    found: dict[int, EncodeError] = {}
    rest = list(events)
    # what is wrong with an event may be noticed after what is wrong with a later one
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
