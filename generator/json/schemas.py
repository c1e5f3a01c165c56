"""The Spark type of a JSON protocol's message: what from_json reads it with."""

from __future__ import annotations

from ..plan.spark_types import PlannedField, plain
from .model import (
    BASE64,
    BOOL,
    INTEGER,
    TEXT,
    UNSIGNED,
    DeclaredMember,
    JsonObject,
    JsonProtocol,
    MappedMember,
    Member,
    NamesMember,
    ObjectMember,
    RowsMember,
)

SCALARS = {INTEGER: "bigint", UNSIGNED: "decimal(20,0)", TEXT: "string", BOOL: "boolean", BASE64: "binary"}
"""The Spark types of scalars; from_json reads binary from base64."""


def message_fields(protocol: JsonProtocol) -> tuple[PlannedField, ...]:
    """The fields of the message. Any can be null: members may be missing, and of a text that is no JSON from_json makes
    a row of nulls.
    """
    return _fields(protocol, protocol.message)


def _fields(protocol: JsonProtocol, held: JsonObject) -> tuple[PlannedField, ...]:
    return tuple(_field(protocol, member) for member in held.members.values())


def _field(protocol: JsonProtocol, member: Member) -> PlannedField:
    name, about = str(member.name), member.about
    if isinstance(member, ObjectMember):
        return PlannedField(name, "", _fields(protocol, protocol.objects[member.object]), 0, True, False, about)
    if isinstance(member, NamesMember):
        return plain(name, "string", about, arrays=1)
    if isinstance(member, RowsMember):
        # values are text whatever they are on the wire: from_json gives the text of numbers, too
        return plain(name, "map<string,string>", about, arrays=1)
    if isinstance(member, DeclaredMember):
        return plain(name, "map<string,string>", about)
    if isinstance(member, MappedMember):
        return plain(name, "map<string,int>", about)
    return plain(name, SCALARS[member.type], about)
