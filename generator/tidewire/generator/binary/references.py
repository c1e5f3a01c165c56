"""Resolves the references of a protocol.

A reference begins with the id of a section: of the same part or, failing that, of the root. The rest goes into that
section's part: a field of columns, a row of tables, a number of a row. Every look-up returns the result or a `Missing`:
the sentence and the remedy for a report.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from ..model import Spec, Word
from ..problems import did_you_mean, quoted
from .model import (
    BinaryProtocol,
    Chunks,
    ColumnField,
    Part,
    Section,
    Sections,
    TableRow,
    Tables,
    Terms,
)


@dataclass(frozen=True)
class Missing:
    """Why a reference cannot be used, and what to do."""

    text: str
    remedy: str = ""


class NumberKind(enum.Enum):
    """The kinds of numbers that a reference can name."""

    SECTION = "an integer section of the same part"
    NAMED = "a named number of a table row"
    ROW = "a table row with one number per element"
    REPEATED = "a table row that is repeated, each with one number per element"


@dataclass(frozen=True)
class Number:
    """A number, or a row of numbers, that a section refers to.

    `part` and `section`: where it is, an integer section or the section with the tables. `row` and `number` name it in
    the tables.
    """

    kind: NumberKind
    part: Sections
    section: Section
    row: TableRow | None = None
    number: Word | None = None

    @property
    def name(self) -> str:
        """The reference to it."""
        return ".".join(str(part) for part in self.key[1:])

    @property
    def key(self) -> tuple[str, ...]:
        """An identity for comparison: the part's name and the pieces of the reference."""
        row = () if self.row is None else (str(self.row.id),)
        return (
            str(self.part.name),
            str(self.section.id),
            *row,
            *(() if self.number is None else (str(self.number),)),
        )


@dataclass(frozen=True)
class FieldUse:
    """A field of the chunks in a section."""

    section: Section
    part: Chunks
    field: ColumnField


class References:
    """Look-ups in one protocol."""

    def __init__(self, spec: Spec, protocol: BinaryProtocol) -> None:
        self.spec = spec
        self.protocol = protocol

    @property
    def root(self) -> Sections:
        """The part of a whole message value."""
        found = self.protocol.parts[self.protocol.root]
        if not isinstance(found, Sections):
            raise TypeError(f"{found.name} has no sections")
        return found

    def part_of(self, section: Section) -> Part | None:
        """The part that a section contains; None if it contains none or an unknown one."""
        return None if section.part is None else self.protocol.parts.get(section.part)

    def section(self, here: Sections | None, id: str) -> tuple[Sections, Section] | Missing:
        """The section with this id: in the part itself, otherwise in the root."""
        scopes = [scope for scope in (here, self.root) if scope is not None]
        for scope in scopes:
            found = scope.section(id)
            if found is not None:
                return scope, found
        legal = list(dict.fromkeys(one.id for scope in scopes for one in scope.sections))
        return Missing(f"unknown section {quoted(id)}", did_you_mean(id, legal, "sections"))

    def field(self, ref: Word) -> FieldUse | Missing:
        """SECTION.FIELD: a field of chunks of the root."""
        found = self.section(None, ref.parts[0])
        if isinstance(found, Missing):
            return found
        part = self.part_of(found[1])
        if not isinstance(part, Chunks):
            return Missing(f"section {quoted(ref.parts[0])} has no chunks", "Write SECTION.FIELD of one that has.")
        field = part.column(ref.parts[1])
        if field is None:
            legal = [one.id for one in part.columns]
            return Missing(f"unknown field {quoted(ref.parts[1])}", did_you_mean(ref.parts[1], legal, "fields"))
        return FieldUse(found[1], part, field)

    def terms(self, ref: Word) -> tuple[Section, Terms] | Missing:
        """The section of the root with a dictionary."""
        found = self.section(None, ref)
        if isinstance(found, Missing):
            return found
        part = self.part_of(found[1])
        if not isinstance(part, Terms):
            return Missing(f"section {quoted(ref)} is no dictionary", "Name a section whose part is terms.")
        return found[1], part

    def number(self, here: Sections, ref: Word) -> Number | Missing:
        """SECTION, SECTION.ROW or SECTION.ROW.NUMBER."""
        found = self.section(here, ref.parts[0])
        if isinstance(found, Missing):
            return found
        scope, section = found
        part = self.part_of(section)
        if isinstance(part, Tables):
            return self._in_tables(scope, section, part, ref)
        if len(ref.parts) > 1:
            return Missing(f"section {quoted(ref.parts[0])} has no tables", f"Did you mean {quoted(ref.parts[0])}?")
        primitive = self.spec.primitives.primitives.get(section.type) if section.type is not None else None
        if primitive is None or not primitive.integer:
            return Missing(f"section {quoted(ref)} is no number", "Name a section with an integer primitive or a row.")
        if scope is not here:
            return Missing(
                f"section {quoted(ref)} belongs to the root, but this part is one of several in a message",
                "Put the number beside the section that needs it, or into a table.",
            )
        return Number(NumberKind.SECTION, scope, section)

    def _in_tables(self, scope: Sections, section: Section, part: Tables, ref: Word) -> Number | Missing:
        rows = [one.id for one in part.rows]
        if len(ref.parts) == 1:
            return Missing(f"{quoted(ref)} is a section of tables, not a number", f"Name a row: {_below(ref, rows)}.")
        row = part.row(ref.parts[1])
        if row is None:
            return Missing(f"unknown row {quoted(ref.parts[1])}", did_you_mean(ref.parts[1], rows, "rows"))
        if not row.numbers:
            if len(ref.parts) > 2:
                return Missing(f"row {quoted(row.id)} has no named numbers", f"Did you mean {section.id}.{row.id}?")
            return Number(NumberKind.REPEATED if row.repeat is not None else NumberKind.ROW, scope, section, row)
        if len(ref.parts) == 2:
            return Missing(f"{quoted(ref)} is a row of named numbers", f"Name one: {_below(ref, row.numbers)}.")
        number = next((one for one in row.numbers if one == ".".join(ref.parts[2:])), None)
        if number is None:
            name = ".".join(ref.parts[2:])
            return Missing(f"unknown number {quoted(name)}", did_you_mean(name, row.numbers, "numbers"))
        return Number(NumberKind.NAMED, scope, section, row, number)


def _below(ref: str, names: Iterable[str]) -> str:
    return ", ".join(f"{ref}.{name}" for name in names)
