"""Row images, and the parts with their columns.

- A case whose event class has row images has one section with `image` in its part; other parts have none. Its `order`
  lists all images.
- The repeated part has one section of chunks, with `value` as the last: reading it depends on the others. No column of
  a row image is null as a whole, so none has `absent`.
- A name is a text or an interned integer; a type code fits into a byte; flags are not negative; a value has a value
  table.
- `column` is for row images only.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...model import EventClass
from ...problems import Problem, listed, problem, quoted
from ..model import Chunks, ColumnField, Section, Sections
from .context import BinaryContext


def check(context: BinaryContext) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    elements: set[str] = set()
    allowed: list[Section] = []
    for case in context.switch[1].cases.values():
        sections = context.image_sections(case)
        allowed += sections
        if len(sections) > 1:
            text = f"{quoted(case.part)} has {len(sections)} sections with row images"
            found.append(problem(sections[1].at("image"), text, "One section repeats them all."))
        for section in sections:
            element = context.references.part_of(section)
            if isinstance(element, Sections):
                found += _element(context, element)
                elements |= {str(one.part) for one in element.sections}
            found += _order(section, context.spec.events.classes[case.cls])
    for other in context.parts_of_sections():
        for section in other.sections:
            if section.image is not None and section not in allowed:
                text = "row images are in the part of a case, this is not one"
                found.append(problem(section.image.location, text, "Move the section into the case's part."))
    told = not found and all(bool(case.images) == bool(case.cls.images) for case in context.carried_cases)
    for columns in context.parts_of_chunks():
        if columns.name not in elements and told:  # otherwise only the `image` is missing
            for field in columns.columns:
                if field.column is not None:
                    text = f"the part {quoted(columns.name)} does not hold the columns of a row image"
                    found.append(problem(field.column.location, text, "Say event: or remove it."))
    return found


def _element(context: BinaryContext, element: Sections) -> Iterator[Problem]:
    held = [context.references.part_of(one) for one in element.sections]
    columns = [one for one in held if isinstance(one, Chunks)]
    if len(columns) != 1:
        text = f"a row image has one section of chunks, {quoted(element.name)} has {len(columns)}"
        yield problem(element.location, text, "Have one part of chunks with name, type, flags and value.")
    for part in columns:
        parts = [one for one in part.columns if one.column is not None]
        if any(one.column == "value" for one in parts[:-1]):
            text = "the values are read before what says how to read them"
            yield problem(part.location, text, "Make value the last chunk.")
        for field in parts:
            yield from _part(context, field)


def _part(context: BinaryContext, field: ColumnField) -> Iterator[Problem]:
    chunk = context.spec.primitives.chunks[field.chunk]

    if field.absent is not None:
        yield problem(field.at("absent"), f"column: {field.column} is never null", "Remove absent:.")
    match str(field.column):
        case "name":
            if chunk.python != "str" and field.intern is None:
                text = f"a name is a text, the elements of {chunk.name} are none"
                yield problem(field.location, text, "Use the chunk string, or intern:.")
        case "type":
            if not chunk.integer:
                text = f"a column type is one byte, the elements of {chunk.name} are not"
                yield problem(field.location, text, "Use a chunk of integers.")
        case "flags":
            if chunk.range is None or chunk.range[0] < 0:
                yield problem(field.location, f"flags are bits, the elements of {chunk.name} are not", "Use uvarint.")
        case "value":
            if field.values is None:
                yield problem(field.location, "nothing says how values are written", "Say values: and a value table.")


def _order(section: Section, cls: EventClass) -> Iterator[Problem]:
    missing = [image for image in cls.images if image not in section.order]
    if missing:
        location = section.order[0].location if section.order else section.location
        text = f"the order of the row images is not told: {listed(missing)}"
        yield problem(location, text, f"Say order: [...] with {listed(cls.images)}.")
    for image in section.order:
        if image not in cls.images:
            text = f"events of class {quoted(cls.key)} have no row image {quoted(image)}"
            yield problem(image.location, text, "Remove it.")
