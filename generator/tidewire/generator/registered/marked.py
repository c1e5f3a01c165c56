"""How a decoder creates events from values that are not records, and the code common to all events."""

from __future__ import annotations

from collections.abc import Sequence

from ..json.member_types import TEXT
from ..json.model import Scalar
from ..model import KIND_FIELD, Spec
from ..plan.constants import kind_constants
from ..plan.events import NAMED, EventColumn
from ..syntax.calls import RETURN_OK, ROW
from ..syntax.nodes import (
    INT,
    NONE,
    SIZE,
    Body,
    Change,
    Declare,
    Do,
    Expression,
    Literal,
    Method,
    Name,
    Parameter,
    Statement,
    assign,
    object_type,
    own,
    plain_type,
    when,
)
from .model import RegisteredProtocol, ValueMark
from .names import FieldNames
from .puts import COLUMNS, DECLARED, put_int, put_null, put_uint

READER, SAID = Name("r"), Name("said")
NOWHERE = (Literal(-1), Literal(-1))
"""The layout and row of a missing row image."""


class MarkMethods:
    """Plans the methods."""

    def __init__(
        self, spec: Spec, protocol: RegisteredProtocol, columns: Sequence[EventColumn], names: FieldNames
    ) -> None:
        self.spec = spec
        self.protocol = protocol
        self.columns = columns
        self.names = names
        self.kind_names = kind_constants(spec.events)
        self.constants = {one.name: Name(one.constant) for one in columns}

    # ---- what all events have

    def begin(self) -> Body:
        """Makes room for an event of the message."""
        return (
            DECLARED,
            Declare(ROW.id, SIZE, own("begin_event")()),
            put_int(self.constants["message"], Name("message")),
        )

    def end(self) -> Body:
        """Counts the event."""
        return (assign(COLUMNS.attribute("rows"), ROW.plus(1)), *RETURN_OK)

    def past(self) -> Statement:
        """Moves past the byte of a mark."""
        return Change(READER.attribute("pos"), "+", Literal(1))

    def is_field(self, column: EventColumn) -> bool:
        """Whether the column holds an event field."""
        return column.name in self.spec.events.fields

    def put_image(self, image: str, place: tuple[Expression, Expression] | None) -> Body:
        """Stores a row image's layout and row; None: there is no image."""
        layout, row = place or NOWHERE
        return (put_int(self.constants[f"{image}_layout"], layout), put_int(self.constants[f"{image}_row"], row))

    # ---- events without rows

    def has_rows(self, mark: ValueMark) -> bool:
        """Whether the event is about a row, which the key identifies."""
        events = self.spec.events
        return bool(events.classes[events.kinds[mark.event].cls].images)

    def _unrowed(self) -> list[ValueMark]:
        return [one for one in self.protocol.value.marks if not self.has_rows(one)]

    def _members(self, mark: ValueMark) -> dict[str, tuple[int, Scalar]]:
        """The members of the object after a mark, by event field, with their numbers."""
        held = () if mark.part is None else self.protocol.objects[mark.part].members.values()
        members = (one for one in held if isinstance(one, Scalar))
        return {str(one.event): (number, one) for number, one in enumerate(members)}

    def _carried(self) -> list[str]:
        """The fields that marks of events without rows carry."""
        found = [str(one.carries) for one in self._unrowed() if one.carries is not None]
        return [*found, *(name for one in self._unrowed() for name in self._members(one))]

    def method(self, mark: ValueMark) -> Method:
        """The method that reads the rest of a marked value and creates its event."""
        field = Name(self.names.marks[mark])
        members = self._members(mark)
        read: list[Statement] = [self.past()]
        if mark.part is not None:
            found = own("members")(READER, Name(self.names.parts[mark.part]), field)
            read.append(Declare(SAID.id, plain_type("list[Any]"), found))
        body = (
            *read,
            *self.begin(),
            put_int(self.constants[KIND_FIELD], Name(self.kind_names[mark.event])),
            *(line for column in self._shared() for line in self._put(column, mark, members, field)),
            Do(own("put_no_row")(ROW)),
            *self.end(),
        )
        parameters = (Parameter(READER.id, object_type("RecordCursor")), Parameter("message", SIZE))
        return Method(f"read_{mark.identifier}", parameters, INT, (mark.about or str(mark.id),), body)

    def _shared(self) -> list[EventColumn]:
        """The columns that the event of a marked value fills in; `put_no_row` fills in the others."""
        carried = self._carried()
        return [one for one in self.columns if one.name == "table" or (one.name in carried and one.name not in NAMED)]

    def _put(
        self, column: EventColumn, mark: ValueMark, members: dict[str, tuple[int, Scalar]], field: Expression
    ) -> Body:
        at = self.constants[column.name]
        if column.name == "table":
            names = (SAID.at(members[one][0]) if one in members else NONE for one in NAMED)
            return (put_int(at, own("said_table")(*names)),)
        if mark.carries == column.name:
            return (put_uint(at, own("marked_number")(READER, field)),)
        if column.name not in members:
            return (put_null(at),)
        number, member = members[column.name]
        put = self._put_said(column, member, SAID.at(number), field)
        tso = next((one for name, one in members.items() if self.spec.events.fields[name].means == "tso"), None)
        if self.spec.events.fields[column.name].means == "physical" and tso is not None:
            return when(SAID.at(tso[0]).compared("is", NONE), (put,), (put_null(at),))
        return (put,)

    def _put_said(self, column: EventColumn, member: Scalar, value: Expression, field: Expression) -> Do:
        at = self.constants[column.name]
        if member.type == TEXT:
            return Do(own("put_said_text")(at, ROW, value))
        if column.type == "uint64":
            return Do(own("put_said_uint")(at, ROW, value))
        said = self.spec.events.fields[column.name]
        limits = said.limits
        assert limits is not None, "a number carries a number"
        given = (at, ROW, value, *map(Literal, limits), field, Literal(f"/{member.name}"))
        return Do(own("put_said_int")(*given))

    def put_no_row(self) -> Method:
        """The method that fills columns that events of marked values lack with null."""
        names = [one.name for one in self._shared()]
        lacking = [one for one in self.columns if self.is_field(one) and one.name not in (*names, KIND_FIELD)]
        images = [image for cls in self.spec.events.classes.values() for image in cls.images]
        body = (
            DECLARED,
            *(put_null(Name(one.constant)) for one in lacking),
            *(line for one in dict.fromkeys(images) for line in self.put_image(str(one), None)),
            *RETURN_OK,
        )
        about = "Nothing in the columns that only a row fills."
        return Method("put_no_row", (Parameter(ROW.id, SIZE),), INT, (about,), body)
