"""The context of passes over a protocol of registered records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ...facts import DDL_CLASS, FIELD_RANGES, EventField
from ...json.model import Scalar
from ...json.passes.context import NUMBERS, PYTHON
from ...meaning import CarriedCase, Carrier, ColumnFact, Meaning, Remedies, images_of
from ...model import EventKind, Word
from ...passes.carriers import PYTHON as OF_FIELDS
from ...passes.common import CommonContext, OptionUse
from ...plan.events import NAMED
from ...problems import Location
from ..model import BOOLEAN, INT, LONG, STRING, RecordScalar, RegisteredProtocol, ValueMark

SIGNED = {INT: (-(2**31), 2**31 - 1), LONG: (-(2**63), 2**63 - 1)}
"""Avro's integer types with their ranges."""
UNSIGNED = (0, 2**64 - 1)
"""The range of eight bytes, or of a long with the bits of an unsigned number."""


@dataclass(frozen=True)
class RegisteredContext(CommonContext):
    """A protocol of registered records, and its spec."""

    protocol: RegisteredProtocol

    remedies = Remedies(
        carry="Say event: {} in a field.",
        absent="",
        image="Say {}: FIELD under images:.",
        columns={},
        of="",
    )
    wire = "record"
    keyed_rows = True
    registers = True
    untimed_rows = True

    @property
    def other_protocols(self) -> tuple[str, ...]:
        """Includes the protocol of the messages without a row."""
        others = self.protocol.value.others
        return (*super().other_protocols, *(() if others is None else (str(others.protocol),)))

    @property
    def refused_types(self) -> tuple[Word, ...]:
        return self.protocol.schemas.refused

    def kind(self, name: str) -> EventKind:
        """The kind of event with this name."""
        return self.spec.events.kinds[name]

    @cached_property
    def carried_cases(self) -> tuple[CarriedCase, ...]:
        """The events with messages, those of records first: if a kind can be written in several ways, the first
        determines its meaning.
        """
        return tuple(self._carried())

    def _carried(self) -> Iterator[CarriedCase]:
        protocol = self.protocol
        told = set()
        for case in (one for one in protocol.row.cases.values() if one.alias is None):
            told.add(str(case.event))
            rows = protocol.rows[0].location if protocol.rows else None
            yield self._case(case.location, case.event, tuple(case.images), rows)
        for mark in protocol.value.marks:
            if mark.event not in told:
                yield self._case(mark.location, mark.event, self.images_of_key(mark.event), mark.location)
        told |= {str(mark.event) for mark in protocol.value.marks}
        others = protocol.value.others
        if others is not None:
            told |= {str(name) for name in others.kinds}
            yield from (self._case(others.location, name, (), None) for name in others.kinds)
        tombstone = protocol.value.tombstone
        if tombstone is not None and tombstone not in told:
            yield self._case(tombstone.location, tombstone, self.images_of_key(tombstone), tombstone.location)

    def _case(self, location: Location, event: Word, images: tuple[Word, ...], rows: Location | None) -> CarriedCase:
        kind = self.kind(event)
        cls = self.spec.events.classes[kind.cls]
        return CarriedCase(location, event.location, f'kind "{kind.name}"', cls, (kind,), images, rows)

    def images_of_key(self, name: str) -> tuple[Word, ...]:
        """The row image that the key contains if the value has none."""
        key, images = self.protocol.row_key, images_of(self.spec, self.kind(name))
        return images if key is not None and key.rows and len(images) == 1 else ()

    @cached_property
    def meaning(self) -> Meaning:
        return Meaning(
            carried_cases=self.carried_cases,
            carriers=tuple(self._carriers()),
            facts=tuple(self._facts()),
            values=(),
            flags=self.protocol.described_flags,
        )

    @cached_property
    def row_classes(self) -> tuple[str, ...]:
        """The classes of events whose message is a record or only a key."""
        protocol = self.protocol
        kinds = [case.event for case in protocol.row.cases.values()]
        kinds += [] if protocol.value.tombstone is None else [protocol.value.tombstone]
        return tuple(dict.fromkeys(str(self.kind(one).cls) for one in kinds))

    def _carriers(self) -> Iterator[Carrier]:
        protocol = self.protocol
        own = [one for one in protocol.scalars if one.event is not None]
        for scalar in own:
            yield from self._scalar(scalar)
        yield from self._known_by()
        schema, table = NAMED
        named = {str(one.event) for one in own}
        if schema not in named:
            yield self.carrier(
                Word(schema, protocol.schemas.at("namespace")), "namespace", "str", None, self.row_classes
            )
        if table not in named:
            yield self.carrier(Word(table, protocol.row.at("named")), "named", "str", None, self.row_classes)
        yield from self._others()
        said = {str(name) for one in own for name in (one.event, one.of_old) if name is not None}
        seen: set[tuple[str, str]] = {(name, cls) for name in said for cls in self.row_classes}
        for mark in protocol.value.marks:
            classes = (str(self.kind(mark.event).cls),)
            if mark.carries is not None and (str(mark.carries), classes[0]) not in seen:
                seen.add((str(mark.carries), classes[0]))
                yield self.carried_by(mark)
            for member in self.members_of(mark):
                yield self._member(member, classes)

    def _others(self) -> Iterator[Carrier]:
        """The event fields in messages without a row: all that the other protocol carries."""
        others = self.protocol.value.others
        if others is None:
            return
        classes = {str(self.kind(name).cls): self.spec.events.classes[self.kind(name).cls] for name in others.kinds}
        for name in dict.fromkeys(field for cls in classes.values() for field in cls.fields):
            field = self.spec.events.fields[name]
            if field.means == DDL_CLASS:
                continue  # the DDL class is derived, or absent
            having = tuple(key for key, cls in classes.items() if name in cls.fields)
            limits = field.limits
            what, python = f"messages of {others.protocol}", OF_FIELDS.get(field.type, "int")
            yield self.carrier(Word(name, others.location), what, python, limits, having, absent=field.means != "tso")

    def carried_by(self, mark: ValueMark) -> Carrier:
        """The carrier for the event field in a mark."""
        assert mark.carries is not None
        return self.carrier(mark.carries, "a mark", "int", UNSIGNED, (str(self.kind(mark.event).cls),))

    def carrier(
        self,
        name: Word,
        what: str,
        python: str,
        limits: tuple[int, int] | None,
        classes: tuple[str, ...],
        options: tuple[Word, ...] = (),
        absent: bool = False,
        checked: bool = True,
    ) -> Carrier:
        """A carrier for an event field."""
        field = self.spec.events.fields[name]
        return Carrier(field, name.location, what, python, limits, checked, classes, options, absent)

    def _scalar(self, scalar: RecordScalar) -> Iterator[Carrier]:
        for name in (scalar.event, scalar.of_old):
            if name is not None:
                field = self.spec.events.fields[name]
                what, python, limits = f"a field of type {scalar.type}", *held(scalar.type, field)
                checked = scalar.type == STRING or limits is None
                yield self.carrier(name, what, python, limits, self.row_classes, scalar.when, True, checked)

    def _known_by(self) -> Iterator[Carrier]:
        """The carriers for the source of column types and for the time zone; all rows use the same event field."""
        rows = [one for record in self.protocol.records.values() for one in record.rows if one.known_by is not None]
        if rows and rows[0].known_by is not None:
            yield self.carrier(rows[0].known_by, "by what types are known", "str", None, self.row_classes, (), True)
        zoned = [one.utc for record in self.protocol.records.values() for one in record.rows if one.utc is not None]
        for utc in zoned[:1]:
            yield self.carrier(utc, "the zone of times", "str", None, self.row_classes, (), True)

    def _member(self, member: Scalar, classes: tuple[str, ...]) -> Carrier:
        assert member.event is not None
        what, limits = f"a member of type {member.type}", NUMBERS.get(member.type)
        absent = member.absent is not None
        return self.carrier(member.event, what, PYTHON[member.type], limits, classes, (), absent)

    def members_of(self, mark: ValueMark) -> tuple[Scalar, ...]:
        """The members of a mark's object that carry event fields."""
        held = None if mark.part is None else self.protocol.objects[mark.part]
        members = () if held is None else held.members.values()
        return tuple(one for one in members if isinstance(one, Scalar) and one.event is not None)

    def _facts(self) -> Iterator[ColumnFact]:
        """What schemas contain about columns, for every class of row events."""
        said = self.protocol.schemas
        yield ColumnFact("types", "schemas", said.location, said.location, self.row_classes, ())

    def option_uses(self) -> Iterator[OptionUse]:
        protocol, said = self.protocol, self.protocol.schemas
        for record in protocol.records.values():
            for field in (*record.scalars, *record.inner):
                yield from (OptionUse(name, "when", "bool") for name in field.when)
            for inner in record.inner:
                yield from (OptionUse(name, "when", "bool") for name in inner.sent.values())
            for scalar in record.scalars:
                if scalar.option is not None:
                    yield OptionUse(scalar.option, "option", "text")
            for case in record.cases.values():
                if case.when is not None:
                    yield OptionUse(case.when, "when", "bool")
        for mark in protocol.value.marks:
            if mark.when is not None:
                yield OptionUse(mark.when, "when", "bool")
        others = protocol.value.others
        if others is not None:
            yield OptionUse(others.when, "when", "bool")
            yield from (OptionUse(one, "option", "text") for one in others.shared)
        if protocol.unnamed is not None:
            yield OptionUse(protocol.unnamed, "unnamed", "text")
        yield OptionUse(said.registry, "schemas.registry", "text")
        yield OptionUse(said.topic, "schemas.topic", "text")
        if said.namespace_option is not None:
            yield OptionUse(said.namespace_option, "option", "text")
        if said.by_id is not None:
            # columns are in another order with it, so schemas depend on it as on `when` of a field
            yield OptionUse(said.by_id, "when", "bool")


def held(kind: str, field: EventField) -> tuple[str, tuple[int, int] | None]:
    """The Python type and range of a record field that carries an event field. A string holds the digits of an unsigned
    number, a long its 64 bits.
    """
    whole = field.type != "bool" and FIELD_RANGES[field.type] is not None
    if kind == BOOLEAN:
        return "bool", None
    if kind == STRING:
        return ("int", UNSIGNED) if whole else ("str", None)
    return "int", UNSIGNED if kind == LONG and field.type == "uint64" else SIGNED[kind]
