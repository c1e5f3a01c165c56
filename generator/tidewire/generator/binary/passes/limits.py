"""Words about single values fit the values.

- At most one of `const` and `enum` restricts the values.
- `const` has the type of the primitive and is in its range; the numbers of an enum and `absent` are in the range.
- `enum`, `absent`, `intern` are for integers. Positions in a dictionary begin at 0, and null is not one of them.
- What is read from the end lies where the end is known: in the root, or in a part whose user gives its size.
- A chunk with nulls contains column values (`values:`), and column values need such a chunk.
- Counts of dictionaries and tables are integers read from the start; terms are texts, the numbers of tables integers.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...model import Chunk, Primitive
from ...problems import Problem, problem, quoted
from ..model import Case, ColumnField, Section, Sections, Tables, Terms
from .context import BinaryContext

_PYTHON: dict[str, type | tuple[type, ...]] = {"int": int, "float": (int, float), "str": str, "bytes": ()}


def check(context: BinaryContext) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    for part in context.parts_of_sections():
        for section in part.sections:
            primitive = context.primitive(section)
            if primitive is not None:
                found += _primitive(context, section, primitive)
                found += _end(context, part, section)
    for field in context.chunks():
        found += _chunk(context, field, context.spec.primitives.chunks[field.chunk])
    for other in context.protocol.parts.values():
        if isinstance(other, Terms | Tables):
            found += _counted(context, other)
    return found


def _in_range(of: Section | ColumnField, word: str, number: int, thing: Primitive | Chunk) -> Iterator[Problem]:
    if thing.range is not None and not thing.range[0] <= number <= thing.range[1]:
        text = f"{number} is no {thing.name}"
        yield problem(of.at(word), text, f"A {thing.name} is {thing.range[0]} to {thing.range[1]}.")


def _numbers(context: BinaryContext, of: Section | ColumnField, thing: Primitive | Chunk) -> Iterator[Problem]:
    """Problems of the enum of a section or chunk."""
    if of.enum is not None and not thing.integer:
        yield problem(of.at("enum"), f"enum: is for integers, a {thing.name} is none", "Remove it.")
        return
    enum = context.enum(of)
    if enum is not None:
        for member, number in enum.members.items():
            for one in _in_range(of, "enum", number, thing):
                yield Problem(one.file, one.line, one.path, f"{quoted(member)}, {one.text}", one.remedy)


def _primitive(context: BinaryContext, section: Section, primitive: Primitive) -> Iterator[Problem]:
    if section.const is not None and section.enum is not None:
        yield problem(section.at("enum"), "const and enum both say which values there are", "Keep one of them.")
    yield from _numbers(context, section, primitive)
    const = section.const
    if const is None:
        return
    if not isinstance(const, _PYTHON[primitive.python]):
        shown = quoted(const) if isinstance(const, str) else str(const)
        yield problem(section.at("const"), f"{shown} is no {primitive.name}", f"Its type is {primitive.python}.")
    elif isinstance(const, int):
        yield from _in_range(section, "const", const, primitive)


def _end(context: BinaryContext, part: Sections, section: Section) -> Iterator[Problem]:
    if section.at_end and part is not context.root:
        use = next(one for one in context.uses if one.name == part.name)
        told = isinstance(use.case, Case) or (
            use.section is not None and (use.section.size is not None or use.section.each is not None)
        )
        if not told:
            text = f"where {quoted(part.name)} ends is not known"
            yield problem(section.at("type"), text, f"Say size: or each: in {use.user}.")


def _chunk(context: BinaryContext, field: ColumnField, chunk: Chunk) -> Iterator[Problem]:

    yield from _numbers(context, field, chunk)
    for word in ("absent", "intern"):
        if getattr(field, word) is not None and not chunk.integer:
            yield problem(
                field.at(word), f"{word}: is for integers, the elements of {chunk.name} are none", "Remove it."
            )
    if field.absent is not None and chunk.integer:
        yield from _in_range(field, "absent", field.absent, chunk)
        if field.intern is not None and field.absent >= 0:
            text = f"{field.absent} is a position in the dictionary, so it cannot stand for null"
            yield problem(field.at("absent"), text, "Take a negative number and a chunk that can hold it.")
        if field.enum is not None:
            yield problem(field.at("absent"), "what an enum says is never null", "Remove it.")
    if chunk.nullable and field.values is None:
        text = f"the elements of {chunk.name} are column values, but nothing says how they are written"
        yield problem(field.location, text, "Say values: and a value table.")
    if field.values is not None and not chunk.nullable:
        fitting = ", ".join(one.name for one in context.spec.primitives.chunks.values() if one.nullable)
        yield problem(field.at("values"), f"the elements of {chunk.name} cannot be null", f"Use the chunk {fitting}.")


def _counted(context: BinaryContext, part: Terms | Tables) -> Iterator[Problem]:
    count = context.spec.primitives.primitives[part.count]
    chunk = context.spec.primitives.chunks[part.chunk]
    if not count.integer or count.where != "start":
        yield problem(
            part.count.location, f"a {count.name} cannot count", "Use an integer that is read from the start."
        )
    if isinstance(part, Terms) and chunk.python != "str":
        yield problem(part.chunk.location, f"terms are texts, the elements of {chunk.name} are none", "Use string.")
    if isinstance(part, Tables) and not chunk.integer:
        yield problem(
            part.chunk.location, f"tables hold integers, the elements of {chunk.name} are none", "Use integers."
        )
