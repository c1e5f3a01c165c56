"""Computes the order in which a reader takes the sections of a part, from their references.

A section can be read when the sections that it needs have been read and its position is known: from the front if the
length of all sections before it is known, from the back if the length of all sections after it is. The front is
preferred, so that at most one run of sections, at the end, is located from the back.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from .model import Chunks, Part, PartChoice, Section, Sections
from .references import Missing, References
from .uses import references_of


class SectionFinding(enum.Enum):
    """How a reader locates a section."""

    BY_READING = "starts where the section before ends; ends where reading it ends"
    BY_SIZE = "starts where the section before ends; its size is told by `size`"
    BY_EACH = "starts where the section before ends; its size is the sum of the sizes told by `each`"
    FROM_END = "ends where the section behind starts, the last one where the message ends"


@dataclass(frozen=True)
class ReadStep:
    """One section: how it is located, and which sections of the same part it needs to be read first."""

    section: Section
    located: SectionFinding
    needs: tuple[str, ...]


@dataclass(frozen=True)
class ReadOrder:
    """How the sections of a part are read.

    `steps` is in reading order. `front` and `back` are the sections located from the start and from the end, in wire
    order: the last of `front` must end where the first of `back` starts, or at the end of the part if `back` is empty.
    """

    part: Sections
    steps: tuple[ReadStep, ...]
    front: tuple[Section, ...]
    back: tuple[Section, ...]


@dataclass(frozen=True)
class Wait:
    """Why one section must be read after another."""

    section: Section
    other: Section
    why: str


@dataclass(frozen=True)
class Stuck:
    """There is no order: each of these waits for the next, the last for the first."""

    circle: tuple[Wait, ...]

    def __str__(self) -> str:
        return ", ".join(wait.why for wait in self.circle)


def needs_of(references: References, part: Sections, section: Section) -> list[tuple[str, str]]:
    """The sections of `part` that must be read before this one, as pairs of id and reason, nearest reasons first."""
    found: dict[str, str] = {}
    for by, ref in references_of(section):
        number = references.number(part, ref)
        if not isinstance(number, Missing) and number.part is part:
            found.setdefault(number.section.id, f"{by.value}: {ref}")
    if section.chunk is not None and section.chunk.intern is not None:
        found.setdefault(section.chunk.intern, f"intern: {section.chunk.intern}")
    held = references.part_of(section)
    if held is not None and part is references.root:
        for id, why in _needs_inside(references, held):
            found.setdefault(id, why)
    if part is not references.root:
        # sections of the root are read before the section that contains this part
        found = {id: why for id, why in found.items() if part.section(id) is not None}
    return list(found.items())


def _needs_inside(references: References, part: Part) -> Iterator[tuple[str, str]]:
    """The sections of the root to which the contents of a part refer; no part contains itself (passes/structure.py)."""
    if isinstance(part, Chunks):
        for field in part.columns:
            if field.intern is not None:
                yield field.intern, f"intern: {field.intern} of {part.name}.{field.id}"
    elif isinstance(part, PartChoice):
        yield part.by.parts[0], f"by: {part.by}"
        for case in part.cases.values():
            inner = references.protocol.parts.get(case.part)
            if inner is not None:
                yield from _needs_inside(references, inner)
    elif isinstance(part, Sections):
        for section in part.sections:
            for by, ref in references_of(section):
                number = references.number(part, ref)
                if not isinstance(number, Missing) and number.part is references.root:
                    yield number.section.id, f"{by.value}: {ref} of {part.name}.{section.id}"
            inner = references.part_of(section)
            if inner is not None:
                yield from _needs_inside(references, inner)


def read_order(references: References, part: Sections) -> ReadOrder | Stuck:
    """The reading order of a part whose references resolve."""
    return _Reading(references, part).order()


class _Reading:
    def __init__(self, references: References, part: Sections) -> None:
        self.references = references
        self.part = part
        self.sections = part.sections
        self.needs = [dict(needs_of(references, part, section)) for section in self.sections]
        self.read: set[str] = set()

    def order(self) -> ReadOrder | Stuck:
        done: list[int] = []
        back: set[int] = set()
        while len(done) < len(self.sections):
            unread = [index for index in range(len(self.sections)) if index not in done]
            index = next((one for one in unread if self.from_front(one)), None)
            if index is None:
                index = next((one for one in reversed(unread) if self.from_back(one)), None)
                if index is None:
                    return self.stuck(unread)
                back.add(index)
            done.append(index)
            self.read.add(self.sections[index].id)
        # sections after one located from the back are located from the back, too
        first = min(back, default=len(self.sections))
        steps = (ReadStep(self.sections[one], self.located(one, first), tuple(self.needs[one])) for one in done)
        return ReadOrder(self.part, tuple(steps), self.sections[:first], self.sections[first:])

    def located(self, index: int, first: int) -> SectionFinding:
        section = self.sections[index]
        if index >= first:
            return SectionFinding.FROM_END
        if section.size is not None:
            return SectionFinding.BY_SIZE
        return SectionFinding.BY_EACH if section.each is not None else SectionFinding.BY_READING

    def sized(self, section: Section) -> bool:
        """Whether the section's length is known, before or after reading it."""
        if section.id in self.read:
            return True
        for ref in (section.size, section.each):
            if ref is not None:
                number = self.references.number(self.part, ref)
                # a number of the root is known wherever the contents of a root section are read
                return not isinstance(number, Missing) and (
                    number.part is not self.part or number.section.id in self.read
                )
        return False

    def ready(self, index: int) -> bool:
        return all(one in self.read for one in self.needs[index])

    def from_front(self, index: int) -> bool:
        section = self.sections[index]
        return not section.at_end and self.ready(index) and all(self.sized(one) for one in self.sections[:index])

    def from_back(self, index: int) -> bool:
        section = self.sections[index]
        known = section.at_end or self.sized(section)
        return known and self.ready(index) and all(self.sized(one) for one in self.sections[index + 1 :])

    def stuck(self, unread: list[int]) -> Stuck:
        waits: list[Wait] = []
        here = unread[0]
        while self.sections[here] not in [wait.section for wait in waits]:
            wait = self.wait(here)
            waits.append(wait)
            here = self.sections.index(wait.other)
        begin = [wait.section for wait in waits].index(self.sections[here])
        circle = waits[begin:]
        first = min(range(len(circle)), key=lambda one: self.sections.index(circle[one].section))
        return Stuck(tuple(circle[first:] + circle[:first]))

    def wait(self, index: int) -> Wait:
        section = self.sections[index]
        for id, why in self.needs[index].items():
            other = self.part.section(id)
            if other is not None and id not in self.read:
                return Wait(section, other, f"{section.id} needs {id} ({why})")
        if section.at_end:
            other = next(one for one in reversed(self.sections) if one is section or not self.sized(one))
            return Wait(section, other, f"{section.id} ends where {other.id} starts")
        other = next(one for one in self.sections if one is section or not self.sized(one))
        return Wait(section, other, f"{section.id} starts where {other.id} ends")
