"""How a JSON encoder writes a scalar: a constant, the switch text, or an event field."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..facts import DDL_CLASS, DDL_TYPE
from ..model import EventClass, EventKind, Spec
from ..plan.checks import has_name
from ..plan.options import option_attribute
from ..syntax.calls import EVENT, EVENTS, int_at, null_at, number_at
from ..syntax.nodes import (
    And,
    Body,
    Branch,
    Call,
    Expression,
    Items,
    Literal,
    Name,
    Not,
    all_of,
    any_of,
    chain,
    own,
    when,
)
from .member_types import BASE64, BOOL, NOTHING, TEXT, UNSIGNED
from .members import from_milliseconds
from .model import (
    OMIT,
    JsonCase,
    JsonProtocol,
    Member,
    Scalar,
)
from .sink_calls import raw, write
from .spelling import spelled
from .spelling_model import Spelled
from .statement_classes import Rest
from .statement_texts import StatementTexts
from .writer import Writer

NAMED = ("schema", "table")
"""Event fields that a batch stores once for all events of a table."""


@dataclass(frozen=True)
class There:
    """When a member is present."""

    condition: Expression | None = None
    """The condition; None: always."""


ALWAYS = There()


@dataclass(frozen=True)
class WrittenKind:
    """The kind of event whose message is being planned."""

    kind: EventKind
    case: JsonCase | None
    """Its case; None is the rest."""
    rows: str
    """The variable with the rows that the message describes; `row` is the variable with the row number."""
    row: str
    needs: set[str] = field(default_factory=set)
    """The variables that the steps use."""


class ScalarPlanner:
    """Plans how scalars are written."""

    def __init__(self, spec: Spec, protocol: JsonProtocol, at: Mapping[str, Expression], spelling: Spelled) -> None:
        """

        Args:
            at: the constants of the event columns, by name.
            spelling: the producer's JSON formatting, for constants.
        """
        self.spec = spec
        self.protocol = protocol
        self.at = at
        self.spelling = spelling
        self.statements = StatementTexts(spec, protocol.message, at)

    def write(self, w: Writer, member: Scalar, written: WrittenKind) -> There | None:
        """Plans the value of a member. Returns when the member is present; None if it never is."""
        cls = self.spec.events.classes[written.kind.cls]
        if member.const is not None:
            w.raw(spelled(member.const, self.spelling))
        elif member.type == NOTHING:
            w.raw(b"null")
        elif member.option is not None:
            w.steps.append(write("string", own(option_attribute(member.option)).call("encode")))
        elif member.tells is not None:
            w.raw(b"true" if member.tells == written.kind.cls else b"false")
        elif member.switch:
            self._switched(w, written.kind, written.case)
        elif member.event is not None:
            if member.event not in cls.fields:
                return nothing(w, member)
            return self.field(w, member, cls, written)
        return ALWAYS

    def _switched(self, w: Writer, kind: EventKind, case: JsonCase | None) -> None:
        rest = self.protocol.message.rest
        if self.statements.cases(kind):
            w.add(self.statements.write(kind, self.spelling))
            return
        if case is not None:
            w.raw(spelled(str(case.text), self.spelling))
            return
        assert rest is not None
        text = write("text_of", EVENTS, self.at[rest.names], EVENT)
        if self.spec.events.fields[rest.names].means != DDL_CLASS:
            w.steps.append(text)
            return
        ddl_type = self.at[str(self.spec.events.meaning(DDL_TYPE))]
        derived: Body = (write("string", Name(DDL_CLASS)(int_at(ddl_type)).call("encode")),)
        branches = [
            Branch(condition, (raw(spelled(cls, self.spelling)),))
            for condition, cls in classed_otherwise(self.spec, rest, ddl_type)
        ]
        w.steps += chain([Branch(null_at(ddl_type), (text,)), *branches], derived)

    def field(self, w: Writer, member: Scalar, cls: EventClass, written: WrittenKind) -> There:
        """Plans the value of a scalar that carries an event field."""
        field = self.spec.events.fields[str(member.event)]
        if field.name in NAMED:
            written.needs.add("table")
            table = Name("table")
            w.call("raw", own(f"{field.name}s").at(table))
            return There(has_name(field.name)) if member.omitted else ALWAYS
        at = self.at[field.name]
        unsigned = field.type == "uint64"
        value: Expression = number_at(at, unsigned)
        there: Expression | None = Not(null_at(at))
        if field.means == "physical":
            tso = self.at[str(self.spec.events.meaning("tso"))]
            value, there = Call(own("physical_ms"), (EVENT, tso, at)), None
        elif field.means == "sent":
            value, there = Call(own("sending_ms"), (EVENT, at)), None
        if member.unit is not None:
            value = from_milliseconds(member.unit, value)
        steps = self._spelled_field(member, value, at, unsigned and field.means != "physical")
        if member.instead is not None and member.instead in cls.fields:
            other = self.at[str(member.instead)]
            steps = when(null_at(other), steps, self._spelled_field(member, int_at(other), other, False))
            there = None if there is None else any_of((there, Not(null_at(other))))
        if cls.key in member.zero:
            w.raw(b"0")
            return ALWAYS
        if cls.key in member.omit_zero:
            w.steps += steps
            return There(all_of(there, value.compared("!=", 0)))
        if there is None or not field.optional or field.name in cls.needs or member.absent is None:
            w.steps += steps
            return ALWAYS
        if member.omitted:
            w.steps += steps
            nothings = [value.compared("!=", int(json.loads(one))) for one in member.nothing]
            return There(all_of(there, *nothings))
        w.steps += when(null_at(at), (raw(str(member.absent).encode()),), steps)
        return ALWAYS

    @staticmethod
    def _spelled_field(member: Scalar, value: Expression, at: Expression, unsigned: bool) -> Body:
        if member.type == BOOL and "false" in member.nothing:
            return (raw(b"true"),)
        if member.type == BOOL:
            return when(value, (raw(b"true"),), (raw(b"false"),))
        if member.type == TEXT:
            return (write("text_of", EVENTS, at, EVENT),)
        if member.type == BASE64:
            return (write("base64_of", EVENTS, at, EVENT),)
        return (write("unsigned" if unsigned or member.type == UNSIGNED else "integer", value),)


def classed_otherwise(spec: Spec, rest: Rest, ddl_type: Expression) -> Iterator[tuple[Expression, str]]:
    """The conditions under which a statement's class differs from mysql_types.yaml, each with the class."""
    types = spec.mysql_types
    for who, cls, names in rest.classed:
        codes = tuple(Literal(types.ddl_types[name].code) for name in names)
        is_one = int_at(ddl_type).compared("in", Items(codes))
        by = () if who is None else (own("producer").equals(Literal(str(who))),)
        yield And((*by, is_one)) if by else is_one, str(cls)


def nothing(w: Writer, member: Member) -> There | None:
    """Writes the text for an absent value. Returns when the member is present; None if it is omitted."""
    if member.absent == OMIT:
        return None
    w.raw(str(member.absent if member.absent is not None else "null").encode())
    return ALWAYS
