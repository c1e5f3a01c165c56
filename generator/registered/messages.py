"""How an encoder writes the value of each kind of events."""

from __future__ import annotations

from collections.abc import Mapping

from ..json.member_types import TEXT
from ..json.model import Scalar, identifier
from ..json.records.model import long_bytes
from ..meaning import images_of
from ..model import EventKind, Spec
from ..plan.events import NAMED
from ..syntax.calls import EVENT, EVENTS, RETURN_OK, int_at, null_at, number_at
from ..syntax.nodes import (
    INT,
    SIZE,
    Body,
    Branch,
    Declare,
    Do,
    Expression,
    List,
    Literal,
    Method,
    Name,
    Not,
    Parameter,
    Statement,
    assign,
    chain,
    object_type,
    own,
    uses,
    when,
)
from .model import BOOLEAN, STRING, InnerRecord, RecordCase, RecordScalar, RegisteredProtocol, RowFields, ValueMark
from .told import Ways, WrittenWay, written_with

SINK, TABLE = Name("s"), Name("table")
PRESENT, NULL = long_bytes(1), long_bytes(0)
"""The branches of a record that can be null."""


def raw(image: bytes) -> Do:
    """Bytes that are the same in every such message."""
    return Do(SINK.call("raw", Literal(image)))


class RecordMessages:
    """Composes the functions."""

    def __init__(
        self, spec: Spec, protocol: RegisteredProtocol, at: Mapping[str, Expression], ways: Ways, all_columns: str
    ) -> None:
        """
        Args:
            at: the constants of the columns of events.
            ways: in which each kind is written.
            all_columns: the constant of the way in which all columns of a row are written.
        """
        self.spec = spec
        self.protocol = protocol
        self.at = at
        self.ways = ways
        self.all_columns = Name(all_columns)

    def method_name(self, kind: EventKind) -> str:
        """What writes a kind of events."""
        return f"write_{identifier(kind.name)}"

    def method(self, kind: EventKind) -> Method:
        """It."""
        first = self.ways.of(kind)[0]
        about = str(kind.about)
        if first.case is not None:
            about = f"{first.case.text}: {about[:1].lower()}{about[1:]}"
        elif first.mark is not None:
            about = first.mark.about or about
        parameters = (Parameter(SINK.id, object_type("RecordSink")), Parameter(EVENT.id, SIZE))
        return Method(self.method_name(kind), parameters, INT, (about,), (*self._value(kind), *RETURN_OK))

    def _value(self, kind: EventKind) -> Body:
        first, *others = self.ways.of(kind)
        rest = [Branch(one.condition, self._short(one)) for one in others]
        if first.case is None:
            return self._chained([Branch(first.condition, self._short(first)), *rest])
        without: Body = ()
        if first.condition is not None and rest:
            without = when(Not(first.condition), (*self._chained(rest), *RETURN_OK))
        return (*without, *self._record(kind, first.case))

    @staticmethod
    def _chained(branches: list[Branch]) -> Body:
        """The first way that can be taken; the last of those that are left needs no condition."""
        if branches[-1].condition is not None:
            branches = [*branches[:-1], Branch(None, branches[-1].body)]
        if len(branches) == 1:
            return branches[0].body
        return chain(branches)

    # ---- values that are no records

    def _short(self, way: WrittenWay) -> Body:
        if way.mark is None:
            return (assign(own("no_value"), Literal(True)),)
        return self._mark(way.mark)

    def _mark(self, mark: ValueMark) -> Body:
        first = raw(bytes([mark.byte]))
        if mark.carries is not None:
            return (first, Do(SINK.call("u64be", number_at(self.at[mark.carries], True))))
        assert mark.part is not None, "a mark has an object or carries a field"
        members = (one for one in self.protocol.objects[mark.part].members.values() if isinstance(one, Scalar))
        said = List(tuple(map(self._said, members)))
        table = (Declare(TABLE.id, SIZE, int_at(self.at["table"])),) if uses(TABLE.id, said) else ()
        return (*table, first, Do(own("put_statement")(SINK, said)))

    def _said(self, member: Scalar) -> Expression:
        """What an object says of the event."""
        assert member.event is not None, "members carry fields of the events"
        if member.event in NAMED:
            return own(f"said_{member.event}")(TABLE)
        field, at = self.spec.events.fields[member.event], self.at[member.event]
        if field.means == "physical":
            return own("physical_ms")(EVENT, self.at[str(self.spec.events.meaning("tso"))], at)
        if field.means == "sent":
            return own("sending_ms")(EVENT, at)
        if member.type == TEXT:
            return own("said_text")(at, EVENT)
        return own("said_uint" if field.type == "uint64" else "said_int")(at, EVENT)

    # ---- records

    def _record(self, kind: EventKind, case: RecordCase) -> Body:
        """The record of a kind: fields that depend on the same options stand together."""
        rows = self.protocol.row.rows[0]
        (outer,) = (str(image) for image, id in case.images.items() if id == rows.id)
        image = Name(identifier(outer))
        found: list[Statement] = [self._rows(outer), Do(SINK.call("raw", image.attribute("head")))]
        groups: list[tuple[Expression | None, list[Statement]]] = [(None, found)]
        for field in self.protocol.row.fields.values():
            if isinstance(field, RowFields):
                condition, steps = None, self._columns(outer)
            elif isinstance(field, InnerRecord):
                condition, steps = written_with(field.when), self._inner(kind, case, field, outer)
            else:
                condition, steps = written_with(field.when), self._scalar(kind, case, field)
            if groups[-1][0] != condition or isinstance(field, InnerRecord):
                groups.append((condition, []))
            groups[-1][1].extend(steps)
        return tuple(line for condition, steps in groups for line in when(condition, tuple(steps)))

    def _rows(self, image: str) -> Declare:
        """The row images of the layout, ready to be written."""
        found = own("rows_of")(int_at(self.at[f"{image}_layout"]), self.all_columns)
        return Declare(identifier(image), object_type("RegisteredRows"), found)

    def _columns(self, image: str) -> Body:
        return (Do(Name(identifier(image)).call("write", SINK, int_at(self.at[f"{image}_row"]))),)

    def _inner(self, kind: EventKind, case: RecordCase, field: InnerRecord, outer: str) -> Body:
        """A record in the record: the row image that a case says it is, where the event has it."""
        image = self._image_of(case, field)
        if image is None or image not in images_of(self.spec, kind):
            return (raw(NULL),)
        if image == outer:
            return (raw(PRESENT), *self._columns(image))
        alike = own("check_alike")(Name(identifier(outer)), Name(identifier(image)), Literal(image))
        return (self._rows(image), Do(alike), raw(PRESENT), *self._columns(image))

    def _image_of(self, case: RecordCase, field: InnerRecord) -> str | None:
        """The row image that a record in the record is: as the case says, else as another does."""
        cases = (case, *self.protocol.row.cases.values())
        return next((str(image) for one in cases for image, id in one.images.items() if id == field.id), None)

    def _scalar(self, kind: EventKind, case: RecordCase, scalar: RecordScalar) -> Body:
        if scalar.switch:
            text = case.text.encode()
            return (raw(long_bytes(len(text)) + text),)
        name = self.ways.carried(kind, scalar)
        field, at = self.spec.events.fields[name], self.at[name]
        if field.means == "physical":
            tso = self.at[str(self.spec.events.meaning("tso"))]
            return (Do(SINK.call("integer", own("physical_ms")(EVENT, tso, at))),)
        if field.means == "sent":
            return (Do(SINK.call("integer", own("sending_ms")(EVENT, at))),)
        if scalar.type == BOOLEAN:
            return (Do(own("put_truth")(SINK, at, EVENT)),)
        if scalar.type == STRING and field.type == "text":
            text_of = Do(SINK.call("text_of", EVENTS, at, EVENT))
            return when(null_at(at), (raw(long_bytes(0)),), (text_of,))
        if scalar.type == STRING:
            return (Do(own("put_digits")(SINK, at, EVENT)),)
        if field.type == "uint64":
            return (Do(own("put_unsigned")(SINK, at, Literal(str(field.name)), EVENT)),)
        return (Do(own("put_number")(SINK, at, EVENT)),)
