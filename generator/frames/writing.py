"""The plan of the encoder of a protocol of frames.

For each class of events a function writes the object of the key, for each kind one writes that of the value. Producers
who write something else have steps of their own; what all of them write alike is printed once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..json.messages import MessagePlanner, Writer, WrittenKind
from ..json.model import OMIT, ImageMember, JsonCase, JsonObject, Member, Scalar, identifier
from ..json.spelling import spelled
from ..json.writing import JsonWritePlanner
from ..json.writing_nodes import Call, CheckedKind, If, Step, Steps
from ..model import EventKind, Keep, Spec
from ..plan.events import EventColumn
from ..plan.facade import python_name
from ..texts import Code, literal
from .model import Fact, FrameCase, FramesProtocol, Spelling

HEAD = 8
"""Bytes of the number before the first frame."""


@dataclass(frozen=True)
class WriteKey:
    """Writes the key's objects of a class of events."""

    name: str
    about: str
    named: bool
    """Whether it says which table the event is of."""
    steps: Steps


@dataclass(frozen=True)
class WriteValue:
    """Writes the value's objects of a kind of events."""

    name: str
    key: str
    """The function for the key."""
    kind: str
    code: str
    about: str
    images: tuple[tuple[str, str, str, str, bool], ...]
    """Name of each row image that is written, the columns with its layout and row, the expression for the columns that
    are kept, and whether it can be without columns."""
    start: bool
    """Whether it remembers where an image begins, to take it back."""
    steps: Steps
    """None: the frame is empty."""


@dataclass(frozen=True)
class PlannedBatching:
    """Which events share a message."""

    kinds: tuple[tuple[str, str], ...]
    """Constants and names of the kinds."""
    count: str
    bytes: str
    bytes_of: tuple[tuple[str, str], ...]
    """By producer, the field of an option with a limit that holds besides."""
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
    """Field, annotation and C type of each option that the encoder takes."""
    values: str | None
    columns: tuple[EventColumn, ...]
    kinds: tuple[CheckedKind, ...]
    keys: tuple[WriteKey, ...]
    messages: tuple[WriteValue, ...]
    spelling: Mapping[str, Spelling]
    sorted: tuple[str, ...]
    ways: tuple[tuple[str, str], ...]
    """The flags of columns that are kept alone, each with its constant; way 0 keeps all columns."""
    absent: tuple[str, str]
    """What is written for no schema and for no table."""
    commit: tuple[str, str] | None
    """The columns with the commit ts and with its physical part."""
    sent: str | None
    """The column that says when a message was sent."""
    head: PlannedHead | None
    batching: PlannedBatching | None
    items: bool
    """Whether the objects of values are compressed."""
    opens: tuple[tuple[str, Code], ...]
    """What stands before a column's value: conditions and expressions."""

    @property
    def around(self) -> int:
        """What is added to the bytes of a message and of one more event, which has a head of its own so far."""
        overhead = 0 if self.batching is None else self.batching.overhead
        return overhead - (HEAD if self.head is not None else 0)

    @property
    def at(self) -> dict[str, str]:
        """The constant of every column that is read."""
        return {one.name: one.constant for one in self.columns}


