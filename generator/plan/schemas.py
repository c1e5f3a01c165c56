"""The plan of the Spark types: events as a frame, and each protocol's message as it lies on the wire."""

from __future__ import annotations

from dataclasses import dataclass

from ..facts import FIELD_RANGES, EventField, Events
from ..model import (
    BinaryProtocol,
    ColumnField,
    ColumnsStruct,
    Section,
    SectionsStruct,
    Spec,
    SwitchStruct,
    TablesStruct,
    TermsStruct,
)
from .face import module_name

SPARK_TYPES = {
    "tinyint": "ByteType()",
    "smallint": "ShortType()",
    "int": "IntegerType()",
    "bigint": "LongType()",
    "decimal(20,0)": "DecimalType(20, 0)",
    "double": "DoubleType()",
    "string": "StringType()",
    "binary": "BinaryType()",
    "timestamp": "TimestampType()",
    "variant": "VariantType()",
}
"""Spark's types by their names in SQL."""
WHOLE = (("int", 31), ("bigint", 63))
"""Spark's integers and their bits."""


@dataclass(frozen=True)
class PlannedField:
    """A field of a StructType: a plain type, or a struct of fields; `arrays` says how many arrays it is in."""

    name: str
    type: str
    fields: tuple[PlannedField, ...]
    arrays: int
    nullable: bool
    elements_nullable: bool
    about: str


@dataclass(frozen=True)
class SchemasPlan:
    """The module of the Spark types."""

    events: tuple[PlannedField, ...]
    images: tuple[str, ...]
    messages: tuple[tuple[str, str, tuple[PlannedField, ...]], ...]
    """Protocol, title and the fields of its message."""


def schemas_plan(spec: Spec) -> SchemasPlan:
    """The plan."""
    images = tuple(dict.fromkeys(str(image) for one in spec.events.classes.values() for image in one.images))
    return SchemasPlan(
        events=tuple(_event_fields(spec.events)),
        images=images,
        messages=tuple(
            (module_name(one), one.title, _MessageType(spec, one).fields())
            for one in spec.protocols.values()
            if isinstance(one, BinaryProtocol)
        ),
    )


def _plain(
    name: str, kind: str, about: str, nullable: bool = True, arrays: int = 0, nulls: bool = False
) -> PlannedField:
    return PlannedField(name, SPARK_TYPES[kind], (), arrays, nullable, nulls, about)


def _event_fields(events: Events) -> list[PlannedField]:
    found = []
    for field in events.fields.values():
        if field.means == "tso":
            found.append(_plain("_commit_version", "bigint", field.about))
            found.append(_plain("_commit_timestamp", "timestamp", f"The time in it: {field.about}"))
        else:
            found.append(_plain(field.name, _spark_type(field), field.about))
    return found


def _spark_type(field: EventField) -> str:
    if field.spark is not None:
        return field.spark
    limits = field.range or FIELD_RANGES[field.type]
    return "string" if limits is None else _whole(limits)


def _whole(limits: tuple[int, int]) -> str:
    """The smallest of Spark's integers, from int on, that has the range."""
    for name, bits in WHOLE:
        if -(2**bits) <= limits[0] and limits[1] < 2**bits:
            return name
    return "decimal(20,0)"


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
            return _plain(name, kind, about, nullable)
        if section.chunk is not None:
            return self._chunk(section.chunk)
        assert section.struct is not None
        held = self.protocol.structs[section.struct]
        if isinstance(held, TermsStruct):
            return _plain(name, "string", about, section.omit_empty, 1)
        repeated = 0 if section.each is None else 1
        return PlannedField(name, "", self._inside(held), repeated, nullable or section.omit_empty, False, about)

    def _inside(self, held: object) -> tuple[PlannedField, ...]:
        if isinstance(held, SectionsStruct):
            return tuple(self._section(one, False) for one in held.sections)
        if isinstance(held, ColumnsStruct):
            return tuple(self._chunk(one) for one in held.columns)
        if isinstance(held, TablesStruct):
            return tuple(
                _plain(str(row.id), "bigint", ", ".join(row.numbers), False, 1 if row.repeat is None else 2)
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
            return _plain(str(field.id), "string", field.about, False, 1, nulls)
        kind = self._kind(chunk.python, chunk.range, field.max, field.enum)
        return _plain(str(field.id), kind, field.about, False, 1, nulls)

    def _kind(self, python: str, limits: tuple[int, int] | None, most: int | None, enum: str | None) -> str:
        if python != "int" or limits is None:
            return {"str": "string", "bytes": "binary", "float": "double"}[python]
        if enum is not None:
            members = self.protocol.enums[enum].members.values()
            return _whole((min(members), max(members)))
        return _whole((0, most) if most is not None else limits)
