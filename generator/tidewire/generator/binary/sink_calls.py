"""Calls of the sink that messages are written to: tidewire.runtime.binary.sink."""

from __future__ import annotations

from ..syntax.nodes import SIZE, Do, Expression, Name, Parameter, object_type

SINK = Name("s")
WRITER = Parameter(SINK.id, object_type("Sink"))
FIRST, STOP, K = Name("first"), Name("stop"), Name("k")
"""The events of a message: the first, the one after the last, the current one."""
START = Name("start")
"""The position where a measured part starts."""
EVENTS_OF_MESSAGE = (Parameter(FIRST.id, SIZE), Parameter(STOP.id, SIZE))
ONE_EVENT = (Parameter("event", SIZE),)


def number_method(primitive: str) -> str:
    """The sink's method that writes a number."""
    return "byte" if primitive == "u8" else primitive


def write_number(sink: Expression, primitive: str, value: Expression, comment: str = "") -> Do:
    return Do(sink.call(number_method(primitive), value), comment)


def position(sink: Expression) -> Expression:
    """The number of bytes written so far."""
    return sink.attribute("pos")
