"""The order of members.

- `order` lists, for a class or kind with messages, exactly the members that these can have, each once, in an order
  other than that of the object. Messages of that class have the object, and some kind of it has no order of its own.
"""

from __future__ import annotations

from ...problems import Problem, listed, problem, quoted
from ..model import ObjectMember
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    there = _classes(context)
    kinds = [context.kind(case) for case in context.cases]
    for one in context.protocol.objects.values():
        for cls, names in one.order.items():
            kind = context.spec.events.kinds.get(cls)
            of = cls if cls in context.spec.events.classes or kind is None else kind.cls
            what = "class" if cls in context.spec.events.classes else "kind"
            if of not in context.carried():
                text = f"no case carries events of {what} {quoted(cls)}"
                found.append(problem(cls.location, text, f"Carried are {listed(context.carried())}."))
                continue
            if of not in there[one.name]:
                text = f"{quoted(one.name)} is not there for class {quoted(of)}"
                found.append(problem(cls.location, text, f"It is there for {listed(there[one.name])}."))
                continue
            if what == "class" and all(
                kind.name != of and kind.name in one.order for kind in kinds if kind.cls == of
            ):
                text = f"every kind of event of class {quoted(cls)} has an order of its own"
                found.append(problem(cls.location, text, "Remove this one."))
            members = [str(member.id) for member in one.members.values() if member.is_of(of)]
            missing = [name for name in members if name not in names]
            foreign = [name for name in names if name not in members]
            if missing:
                text = f"the order for {what} {quoted(cls)} lacks {listed(missing)}"
                found.append(problem(cls.location, text, "List every member that such a message can have."))
            if foreign:
                text = f"the order for {what} {quoted(cls)} has {listed(foreign)}, which such messages do not have"
                found.append(problem(foreign[0].location, text, "Remove it, or change of: of the member."))
            if list(names) == members:
                text = f"the order for {what} {quoted(cls)} is the one of the object"
                found.append(problem(cls.location, text, "Remove it."))
    return found


def _classes(context: JsonContext) -> dict[str, list[str]]:
    """By name of an object, the classes of events whose messages, or keys, have it."""
    found: dict[str, list[str]] = {str(context.protocol.message_name): context.carried()}
    for cls, part in context.protocol.keys.items():
        found.setdefault(str(part), []).append(str(cls))
    for one in (*context.standing, *context.standing_in_keys):
        if isinstance(one.member, ObjectMember):
            found.setdefault(str(one.member.part), []).extend(one.classes)
    return found
