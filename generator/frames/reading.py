"""The plan of the decoder of a protocol of frames: a function for each object, and one for each class of events."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..json.model import ImageMember, JsonObject, Member, Scalar, identifier
from ..json.reading import JsonReadPlanner
from ..json.reading_nodes import Put, PutEvent, ReadMember, ReadObject, SharedPuts
from ..json.sharing import share_puts
from ..json.values import codec_constants, planned_values
from ..model import EventClass
from ..plan.constants import constant
from ..plan.events import EventColumn
from ..plan.names import flag_constants
from ..plan.values import PlannedValues
from .model import Fact, FrameCase, FramesProtocol, by_name


@dataclass(frozen=True)
class ReadHead:
    """The number before the first frame."""

    name: str
    const: int
    field: str
    about: str


@dataclass(frozen=True)
class ReadKind:
    """A kind of events, and the images that make a row one of it."""

    name: str
    code: str
    images: tuple[ReadMember | None, ...]
    """For each image of the class, the member that has it."""
    condition: str
    """When the row is of this kind; empty: always."""


@dataclass(frozen=True)
class ReadFrame:
    """What an event is whose key has this number."""

    constant: str
    """Of the number."""
    reader: str
    """What reads the value and puts the event."""
    about: str
    function: str
    """What puts the event."""
    body: ReadObject | None
    kinds: tuple[ReadKind, ...]

    @property
    def missing(self) -> ReadMember | None:
        """The image that is missing where no kind's images are there."""
        return next((one for one in self.kinds[-1].images if one is not None), None)


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
    """How many of the fields are the key's: the first."""
    values: PlannedValues | None
    codecs: tuple[str, ...]
    head: ReadHead | None
    key: ReadObject
    key_field: str
    value_field: str
    """The constants of key and value as a whole."""
    key_frame: str
    value_frame: str
    """The constants of a frame."""
    objects: tuple[ReadObject, ...]
    """That of the key first."""
    repeated: tuple[str, ...]
    """Names of the key's members that can come again."""
    facts: tuple[Fact, ...]
    handle_flag: str
    """The flag that a column has whose object says that it is in the handle key."""
    switch: ReadMember
    schema: ReadMember | None
    table: ReadMember | None
    images: tuple[ReadMember, ...]
    cases: tuple[ReadFrame, ...]
    events: tuple[PutEvent, ...]
    shared: tuple[SharedPuts, ...]
    event_columns: tuple[EventColumn, ...]

    @property
    def errors(self) -> tuple[str, ...]:
        """The kinds of trouble that the module names."""
        strict = any(not one.skip_unknown for one in self.objects)
        return tuple(sorted(["ENUM", "MISSING", "TRAILING", *(["UNNAMED"] if strict else [])]))

    @property
    def meant(self) -> bool:
        """Whether some number means a time."""
        return any(one.means in ("tso", "physical", "sent") for held in self.objects for one in held.members)

    @property
    def bodies(self) -> tuple[ReadObject, ...]:
        return self.objects[1:]

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the members of a column's object."""
        return tuple(str(one.name) for one in self.facts)

    @property
    def column_places(self) -> tuple[str, ...]:
        """Which of them say type, flags, one flag and value; -1 where none does."""
        says = [str(one.says) for one in self.facts]
        return tuple(str(says.index(what) if what in says else -1) for what in ("type", "flags", "flag", "value"))


class FramesReadPlanner(JsonReadPlanner):
    """Plans the decoder of one protocol of frames."""

    protocol: FramesProtocol

    def plan_frames(self, module: str) -> FramesDecoderPlan:
        """The whole plan."""
        protocol = self.protocol
        self._objects()
        carrying = {str(one.event): self.members[one] for one in self._scalars()}
        events, shared = share_puts([self._event(one) for one in self._classes()])
        column = protocol.column
        value = None if column is None else column.saying("value")
        values = None
        if value is not None and value.values is not None:
            values = planned_values(self.spec, protocol.values[value.values])
        head = protocol.key_frames.head
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
            codecs=codec_constants([] if values is None else [values]),
            head=None if head is None else ReadHead(str(head.id), head.const, self.head_field, head.about),
            key=self.objects[0],
            key_field=self.key_field,
            value_field=self.value_field,
            key_frame=self.objects[0].field,
            value_frame=self.value_frame,
            objects=tuple(self.objects),
            repeated=tuple(sorted(protocol.said_twice)),
            facts=() if column is None else column.facts,
            handle_flag=self._handle_flag(),
            switch=self.members[protocol.switch],
            schema=carrying.get("schema"),
            table=carrying.get("table"),
            images=tuple(self.members[one] for one in protocol.images),
            cases=tuple(self._frame(number, case) for number, case in enumerate(protocol.cases)),
            events=events,
            shared=shared,
            event_columns=self.columns,
        )

    # ---- the objects

    def _objects(self) -> None:
        """Key and value as a whole, the key's members, then those of the values."""
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
            for fact in column.facts:  # the reader of columns finds them behind the column
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

    def cursor(self, member: Member) -> str:
        return "key" if member in self.protocol.message.members.values() else "r"

    # ---- the cases

    def _classes(self) -> list[EventClass]:
        return [self.spec.events.classes[name] for name in dict.fromkeys(one.cls for one in self.protocol.cases)]

    def _frame(self, number: int, case: FrameCase) -> ReadFrame:
        cls = self.spec.events.classes[case.cls]
        body = next((one for one in self.objects[1:] if one.name == case.body), None)
        kinds = [self._frame_kind(case, cls, str(kind)) for kind in case.kinds]
        if not kinds:
            (only,) = (kind for kind in self.spec.events.kinds.values() if kind.cls == case.cls)
            kinds = [ReadKind(str(only.name), self.kind_names[only.name], (), "")]
        name = identifier(cls.key)
        return ReadFrame(self.case_names[number], f"take_{name}", str(cls.about), f"put_{name}", body, tuple(kinds))

    def _handle_flag(self) -> str:
        fact = None if self.protocol.column is None else self.protocol.column.saying("flag")
        return "0" if fact is None or fact.flagged is None else flag_constants(self.spec)[fact.flagged]

    def _frame_kind(self, case: FrameCase, cls: EventClass, kind: str) -> ReadKind:
        """A kind of a class with images, and when a row is of it: its first image has columns, the others are there."""
        assert case.body is not None
        held = next(images for name, images in case.kinds.items() if name == kind)
        members = self.protocol.objects[case.body].members
        found = {str(image): self.members[members[name]] for image, name in held.items()}
        tests = [
            f"self.{member.attribute}.count {'> 0' if at == 0 else '>= 0'}" for at, member in enumerate(found.values())
        ]
        images = tuple(found.get(str(image)) for image in cls.images)
        return ReadKind(kind, self.kind_names[kind], images, " and ".join(tests))

    # ---- events

    def _put(self, column: EventColumn, cls: EventClass, carrying: dict[str, Scalar], commit: Scalar | None) -> Put:
        found = super()._put(column, cls, carrying, commit)
        if column.name.endswith(("_layout", "_row")) and column.name not in self.spec.events.fields:
            return replace(found, otherwise=found.otherwise.replace("i64[k]", "i64[0]"))
        return found
