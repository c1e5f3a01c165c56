"""The parts that describe tables, as objects and as records, printed as data for the runtime
(`tidewire.runtime.tables.described_parts`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..model import Spec
from ..plan.constants import constant
from ..syntax.nodes import NONE, Call, Expression, Items, Literal, Name, Table
from .described_model import (
    CHANGES,
    INSIDE,
    SEVERAL,
    DescribedMember,
    DescribedPart,
    EachMember,
    InnerMember,
    ToldMember,
)
from .member_types import BOOL, INTEGER, NOTHING, TEXT, TEXTS, UNSIGNED
from .model import OMIT, ChangesMember, DescriptionMember, JsonProtocol
from .reading_nodes import PlannedPart
from .records.model import Record, Records

INT = "int"
"""A number of 32 bits, which only records have."""
TYPES = {"string": TEXT, "long": INTEGER, "int": INT, "boolean": BOOL}
"""By the type of a record's field, the type of the member with the same value."""
ANYBODY = ""
"""The key for all producers, if they do not differ."""
NOTHINGS = (Literal(False), Items(()), Table(()))
"""Values that printed calls leave out, as they are the defaults of the arguments."""


def part_constant(name: str) -> str:
    """The name of the printed constant for a part."""
    return f"{constant(name)}_PART"


def part_members(name: str) -> str:
    """The name of the printed constant with a part's members, for the dissector."""
    return f"MEMBERS_OF_{constant(name)}"


def record_constant(name: str) -> str:
    """The name of the printed constant for a record."""
    return f"{constant(snake(name))}_RECORD"


def snake(name: str) -> str:
    """Converts a camel-case name to snake case."""
    found = ""
    for at, one in enumerate(name):
        found += f"_{one}" if at and one.isupper() and not name[at - 1].isupper() else one
    return found.lower()


def planned_parts(spec: Spec, protocol: JsonProtocol) -> tuple[PlannedPart, ...]:
    """The plans of all described parts as objects; a part comes after the parts that it contains."""
    return tuple(_object(spec, protocol, protocol.parts_described[name]) for name in _inner_first(protocol))


def planned_records(spec: Spec, protocol: JsonProtocol, records: Records) -> tuple[PlannedPart, ...]:
    """The plans of all describing records; a record comes after the records that it contains."""
    of_parts = {str(one.part): one for one in records.types.values()}
    found = [name for name in _inner_first(protocol) if name in of_parts]
    return tuple(_record(spec, protocol, records, of_parts[name], protocol.parts_described[name]) for name in found)


def _inner_first(protocol: JsonProtocol) -> list[str]:
    """The names of the described parts, each after those that it contains."""
    parts = protocol.parts_described
    found: dict[str, None] = {}

    def add(name: str) -> None:
        for member in parts[name].members.values():
            if not isinstance(member, ToldMember):
                add(str(member.part))
        found.setdefault(name)

    for name in parts:
        add(name)
    return list(found)


def _object(spec: Spec, protocol: JsonProtocol, part: DescribedPart) -> PlannedPart:
    fields = []
    for one in part.members.values():
        if not isinstance(one, ToldMember):
            fields.append(_held(protocol, part, one, str(one.name), part_constant(one.part)))
            continue
        facts = {
            "omitted": Literal(one.absent == OMIT or one.reads),
            "null": Literal(one.absent == "null" or one.type == NOTHING),
            "numbers": _declared(spec, one.numbers),
            "silent": _declared(spec, one.silent),
            "reads": Literal(one.reads),
        }
        fields.append(_scalar(one, str(one.name), one.type, facts))
    made = _call(
        "DescribedPart",
        (Literal(str(part.describes)), Items(tuple(fields))),
        {"refuses_unknown": Literal(not part.skip_unknown), "nothing": _nothings(protocol, part)},
    )
    if part.describes in CHANGES:  # the dissector shows the list as text
        return PlannedPart(part_constant(part.name), part.about, made)
    members = tuple((str(one.name), _expected(one)) for one in part.members.values())
    return PlannedPart(part_constant(part.name), part.about, made, part_members(part.name), members)


