"""Names within a protocol.

- The protocol is named as its file, and not as a module that the package has already.
- Ids are unique: of sections and of columns in a struct, of rows in a struct with tables.
- No name is a Python keyword: names become attributes, variables and modules of generated code.
- The numbers of an enum are unique.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Sequence

from ..model import ColumnsStruct, SectionsStruct, TablesStruct, Word
from ..problems import Problem, problem, quoted
from .context import Context

RESERVED = frozenset({"cli", "events", "generator", "mysql", "protocols", "runtime", "spark"})
"""Modules of the package that no protocol prints."""


def check(context: Context) -> list[Problem]:
    """The problems of this pass."""
    protocol = context.protocol
    found: list[Problem] = []
    stem = protocol.file.rsplit("/", 1)[-1].removesuffix(".yaml")
    if protocol.name != stem:
        found.append(
            problem(
                protocol.name.place,
                f"the protocol {quoted(protocol.name)} is in a file of another name",
                f"Name the file {protocol.name}.yaml, or the protocol {quoted(stem)}.",
            )
        )
    if protocol.name in RESERVED:
        found.append(problem(protocol.name.place, f"a module {quoted(protocol.name)} exists", "Take another name."))
    for enum in protocol.enums.values():
        found += _keywords([enum.name, *enum.members])
        seen: dict[int, str] = {}
        for member, number in enum.members.items():
            if number in seen:
                text = f"{quoted(seen[number])} and {quoted(member)} are both {number}"
                found.append(problem(member.place, text, "A reader could not tell them apart; give each its number."))
            seen.setdefault(number, member)
    for struct in protocol.structs.values():
        found += _keywords([struct.name])
        if isinstance(struct, SectionsStruct):
            found += _unique([one.id for one in struct.sections], "section")
        elif isinstance(struct, ColumnsStruct):
            found += _unique([one.id for one in struct.columns], "field")
        elif isinstance(struct, TablesStruct):
            found += _unique([one.id for one in struct.rows], "row")
            for row in struct.rows:
                found += _keywords(row.numbers)
    found += _keywords([*(one.name for one in protocol.values.values()), protocol.name])
    for option in protocol.options.values():
        if keyword.iskeyword(option.python_name):
            found += _keywords([Word(option.python_name, option.place)])
    return found


def _unique(ids: Sequence[Word], what: str) -> Iterator[Problem]:
    yield from _keywords(ids)
    seen: dict[str, Word] = {}
    for id in ids:
        if id in seen:
            text = f"a second {what} {quoted(id)}, the first is in line {seen[id].place.line}"
            yield problem(id.place, text, "Give it another id.")
        seen.setdefault(id, id)


def _keywords(names: Sequence[Word]) -> Iterator[Problem]:
    for name in names:
        if keyword.iskeyword(name):
            yield problem(name.place, f"{quoted(name)} is a Python keyword", f"Take another name, such as {name}_.")
