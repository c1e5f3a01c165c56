"""What keeps what it learns is used by one call at a time, and says so to another.

A decoder's caches are in the middle of a change while it reads. Whoever comes then, another thread or code that the
call itself runs (an iterator of messages, a registry of the caller's), is refused instead of answered wrongly. The flag
costs no lock: between the look at it and its change nothing else of Python runs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from tidewire.runtime.errors import TidewireError

Given = ParamSpec("Given")
Found = TypeVar("Found")


class InUseError(TidewireError, RuntimeError):
    """A decoder, encoder or transcoder was asked for something while another call used it."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"this {what} is in use by another call, of another thread or around this one: make one for each thread. "
            "The functions of a protocol's module (decode, decode_batch, encode, encode_batch) can be called by all"
        )
        self.what = what

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what,)


class OneAtATime(Protocol):
    """What `one_at_a_time` needs of an object.

    Attributes:
        in_use: whether a call uses it now.
        called: what it is, in the error.
    """

    in_use: bool
    called: str


Own = TypeVar("Own", bound=OneAtATime)


def one_at_a_time(
    method: Callable[Concatenate[Own, Given], Found],
) -> Callable[Concatenate[Own, Given], Found]:
    """A method that refuses to run while another such method of the object does. Methods that are called for every
    message do the same in place: a call less.
    """

    @wraps(method)
    def alone(self: Own, /, *given: Given.args, **named: Given.kwargs) -> Found:
        if self.in_use:
            raise InUseError(self.called)
        self.in_use = True
        try:
            return method(self, *given, **named)
        finally:
            self.in_use = False

    return alone
