"""The plan of a dissector of registered records: fields that are not columns, and values that are not records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..json.described import part_members
from ..json.model import JsonObject, Scalar
from ..json.reading_nodes import TIMES
from ..model import Spec, Word
from ..syntax.nodes import Call, Expression, Literal, Name, Table, uses
from .forms import other_operations
from .model import (
    MARK_WITH_NUMBER,
    InnerRecord,
    NamedField,
    RecordScalar,
    RegisteredProtocol,
    RegisteredRecord,
    ValueMark,
)
from .names import FieldNames

MEANINGS = Name("MEANINGS")


@dataclass(frozen=True)
class PlannedMembers:
    """The members of an object."""

    name: str
    """Name of the constant."""
    members: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True)
class RegisteredDissectorPlan:
    """A dissector's module."""

    source: str
    protocol: str
    module: str
    title: str
    row: str
    """The constants of the records of value and key, in the decoder's module."""
    row_key: str
    fields: tuple[tuple[str, Expression], ...]
    objects: tuple[PlannedMembers, ...]
    marks: tuple[Expression, ...]

    @property
    def meant(self) -> bool:
        """Whether some number is a time."""
        held = (expression for one in self.objects for _, expression in one.members)
        return uses(MEANINGS.id, *held, *self.marks, *(found for _, found in self.fields))

    @property
    def named(self) -> bool:
        """Whether some text has an explanation."""
        return uses("named", *(found for _, found in self.fields))


class RegisteredDissectPlanner:
    """Plans the dissector of one protocol."""

    def __init__(self, spec: Spec, protocol: RegisteredProtocol, names: FieldNames) -> None:
        self.spec = spec
        self.protocol = protocol
        self.names = names

    def plan(self, module: str) -> RegisteredDissectorPlan:
        """Plans the module."""
        protocol, key = self.protocol, self.protocol.row_key
        assert key is not None, "messages have keys"
        return RegisteredDissectorPlan(
            source=protocol.file,
            protocol=str(protocol.name),
            module=module,
            title=protocol.title,
            row=self.names.parts[protocol.row.part],
            row_key=self.names.parts[key.part],
            fields=tuple(dict(self._fields()).items()),
            objects=tuple(self._object(one) for one in protocol.objects.values()),
            marks=tuple(map(self._mark, protocol.value.marks)),
        )

    def _fields(self) -> Iterator[tuple[str, Expression]]:
        """The fields of records that are not columns, by path, each with its meaning."""
        key = self.protocol.row_key
        for record in (self.protocol.row, *([] if key is None else [key])):
            yield from self._fields_of(record, "")

    def _fields_of(self, record: RegisteredRecord, path: str) -> Iterator[tuple[str, Expression]]:
        for field in record.fields.values():
            if isinstance(field, NamedField):
                yield f"{path}{field.name}", self._field(field)
            if isinstance(field, InnerRecord):
                yield from self._fields_of(self.protocol.records[field.part], f"{path}{field.name}/")

    def _field(self, field: NamedField) -> Expression:
        about = Literal(field.about)
        if not isinstance(field, RecordScalar):
            assert isinstance(field, InnerRecord), "fields with names are scalars or records"
            return Name("Shape")(Literal("record"), about)
        meaning = self._cases() if field.switch else self._meaning(field.event)
        given = () if meaning is None else (meaning,)
        return Name("Shape")(Literal(str(field.type)), about, *given)

    def _cases(self) -> Expression:
        """The meanings of the switch's texts."""
        cases = {str(one.text): str(one.event) for one in self.protocol.row.cases.values()}
        cases |= other_operations(self.spec, self.protocol)
        return Name("named")(Table(tuple((Literal(text), Literal(event)) for text, event in cases.items())))

    def _meaning(self, event: Word | None) -> Expression | None:
        """The meaning of a number in an event field."""
        means = "" if event is None else self.spec.events.fields[event].means
        return MEANINGS.at(Literal(str(means))) if means in TIMES else None

    def _object(self, held: JsonObject) -> PlannedMembers:
        members = (one for one in held.members.values() if isinstance(one, Scalar))
        return PlannedMembers(part_members(held.name), tuple((str(one.name), self._member(one)) for one in members))

    def _member(self, member: Scalar) -> Expression:
        meaning = self._meaning(member.event)
        given = () if meaning is None else (meaning,)
        return Name("Shape")(Literal(str(member.type)), Literal(member.about), *given)

    def _mark(self, mark: ValueMark) -> Expression:
        given = (Literal(mark.byte), Literal(str(mark.id)), Literal(mark.about))
        if mark.part is not None:
            return Call(Name("Mark"), (*given, Name(part_members(mark.part))))
        size = Literal(MARK_WITH_NUMBER) if mark.is_told_by_length else None
        more = (("meaning", self._meaning(mark.carries)), ("size", size))
        return Call(Name("Mark"), given, tuple((name, one) for name, one in more if one is not None))
