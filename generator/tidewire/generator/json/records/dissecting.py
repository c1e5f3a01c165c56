"""The plan of a dissector of records: the shape of each record, as data for the runtime."""

from __future__ import annotations

from dataclasses import dataclass

from ...model import Spec
from ...plan.constants import constant
from ...syntax.nodes import NONE, Expression, Items, Literal, Name, Table
from ..described import snake
from ..described_model import DescribedMember
from ..model import JsonProtocol, Member, Scalar
from ..reading_nodes import TIMES
from .model import PLAIN_BRANCHES, Record, RecordField, Records


@dataclass(frozen=True)
class PlannedShape:
    """The shape of a record."""

    name: str
    """The name of the constant."""
    construction: Expression


@dataclass(frozen=True)
class RecordDissectorPlan:
    """The plan of a dissector's module."""

    source: str
    module: str
    title: str
    shapes: tuple[PlannedShape, ...]
    """The shapes, inner ones first."""
    root: str
    """The constant with the shape of the root record."""
    version: str
    """The path of the field with the version of the description."""
    meant: bool
    """Whether some number is a time."""


class RecordDissectPlanner:
    """Plans the dissector of one protocol's records."""

    def __init__(self, spec: Spec, protocol: JsonProtocol, records: Records) -> None:
        self.spec = spec
        self.protocol = protocol
        self.records = records

    def plan(self, module: str) -> RecordDissectorPlan:
        """The whole plan."""
        described = self.protocol.described
        scalars = (one for _, one in self.protocol.walk() if isinstance(one, Scalar))
        version = next(one for one in scalars if described is not None and one.event == described.by)
        shapes = tuple(PlannedShape(_shape_name(one), self._record(one)) for one in self._inner_first())
        return RecordDissectorPlan(
            source=self.protocol.file,
            module=module,
            title=self.protocol.title,
            shapes=shapes,
            root=_shape_name(self.records.message),
            version=str(version.name),
            meant=any(self._meaning(member) != NONE for _, member in self.protocol.walk()),
        )

    def _inner_first(self) -> list[Record]:
        found: dict[str, Record] = {}

        def add(record: Record) -> None:
            for field in record.fields.values():
                for name in (field.type, field.array, *field.map, *field.union):
                    if name is not None and name in self.records.types:
                        add(self.records.types[name])
            found.setdefault(str(record.name), record)

        add(self.records.message)
        return list(found.values())

    def _record(self, record: Record) -> Expression:
        members = self._members(record)
        fields = tuple(
            (Literal(self._name(field, members.get(id))), self._field(field, members.get(id)))
            for id, field in record.fields.items()
        )
        about = self.records.about if record is self.records.message else self._about(record)
        return Name("record")(Literal(str(record.name)), Literal(about), Table(fields))

    def _about(self, record: Record) -> str:
        if record.part is None:
            return ""
        parts = self.protocol.parts_described
        held = parts[record.part] if record.part in parts else self.protocol.objects[record.part]
        return held.about

    def _members(self, record: Record) -> dict[str, Member | DescribedMember]:
        """The members of the record's part, by id."""
        if record.of is not None:
            return dict(self.protocol.message.members)
        if record.part is None:
            return {}
        if record.part in self.protocol.parts_described:
            return dict(self.protocol.parts_described[record.part].members)
        return dict(self.protocol.objects[record.part].members)

    @staticmethod
    def _name(field: RecordField, member: Member | DescribedMember | None) -> str:
        return str(field.name or (field.id if member is None else member.name))

    def _meaning(self, member: Member | DescribedMember | None) -> Expression:
        if isinstance(member, Scalar) and member.event is not None:
            means = self.spec.events.fields[member.event].means or ""
            if means in TIMES:
                return Name("MEANINGS").at(Literal(means))
        return NONE

    def _field(self, field: RecordField, member: Member | DescribedMember | None) -> Expression:
        about = Literal("" if member is None else member.about)
        if field.union:
            records = tuple(Name(_shape_name(self.records.types[one])) for one in field.union)
            return Name("union_of")(Items(records), about)
        if field.map:
            values = Name("union_of")(Items(tuple(map(self._branch, field.map))))
            found: Expression = Name("map_of")(values, about)
        elif field.array is not None:
            found = Name("array_of")(self._plain(str(field.array), Literal(""), NONE), about)
        else:
            found = self._plain(str(field.type), about, self._meaning(member))
        return found.attribute("or_null") if field.optional else found

    def _branch(self, name: str) -> Expression:
        if name in PLAIN_BRANCHES:
            return Name("Shape")(Literal(name))
        return Name(_shape_name(self.records.types[name]))

    def _plain(self, name: str, about: Literal, meaning: Expression) -> Expression:
        if name in self.records.types:
            return Name(_shape_name(self.records.types[name]))
        if name in self.records.enums:
            return Name("enum_of")(Items(tuple(Literal(str(one)) for one in self.records.enums[name])), about)
        given = [Literal(name), about, meaning]
        while given[-1] in (NONE, Literal("")):
            given.pop()
        return Name("Shape")(*given)


def _shape_name(record: Record) -> str:
    return constant(f"shape_of_{snake(str(record.name))}")
