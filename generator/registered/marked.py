"""What a decoder makes of values that are no records, and what all events have."""

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
"""Where a row image is that there is not."""


class MarkMethods:
    """Composes them."""

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
        """Makes room for an event, which is of the message."""
        return (
            DECLARED,
            Declare(ROW.id, SIZE, own("begin_event")()),
            put_int(self.constants["message"], Name("message")),
        )

    def end(self) -> Body:
        """There is one event more."""
        return (assign(COLUMNS.attribute("rows"), ROW.plus(1)), *RETURN_OK)

    def past(self) -> Statement:
        """Goes behind the byte of a mark."""
        return Change(READER.attribute("pos"), "+", Literal(1))

    def is_field(self, column: EventColumn) -> bool:
        """Whether it holds a field of the events."""
        return column.name in self.spec.events.fields

    def put_image(self, image: str, place: tuple[Expression, Expression] | None) -> Body:
        """Where a row image is: its layout and its row; None: there is none."""
        layout, row = place or NOWHERE
        return (put_int(self.constants[f"{image}_layout"], layout), put_int(self.constants[f"{image}_row"], row))

    # ---- events without rows

    def has_rows(self, mark: ValueMark) -> bool:
        """Whether it is an event of a row, which the key tells."""
        events = self.spec.events
        return bool(events.classes[events.kinds[mark.event].cls].images)

    def _unrowed(self) -> list[ValueMark]:
        return [one for one in self.protocol.value.marks if not self.has_rows(one)]

    def _members(self, mark: ValueMark) -> dict[str, tuple[int, Scalar]]:
        """The members of the object behind a mark, by the field that they carry, with their numbers."""
        held = () if mark.part is None else self.protocol.objects[mark.part].members.values()
        members = (one for one in held if isinstance(one, Scalar))
        return {str(one.event): (number, one) for number, one in enumerate(members)}

    def _carried(self) -> list[str]:
        """The fields that some mark of events without rows carries."""
        found = [str(one.carries) for one in self._unrowed() if one.carries is not None]
        return [*found, *(name for one in self._unrowed() for name in self._members(one))]

    def method(self, mark: ValueMark) -> Method:
        """Reads the rest of a mark, and makes its event."""
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
        """The columns that such an event fills by itself."""
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
        """What such events lack."""
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
