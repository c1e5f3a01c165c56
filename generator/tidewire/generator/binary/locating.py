"""How a reader locates the sections of a part: the steps between the sections that it reads.

The order is that of `generator.order`. A section follows what was read, or is found by sizes that were read, or from
the end. A located section need not be read yet: a part of known size is skipped until its turn.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..model import Spec
from ..syntax.nodes import Expression, Name
from . import operations as op
from .model import PartChoice, Section, Sections
from .names import Names
from .references import Number, NumberKind
from .resolve import CaseUse, Claim, ClaimedBy, ReadOrder, Resolved, SectionFinding

BEGIN, END = Name("begin"), Name("end")
"""The variables with the start and the end of a part."""


class Locating(ABC):
    """Plans how sections are located; subclasses plan how they are read."""

    def __init__(self, spec: Spec, resolved: Resolved) -> None:
        self.resolved = resolved
        self.protocol = resolved.protocol
        self.names = Names(spec, resolved)

    @abstractmethod
    def _read(
        self,
        part: Sections,
        section: Section,
        case: CaseUse | None,
        start: Expression | None = None,
        limit: Expression | None = None,
    ) -> list[op.Operation]:
        """The steps that read a section, which may already be located."""

    # ---- a part of sections

    def _steps(self, part: Sections, case: CaseUse | None) -> op.Operations:
        """The steps of a part, in reading order: locating each section, then reading it."""
        order = self.resolved.orders[part.name]
        located = any(step.located is not SectionFinding.BY_READING for step in order.steps)
        plain = all(
            step.located is SectionFinding.BY_READING
            or (step.located is SectionFinding.BY_EACH and step.section is order.steps[-1].section and not order.back)
            for step in order.steps
        )
        if not located or plain:
            return tuple(one for step in order.steps for one in self._read(part, step.section, case))
        return self._located_steps(part, order, case)

    def _located_steps(self, part: Sections, order: ReadOrder, case: CaseUse | None) -> op.Operations:
        done: list[op.Operation] = [op.Bounds()]
        ends: dict[str, Name] = {}
        back = END
        for step in order.steps:
            section = step.section
            if section in order.back:
                back = self._read_back(part, section, case, done, ends, order, back)
                continue
            start = self._front(part, order, section, done, ends, back)
            if step.located is SectionFinding.BY_READING:
                done.append(op.Select(start, back))
                done += self._read(part, section, case)
                ends[section.id] = Name(f"{section.id}_end")
                done.append(op.Mark(ends[section.id], False))
            else:
                self._locate(part, section, start, back, done, ends)
                held = None if section.part is None else self.protocol.parts[section.part]
                if isinstance(held, PartChoice):
                    done += self._read(part, section, case, start, ends[section.id])
                else:
                    done.append(op.Select(start, ends[section.id]))
                    done += self._read(part, section, case)
                    done.append(op.Consumed(self.names.section_field(part, section)))
        last = order.front[-1] if order.front else None
        front = BEGIN if last is None else ends[last.id]
        field = self.names.section_field(part, last or order.back[0])
        done.append(op.Meet(front, back, field))
        return tuple(done)

    def _front(
        self,
        part: Sections,
        order: ReadOrder,
        section: Section,
        done: list[op.Operation],
        ends: dict[str, Name],
        back: Name,
    ) -> Name:
        """The start of a section in the front; parts before it are located if only their sizes are known."""
        start = BEGIN
        for before in order.front:
            if before is section:
                break
            if before.id not in ends:
                self._locate(part, before, start, back, done, ends)
            start = ends[before.id]
        return start

    def _locate(
        self,
        part: Sections,
        section: Section,
        start: Name,
        back: Name,
        done: list[op.Operation],
        ends: dict[str, Name],
    ) -> None:
        if section.id in ends:
            return
        ends[section.id] = Name(f"{section.id}_end")
        field = self.names.section_field(part, section)
        if section.size is not None:
            size = self.names.number(self._number(part, section, ClaimedBy.SIZE))
            done.append(op.LocateSized(str(section.id), ends[section.id], start, size, back, field))
        else:
            sizes = self._row_of(part, section, ClaimedBy.EACH)
            of_event = self._number(part, section, ClaimedBy.EACH).kind is NumberKind.REPEATED
            done.append(op.LocateRepeated(str(section.id), ends[section.id], start, sizes, back, field, of_event))

    def _read_back(
        self,
        part: Sections,
        section: Section,
        case: CaseUse | None,
        done: list[op.Operation],
        ends: dict[str, Name],
        order: ReadOrder,
        back: Name,
    ) -> Name:
        """Reads a section that is located from the end."""
        mark = Name(f"{section.id}_start")
        if section.at_end:
            known = BEGIN
            for before in order.front:
                if before.id not in ends:
                    break
                known = ends[before.id]
            done.append(op.Select(known, back))
            done += self._read(part, section, case)
            done.append(op.Mark(mark, True))
            return mark
        field = self.names.section_field(part, section)
        size = self.names.number(self._number(part, section, ClaimedBy.SIZE))
        done.append(op.LocateBefore(str(section.id), mark, back, size, field))
        done.append(op.Select(mark, back))
        done += self._read(part, section, case)
        done.append(op.Consumed(field))
        return mark

    # ---- numbers

    def _claim_on(self, part: Sections, section: Section) -> Claim | None:
        """The claim that needs this integer section's value."""
        for claim in self.resolved.claims:
            number = claim.number
            if number.kind is NumberKind.SECTION and number.section is section and number.part is part:
                return claim
        return None

    def _number(self, part: Sections, section: Section, by: ClaimedBy) -> Number:
        return next(one.number for one in self.resolved.claims_by(section) if one.by is by)

    def _row_of(self, part: Sections, section: Section, by: ClaimedBy) -> str:
        number = self._number(part, section, by)
        assert number.row is not None
        return self.names.row(number.row)
