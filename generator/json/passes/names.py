"""Names in a JSON protocol.

- No part is named like a Python keyword.
- Ids and names of an object's members are unique.
- Names of objects and members stay unique in printed code, where a member's name follows its object's name.
- The name of a difference that `random` allows is not the name of a known defect or of another difference.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...passes.common import keywords
from ...problems import Problem, problem, quoted
from ..model import JsonObject, Member, identifier
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    protocol = context.protocol
    found = [
        *keywords([*(one.name for one in protocol.objects.values()), *(one.name for one in protocol.lines.values())])
    ]
    for one in protocol.objects.values():
        found += _once(one)
    return [*found, *_apart(context), *_reasons(context)]


def _once(one: JsonObject) -> Iterator[Problem]:
    for member in one.again:
        first = one.members[member.id]
        text = f"a second member {quoted(member.id)}, the first is in line {first.location.line}"
        yield problem(member.id.location, text, "Give it another id.")
    seen: dict[str, Member] = {}
    for member in one.members.values():
        if member.name in seen:
            text = (
                f"a second member is {quoted(member.name)} in the message, the first is {quoted(seen[member.name].id)}"
            )
            yield problem(member.name.location, text, "A reader could not tell them apart; keep one.")
        seen.setdefault(member.name, member)


def _apart(context: JsonContext) -> Iterator[Problem]:
    objects = context.protocol.objects.values()
    seen = {identifier(one.name): f"the object {quoted(one.name)}" for one in objects}
    for one in objects:
        for member in one.members.values():
            printed = f"{identifier(one.name)}_{member.identifier}"
            named = f"the member {quoted(member.id)} of {quoted(one.name)}"
            if printed in seen:
                text = f"{seen[printed]} and {named} are both {printed} in printed code"
                yield problem(member.location, text, "Rename one.")
            seen.setdefault(printed, named)


def _reasons(context: JsonContext) -> Iterator[Problem]:
    protocol = context.protocol
    reasons = {str(name): f"the defect {quoted(name)}" for name in protocol.defects}
    reasons |= {str(name): f"the difference {quoted(name)}" for name in protocol.differences}
    for one in protocol.objects.values():
        for member in one.members.values():
            reason = member.reason
            if reason is not None and reason in reasons:
                text = f"what is random here is excused as {quoted(reason)}, and so is {reasons[reason]}"
                yield problem(member.at("random"), text, "Rename the other.")
            if reason is not None:
                reasons.setdefault(reason, f"the member {quoted(member.id)} of {quoted(one.name)}")
