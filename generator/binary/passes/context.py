"""What a pass over a binary protocol is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ...model import Primitive
from ...passes.common import CommonContext, OptionUse
from ..model import BinaryProtocol, ColumnField, ColumnsStruct, Enum, Section, SectionsStruct, SwitchStruct
from ..references import Missing, References
from ..uses import Claim, Use, all_uses, claims_of


@dataclass(frozen=True)
class BinaryContext(CommonContext):
    """One binary protocol and the spec that it is part of.

    `root` and `switch` are for the passes after `links` and `structure`, which make sure that they are there.
    """

    protocol: BinaryProtocol

    def carried(self) -> list[str]:
        return [str(case.event) for case in self.switch[1].cases.values()]

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
