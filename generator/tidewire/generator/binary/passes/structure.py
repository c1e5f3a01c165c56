"""How the parts of a protocol fit together.

- The root has no user; every other part has one user and is reached from the root. Enums and dictionaries are used.
- Dictionaries (terms) and tables are in sections of the root; at most one section has tables.
- There is one choice, in a section of the root that repeats it with `each`; its cases are parts of sections.
- A section gives the extent of its part: `count` for chunks; `each` to repeat sections; `size` for tables that repeat a
  row, which are read until their bytes end. `absent: omit` is for a dictionary with a `size`: otherwise a reader could
  not see that it is missing.
- `image` is on a section that repeats a part of sections.
- `repeat` is on the last row, which ends where the tables end.
- A limit of bytes is one of an `estimate`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...problems import Problem, listed, problem, quoted
from ..model import Chunks, PartChoice, Section, Sections, Tables, Terms
from .context import BinaryContext


def check(context: BinaryContext) -> list[Problem]:
    """The problems of this pass."""
    return [
        *_users(context),
        *_unused(context),
        *_choices(context),
        *(
            one
            for part in context.parts_of_sections()
            for section in part.sections
            for one in _section(context, section)
        ),
        *_tables(context),
        *_batching(context),
    ]


def _batching(context: BinaryContext) -> Iterator[Problem]:
    batching = context.protocol.batching
    if batching is not None and batching.bytes is not None and batching.estimate is None:
        yield problem(batching.at("bytes"), "nothing says how the size of an event is estimated", "Say estimate:.")


def _users(context: BinaryContext) -> Iterator[Problem]:
    protocol = context.protocol
    users: dict[str, list[str]] = {}
    for use in context.uses:
        users.setdefault(use.name, []).append(use.user)
    reached = {str(protocol.root)}
    edges = [(str(use.part.name), str(use.name)) for use in context.uses]
    while new := {below for above, below in edges if above in reached} - reached:
        reached |= new
    for name, part in protocol.parts.items():
        by = users.get(name, [])
        if name == protocol.root:
            if by:
                yield problem(part.location, f"the root is used by {listed(by)}", "Nothing holds the root.")
        elif not by:
            yield problem(part.location, "the part is used by no section and no case", "Use it or remove it.")
        elif len(by) > 1:
            text = f"the part has {len(by)} users: {listed(by)}"
            yield problem(part.location, text, "Write a part for each, so that each has its own numbers.")
        elif name not in reached:
            text = f"the part is not reached from the root, only from {listed(by)}"
            yield problem(part.location, text, "Reach it from the root; a part cannot hold itself.")


def _unused(context: BinaryContext) -> Iterator[Problem]:
    enums = {chunk.enum for chunk in context.chunks()}
    enums |= {section.enum for part in context.parts_of_sections() for section in part.sections}
    for enum in context.protocol.enums.values():
        if enum.name not in enums:
            yield problem(enum.location, "the enum is not used", "Use it or remove it.")
    interned = {chunk.intern for chunk in context.chunks()}
    for section in context.root.sections:
        if isinstance(context.references.part_of(section), Terms) and section.id not in interned:
            text = "nothing puts terms into this dictionary"
            yield problem(section.location, text, f"Say intern: {section.id} in a chunk or remove it.")


def _choices(context: BinaryContext) -> Iterator[Problem]:
    held = [use for use in context.uses if isinstance(context.protocol.parts[use.name], PartChoice)]
    for use in held:
        if use.part is not context.root or use.section is None:
            yield problem(use.name.location, "the choice is not held by a section of the root", "Put it there.")
        elif use.section.each is None:
            yield problem(
                use.section.location,
                "the choice is not repeated, but a message holds several events",
                "Say each: and the row with one number per event.",
            )
    if len({use.name for use in held}) != 1:
        names = f"{len(held)} choices: {listed(use.name for use in held)}" if held else "no choice in use"
        text = f"the protocol has {names}"
        yield problem(context.root.location, text, "One choice says what the events are; have one.")
    for part in context.protocol.parts.values():
        if isinstance(part, PartChoice):
            for case in part.cases.values():
                if not isinstance(context.protocol.parts[case.part], Sections):
                    text = f"the case's part {quoted(case.part)} has no sections"
                    yield problem(case.part.location, text, "A case is a part of sections, which may be empty.")


def _section(context: BinaryContext, section: Section) -> Iterator[Problem]:
    part = context.references.part_of(section)
    match part:
        case Chunks():
            if section.count is None:
                text = f"how many elements the chunks of {quoted(part.name)} have is not told"
                yield problem(section.location, text, "Say count: and the number or row that tells it.")
            yield from _never(section, "each", "Chunks are read whole; count: says how many elements they have.")
        case Sections() | PartChoice():
            yield from _never(section, "count", "A part is repeated with each: and the sizes of its repetitions.")
            if section.each is not None:
                yield from _never(section, "size", "The sizes that each: names say it already.")
        case Terms() | Tables():
            yield from _never(section, "count", f"The part {quoted(part.name)} counts by itself.")
            yield from _never(section, "each", f"The part {quoted(part.name)} counts by itself.")
    if isinstance(part, Tables) and section.size is None and any(row.repeat is not None for row in part.rows):
        text = "how far the tables go is not told, and a row that repeats is read until they end"
        yield problem(section.location, text, "Say size: and the number that tells it.")
    if section.omit_empty and not (isinstance(part, Terms) and section.size is not None):
        text = "a reader cannot see whether the section is there"
        yield problem(section.at("absent"), text, "absent: omit is for a dictionary whose size: is told.")
    if section.image is not None and (section.each is None or not isinstance(part, Sections)):
        text = "row images are the repetitions of a part of sections"
        yield problem(section.image.location, text, "Say each: beside image:.")
    if section.chunk is not None and section not in context.root.sections:
        text = "a chunk section holds a number per event, so it belongs to the root"
        yield problem(section.location, text, "Move it there, or into a part of chunks.")


def _never(section: Section, word: str, remedy: str) -> Iterator[Problem]:
    if getattr(section, word) is not None:
        yield problem(section.at(word), f"{word}: says nothing here", remedy)


def _tables(context: BinaryContext) -> Iterator[Problem]:
    held = [use for use in context.uses if isinstance(context.protocol.parts[use.name], Tables | Terms)]
    tables = [use for use in held if isinstance(context.protocol.parts[use.name], Tables)]
    for use in held:
        if use.part is not context.root:
            what = "tables are" if use in tables else "a dictionary is"
            yield problem(
                use.name.location, f"{what} not held by a section of the root", "There is one for the whole message."
            )
    if len(tables) > 1:
        text = f"there are {len(tables)} sections with tables: {listed(use.user for use in tables)}"
        yield problem(tables[1].name.location, text, "Put all rows into one part.")
    for part in context.protocol.parts.values():
        if isinstance(part, Tables):
            for row in part.rows[:-1]:
                if row.repeat is not None:
                    text = "a row that repeats is followed by others, which no reader could find"
                    yield problem(row.location, text, "Make it the last row.")
            for row in part.rows:
                if row.repeat is not None and row.numbers:
                    yield problem(row.at("numbers"), "a row that repeats has no named numbers", "Remove them.")
