"""What readers rely on.

- A number stands for one field of its part.
- One field of the message, a uvarint, says what happened; a column's value says its table, and nothing else does.
"""

from __future__ import annotations

from tidewire.generator.problems import Problem, problem, quoted

from ..model import Field
from .context import TaggedContext


def check(context: TaggedContext) -> list[Problem]:
    """The problems of this pass."""
    protocol = context.protocol
    found = []
    for part in protocol.parts.values():
        seen: dict[int, Field] = {}
        for one in part:
            if seen.setdefault(one.number, one) is not one:
                text = f"{one.number} is the number of {quoted(seen[one.number].id)}, too"
                found.append(problem(one.location, text, "Give it another number."))
            if (one.column == "value") != (one.values is not None):
                text = f"{quoted(one.id)}: the value of a column, and nothing else, has a value table"
                found.append(problem(one.location, text, "Say values: there."))
    switches = [one.wire for one in protocol.fields if one.switch]
    if switches != ["uvarint"]:
        text = "one field, a uvarint, says what happened"
        found.append(problem(protocol.root.location, text, "Say switch: true in one of wire uvarint."))
    return found
