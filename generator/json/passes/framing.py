"""Several objects in one value.

- Events of the class that is gathered are carried, and have the fields by which they are, or by which producers keep
  them apart.
"""

from __future__ import annotations

from ...problems import Problem, listed, problem, quoted
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    framing = context.protocol.framing
    if framing is None:
        return found
    if framing.gather not in context.carried():
        text = f"no case carries events of class {quoted(framing.gather)}"
        return [problem(framing.gather.place, text, f"Carried are {listed(context.carried())}.")]
    fields = context.spec.events.classes[framing.gather].fields
    for name in (*framing.by, *(one for names in framing.apart.values() for one in names)):
        if name not in fields:
            text = f"events of class {quoted(framing.gather)} have no field {quoted(name)}"
            found.append(problem(name.place, text, f"They have {listed(fields)}."))
    return found