class FrameMessages(MessagePlanner):
    """Plans the objects as one producer writes them."""

    protocol: FramesProtocol

    def __init__(self, spec: Spec, protocol: FramesProtocol, at: Mapping[str, str], producer: str) -> None:
        self.producer = producer
        super().__init__(spec, protocol, at, {})
        self.html = protocol.spelling[producer].html

    def _told(self) -> list[tuple[EventKind, JsonCase | None]]:
        kinds = self.spec.events.kinds.values()
        return [
            (kind, case)
            for case in self.protocol.cases
            for kind in kinds
            if kind.cls == case.cls and (not case.kinds or kind.name in case.kinds)
        ]

    def _members(self, held: JsonObject, cls: str) -> tuple[Member, ...]:
        """The members of an object that the producer writes, in its order."""
        order = self.protocol.orders.get(self.producer) if held is self.protocol.message else None
        members = [held.members[name] for name in order] if order else list(held.members.values())
        return tuple(self._own(one) for one in members if one.is_of(cls) and self._writes(one))

    def _writes(self, member: Member) -> bool:
        return not member.producers or self.producer in member.producers

    def _own(self, member: Member) -> Member:
        """The member as the producer writes it."""
        return replace(member, absent=member.absent_by[self.producer]) if member.absent_by else member

    def key(self, kind: EventKind, case: FrameCase) -> tuple[Steps, bool]:
        """The steps for the key, and whether they need the table."""
        return self._steps(self.protocol.message, WrittenKind(kind, case, "", ""))

    def value(self, kind: EventKind, case: FrameCase) -> Steps:
        """The steps for the value."""
        if case.body is None:
            return ()
        return self._steps(self.protocol.objects[case.body], WrittenKind(kind, case, "", ""))[0]

    def _steps(self, held: JsonObject, told: WrittenKind) -> tuple[Steps, bool]:
        w = Writer()
        self._object(w, held, told)
        return w.all(), "table" in told.needs

    def _value(self, w: Writer, member: Member, told: WrittenKind) -> str | None:
        if not isinstance(member, ImageMember):
            return super()._value(w, member, told)
        image = self.image_in(member, told)
        if image is None:
            return self._nothing(w, member)
        self._image(w, told, image)
        return ""

    def image_in(self, member: Member, told: WrittenKind) -> str | None:
        """The row image of the kind that the member holds."""
        case = told.case
        assert isinstance(case, FrameCase)
        held = next((images for kind, images in case.kinds.items() if kind == told.kind.name), {})
        return next((str(image) for image, name in held.items() if name == member.id), None)

    def _as_written(self, keep: Keep) -> str:
        return str(self.producer in keep.as_written)

    def takes_back(self, member: Member) -> bool:
        return isinstance(member, ImageMember) and member.empty.get(self.producer) == OMIT

    def _whole(self, name: Steps, value: Steps, member: Member) -> Steps:
        """What has been written of an image without columns is taken back where the producer leaves it out."""
        if not self.takes_back(member):
            return (*name, *value)
        counted = tuple(_counted(step) for step in value)
        return (Call("start = s.pos"), *name, *counted, If("count == 0", (Call("s.pos = start"),)))

    def _scalar(self, w: Writer, member: Scalar, told: WrittenKind) -> str | None:
        if member.switch:
            w.raw(str(told.case.text).encode() if told.case is not None else b"")
            return ""
        presence = super()._scalar(w, member, told)
        if member.beside is None or presence is None:
            return presence
        other = self.protocol.message.members[member.beside]
        assert isinstance(other, Scalar)
        return self._field(Writer(), other, self.spec.events.classes[told.kind.cls], told)


def _counted(step: Step) -> Step:
    """The step, with the number of columns that it writes kept."""
    if isinstance(step, If):
        return If(step.condition, tuple(map(_counted, step.steps)), tuple(map(_counted, step.otherwise)))
    return Call(Code(f"count = {step.text}")) if isinstance(step, Call) else step


def _all_calls(steps: Steps) -> Iterator[Call]:
    """The calls among steps, and among those under conditions."""
    for step in steps:
        if isinstance(step, Call):
            yield step
        elif isinstance(step, If):
            yield from _all_calls((*step.steps, *step.otherwise))


