"""Which events have messages.

- There is at least one case of events. A kind of events has only one case, or one for each type of statements, so that
  an encoder knows which to write.
- Columns without values are carried by a description of their table.
"""

from __future__ import annotations

from ..meaning import CarriedCase
from ..model import DESCRIPTION
from ..problems import Problem, problem, quoted
from .common import CommonContext


def check(context: CommonContext) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    seen: dict[str, CarriedCase] = {}
    by_action: dict[str, CarriedCase] = {}
    if not context.carried_cases:
        found.append(problem(context.protocol.root.location, "no case is an event", "Say kind: in at least one."))
    for case in context.carried_cases:
        first = next((seen[kind.name] for kind in case.kinds if kind.name in seen), None)
        if first is not None and first.actions and case.actions:
            for action in case.actions:
                if action in by_action:
                    text = f"statements of type {quoted(action)} have a case already, in line"
                    before = by_action[action].location.line
                    found.append(problem(action.location, f"{text} {before}", "A writer could not choose; keep one."))
        elif first is not None:
            text = f"events of {case.name} have a case already, in line {first.location.line}"
            found.append(problem(case.at, text, "A writer could not choose; have one case for them."))
        by_action = dict.fromkeys(case.actions, case) | by_action
        seen = {str(kind.name): case for kind in case.kinds} | seen
        described = (one.classes for one in context.meaning.carriers if one.field.type == DESCRIPTION)
        if case.cls.columns and not any(case.cls.key in classes for classes in described):
            text = f"events of {case.name} are columns without values, which only the description of a table says"
            found.append(problem(case.at, text, "Have a member that describes it, or skip such messages."))
    return found
