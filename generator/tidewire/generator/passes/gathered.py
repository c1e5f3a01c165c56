"""Events that share a message.

- Events of the gathered class are carried, and have the fields in which they must agree.
"""

from __future__ import annotations

from ..problems import Problem, listed, problem, quoted
from .common import CommonContext


def check(context: CommonContext) -> list[Problem]:
    """The problems of this pass."""
    batching = context.protocol.batching
    if batching is None:
        return []
    if batching.gather not in context.carried():
        text = f"no case carries events of class {quoted(batching.gather)}"
        return [problem(batching.gather.location, text, f"Carried are {listed(context.carried())}.")]
    fields = context.spec.events.classes[batching.gather].fields
    return [
        problem(
            name.location,
            f"events of class {quoted(batching.gather)} have no field {quoted(name)}",
            f"They have {listed(fields)}.",
        )
        for name in batching.gathered_by
        if name not in fields
    ]
