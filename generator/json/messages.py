"""What a JSON encoder writes for each kind of event: its message, member by member."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..facts import DDL_CLASS, DDL_TYPE
from ..model import EventClass, EventKind, Keep, Option, Spec
from ..plan.constants import kind_constants
from ..texts import Code
from .model import (
    BASE64,
    BOOL,
    OMIT,
    TEXT,
    UNSIGNED,
    JsonCase,
    JsonObject,
    JsonProtocol,
    MappedMember,
    Member,
    ObjectMember,
    RowsMember,
    Scalar,
    identifier,
)
from .spelling import HTML, spelled
from .writing_nodes import Call, If, Raw, Step, Steps, WriteMessage, WriteObject

NAMED = ("schema", "table")
"""Fields that a batch of events keeps once for all events of a table."""
FEWEST_LINES = 6
"""Shorter objects stand in every message that has them: a call would not be easier to read."""


class Writer:
    """Gathers the steps of a message; pieces that follow one another become one."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def raw(self, text: bytes) -> None:
        if self.steps and isinstance(self.steps[-1], Raw):
            self.steps[-1] = Raw(self.steps[-1].json + text)
        elif text:
            self.steps.append(Raw(text))

    def add(self, steps: Steps) -> None:
        for step in steps:
            last = self.steps[-1] if self.steps else None
            if isinstance(step, Raw):
                self.raw(step.json)
            elif isinstance(step, If) and isinstance(last, If) and last.alone and step.alone == last.alone:
                both = Writer()
                both.add((*last.steps, *step.steps))
                self.steps[-1] = If(step.condition, both.all())
            else:
                self.steps.append(step)

    def call(self, text: str) -> None:
        self.steps.append(Call(text))

    def when(self, condition: str, steps: Steps, otherwise: Steps = ()) -> None:
        self.steps.append(If(condition, steps, otherwise))

    def all(self) -> Steps:
        return tuple(self.steps)


@dataclass(frozen=True)
class WrittenKind:
    """A kind of events that is being told."""

    kind: EventKind
    case: JsonCase | None
    """None is the rest."""
    rows: str
    """The variable with the rows whose columns the message describes; the one with the row's number is `row`."""
    row: str
    needs: set[str] = field(default_factory=set)
    """The variables that its steps use."""


@dataclass(frozen=True)
class _Piece:
    """A member with its value, and what stands before it."""

    member: Member
    steps: Steps
    needs: frozenset[str]


PARAMETERS = (
    ("members", "RowMembers", "RowMembers"),
    ("rows", "WrittenRows", "WrittenRows"),
    ("row", "cython.Py_ssize_t", "Py_ssize_t"),
)
"""The variables of a message that an object in it may need: names, annotations and C types."""


