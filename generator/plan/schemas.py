"""The plan of the Spark types: events as a frame, and each protocol's message as it lies on the wire."""

from __future__ import annotations

from dataclasses import dataclass

from ..facts import FIELD_RANGES, EventField, Events
from ..json.model import JsonProtocol
from ..json.schema import json_message
from ..model import (
    BinaryProtocol,
    ColumnField,
    ColumnsStruct,
    Protocol,
    Section,
    SectionsStruct,
    Spec,
    SwitchStruct,
    TablesStruct,
    TermsStruct,
)
from .face import module_name
from .spark_types import MAPS, PlannedField, plain, whole

NOT_NUMBERS = {"bool": "boolean", "text": "string", "bytes": "binary"}
"""What fields of events are in Spark that are no numbers."""


@dataclass(frozen=True)
class SchemasPlan:
    """The module of the Spark types."""

    events: tuple[PlannedField, ...]
    images: tuple[str, ...]
    messages: tuple[tuple[str, str, tuple[PlannedField, ...]], ...]
    """Protocol, title and the fields of its message."""
    maps: bool
    """Whether one of them has a map."""


def schemas_plan(spec: Spec) -> SchemasPlan:
    """The plan."""
    images = tuple(dict.fromkeys(str(image) for one in spec.events.classes.values() for image in one.images))
    messages = tuple((module_name(one), one.title, _message(spec, one)) for one in spec.protocols.values())
    return SchemasPlan(
        events=tuple(_event_fields(spec.events)),
        images=images,
        messages=messages,
        maps=any(_has_map(fields) for _, _, fields in messages),
    )


def _has_map(fields: tuple[PlannedField, ...]) -> bool:
    return any(one.type in MAPS or _has_map(one.fields) for one in fields)


def _message(spec: Spec, protocol: Protocol) -> tuple[PlannedField, ...]:
    """The fields of a protocol's message."""
    if isinstance(protocol, JsonProtocol):
        return json_message(spec, protocol)
    assert isinstance(protocol, BinaryProtocol)
    return _MessageType(spec, protocol).fields()


def _event_fields(events: Events) -> list[PlannedField]:
    found = []
    for field in events.fields.values():
        if field.means == "tso":
            found.append(plain("_commit_version", "bigint", field.about))
            found.append(plain("_commit_timestamp", "timestamp", "The time in it, or the one that is said instead."))
        elif field.means != "physical":
            found.append(plain(field.name, _spark_type(field), field.about))
    return found


def _spark_type(field: EventField) -> str:
    if field.spark is not None:
        return field.spark
    if field.type in NOT_NUMBERS:
        return NOT_NUMBERS[field.type]
    limits = field.range or FIELD_RANGES[field.type]
    assert limits is not None
    return whole(limits)


class _MessageType:
    """The Spark type of one protocol's message."""

    def __init__(self, spec: Spec, protocol: BinaryProtocol) -> None:
        self.spec = spec
        self.protocol = protocol

    def fields(self) -> tuple[PlannedField, ...]:
        root = self.protocol.structs[self.protocol.root]
        assert isinstance(root, SectionsStruct)
        return tuple(self._section(one, False) for one in root.sections)

    def _section(self, section: Section, nullable: bool) -> PlannedField:
        name, about = str(section.id), section.about
        if section.type is not None:
            primitive = self.spec.primitives.primitives[section.type]
            kind = self._kind(primitive.python, primitive.range, section.max, section.enum)
            return plain(name, kind, about, nullable)
        if section.chunk is not None:
            return self._chunk(section.chunk)
        assert section.struct is not None
        held = self.protocol.structs[section.struct]
        if isinstance(held, TermsStruct):
            return plain(name, "string", about, section.omit_empty, 1)
        repeated = 0 if section.each is None else 1
        return PlannedField(name, "", self._inside(held), repeated, nullable or section.omit_empty, False, about)

    def _inside(self, held: object) -> tuple[PlannedField, ...]:
        if isinstance(held, SectionsStruct):
            return tuple(self._section(one, False) for one in held.sections)
        if isinstance(held, ColumnsStruct):
            return tuple(self._chunk(one) for one in held.columns)
        if isinstance(held, TablesStruct):
            return tuple(
                plain(str(row.id), "bigint", ", ".join(row.numbers), False, 1 if row.repeat is None else 2)
                for row in held.rows
            )
        assert isinstance(held, SwitchStruct)
        # a union of the cases: a message has the fields of one of them
        union: dict[str, PlannedField] = {}
        for case in held.cases.values():
            struct = self.protocol.structs[case.struct]
            assert isinstance(struct, SectionsStruct)
            for section in struct.sections:
                union.setdefault(str(section.id), self._section(section, True))
        return tuple(union.values())

    def _chunk(self, field: ColumnField) -> PlannedField:
        chunk = self.spec.primitives.chunks[field.chunk]
        nulls = chunk.nullable or field.null_as is not None
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
