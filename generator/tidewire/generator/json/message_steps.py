"""Single steps of the methods that read a message."""

from __future__ import annotations

from collections.abc import Sequence

from ..syntax.nodes import (
    INT,
    Declare,
    Do,
    Expression,
    Literal,
    Name,
    Operand,
    Statement,
    any_of,
    expression,
    named,
    own,
)
from .members import READER, has, read, start_of
from .reading_nodes import ReadCase, ReadMember

CASE, TABLE = own("case"), own("table")
COLUMNS = TABLE.attribute("columns")
"""The current table's columns."""
TRUE, FALSE = Literal(True), Literal(False)


def read_rows(member: ReadMember) -> Statement:
    """Reads the rows of a member."""
    given: tuple[Operand, ...] = (READER, TABLE, own("cache"), Name("message"), member.which)
    fields = (Name(member.field), Name(member.column_field))
    method = "read_single" if member.single else "read"
    return Do(own(f"rows_in_{member.attribute}").call(method, *given, Literal(member.whole), *fields))


def is_there(member: ReadMember) -> Expression:
    """Whether a member was present, be it kept as a part of the message or as a number."""
    return start_of(member).compared(">=", 0) if member.part else has(member)


def describe(member: ReadMember) -> Statement:
    return Do(Name("describe")(COLUMNS, READER, Name(member.field), Name(member.column_field)))


def no_row(member: ReadMember) -> Statement:
    return read("no_row", own(member.attribute), Name(member.field))


def check_skipped(function: str, *what: Expression) -> Statement:
    """Checks a whole message without events with a function of tidewire.runtime.json.skipped."""
    start = Name("start")
    return Do(Name(function)(READER.call("copy", start, Name("end")), start, *what))


def refuse_statement(member: ReadMember) -> Statement:
    return Do(Name("refuse_statement")(start_of(member), Name(member.field)))


def unread(member: ReadMember) -> Statement:
    return read("unread", own(member.attribute), Name(member.field))


def waiting(count: Name, what: str, members: Sequence[ReadMember]) -> Statement:
    """Declares a counter of the members that are still to come before `what` is known."""
    names = ", ".join(one.name for one in members)
    return Declare(count.id, INT, expression(len(members)), f"of what tells {what}: {names}")


def among(cases: Sequence[ReadCase]) -> Expression:
    """Whether the message is one of these cases."""
    return any_of(tuple(CASE.equals(named(case.number)) for case in cases))
