"""The plan of an encoder of records: a method for each kind of event that writes the fields in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...facts import DDL_CLASS, DDL_TYPE
from ...model import EventClass, EventKind, Spec
from ...plan.events import EventColumn
from ...plan.names import NamesPlan
from ...plan.options import option_attribute
from ...plan.values import planned_values
from ...syntax.calls import EVENT, EVENTS, RETURN_OK, int_at, null_at
from ...syntax.nodes import (
    INT,
    SIZE,
    Body,
    Branch,
    Call,
    Declare,
    Do,
    Expression,
    Items,
    Literal,
    Method,
    Name,
    Not,
    Parameter,
    Type,
    all_of,
    assign,
    chain,
    object_type,
    own,
    when,
)
from ..described import record_constant
from ..model import DescriptionMember, JsonCase, JsonProtocol, Member, ObjectMember, RowsMember, Scalar
from ..scalar_steps import NAMED, classed_otherwise
from ..writer import Writer
from ..writing import JsonWritePlanner
from .model import Record, RecordField, Records, long_bytes
from .writing_nodes import RecordEncoderPlan

SINK = Name("s")
WRITER = (Parameter("s", object_type("RecordSink")), Parameter("event", SIZE))
NULL, GIVEN = b"\x00", b"\x02"
"""The branch numbers of a union of null and a type, encoded."""


def _write(method: str, *values: Expression) -> Do:
    return Do(SINK.call(method, *values))


class RecordWritePlanner(JsonWritePlanner):
    """Plans the encoder of one protocol's records. The checks of events are planned as for JSON objects."""

    def __init__(
        self,
        spec: Spec,
        protocol: JsonProtocol,
        records: Records,
        columns: Sequence[EventColumn],
        names: NamesPlan,
    ) -> None:
        super().__init__(spec, protocol, columns, names)
        self.records = records

    def plan_records(self, module: str) -> RecordEncoderPlan:
        """The plan of the encoder."""
        protocol, records = self.protocol, self.records
        values = planned_values(self.spec, protocol.values[records.values])
        messages = self.messages.messages()
        methods = [self._kind_method(kind, case) for kind, case in self.messages.carried_cases]
        objects = [one for _, one in protocol.walk() if isinstance(one, ObjectMember)]
        member = next(one for _, one in protocol.walk() if isinstance(one, DescriptionMember))
        class_field = str(self.spec.events.meaning(DDL_CLASS))
        return RecordEncoderPlan(
            source=protocol.file,
            protocol=str(protocol.name),
            module=module,
            title=protocol.title,
            about=records.about,
            options=self._options(),
            values=values.name,
            differs=values.differs,
            producers=tuple(protocol.producers),
            flags=Items(tuple(one.flag for one in self.ways)),
            described=record_constant(str(records.of_part(str(member.part)).name)),
            classes=tuple(self.spec.mysql_types.ddl_classes) if class_field in self.at else (),
            symbols=tuple(self._symbols()),
            looking=tuple(map(_of_records, (self.check_event(), self._has_message(messages)))),
            writing=(
                _of_records(self._write_message(messages)),
                *methods,
                *(self._object_method(one) for one in objects),
            ),
            example=methods[0].name,
        )

    def _symbols(self) -> Iterator[tuple[str, bytes]]:
        """The symbols of the enum for classes of statements, each with its encoded number."""
        rest = self.protocol.message.rest
        if rest is not None:
            record = self.records.of_class(str(self.spec.events.kinds[rest.event].cls))
            field = record.fields[str(self.protocol.switch.id)]
            for number, one in enumerate(self.records.enums[str(field.type)]):
                yield str(one), long_bytes(number)

    # ---- a message

    def _kind_method(self, kind: EventKind, case: JsonCase | None) -> Method:
        """The method that writes the messages of a kind of event."""
        record = self.records.of_class(str(kind.cls))
        cls = self.spec.events.classes[kind.cls]
        images = self.messages.images(kind)
        writer = Writer()
        number = [one.name for one in self.records.kinds].index(record.name)
        # the branch of the root record, the symbol of the kind of message, and the branch of the record in it
        writer.raw(long_bytes(self.records.branch) + 2 * long_bytes(number))
        members = self.protocol.message.members
        for field in record.fields.values():
            writer.add(self._field(field, members[str(field.id)], kind, cls, case))
        needs_table = any(str(one.event) in NAMED for one in self._scalars_of(record))
        body = (
            *((Declare("table", SIZE, int_at(self.columns_at["table"])),) if needs_table else ()),
            *(line for image in images for line in self._prepared(kind, image)),
            *_alike(images),
            *self.messages.whole_rows(case, images),
            *writer.all(),
            *RETURN_OK,
        )
        about = f"{record.name}. {kind.about}" if case is None else f"{record.name}, {case.text}. {kind.about}"
        return Method(f"write_{kind.name}", WRITER, INT, (about,), body)

    def _scalars_of(self, record: Record) -> Iterator[Scalar]:
        members = self.protocol.message.members
        for id in record.fields:
            member = members[id]
            if isinstance(member, Scalar) and member.event is not None:
                yield member

    def _prepared(self, kind: EventKind, image: str) -> Body:
        """Prepares a row image for writing."""
        prepared = Call(own("prepare"), (int_at(self.columns_at[f"{image}_layout"]), self.messages.way(kind, image)))
        found: Body = (
            Declare(image, object_type("WrittenRecordRows"), prepared),
            Declare(f"{image}_row", SIZE, int_at(self.columns_at[f"{image}_row"])),
        )
        located = next((one.located for one in self.rows if one.located is not None), None)
        if located is None:
            return found
        said = Call(own("located"), (EVENT, self.columns_at[str(located)]))
        return (*found, assign(Name(image).attribute("location"), said))

    def _field(
        self, field: RecordField, member: Member, kind: EventKind | None, cls: EventClass | None, case: JsonCase | None
    ) -> Body:
        """The steps that write a field."""
        if isinstance(member, RowsMember):
            image = None if case is None else next((one for one, id in case.images.items() if id == member.id), None)
            if image is None:
                return (_raw(NULL),)
            return (_raw(GIVEN), Do(Name(str(image)).call("write", SINK, Name(f"{image}_row"))))
        if isinstance(member, DescriptionMember):
            return self._description(field, member, kind)
        if isinstance(member, ObjectMember):
            return self._object(member)
        assert isinstance(member, Scalar), f"{member.location}: records have no such members"
        if member.switch:
            return self._switch(field, case)
        if member.const is not None:
            return (_raw(long_bytes(int(member.const))),)
        return self._scalar(field, member, cls)

    def _switch(self, field: RecordField, case: JsonCase | None) -> Body:
        """Writes the symbol for the kind of event, or for the class of statement."""
        symbols = [str(one) for one in self.records.enums[str(field.type)]]
        if case is not None:
            return (_raw(long_bytes(symbols.index(str(case.text)))),)
        rest = self.protocol.message.rest
        assert rest is not None
        table = Name("SYMBOLS")
        said = (_write("raw", table.at(EVENTS.call("text", self.columns_at[str(rest.names)], EVENT))),)
        ddl_type = self.columns_at[str(self.spec.events.meaning(DDL_TYPE))]
        derived: Body = (_write("raw", table.at(Name(DDL_CLASS)(int_at(ddl_type)))),)
        branches = [
            Branch(condition, (_raw(long_bytes(symbols.index(cls))),))
            for condition, cls in classed_otherwise(self.spec, rest, ddl_type)
        ]
        return chain([Branch(null_at(ddl_type), said), *branches], derived)

    def _description(self, field: RecordField, member: DescriptionMember, kind: EventKind | None) -> Body:
        at = self.columns_at[str(member.event)]
        written = (_write("raw", own("described")(EVENT, at)),)
        if field.optional:
            return when(null_at(at), (_raw(NULL),), (_raw(GIVEN), *written))
        name = "an event" if kind is None else str(kind.name)
        lacks = Do(own("refuse")(Literal(f"{name} needs {member.event}: a record describes the table")))
        return (*when(null_at(at), (lacks,)), *written)

    def _object(self, member: ObjectMember) -> Body:
        """Writes a nested record, or null."""
        held = self.protocol.objects[member.part]
        said = next(
            self.columns_at[str(one.event)]
            for one in held.members.values()
            if isinstance(one, Scalar) and one.event is not None
        )
        conditions = [Not(null_at(said))]
        there = all_of(*((own(option_attribute(member.when)),) if member.when is not None else ()), *conditions)
        call = Do(own(self._object_name(member))(SINK, EVENT))
        return when(there, (_raw(GIVEN), call), (_raw(NULL),))

    @staticmethod
    def _object_name(member: ObjectMember) -> str:
        return f"write_{member.part}_record"

    def _object_method(self, member: ObjectMember) -> Method:
        record = self.records.of_part(str(member.part))
        held = self.protocol.objects[member.part]
        writer = Writer()
        for field in record.fields.values():
            writer.add(self._field(field, held.members[str(field.id)], None, None, None))
        about = f"{record.name}. {held.about}"
        return Method(self._object_name(member), WRITER, INT, (about,), (*writer.all(), *RETURN_OK))

    def _scalar(self, field: RecordField, member: Scalar, cls: EventClass | None) -> Body:
        """Writes a field of the event."""
        name = str(member.event)
        said = self.spec.events.fields[name]
        if name in NAMED:
            return (_write("raw", own(f"{name}s").at(Name("table"))),)
        at = self.columns_at[name]
        if said.means == "sent":
            return (_write("varint", own("sending_ms")(EVENT, at)),)
        steps: Body
        if field.type == "string":
            steps = (_write("text_of", EVENTS, at, EVENT),)
            nothing: bytes = NULL
        elif field.type == "boolean":
            if field.optional and "false" in member.nothing:
                there = all_of(Not(null_at(at)), int_at(at).compared("!=", 0))
                return when(there, (_raw(GIVEN + b"\x01"),), (_raw(NULL),))
            steps, nothing = (_write("boolean", int_at(at).compared("!=", 0)),), b"\x00"
        elif said.type == "uint64" and said.range is None:
            steps = (Do(own("put_unsigned")(SINK, at, Literal(name), EVENT)),)
            nothing = long_bytes(0)
        else:
            steps, nothing = (_write("varint", int_at(at)),), long_bytes(0)
        if field.optional:
            return when(null_at(at), (_raw(NULL),), (_raw(GIVEN), *steps))
        if member.instead is not None and cls is not None and member.instead in cls.fields:
            other = self.columns_at[str(member.instead)]
            steps = when(
                Not(null_at(other)), (_write("varint", int_at(other)),), self._or_nothing(member, at, steps, nothing)
            )
            return steps
        return self._or_nothing(member, at, steps, nothing)

    @staticmethod
    def _or_nothing(member: Scalar, at: Expression, steps: Body, nothing: bytes) -> Body:
        """The steps; if `absent` is set, preceded by a test that writes `nothing` for an event without the value."""
        return steps if member.absent is None else when(null_at(at), (_raw(nothing),), steps)


def _alike(images: Sequence[str]) -> Body:
    """Checks that all images are of one table; its columns are described elsewhere."""
    found: list[Body] = []
    for other in images[1:]:
        mine, theirs = (Name(image).attribute("texts") for image in (images[0], other))
        found.append(when(theirs.compared("is not", mine), (Do(mine.call("check_alike", theirs, Literal(other))),)))
    return tuple(line for lines in found for line in lines)


def _raw(image: bytes) -> Do:
    return _write("raw", Literal(image))


def _of_records(method: Method) -> Method:
    """The same method, with the sink of records."""
    sink = Type("RecordSink", "RecordSink")
    parameters = tuple(
        replace(one, type=sink) if one.type.annotation == "JsonSink" else one for one in method.parameters
    )
    return replace(method, parameters=parameters)
