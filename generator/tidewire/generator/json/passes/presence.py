"""When a member has a value, and when it is omitted.

- A member that is present for events without a value for it has `absent` or `of`: this concerns rows of a kind without
  that image, and names and types of columns without rows.
- Members that always have a value have no `absent`: constants, the switch, `is`, objects.
- Only numbers of the events can omit 0; only event fields and orders can be `random`.
- What is only read says nothing of how it is written. Only times in milliseconds have a `unit`.
- `may_miss` is allowed for event fields and for types; for types only if mysql_types.yaml has an undeclared type.
  It is not said where `absent` or `when` says the same. `believed` belongs to `is` of a class without rows.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...problems import Problem, listed, problem, quoted
from ..member_types import NOTHING
from ..model import OMIT, DeclaredMember, DescriptionMember, JsonCase, MappedMember, ObjectMember, RowsMember, Scalar
from .context import JsonContext, Standing


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    rules = (_needs, _useless, _missing)
    every = (*context.standing, *context.standing_in_keys)
    return [found for one in every for rule in rules for found in rule(context, one)]


def _needs(context: JsonContext, one: Standing) -> Iterator[Problem]:
    member = one.member
    classes = context.spec.events.classes
    if member.absent is not None or isinstance(member, ObjectMember | Scalar):
        return
    lacking = [cls for cls in one.classes if not classes[cls].images]
    if lacking:
        text = f"events of class {listed(lacking)} have no rows"
        yield problem(member.location, text, "Say absent: what is written then, or of: whose it is.")
    elif isinstance(member, RowsMember):
        without = [
            str(context.kind(case).name)
            for case in context.cases
            if isinstance(case, JsonCase)
            and context.kind(case).cls in one.classes
            and member.id not in case.images.values()
        ]
        if without:
            text = f"events of kind {listed(without)} have no row image in {quoted(member.name)}"
            yield problem(member.location, text, "Say absent: what is written then.")


def _missing(context: JsonContext, one: Standing) -> Iterator[Problem]:
    member = one.member
    if isinstance(member, DeclaredMember) and member.may_miss and context.spec.mysql_types.undeclared is None:
        text = "no type of mysql_types.yaml stands for one that is not told"
        yield problem(member.at("may_miss"), text, "Say undeclared: true in one.")
    if isinstance(member, MappedMember) and member.may_miss:
        yield problem(member.at("may_miss"), "a reader has no need of what follows from the types", "Remove may_miss:.")
    if member.may_miss and isinstance(member, Scalar | ObjectMember | DescriptionMember) and not _needed(context, one):
        word = "absent" if member.absent is not None else "when" if member.when is not None else None
        if word is not None:
            text = f"a message may lack the member already, by {word}:, and no event needs it"
            yield problem(member.at("may_miss"), text, "Remove may_miss:.")
    if not isinstance(member, Scalar):
        return
    if member.may_miss and member.event is None:
        text = "a reader has no need of what is no field of the events"
        yield problem(member.at("may_miss"), text, "Remove may_miss:.")
    if member.believed and (member.tells is None or context.spec.events.classes[member.tells].images):
        text = "a reader believes what is told of a class without rows"
        yield problem(member.at("skip"), text, "Remove skip:, or say class: a class without rows.")


def _needed(context: JsonContext, one: Standing) -> bool:
    """Whether some event that has the member cannot be without its field."""
    event = one.member.event if isinstance(one.member, Scalar) else None
    if event is None:
        return False
    classes, field = context.spec.events.classes, context.spec.events.fields[event]
    return not field.optional or any(event in classes[cls].needs for cls in one.classes)


def _told(member: Scalar) -> str:
    """A phrase for a member that does not carry an event field."""
    if member.const is not None:
        return "a constant"
    if member.option is not None:
        return "an option"
    return "the switch" if member.switch else "what is told"


def _useless(context: JsonContext, one: Standing) -> Iterator[Problem]:
    member = one.member
    if not isinstance(member, Scalar):
        return
    if member.event is None:
        if member.absent is not None:
            what = _told(member)
            yield problem(member.at("absent"), f"{what} is always there", "Remove absent:.")
        for word in ("zero", "random", "beside", "reads"):
            if word in member.words and not (word == "reads" and member.type == NOTHING):
                yield problem(member.at(word), f"{word}: is for a field of the events", f"Remove {word}:.")
        return
    if member.reads:
        for word in ("absent", "when", "zero", "instead", "random", "producers", "may_miss", "beside"):
            if word in member.words:
                text = "what is never written can be missing, and nothing tells how it is written"
                yield problem(member.at(word), text, f"Remove {word}:, or reads:.")
    if member.unit is not None:
        yield from _unit(context, member)


def _unit(context: JsonContext, member: Scalar) -> Iterator[Problem]:
    assert member.event is not None
    if context.spec.events.fields[member.event].means not in ("physical", "sent"):
        text = f"the field {quoted(member.event)} is no time in milliseconds"
        yield problem(member.at("unit"), text, "Remove unit:.")
    if member.instead is not None:
        text = f"instead: is a number as the event has it, and this counts {member.unit}"
        yield problem(member.at("instead"), text, "Remove instead:.")
    numbers = [one for one in (member.absent, *member.nothing) if one not in (None, OMIT, "null")]
    if numbers:
        text = f"{numbers[0]} is a number of {member.unit} as well"
        yield problem(member.at("absent"), text, "Say null or omit.")
