"""The plan of the decoder of a protocol of frames: a method for each object, and one for each class of events."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from ..json.members import POS, READER, WHICH, forget, open_object, read, read_members, take_scalar
from ..json.message_methods import CURSOR, MESSAGE
from ..json.model import ImageMember, JsonObject, Member, Scalar, identifier
from ..json.reading import CHECKED_TEXT, JsonReadPlanner
from ..json.reading_nodes import KeptAttribute, ReadMember, ReadObject
from ..json.sharing import share_puts
from ..model import EventClass
from ..plan.constants import constant
from ..plan.names import flag_constants
from ..plan.values import PlannedValues, codec_modules, planned_values
from ..syntax.calls import EVENTS, RETURN_OK, ROW, fail, missing
from ..syntax.nodes import (
    INT,
    NONE,
    SIZE,
    Body,
    Branch,
    Call,
    Change,
    Declare,
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
    While,
    all_of,
    assign,
    chain,
    named,
    object_type,
    own,
    when,
)
from .model import Fact, FrameCase, FramesProtocol, by_name

KEY = Name("key")
"""The cursor over the key."""
KEY_CURSOR = Parameter("key", object_type("JsonCursor"))


@dataclass(frozen=True)
class ReadHead:
    """The number before the first frame."""

    name: str
    const: int
    field: str
    about: str


@dataclass(frozen=True)
class FramesDecoderPlan:
    """A decoder's module."""

    source: str
    protocol: str
    module: str
    title: str
    about: str
    fields: tuple[str, ...]
    constants: tuple[str, ...]
    key_fields: int
    """How many of the fields belong to the key; they come first."""
    values: PlannedValues | None
    modules: tuple[str, ...]
    """The modules of runtime codecs, relative to the folder of the wire."""
    head: ReadHead | None
    key: ReadObject
    key_field: str
    value_field: str
    """The constants of the fields for the whole key and value."""
    key_frame: str
    value_frame: str
    """The constants of the fields for a frame."""
    objects: tuple[ReadObject, ...]
    """All objects, the key's first."""
    facts: tuple[Fact, ...]
    errors: tuple[str, ...]
    """The kinds of errors that the module uses."""
    kept: tuple[KeptAttribute, ...]
    """The decoder's attributes for what was read of a message."""
    column: Expression | None
    """The construction of the reader of a column's object; None: there are no row images."""
    tables: Expression
    """The construction of the object that finds an event's table."""
    methods: tuple[Method, ...]
    """The methods that read a message and make its events."""

    @property
    def meant(self) -> bool:
        """Whether some number is a time."""
        return any(one.means in ("tso", "physical", "sent") for held in self.objects for one in held.members)

    @property
    def bodies(self) -> tuple[ReadObject, ...]:
        return self.objects[1:]


