"""Who uses a part, and which section claims a number by `size`, `count`, `each` or `image`.

A reader needs the number to locate sections; an encoder computes it from what it has written. So every number must be
claimed exactly once; `claims_of` lists the claims, and `passes/claims.py` compares them with the numbers.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from ..model import Word
from .model import BinaryProtocol, Case, Part, PartChoice, Section, Sections
from .references import Missing, Number, NumberKind, References


@dataclass(frozen=True)
class Use:
    """A use of a part: by a section, or by a case of a switch; `part` contains the user."""

    name: Word
    part: Part
    section: Section | None
    case: Case | None

    @property
    def user(self) -> str:
        """The user's name for sentences: `message.headers`."""
        part = self.section.id if self.section is not None else self.case.member if self.case is not None else ""
        return f"{self.part.name}.{part}"


def all_uses(protocol: BinaryProtocol) -> Iterator[Use]:
    """Every use of every part, in the order of the file."""
    for part in protocol.parts.values():
        if isinstance(part, Sections):
            for section in part.sections:
                if section.part is not None:
                    yield Use(section.part, part, section, None)
        elif isinstance(part, PartChoice):
            for case in part.cases.values():
                yield Use(case.part, part, None, case)


def uses_of(references: References) -> dict[str, Use]:
    """The use of every part except the root; a part has one user."""
    found: dict[str, Use] = {}
    for use in all_uses(references.protocol):
        found.setdefault(use.name, use)
    return found


class ClaimedBy(enum.Enum):
    """The word that claims a number, and what an encoder computes it from."""

    SIZE = "size"  # the bytes of the section
    COUNT = "count"  # the elements of the section
    EACH = "each"  # the bytes of every repetition of the section
    IMAGE = "image"  # which row image the repetition is


@dataclass(frozen=True)
class Claim:
    """A section's claim on a number. `derives`: an encoder computes the number from this claim.

    A `count` that names a table row only states that there are as many elements as the row has numbers: the number is
    computed from the `each` of the row.
    """

    number: Number
    by: ClaimedBy
    part: Sections
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
    """The words of a section that refer to numbers, except `image` (which names a section of another part)."""
    if section.size is not None:
        yield ClaimedBy.SIZE, section.size
    if section.count is not None:
        yield ClaimedBy.COUNT, section.count
    if section.each is not None:
        yield ClaimedBy.EACH, section.each


def claims_of(references: References) -> Iterator[Claim]:
    """All claims that resolve, part by part in the order of the file, sections in wire order."""
    for part in references.protocol.parts.values():
        if not isinstance(part, Sections):
            continue
        for section in part.sections:
            for by, ref in references_of(section):
                number = references.number(part, ref)
                if not isinstance(number, Missing):
                    yield Claim(number, by, part, section, ref)
            if section.image is not None:
                element = references.part_of(section)
                kind = element.section(section.image) if isinstance(element, Sections) else None
                if isinstance(element, Sections) and kind is not None:
                    yield Claim(
                        Number(NumberKind.SECTION, element, kind), ClaimedBy.IMAGE, part, section, section.image
                    )
