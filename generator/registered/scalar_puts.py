"""What a decoder puts into the columns of events from the fields of a row's record."""

from __future__ import annotations

from collections.abc import Sequence

from ..facts import ABOUT_CHECKSUM, CHECKSUM, NEW
from ..model import Spec
from ..plan.events import EventColumn
from ..syntax.calls import EVENTS, ROW, put_null
from ..syntax.nodes import Body, Do, Expression, Literal, Name, Statement, any_of, own, when
from .model import STRING, RecordScalar, RegisteredProtocol
from .names import FieldNames

READER, CASE = Name("r"), Name("case")
SLOTS = own("record").attribute("slots")


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
        """What a column gets."""
        scalar = next((one for one in self.scalars if column.name in (one.event, one.of_old)), None)
        if scalar is None:
            return (put_null(Name(column.constant)),)
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
        put = self._put(column, scalar)
        tso = next((one for one in self.scalars if self._means(one) == "tso"), None)
        if self.spec.events.fields[column.name].means == "physical" and tso is not None:
            return when(self._given(tso), (put_null(Name(column.constant)),), put)
        checksum = next((one for one in self.scalars if self._means(one) == CHECKSUM and one.type == STRING), None)
        if self.spec.events.fields[column.name].means in ABOUT_CHECKSUM and checksum is not None:
            # a row without a checksum has an empty one, and what stands for nothing in the fields that are about it
            return when(self._has_text(checksum), put, (put_null(Name(column.constant)),))
        return put

    def _put(self, column: EventColumn, scalar: RecordScalar) -> Body:
        at, slot, field = Name(column.constant), self._slot(scalar), Name(self.names.scalars[scalar])
        if scalar.type != STRING:
            method = "put_unsigned" if column.type == "uint64" else "put_number"
            return (Do(own(method)(at, ROW, slot)),)
        if column.type != "text":
            said = self.spec.events.fields[column.name]
            limits = said.limits
            assert limits is not None, "digits carry a number"
            return (Do(own("put_digits")(READER, at, ROW, slot, Literal(limits[1]), field)),)
        start, end = (SLOTS.at(slot).attribute(name) for name in ("start", "end"))
        text: Statement = Do(EVENTS.call("put_bytes", at, ROW, READER, start, end.minus(start), field))
        return when(self._has_text(scalar), (text,), (put_null(at),))

    def _has_text(self, scalar: RecordScalar) -> Expression:
        return own("has_text")(self._slot(scalar))

    def _given(self, scalar: RecordScalar) -> Expression:
        return SLOTS.at(self._slot(scalar)).attribute("given")

    def _slot(self, scalar: RecordScalar) -> Name:
        return Name(self.names.slots[scalar])

    def _means(self, scalar: RecordScalar) -> str | None:
        return None if scalar.event is None else self.spec.events.fields[scalar.event].means