class FramesReadPlanner(JsonReadPlanner):
    """Plans the decoder of one protocol of frames."""

    protocol: FramesProtocol

    def plan_frames(self, module: str) -> FramesDecoderPlan:
        """The whole plan."""
        protocol = self.protocol
        self._objects()
        column = protocol.column
        value = None if column is None else column.saying("value")
        values = None
        if value is not None and value.values is not None:
            values = planned_values(self.spec, protocol.values[value.values])
        head = protocol.key_frames.head
        methods = self._methods()
        return FramesDecoderPlan(
            source=protocol.file,
            protocol=str(protocol.name),
            module=module,
            title=protocol.title,
            about=protocol.about,
            fields=tuple(self.fields),
            constants=tuple(self.constants),
            key_fields=self.key_fields,
            values=values,
            modules=codec_modules([] if values is None else [values]),
            head=None if head is None else ReadHead(str(head.id), head.const, self.head_field, head.about),
            key=self.objects[0],
            key_field=self.key_field,
            value_field=self.value_field,
            key_frame=self.objects[0].field,
            value_frame=self.value_frame,
            objects=tuple(self.objects),
            facts=() if column is None else column.facts,
            errors=self._errors(methods),
            kept=self._kept({str(one.event): self.members[one] for one in self._scalars()}),
            column=self._column() if protocol.images else None,
            tables=self._tables_of(values),
            methods=methods,
        )

    def _column(self) -> Expression:
        """The construction of the reader of a column's object."""
        column = self.protocol.column
        assert column is not None
        says = [str(one.says) for one in column.facts]
        positions = [says.index(what) if what in says else -1 for what in ("type", "flags", "flag", "value")]
        fact = column.saying("flag")
        flagged = None if fact is None else fact.flagged
        flag = Literal(0) if flagged is None else named(flag_constants(self.spec)[flagged])
        names = Items(tuple(Literal(str(one.name)) for one in column.facts))
        return Name("ColumnMembers")(names, *positions, flag)

    def _tables_of(self, values: PlannedValues | None) -> Expression:
        table = NONE if values is None else Name(values.name)
        images = len(self.protocol.images)
        return Name("Tables")(own("cache"), NONE, -1, table, CHECKED_TEXT, NONE, images, 0)

    # ---- the objects

    def _objects(self) -> None:
        """Plans the fields: key and value as a whole, the key's members, then those of the values."""
        protocol = self.protocol
        self.key_field = self._field("KEY", "")
        if protocol.key_frames.head is not None:
            self.head_field = self._field(
                constant(f"key_{protocol.key_frames.head.id}"), str(protocol.key_frames.head.id)
            )
        frame = self._field("KEY_FRAME", "{item}")
        self._read_object(protocol.message, frame)
        self.key_fields = len(self.fields)
        self.value_field = self._field("VALUE", "")
        self.value_frame = self._field("VALUE_FRAME", "{item}")
        for body in protocol.bodies:
            self._read_object(body, self.value_frame)
        paths = dict(zip(self.constants, self.fields, strict=True))
        for image in protocol.images:
            planned = self.members[image]
            path = f"{paths[planned.field]}/{{column}}"
            self._field(planned.column_field, path)
            column = protocol.columns[image.part]
            for fact in column.facts:  # the reader of columns expects these fields after the column's
                self._field(f"{identifier(fact.id).upper()}_OF_{planned.field}", f"{path}/{fact.name}")

    def _read_object(self, held: JsonObject, field: str) -> None:
        members = []
        for number, member in enumerate(by_name(held)):
            name = f"{identifier(held.name)}_{member.identifier}".upper()
            path = str(member.name).replace("{", "{{").replace("}", "}}")
            planned = self._member(held, member, number, self._field(name, f"{{item}}/{path}"))
            self.members[member] = planned
            members.append(planned)
        name = identifier(held.name)
        first = members[0].field if members else field
        self.objects.append(
            ReadObject(
                str(held.name),
                f"read_{name}",
                f"names_of_{name}",
                field,
                first,
                tuple(members),
                held.skip_unknown,
                held.about or f"The members of {held.name}.",
            )
        )

    def _kind(self, member: Member, nested: bool) -> str:
        if isinstance(member, ImageMember):
            return "image"
        if isinstance(member, Scalar) and member.switch:
            return "integer"
        return super()._kind(member, nested)

    def _whole(self, member: Member) -> bool:
        return False

    # ---- the cases

    def _classes(self) -> list[EventClass]:
        return [self.spec.events.classes[name] for name in dict.fromkeys(one.cls for one in self.protocol.cases)]

    def cursor(self, member: Member) -> Name:
        return KEY if member in self.protocol.message.members.values() else READER

    def image_row(self) -> Expression:
        return Literal(0)

    # ---- the methods

    def _methods(self) -> tuple[Method, ...]:
        classes = self._classes()
        filled, shared = share_puts([self.puts(one, identifier(one.key)) for one in classes])
        return (
            self._read_whole(),
            *map(self._read, self.objects),
            *map(self._take_case, self.protocol.cases),
            *(self._put_event(cls, one.body) for cls, one in zip(classes, filled, strict=True)),
            *shared,
        )

    def _read_whole(self) -> Method:
        """Reads a message, frame by frame."""
        protocol, frame = self.protocol, Name(self.objects[0].field)
        head = protocol.key_frames.head
        switch = self.members[protocol.switch]
        kind, field, item = own(switch.attribute), Name(switch.field), own("item")
        start: list[Statement] = [assign(item, 0), Do(KEY.call("begin")), Do(READER.call("begin"))]
        if head is not None:
            start.append(Do(KEY.call("expect_u64", head.const, Name(self.head_field)), str(head.id)))
        given = (KEY, READER, Name("message"))
        cases = [
            Branch(kind.equals(named(name)), (Do(Call(own(_taker(case)), given)),))
            for name, case in zip(self.case_names, protocol.cases, strict=False)
        ]
        each: Body = (
            Do(KEY.call("frame", frame)),
            Do(Call(own(self.objects[0].function), (KEY,))),
            Do(KEY.call("close", frame)),
            *when(Not(own(f"has_{switch.attribute}")), (missing(KEY, field),)),
            self._find_table(frame),
            *chain(cases, (fail(KEY, "ENUM", field, KEY.attribute("pos"), kind, 0),)),
            Change(item, "+", Literal(1)),
        )
        left = when(READER.call("more"), (missing(KEY, frame),))
        about = "One Kafka message: as many frames in its key as in its value, which `r` reads."
        body = (*start, While(KEY.call("more"), each), *left, *RETURN_OK)
        return Method("read_whole", (KEY_CURSOR, CURSOR, MESSAGE), INT, (about,), body)

    def _find_table(self, frame: Name) -> Statement:
        """Finds the table of an event by its names."""
        carrying = {str(one.event): self.members[one] for one in self._scalars()}
        said = [carrying.get(name) for name in ("schema", "table")]
        names = [own("nameless" if one is None else one.attribute) for one in said]
        fields = [frame if one is None else Name(one.field) for one in said]
        return assign(own("table"), Name("find_table")(own("tables"), KEY, *names, *fields))

    def _read(self, held: ReadObject) -> Method:
        """Reads an object of the key or of a value."""
        images = [one for one in held.read if one.kind == "image"]
        cleared = [Do(own(one.attribute).call("clear")) for one in images]
        parameters = (CURSOR, MESSAGE) if images else (CURSOR,)
        members = read_members(held, partial(self._take, held))
        body = (*WHICH, *forget(held.read), *cleared, open_object(held), members, *RETURN_OK)
        return Method(held.function, parameters, INT, (held.about,), body)

    def _take(self, held: ReadObject, member: ReadMember) -> Body:
        """Reads one member."""
        if member.kind == "image":
            fields = (Name(member.field), Name(member.column_field))
            given = (READER, own("table"), own("cache"), Name("message"), Literal(member.which), *fields)
            found: Body = (Do(Call(own(member.attribute).attribute("read"), given)),)
        else:
            found = take_scalar(member)
        again = Do(own(held.attribute).call("again", Name("k")))
        return (*found, again) if member.name in self.protocol.said_twice else found

    def _take_case(self, case: FrameCase) -> Method:
        """The method that reads the value for a key's case and makes its event."""
        frame, more = Name(self.value_frame), READER.call("more")
        body = next((one for one in self.objects[1:] if one.name == case.body), None)
        found: list[Statement] = []
        if body is not None:
            message = [Name("message")] if any(one.kind == "image" for one in body.members) else []
            found += when(Not(more), (missing(READER, frame),))
            found += [read("frame", frame), Do(Call(own(body.function), (READER, *message))), read("close", frame)]
        else:
            left = READER.attribute("end").minus(POS)
            trouble = when(Not(READER.call("empty")), (fail(READER, "TRAILING", frame, POS, left, 0),))
            found += when(more, (read("frame", frame), *trouble))
        about = str(self.spec.events.classes[case.cls].about)
        steps = (*found, *self._make(case))
        return Method(_taker(case), (KEY_CURSOR, CURSOR, MESSAGE), INT, (about,), steps)

    def _make(self, case: FrameCase) -> Body:
        """Makes an event of the first kind whose images are present; the first image must have columns."""
        cls = self.spec.events.classes[case.cls]
        put = own(f"put_{identifier(cls.key)}")
        given = (KEY, READER, Name("message"))
        if not case.kinds:
            (only,) = (kind for kind in self.spec.events.kinds.values() if kind.cls == case.cls)
            return (Return(Call(put, (*given, Name(self.kind_names[only.name])))),)
        assert case.body is not None
        members = self.protocol.objects[case.body].members
        found: list[Statement] = []
        last: ReadMember | None = None
        ids = dict.fromkeys(id for held in case.kinds.values() for id in held.values())
        for name, held in case.kinds.items():
            images = {str(image): self.members[members[id]] for image, id in held.items()}
            counts = [own(one.attribute).attribute("count") for one in images.values()]
            there = all_of(*(one.compared(">=" if at else ">", 0) for at, one in enumerate(counts)))
            kept = [images.get(str(image)) for image in cls.images]
            arguments = [NONE if one is None else own(one.attribute) for one in kept]
            kind = Name(self.kind_names[name])
            others = [self.members[members[id]] for id in ids if id not in held.values()]
            empty = [line for one in others for line in _no_columns(one)]
            found += when(there, (*empty, Return(Call(put, (*given, kind, *arguments)))))
            last = next(one for one in kept if one is not None)
        assert last is not None
        return (*found, missing(READER, Name(last.field)))

    def _put_event(self, cls: EventClass, puts: Body) -> Method:
        """Makes an event of a class."""
        images = tuple(Parameter(str(one), object_type("ColumnObjects", optional=True)) for one in cls.images)
        rows = EVENTS.attribute("rows")
        body = (
            Declare(ROW.id, SIZE, rows),
            *self.needed(cls, KEY),
            Do(EVENTS.call("reserve", ROW.plus(1))),
            *puts,
            assign(rows, ROW.plus(1)),
            *RETURN_OK,
        )
        parameters = (KEY_CURSOR, CURSOR, MESSAGE, Parameter("kind", INT), *images)
        return Method(f"put_{identifier(cls.key)}", parameters, INT, (cls.about,), body)


def _no_columns(image: ReadMember) -> Body:
    """Checks that an image which the event's kind lacks is empty, so that no row is lost."""
    filled = own(image.attribute).attribute("count").compared(">", 0)
    return when(filled, (fail(READER, "ROWS", Name(image.field), POS, 0, 0),))


def _taker(case: FrameCase) -> str:
    """The name of the method that reads the value of a case."""
    return f"take_{identifier(case.cls)}"
