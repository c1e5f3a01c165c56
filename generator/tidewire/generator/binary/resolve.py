"""Derives facts from a protocol's references, for the planner; the spec has passed all checks.

For every part of sections `resolve(spec, protocol)` gives the order in which a reader takes the sections and how it
locates them; what determines every number on the wire; which parts are row images; what carries the event fields; and
the order in which terms are first used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from ..model import EventClass, EventField, Spec, Word
from .model import (
    COLUMN_PARTS,
    BinaryProtocol,
    Case,
    Chunks,
    ColumnField,
    Enum,
    Part,
    PartChoice,
    Section,
    Sections,
    Tables,
    Terms,
)
from .order import ReadOrder, ReadStep, SectionFinding, Stuck, read_order
from .references import Missing, Number, NumberKind, References
from .uses import Claim, ClaimedBy, Use, claims_of, uses_of

T = TypeVar("T")

__all__ = [
    "Binding",
    "CaseUse",
    "Claim",
    "ClaimedBy",
    "ImageUse",
    "Intern",
    "Number",
    "NumberKind",
    "ReadOrder",
    "ReadStep",
    "Resolved",
    "SectionFinding",
    "SwitchUse",
    "Use",
    "resolve",
]


@dataclass(frozen=True)
class SwitchUse:
    """The switch: it selects the case of each event, one for each repetition of `section` (a section of the root).

    `field` of `columns` (in `columns_section` of the root) selects by `enum`; elements with the same index belong
    together. `events` is the row of numbers by which both are counted: one number for each event.
    """

    section: Section
    part: PartChoice
    columns_section: Section
    columns: Chunks
    field: ColumnField
    enum: Enum
    events: Number


@dataclass(frozen=True)
class ImageUse:
    """Row images: `section` of a case's part repeats `element`; its `kind` section selects the image by `enum`.

    `columns_section` of `element` contains `columns`, whose `parts` are the name, type, flags and value of every
    column.
    """

    section: Section
    element: Sections
    kind: Section
    enum: Enum
    columns_section: Section
    columns: Chunks
    parts: Mapping[str, ColumnField]


@dataclass(frozen=True)
class CaseUse:
    """A case of the switch: its code on the wire, its part, its events, and its row images if any.

    `sizes`: the repeated table row with the sizes of a section of this case, if any, and that section.
    """

    case: Case
    code: int
    part: Part
    cls: EventClass
    images: ImageUse | None
    sizes: tuple[Number, Section] | None


@dataclass(frozen=True)
class Binding:
    """An event field and what carries it: a section or a chunk of `part`.

    `case`: the member of the switch for whose events it is; None: for all events. `section`: the section that is the
    field, or that contains the columns or the chunk; `field`: the chunk, None if the section is a primitive.
    """

    event: EventField
    case: Word | None
    part: Part
    section: Section
    field: ColumnField | None


@dataclass(frozen=True)
class Intern:
    """A field whose texts are positions in the dictionary of a section of the root.

    An encoder fills the dictionary in this order: all values of a field of all events, then, event by event and image
    by image, those of the row images.
    """

    terms: Section
    part: Terms
    field: ColumnField
    in_image: bool


@dataclass(frozen=True)
class Resolved:
    """All results for one protocol. `orders` is by name of the part; `claims` is in wire order of the claiming
    sections.
    """

    protocol: BinaryProtocol
    root: Sections
    orders: Mapping[str, ReadOrder]
    claims: tuple[Claim, ...]
    switch: SwitchUse
    cases: Mapping[str, CaseUse]
    bindings: tuple[Binding, ...]
    interns: tuple[Intern, ...]
    tables: tuple[Section, Tables] | None
    uses: Mapping[str, Use]

    @property
    def fields(self) -> set[str]:
        """The event fields that are carried."""
        return {str(one.event.name) for one in self.bindings}

    def claim(self, number: Number) -> Claim:
        """The claim that determines a number. For a row with a `count`, too, it is that of the section with `each`."""
        return next(one for one in self.claims if one.number.key == number.key and one.derives)

    def claims_by(self, section: Section) -> tuple[Claim, ...]:
        """The claims of a section."""
        return tuple(one for one in self.claims if one.section is section)

    def bindings_of(self, member: str) -> Mapping[str, Binding]:
        """What carries the fields of a case's events, by field name."""
        return {one.event.name: one for one in self.bindings if one.case in (None, member)}


