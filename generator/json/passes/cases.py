"""Which events the messages are.

- At least one case is events. A kind of events has one case, so that a writer knows which text to write.
- Columns without values cannot be said in language 1.
- Events without row images can be the rest, as no image is named there. `names` is a text field that they have, so that
  a writer finds the text. No case is called as a text that the rest writes.
"""

from __future__ import annotations

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
    elif field.type != "text":
        text = f"the field {quoted(rest.names)} is {field.type}, the switch is a text"
        found.append(problem(rest.at("names"), text, "Name a field that is text."))
    return found
