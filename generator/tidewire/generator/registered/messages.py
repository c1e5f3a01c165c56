"""How an encoder writes the value of each kind of event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from ..json.member_types import TEXT
from ..json.model import Scalar, identifier
from ..json.records.model import long_bytes, string_bytes
from ..meaning import images_of
from ..model import EventKind, Spec, Word
from ..plan.events import NAMED
from ..plan.options import option_attribute
from ..syntax.calls import EVENT, EVENTS, RETURN_OK, int_at, null_at, number_at
from ..syntax.nodes import (
    INT,
    SIZE,
    Body,
    Branch,
    Call,
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
from .model import (
    BOOLEAN,
    STRING,
    InnerRecord,
    OtherMessages,
    RecordCase,
    RecordScalar,
    RegisteredProtocol,
    RowFields,
    ValueMark,
)
from .told import Ways, WrittenWay, written_with

SINK, KEY, TABLE = Name("s"), Name("key"), Name("table")
PRESENT, NULL = long_bytes(1), long_bytes(0)
"""The branch numbers of a nullable record, encoded."""


def text_attribute(option: Word) -> str:
    """The attribute with an option's text, encoded for records."""
    return f"text_of_{option_attribute(option)}"


Piece: TypeAlias = tuple[Expression | None, Body]
"""Statements, and the condition on options under which they run; None: always."""


def _grouped(pieces: Iterable[Piece]) -> Body:
    """All pieces; consecutive ones with the same condition are joined."""
    groups: list[tuple[Expression | None, list[Statement]]] = []
    for condition, steps in pieces:
        if not groups or groups[-1][0] != condition:
            groups.append((condition, []))
        groups[-1][1].extend(steps)
    return tuple(line for condition, steps in groups for line in when(condition, tuple(_joined(steps))))


def _joined(lines: Sequence[Statement]) -> Iterator[Statement]:
    """The statements, with consecutive constant bytes joined."""
    held = b""
    for line in lines:
        image = _image(line)
        if image is None:
            if held:
                yield raw(held)
            held = b""
            yield line
        else:
            held += image
    if held:
        yield raw(held)


def _image(line: Statement) -> bytes | None:
    """The bytes that a call of `raw` writes; None for other statements."""
    if not isinstance(line, Do) or not isinstance(line.call, Call) or line.call.function != SINK.attribute("raw"):
        return None
    (given,) = line.call.arguments
    return given.value if isinstance(given, Literal) and isinstance(given.value, bytes) else None


def raw(image: bytes) -> Do:
    """Writes constant bytes."""
    return Do(SINK.call("raw", Literal(image)))


