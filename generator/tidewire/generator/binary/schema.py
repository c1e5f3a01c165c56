"""The Spark type of a binary protocol's message: sections are fields, chunks are arrays."""

from __future__ import annotations

from ..model import Spec
from ..plan.spark_types import PlannedField, plain, whole
from .model import (
    BinaryProtocol,
    Chunks,
    ColumnField,
    PartChoice,
    Section,
    Sections,
    Tables,
    Terms,
)


def binary_message(spec: Spec, protocol: BinaryProtocol) -> tuple[PlannedField, ...]:
    """The fields of the message."""
    return _MessageType(spec, protocol).fields()


class _MessageType:
    """The Spark type of one protocol's message."""

    def __init__(self, spec: Spec, protocol: BinaryProtocol) -> None:
        self.spec = spec
        self.protocol = protocol

    def fields(self) -> tuple[PlannedField, ...]:
        root = self.protocol.parts[self.protocol.root]
        assert isinstance(root, Sections)
        return tuple(self._section(one, False) for one in root.sections)

    def _section(self, section: Section, nullable: bool) -> PlannedField:
        name, about = str(section.id), section.about
        if section.type is not None:
            primitive = self.spec.primitives.primitives[section.type]
            kind = self._kind(primitive.python, primitive.range, section.max, section.enum)
            return plain(name, kind, about, nullable)
        if section.chunk is not None:
            return self._chunk(section.chunk)
        assert section.part is not None
        held = self.protocol.parts[section.part]
        if isinstance(held, Terms):
            return plain(name, "string", about, section.omit_empty, 1)
        repeated = 0 if section.each is None else 1
        return PlannedField(name, None, self._inside(held), repeated, nullable or section.omit_empty, False, about)

    def _inside(self, held: object) -> tuple[PlannedField, ...]:
        if isinstance(held, Sections):
            return tuple(self._section(one, False) for one in held.sections)
        if isinstance(held, Chunks):
            return tuple(self._chunk(one) for one in held.columns)
        if isinstance(held, Tables):
            return tuple(
                plain(str(row.id), "bigint", ", ".join(row.numbers), False, 1 if row.repeat is None else 2)
                for row in held.rows
            )
        assert isinstance(held, PartChoice)
        # a union of the cases: a message has the fields of one of them
        union: dict[str, PlannedField] = {}
        for case in held.cases.values():
            part = self.protocol.parts[case.part]
            assert isinstance(part, Sections)
            for section in part.sections:
                union.setdefault(str(section.id), self._section(section, True))
        return tuple(union.values())

    def _chunk(self, field: ColumnField) -> PlannedField:
        chunk = self.spec.primitives.chunks[field.chunk]
        nulls = chunk.nullable or field.absent is not None
        if field.intern is not None:
            return plain(str(field.id), "string", field.about, False, 1, nulls)
        kind = self._kind(chunk.python, chunk.range, field.max, field.enum)
        return plain(str(field.id), kind, field.about, False, 1, nulls)

    def _kind(self, python: str, limits: tuple[int, int] | None, most: int | None, enum: str | None) -> str:
        if python != "int" or limits is None:
            return {"str": "string", "bytes": "binary", "float": "double"}[python]
        if enum is not None:
            members = self.protocol.enums[enum].members.values()
            return whole((min(members), max(members)))
        return whole((0, most) if most is not None else limits)
