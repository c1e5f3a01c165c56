"""Refuses concurrent use of decoders, encoders and transcoders.

They have caches that are inconsistent while a call runs. Another call at that time, from another thread or from code
that the call itself runs (an iterator of messages, a user-defined registry), is refused rather than answered wrongly.
No lock is needed, since no other Python code runs between the test of the flag and its change.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from tidewire.runtime.errors import TidewireError

Given = ParamSpec("Given")
Found = TypeVar("Found")


class InUseError(TidewireError, RuntimeError):
    """A decoder, encoder or transcoder was called while another call was using it."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"this {what} is in use by another call, of another thread or around this one: make one for each thread. "
            "The functions of a protocol's module (decode, decode_batch, encode, encode_batch) can be called by all"
        )
        self.what = what

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what,)


class OneAtATime(Protocol):
    """The attributes that `one_at_a_time` requires of an object.

    Attributes:
        in_use: whether a call is running.
        called: name of the object, for the error.
    """

    in_use: bool
    called: str


Own = TypeVar("Own", bound=OneAtATime)


def one_at_a_time(
    method: Callable[Concatenate[Own, Given], Found],
) -> Callable[Concatenate[Own, Given], Found]:
    """Makes a method refuse to run while another such method of the object runs. Methods that are called for every
    message contain this check themselves, to save a call.
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
