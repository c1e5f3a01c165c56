"""Calls of the sink that messages are written to (tidewire.runtime.json.sink)."""

from __future__ import annotations

from ..syntax.nodes import SIZE, Call, Do, Expression, Literal, Name, Parameter, Statement, object_type

SINK = Name("s")
ONE_EVENT = (Parameter("event", SIZE),)
WRITER = (Parameter("s", object_type("JsonSink")), *ONE_EVENT)
"""The parameters of methods that write a part of an event."""


def write(method: str, *values: Expression) -> Do:
    return Do(SINK.call(method, *values))


def raw(json: bytes) -> Do:
    """Writes constant JSON."""
    return write("raw", Literal(json))


def raw_bytes(step: Statement) -> bytes | None:
    """The JSON that a statement writes, if it is constant; otherwise None."""
    match step:
        case Do(Call(function, (Literal(bytes() as json),)), "") if function == SINK.attribute("raw"):
            return json
        case _:
            return None
