"""Every message in an envelope has a struct for its schema block."""

from __future__ import annotations

from ...problems import Problem, listed, problem, quoted
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """Classes of events without a struct."""
    found = []
    carried = context.carried()
    for envelope in context.protocol.envelopes.values():
        missing = [cls for cls in carried if cls not in map(str, envelope.blocks)]
        if missing:
            text = f"{quoted(envelope.name)} has no block for {listed(map(quoted, missing))}"
            found.append(problem(envelope.at("blocks"), text, "Say by which struct such messages are described."))
    return found
