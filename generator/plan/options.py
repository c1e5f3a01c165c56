"""Which options an encoder of messages takes."""

from __future__ import annotations

from ..model import Option, Protocol


def options_around(protocol: Protocol) -> set[str]:
    """Options of what lies around a message, which the encoder of messages knows nothing of."""
    names = {protocol.compression}
    if protocol.large is not None:
        names |= {protocol.large.option, protocol.large.bytes}
        for way in protocol.large.ways.values():
            names |= {way.store, way.raw}
    return {str(name) for name in names if name is not None} - protocol.read_inside


def wire_options(protocol: Protocol) -> tuple[Option, ...]:
    """The options that the encoder of messages takes, in the order of the spec."""
    around = options_around(protocol)
    return tuple(one for one in protocol.options.values() if one.name not in around)
