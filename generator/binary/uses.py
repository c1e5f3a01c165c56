"""Who uses a struct, and who claims a number: `size`, `count`, `each` and `image`, stated at the reader's side.

A reader takes the number to find its way; a writer derives the number from what it has written. So every number must be
claimed exactly once; `claims_of` lists the claims, `passes/claims.py` holds them against the numbers that there are.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from ..model import Word
from .model import BinaryProtocol, Case, Section, SectionsStruct, Struct, SwitchStruct
from .references import Missing, Number, NumberKind, References


@dataclass(frozen=True)
class Use:
    """Where a struct is used: by a section, or by a case of a switch; `struct` is the one that the user is in."""

    name: Word
    struct: Struct
    section: Section | None
    case: Case | None

    @property
    def user(self) -> str:
        """The user as a sentence names it: `message.headers`."""
        part = self.section.id if self.section is not None else self.case.member if self.case is not None else ""
        return f"{self.struct.name}.{part}"


def all_uses(protocol: BinaryProtocol) -> Iterator[Use]:
    """Every use of every struct, in the order of the file."""
    for struct in protocol.structs.values():
        if isinstance(struct, SectionsStruct):
            for section in struct.sections:
                if section.struct is not None:
                    yield Use(section.struct, struct, section, None)
        elif isinstance(struct, SwitchStruct):
            for case in struct.cases.values():
                yield Use(case.struct, struct, None, case)


def uses_of(references: References) -> dict[str, Use]:
    """The use of every struct but the root; a struct has one user."""
    found: dict[str, Use] = {}
    for use in all_uses(references.protocol):
        found.setdefault(use.name, use)
    return found


class ClaimedBy(enum.Enum):
    """The word that claims a number, and what a writer derives it from."""

    SIZE = "size"  # the bytes of the section
    COUNT = "count"  # the elements of the section
    EACH = "each"  # the bytes of every repetition of the section
    IMAGE = "image"  # the row image that the repetition is


@dataclass(frozen=True)
class Claim:
    """A section's claim on a number. `derives`: this claim is the one that a writer derives the number from.

    A `count` that names a table row only says that there are as many elements as the row has numbers: it does not
    derive, the `each` of the row does.
    """

    number: Number
    by: ClaimedBy
    struct: SectionsStruct
    section: Section
    ref: Word

    @property
    def derives(self) -> bool:
        return not (self.by is ClaimedBy.COUNT and self.number.kind is NumberKind.ROW)


LEGAL_KINDS = {
    ClaimedBy.SIZE: (NumberKind.SECTION, NumberKind.NAMED),
    ClaimedBy.COUNT: (NumberKind.SECTION, NumberKind.ROW),
    ClaimedBy.EACH: (NumberKind.ROW, NumberKind.REPEATED),
    ClaimedBy.IMAGE: (NumberKind.SECTION,),
}
"""What each word may refer to."""


def references_of(section: Section) -> Iterator[tuple[ClaimedBy, Word]]:
    """The words of a section that refer to numbers, `image` excepted (it names a section of another struct)."""
    if section.size is not None:
        yield ClaimedBy.SIZE, section.size
    if section.count is not None:
        yield ClaimedBy.COUNT, section.count
    if section.each is not None:
        yield ClaimedBy.EACH, section.each


def claims_of(references: References) -> Iterator[Claim]:
    """All claims that resolve, struct by struct in the order of the file, sections in wire order."""
    for struct in references.protocol.structs.values():
        if not isinstance(struct, SectionsStruct):
            continue
        for section in struct.sections:
            for by, ref in references_of(section):
                number = references.number(struct, ref)
                if not isinstance(number, Missing):
                    yield Claim(number, by, struct, section, ref)
            if section.image is not None:
                element = references.struct_of(section)
                kind = element.section(section.image) if isinstance(element, SectionsStruct) else None
                if isinstance(element, SectionsStruct) and kind is not None:
                    yield Claim(
                        Number(NumberKind.SECTION, element, kind), ClaimedBy.IMAGE, struct, section, section.image
                    )