def _record(spec: Spec, protocol: JsonProtocol, records: Records, record: Record, part: DescribedPart) -> PlannedPart:
    fields = []
    for field in record.fields.values():
        member = part.members[str(field.id)]
        name = str(field.name or member.name)
        if not isinstance(member, ToldMember):
            inner = record_constant(records.of_part(str(member.part)).name)
            fields.append(_held(protocol, part, member, name, inner))
            continue
        type = TEXTS if field.array is not None else UNSIGNED if member.type == UNSIGNED else TYPES[str(field.type)]
        only = {str(who): _declared(spec, names) for who, names in field.only.items()}
        if len(set(only.values())) == 1:
            only = {ANYBODY: next(iter(only.values()))}
        facts = {
            "omitted": Literal(member.type in (INTEGER, UNSIGNED) and member.absent == OMIT),
            "null": Literal(field.optional),
            "numbers": _declared(spec, field.raw),
            "only": Table(tuple((Literal(who), types) for who, types in only.items())),
        }
        fields.append(_scalar(member, name, type, facts))
    made = _call("DescribedPart", (Literal(str(part.describes)), Items(tuple(fields))))
    return PlannedPart(record_constant(record.name), part.about, made)


def _held(
    protocol: JsonProtocol, held: DescribedPart, member: InnerMember | EachMember, name: str, inner: str
) -> Expression:
    """A field that is another part, or an array of them.

    Args:
        held: the part with the field.
        inner: the printed constant of the other part.
    """
    given = (Literal(name), Name(inner))
    if isinstance(member, InnerMember):
        return _call("ObjectField", given, {"attribute": Literal("table")} if held.describes in INSIDE else None)
    by_id, hides = (Items(tuple(Literal(str(who)) for who in names)) for names in (member.sorted, member.hides))
    several = SEVERAL[held.describes][protocol.parts_described[member.part].describes]
    return _call("ArrayField", (*given, Literal(several)), {"by_id": by_id, "hides": hides})


def _scalar(member: ToldMember, name: str, type: str, facts: Mapping[str, Expression]) -> Expression:
    return _call("ScalarField", (Literal(name), Literal(str(member.tells)), Literal(type)), facts)


def _call(name: str, arguments: tuple[Expression, ...], facts: Mapping[str, Expression] | None = None) -> Call:
    """A call with the facts as named arguments, without those that have default values."""
    said = tuple((key, one) for key, one in (facts or {}).items() if one not in NOTHINGS)
    return Call(Name(name), arguments, said)


def _nothings(protocol: JsonProtocol, part: DescribedPart) -> Items:
    """The texts of objects that messages have in place of this part if there is no description."""
    members = (one for _, one in protocol.walk() if isinstance(one, DescriptionMember) and one.part == part.name)
    texts = (text for one in members if not isinstance(one, ChangesMember) for text in one.nothings)
    return Items(tuple(map(Literal, texts)))


def _declared(spec: Spec, types: Iterable[str]) -> Items:
    """How columns of these types are declared."""
    return Items(tuple(Literal(str(one)) for name in types for one in spec.mysql_types.types[name].sql))


def _expected(member: DescribedMember) -> Expression:
    """The type of a member for the dissector (tidewire.runtime.dissecting.shapes)."""
    about = Literal(member.about)
    if isinstance(member, ToldMember):
        type = {TEXTS: "names", NOTHING: "json"}.get(member.type, member.type)
        return Name("Shape")(Literal(type), about)
    shape = "list" if isinstance(member, EachMember) else "object"
    return Name("Shape")(Literal(shape), about, NONE, Name(part_members(member.part)))


def listed_by_id(protocol: JsonProtocol) -> tuple[str, ...]:
    """The producers that list the columns of a table in the order of their ids."""
    return tuple(
        str(name)
        for part in protocol.parts_described.values()
        for member in part.members.values()
        if isinstance(member, EachMember) and protocol.parts_described[member.part].describes == "column"
        for name in member.sorted
    )
