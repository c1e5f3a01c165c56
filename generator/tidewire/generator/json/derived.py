"""What follows for members of JSON from events.yaml, and is not stated in the protocol's file."""

from __future__ import annotations

from dataclasses import replace

from ..facts import TABLE_BEFORE, TIME_ZONE
from ..model import Spec, ValueTable
from ..words import Word
from .described_model import DescribedMember, EachMember, ToldMember
from .member_types import TEXTS
from .model import ChangesMember, JsonProtocol, Member, RowsMember
from .records.model import Record, Records


def derived(spec: Spec, protocol: JsonProtocol) -> JsonProtocol:
    """The protocol with the event fields that members fill by what these fields mean."""
    objects = {
        name: replace(one, members={id: _member(spec, protocol, member) for id, member in one.members.items()})
        for name, one in protocol.objects.items()
    }
    records = None if protocol.records is None else _records(protocol, protocol.records)
    return replace(protocol, objects=objects, records=records)


def _records(protocol: JsonProtocol, records: Records) -> Records:
    """The records, in which members that are lists are arrays of their type."""
    return replace(records, types={name: _record(protocol, one) for name, one in records.types.items()})


def _record(protocol: JsonProtocol, record: Record) -> Record:
    part = protocol.parts_described.get(record.part or "")
    members = {} if part is None else part.members
    lists = {id for id, one in members.items() if isinstance(one, EachMember) or is_list_of_texts(one)}
    fields = {id: replace(one, array=one.type, type=None) if id in lists else one for id, one in record.fields.items()}
    return replace(record, fields=fields)


def is_list_of_texts(member: DescribedMember) -> bool:
    """Whether a described member is a list of texts."""
    return isinstance(member, ToldMember) and member.type == TEXTS


def _member(spec: Spec, protocol: JsonProtocol, member: Member) -> Member:
    if isinstance(member, ChangesMember):
        return replace(member, renamed=_field(spec, TABLE_BEFORE, tuple(map(str, member.of))))
    if isinstance(member, RowsMember) and member.single and _has_located(spec, protocol.values.get(member.values)):
        return replace(member, located=_field(spec, TIME_ZONE, tuple(map(str, member.of))))
    return member


def _has_located(spec: Spec, table: ValueTable | None) -> bool:
    """Whether values of a table have a location."""
    codecs = spec.primitives.codecs
    cases = () if table is None else table.cases
    used = [codec for case in cases for codec in (case.codec, *case.flagged.values())]
    return any(codec in codecs and codecs[codec].located for codec in used)


def _field(spec: Spec, meaning: str, classes: tuple[str, ...]) -> Word | None:
    """The field with a meaning, if events of one of these classes have it; empty: of any class."""
    name = spec.events.meaning(meaning)
    events = [one for cls, one in spec.events.classes.items() if cls in classes or not classes]
    return name if any(name in one.fields for one in events) else None
