"""What the passes over a protocol of lines are given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tidewire.generator.meaning import CarriedCase, Carrier, ColumnFact, Meaning, Remedies
from tidewire.generator.model import FIELD_RANGES
from tidewire.generator.passes.common import CommonContext, OptionUse

from ..model import LineProtocol


@dataclass(frozen=True)
class LineContext(CommonContext):
    """One protocol of lines and the spec that it is part of."""

    protocol: LineProtocol

    remedies = Remedies(
        carry="Say event: {} in a field.",
        absent="Carry it in a protocol of another container.",
        image="Say {}: and a mark under images:.",
        columns={"values": "Say values: in the last field."},
        of="Name the table in the last field.",
    )
    wire = "binary"

    @cached_property
    def carried_cases(self) -> tuple[CarriedCase, ...]:
        events = self.spec.events
        return tuple(
            CarriedCase(
                case.location,
                case.event.location,
                f'kind "{case.event}"',
                events.classes[events.kinds[case.event].cls],
                (events.kinds[case.event],),
                tuple(case.images),
                self.protocol.fields[-1].location,
            )
            for case in self.protocol.cases
        )

    @cached_property
    def meaning(self) -> Meaning:
        last, classes = self.protocol.fields[-1], tuple(self.carried())
        carriers = []
        for one in self.protocol.fields:
            if one.event is not None:
                field = self.spec.events.fields[one.event]
                whole = FIELD_RANGES[field.type]
                what, python, limits = ("a text", "str", None) if whole is None else ("digits", "int", (0, whole[1]))
                carriers.append(Carrier(field, one.at("event"), what, python, limits, True, classes, (), False))
        tables = () if last.values is None else (last.values,)
        facts = tuple(ColumnFact("values", last.id, table.location, last.location, classes, ()) for table in tables)
        return Meaning(self.carried_cases, tuple(carriers), facts, tables, None)

    def option_uses(self) -> Iterator[OptionUse]:
        return iter(())
