"""The constants for records and objects in printed code: calls of the runtime's classes."""

from __future__ import annotations

import json
from dataclasses import dataclass

from ..json.model import JsonObject, JsonProtocol, Scalar
from ..model import Spec
from ..plan.events import NAMED
from ..plan.planned_options import python_name
from ..syntax.nodes import NONE, Call, Expression, Items, Literal, Name, Table
from .model import (
    InnerRecord,
    OtherMessages,
    RecordMember,
    RecordScalar,
    RegisteredProtocol,
    RegisteredRecord,
    RowFields,
)
from .names import FieldNames

PACKAGE_OF_OTHERS = Name("package_of_others")
"""The printed function that imports the package of another protocol."""


@dataclass(frozen=True)
class RuntimePart:
    """A constant with the structure of a record or an object."""

    name: str
    construction: Expression
    about: str


def _or_none(text: str | None) -> Expression:
    return NONE if text is None else Literal(str(text))


def _texts(words: tuple[str, ...]) -> Items:
    return Items(tuple(Literal(str(one)) for one in words))


def planned_records(protocol: RegisteredProtocol, names: FieldNames) -> tuple[RuntimePart, ...]:
    """The records of key and value; nested ones precede those that contain them."""
    key, row = protocol.row_key, protocol.row
    assert key is not None, "messages have keys"
    records = [key, *{str(record.part): record for _, record in protocol.inside}.values(), row]
    return tuple(
        RuntimePart(names.parts[one.part], _record(protocol, one, names), one.about or f"The fields of {one.part}.")
        for one in records
    )


def _record(protocol: RegisteredProtocol, record: RegisteredRecord, names: FieldNames) -> Expression:
    fields = Items(tuple(_field(protocol, record, one, names) for one in record.fields.values()))
    version = () if record.version is None else (Literal(record.version),)
    return Name("RecordPart")(Literal(str(record.named)), fields, *version)


def _tells(protocol: RegisteredProtocol, field: RecordScalar) -> str:
    """The role of a field in finding the table: schema name or table name, if record names do not contain it, or the
    time by which its description is chosen.
    """
    if protocol.schemas.connect is None:
        return ""
    return str(field.event) if field.event in NAMED else "time" if field.event == protocol.described_by else ""


def _field(
    protocol: RegisteredProtocol, record: RegisteredRecord, field: RecordMember, names: FieldNames
) -> Expression:
    if isinstance(field, RowFields):
        return Name("RowColumns")(Name(names.columns[record.part]))
    name, when = Literal(str(field.name)), _texts(field.when)
    if isinstance(field, InnerRecord):
        always = (("always", Literal(True)),) if protocol.is_always(field) else ()
        return Call(Name("RecordInside"), (name, Name(names.parts[field.part]), *(when,) * bool(field.when)), always)
    default = NONE if field.default is None else Literal(json.dumps(field.default))
    number = Name(names.scalars[field]) if field.is_read else Name("UNREAD")
    more: list[tuple[str, Expression]] = [("nullable", Literal(True))] if field.nothing else []
    if field.refused:
        more.append(("refused", Literal(True)))
    tells = _tells(protocol, field)
    if tells:
        more.append(("tells", Literal(tells)))
    given = (name, Literal(str(field.type)), default, number, *(when,) * bool(field.when))
    return Call(Name("ScalarField"), given, tuple(more))


def planned_objects(protocol: RegisteredProtocol, names: FieldNames) -> tuple[RuntimePart, ...]:
    """The objects."""
    return tuple(
        RuntimePart(names.parts[one.name], _members(one), one.about or f"The members of {one.name}.")
        for one in protocol.objects.values()
    )


def _members(held: JsonObject) -> Expression:
    members = (one for one in held.members.values() if isinstance(one, Scalar))
    return Items(
        tuple(
            Name("StatementMember")(Literal(str(one.name)), Literal(str(one.type)), _or_none(one.absent))
            for one in members
        )
    )


def planned_others(spec: Spec, protocol: RegisteredProtocol, others: OtherMessages) -> Expression:
    """The messages without a row."""
    options = Table(tuple((Literal(python_name(name)), Literal(value)) for name, value in others.options.items()))
    shared = Items(tuple(Literal(python_name(one)) for one in others.shared))
    kinds = Table(tuple((Literal(str(name)), Literal(where)) for name, where in others.kinds.items()))
    said = tuple(Literal(text.encode()) for text in other_operations(spec, protocol))
    return Name("ConnectMessages")(PACKAGE_OF_OTHERS, Name("Events"), options, shared, kinds, Items(said))


def other_operations(spec: Spec, protocol: RegisteredProtocol) -> dict[str, str]:
    """Texts of the other protocol's switch for messages without a row, and their kinds of events. Texts that rows use
    here are left out.
    """
    others = protocol.value.others
    other = None if others is None else spec.protocols[others.protocol]
    if others is None or not isinstance(other, JsonProtocol):
        return {}
    kinds = set(map(str, others.kinds))
    return {
        text: str(case.event)
        for text, case in other.message.cases.items()
        if str(case.event) in kinds and text not in protocol.row.cases
    }
