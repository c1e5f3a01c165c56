"""The records that describe tables, printed as data for the runtime (`runtime/record/described_parts.py`)."""

from __future__ import annotations

from ...model import Spec
from ...plan.constants import constant
from ...syntax.nodes import Expression, Items, Literal, Name, Table
from ..described import SEVERAL
from ..described_model import DescribedPart, EachMember, InnerMember, ToldMember
from ..member_types import INTEGER, UNSIGNED
from ..model import OMIT, JsonProtocol
from .model import Record, RecordField, Records
from .reading_nodes import PlannedRecord

STRINGS = "strings"
NUMBERS = (INTEGER, UNSIGNED)
ANYBODY = ""
"""The key for all producers, if they do not differ."""


def record_constant(name: str) -> str:
    """The name of the printed constant for a record."""
    return f"{constant(snake(name))}_RECORD"


def snake(name: str) -> str:
    """Converts a camel-case name to snake case."""
    found = ""
    for at, one in enumerate(name):
        found += f"_{one}" if at and one.isupper() and not name[at - 1].isupper() else one
    return found.lower()


def planned_records(spec: Spec, protocol: JsonProtocol, records: Records) -> tuple[PlannedRecord, ...]:
    """The plans of all describing records; a record comes after the records that it contains."""
    parts = protocol.parts_described
    found: dict[str, Record] = {}

    def add(record: Record) -> None:
        for member in parts[str(record.part)].members.values():
            if not isinstance(member, ToldMember):
                add(records.of_part(str(member.part)))
        found.setdefault(str(record.name), record)

    for record in records.types.values():
        if record.part is not None and record.part in parts:
            add(record)
    return tuple(
        PlannedRecord(
            record_constant(name),
            parts[str(one.part)].about,
            _record(spec, protocol, records, one, parts[str(one.part)]),
        )
        for name, one in found.items()
    )


def _record(spec: Spec, protocol: JsonProtocol, records: Records, record: Record, part: DescribedPart) -> Expression:
    fields = tuple(_field(spec, protocol, records, part, one) for one in record.fields.values())
    return Name("DescribedRecord")(Literal(str(part.describes)), Items(fields))


def _field(spec: Spec, protocol: JsonProtocol, records: Records, part: DescribedPart, field: RecordField) -> Expression:
    member = part.members[str(field.id)]
    name = Literal(str(field.name or member.name))
    if isinstance(member, InnerMember):
        return Name("InnerRecord")(name, Name(record_constant(str(records.of_part(str(member.part)).name))))
    if isinstance(member, EachMember):
        inner = records.of_part(str(member.part))
        what = SEVERAL[protocol.parts_described[str(member.part)].describes]
        by_id = (Items(tuple(Literal(str(one)) for one in member.sorted)),) if member.sorted else ()
        return Name("EachRecord")(name, Name(record_constant(str(inner.name))), Literal(what), *by_id)
    type = STRINGS if field.array is not None else str(field.type)
    types = spec.mysql_types.types
    raw = Items(tuple(Literal(one) for name in field.raw for one in types[name].sql))
    said = {who: tuple(one for name in names for one in types[name].sql) for who, names in field.only.items()}
    if len(set(said.values())) == 1:
        said = {ANYBODY: next(iter(said.values()))}
    only = Table(tuple((Literal(who), Items(tuple(map(Literal, names)))) for who, names in said.items()))
    last = [
        Literal(field.optional),
        Literal(member.type == UNSIGNED),
        Literal(member.type in NUMBERS and member.absent == OMIT),
        raw,
        only,
    ]
    nothings = [Literal(False), Literal(False), Literal(False), Items(()), Table(())]
    while last and last[-1] == nothings[len(last) - 1]:
        last.pop()
    return Name("ToldField")(name, Literal(str(member.tells)), Literal(type), *last)
