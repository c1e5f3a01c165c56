"""How the structs of a protocol are put together.

- The root is used by nothing; every other struct has one user and is reached from the root. Enums and dictionaries are
  used.
- Dictionaries (terms) and tables are held by sections of the root; there is at most one section with tables.
- There is one switch, held by a section of the root that repeats it with `each`; its cases are structs with sections.
- A section says how far its struct goes: `count` for columns; `each` to repeat sections; `size` for tables that
  repeat a row, which are read until their bytes end. `omit: empty` is for a dictionary with a `size`: only so a
  reader sees that it is not there.
- `image` is said by a section that repeats a struct with sections.
- `repeat` is the last row: where it ends is where the tables end.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...problems import Problem, listed, problem, quoted
from ..model import ColumnsStruct, Section, SectionsStruct, SwitchStruct, TablesStruct, TermsStruct
from .context import BinaryContext


def check(context: BinaryContext) -> list[Problem]:
    """The problems of this pass."""
    return [
        *_users(context),
        *_unused(context),
        *_switches(context),
        *(
            one
            for struct in context.sections_structs()
            for section in struct.sections
            for one in _section(context, section)
        ),
        *_tables(context),
    ]


def _users(context: BinaryContext) -> Iterator[Problem]:
    protocol = context.protocol
    users: dict[str, list[str]] = {}
    for use in context.uses:
        users.setdefault(use.name, []).append(use.user)
    reached = {str(protocol.root)}
    edges = [(str(use.struct.name), str(use.name)) for use in context.uses]
    while new := {below for above, below in edges if above in reached} - reached:
        reached |= new
    for name, struct in protocol.structs.items():
        by = users.get(name, [])
        if name == protocol.root:
            if by:
                yield problem(struct.place, f"the root is used by {listed(by)}", "Nothing holds the root.")
        elif not by:
            yield problem(struct.place, "the struct is used by no section and no case", "Use it or remove it.")
        elif len(by) > 1:
            text = f"the struct has {len(by)} users: {listed(by)}"
            yield problem(struct.place, text, "Write a struct for each, so that each has its own numbers.")
        elif name not in reached:
            text = f"the struct is not reached from the root, only from {listed(by)}"
            yield problem(struct.place, text, "Reach it from the root; a struct cannot hold itself.")


def _unused(context: BinaryContext) -> Iterator[Problem]:
    enums = {chunk.enum for chunk in context.chunks()}
    enums |= {section.enum for struct in context.sections_structs() for section in struct.sections}
    for enum in context.protocol.enums.values():
        if enum.name not in enums:
            yield problem(enum.place, "the enum is not used", "Use it or remove it.")
    interned = {chunk.intern for chunk in context.chunks()}
    for section in context.root.sections:
        if isinstance(context.references.struct_of(section), TermsStruct) and section.id not in interned:
            text = "nothing puts terms into this dictionary"
            yield problem(section.place, text, f"Say intern: {section.id} in a chunk or remove it.")


def _switches(context: BinaryContext) -> Iterator[Problem]:
    held = [use for use in context.uses if isinstance(context.protocol.structs[use.name], SwitchStruct)]
    for use in held:
        if use.struct is not context.root or use.section is None:
            yield problem(use.name.place, "the switch is not held by a section of the root", "Put it there.")
        elif use.section.each is None:
            yield problem(
                use.section.place,
                "the switch is not repeated, but a message holds several events",
                "Say each: and the row with one number per event.",
            )
    if len({use.name for use in held}) != 1:
        names = f"{len(held)} switches: {listed(use.name for use in held)}" if held else "no switch in use"
        text = f"the protocol has {names}"
        yield problem(context.root.place, text, "One switch says what the events are; have one.")
    for struct in context.protocol.structs.values():
        if isinstance(struct, SwitchStruct):
            for case in struct.cases.values():
                if not isinstance(context.protocol.structs[case.struct], SectionsStruct):
                    text = f"the case's struct {quoted(case.struct)} has no sections"
                    yield problem(case.struct.place, text, "A case is a struct with sections, which may be empty.")


def _section(context: BinaryContext, section: Section) -> Iterator[Problem]:
    struct = context.references.struct_of(section)
    match struct:
        case ColumnsStruct():
            if section.count is None:
                text = f"how many elements the columns of {quoted(struct.name)} have is not told"
                yield problem(section.place, text, "Say count: and the number or row that tells it.")
            yield from _never(section, "each", "Columns are read whole; count: says how many elements they have.")
        case SectionsStruct() | SwitchStruct():
            yield from _never(section, "count", "A struct is repeated with each: and the sizes of its repetitions.")
            if section.each is not None:
                yield from _never(section, "size", "The sizes that each: names say it already.")
        case TermsStruct() | TablesStruct():
            yield from _never(section, "count", f"The struct {quoted(struct.name)} counts by itself.")
            yield from _never(section, "each", f"The struct {quoted(struct.name)} counts by itself.")
    if isinstance(struct, TablesStruct) and section.size is None and any(row.repeat is not None for row in struct.rows):
        text = "how far the tables go is not told, and a row that repeats is read until they end"
        yield problem(section.place, text, "Say size: and the number that tells it.")
    if section.omit_empty and not (isinstance(struct, TermsStruct) and section.size is not None):
        text = "a reader cannot see whether the section is there"
        yield problem(section.at("omit"), text, "omit: is for a dictionary whose size: is told.")
    if section.image is not None and (section.each is None or not isinstance(struct, SectionsStruct)):
        text = "row images are the repetitions of a struct with sections"
        yield problem(section.image.place, text, "Say each: beside image:.")
    if section.chunk is not None and section not in context.root.sections:
        text = "a chunk section holds a number per event, so it belongs to the root"
        yield problem(section.place, text, "Move it there, or make it a field of a struct with columns.")


def _never(section: Section, word: str, remedy: str) -> Iterator[Problem]:
    if getattr(section, word) is not None:
        yield problem(section.at(word), f"{word}: says nothing here", remedy)


def _tables(context: BinaryContext) -> Iterator[Problem]:
    held = [use for use in context.uses if isinstance(context.protocol.structs[use.name], TablesStruct | TermsStruct)]
    tables = [use for use in held if isinstance(context.protocol.structs[use.name], TablesStruct)]
    for use in held:
        if use.struct is not context.root:
            what = "tables are" if use in tables else "a dictionary is"
            yield problem(
                use.name.place, f"{what} not held by a section of the root", "There is one for the whole message."
            )
    if len(tables) > 1:
        text = f"there are {len(tables)} sections with tables: {listed(use.user for use in tables)}"
        yield problem(tables[1].name.place, text, "Put all rows into one struct.")
    for struct in context.protocol.structs.values():
        if isinstance(struct, TablesStruct):
            for row in struct.rows[:-1]:
                if row.repeat is not None:
                    text = "a row that repeats is followed by others, which no reader could find"
                    yield problem(row.place, text, "Make it the last row.")
            for row in struct.rows:
                if row.repeat is not None and row.numbers:
                    yield problem(row.at("numbers"), "a row that repeats has no named numbers", "Remove them.")
