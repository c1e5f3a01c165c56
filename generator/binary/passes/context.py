"""What a pass over a binary protocol is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ...meaning import Carrier, ColumnFact, Gathered, Meaning, Remedies, Told
from ...model import Chunk, Primitive, Word
from ...passes.common import CommonContext, OptionUse
from ..model import (
    COLUMN_PARTS,
    BinaryProtocol,
    Case,
    ColumnField,
    ColumnsStruct,
    Enum,
    Section,
    SectionsStruct,
    SwitchStruct,
)
from ..references import Missing, References
from ..uses import Claim, Use, all_uses, claims_of


@dataclass(frozen=True)
class BinaryContext(CommonContext):
    """One binary protocol and the spec that it is part of.

    `root`, `switch` and the meaning are for the passes after `links` and `structure`, which make sure of them.
    """

    protocol: BinaryProtocol

    remedies = Remedies(
        carry="Say event: {} in the struct of the case or in the root's columns.",
        absent="Say null_as:, or carry it in the structs of the cases.",
        image="Say image: in a section of the case's struct, and have a member {} in the enum that it names.",
        columns={f"{part.removesuffix('s')}s": f"Say column: {part} in one." for part in COLUMN_PARTS},
        of="Say it in the row images of each case.",
    )
    overwrites = True

    @cached_property
    def told(self) -> tuple[Told, ...]:
        events = self.spec.events
        return tuple(
            Told(
                case.place,
                case.event.place,
                f'class "{case.event}"',
                events.classes[case.event],
                tuple(one for one in events.kinds.values() if one.cls == case.event),
                self._images(case),
                next((columns.place for columns in self.image_columns(case)), None),
            )
            for case in self.switch[1].cases.values()
        )

    @cached_property
    def meaning(self) -> Meaning:
        batching = self.protocol.batching
        return Meaning(
            told=self.told,
            carriers=tuple(self._carriers()),
            facts=tuple(self._facts()),
            gathered=None if batching is None else Gathered(batching.gather, ()),
            values=tuple(one.values for one in self.chunks() if one.values is not None),
            flags=None,
        )

    def image_sections(self, case: Case) -> list[Section]:
        """The sections with row images of the struct of a case; a right one has one at most."""
        struct = self.protocol.structs[case.struct]
        return [one for one in struct.sections if one.image is not None] if isinstance(struct, SectionsStruct) else []

    def image_columns(self, case: Case) -> Iterator[ColumnsStruct]:
        """What holds the columns of a case's row images."""
        for section in self.image_sections(case):
            element = self.references.struct_of(section)
            for holder in element.sections if isinstance(element, SectionsStruct) else ():
                held = self.references.struct_of(holder)
                if isinstance(held, ColumnsStruct):
                    yield held

    def _images(self, case: Case) -> tuple[Word, ...]:
        """The members of the enum that tells the images."""
        for section in self.image_sections(case):
            element = self.references.struct_of(section)
            kind = element.section(str(section.image)) if isinstance(element, SectionsStruct) else None
            enum = None if kind is None else self.enum(kind)
            if enum is not None:
                return tuple(enum.members)
        return ()

    def _facts(self) -> Iterator[ColumnFact]:
        for case in self.switch[1].cases.values():
            for struct in self.image_columns(case):
                for one in struct.columns:
                    if one.column is not None:
                        says = f"{one.column.removesuffix('s')}s"
                        yield ColumnFact(says, one.id, one.column.place, struct.place, (str(case.event),), ())

    def common(self) -> list[ColumnField]:
        """The chunks of the root that carry a field of all events."""
        found: list[ColumnField] = []
        for section in self.root.sections:
            held = self.references.struct_of(section)
            if isinstance(held, ColumnsStruct):
                found += [one for one in held.columns if one.event is not None]
            if section.chunk is not None and section.chunk.event is not None:
                found.append(section.chunk)
        return found

    def _carriers(self) -> Iterator[Carrier]:
        """First the chunks of all events, then the sections of the cases."""
        every = tuple(self.carried())
        for chunk in self.common():
            yield self._carrier(chunk, self.spec.primitives.chunks[chunk.chunk], chunk.intern is not None, every)
        for case in self.switch[1].cases.values():
            struct = self.protocol.structs[case.struct]
            for inner in self.inside(struct) if isinstance(struct, SectionsStruct) else ():
                for section in inner.sections:
                    primitive = self.primitive(section)
                    if section.event is not None and primitive is not None:
                        yield self._carrier(section, primitive, False, (str(case.event),))

    def _carrier(
        self, of: Section | ColumnField, thing: Primitive | Chunk, interned: bool, classes: tuple[str, ...]
    ) -> Carrier:
        limits = None if interned else thing.range
        return Carrier(
            field=self.spec.events.fields[str(of.event)],
            place=of.at("event"),
            what="an interned text" if interned else f"a {thing.name}",
            python="str" if interned else thing.python,
            range=limits if limits is None or of.max is None else (limits[0], of.max),
            checked=False,
            classes=classes,
            options=(),
            absent=isinstance(of, ColumnField) and of.null_as is not None,
        )

    def option_uses(self) -> Iterator[OptionUse]:
        batching = self.protocol.batching
        for word, name in (("count", batching.count), ("bytes", batching.bytes)) if batching is not None else ():
            if name is not None:
                yield OptionUse(name, f"batching.{word}", "int")

    @cached_property
    def references(self) -> References:
        return References(self.spec, self.protocol)

    @cached_property
    def root(self) -> SectionsStruct:
        found = self.references.root
        if isinstance(found, Missing):
            raise TypeError(found.text)
        return found

    @cached_property
    def switch(self) -> tuple[Section, SwitchStruct]:
        """The section of the root that holds the switch, and the switch."""
        for section in self.root.sections:
            struct = self.references.struct_of(section)
            if isinstance(struct, SwitchStruct):
                return section, struct
        raise TypeError("no switch")

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(claims_of(self.references))

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        return tuple(all_uses(self.protocol))

    def sections_structs(self) -> Iterator[SectionsStruct]:
        """The structs with sections, in the order of the file."""
        return (one for one in self.protocol.structs.values() if isinstance(one, SectionsStruct))

    def columns_structs(self) -> Iterator[ColumnsStruct]:
        """The structs with columns, in the order of the file."""
        return (one for one in self.protocol.structs.values() if isinstance(one, ColumnsStruct))

    def chunks(self) -> Iterator[ColumnField]:
        """Every chunk: fields of columns structs and chunk sections, in the order of the file."""
        for struct in self.protocol.structs.values():
            if isinstance(struct, ColumnsStruct):
                yield from struct.columns
            elif isinstance(struct, SectionsStruct):
                yield from (one.chunk for one in struct.sections if one.chunk is not None)

    def primitive(self, section: Section) -> Primitive | None:
        """The primitive of a section, None when it has none or an unknown one."""
        return None if section.type is None else self.spec.primitives.primitives.get(section.type)

    def enum(self, of: Section | ColumnField) -> Enum | None:
        """The enum of a section or chunk."""
        return None if of.enum is None else self.protocol.enums.get(of.enum)

    def inside(self, struct: SectionsStruct) -> Iterator[SectionsStruct]:
        """A struct and those that its sections hold once, without repeating them."""
        yield struct
        for section in struct.sections:
            held = self.references.struct_of(section)
            if isinstance(held, SectionsStruct) and section.each is None:
                yield from self.inside(held)
