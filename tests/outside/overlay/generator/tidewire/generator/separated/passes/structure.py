"""The first field, and no other, says what happened; the last one has the columns."""

from __future__ import annotations

from tidewire.generator.problems import Problem, problem, quoted

from .context import LineContext


def check(context: LineContext) -> list[Problem]:
    """The problems of this pass."""
    found = []
    fields = context.protocol.fields
    for one in fields:
        if one.switch != (one is fields[0]):
            text = f"{quoted(one.id)}: the first field, and no other, says what happened"
            found.append(problem(one.location, text, "Say switch: true there."))
        if (one.values is not None) != (one is fields[-1]):
            text = f"{quoted(one.id)}: the last field, and no other, has the columns"
            found.append(problem(one.location, text, "Say values: there."))
    return found
