"""Row images: the columns of a row before or after a change.

- A case whose class of events has row images has one section with `image` in its struct, others have none; nothing
  else has.
- The enum that tells the images has the class's images as members, each once; `order.images` lists them all and is
  there exactly when a class with images is carried.
- The repeated struct has one section with columns, and these are exactly name, type, flags and value, `value` last:
  how it is read depends on the others. No column of a row image is null as a whole, so none says `null_as`.
- A name is a text or an interned integer; a type code fits into a byte; flags are not negative; a value has a value
  table.
- `column` is for row images only.
- Classes of events that are columns without values cannot be said in language 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...model import EventClass
from ...problems import Problem, listed, problem, quoted
from ..model import COLUMN_PARTS, Case, ColumnField, ColumnsStruct, Section, SectionsStruct
from .context import BinaryContext


def check(context: BinaryContext) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    images: set[str] = set()
    elements: set[str] = set()
    allowed: list[Section] = []
    for case in context.switch[1].cases.values():
        cls = context.spec.events.classes[case.event]
        images |= set(cls.images)
        struct = context.protocol.structs[case.struct]
        if isinstance(struct, SectionsStruct):
            sections = [one for one in struct.sections if one.image is not None]
            found += _case(case, cls, sections)
            allowed += sections
            for section in sections:
                element = context.references.struct_of(section)
                if isinstance(element, SectionsStruct):
                    found += _element(context, section, element, cls)
                    elements |= {str(one.struct) for one in element.sections}
    for other in context.sections_structs():
        for section in other.sections:
            if section.image is not None and section not in allowed:
                text = "row images are in the struct of a case, this is not one"
                found.append(problem(section.image.place, text, "Move the section into the case's struct."))
    told = not found
    for columns in context.columns_structs():
        if columns.name not in elements and told:  # else the columns only lack their `image`
            for field in columns.columns:
                if field.column is not None:
                    text = f"the struct {quoted(columns.name)} is not the columns of a row image"
                    found.append(problem(field.column.place, text, "Say event: or remove it."))
    found += _order(context, images)
    return found


def _case(case: Case, cls: EventClass, sections: list[Section]) -> Iterator[Problem]:
    if cls.columns:
        text = f"events of class {quoted(cls.key)} are columns without values, which language 1 has no word for"
        yield problem(case.event.place, text, "Leave the case out.")
    if cls.images and not sections:
        text = f"events of class {quoted(cls.key)} have row images, the struct {quoted(case.struct)} has none"
        yield problem(case.place, text, "Say image: in one of its sections.")
    if sections and not cls.images:
        text = f"events of class {quoted(cls.key)} have no row images"
        yield problem(sections[0].at("image"), text, "Remove image:.")
    if len(sections) > 1:
        text = f"{quoted(case.struct)} has {len(sections)} sections with row images"
        yield problem(sections[1].at("image"), text, "One section repeats them all.")


def _element(context: BinaryContext, section: Section, element: SectionsStruct, cls: EventClass) -> Iterator[Problem]:
    kind = element.section(str(section.image))
    enum = context.enum(kind) if kind is not None else None
    if enum is not None and cls.images and sorted(enum.members) != sorted(cls.images):
        text = f"the enum {quoted(enum.name)} has {listed(enum.members)}, the images are {listed(cls.images)}"
        yield problem(enum.place, text, "Name its members after the images.")
    holders = [one for one in element.sections if isinstance(context.references.struct_of(one), ColumnsStruct)]
    if len(holders) != 1:
        text = f"a row image has one section with columns, {quoted(element.name)} has {len(holders)}"
        yield problem(element.place, text, "Have one struct with name, type, flags and value.")
    for holder in holders:
        struct = context.references.struct_of(holder)
        if isinstance(struct, ColumnsStruct):
            yield from _columns(context, struct)


def _columns(context: BinaryContext, struct: ColumnsStruct) -> Iterator[Problem]:
    parts = [str(one.column) for one in struct.columns if one.column is not None]
    if sorted(parts) != sorted(COLUMN_PARTS):
        text = f"the columns of a row image are {listed(COLUMN_PARTS)}, here they are {listed(parts)}"
        yield problem(struct.place, text, "Say column: once for each.")
    elif parts[-1] != "value":
        text = "the values are read before what says how to read them"
        yield problem(struct.place, text, "Make value the last column.")
    for field in struct.columns:
        if field.column is not None:
            yield from _part(context, field)


def _part(context: BinaryContext, field: ColumnField) -> Iterator[Problem]:
    chunk = context.spec.primitives.chunks[field.chunk]
    top = field.max if field.max is not None else chunk.range[1] if chunk.range is not None else 0
    if field.null_as is not None:
        yield problem(field.at("null_as"), f"column: {field.column} is never null", "Remove null_as:.")
    match str(field.column):
        case "name":
            if chunk.python != "str" and field.intern is None:
                text = f"a name is a text, the elements of {chunk.name} are none"
                yield problem(field.place, text, "Use the chunk string, or intern:.")
        case "type":
            if not chunk.integer or top > 255:
                text = f"a column type is one byte, the elements of {chunk.name} are not"
                yield problem(field.place, text, "Use a chunk of integers and say max: 255.")
        case "flags":
            if chunk.range is None or chunk.range[0] < 0:
                yield problem(field.place, f"flags are bits, the elements of {chunk.name} are not", "Use uvarint.")
        case "value":
            if field.values is None:
                yield problem(field.place, "nothing says how values are written", "Say values: and a value table.")


def _order(context: BinaryContext, images: set[str]) -> Iterator[Problem]:
    order = context.protocol.image_order
    if images and sorted(order) != sorted(images):
        missing = listed(sorted(images - set(order)))
        place = order[0].place if order else context.protocol.place
        yield problem(
            place, f"the order of the row images is not told: {missing}", "Say order: {images: [...]} with all."
        )
    if order and not images:
        yield problem(order[0].place, "no event that is carried has row images", "Remove order:.")
