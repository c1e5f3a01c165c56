"""The checks of encoders before they write a byte: an event has what its protocol needs, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..model import KIND_FIELD, EventKind
from ..syntax.calls import EVENT, RETURN_OK, int_at
from ..syntax.nodes import (
    INT,
    SIGNED,
    SIZE,
    And,
    Body,
    Branch,
    Call,
    Declare,
    Do,
    Expression,
    Formatted,
    Literal,
    Method,
    Name,
    Not,
    Parameter,
    Pass,
    chain,
    own,
    when,
)

KIND = Name("kind")
"""The code of the event's kind."""
TABLE = Name("table")
"""The number of its table."""


def has_name(name: str) -> Expression:
    """Whether the event's table has this name (`name`: "schema" or "table")."""
    return own(f"has_{name}")(TABLE)


def unnamed(name: str) -> Expression:
    """Whether the table lacks this name; first tests whether any table of the batch lacks one."""
    return And((own("nameless"), Not(has_name(name))))


@dataclass(frozen=True)
class EventChecks:
    """Plans the checks of an encoder."""

    title: str
    """Title of the protocol."""
    at: Mapping[str, Expression]
    """Constants of the event columns, by name."""

    def method(self, checks: Body) -> Method:
        """The method of an encoder that checks an event."""
        about = "The event has what the protocol needs, and nothing that it cannot carry."
        table = Call(own("table_at"), (EVENT, self.at["table"]))
        body = (
            Declare(KIND.id, SIGNED, int_at(self.at[KIND_FIELD])),
            Declare(TABLE.id, SIGNED, table),
            *checks,
            *RETURN_OK,
        )
        return Method("check_event", (Parameter(EVENT.id, SIZE),), INT, (about,), body, overrides=True)

    def refuse(self, reason: str) -> Do:
        """A statement of the printed encoder that raises the error of an event."""
        return Do(Call(own("refuse"), (Literal(reason),)))

    def refused(self, condition: Expression | None, reason: str) -> Body:
        """Statements that raise the error of an event if the condition holds."""
        return when(condition, (self.refuse(reason),))

    def image(self, kind: EventKind, image: str, there: bool) -> Body:
        """Checks that a row image is present, or that it is not."""
        layout, row = self.at[f"{image}_layout"], self.at[f"{image}_row"]
        if there:
            look = Do(Call(own("check_image"), (int_at(layout), int_at(row))))
            return (*self.missing(int_at(layout).compared("<", 0), kind, f"a row image `{image}`"), look)
        reason = f"{kind.name} has no row image `{image}`, this one has: is it an update?"
        return self.refused(int_at(layout).compared(">=", 0), reason)

    def missing(self, condition: Expression, kind: EventKind, what: str) -> Body:
        """Statements that raise the error of an event that lacks what its kind needs, if the condition holds."""
        return self.refused(condition, f"{kind.name} needs {what}")

    def kinds(self, found: Sequence[tuple[EventKind, Expression, Body | None]]) -> Body:
        """The checks of an event by its kind; None: the protocol carries no such events."""
        branches = []
        for kind, code, checks in found:
            if checks is None:
                checks = (self.refuse(f"{self.title} cannot carry a {kind.name} event"),)
            branches.append(Branch(KIND.equals(code), checks or (Pass(),)))
        unknown = Formatted(("there is no kind ", KIND, " of events; the kinds are ", Name("KIND_NAMES")))
        return chain(branches, (Do(Call(own("refuse"), (unknown,))),))
