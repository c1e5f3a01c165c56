"""Names within a binary protocol.

- Ids are unique: of sections and of columns in a struct, of rows in a struct with tables.
- No name is a Python keyword: names become attributes, variables and modules of generated code.
- The numbers of an enum are unique.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...model import Word
from ...passes.common import keywords
from ...problems import Problem, problem, quoted
from ..model import ColumnsStruct, SectionsStruct, TablesStruct
from .context import BinaryContext


def check(context: BinaryContext) -> list[Problem]:
    """The problems of this pass."""
    protocol = context.protocol
    found: list[Problem] = []
    for enum in protocol.enums.values():
        found += keywords([enum.name, *enum.members])
        seen: dict[int, str] = {}
        for member, number in enum.members.items():
            if number in seen:
                text = f"{quoted(seen[number])} and {quoted(member)} are both {number}"
                found.append(problem(member.place, text, "A reader could not tell them apart; give each its number."))
            seen.setdefault(number, member)
    for struct in protocol.structs.values():
        found += keywords([struct.name])
        if isinstance(struct, SectionsStruct):
            found += _unique([one.id for one in struct.sections], "section")
        elif isinstance(struct, ColumnsStruct):
            found += _unique([one.id for one in struct.columns], "field")
        elif isinstance(struct, TablesStruct):
            found += _unique([one.id for one in struct.rows], "row")
            for row in struct.rows:
                found += keywords(row.numbers)
    return found


def _unique(ids: Sequence[Word], what: str) -> Iterator[Problem]:
    yield from keywords(ids)
    seen: dict[str, Word] = {}
    for id in ids:
        if id in seen:
            text = f"a second {what} {quoted(id)}, the first is in line {seen[id].place.line}"
            yield problem(id.place, text, "Give it another id.")
        seen.setdefault(id, id)
