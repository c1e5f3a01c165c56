"""The context of a pass over a binary protocol."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ...meaning import CarriedCase, Carrier, ColumnFact, Meaning, Remedies
from ...model import Chunk, Primitive, Word
from ...passes.common import CommonContext, OptionUse
from ..model import (
    COLUMN_PARTS,
    BinaryProtocol,
    Case,
    Chunks,
    ColumnField,
    Enum,
    PartChoice,
    Section,
    Sections,
)
from ..references import References
from ..uses import Claim, Use, all_uses, claims_of

WIRE = "binary"
"""The wire in primitives.yaml whose codecs write values in sections."""


@dataclass(frozen=True)
class BinaryContext(CommonContext):
    """One binary protocol and its spec.

    `root`, `switch` and the meaning may be used by passes after `links` and `structure`, which check them.
    """

    protocol: BinaryProtocol

    remedies = Remedies(
        carry="Say event: {} in the part of the case or in a chunk of the root.",
        absent="Say absent:, or carry it in the parts of the cases.",
        image="Say image: in a section of the case's part, and have a member {} in the enum that it names.",
        columns={f"{part.removesuffix('s')}s": f"Say column: {part} in one." for part in COLUMN_PARTS},
        of="Say it in the row images of each case.",
    )
    wire = WIRE
    overwrites = True

    @cached_property
    def carried_cases(self) -> tuple[CarriedCase, ...]:
        events = self.spec.events
        return tuple(
            CarriedCase(
                case.location,
                case.cls.location,
                f'class "{case.cls}"',
                events.classes[case.cls],
                tuple(one for one in events.kinds.values() if one.cls == case.cls),
                self._images(case),
                next((columns.location for columns in self.image_columns(case)), None),
            )
            for case in self.switch[1].cases.values()
        )

    @cached_property
    def meaning(self) -> Meaning:
        return Meaning(
            carried_cases=self.carried_cases,
            carriers=tuple(self._carriers()),
            facts=tuple(self._facts()),
            values=tuple(one.values for one in self.chunks() if one.values is not None),
            flags=None,
        )

    def image_sections(self, case: Case) -> list[Section]:
        """The sections with row images in the part of a case; a valid one has at most one."""
        part = self.protocol.parts[case.part]
        return [one for one in part.sections if one.image is not None] if isinstance(part, Sections) else []

    def image_columns(self, case: Case) -> Iterator[Chunks]:
        """The parts with the columns of a case's row images."""
        for section in self.image_sections(case):
            element = self.references.part_of(section)
            for holder in element.sections if isinstance(element, Sections) else ():
                held = self.references.part_of(holder)
                if isinstance(held, Chunks):
                    yield held

    def _images(self, case: Case) -> tuple[Word, ...]:
        """The members of the enum that distinguishes the images."""
        for section in self.image_sections(case):
            element = self.references.part_of(section)
            kind = element.section(str(section.image)) if isinstance(element, Sections) else None
            enum = None if kind is None else self.enum(kind)
            if enum is not None:
                return tuple(enum.members)
        return ()

    def _facts(self) -> Iterator[ColumnFact]:
        for case in self.switch[1].cases.values():
            for part in self.image_columns(case):
                for one in part.columns:
                    if one.column is not None:
                        says = f"{one.column.removesuffix('s')}s"
                        yield ColumnFact(says, one.id, one.column.location, part.location, (str(case.cls),), ())

    def common(self) -> list[ColumnField]:
        """The chunks of the root that carry a field of all events."""
        found: list[ColumnField] = []
        for section in self.root.sections:
            held = self.references.part_of(section)
            if isinstance(held, Chunks):
                found += [one for one in held.columns if one.event is not None]
            if section.chunk is not None and section.chunk.event is not None:
                found.append(section.chunk)
        return found

    def _carriers(self) -> Iterator[Carrier]:
        """The carriers of event fields: first the chunks of all events, then the sections of the cases."""
        every = tuple(self.carried())
        for chunk in self.common():
            yield self._carrier(chunk, self.spec.primitives.chunks[chunk.chunk], chunk.intern is not None, every)
        for case in self.switch[1].cases.values():
            part = self.protocol.parts[case.part]
            for inner in self.inside(part) if isinstance(part, Sections) else ():
                for section in inner.sections:
                    primitive = self.primitive(section)
                    if section.event is not None and primitive is not None:
                        yield self._carrier(section, primitive, False, (str(case.cls),))

    def _carrier(
        self, of: Section | ColumnField, thing: Primitive | Chunk, interned: bool, classes: tuple[str, ...]
    ) -> Carrier:
        limits = None if interned else thing.range
        return Carrier(
            field=self.spec.events.fields[str(of.event)],
            location=of.at("event"),
            what="an interned text" if interned else f"a {thing.name}",
            python="str" if interned else thing.python,
            range=limits if limits is None or of.max is None else (limits[0], of.max),
            checked=False,
            classes=classes,
            options=(),
            absent=isinstance(of, ColumnField) and of.absent is not None,
        )

    def option_uses(self) -> Iterator[OptionUse]:
        return iter(())

    @cached_property
    def references(self) -> References:
        return References(self.spec, self.protocol)

    @property
    def root(self) -> Sections:
        return self.references.root

    @cached_property
    def switch(self) -> tuple[Section, PartChoice]:
        """The section of the root that contains the choice, and the choice."""
        for section in self.root.sections:
            part = self.references.part_of(section)
            if isinstance(part, PartChoice):
                return section, part
        raise TypeError("no choice")

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(claims_of(self.references))

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        return tuple(all_uses(self.protocol))

    def parts_of_sections(self) -> Iterator[Sections]:
        """The parts of sections, in the order of the file."""
        return (one for one in self.protocol.parts.values() if isinstance(one, Sections))

    def parts_of_chunks(self) -> Iterator[Chunks]:
        """The parts of chunks, in the order of the file."""
        return (one for one in self.protocol.parts.values() if isinstance(one, Chunks))

    def chunks(self) -> Iterator[ColumnField]:
        """Every chunk, in parts of chunks and in chunk sections, in the order of the file."""
        for part in self.protocol.parts.values():
            if isinstance(part, Chunks):
                yield from part.columns
            elif isinstance(part, Sections):
                yield from (one.chunk for one in part.sections if one.chunk is not None)

    def primitive(self, section: Section) -> Primitive | None:
        """The primitive of a section; None if it has none or an unknown one."""
        return None if section.type is None else self.spec.primitives.primitives.get(section.type)

    def enum(self, of: Section | ColumnField) -> Enum | None:
        """The enum of a section or chunk; None if it has none."""
        return None if of.enum is None else self.protocol.enums.get(of.enum)

    def inside(self, part: Sections) -> Iterator[Sections]:
        """A part and the parts that its sections contain exactly once."""
        yield part
        for section in part.sections:
            held = self.references.part_of(section)
            if isinstance(held, Sections) and section.each is None:
                yield from self.inside(held)
