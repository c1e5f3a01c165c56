"""Names in a binary protocol.

- Ids of sections, chunks and table rows are unique in their part.
- No name is a Python keyword: names become attributes, variables and modules of generated code.
- The numbers of an enum are unique.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...model import Word
from ...passes.common import keywords
from ...problems import Problem, problem, quoted
from ..model import Chunks, Sections, Tables
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
                found.append(
                    problem(member.location, text, "A reader could not tell them apart; give each its number.")
                )
            seen.setdefault(number, member)
    for part in protocol.parts.values():
        found += keywords([part.name])
        if isinstance(part, Sections):
            found += _unique([one.id for one in part.sections], "section")
        elif isinstance(part, Chunks):
            found += _unique([one.id for one in part.columns], "field")
        elif isinstance(part, Tables):
            found += _unique([one.id for one in part.rows], "row")
            for row in part.rows:
                found += keywords(row.numbers)
    return found


def _unique(ids: Sequence[Word], what: str) -> Iterator[Problem]:
    yield from keywords(ids)
    seen: dict[str, Word] = {}
    for id in ids:
        if id in seen:
            text = f"a second {what} {quoted(id)}, the first is in line {seen[id].location.line}"
            yield problem(id.location, text, "Give it another id.")
        seen.setdefault(id, id)
