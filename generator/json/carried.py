"""What of events and columns a JSON protocol carries."""

from __future__ import annotations

from ..model import KIND_FIELD, Spec
from .model import JsonProtocol, NamesMember, Scalar


def carried_kinds(spec: Spec, protocol: JsonProtocol) -> tuple[str, ...]:
    """The kinds of events that a protocol has messages for with some options, in the order of events.yaml."""
    rest = protocol.message.rest
    told = {str(one.event) for one in protocol.message.cases.values()}
    if rest is not None:
        told.add(str(rest.event))
    return tuple(kind for kind in spec.events.kinds if kind in told)


def carried_fields(spec: Spec, protocol: JsonProtocol) -> tuple[str, ...]:
    """The fields that a protocol says with some options, in the order of events.yaml."""
    rest = protocol.message.rest
    said = {KIND_FIELD} | ({str(rest.names)} if rest is not None else set())
    said |= {str(one.event) for _, one in protocol.walk() if isinstance(one, Scalar) and one.event is not None}
    return tuple(name for name in spec.events.fields if name in said)


def carried_flags(spec: Spec, protocol: JsonProtocol) -> int:
    """The flags that it says of every column, as bits: those of the names. Declared types tell flags only where these
    change what a type stores.
    """
    flags = {str(member.flagged) for _, member in protocol.walk() if isinstance(member, NamesMember)}
    return sum(spec.mysql_types.flags[flag].bit for flag in flags)
