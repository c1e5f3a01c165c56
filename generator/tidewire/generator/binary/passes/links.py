"""Every name refers to something of the right kind.

- parts, primitives, chunks, enums and their members, value tables
- event classes, fields and images of events.yaml
- sections, fields of chunks, rows and numbers of tables: `size` names one number, `count` a number or a row, `each` a
  row, `intern` a section with terms, `by` and `when` a field with an enum, `image` an enum section; `by` is a field
  with `switch`
"""

from __future__ import annotations

from collections.abc import Iterator

from ...model import Word
from ...passes.common import named
from ...problems import Problem, problem, quoted, unknown
from ..model import Case, ColumnField, PartChoice, Section, Sections, Tables, Terms
from ..references import Missing
from ..uses import LEGAL_KINDS, references_of
from .context import BinaryContext


def check(context: BinaryContext) -> list[Problem]:
    """The problems of this pass."""
    protocol = context.protocol
    found: list[Problem] = []
    for part in protocol.parts.values():
        if isinstance(part, Sections):
            for section in part.sections:
                found += _section(context, part, section)
        elif isinstance(part, PartChoice):
            found += _choice(context, part)
        elif isinstance(part, Terms | Tables):
            found += named(part.count, "primitive", context.spec.primitives.primitives)
            found += named(part.chunk, "chunk", context.spec.primitives.chunks)
        if isinstance(part, Tables):
            found += _rows(context, part)
    for chunk in context.chunks():
        found += _chunk(context, chunk)
    return found


def _missing(found: object, location: Word) -> Iterator[Problem]:
    if isinstance(found, Missing):
        yield problem(location.location, found.text, found.remedy)


def _section(context: BinaryContext, part: Sections, section: Section) -> Iterator[Problem]:
    yield from named(section.part, "part", context.protocol.parts)
    yield from named(section.type, "primitive", context.spec.primitives.primitives)
    yield from named(section.enum, "enum", context.protocol.enums)
    if section.chunk is None:
        yield from named(section.event, "event field", context.spec.events.fields)
    for by, ref in references_of(section):
        number = context.references.number(part, ref)
        yield from _missing(number, ref)
        if not isinstance(number, Missing) and number.kind not in LEGAL_KINDS[by]:
            legal = " or ".join(kind.value for kind in LEGAL_KINDS[by])
            yield problem(ref.location, f"{quoted(ref)} is {number.kind.value}", f"{by.value}: names {legal}.")
    images = [image for one in context.spec.events.classes.values() for image in one.images]
    for image in section.order:
        yield from named(image, "row image", images)
    if section.image is not None:
        element = context.references.part_of(section)
        if isinstance(element, Sections):
            kinds = [one.id for one in element.sections if one.enum is not None]
            if section.image not in kinds:
                text = f"part {quoted(element.name)} has no enum section"
                yield problem(
                    section.image.location, f"{text} {quoted(section.image)}", "Name the one that tells the image."
                )
        elif element is not None:
            yield problem(section.image.location, f"part {quoted(element.name)} has no sections", "A row image has.")


def _chunk(context: BinaryContext, chunk: ColumnField) -> Iterator[Problem]:
    yield from named(chunk.chunk, "chunk", context.spec.primitives.chunks)
    yield from named(chunk.enum, "enum", context.protocol.enums)
    yield from named(chunk.event, "event field", context.spec.events.fields)
    yield from named(chunk.values, "value table", context.protocol.values)
    if chunk.intern is not None:
        yield from _missing(context.references.terms(chunk.intern), chunk.intern)


def _members(context: BinaryContext, ref: Word) -> list[str] | None:
    """The members of a field's enum; None if there is none (reported where the field is named)."""
    use = context.references.field(ref)
    enum = None if isinstance(use, Missing) else context.enum(use.field)
    return None if enum is None else [str(member) for member in enum.members]


def _field(context: BinaryContext, ref: Word) -> Iterator[Problem]:
    use = context.references.field(ref)
    yield from _missing(use, ref)
    if not isinstance(use, Missing) and use.field.enum is None:
        yield problem(
            ref.location,
            f"the field {quoted(ref)} has no enum, so no writer could tell which number a case is",
            f"Give {use.part.name}.{use.field.id} an enum.",
        )


def _choice(context: BinaryContext, part: PartChoice) -> Iterator[Problem]:
    use = context.references.field(part.by)
    if isinstance(use, Missing) or use.field.switch:
        yield from _field(context, part.by)
    else:
        text = f"the field {quoted(part.by)} does not say what an event is"
        remedy = f"Say switch: true in {use.part.name}.{use.field.id}, or name the one that does."
        yield problem(part.by.location, text, remedy)
    members = _members(context, part.by)
    for case in part.cases.values():
        yield from _case(context, case)
        if members is not None:
            yield from named(case.member, "member", members)
    for member in members or ():
        if member not in part.cases:
            yield problem(
                part.at("cases"),
                f"there is no case for the member {quoted(member)} of {part.by}",
                "Every member of the enum has a case; one without a body holds a part with sections: [].",
            )


def _case(context: BinaryContext, case: Case) -> Iterator[Problem]:
    yield from named(case.part, "part", context.protocol.parts)
    if case.cls not in context.spec.events.classes:
        yield unknown(case.cls.location, "event class", case.cls, context.spec.events.classes, "event classes")


def _rows(context: BinaryContext, part: Tables) -> Iterator[Problem]:
    plain = [one.id for one in part.rows if one.repeat is None and not one.numbers]
    for row in part.rows:
        if row.repeat is not None:
            yield from named(row.repeat, "row", plain)
        if row.when is not None:
            ref, member = row.when
            yield from _field(context, ref)
            members = _members(context, ref)
            if members is not None:
                yield from named(member, "member", members)
