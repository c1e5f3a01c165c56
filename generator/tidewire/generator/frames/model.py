"""The model of protocols whose key and value are frames: consecutive JSON objects, each preceded by its length.

Frame i of the key and frame i of the value are event i. A number in the key's object selects the case of the event and
the value's object. JSON objects are in the model of JSON protocols.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..json.connect_words import BlockWords
from ..json.model import ImageMember, JsonCase, JsonObject, JsonProtocol, Member, Scalar
from ..model import Located, Word


@dataclass(frozen=True, kw_only=True, eq=False)
class Head(Located):
    """A constant number before the first frame."""

    id: Word
    type: Word
    const: int
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Frames(Located):
    """A sequence of objects, each preceded by its length in bytes."""

    name: Word
    head: Head | None
    size: Word
    """The primitive that encodes a length."""
    part: Word
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Fact(Located):
    """A member of a column's object: one fact about the column."""

    id: Word
    name: Word
    type: Word | None
    """The type of the member; None for the value."""
    says: Word
    """The fact: type, flag, flags or value."""
    flagged: Word | None
    """For `flag`: which flag."""
    absent: Word | None
    may_miss: bool
    """Whether a reader takes columns without the member."""
    values: Word | None
    """For the value: the value table."""
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnPart(Located):
    """How a column of a row image is written: its facts, in order."""

    name: Word
    facts: tuple[Fact, ...]
    skip_unknown: bool
    sorted: tuple[Word, ...]
    """The producers that write the columns of an image sorted by the bytes of their names."""
    about: str

    def saying(self, says: str) -> Fact | None:
        """The member with this fact."""
        return next((one for one in self.facts if one.says == says), None)


@dataclass(frozen=True, kw_only=True, eq=False)
class FrameCase(JsonCase):
    """The case of events whose key has this number: a class, whose kinds are distinguished by the images present."""

    cls: Word
    body: Word | None
    """The object of the value; None: its frame is empty."""
    about: str
    kinds: Mapping[Word, Mapping[Word, Word]]
    """By event kind: its row images, each with the member of the message that contains it. A message is of the first
    kind whose images it has; a class of events without row images has one kind.
    """


@dataclass(frozen=True, kw_only=True, eq=False)
class FramesProtocol(JsonProtocol):
    """A protocol whose key and value are frames."""

    key_frames: Frames
    value_frames: Frames
    frames: Mapping[str, Frames]
    choices: tuple[Word, ...]
    """Names of parts that are one of several objects."""
    by: Word | None
    """The reference to the member that selects a value's object."""
    choice_about: str
    """The description of such a part (`choices`), for the page."""
    columns: Mapping[str, ColumnPart]
    orders: Mapping[str, tuple[Word, ...]]
    """By producer, the order in which it writes the key's members, if not that of the spec."""

    @property
    def message_name(self) -> Word:
        return self.key_frames.part

    @property
    def read_inside(self) -> frozenset[str]:
        batching = self.batching
        return frozenset() if batching is None or batching.bytes is None else frozenset([str(batching.bytes)])

    @property
    def message(self) -> JsonObject:
        """The object of the key; while it is missing (until reported), an object without members."""
        nothing = JsonObject(
            location=self.location,
            words={},
            name=self.message_name,
            members={},
            block=BlockWords(location=self.location, words={}),
            skip_unknown=False,
            order={},
            cases={},
            rest=None,
            about="",
        )
        return self.objects.get(self.message_name, nothing)

    @property
    def cases(self) -> tuple[FrameCase, ...]:
        """The cases of the switch."""
        return tuple(one for one in self.message.cases.values() if isinstance(one, FrameCase))

    @property
    def bodies(self) -> tuple[JsonObject, ...]:
        """The objects of the value."""
        names = dict.fromkeys(one.body for one in self.cases if one.body is not None)
        return tuple(self.objects[name] for name in names if name in self.objects)

    @property
    def images(self) -> tuple[ImageMember, ...]:
        """The members with row images."""
        return tuple(one for body in self.bodies for one in body.members.values() if isinstance(one, ImageMember))

    @property
    def column(self) -> ColumnPart | None:
        """How columns are written."""
        return next((self.columns[one.part] for one in self.images if one.part in self.columns), None)

    @property
    def said_twice(self) -> frozenset[str]:
        """Names that several members of the key have: readers take the last one."""
        names = [str(one.name) for one in self.message.members.values()]
        return frozenset(one for one in names if names.count(one) > 1)

    @property
    def column_types(self) -> bool:
        return False

    def walk(self) -> Iterator[tuple[tuple[Member, ...], Member]]:
        yield from self._inside(self.message, ())
        for body in self.bodies:
            yield from self._inside(body, ())


def is_read(member: Member) -> bool:
    """Whether readers take the member; constants are ignored."""
    return not isinstance(member, Scalar) or member.const is None


def by_name(held: JsonObject) -> tuple[Member, ...]:
    """One member for each name: if several have it, the one that readers take."""
    found: dict[str, Member] = {}
    for member in held.members.values():
        if member.name not in found or not is_read(found[member.name]):
            found[str(member.name)] = member
    return tuple(found.values())
