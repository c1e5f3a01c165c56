"""Names in a JSON protocol.

- No part is named like a Python keyword.
- Ids and names of an object's members are unique; in the message, scalars, rows and descriptions of different classes
  of events can have one name.
- Names of objects and members stay unique in printed code, where a member's name follows its object's name.
- The name of a difference that `random` allows is not the name of a known defect or of another difference.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...passes.common import keywords
from ...problems import Problem, problem, quoted
from ..event_puts import PARTS
from ..model import ChangesMember, DescriptionMember, JsonObject, Member, RowsMember, Scalar, identifier
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    protocol = context.protocol
    found = [
        *keywords([*(one.name for one in protocol.objects.values()), *(one.name for one in protocol.lines.values())])
    ]
    for one in protocol.objects.values():
        found += _once(one, one is protocol.objects.get(protocol.message_name))
    return [*found, *_apart(context), *_reasons(context)]


def _once(one: JsonObject, message: bool) -> Iterator[Problem]:
    for member in one.again:
        first = one.members[member.id]
        text = f"a second member {quoted(member.id)}, the first is in line {first.location.line}"
        yield problem(member.id.location, text, "Give it another id.")
    seen: dict[str, list[Member]] = {}
    for member in one.members.values():
        before = seen.setdefault(member.name, [])
        if any(not (message and _apart_by_class(other, member)) for other in before):
            text = f"a second member is {quoted(member.name)} in the message, the first is {quoted(before[0].id)}"
            advice = "A reader could not tell them apart; keep one"
            if message:
                advice += ", or say of: in both, with no class twice"
            yield problem(member.name.location, text, f"{advice}.")
        elif before and not all(map(_can_share, (*before, member))):
            text = f"{quoted(before[0].id)} and {quoted(member.id)} have one name, and one of them is needed at once"
            advice = "Only a row, a description and a scalar that is no switch, schema or table can share its name."
            yield problem(member.name.location, text, advice)
        before.append(member)


def _apart_by_class(one: Member, other: Member) -> bool:
    """Whether no class of events has both members."""
    return bool(one.of and other.of) and not {*map(str, one.of)} & {*map(str, other.of)}


def _can_share(member: Member) -> bool:
    """Whether what a member says is needed only when it is known what the message is."""
    if isinstance(member, Scalar):
        return not member.switch and member.event not in PARTS and member.believed is None
    return isinstance(member, RowsMember | DescriptionMember) and not isinstance(member, ChangesMember)


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
