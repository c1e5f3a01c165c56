"""How a decoder reads the members of an object, which may come in any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..syntax.calls import fail
from ..syntax.nodes import (
    SIZE,
    Assign,
    Binary,
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
from .member_types import SECONDS, THOUSAND, THOUSANDTH

if TYPE_CHECKING:
    from .reading_nodes import ReadMember, ReadObject

READER = Name("r")
"""The cursor over the message value."""
POS = READER.attribute("pos")

MOST_LISTED = 60
"""The most characters of member names that a comment lists."""


def read(method: str, *arguments: Expression) -> Do:
    """A call of a method of the cursor (tidewire.runtime.json.cursor)."""
    return Do(READER.call(method, *arguments))


def has(member: ReadMember) -> Expression:
    """Whether a number, a boolean or an object was present."""
    return own(f"has_{member.attribute}")


def start_of(member: ReadMember) -> Expression:
    """The offset where a member's value starts in the message; -1 if the member is absent."""
    return own(member.attribute).attribute("start")


def take_part(member: ReadMember) -> Body:
    """Stores the start and end of a member's value in the message."""
    return (read("part", own(member.attribute), Name(member.field)),)


def take_scalar(member: ReadMember, before: Body = ()) -> Body:
    """Reads a number or a boolean, after the statements in `before`; of a text, stores start and end."""
    field, kept = Name(member.field), own(member.attribute)
    if member.storage is None:
        return (read("text", kept, field),)
    value: Expression
    if member.limits is not None:
        value = READER.call("between", *map(Literal, member.limits), field)
    else:
        value = READER.call(member.kind, field)
    if member.unit:
        value = in_milliseconds(member.unit, value)
    return (assign(has(member), READER.call("given", field)), *when(has(member), (*before, assign(kept, value))))


def in_milliseconds(unit: str, value: Expression) -> Expression:
    """A number of seconds or microseconds as milliseconds."""
    return Binary(value, "*", Literal(THOUSAND)) if unit == SECONDS else Call(Name(THOUSANDTH), (value,))


def from_milliseconds(unit: str, value: Expression) -> Expression:
    """A number of milliseconds as seconds or microseconds; parts of a second are cut off."""
    return Call(Name(THOUSANDTH), (value,)) if unit == SECONDS else Binary(value, "*", Literal(THOUSAND))


def take_object(member: ReadMember) -> Body:
    """Reads a nested object."""
    given = assign(has(member), READER.call("given", Name(member.field)))
    return (given, *when(has(member), (Do(Call(own(member.function), (READER,))),)))


def forget(members: Sequence[ReadMember]) -> Body:
    """Resets these members, so that no value of the previous message is used."""
    found: list[Statement] = []
    for one in members:
        if one.part:
            kept = own(one.attribute)
            found.append(Assign((kept.attribute("start"), kept.attribute("end")), Literal(-1)))
    found += [assign(has(one), expression(Literal(False))) for one in members if one.storage or one.kind == "object"]
    return tuple(found)


def open_object(held: ReadObject) -> Statement:
    """Moves the cursor to the first member of an object."""
    return read("open", own(held.attribute), Name(held.field))


def read_members(held: ReadObject, take: Callable[[ReadMember], Body]) -> Statement:
    """The loop over the members of an open object: `take` gives what is done with each known member; others are
    skipped.
    """
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
"""Declares `k`, the number of the current member."""
