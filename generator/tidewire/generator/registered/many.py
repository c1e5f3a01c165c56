"""How a decoder of registered records fills in many rows at once. Only rows that are the whole record are read this
way, not those in nested records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..model import KIND_FIELD, Spec
from ..plan.events import EventColumn
from ..syntax.nodes import (
    BINT,
    SIZE,
    Do,
    Expression,
    Items,
    Literal,
    Method,
    Name,
    Not,
    Parameter,
    Return,
    Statement,
    any_of,
    assign,
    object_type,
    own,
    when,
)
from .model import InnerRecord, RegisteredProtocol
from .names import FieldNames
from .puts import COLUMNS, DECLARED
from .scalar_puts import ScalarPuts

MANY, MESSAGE = Name("many"), Name("message")


class ManyRowsPlanner:
    """Plans the method, and the table of cases."""

    def __init__(
        self,
        spec: Spec,
        protocol: RegisteredProtocol,
        columns: Sequence[EventColumn],
        names: FieldNames,
        scalars: ScalarPuts,
    ) -> None:
        """Args:
            columns: event columns that differ per row, without rare ones.
        """
        self.protocol = protocol
        self.names = names
        self.scalars = scalars
        self.columns = {one.name: one for one in columns}
        first = next(iter(protocol.row.cases.values()))
        self.images = [str(one) for one in spec.events.classes[spec.events.kinds[first.event].cls].images]

    @property
    def is_planned(self) -> bool:
        """Whether records are rows, and all other columns that records fill are numbers."""
        put = [one for one in self.columns.values() if self.scalars.is_put(one)]
        return bool(self.protocol.row.rows) and all(self.scalars.is_number(one) for one in put)

    def cases(self, kinds: Mapping[str, str]) -> Expression | None:
        """For each operation (the last entry is for records without one, if they are allowed): the constant of the kind
        of event, and for each row image whether the record itself is this image.

        Args:
            kinds: constants of the kinds by name.
        """
        if not self.is_planned:
            return None
        row = self.protocol.row
        cases = list(row.cases.values())
        cases += [one for one in cases if one.event == row.missing][:1]
        found: list[Expression] = []
        for case in cases:
            held = {str(image) for image, id in case.images.items() if not isinstance(row.fields[id], InnerRecord)}
            found.append(Items((Name(kinds[case.event]), *(Literal(image in held) for image in self.images))))
        return Items(tuple(found))

    def put_rows(self) -> Iterator[Method]:
        """The method that fills in the events of rows that were read together."""
        if not self.is_planned:
            return
        (switch,) = self.protocol.switches
        rare = (MANY.attribute("told"), *self.scalars.have_rare(MANY))
        rows = COLUMNS.attribute("rows")
        body = (
            DECLARED,
            *when(any_of(rare), (Return(Literal(False)),)),
            *when(Not(own("operations_of")(MANY, Name(self.names.slots[switch]))), (Return(Literal(False)),)),
            *self._puts(),
            assign(rows, rows.plus(MANY.attribute("count"))),
            Return(Literal(True)),
        )
        about = "Rows that have been read together, of which none has something for a column that is rare."
        parameters = (Parameter(MANY.id, object_type("ColumnarReader")), Parameter(MESSAGE.id, SIZE))
        yield Method("put_rows", parameters, BINT, (about,), body, overrides=True)

    def _puts(self) -> Iterator[Statement]:
        at = {name: Name(one.constant) for name, one in self.columns.items()}
        for name, column in self.columns.items():
            if name == "message":
                yield self._put("put_messages", at[name], MESSAGE)
            elif name == KIND_FIELD:
                yield self._put("put_kinds", at[name])
            elif name == "table":
                yield self._put("put_tables", at[name])
            elif self.scalars.is_put(column):
                yield self._put("put_numbers", at[name], self.scalars.slot_of(column))
        for number, image in enumerate(self.images):
            yield self._put("put_places", at[f"{image}_layout"], at[f"{image}_row"], Literal(number))

    def _put(self, name: str, *given: Expression) -> Do:
        return Do(MANY.call(name, COLUMNS, *given))
