"""What follows for numbers of sections and chunks from the shared files, and is not stated in the protocol's file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..model import Chunk, Primitive, Spec
from .model import BinaryProtocol, Chunks, ColumnField, Part, Section, Sections

ONE_BYTE = 255
"""The greatest number of a column type (MySQL's)."""


def derived(spec: Spec, protocol: BinaryProtocol) -> BinaryProtocol:
    """The protocol with the end from which sections are read, and the greatest numbers that fields can hold."""
    return replace(protocol, parts={name: _part(spec, part) for name, part in protocol.parts.items()})


def _part(spec: Spec, part: Part) -> Part:
    if isinstance(part, Sections):
        return replace(part, sections=tuple(_section(spec, one) for one in part.sections))
    return replace(part, columns=tuple(_field(spec, one) for one in part.columns)) if isinstance(part, Chunks) else part


def _section(spec: Spec, one: Section) -> Section:
    primitive = spec.primitives.primitives.get(one.type or "")
    return replace(
        one,
        chunk=None if one.chunk is None else _field(spec, one.chunk),
        at_end=primitive is not None and primitive.where == "end",
        max=_greatest(spec, one.event, spec.primitives.primitives, one.type),
    )


def _field(spec: Spec, one: ColumnField) -> ColumnField:
    chunks = spec.primitives.chunks
    if one.column == "type":
        chunk = chunks.get(one.chunk)
        return replace(
            one, max=None if chunk is None or chunk.range is None or chunk.range[1] <= ONE_BYTE else ONE_BYTE
        )
    return replace(one, max=_greatest(spec, one.event, chunks, one.chunk))


def _greatest(
    spec: Spec, field: str | None, things: Mapping[str, Primitive] | Mapping[str, Chunk], name: str | None
) -> int | None:
    """The greatest number that an event field can hold, if there are greater ones on the wire."""
    event, thing = spec.events.fields.get(field or ""), things.get(name or "")
    limits, numbers = None if event is None else event.limits, None if thing is None else thing.range
    return limits[1] if limits is not None and numbers is not None and limits[1] < numbers[1] else None
