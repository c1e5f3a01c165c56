"""Every name that refers to something names something of the right kind.

- structs, primitives, chunks, enums and their members, value tables, options of batching
- event classes, fields and images of events.yaml
- sections, fields of columns, rows and numbers of tables: `size` names one number, `count` a number or a row,
  `each` a row, `intern` a section with terms, `switch` and `when` a field with an enum, `image` an enum section
"""

from __future__ import annotations

from collections.abc import Iterator

from ...model import Word
from ...passes.common import named
from ...problems import Problem, problem, quoted, unknown
from ..model import Case, ColumnField, Section, SectionsStruct, SwitchStruct, TablesStruct, TermsStruct
from ..references import Missing
from ..uses import LEGAL_KINDS, references_of
from .context import BinaryContext


def check(context: BinaryContext) -> list[Problem]:
    """The problems of this pass."""
    protocol = context.protocol
    found: list[Problem] = []
    root = context.references.root
    if isinstance(root, Missing):
        # every reference to its sections would be unknown as well
        return [problem(protocol.root.place, root.text, root.remedy)]
    for struct in protocol.structs.values():
        if isinstance(struct, SectionsStruct):
            for section in struct.sections:
                found += _section(context, struct, section)
        elif isinstance(struct, SwitchStruct):
            found += _switch(context, struct)
        elif isinstance(struct, TermsStruct | TablesStruct):
            found += named(struct.count, "primitive", context.spec.primitives.primitives)
            found += named(struct.chunk, "chunk", context.spec.primitives.chunks)
        if isinstance(struct, TablesStruct):
            found += _rows(context, struct)
    for chunk in context.chunks():
        found += _chunk(context, chunk)
    found += _batching(context)
    images = [image for one in context.spec.events.classes.values() for image in one.images]
    for image in protocol.image_order:
        found += named(image, "row image", images)
    return found


def _missing(found: object, place: Word) -> Iterator[Problem]:
    if isinstance(found, Missing):
        yield problem(place.place, found.text, found.remedy)


def _section(context: BinaryContext, struct: SectionsStruct, section: Section) -> Iterator[Problem]:
    yield from named(section.struct, "struct", context.protocol.structs)
    yield from named(section.type, "primitive", context.spec.primitives.primitives)
    yield from named(section.enum, "enum", context.protocol.enums)
    if section.chunk is None:
        yield from named(section.event, "event field", context.spec.events.fields)
    for by, ref in references_of(section):
        number = context.references.number(struct, ref)
        yield from _missing(number, ref)
        if not isinstance(number, Missing) and number.kind not in LEGAL_KINDS[by]:
            legal = " or ".join(kind.value for kind in LEGAL_KINDS[by])
            yield problem(ref.place, f"{quoted(ref)} is {number.kind.value}", f"{by.value}: names {legal}.")
    if section.image is not None:
        element = context.references.struct_of(section)
        if isinstance(element, SectionsStruct):
            kinds = [one.id for one in element.sections if one.enum is not None]
            if section.image not in kinds:
                text = f"struct {quoted(element.name)} has no enum section"
                yield problem(
                    section.image.place, f"{text} {quoted(section.image)}", "Name the one that tells the image."
                )
        elif element is not None:
            yield problem(section.image.place, f"struct {quoted(element.name)} has no sections", "A row image has.")


def _chunk(context: BinaryContext, chunk: ColumnField) -> Iterator[Problem]:
    yield from named(chunk.chunk, "chunk", context.spec.primitives.chunks)
    yield from named(chunk.enum, "enum", context.protocol.enums)
    yield from named(chunk.event, "event field", context.spec.events.fields)
    yield from named(chunk.values, "value table", context.protocol.values)
    if chunk.intern is not None:
        yield from _missing(context.references.terms(chunk.intern), chunk.intern)


def _members(context: BinaryContext, ref: Word) -> list[str] | None:
    """The members of the enum of a field, None when there is none (reported where the field is named)."""
    use = context.references.field(ref)
    enum = None if isinstance(use, Missing) else context.enum(use.field)
    return None if enum is None else [str(member) for member in enum.members]


def _field(context: BinaryContext, ref: Word) -> Iterator[Problem]:
    use = context.references.field(ref)
    yield from _missing(use, ref)
    if not isinstance(use, Missing) and use.field.enum is None:
        yield problem(
            ref.place,
            f"the field {quoted(ref)} has no enum, so no writer could tell which number a case is",
            f"Give {use.struct.name}.{use.field.id} an enum.",
        )


def _switch(context: BinaryContext, struct: SwitchStruct) -> Iterator[Problem]:
    yield from _field(context, struct.switch)
    members = _members(context, struct.switch)
    for case in struct.cases.values():
        yield from _case(context, case)
        if members is not None:
            yield from named(case.member, "member", members)
    for member in members or ():
        if member not in struct.cases:
            yield problem(
                struct.at("cases"),
                f"there is no case for the member {quoted(member)} of {struct.switch}",
                "Every member of the enum has a case; one without a body holds a struct with sections: [].",
            )


def _case(context: BinaryContext, case: Case) -> Iterator[Problem]:
    yield from named(case.struct, "struct", context.protocol.structs)
    if case.event not in context.spec.events.classes:
        yield unknown(case.event.place, "event class", case.event, context.spec.events.classes, "event classes")


def _rows(context: BinaryContext, struct: TablesStruct) -> Iterator[Problem]:
    plain = [one.id for one in struct.rows if one.repeat is None and not one.numbers]
    for row in struct.rows:
        if row.repeat is not None:
            yield from named(row.repeat, "row", plain)
        if row.when is not None:
            ref, member = row.when
            yield from _field(context, ref)
            members = _members(context, ref)
            if members is not None:
                yield from named(member, "member", members)


def _batching(context: BinaryContext) -> Iterator[Problem]:
    events, batching = context.spec.events, context.protocol.batching
    if batching is not None:
        yield from named(batching.gather, "event class", events.classes, "event classes")
        yield from named(batching.count, "option", context.protocol.options)
        yield from named(batching.bytes, "option", context.protocol.options)
