"""What a decoder puts into the columns of events from the fields of a row's record."""

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
    """Composes them."""

    def __init__(
        self,
        spec: Spec,
        protocol: RegisteredProtocol,
        columns: Sequence[EventColumn],
        names: FieldNames,
        cases: Sequence[str],
    ) -> None:
        """
        Args:
            cases: the constants of what a record can say to have happened.
        """
        self.spec = spec
        self.names = names
        self.scalars = protocol.scalars
        told = zip(cases, protocol.row.cases.values(), strict=True)
        self.old_only = any_of(tuple(CASE.equals(Name(name)) for name, case in told if NEW not in case.images))
        self.columns = {one.name: one for one in columns}

    def put(self, column: EventColumn) -> Body:
        """What a column gets that some field has something for."""
        scalar = next(one for one in self.scalars if column.name in (one.event, one.of_old))
        if scalar.of_old is None:
            return self._value(column, scalar)
        if column.name == scalar.of_old:
            return ()  # it is filled with the other one
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
            # a row without a checksum has an empty one, and what stands for nothing in the fields that are about it
            there = And((self._has_text(checksum), there))
        if means == "physical" and tso is not None:  # the TSO tells it
            there = And((Not(self._given(tso)), there))
        return when(there, self._put(column, scalar), nothing)

    def is_rare(self, column: EventColumn) -> bool:
        """Whether most rows have nothing for it: what is about checksums, or the time where there is a TSO."""
        scalar = next(one for one in self.scalars if column.name in (one.event, one.of_old))
        means = self.spec.events.fields[column.name].means
        if means == "physical":
            return any(self._means(one) == "tso" for one in self.scalars)
        return scalar.of_old is not None or means in (CHECKSUM, *ABOUT_CHECKSUM)

    def has_rare(self) -> Iterator[Expression]:
        """The conditions that a row has something for one of these."""
        tso = next((one for one in self.scalars if self._means(one) == "tso"), None)
        for scalar in self.scalars:
            if self._means(scalar) == "physical" and tso is not None:
                yield And((Not(self._given(tso)), self._given(scalar)))
            elif self._means(scalar) == CHECKSUM and scalar.type == STRING:
                yield self._has_text(scalar)

    def have_rare(self, many: Expression) -> Iterator[Expression]:
        """`has_rare` of some of many rows that have been read together."""
        tso = next((one for one in self.scalars if self._means(one) == "tso"), None)
        for scalar in self.scalars:
            if self._means(scalar) == "physical" and tso is not None:
                yield many.call("has_one_for", self._slot(scalar), self._slot(tso))
            elif self._means(scalar) == CHECKSUM and scalar.type == STRING:
                yield many.call("has_text", self._slot(scalar))

    def is_number(self, column: EventColumn) -> bool:
        """Whether what the column gets is the number of one field, wherever a record has it."""
        told = [one for one in self.scalars if column.name in (one.event, one.of_old)]
        return len(told) == 1 and told[0].type != STRING and told[0].of_old is None

    def slot_of(self, column: EventColumn) -> Expression:
        """The slot of the field that has what the column gets."""
        return self._slot(next(one for one in self.scalars if one.event == column.name))

    def is_put(self, column: EventColumn) -> bool:
        """Whether some field has what the column gets."""
        return any(column.name in (one.event, one.of_old) for one in self.scalars)

    def _put(self, column: EventColumn, scalar: RecordScalar) -> Body:
        """Puts the value of a field that is given, and of a text that is not empty."""
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
        """A variable for each text that is put: whether the record has it, and it is not empty."""
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
