"""What a dissector expects of keys (tidewire.runtime.dissecting.shapes)."""

from __future__ import annotations

from ..model import Spec
from ..plan.constants import kind_constants
from ..syntax.nodes import NONE, Expression, Literal, Name, Table
from .around_model import FlaggedColumns
from .model import JsonObject, JsonProtocol, Member, ObjectMember, Scalar
from .reading_nodes import TIMES

COLUMNS = "The columns that identify the row."
"""Of columns of a key without an `about`."""


def key_shapes(spec: Spec, protocol: JsonProtocol) -> tuple[tuple[str, Expression], ...]:
    """The parts that keys are, where no reader looks at keys: the name of the constant, and what it is."""
    parts = protocol.key_parts if protocol.envelope is None else ()
    return tuple((_constant(part), _part(spec, protocol, part)) for part in parts)


def keys_by_kind(spec: Spec, protocol: JsonProtocol) -> tuple[tuple[str, str], ...]:
    """By the constant of a kind of event, that of its key."""
    parts = {} if protocol.envelope is not None else {str(cls): part for cls, part in protocol.keys.items()}
    kinds = kind_constants(spec.events)
    told = {str(case.event) for case in protocol.message.all_cases}
    told |= set() if protocol.message.rest is None else {str(protocol.message.rest.event)}
    found = [kind for name, kind in spec.events.kinds.items() if name in told and kind.cls in parts]
    return tuple((kinds[kind.name], _constant(parts[kind.cls])) for kind in found)


def _constant(part: str) -> str:
    return f"KEY_{part.upper()}"


def key_members(spec: Spec, protocol: JsonProtocol) -> tuple[tuple[str, Expression], ...]:
    """The members of keys in envelopes that are not rows. Of several with one name it has the first."""
    parts = protocol.key_parts if protocol.envelope is not None else ()
    found: dict[str, Expression] = {}
    for held in (protocol.objects[part] for part in parts if part in protocol.objects):
        for member in held.members.values():
            found.setdefault(str(member.name), _member(spec, protocol, member))
    return tuple(found.items())


def _part(spec: Spec, protocol: JsonProtocol, name: str) -> Expression:
    if name in protocol.flagged_columns:
        return _columns(protocol.flagged_columns[name])
    return _object(spec, protocol, protocol.objects[name], "")


def _columns(columns: FlaggedColumns, about: str = "") -> Expression:
    return Name("Shape")(Literal("row"), Literal(about or columns.about or COLUMNS))


def _object(spec: Spec, protocol: JsonProtocol, held: JsonObject, about: str) -> Expression:
    members = ((Literal(str(one.name)), _member(spec, protocol, one)) for one in held.members.values())
    return Name("Shape")(Literal("object"), Literal(about or held.about), NONE, Table(tuple(members)))


def _member(spec: Spec, protocol: JsonProtocol, member: Member) -> Expression:
    if isinstance(member, ObjectMember):
        columns = protocol.flagged_columns.get(member.part)
        if columns is not None:
            return _columns(columns, member.about)
        return _object(spec, protocol, protocol.objects[member.part], member.about)
    field = spec.events.fields.get(member.event or "") if isinstance(member, Scalar) else None
    given: list[Expression] = [Literal(str(member.type)), Literal(member.about)]
    if isinstance(member, Scalar) and field is not None and field.means in TIMES:
        given.append(Name("MEANINGS").at(Literal(str(member.unit or field.means))))
    return Name("Shape")(*given)
