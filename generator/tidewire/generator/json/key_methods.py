"""The method of an encoder that writes the key of an event: by its class an object, or columns of its row."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..model import EventKind
from ..syntax.calls import RETURN_OK, int_at
from ..syntax.nodes import (
    INT,
    SIZE,
    Body,
    Branch,
    Call,
    Declare,
    Do,
    Expression,
    Method,
    Name,
    any_of,
    assign,
    chain,
    object_type,
    own,
)
from .around_model import FlaggedColumns
from .messages import MessagePlanner
from .model import JsonProtocol, Member, ObjectMember
from .scalar_steps import ALWAYS, There, WrittenKind
from .sink_calls import SINK, WRITER
from .writer import Writer

ROWS = Name("rows")
"""The variable with the columns of a row that its key has."""


class KeyPlanner(MessagePlanner):
    """Plans what a key has. A member of its objects can be columns of the row."""

    def key(self, kind: EventKind) -> Body:
        """The steps that write the key of a kind of event; none where messages of its class have no key."""
        part = self.protocol.keys.get(kind.cls)
        if part is None:
            return ()
        columns = self.protocol.flagged_columns.get(part)
        if columns is not None:
            return self._columns(columns, kind)
        writer = Writer()
        written = WrittenKind(kind, None, "", "")
        self.write_object(writer, self.protocol.objects[part], written)
        return (*self.table_of(written.needs), *writer.all())

    def _columns(self, columns: FlaggedColumns, kind: EventKind) -> Body:
        """Writes those columns of an event's first row image that have the flag."""
        image = self.images(kind)[0]
        way = self.columns_of[str(columns.flagged)]
        return (
            assign(ROWS, Call(own("prepare"), (int_at(self.at[f"{image}_layout"]), way))),
            *self.located(ROWS.id),
            *self.in_zone((image,)),
            Do(ROWS.call("write", SINK, int_at(self.at[f"{image}_row"]))),
        )

    def _value(self, w: Writer, member: Member, written: WrittenKind) -> There | None:
        columns = self.protocol.flagged_columns.get(member.part) if isinstance(member, ObjectMember) else None
        if columns is None:
            return super()._value(w, member, written)
        w.steps += self._columns(columns, written.kind)
        return ALWAYS


class KeyMethods:
    """Plans the method that writes keys, and others that take other steps for each kind of event."""

    def __init__(self, protocol: JsonProtocol, keys: KeyPlanner, kind: Callable[[], Body]) -> None:
        """

        Args:
            keys: the planner of keys.
            kind: gives the statements that store the kind of the event in a variable.
        """
        self.protocol = protocol
        self.keys = keys
        self.kind = kind

    def write_key(self, about: str) -> Method:
        """The method that writes keys."""
        steps = {str(kind.name): self.keys.key(kind) for kind, _ in self.keys.carried_cases}
        declared: Body = (Declare(ROWS.id, object_type("WrittenRows")),) if self.protocol.flagged_columns else ()
        (table,) = self.keys.table_of({"table"})
        if sum(table in body for body in _different(steps.values())) > 1:  # a variable is declared once
            declared = (Declare("table", SIZE), *declared)
            number = assign("table", int_at(self.keys.at["table"]))
            steps = {name: tuple(number if one == table else one for one in body) for name, body in steps.items()}
        return self.of_kinds("write_key", about, lambda kind: steps[str(kind.name)], declared)

    def of_kinds(self, name: str, about: str, write: Callable[[EventKind], Body], declared: Body = ()) -> Method:
        """A method that takes other steps for each kind of event.

        Args:
            write: gives the steps for a kind, or none.
            declared: the variables of the steps.
        """
        branches: list[tuple[Body, list[EventKind]]] = []
        for kind, _ in self.keys.carried_cases:
            body = write(kind)
            alike = next((kinds for other, kinds in branches if other == body), None)
            if alike is not None:
                alike.append(kind)
            elif body:
                branches.append((body, [kind]))
        found = [Branch(self._is_one(kinds), body) for body, kinds in branches]
        return Method(name, WRITER, INT, (about,), (*self.kind(), *declared, *chain(found), *RETURN_OK), overrides=True)

    def _is_one(self, kinds: list[EventKind]) -> Expression:
        return any_of(tuple(Name("kind").equals(Name(self.keys.kind_names[kind.name])) for kind in kinds))


def _different(bodies: Iterable[Body]) -> list[Body]:
    """Each of these once."""
    found: list[Body] = []
    for one in bodies:
        if one not in found:
            found.append(one)
    return found
