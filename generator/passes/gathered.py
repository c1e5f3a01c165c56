"""Events that share a message.

- Events of the class that is gathered are carried, and have the fields that they have to agree in.
"""

from __future__ import annotations

from ..problems import Problem, listed, problem, quoted
from .common import CommonContext


def check(context: CommonContext) -> list[Problem]:
    """The problems of this pass."""
    gathered = context.meaning.gathered
    if gathered is None:
        return []
    if gathered.cls not in context.carried():
        text = f"no case carries events of class {quoted(gathered.cls)}"
        return [problem(gathered.cls.place, text, f"Carried are {listed(context.carried())}.")]
    fields = context.spec.events.classes[gathered.cls].fields
    return [
        problem(
            name.place,
            f"events of class {quoted(gathered.cls)} have no field {quoted(name)}",
            f"They have {listed(fields)}.",
        )
        for name in gathered.by
        if name not in fields
    ]
