"""How a decoder fills event columns from the scalar fields of a row's record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..facts import ABOUT_CHECKSUM, CHECKSUM, NEW
from ..json.model import identifier
from ..model import Spec
from ..plan.events import NAMED, EventColumn
from ..syntax.calls import ROW
from ..syntax.nodes import BINT, And, Body, Declare, Do, Expression, Literal, Name, Not, any_of, own, when
from .model import STRING, RecordScalar, RegisteredProtocol
from .names import FieldNames
from .puts import COLUMNS, put_int, put_null

READER, CASE = Name("r"), Name("case")
SLOTS = Name("record").attribute("slots")


class ScalarPuts:
    """Plans the statements."""

    def __init__(
        self,
        spec: Spec,
        protocol: RegisteredProtocol,
        columns: Sequence[EventColumn],
        names: FieldNames,
        cases: Sequence[str],
    ) -> None:
        """Args:
            cases: constants of the operations.
        """
        self.spec = spec
        self.names = names
        self.scalars = protocol.scalars
        told = zip(cases, protocol.row.cases.values(), strict=True)
        self.old_only = any_of(tuple(CASE.equals(Name(name)) for name, case in told if NEW not in case.images))
        self.columns = {one.name: one for one in columns}

    def put(self, column: EventColumn) -> Body:
        """The statements that fill a column."""
        scalar = next(one for one in self.scalars if column.name in (one.event, one.of_old))
        if scalar.of_old is None:
            return self._value(column, scalar)
        if column.name == scalar.of_old:
            return ()  # is filled together with the other one
        old = self.columns[scalar.of_old]
        return when(
            self.old_only,
            (put_null(Name(column.constant)), *self._value(old, scalar)),
            (*self._value(column, scalar), put_null(Name(old.constant))),
        )

    def _value(self, column: EventColumn, scalar: RecordScalar) -> Body:
        nothing: Body = (put_null(Name(column.constant)),)
        means = self.spec.events.fields[column.name].means
        there = self._has_text(scalar) if scalar.type == STRING else self._given(scalar)
        tso = next((one for one in self.scalars if self._means(one) == "tso"), None)
        checksum = next((one for one in self.scalars if self._means(one) == CHECKSUM and one.type == STRING), None)
        if means in ABOUT_CHECKSUM and checksum is not None:
            # without a checksum, its field is empty and the fields about it have their defaults
            there = And((self._has_text(checksum), there))
        if means == "physical" and tso is not None:  # computed from the TSO
            there = And((Not(self._given(tso)), there))
        return when(there, self._put(column, scalar), nothing)

    def is_rare(self, column: EventColumn) -> bool:
        """Whether most rows have no value for the column: those about checksums, and the commit time in milliseconds if
        there is a TSO.
        """
        scalar = next(one for one in self.scalars if column.name in (one.event, one.of_old))
        means = self.spec.events.fields[column.name].means
        if means == "physical":
            return any(self._means(one) == "tso" for one in self.scalars)
        return scalar.of_old is not None or means in (CHECKSUM, *ABOUT_CHECKSUM)

    def has_rare(self) -> Iterator[Expression]:
        """The conditions under which a row has a value in a rare column."""
        tso = next((one for one in self.scalars if self._means(one) == "tso"), None)
        for scalar in self.scalars:
            if self._means(scalar) == "physical" and tso is not None:
                yield And((Not(self._given(tso)), self._given(scalar)))
            elif self._means(scalar) == CHECKSUM and scalar.type == STRING:
                yield self._has_text(scalar)

    def have_rare(self, many: Expression) -> Iterator[Expression]:
        """Like `has_rare`, for rows that were read together."""
        tso = next((one for one in self.scalars if self._means(one) == "tso"), None)
        for scalar in self.scalars:
            if self._means(scalar) == "physical" and tso is not None:
                yield many.call("has_one_for", self._slot(scalar), self._slot(tso))
            elif self._means(scalar) == CHECKSUM and scalar.type == STRING:
                yield many.call("has_text", self._slot(scalar))

    def is_number(self, column: EventColumn) -> bool:
        """Whether the column is filled with the number of one field, in all records."""
        told = [one for one in self.scalars if column.name in (one.event, one.of_old)]
        return len(told) == 1 and told[0].type != STRING and told[0].of_old is None

    def slot_of(self, column: EventColumn) -> Expression:
        """The slot of the field that fills the column."""
        return self._slot(next(one for one in self.scalars if one.event == column.name))

    def is_put(self, column: EventColumn) -> bool:
        """Whether some field fills the column."""
        return any(column.name in (one.event, one.of_old) for one in self.scalars)

    def _put(self, column: EventColumn, scalar: RecordScalar) -> Body:
        """Stores the value of a field that the record has; an empty text is not stored."""
        at, slot, field = Name(column.constant), self._slot(scalar), Name(self.names.scalars[scalar])
        if scalar.type != STRING:
            return (put_int(at, SLOTS.at(slot).attribute("number")),)
        if column.type != "text":
            said = self.spec.events.fields[column.name]
            limits = said.limits
            assert limits is not None, "digits carry a number"
            return (Do(own("put_digits")(READER, at, ROW, slot, Literal(limits[1]), field)),)
        start, end = (SLOTS.at(slot).attribute(name) for name in ("start", "end"))
        return (Do(COLUMNS.call("put_bytes", at, ROW, READER, start, end.minus(start), field)),)

    def texts(self) -> Iterator[Declare]:
        """A variable for each text: whether the record has it and it is not empty."""
        put = {column.name for column in self.columns.values() if column.name not in NAMED}
        for scalar in self.scalars:
            if scalar.type == STRING and scalar.event in put:
                slot = SLOTS.at(self._slot(scalar))
                filled = slot.attribute("end").compared(">", slot.attribute("start"))
                yield Declare(self._has_text(scalar).id, BINT, And((self._given(scalar), filled)))

    def _has_text(self, scalar: RecordScalar) -> Name:
        return Name(f"has_{identifier(str(scalar.id))}")

    def _given(self, scalar: RecordScalar) -> Expression:
        return SLOTS.at(self._slot(scalar)).attribute("given")

    def _slot(self, scalar: RecordScalar) -> Name:
        return Name(self.names.slots[scalar])

    def _means(self, scalar: RecordScalar) -> str | None:
        return None if scalar.event is None else self.spec.events.fields[scalar.event].means
