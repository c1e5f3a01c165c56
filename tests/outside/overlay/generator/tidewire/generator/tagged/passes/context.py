"""What the passes over a protocol of tagged fields are given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tidewire.generator.meaning import CarriedCase, Carrier, ColumnFact, Meaning, Remedies, images_of
from tidewire.generator.passes.common import CommonContext, OptionUse

from ..model import TaggedProtocol

FACTS = {"name": "names", "type": "types", "flags": "flags", "value": "values"}


@dataclass(frozen=True)
class TaggedContext(CommonContext):
    """One protocol of tagged fields and the spec that it is part of."""

    protocol: TaggedProtocol

    remedies = Remedies(
        carry="Say event: {} in a field.",
        absent="Carry it in a protocol of another container.",
        image="Say image: {} in a field.",
        columns={says: f"Say column: {fact} in a field of columns." for fact, says in FACTS.items()},
        of="Say it in the part of the image.",
    )
    wire = "binary"

    @cached_property
    def carried_cases(self) -> tuple[CarriedCase, ...]:
        events, fields = self.spec.events, self.protocol.fields
        images = {str(one.image): one.image for one in fields if one.image is not None}
        found = []
        for case in self.protocol.cases:
            kind = events.kinds[case.kind]
            held = tuple(images[one] for one in images_of(self.spec, kind) if one in images)
            rows = held[0].location if held else None
            at = case.kind.location
            found.append(CarriedCase(at, at, f'kind "{case.kind}"', events.classes[kind.cls], (kind,), held, rows))
        return tuple(found)

    @cached_property
    def meaning(self) -> Meaning:
        classes = self.spec.events.classes
        with_rows = tuple(cls for cls in self.carried() if classes[cls].images)
        carriers = []
        for one in self.protocol.fields:
            if one.event is not None:
                field = self.spec.events.fields[one.event]
                what, limits = f"a field of wire {one.wire}", (0, 2**64 - 1) if one.counts else None
                python = "int" if one.counts else "bytes" if field.type == "bytes" else "str"
                ofs = tuple(self.carried())
                carriers.append(Carrier(field, one.at("event"), what, python, limits, True, ofs, (), True))
        facts = tuple(
            ColumnFact(FACTS[one.column], one.id, one.location, one.location, with_rows, ())
            for one in self.protocol.column
            if one.column is not None
        )
        tables = tuple(one.values for one in self.protocol.column if one.values is not None)
        return Meaning(self.carried_cases, tuple(carriers), facts, tables, None)

    def option_uses(self) -> Iterator[OptionUse]:
        if self.protocol.unlisted is not None:
            yield OptionUse(self.protocol.unlisted, "unlisted", "bool")
