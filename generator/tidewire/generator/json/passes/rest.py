"""The rest: messages whose switch text belongs to no case.

- `names` is a field that means a class of statements, whose texts mysql_types.yaml lists. No case has one of these
  texts.
"""

from __future__ import annotations

from ...model import DDL_CLASS
from ...problems import Problem, listed, problem, quoted
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    rest = context.protocol.message.rest
    if rest is None:
        return []
    found: list[Problem] = []
    if context.spec.events.fields[rest.names].means != DDL_CLASS:
        text = f"nothing says which texts the field {quoted(rest.names)} can be"
        meant = [one.name for one in context.spec.events.fields.values() if one.means == DDL_CLASS]
        found.append(problem(rest.at("names"), text, f"Name a field that means {DDL_CLASS}: {listed(meant)}."))
    for case in context.protocol.message.cases.values():
        if case.text in context.spec.mysql_types.ddl_classes:
            text = f"{quoted(case.text)} is a class of statements, which the rest are"
            found.append(
                problem(case.location, text, "Leave the case out, or have one for every text instead of rest:.")
            )
    return found