class RecordMessages:
    """Plans the functions."""

    def __init__(
        self, spec: Spec, protocol: RegisteredProtocol, at: Mapping[str, Expression], ways: Ways, all_columns: str
    ) -> None:
        """Args:
            at: constants of the event columns.
            ways: the ways in which each kind is written.
            all_columns: the constant for writing all columns of a row.
        """
        self.spec = spec
        self.protocol = protocol
        self.at = at
        self.ways = ways
        self.all_columns = Name(all_columns)

    def method_name(self, kind: EventKind) -> str:
        """The name of the method that writes a kind of event."""
        return f"write_{identifier(kind.name)}"

    def method(self, kind: EventKind) -> Method:
        """The method that writes a kind of event."""
        first = self.ways.of(kind)[0]
        about = str(kind.about)
        if first.case is not None:
            about = f"{first.case.text}: {about[:1].lower()}{about[1:]}"
        elif first.mark is not None:
            about = first.mark.about or about
        parameters: tuple[Parameter, ...] = (Parameter(SINK.id, object_type("RecordSink")), Parameter(EVENT.id, SIZE))
        if first.others is not None:
            parameters = (parameters[0], Parameter(KEY.id, object_type("RecordSink")), parameters[1])
        return Method(self.method_name(kind), parameters, INT, (about,), (*self._value(kind), *RETURN_OK))

    def _value(self, kind: EventKind) -> Body:
        first, *others = self.ways.of(kind)
        if first.others is not None:
            return (self._stranger(kind, first.others),)
        rest = [Branch(one.condition, self._short(one)) for one in others]
        if first.case is None:
            return self._chained([Branch(first.condition, self._short(first)), *rest])
        without: Body = ()
        if first.condition is not None and rest:
            without = when(Not(first.condition), (*self._chained(rest), *RETURN_OK))
        return (*without, *self._record(kind, first.case))

    @staticmethod
    def _chained(branches: list[Branch]) -> Body:
        """The first way whose condition is true; the last way has none."""
        if branches[-1].condition is not None:
            branches = [*branches[:-1], Branch(None, branches[-1].body)]
        if len(branches) == 1:
            return branches[0].body
        return chain(branches)

    def _stranger(self, kind: EventKind, others: OtherMessages) -> Do:
        """Writes a record without a row."""
        table = Literal(-1) if others.kinds[kind.name] else int_at(self.at["table"])
        return Do(own("put_connect_message")(SINK, KEY, EVENT, Literal(str(kind.name)), table))

    # ---- values that are not records

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
        """The value of an object's member for the event."""
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
        """Writes the record of a kind; consecutive fields that depend on the same options are joined."""
        if not self.protocol.row.rows:
            return self._envelope(kind, case)
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
                condition, steps = written_with(field.when), self._scalar(kind, case, field, outer)
            if groups[-1][0] != condition or isinstance(field, InnerRecord):
                groups.append((condition, []))
            groups[-1][1].extend(steps)
        return tuple(line for condition, steps in groups for line in when(condition, tuple(steps)))

    def _envelope(self, kind: EventKind, case: RecordCase) -> Body:
        """Writes an envelope record, whose row images are nested records."""
        outer = self.outer_image(kind)
        head = Name(identifier(outer)).attribute("head")
        return (self._rows(outer), Do(SINK.call("raw", head)), *_grouped(self._pieces(kind, case, outer)))

    def _pieces(self, kind: EventKind, case: RecordCase, outer: str) -> Iterator[Piece]:
        """The fields of an envelope, including those of nested records with facts about the event."""
        for field in self.protocol.row.fields.values():
            if isinstance(field, RecordScalar):
                yield written_with(field.when), self._scalar(kind, case, field, outer)
            elif isinstance(field, InnerRecord) and self.protocol.records[field.part].rows:
                yield None, self._image(kind, case, field, outer)
            elif isinstance(field, InnerRecord):
                yield None, (raw(PRESENT),) if field.optional else ()
                for one in self.protocol.records[field.part].scalars:
                    yield written_with(one.when), self._scalar(kind, case, one, outer)

    def outer_image(self, kind: EventKind) -> str:
        """The row image that a kind always has."""
        return str(images_of(self.spec, kind)[0])

    def _image(self, kind: EventKind, case: RecordCase, field: InnerRecord, outer: str) -> Body:
        """A row image in an envelope."""
        image = next((str(one) for one, id in case.images.items() if id == field.id), None)
        if image is None or image not in images_of(self.spec, kind):
            return (raw(NULL),)
        if image == outer:
            return (raw(PRESENT), *self._columns(image))
        alike = own("check_alike")(Name(identifier(outer)), Name(identifier(image)), Literal(image))
        there = (self._rows(image), Do(alike), raw(PRESENT), *self._columns(image))
        option = next((one for name, one in field.sent.items() if name == kind.name), None)
        return there if option is None else when(written_with((option,)), there, (raw(NULL),))

    def _rows(self, image: str) -> Declare:
        """Prepares the rows of an image's layout for writing."""
        found = own("rows_of")(int_at(self.at[f"{image}_layout"]), self.all_columns)
        return Declare(identifier(image), object_type("RegisteredRows"), found)

    def _columns(self, image: str) -> Body:
        return (Do(Name(identifier(image)).call("write", SINK, int_at(self.at[f"{image}_row"]))),)

    def _inner(self, kind: EventKind, case: RecordCase, field: InnerRecord, outer: str) -> Body:
        """Writes a nested record: the row image that the case puts there, if the event has it; otherwise null."""
        image = self._image_of(case, field)
        if image is None or image not in images_of(self.spec, kind):
            return (raw(NULL),)
        if image == outer:
            return (raw(PRESENT), *self._columns(image))
        alike = own("check_alike")(Name(identifier(outer)), Name(identifier(image)), Literal(image))
        return (self._rows(image), Do(alike), raw(PRESENT), *self._columns(image))

    def _image_of(self, case: RecordCase, field: InnerRecord) -> str | None:
        """The row image in a nested record: by this case, or by another one."""
        cases = (case, *self.protocol.row.cases.values())
        return next((str(image) for one in cases for image, id in one.images.items() if id == field.id), None)

    def _scalar(self, kind: EventKind, case: RecordCase, scalar: RecordScalar, outer: str) -> Body:
        if scalar.nothing:
            return () if scalar.refused else (raw(NULL),)
        if scalar.const is not None:
            return (raw(string_bytes(scalar.const) if isinstance(scalar.const, str) else long_bytes(scalar.const)),)
        if scalar.option is not None:
            return (Do(SINK.call("raw", own(text_attribute(scalar.option)))),)
        if scalar.switch:
            return (raw(string_bytes(str(case.text))),)
        if scalar.event in NAMED:
            return (Do(SINK.call("raw", Name(identifier(outer)).attribute(f"{scalar.event}_text"))),)
        name = self.ways.carried(kind, scalar)
        field, at = self.spec.events.fields[name], self.at[name]
        if field.means == "physical":
            tso = self.at[str(self.spec.events.meaning("tso"))]
            return (Do(SINK.call("varint", own("physical_ms")(EVENT, tso, at))),)
        if field.means == "sent":
            return (Do(SINK.call("varint", own("sending_ms")(EVENT, at))),)
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
