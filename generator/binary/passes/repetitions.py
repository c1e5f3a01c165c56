"""Where the row images are, and what holds their columns.

- A case whose class of events has row images has one section with `image` in its struct; nothing but cases has.
  `order.images` lists all images and is there exactly when some are carried.
- The repeated struct has one section with columns, `value` is the last of them: how it is read depends on the others.
  No column of a row image is null as a whole, so none says `null_as`.
- A name is a text or an interned integer; a type code fits into a byte; flags are not negative; a value has a value
  table.
- `column` is for row images only.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...problems import Problem, listed, problem, quoted
from ..model import ColumnField, ColumnsStruct, Section, SectionsStruct
from .context import BinaryContext


def check(context: BinaryContext) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    images: set[str] = set()
    elements: set[str] = set()
    allowed: list[Section] = []
    for case in context.switch[1].cases.values():
        images |= set(context.spec.events.classes[case.event].images)
        sections = context.image_sections(case)
        allowed += sections
        if len(sections) > 1:
            text = f"{quoted(case.struct)} has {len(sections)} sections with row images"
            found.append(problem(sections[1].at("image"), text, "One section repeats them all."))
        for section in sections:
            element = context.references.struct_of(section)
            if isinstance(element, SectionsStruct):
                found += _element(context, element)
                elements |= {str(one.struct) for one in element.sections}
    for other in context.sections_structs():
        for section in other.sections:
            if section.image is not None and section not in allowed:
                text = "row images are in the struct of a case, this is not one"
                found.append(problem(section.image.place, text, "Move the section into the case's struct."))
    told = not found and all(bool(case.images) == bool(case.cls.images) for case in context.told)
    for columns in context.columns_structs():
        if columns.name not in elements and told:  # else the columns only lack their `image`
            for field in columns.columns:
                if field.column is not None:
                    text = f"the struct {quoted(columns.name)} is not the columns of a row image"
                    found.append(problem(field.column.place, text, "Say event: or remove it."))
    found += _order(context, images)
    return found


def _element(context: BinaryContext, element: SectionsStruct) -> Iterator[Problem]:
    held = [context.references.struct_of(one) for one in element.sections]
    columns = [one for one in held if isinstance(one, ColumnsStruct)]
    if len(columns) != 1:
        text = f"a row image has one section with columns, {quoted(element.name)} has {len(columns)}"
        yield problem(element.place, text, "Have one struct with name, type, flags and value.")
    for struct in columns:
        parts = [one for one in struct.columns if one.column is not None]
        if any(one.column == "value" for one in parts[:-1]):
            text = "the values are read before what says how to read them"
            yield problem(struct.place, text, "Make value the last column.")
        for field in parts:
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
