"""Which events the messages are.

- At least one case is events. A kind of events has one case, so that a writer knows which text to write.
- Columns without values cannot be said in language 1.
- Events without row images can be the rest, as no image is named there. `names` is a field that they have and that
  means a class of statements: mysql_types.yaml says which texts those are. No case is called as one of them.
"""

from __future__ import annotations

from ...model import DDL_CLASS
from ...problems import Problem, listed, problem, quoted
from ..model import JsonCase, Rest
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    classes = context.spec.events.classes
    seen: dict[str, JsonCase | Rest] = {}
    if not context.told:
        text = "no case is an event"
        found.append(problem(context.protocol.message.place, text, "Say event: in at least one."))
    for case in context.told:
        kind = context.kind(case)
        if kind.name in seen:
            text = f"events of kind {quoted(kind.name)} have a case already, in line {seen[kind.name].place.line}"
            found.append(problem(case.at("event"), text, "A writer could not choose; have one case for a kind."))
        seen.setdefault(kind.name, case)
        if classes[kind.cls].columns:
            text = f"events of kind {quoted(kind.name)} are columns without values, which language 1 has no word for"
            found.append(problem(case.at("event"), text, "Skip such messages."))
    rest = context.protocol.message.rest
    if rest is not None:
        found += _rest(context, rest)
    return found


def _rest(context: JsonContext, rest: Rest) -> list[Problem]:
    found: list[Problem] = []
    kind = context.kind(rest)
    field = context.spec.events.fields[rest.names]
    fields = context.spec.events.classes[kind.cls].fields
    if context.images(kind):
        text = f"events of kind {quoted(kind.name)} have row images, and rest: names none"
        found.append(problem(rest.at("event"), text, "Have a case for them."))
    if rest.names not in fields:
        text = f"events of kind {quoted(kind.name)} have no field {quoted(rest.names)}"
        found.append(problem(rest.at("names"), text, f"They have {listed(fields)}."))
    elif field.means != DDL_CLASS:
        text = f"nothing says which texts the field {quoted(rest.names)} can be"
        meant = [one.name for one in context.spec.events.fields.values() if one.means == DDL_CLASS]
        found.append(problem(rest.at("names"), text, f"Name a field that means {DDL_CLASS}: {listed(meant)}."))
    for case in context.protocol.message.cases.values():
        if case.text in context.spec.mysql_types.ddl_classes:
            text = f"{quoted(case.text)} is a class of statements, which the rest are"
            found.append(problem(case.place, text, "Leave the case out, or have one for every text instead of rest:."))
    return found
