"""Names within a JSON protocol.

- Objects are not called as Python keywords.
- Objects and members are told apart in printed code, which has members in snake_case behind their object's name.
- A reason for which a recording may differ has one meaning: what a member's `random` excuses is called as no defect
  and no difference.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...passes.common import keywords
from ...problems import Problem, problem, quoted
from ..model import identifier
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    found = [*keywords([one.name for one in context.protocol.objects.values()])]
    return [*found, *_apart(context), *_reasons(context)]


def _apart(context: JsonContext) -> Iterator[Problem]:
    objects = context.protocol.objects.values()
    seen: dict[str, str] = {}
    for one in objects:
        printed, named = identifier(one.name), f"the object {quoted(one.name)}"
        if printed in seen:
            text = f"{seen[printed]} and {named} are both {printed} in printed code"
            yield problem(one.place, text, "Rename one.")
        seen.setdefault(printed, named)
    for one in objects:
        for member in one.members.values():
            printed = f"{identifier(one.name)}_{member.identifier}"
            named = f"the member {quoted(member.name)} of {quoted(one.name)}"
            if printed in seen:
                text = f"{seen[printed]} and {named} are both {printed} in printed code"
                yield problem(member.place, text, "Rename an object; members of one object cannot be told apart.")
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
                reasons.setdefault(reason, f"the member {quoted(member.name)} of {quoted(one.name)}")