def resolve(spec: Spec, protocol: BinaryProtocol) -> Resolved:
    """The results for a protocol whose spec has no problems; ValueError if it has some (a bug of the caller)."""
    references = References(spec, protocol)
    root = _sure(references.root)
    uses = uses_of(references)
    orders: dict[str, ReadOrder] = {}
    for part in protocol.parts.values():
        if isinstance(part, Sections):
            order = read_order(references, part)
            if isinstance(order, Stuck):
                raise ValueError(f"{part.location}: no reading order")
            orders[part.name] = order
    claims = tuple(claims_of(references))
    switch = _switch(references, root)
    cases = {member: _case(references, switch, case, claims) for member, case in switch.part.cases.items()}
    return Resolved(
        protocol=protocol,
        root=root,
        orders=orders,
        claims=claims,
        switch=switch,
        cases=cases,
        bindings=tuple(_bindings(references, root, None))
        + tuple(
            one
            for member, use in cases.items()
            if isinstance(use.part, Sections)
            for one in _bindings(references, use.part, use.case.member)
        ),
        interns=tuple(_interns(references, root, cases)),
        tables=next(
            ((section, held) for section in root.sections if isinstance(held := references.part_of(section), Tables)),
            None,
        ),
        uses=uses,
    )


def _sure(found: T | Missing) -> T:
    if isinstance(found, Missing):
        raise ValueError(found.text)
    return found


def _switch(references: References, root: Sections) -> SwitchUse:
    for section in root.sections:
        part = references.part_of(section)
        if isinstance(part, PartChoice) and section.each is not None:
            use = _sure(references.field(part.by))
            return SwitchUse(
                section=section,
                part=part,
                columns_section=use.section,
                columns=use.part,
                field=use.field,
                enum=references.protocol.enums[str(use.field.enum)],
                events=_sure(references.number(root, section.each)),
            )
    raise ValueError(f"{root.location}: no switch")


def _case(references: References, switch: SwitchUse, case: Case, claims: tuple[Claim, ...]) -> CaseUse:
    part = references.protocol.parts[case.part]
    repeated = None
    images = None
    if isinstance(part, Sections):
        for claim in claims:
            if claim.part is part and claim.number.kind is NumberKind.REPEATED:
                repeated = (claim.number, claim.section)
        images = next((_image(references, one) for one in part.sections if one.image is not None), None)
    return CaseUse(
        case=case,
        code=dict(switch.enum.members)[case.member],
        part=part,
        cls=references.spec.events.classes[case.cls],
        images=images,
        sizes=repeated,
    )


def _image(references: References, section: Section) -> ImageUse:
    element = references.part_of(section)
    if not isinstance(element, Sections) or section.image is None:
        raise ValueError(f"{section.location}: no row image")
    kind = element.section(section.image)
    for holder in element.sections:
        columns = references.part_of(holder)
        if isinstance(columns, Chunks) and kind is not None and kind.enum is not None:
            parts = {str(one.column): one for one in columns.columns if one.column is not None}
            return ImageUse(
                section=section,
                element=element,
                kind=kind,
                enum=references.protocol.enums[kind.enum],
                columns_section=holder,
                columns=columns,
                parts={part: parts[part] for part in COLUMN_PARTS},
            )
    raise ValueError(f"{section.location}: no columns in the row image")


def _bindings(references: References, part: Sections, case: Word | None) -> list[Binding]:
    """What carries event fields in a part and in the parts of its sections, without the cases."""
    fields = references.spec.events.fields
    found: list[Binding] = []
    for section in part.sections:
        if section.event is not None:
            found.append(Binding(fields[section.event], case, part, section, section.chunk))
        held = references.part_of(section)
        if isinstance(held, Chunks):
            found += [
                Binding(fields[one.event], case, held, section, one) for one in held.columns if one.event is not None
            ]
        elif isinstance(held, Sections):
            found += _bindings(references, held, case)
    return found


def _interns(references: References, root: Sections, cases: Mapping[str, CaseUse]) -> list[Intern]:
    found: list[Intern] = []

    def note(field: ColumnField, in_image: bool) -> None:
        if field.intern is not None:
            section, part = _sure(references.terms(field.intern))
            found.append(Intern(section, part, field, in_image))

    for section in root.sections:
        held = references.part_of(section)
        if isinstance(held, Chunks):
            for field in held.columns:
                note(field, False)
        if section.chunk is not None:
            note(section.chunk, False)
    for use in cases.values():
        if use.images is not None:
            for field in use.images.columns.columns:
                note(field, True)
    return found
