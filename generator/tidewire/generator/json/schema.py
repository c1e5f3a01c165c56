"""The Spark type of a JSON protocol's message for `from_json`: members are fields, objects by column are maps."""

from __future__ import annotations

from ..model import Spec
from ..plan.spark_types import PlannedField, plain
from .described_model import DescribedPart, EachMember, ToldMember
from .member_types import BASE64, BOOL, INTEGER, NOTHING, TEXT, TEXTS, UNSIGNED
from .model import (
    ChangesMember,
    DeclaredMember,
    DescriptionMember,
    JsonObject,
    JsonProtocol,
    MappedMember,
    Member,
    NamesMember,
    ObjectMember,
    RowsMember,
)

SCALARS = {
    INTEGER: "bigint",
    UNSIGNED: "decimal(20,0)",
    TEXT: "string",
    BOOL: "boolean",
    BASE64: "binary",
    NOTHING: "string",
}
"""The Spark type of each scalar type. Spark reads base64 text as bytes; a member that is always null may have any
type.
"""


def json_message(spec: Spec, protocol: JsonProtocol) -> tuple[PlannedField, ...]:
    """The fields of the message, all nullable: one type covers messages of any class."""
    fields = _fields(spec, protocol, protocol.message)
    if protocol.envelope is None:
        return fields
    about = protocol.message.about
    block = plain("schema", "string", "What the payload is, in Kafka Connect's words.")
    return (PlannedField("payload", None, fields, 0, True, False, about), block)


def _fields(spec: Spec, protocol: JsonProtocol, one: JsonObject) -> tuple[PlannedField, ...]:
    found: dict[str, PlannedField] = {}
    for member in one.members.values():
        planned = _field(spec, protocol, member)
        before = found.setdefault(planned.name, planned)
        if before.type != planned.type or before.fields != planned.fields:  # a text, whatever it holds
            found[planned.name] = plain(planned.name, "string", before.about)
    return tuple(found.values())


def _field(spec: Spec, protocol: JsonProtocol, member: Member) -> PlannedField:
    name, about = str(member.name), member.about
    match member:
        case ObjectMember():
            inner = protocol.objects[member.part]
            return PlannedField(name, None, _fields(spec, protocol, inner), 0, True, False, about or inner.about)
        case RowsMember():
            return plain(name, "map<string,string>", about, arrays=0 if member.single else 1)
        case ChangesMember():
            return plain(name, "string", about)
        case DescriptionMember():
            part = protocol.parts_described[member.part]
            return PlannedField(name, None, _told_fields(protocol, part), 0, True, False, about or part.about)
        case NamesMember():
            return plain(name, "string", about, arrays=1)
        case DeclaredMember():
            return plain(name, "map<string,string>", about)
        case MappedMember():
            mapped = (one.mappings.get(member.mapping) for one in spec.mysql_types.types.values())
            numbers = all(isinstance(one.plain, int) for one in mapped if one is not None)
            return plain(name, "map<string,int>" if numbers else "map<string,string>", about)
    return plain(name, SCALARS[member.type], about)


def _told_fields(protocol: JsonProtocol, part: DescribedPart) -> tuple[PlannedField, ...]:
    """The fields of a described part."""
    found = []
    for member in part.members.values():
        name, about = str(member.name), member.about
        if isinstance(member, ToldMember):
            texts = member.type == TEXTS
            found.append(plain(name, "string" if texts else SCALARS[member.type], about, arrays=1 if texts else 0))
        else:
            inner = protocol.parts_described[member.part]
            arrays = 1 if isinstance(member, EachMember) else 0
            fields = _told_fields(protocol, inner)
            found.append(PlannedField(name, None, fields, arrays, True, False, about or inner.about))
    return tuple(found)
