"""A pool of decoders and encoders for each thread: making one costs more than a message does."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

MOST_KEPT = 4
"""The most decoders, and encoders, of a protocol in a thread's pool; the least recently used one is dropped."""
MOST_EVENTS = 256
"""Calls with more messages, or events, create their own decoder or encoder."""
MOST_BYTES = 1 << 20
"""Likewise for the bytes of messages, so that the caches of pooled decoders stay small."""


class Reusable(Protocol):
    """A decoder or encoder that can be pooled."""

    @property
    def reusable(self) -> bool:
        """Whether it holds no state besides caches: no files, no store."""


OptionsT = TypeVar("OptionsT")
CodecT = TypeVar("CodecT", bound=Reusable)


class _Held:
    """A thread's pool: the codec used last, and the others by their options, the newest last."""

    __slots__ = ("codec", "options", "others")

    def __init__(self) -> None:
        self.options: Any = None
        self.codec: Any = None
        self.others: dict[Any, Any] = {}


class _Own(threading.local):
    """The pool of the current thread."""

    def __init__(self) -> None:
        self.held = _Held()


class CodecPool(Generic[OptionsT, CodecT]):
    """Creates codecs of one kind, and pools them per thread and options.

    A taken codec is not used by others until it is returned: a nested call gets another one, and after an error it is
    not returned.
    """

    def __init__(self, make: Callable[[OptionsT | None], CodecT]) -> None:
        self._make = make
        self._own = _Own()

    def take(self, options: OptionsT | None) -> CodecT:
        """A codec with these options."""
        own = self._own.held
        codec: CodecT | None = own.codec
        if codec is not None and own.options is options:
            own.codec = None
            return codec
        self._put_away(own)
        try:
            codec = own.others.pop(options, None)
        except TypeError:  # unhashable options: making a codec with them raises the right error
            codec = None
        return self._make(options) if codec is None else codec

    def give(self, options: OptionsT | None, codec: CodecT) -> None:
        """Returns a codec to the pool."""
        if codec.reusable:
            own = self._own.held
            self._put_away(own)
            own.options = options
            own.codec = codec
            if len(own.others) >= MOST_KEPT:
                del own.others[next(iter(own.others))]

    def _put_away(self, own: _Held) -> None:
        """Moves the codec used last to the others."""
        if own.codec is not None:
            own.others[own.options] = own.codec
            own.codec = None


def small(values: Any) -> bool:
    """Whether the messages are so few and short that their decoder is pooled.

    Args:
        values: a binary array or a sequence of bytes and None.
    """
    if type(values) is not list:
        size = getattr(values, "nbytes", MOST_BYTES)
        return isinstance(size, int) and size < MOST_BYTES and len(values) <= MOST_EVENTS
    if len(values) == 1 and type(values[0]) is bytes:
        return len(values[0]) < MOST_BYTES
    if len(values) > MOST_EVENTS:
        return False
    size = 0
    for value in values:
        if type(value) is bytes:
            size += len(value)
        elif value is not None:
            return False
    return size < MOST_BYTES
