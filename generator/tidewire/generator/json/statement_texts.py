"""Which text of the switch an encoder writes for a statement, where texts stand for statements of some types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..facts import DDL_TYPE, STATEMENT
from ..model import EventKind, Spec
from ..syntax.calls import EVENT, EVENTS, int_at, null_at
from ..syntax.nodes import (
    INT,
    Body,
    Branch,
    Call,
    Choice,
    Declare,
    Expression,
    Items,
    Literal,
    Method,
    Name,
    Return,
    chain,
    own,
    plain_type,
    when,
)
from .model import JsonCase, JsonObject
from .sink_calls import ONE_EVENT, raw
from .spelling import spelled
from .spelling_model import Spelled

NO_TYPE = 256
"""The number of no type: types have numbers below it."""
STATEMENT_TYPE = "statement_type"
"""The method of an encoder that tells the type of a statement."""
TELLS_TYPE = "ddl_type_of"
"""The function of the module of MySQL types that tells it by the statement."""


class StatementTexts:
    """Plans which text is written for a statement."""

    def __init__(self, spec: Spec, message: JsonObject, at: Mapping[str, Expression]) -> None:
        """`at`: the constants of the columns of events, by name."""
        self.spec = spec
        self.message = message
        self.at = at

    def cases(self, kind: EventKind) -> Sequence[JsonCase]:
        """The cases that are written for events of a kind, each for statements of some types."""
        cases = self.message.cases.values()
        return [one for one in cases if one.event == kind.name and one.actions and not one.reads]

    def codes(self, case: JsonCase) -> Expression:
        """The numbers of the types of statements that a case is."""
        return Items(tuple(Literal(self.spec.mysql_types.ddl_types[one].code) for one in case.actions))

    def write(self, kind: EventKind, spelling: Spelled) -> Body:
        """Writes the text of the statement's type; that there is one was checked before."""
        cases = self.cases(kind)
        found = Call(own(STATEMENT_TYPE), (EVENT,))
        *first, last = [(one, (raw(spelled(str(one.text), spelling)),)) for one in cases]
        if not first:
            return last[1]
        number = Name("type")
        branches = [Branch(number.compared("in", self.codes(one)), written) for one, written in first]
        return (Declare(number.id, INT, found), *chain(branches, last[1]))

    def known(self, kind: EventKind) -> Expression:
        """The condition that the switch has a text for the statement's type."""
        codes = sorted({self.spec.mysql_types.ddl_types[one].code for case in self.cases(kind) for one in case.actions})
        return Call(own(STATEMENT_TYPE), (EVENT,)).compared("in", Items(tuple(map(Literal, codes))))

    def method(self) -> tuple[Method, ...]:
        """The method that tells the type of a statement, where it matters."""
        if not any(self.cases(kind) for kind in self.spec.events.kinds.values()):
            return ()
        column = self.at[str(self.spec.events.meaning(DDL_TYPE))]
        body: Body = (*when(null_at(column), self._by_statement()), Return(int_at(column)))
        about = f"The type of the event's statement, as the event or else the statement says it; {NO_TYPE}: unknown."
        return (Method(STATEMENT_TYPE, ONE_EVENT, INT, (about,), body),)

    def _by_statement(self) -> Body:
        nothing = Return(Literal(NO_TYPE))
        statement = self.at.get(str(self.spec.events.meaning(STATEMENT)))
        if statement is None:
            return (nothing,)
        found = Name("found")
        told = Call(Name(TELLS_TYPE), (EVENTS.call("text", statement, EVENT),))
        return (
            *when(null_at(statement), (nothing,)),
            Declare(found.id, plain_type("int | None"), told),
            Return(Choice(Literal(NO_TYPE), found.compared("is", Literal(None)), found)),
        )