class FramesWritePlanner(JsonWritePlanner):
    """Plans the encoder of one protocol of frames."""

    protocol: FramesProtocol

    def __init__(self, spec: Spec, protocol: FramesProtocol, columns: Sequence[EventColumn]) -> None:
        super().__init__(spec, protocol, columns)
        self.by_producer = {who: FrameMessages(spec, protocol, self.at, who) for who in protocol.producers}
        self.first = next(iter(self.by_producer.values()))
        self.messages = self.first

    def plan_frames(self, module: str) -> FramesEncoderPlan:
        """The whole plan."""
        protocol = self.protocol
        carriers = self._carriers()
        column = protocol.column
        head = protocol.key_frames.head
        value = None if column is None else column.saying("value")
        told = self.messages.told
        return FramesEncoderPlan(
            source=protocol.file,
            protocol=str(protocol.name),
            module=module,
            title=protocol.title,
            about=protocol.about,
            options=self._options(),
            values=None if value is None or value.values is None else str(value.values),
            columns=self.columns,
            kinds=tuple(self._checks(kind) for kind in self.spec.events.kinds.values()),
            keys=tuple(self._key(case) for case in protocol.cases),
            messages=tuple(self._message(kind, case) for kind, case in told if isinstance(case, FrameCase)),
            spelling=protocol.spelling,
            sorted=() if column is None else tuple(str(one) for one in column.sorted),
            ways=tuple((flag, self.flag_names[flag]) for flag in self.messages.ways),
            absent=(self._absent(carriers, "schema"), self._absent(carriers, "table")),
            commit=self._commit(carriers),
            sent=self._sent(carriers),
            head=None if head is None else PlannedHead(str(head.id), head.const),
            batching=self._batching(),
            items=protocol.compression is not None,
            opens=() if column is None else self._opens(column.facts),
        )

    def _batching(self) -> PlannedBatching | None:
        batching = self.protocol.batching
        if batching is None:
            return None
        assert batching.count is not None
        assert batching.bytes is not None
        gathered = [kind for kind, _ in self.messages.told if kind.cls == batching.gather]
        return PlannedBatching(
            tuple((self.kind_names[kind.name], str(kind.name)) for kind in gathered),
            python_name(batching.count),
            python_name(batching.bytes),
            tuple((str(who), python_name(option)) for who, option in batching.bytes_of.items()),
            batching.overhead,
        )

    def _merged(self, steps: Mapping[str, Steps]) -> Steps:
        """The steps of all producers: once where they are the same, else under a condition."""
        groups: dict[Steps, list[str]] = {}
        for who, own in steps.items():
            groups.setdefault(own, []).append(who)
        *others, last = groups
        merged: Steps = last
        for own in reversed(others):
            merged = (If(" or ".join(f"self.as_{one}" for one in groups[own]), own, merged),)
        return merged

    def _key(self, case: FrameCase) -> WriteKey:
        kind = next(kind for kind in self.spec.events.kinds.values() if kind.cls == case.cls)
        found = {who: one.key(kind, case) for who, one in self.by_producer.items()}
        return WriteKey(
            f"write_{identifier(case.cls)}_key",
            f"The key's object of {self._with_article(case.cls)}.",
            any(named for _, named in found.values()),
            self._merged({who: steps for who, (steps, _) in found.items()}),
        )

    @staticmethod
    def _with_article(cls: str) -> str:
        return f"events of class {cls}"

    def _message(self, kind: EventKind, case: FrameCase) -> WriteValue:
        steps = self._merged({who: one.value(kind, case) for who, one in self.by_producer.items()})
        body = None if case.body is None else self.protocol.objects[case.body]
        images = []
        for member in body.members.values() if body is not None else ():
            image = self.first.image_in(member, WrittenKind(kind, case, "", ""))
            if image is not None and isinstance(member, ImageMember):
                way = self.messages._way(kind, image)
                empty = bool(member.empty)
                images.append((image, self.at[f"{image}_layout"], self.at[f"{image}_row"], way, empty))
        return WriteValue(
            name=f"write_{kind.name}",
            key=f"write_{identifier(kind.cls)}_key",
            kind=str(kind.name),
            code=self.kind_names[kind.name],
            about=kind.about,
            images=tuple(images),
            start=any(one.text == "start = s.pos" for one in _all_calls(steps)),
            steps=steps,
        )

    def _opens(self, facts: Sequence[Fact]) -> tuple[tuple[str, Code], ...]:
        """What stands between a column's name and its value: conditions, empty for always, and expressions of
        `column`; those that are always there and follow one another are one.
        """
        parts: list[tuple[str, bytes, list[str]]] = [("", b"", [])]
        before = "{"
        for fact in facts:
            name = f"{before}{spelled(str(fact.name), True).decode()}:".replace("%", "%%")
            before = ","
            if fact.says == "flag":
                assert fact.flagged is not None
                parts.append((f"column.flags & {self.flag_names[fact.flagged]}", f"{name}true".encode(), []))
                continue
            if parts[-1][0]:
                parts.append(("", b"", []))
            condition, text, values = parts.pop()
            if fact.says == "value":
                parts.append((condition, text + name.encode(), values))
            else:
                parts.append((condition, text + f"{name}%d".encode(), [*values, f"column.{fact.says}"]))
        return tuple((condition, _formatted(text, values)) for condition, text, values in parts)


def _formatted(text: bytes, values: Sequence[str]) -> Code:
    """The expression for a text with numbers in it."""
    if not values:
        return literal(text.replace(b"%%", b"%"))
    given = values[0] if len(values) == 1 else f"({', '.join(values)})"
    return Code(f"{literal(text)} % {given}")
