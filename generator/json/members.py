"""What a decoder does with the members of an object, in whatever order they come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..syntax.calls import fail
from ..syntax.nodes import (
    SIZE,
    Assign,
    Body,
    Branch,
    Call,
    Declare,
    Do,
    Expression,
    Literal,
    Name,
    Statement,
    While,
    assign,
    chain,
    expression,
    own,
    when,
)

if TYPE_CHECKING:
    from .reading_nodes import ReadMember, ReadObject

READER = Name("r")
"""The cursor over the value."""
POS = READER.attribute("pos")

MOST_LISTED = 60
"""Characters of names that a comment lists."""


def read(method: str, *arguments: Expression) -> Do:
    """A call of the cursor, runtime/json/cursor.py."""
    return Do(READER.call(method, *arguments))


def has(member: ReadMember) -> Expression:
    """Whether a number, a truth value or an object is there."""
    return own(f"has_{member.attribute}")


def start_of(member: ReadMember) -> Expression:
    """Where a part of the message starts; -1: it is not there."""
    return own(member.attribute).attribute("start")


def take_part(member: ReadMember) -> Body:
    """Keeps where it is in the message."""
    return (read("part", own(member.attribute), Name(member.field)),)


def take_scalar(member: ReadMember, before: Body = ()) -> Body:
    """Reads a number or a truth value, and does something before; keeps where a text is."""
    field, kept = Name(member.field), own(member.attribute)
    if member.storage is None:
        return (read("text", kept, field),)
    if member.limits is not None:
        value = READER.call("between", *map(Literal, member.limits), field)
    else:
        value = READER.call(member.kind, field)
    return (assign(has(member), READER.call("given", field)), *when(has(member), (*before, assign(kept, value))))


def take_object(member: ReadMember) -> Body:
    """Reads an object."""
    given = assign(has(member), READER.call("given", Name(member.field)))
    return (given, *when(has(member), (Do(Call(own(member.function), (READER,))),)))


def forget(members: Sequence[ReadMember]) -> Body:
    """What was found of these members in the message before is not there any more."""
    found: list[Statement] = []
    for one in members:
        if one.part:
            kept = own(one.attribute)
            found.append(Assign((kept.attribute("start"), kept.attribute("end")), Literal(-1)))
    found += [assign(has(one), expression(Literal(False))) for one in members if one.storage or one.kind == "object"]
    return tuple(found)


def open_object(held: ReadObject) -> Statement:
    """Goes to an object's first member."""
    return read("open", own(held.attribute), Name(held.field))


def read_members(held: ReadObject, take: Callable[[ReadMember], Body]) -> Statement:
    """Goes through an object that is open: what is done with each of its members, and with others."""
    which, names, field = Name("k"), own(held.attribute), Name(held.field)
    branches = [Branch(which.equals(one.number), take(one), one.name) for one in held.read]
    alike = Do(own(held.runs).call("skip", READER, field))
    others: Body = (alike if held.passes_alike else read("passed", field),)
    listed = [one for one in held.read if one.kind == "rows" and not one.single]
    if held.skip_unknown and listed:
        rows = [(own(f"rows_in_{one.attribute}"), Name(one.field)) for one in listed]
        told = tuple([Do(one.call("among_others", READER, member)) for one, member in rows])
        others = (*when(which.compared("<", 0), told), *others)
    passed = held.passed if len(held.passed) <= MOST_LISTED else "members that say nothing of the event"
    said = f"{passed}, and members that are not described" if passed else "members that are not described"
    if not held.skip_unknown:
        if held.passed:
            branches.append(Branch(which.compared(">=", 0), others, passed))
        others, said = (fail(READER, "UNNAMED", field, POS, 0, 0),), ""
    chosen = (*branches, Branch(None, others, said)) if branches else ()
    member = READER.call("member", names, field, Name(held.first))
    return While(member, (assign(which.id, READER.attribute("which")), *(chain(list(chosen)) or others)))


WHICH: Body = (Declare("k", SIZE),)
"""The number of a member."""
