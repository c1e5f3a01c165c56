"""Names within a JSON protocol.

- Objects are called neither as Python keywords nor as one another in printed code.
- Members of an object, and cases, are told apart in printed code, which has them in snake_case.
- A reason for which a recording may differ has one meaning: what a member's `random` excuses is called as no defect
  and no difference, and a difference as no defect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...model import Word
from ...passes.protocol_names import keywords
from ...problems import Problem, problem, quoted
from ..model import identifier
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    protocol = context.protocol
    found = [*keywords([one.name for one in protocol.objects.values()])]
    reasons: dict[str, str] = {str(name): f"the defect {quoted(name)}" for name in protocol.defects}
    for name, difference in protocol.differences.items():
        if name in reasons:
            text = f"the difference is called as {reasons[name]}"
            found.append(problem(difference.place, text, "Take another name."))
        reasons.setdefault(name, f"the difference {quoted(name)}")
    for one in protocol.objects.values():
        found += _apart([member.name for member in one.members.values()], "members")
        found += _apart([case.text for case in one.cases.values()], "cases")
        for member in one.members.values():
            reason = member.reason
            if reason is not None and reason in reasons:
                text = f"what is random here is excused as {quoted(reason)}, and so is {reasons[reason]}"
                found.append(problem(member.at("random"), text, "Rename the other."))
            if reason is not None:
                reasons.setdefault(reason, f"the member {quoted(member.name)} of {quoted(one.name)}")
    return found


def _apart(names: Iterable[Word], what: str) -> Iterator[Problem]:
    seen: dict[str, Word] = {}
    for name in names:
        printed = identifier(name)
        if printed in seen:
            text = f"the {what} {quoted(seen[printed])} and {quoted(name)} are both {printed} in printed code"
            yield problem(name.place, text, "Such names cannot be told apart; no word says another one.")
        seen.setdefault(printed, name)
