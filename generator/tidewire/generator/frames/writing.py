"""The plan of the encoder of a protocol of frames.

For each class of events a method writes the key's object, for each kind one writes the value's. Where producers differ
each has its own steps; common steps are printed once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..json.messages import MessagePlanner
from ..json.model import OMIT, ImageMember, JsonCase, JsonObject, Member, identifier
from ..json.scalar_steps import ALWAYS, There, WrittenKind, nothing
from ..json.sink_calls import SINK, WRITER, raw_bytes
from ..json.spelling import spelled
from ..json.spelling_model import Spelled
from ..json.writer import Writer
from ..json.writing import JsonWritePlanner
from ..model import EventKind, Keep, Spec
from ..plan.events import EventColumn
from ..plan.names import NamesPlan
from ..plan.options import option_attribute
from ..syntax.calls import EVENT, RETURN_OK, int_at
from ..syntax.nodes import (
    INT,
    SIZE,
    Binary,
    Body,
    Branch,
    Call,
    Change,
    Declare,
    Do,
    Expression,
    If,
    Items,
    Literal,
    Method,
    Name,
    Parameter,
    Return,
    Statement,
    any_of,
    assign,
    chain,
    named,
    object_type,
    own,
    uses,
    when,
)
from .model import Fact, FrameCase, FramesProtocol
from .scalar_steps import FrameScalars


@dataclass(frozen=True)
class WriteValue:
    """Writes the objects of a kind of events."""

    code: Expression
    """The constant for the kind."""
    key: str
    """The method for the key."""
    method: Method | None
    """The method for the value; None: its frame is empty."""


@dataclass(frozen=True)
class PlannedBatching:
    """Which events share a message."""

    count: str
    bytes: str
    bytes_of: tuple[tuple[str, str], ...]
    """By producer, the attribute of an option with an additional limit."""
    overhead: int


@dataclass(frozen=True)
class PlannedHead:
    """The number before the first frame of the key."""

    name: str
    const: int


@dataclass(frozen=True)
class FramesEncoderPlan:
    """An encoder's module."""

    source: str
    protocol: str
    module: str
    title: str
    about: str
    options: tuple[tuple[str, str, str], ...]
    """The encoder's options: attribute, annotation and C type of each."""
    values: str | None
    columns: tuple[EventColumn, ...]
    looking: tuple[Method, ...]
    """The methods that check events before they are written."""
    writing: tuple[Method, ...]
    """The methods that write the objects of an event: for each class the key's, for each kind the value's."""
    spelling: Mapping[str, Spelled]
    """By producer, how it escapes texts."""
    sorted: tuple[str, ...]
    """The producers that write columns sorted by name."""
    sorting: Expression
    """The expression for whether this producer sorts them."""
    flags: Expression
    """For each choice of columns, the flag of the columns that are written."""
    absent: tuple[bytes, bytes]
    """What is written for a missing schema and a missing table name."""
    head: PlannedHead | None
    batching: PlannedBatching | None
    items: bool
    """Whether each object of a value is compressed."""
    head_of_column: Body
    """The steps that write what precedes a column's value."""

    @property
    def at(self) -> dict[str, str]:
        """The constant of every column that the encoder reads, by name."""
        return {one.name: one.constant for one in self.columns}


class FrameMessages(MessagePlanner):
    """Plans the objects as one producer writes them."""

    protocol: FramesProtocol

    def __init__(
        self, spec: Spec, protocol: FramesProtocol, at: Mapping[str, str], producer: str, ways: Sequence[Expression]
    ) -> None:
        self.producer = producer
        super().__init__(spec, protocol, at, {}, ways)
        self.spelling = protocol.spelling.of(producer)

    def _scalar_planner(self) -> FrameScalars:
        return FrameScalars(self.spec, self.protocol, self.at, self.protocol.spelling.of(self.producer))

    def _carried_cases(self) -> list[tuple[EventKind, JsonCase | None]]:
        kinds = self.spec.events.kinds.values()
        return [
            (kind, case)
            for case in self.protocol.cases
            for kind in kinds
            if kind.cls == case.cls and (not case.kinds or kind.name in case.kinds)
        ]

    def _members(self, held: JsonObject, kind: EventKind) -> tuple[Member, ...]:
        """The members of an object that the producer writes, in its order."""
        order = self.protocol.orders.get(self.producer) if held is self.protocol.message else None
        members = [held.members[name] for name in order] if order else list(held.members.values())
        return tuple(self._own(one) for one in members if one.is_of(kind.cls) and self._writes(one))

    def _writes(self, member: Member) -> bool:
        return not member.producers or self.producer in member.producers

    def _own(self, member: Member) -> Member:
        """The member with this producer's settings."""
        return replace(member, absent=member.absent_by[self.producer]) if member.absent_by else member

    def key(self, kind: EventKind, case: FrameCase) -> tuple[Body, frozenset[str]]:
        """The steps for the key, and the variables that they need."""
        return self._steps(self.protocol.message, WrittenKind(kind, case, "", ""))

    def value(self, kind: EventKind, case: FrameCase) -> Body:
        """The steps for the value."""
        if case.body is None:
            return ()
        return self._steps(self.protocol.objects[case.body], WrittenKind(kind, case, "", ""))[0]

    def _steps(self, held: JsonObject, written: WrittenKind) -> tuple[Body, frozenset[str]]:
        w = Writer()
        self.write_object(w, held, written)
        return w.all(), frozenset(written.needs)

    def _value(self, w: Writer, member: Member, written: WrittenKind) -> There | None:
        if not isinstance(member, ImageMember):
            return super()._value(w, member, written)
        image = self.image_in(member, written)
        if image is None:
            return nothing(w, member)
        self._image(w, written, image)
        return ALWAYS

    def image_in(self, member: Member, written: WrittenKind) -> str | None:
        """The row image of the kind that the member holds; None if it holds none."""
        case = written.case
        assert isinstance(case, FrameCase)
        held = next((images for kind, images in case.kinds.items() if kind == written.kind.name), {})
        return next((str(image) for image, name in held.items() if name == member.id), None)

    def _as_written(self, keep: Keep) -> Expression:
        return Literal(self.producer in keep.as_written)

    def takes_back(self, member: Member) -> bool:
        return isinstance(member, ImageMember) and member.empty.get(self.producer) == OMIT

    def _whole(self, name: Body, value: Body, member: Member) -> Body:
        """Removes an image without columns after it was written, if the producer omits it."""
        if not self.takes_back(member):
            return (*name, *value)
        pos = SINK.attribute("pos")
        back = when(COUNT.equals(0), (assign(pos, START),))
        return (assign(START.id, pos), *name, *map(_counted, value), *back)


