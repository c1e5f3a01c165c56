"""Where a reader finds the sections of a struct: the steps between the sections that it reads.

The order is that of `generator.order`; a section is found behind what was read, by a size or sizes that were read, or
from the end. What is located need not have been read: a part whose size is known is passed over until it is its turn.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..model import Spec
from . import operations as op
from .model import Section, SectionsStruct, SwitchStruct
from .names import Names
from .references import Number, NumberKind
from .resolve import CaseUse, Claim, ClaimedBy, Located, ReadOrder, Resolved


class Locating(ABC):
    """Plans where things are; how a section is read is for who inherits."""

    def __init__(self, spec: Spec, resolved: Resolved) -> None:
        self.resolved = resolved
        self.protocol = resolved.protocol
        self.names = Names(spec, resolved)

    @abstractmethod
    def _read(
        self, struct: SectionsStruct, section: Section, case: CaseUse | None, start: str = "r.pos", limit: str = "r.end"
    ) -> list[op.Operation]:
        """The steps that read a section."""

    # ---- a struct of sections

    def _steps(self, struct: SectionsStruct, case: CaseUse | None) -> op.Operations:
        """The steps of a struct, in reading order: where each section is, then the section."""
        order = self.resolved.orders[struct.name]
        located = any(step.located is not Located.BY_READING for step in order.steps)
        plain = all(
            step.located is Located.BY_READING
            or (step.located is Located.BY_EACH and step.section is order.steps[-1].section and not order.back)
            for step in order.steps
        )
        if not located or plain:
            return tuple(one for step in order.steps for one in self._read(struct, step.section, case))
        return self._located_steps(struct, order, case)

    def _located_steps(self, struct: SectionsStruct, order: ReadOrder, case: CaseUse | None) -> op.Operations:
        done: list[op.Operation] = [op.Bounds()]
        ends: dict[str, str] = {}
        back = "end"
        for step in order.steps:
            section = step.section
            if section in order.back:
                back = self._read_back(struct, section, case, done, ends, order, back)
                continue
            start = self._front(struct, order, section, done, ends, back)
            if step.located is Located.BY_READING:
                done.append(op.Select(start, back))
                done += self._read(struct, section, case)
                ends[section.id] = f"{section.id}_end"
                done.append(op.Mark(ends[section.id], False))
            else:
                self._locate(struct, section, start, back, done, ends)
                held = None if section.struct is None else self.protocol.structs[section.struct]
                if isinstance(held, SwitchStruct):
                    done += self._read(struct, section, case, start, ends[section.id])
                else:
                    done.append(op.Select(start, ends[section.id]))
                    done += self._read(struct, section, case)
                    done.append(op.Consumed(self.names.section_field(struct, section)))
        last = order.front[-1] if order.front else None
        front = "begin" if last is None else ends[last.id]
        field = self.names.section_field(struct, last or order.back[0])
        done.append(op.Meet(front, back, field))
        return tuple(done)

    def _front(
        self,
        struct: SectionsStruct,
        order: ReadOrder,
        section: Section,
        done: list[op.Operation],
        ends: dict[str, str],
        back: str,
    ) -> str:
        """Where a section of the front starts; parts before it that are only told are located first."""
        start = "begin"
        for before in order.front:
            if before is section:
                break
            if before.id not in ends:
                self._locate(struct, before, start, back, done, ends)
            start = ends[before.id]
        return start

    def _locate(
        self,
        struct: SectionsStruct,
        section: Section,
        start: str,
        back: str,
        done: list[op.Operation],
        ends: dict[str, str],
    ) -> None:
        if section.id in ends:
            return
        ends[section.id] = f"{section.id}_end"
        field = self.names.section_field(struct, section)
        if section.size is not None:
            size = self.names.number(self._number(struct, section, ClaimedBy.SIZE))
            done.append(op.LocateSized(ends[section.id], start, size, back, field))
        else:
            sizes = self._row_of(struct, section, ClaimedBy.EACH)
            of_event = self._number(struct, section, ClaimedBy.EACH).kind is NumberKind.REPEATED
            done.append(op.LocateRepeated(ends[section.id], start, sizes, back, field, of_event))

    def _read_back(
        self,
        struct: SectionsStruct,
        section: Section,
        case: CaseUse | None,
        done: list[op.Operation],
        ends: dict[str, str],
        order: ReadOrder,
        back: str,
    ) -> str:
        """Reads a section that is found from the end; gives the variable with its start."""
        mark = f"{section.id}_start"
        if section.at_end:
            known = "begin"
            for before in order.front:
                if before.id not in ends:
                    break
                known = ends[before.id]
            done.append(op.Select(known, back))
            done += self._read(struct, section, case)
            done.append(op.Mark(mark, True))
            return mark
        field = self.names.section_field(struct, section)
        size = self.names.number(self._number(struct, section, ClaimedBy.SIZE))
        done.append(op.LocateBefore(mark, back, size, field))
        done.append(op.Select(mark, back))
        done += self._read(struct, section, case)
        done.append(op.Consumed(field))
        return mark

    # ---- numbers

    def _claim_on(self, struct: SectionsStruct, section: Section) -> Claim | None:
        """Who needs the integer that this section is."""
        for claim in self.resolved.claims:
            number = claim.number
            if number.kind is NumberKind.SECTION and number.section is section and number.struct is struct:
                return claim
        return None

    def _number(self, struct: SectionsStruct, section: Section, by: ClaimedBy) -> Number:
        return next(one.number for one in self.resolved.claims_by(section) if one.by is by)

    def _row_of(self, struct: SectionsStruct, section: Section, by: ClaimedBy) -> str:
        number = self._number(struct, section, by)
        assert number.row is not None
        return self.names.row(number.row)
