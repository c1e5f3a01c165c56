"""Shares the statements that fill event columns alike for several classes: one method, called for each class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..syntax.calls import EVENTS, RETURN_OK
from ..syntax.nodes import (
    INT,
    SIZE,
    Attribute,
    Body,
    Call,
    Do,
    If,
    Method,
    Name,
    Parameter,
    Statement,
    object_type,
    own,
    simple,
    uses,
)
from ..syntax.printer import count_lines

FEWEST_LINES = 6
"""Fewer lines are repeated in each method: a call would not be easier to read."""
PARAMETERS = (
    Parameter("key", object_type("JsonCursor")),
    Parameter("r", object_type("JsonCursor")),
    Parameter("row", SIZE),
    Parameter("message", SIZE),
    Parameter("kind", INT),
)
"""The parameters of methods that make events; a shared method takes those that it uses."""


@dataclass(frozen=True)
class Put:
    """How a column of the events is filled."""

    name: str
    """The name of the column."""
    statement: Statement
    local: bool = False
    """Whether it uses variables of the method that it is in, so that no other method can have it."""

    @property
    def fails(self) -> bool:
        """Whether it can raise an error."""
        return not all(_fills(one) for one in simple((self.statement,)))


def _fills(statement: Statement) -> bool:
    match statement:
        case Do(Call(Attribute(value, _))):
            return value == EVENTS
        case _:
            return False


@dataclass(frozen=True)
class SharedPuts:
    """A method that fills event columns in the same way for several classes."""

    method: Method
    puts: tuple[Put, ...]

    @property
    def statement(self) -> Statement:
        """The call of the method."""
        return Do(Call(own(self.method.name), tuple(Name(one.name) for one in self.method.parameters)))


@dataclass(frozen=True)
class ClassPuts:
    """How the event columns of a class are filled."""

    name: str
    puts: tuple[Put | SharedPuts, ...]

    @property
    def body(self) -> Body:
        return tuple(one.statement for one in self.puts)


def share_puts(events: Sequence[ClassPuts]) -> tuple[tuple[ClassPuts, ...], tuple[Method, ...]]:
    """Replaces what the classes have in common by calls. Returns the puts of each class, and the shared methods."""
    if len(events) < 2:
        return tuple(events), ()
    puts = [[put for put in event.puts if isinstance(put, Put)] for event in events]
    columns = list(zip(*puts, strict=True))
    every = _shared("put_event", "Of every event", _alike(columns))
    shared = [] if every is None else [every]
    calls = [list(shared) for _ in events]
    for at, event in enumerate(events):
        others = [index for index in range(len(events)) if index != at]
        empty = [column[others[0]] for column in columns if _only_in(at, column)]
        nothing = _shared(f"put_no_{event.name}", f"Nothing in the columns that only a {event.name} fills", empty)
        if nothing is not None and len(others) > 1:
            shared.append(nothing)
            for index in others:
                calls[index].append(nothing)
    changed = [
        replace(event, puts=_called(filled, given)) for event, filled, given in zip(events, puts, calls, strict=True)
    ]
    return tuple(changed), tuple(one.method for one in shared)


def _alike(columns: Iterable[tuple[Put, ...]]) -> list[Put]:
    """The columns that all events fill alike.

    A column that can raise an error is only shared if no column before it that can raise one differs: the first of
    several errors in a message must stay the same.
    """
    found: list[Put] = []
    apart = False
    for column in columns:
        fails = any(put.fails for put in column)
        if column.count(column[0]) == len(column) and not column[0].local:
            if not (fails and apart):
                found.append(column[0])
        else:
            apart = apart or (fails and any(put.fails for put in found))
    return found


def _only_in(at: int, column: tuple[Put, ...]) -> bool:
    """Whether only the event at this index fills the column, and all others write the same constant there."""
    others = column[:at] + column[at + 1 :]
    first = others[0]
    same = column[at] != first and others.count(first) == len(others)
    return same and not isinstance(first.statement, If) and not first.fails and not first.local


def _shared(function: str, about: str, puts: list[Put]) -> SharedPuts | None:
    """The shared method for these puts; None if there are too few."""
    body = tuple(put.statement for put in puts)
    if count_lines(body) < FEWEST_LINES:
        return None
    names = ", ".join(put.name for put in puts)
    parameters = tuple(one for one in PARAMETERS if uses(one.name, *body))
    return SharedPuts(Method(function, parameters, INT, (f"{about}: {names}.",), (*body, *RETURN_OK)), tuple(puts))


def _called(puts: Sequence[Put], calls: Sequence[SharedPuts]) -> tuple[Put | SharedPuts, ...]:
    """The puts of an event with shared ones replaced by calls. A call takes the place of its first put that can raise
    an error.
    """
    found: list[Put | SharedPuts] = list(puts)
    for call in calls:
        first = next((put for put in call.puts if put.fails), call.puts[0])
        found[found.index(first)] = call
        found = [one for one in found if one not in call.puts]
    return tuple(found)