START, COUNT = Name("start"), Name("count")
"""Where an image starts in the sink, and how many of its columns were written."""


def _counted(step: Statement) -> Statement:
    """The step, changed to store the number of columns that it writes."""
    match step:
        case If(branches):
            return If(tuple(Branch(one.condition, tuple(map(_counted, one.body))) for one in branches))
        case Do(call) if raw_bytes(step) is None:
            return assign(COUNT.id, call)
        case _:
            return step


class FramesWritePlanner(JsonWritePlanner):
    """Plans the encoder of one protocol of frames."""

    protocol: FramesProtocol

    def __init__(self, spec: Spec, protocol: FramesProtocol, columns: Sequence[EventColumn], names: NamesPlan) -> None:
        super().__init__(spec, protocol, columns, names)
        ways = [one.name for one in self.ways]
        self.by_producer = {who: FrameMessages(spec, protocol, self.at, who, ways) for who in protocol.producers}
        self.first = next(iter(self.by_producer.values()))
        self.messages = self.first

    def plan_frames(self, module: str) -> FramesEncoderPlan:
        """The whole plan."""
        protocol = self.protocol
        carriers = self._carriers()
        column = protocol.column
        head = protocol.key_frames.head
        value = None if column is None else column.saying("value")
        written = [(kind, case) for kind, case in self.messages.carried_cases if isinstance(case, FrameCase)]
        messages = [self._message(kind, case) for kind, case in written]
        by_name = () if column is None else tuple(str(one) for one in column.sorted)
        return FramesEncoderPlan(
            source=protocol.file,
            protocol=str(protocol.name),
            module=module,
            title=protocol.title,
            about=protocol.about,
            options=self._options(),
            values=None if value is None or value.values is None else str(value.values),
            columns=self.columns,
            looking=(self.check_event(), *self._gathering()),
            writing=(
                self._write_objects(messages),
                *map(self._key, protocol.cases),
                *(one.method for one in messages if one.method is not None),
            ),
            spelling={producer: protocol.spelling.of(producer) for producer in protocol.producers},
            sorted=by_name,
            sorting=_as_any(by_name),
            flags=Items(tuple(one.flag for one in self.ways)),
            absent=(self._absent(carriers, "schema"), self._absent(carriers, "table")),
            head=None if head is None else PlannedHead(str(head.id), head.const),
            batching=self._batching(),
            items=protocol.compression is not None,
            head_of_column=() if column is None else self._head_of_column(column.facts),
        )

    def _gathering(self) -> tuple[Method, ...]:
        """The method that decides which events share a message."""
        batching = self.protocol.batching
        about = "Whether the event can share a message with others."
        return () if batching is None else (self.gathered(batching.gather, about),)

    def _write_objects(self, messages: Sequence[WriteValue]) -> Method:
        """Writes the objects of an event: those of its kind."""
        kinds = chain([Branch(Name("kind").equals(one.code), _event(one)) for one in messages])
        parameters = (Parameter("key", object_type("JsonSink")), *WRITER)
        about = "The objects of an event, in key and value."
        body = (*self._kind(), *kinds, *RETURN_OK)
        return Method("write_objects", parameters, INT, (about,), body, overrides=True)

    def _batching(self) -> PlannedBatching | None:
        batching = self.protocol.batching
        if batching is None:
            return None
        assert batching.count is not None
        assert batching.bytes is not None
        return PlannedBatching(
            option_attribute(batching.count),
            option_attribute(batching.bytes),
            tuple((str(who), option_attribute(option)) for who, option in batching.bytes_of.items()),
            batching.overhead,
        )

    def _merged(self, steps: Mapping[str, Body]) -> Body:
        """The steps of all producers: common ones once, others under a condition."""
        groups: dict[Body, list[str]] = {}
        for who, own_steps in steps.items():
            groups.setdefault(own_steps, []).append(who)
        *others, last = groups
        merged: Body = last
        for group in reversed(others):
            merged = when(_as_any(groups[group]), group, merged)
        return merged

    def _key(self, case: FrameCase) -> Method:
        kind = next(kind for kind in self.spec.events.kinds.values() if kind.cls == case.cls)
        found = {who: one.key(kind, case) for who, one in self.by_producer.items()}
        needs = frozenset(name for _, names in found.values() for name in names)
        steps = self._merged({who: steps for who, (steps, _) in found.items()})
        return Method(
            _key_name(case.cls),
            WRITER,
            INT,
            (f"The key's object of events of class {case.cls}.",),
            (*self.messages.table_of(needs), *steps, *RETURN_OK),
        )

    def _message(self, kind: EventKind, case: FrameCase) -> WriteValue:
        steps = self._merged({who: one.value(kind, case) for who, one in self.by_producer.items()})
        body = None if case.body is None else self.protocol.objects[case.body]
        images: list[Statement] = []
        for member in body.members.values() if body is not None else ():
            image = self.first.image_in(member, WrittenKind(kind, case, "", ""))
            if image is not None and isinstance(member, ImageMember):
                left_out = image == self.messages.images(kind)[0] and OMIT in member.empty.values()
                images += self._image(kind, image, bool(member.empty) and not left_out)
        kept = (Declare(START.id, SIZE), Declare(COUNT.id, SIZE)) if uses(START.id, *steps) else ()
        method = Method(f"write_{kind.name}", WRITER, INT, (kind.about,), (*kept, *images, *steps, *RETURN_OK))
        return WriteValue(Name(self.kind_names[kind.name]), _key_name(kind.cls), method if steps else None)

    def _image(self, kind: EventKind, image: str, empty: bool) -> Body:
        """Prepares a row image for writing; unless it may be empty, checks that it has columns to write."""
        layout, row = self.columns_at[f"{image}_layout"], self.columns_at[f"{image}_row"]
        rows = Name(image)
        prepared = Call(own("prepare"), (int_at(layout), self.messages.way(kind, image)))
        found = (
            Declare(image, object_type("WrittenRows"), prepared),
            Declare(f"{image}_row", SIZE, int_at(row)),
        )
        if empty:
            return found
        reason = Literal(f"its row image `{image}` has no column to be written{self.messages.kept_alone(kind, image)}")
        without = rows.attribute("texts").attribute("width").equals(0)
        return (*found, *when(without, (Do(Call(own("refuse"), (reason,))),)))

    def _head_of_column(self, facts: Sequence[Fact]) -> Body:
        """Writes what is between a column's name and its value; consecutive constants are joined."""
        column = Name("column")
        parts: list[tuple[Expression | None, bytes, list[Expression]]] = [(None, b"", [])]
        before = "{"
        for fact in facts:
            name = f"{before}{spelled(str(fact.name), self.spelling).decode()}:".replace("%", "%%")
            before = ","
            if fact.says == "flag":
                assert fact.flagged is not None
                flagged = column.attribute("flags").masked(named(self.flag_names[fact.flagged]))
                parts.append((flagged, f"{name}true".encode(), []))
                continue
            if parts[-1][0] is not None:
                parts.append((None, b"", []))
            condition, text, values = parts.pop()
            if fact.says == "value":
                parts.append((condition, text + name.encode(), values))
            else:
                parts.append((condition, text + f"{name}%d".encode(), [*values, column.attribute(str(fact.says))]))
        head = Name("head")
        (_, text, values), *others = parts
        found: list[Statement] = [assign(head.id, _formatted(text, values))]
        for condition, text, values in others:
            found += when(condition, (Change(head, "+", _formatted(text, values)),))
        return (*found, Return(head))


def _key_name(cls: str) -> str:
    return f"write_{identifier(cls)}_key"


def _event(message: WriteValue) -> Body:
    """Writes the objects of an event."""
    key = Do(Call(own(message.key), (Name("key"), EVENT)))
    return (key,) if message.method is None else (key, Do(Call(own(message.method.name), (SINK, EVENT))))


def _as_any(producers: Sequence[str]) -> Expression:
    """Whether messages are written as by one of these producers."""
    return any_of(tuple(own(f"as_{one}") for one in producers))


def _formatted(text: bytes, values: Sequence[Expression]) -> Expression:
    """A text with numbers in it."""
    if not values:
        return Literal(text.replace(b"%%", b"%"))
    return Binary(Literal(text), "%", values[0] if len(values) == 1 else Items(tuple(values)))