class MessagePlanner:
    """Plans the functions that write messages.

    Attributes:
        told: the kinds of events that have messages, each with its case; None is the rest.
        ways: the flags of columns that options keep alone.
        shared: of each class the objects that all its kinds write with the same steps.
    """

    def __init__(
        self, spec: Spec, protocol: JsonProtocol, at: Mapping[str, str], printed: Mapping[Member, str]
    ) -> None:
        """
        Args:
            at: the constants of the columns of events, by name.
            printed: the names of members in printed code.
        """
        self.spec = spec
        self.protocol = protocol
        self.at = at
        self.kind_names = kind_constants(spec.events)
        self.printed = printed
        self.html = protocol.escape == HTML
        self.told = self._told()
        self.keeps = [one for one in protocol.options.values() if one.keep is not None]
        flags = [str(one.keep.flagged) for one in self.keeps if one.keep is not None and one.keep.flagged is not None]
        self.ways = tuple(dict.fromkeys(flags))
        self.shared = {name: self._shared(name) for name in spec.events.classes}

    def messages(self) -> tuple[WriteMessage, ...]:
        """The functions that write a message."""
        return tuple(self._message(kind, case) for kind, case in self.told)

    def objects(self) -> tuple[WriteObject, ...]:
        """The functions that write an object of several messages."""
        return tuple(one for found in self.shared.values() for one in found.values())

    def images(self, kind: EventKind) -> tuple[str, ...]:
        """The row images of a kind of event."""
        cls = self.spec.events.classes[kind.cls]
        return tuple(str(name) for name in (kind.images if kind.images is not None else cls.images))

    def _told(self) -> list[tuple[EventKind, JsonCase | None]]:
        """The kinds of events that have messages, each with its case; None is the rest."""
        kinds = self.spec.events.kinds
        found: list[tuple[EventKind, JsonCase | None]] = []
        for kind in kinds.values():
            for case in self.protocol.message.cases.values():
                if case.event == kind.name:
                    found.append((kind, case))
            rest = self.protocol.message.rest
            if rest is not None and rest.event == kind.name:
                found.append((kind, None))
        return found

    def _message(self, kind: EventKind, case: JsonCase | None) -> WriteMessage:
        root = self.protocol.message
        rest = root.rest
        when = rest.when if case is None and rest is not None else case.when if case is not None else None
        images = self.images(kind)
        main = images[0] if images else ""
        told = WrittenKind(kind, case, main, f"{main}_row")
        shared = self.shared[kind.cls]
        writer = Writer()
        writer.raw(b"{")
        needs: set[str] = set()
        for piece in self._pieces(root, told):
            if piece.member in shared:
                writer.add(_called(shared[piece.member], piece, told))
            else:
                writer.add(piece.steps)
                needs |= piece.needs
        writer.raw(b"}")
        return WriteMessage(
            name=f"write_{kind.name}",
            kind=str(kind.name),
            code=self.kind_names[kind.name],
            about=kind.about if case is None else f"{case.text}: {kind.about[:1].lower()}{kind.about[1:]}",
            images=tuple(
                (image, self.at[f"{image}_layout"], self.at[f"{image}_row"], self._way(kind, image)) for image in images
            ),
            main=main,
            named="table" in needs,
            when=None if when is None else when.replace("-", "_"),
            steps=writer.all(),
        )

    def _shared(self, cls: str) -> dict[Member, WriteObject]:
        """The objects that all kinds of a class write with the same steps."""
        told = [WrittenKind(kind, case, "rows", "row") for kind, case in self.told if kind.cls == cls]
        if len(told) < 2:
            return {}
        images = {image for one in told for image in self.images(one.kind)}
        kinds = ", ".join(str(one.kind.name) for one in told)
        pieces = [{piece.member: piece for piece in self._pieces(self.protocol.message, one)} for one in told]
        found: dict[Member, WriteObject] = {}
        for member, piece in pieces[0].items():
            alike = all(one.get(member) == piece for one in pieces) and not piece.needs & images
            if alike and isinstance(member, ObjectMember):
                held = self.protocol.objects[member.part]
                planned = WriteObject(
                    name=f"write_{identifier(cls)}_{identifier(held.name)}",
                    about=f"{member.name} of {kinds}.",
                    named="table" in piece.needs,
                    parameters=tuple(one for one in PARAMETERS if one[0] in piece.needs),
                    steps=_unconditional(piece.steps)[1],
                )
                if _lines(planned.steps) >= FEWEST_LINES:
                    found[member] = planned
        return found

    def _way(self, kind: EventKind, image: str) -> str:
        """Which columns of an image are kept."""
        text = "0"
        for option, keep in self._kept(kind, image):
            if keep.flagged is not None:
                text = f"{1 + self.ways.index(str(keep.flagged))} if self.{option.python_name} else {text}"
        return text

    def _kept(self, kind: EventKind, image: str) -> list[tuple[Option, Keep]]:
        return [
            (one, one.keep)
            for one in self.keeps
            if one.keep is not None and one.keep.event == kind.name and one.keep.image == image
        ]

    def _object(self, w: Writer, held: JsonObject, told: WrittenKind) -> None:
        """An object within a message."""
        w.raw(b"{")
        for piece in self._pieces(held, told):
            w.add(piece.steps)
            told.needs.update(piece.needs)
        w.raw(b"}")

    def _pieces(self, held: JsonObject, told: WrittenKind) -> list[_Piece]:
        """The members of an object. A comma is known to be needed, known not to be, or seen when it is written."""
        found: list[_Piece] = []
        before: bool | None = False
        for member in self._members(held, told.kind.cls):
            own = replace(told, needs=set())
            value = Writer()
            presence = self._value(value, member, own)
            if presence is None:
                continue
            name = spelled(str(member.name), self.html) + b":"
            named: Steps = (Raw(b"," + name if before else name),)
            if before is None:
                named = (Call("s.comma()"), Raw(name))
            inner = Writer()
            inner.add(self._whole(named, value.all(), member))
            conditions = [] if member.when is None else [f"self.{member.when.replace('-', '_')}"]
            if presence:
                conditions.append(presence)
            before = before or (None if conditions or self.takes_back(member) else True)
            steps = (If(" and ".join(conditions), inner.all()),) if conditions else inner.all()
            found.append(_Piece(member, steps, frozenset(own.needs)))
        return found

    def _members(self, held: JsonObject, cls: str) -> tuple[Member, ...]:
        """The members of an object that messages of a class can have, in the order in which they are written."""
        return held.ordered(cls)

    def takes_back(self, member: Member) -> bool:
        """Whether it can turn out that a member has nothing to say when it has been written."""
        return False

    def _whole(self, name: Steps, value: Steps, member: Member) -> Steps:
        """The steps for a member: its name, with the comma before it, and its value."""
        return (*name, *value)

    def _value(self, w: Writer, member: Member, told: WrittenKind) -> str | None:
        """The value of a member: the condition under which it is there, empty for always; None when it never is."""
        if isinstance(member, ObjectMember):
            self._object(w, self.protocol.objects[member.part], told)
            return ""
        if isinstance(member, Scalar):
            return self._scalar(w, member, told)
        kind, case = told.kind, told.case
        images = self.images(kind)
        if isinstance(member, RowsMember):
            image = next((str(key) for key, id in case.images.items() if id == member.id), None) if case else None
            if image is None or image not in images:
                return self._nothing(w, member)
            w.raw(b"[")
            self._image(w, told, image)
            w.raw(b"]")
            return ""
        if not images:
            return self._nothing(w, member)
        if isinstance(member, MappedMember):
            told.needs.update(("members", "rows", "row"))
            w.call(f"members.{self.printed[member]}.write(s, {told.rows}, {told.row})")
            return f"{told.rows}.texts.width" if OMIT in member.empty.values() else ""
        told.needs.add("members")
        w.call(f"s.raw(members.{self.printed[member]})")
        return f"len(members.{self.printed[member]})" if OMIT in member.empty.values() else ""

    def _image(self, w: Writer, told: WrittenKind, image: str) -> None:
        told.needs.add(image)
        plain = Call(f"{image}.write(s, {image}_row)")
        other = next((name for name in self.images(told.kind) if name != image), None)
        for option, keep in self._kept(told.kind, image):
            if keep.changed and other is not None:
                call = f"{image}.write_changed(s, {image}_row, {other}, {other}_row, {self._as_written(keep)})"
                changed = Call(Code(call))
                w.when(f"self.{option.python_name}", (changed,), (plain,))
                return
        w.steps.append(plain)

    def _as_written(self, keep: Keep) -> str:
        """Whether the producer compares what it would write."""
        who = tuple(str(name) for name in keep.as_written)
        return f"self.producer in {who!r}" if who else "False"

    def _nothing(self, w: Writer, member: Member) -> str | None:
        """What is written when there is nothing to say."""
        if member.absent == OMIT:
            return None
        w.raw(str(member.absent if member.absent is not None else "null").encode())
        return ""

    def _scalar(self, w: Writer, member: Scalar, told: WrittenKind) -> str | None:
        cls = self.spec.events.classes[told.kind.cls]
        if member.const is not None:
            w.raw(spelled(member.const, self.html))
        elif member.tells is not None:
            w.raw(b"true" if member.tells == told.kind.cls else b"false")
        elif member.switch:
            self._switched(w, told.case)
        elif member.event is not None:
            if member.event not in cls.fields:
                return self._nothing(w, member)
            return self._field(w, member, cls, told)
        return ""

    def _switched(self, w: Writer, case: JsonCase | None) -> None:
        rest = self.protocol.message.rest
        if case is not None:
            w.raw(spelled(str(case.text), self.html))
            return
        assert rest is not None
        text = Call(f"s.text_of(self.events, {self.at[rest.names]}, event)")
        if self.spec.events.fields[rest.names].means != DDL_CLASS:
            w.steps.append(text)
            return
        ddl_type = str(self.spec.events.meaning(DDL_TYPE))
        number = f"self.events.int_at({self.at[ddl_type]}, event)"
        derived = Call(f"s.string(ddl_class({number}).encode())")
        w.when(f"self.events.null_at({self.at[ddl_type]}, event)", (text,), (derived,))

    def _field(self, w: Writer, member: Scalar, cls: EventClass, told: WrittenKind) -> str:
        """What a scalar carries of the event."""
        field = self.spec.events.fields[str(member.event)]
        if field.name in NAMED:
            told.needs.add("table")
            w.call(f"s.raw(self.{field.name}s[table])")
            return f"self.named.i64[table] & {1 if field.name == 'schema' else 2}" if member.omitted else ""
        at = self.at[field.name]
        unsigned = field.type == "uint64"
        value = f"self.events.{'uint_at' if unsigned else 'int_at'}({at}, event)"
        there = f"not self.events.null_at({at}, event)"
        if field.means == "physical":
            value, there = "self.commit_ms(event)", ""
        elif field.means == "sent":
            value, there = "self.sent_ms(event)", ""
        steps = self._spelled_field(member, value, at, unsigned and field.means != "physical")
        if cls.key in member.omit_zero:
            w.steps += steps
            return f"{there} and {value} != 0" if there else f"{value} != 0"
        if not there or not field.optional or field.name in cls.needs or member.absent is None:
            w.steps += steps
            return ""
        if member.omitted:
            w.steps += steps
            return " and ".join([there, *(f"{value} != {int(json.loads(one))}" for one in member.nothing)])
        w.when(f"self.events.null_at({at}, event)", (Raw(str(member.absent).encode()),), tuple(steps))
        return ""

    @staticmethod
    def _spelled_field(member: Scalar, value: str, at: str, unsigned: bool) -> list[Step]:
        if member.type == BOOL and "false" in member.nothing:
            return [Raw(b"true")]
        if member.type == BOOL:
            return [If(value, (Raw(b"true"),), (Raw(b"false"),))]
        if member.type == TEXT:
            return [Call(f"s.text_of(self.events, {at}, event)")]
        if member.type == BASE64:
            return [Call(f"s.base64_of(self.events, {at}, event)")]
        return [Call(f"s.unsigned({value})" if unsigned or member.type == UNSIGNED else f"s.integer({value})")]


def _lines(steps: Steps) -> int:
    """How many lines they are when they are printed."""
    count = 0
    for step in steps:
        count += 1
        if isinstance(step, If):
            count += _lines(step.steps) + (1 + _lines(step.otherwise) if step.otherwise else 0)
    return count


def _unconditional(steps: Steps) -> tuple[str, Steps]:
    """The condition of the whole, empty when there is none, and the steps under it."""
    only = steps[0]
    if len(steps) == 1 and isinstance(only, If) and not only.otherwise:
        return only.condition, only.steps
    return "", steps


def _called(function: WriteObject, piece: _Piece, told: WrittenKind) -> Steps:
    """A call instead of the steps; whether the object is there at all is asked before."""
    given = {"members": "members", "rows": told.rows, "row": told.row}
    more = "".join(f", {given[name]}" for name, _, _ in function.parameters)
    call = Call(f"self.{function.name}(s, event{more})")
    condition, _ = _unconditional(piece.steps)
    return (If(condition, (call,)),) if condition else (call,)
