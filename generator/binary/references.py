"""What the references of a protocol name.

A reference begins with the id of a section: of the struct where it stands or, failing that, of the root. What follows
goes into that section's struct: a field of columns, a row of tables, a number of a row. Every look-up returns what
was found or a `Missing`: the sentence and the remedy for a report.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from ..model import Spec, Word
from ..problems import did_you_mean, quoted
from .model import (
    BinaryProtocol,
    ColumnField,
    ColumnsStruct,
    Section,
    SectionsStruct,
    Struct,
    TableRow,
    TablesStruct,
    TermsStruct,
)


@dataclass(frozen=True)
class Missing:
    """Why a reference names nothing usable, and what to do."""

    text: str
    remedy: str = ""


class NumberKind(enum.Enum):
    """What a reference to a number can name."""

    SECTION = "an integer section of the same struct"
    NAMED = "a named number of a table row"
    ROW = "a table row with one number per element"
    REPEATED = "a table row that is repeated, each with one number per element"


@dataclass(frozen=True)
class Number:
    """A number, or a row of numbers, that some section's words refer to.

    `struct` and `section`: where it stands, an integer section or the section with the tables. `row` and `number`:
    which.
    """

    kind: NumberKind
    struct: SectionsStruct
    section: Section
    row: TableRow | None = None
    number: Word | None = None

    @property
    def name(self) -> str:
        """The reference that names it."""
        return ".".join(str(part) for part in self.key[1:])

    @property
    def key(self) -> tuple[str, ...]:
        """The same for the same number: the struct's name and the reference's parts."""
        row = () if self.row is None else (str(self.row.id),)
        return (
            str(self.struct.name),
            str(self.section.id),
            *row,
            *(() if self.number is None else (str(self.number),)),
        )


@dataclass(frozen=True)
class FieldUse:
    """A field of the columns struct that a section holds."""

    section: Section
    struct: ColumnsStruct
    field: ColumnField


class References:
    """Look-ups in one protocol."""

    def __init__(self, spec: Spec, protocol: BinaryProtocol) -> None:
        self.spec = spec
        self.protocol = protocol

    @property
    def root(self) -> SectionsStruct | Missing:
        """The root struct."""
        structs = self.protocol.structs
        found = structs.get(self.protocol.root)
        if found is None:
            return Missing(
                f"unknown struct {quoted(self.protocol.root)}", did_you_mean(self.protocol.root, structs, "structs")
            )
        if not isinstance(found, SectionsStruct):
            return Missing(f"the root {quoted(found.name)} has no sections", "The root is a struct with sections.")
        return found

    def struct_of(self, section: Section) -> Struct | None:
        """The struct that a section holds, None when it holds none or an unknown one."""
        return None if section.struct is None else self.protocol.structs.get(section.struct)

    def section(self, here: SectionsStruct | None, id: str) -> tuple[SectionsStruct, Section] | Missing:
        """The section with this id: of the struct itself, else of the root."""
        scopes = [scope for scope in (here, self.root) if isinstance(scope, SectionsStruct)]
        for scope in scopes:
            found = scope.section(id)
            if found is not None:
                return scope, found
        legal = list(dict.fromkeys(one.id for scope in scopes for one in scope.sections))
        return Missing(f"unknown section {quoted(id)}", did_you_mean(id, legal, "sections"))

    def field(self, ref: Word) -> FieldUse | Missing:
        """SECTION.FIELD: a field of a columns struct of the root."""
        found = self.section(None, ref.parts[0])
        if isinstance(found, Missing):
            return found
        struct = self.struct_of(found[1])
        if not isinstance(struct, ColumnsStruct):
            return Missing(f"section {quoted(ref.parts[0])} has no columns", "Write SECTION.FIELD of one that has.")
        field = struct.column(ref.parts[1])
        if field is None:
            legal = [one.id for one in struct.columns]
            return Missing(f"unknown field {quoted(ref.parts[1])}", did_you_mean(ref.parts[1], legal, "fields"))
        return FieldUse(found[1], struct, field)

    def terms(self, ref: Word) -> tuple[Section, TermsStruct] | Missing:
        """The section of the root with a dictionary."""
        found = self.section(None, ref)
        if isinstance(found, Missing):
            return found
        struct = self.struct_of(found[1])
        if not isinstance(struct, TermsStruct):
            return Missing(f"section {quoted(ref)} is no dictionary", "Name a section whose struct has terms.")
        return found[1], struct

    def number(self, here: SectionsStruct, ref: Word) -> Number | Missing:
        """SECTION, SECTION.ROW or SECTION.ROW.NUMBER."""
        found = self.section(here, ref.parts[0])
        if isinstance(found, Missing):
            return found
        scope, section = found
        struct = self.struct_of(section)
        if isinstance(struct, TablesStruct):
            return self._in_tables(scope, section, struct, ref)
        if len(ref.parts) > 1:
            return Missing(f"section {quoted(ref.parts[0])} has no tables", f"Did you mean {quoted(ref.parts[0])}?")
        primitive = self.spec.primitives.primitives.get(section.type) if section.type is not None else None
        if primitive is None or not primitive.integer:
            return Missing(f"section {quoted(ref)} is no number", "Name a section with an integer primitive or a row.")
        if scope is not here:
            return Missing(
                f"section {quoted(ref)} belongs to the root, but this struct is one of several in a message",
                "Put the number beside the section that needs it, or into a table.",
            )
        return Number(NumberKind.SECTION, scope, section)

    def _in_tables(self, scope: SectionsStruct, section: Section, struct: TablesStruct, ref: Word) -> Number | Missing:
        rows = [one.id for one in struct.rows]
        if len(ref.parts) == 1:
            return Missing(f"{quoted(ref)} is a section of tables, not a number", f"Name a row: {_below(ref, rows)}.")
        row = struct.row(ref.parts[1])
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
