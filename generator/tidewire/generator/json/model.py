"""The model of protocols whose messages are JSON objects.

An object has members of different kinds: a scalar, names of columns, a fact about each column of a row image, row
images, or another object. The text of one member, the switch, selects the case. Everything that does not depend on the
container (spec, values, options) is in the general model.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ..model import Keep, Located, Protocol, Word
from ..problems import Location
from .around_model import Envelope, FlaggedColumns, Lines
from .connect_chapter import ConnectChapter
from .connect_words import BlockWords
from .described_model import Described, DescribedPart
from .records.model import Records
from .skipped import Skipped
from .spelling_model import Spelling
from .statement_classes import Rest

OMIT = "omit"
"""`absent: omit`: the member is left out."""

Constant: TypeAlias = int | bool | str


def identifier(name: str) -> str:
    """A name of the spec as a Python identifier that is not a keyword."""
    return f"{name}_" if keyword.iskeyword(name) else str(name)


@dataclass(frozen=True, kw_only=True, eq=False)
class MemberBase(Located):
    """The attributes of every member. A member without `of` is present for all classes of events."""

    id: Word
    """Its name in the spec and in printed code."""
    name: Word
    """Its name in the message."""
    type: Word
    """For a scalar its type; for other members the word for their kind: list, by_column, part."""
    of: tuple[Word, ...]
    """The classes of events that it is written for; empty: all."""
    when: Word | None
    """The option without which it is omitted."""
    when_of: Mapping[Word, Word] = field(default_factory=dict)
    """By kind of event: the option without which it is omitted for such events."""
    may_miss: bool
    """Whether readers take messages without it: no value; of types, an undeclared one. Encoders always write it."""
    may_miss_of: tuple[Word, ...]
    """The classes of events whose messages may lack it; empty: all."""
    absent: Word | None
    """The JSON that is written if the event has no value, or `omit`. None: the event must have a value. Readers take
    null, a missing member and this JSON for no value.
    """
    block: BlockWords
    about: str
    absent_by: Mapping[str, Word] = field(default_factory=dict)
    """`absent` by producer, where producers differ."""
    nothing: tuple[Word, ...] = ()
    """Other JSON that readers take for no value. An encoder omits a value that it would write as one of these."""
    producers: tuple[Word, ...] = ()
    """The producers that write it; empty: all. Readers accept it from any."""
    reads: bool = False
    """Whether it is only read, never written."""

    @property
    def identifier(self) -> str:
        return identifier(self.id)

    @property
    def nothings(self) -> tuple[str, ...]:
        """The JSON texts besides null that a reader takes for no value."""
        said = (self.absent, *self.absent_by.values(), *self.nothing)
        return tuple(dict.fromkeys(str(one) for one in said if one not in (None, OMIT, "null")))

    @property
    def reason(self) -> str | None:
        """The name of the difference that recordings may have in this member (NAME-order or NAME-value); None if they
        may not differ.
        """
        return None

    @property
    def omitted(self) -> bool:
        """Whether the member is omitted if the event has no value for it."""
        return self.absent == OMIT

    def required_of(self, cls: str) -> bool:
        """Whether it is an error if a message of this class lacks the member, or has null."""
        optional = self.absent is not None or self.when is not None or self.reads
        return not optional and not self.misses(cls) and self.is_of(cls)

    def misses(self, cls: str) -> bool:
        """Whether readers accept messages of this class without the member."""
        return self.may_miss and (not self.may_miss_of or cls in self.may_miss_of)

    def is_of(self, cls: str) -> bool:
        """Whether messages of this class can have the member."""
        return not self.of or cls in self.of


@dataclass(frozen=True, kw_only=True, eq=False)
class Scalar(MemberBase):
    """A number, a text or a boolean. Exactly one of `event`, `const`, `option`, `tells` and `switch` is set, or none if
    the member is always null.
    """

    event: Word | None
    """The field of the events that it carries."""
    const: Constant | None
    """The constant that is written; readers accept any value."""
    option: Word | None
    """The option whose value is written, a text; readers accept any value."""
    again: bool
    """Whether another member already carries the same event field: readers accept any value here."""
    tells: Word | None
    """`is`: written as true for events of this class; readers accept any value."""
    believed: Word | None
    """With `is`: the name of what a message of that class may contain if this member is false and the message has no
    events.
    """
    switch: bool
    """Whether its text selects the message's case."""
    omit_zero: tuple[Word, ...]
    """The classes of events for which 0 is omitted."""
    instead: Word | None
    """Another numeric event field, which is written in place of `event` if the event has it. Readers cannot tell the
    two apart, and store the value in `event`.
    """
    zero: tuple[Word, ...]
    """The classes of events for which 0 is written without meaning; readers accept any value."""
    random_value: bool
    """Whether a producer writes a different value every time."""
    beside: Word | None = None
    """For a constant: the id of the member with which it is written or omitted."""
    accepts: tuple[Word, ...] = ()
    """For a constant: the only other texts that readers accept; empty: any."""
    refused: bool = False
    """Whether readers refuse a value that is not empty; encoders write none."""
    unit: Word | None = None
    """For an event field in milliseconds: what the number counts instead, seconds or microseconds."""

    @property
    def reason(self) -> str | None:
        return f"{self.name}-value" if self.random_value else None

    @property
    def accepted(self) -> tuple[str, ...] | None:
        """The texts that readers accept; None if they accept any."""
        return tuple(map(str, (self.const, *self.accepts))) if self.accepts else () if self.refused else None

    def is_of(self, cls: str) -> bool:
        return not self.refused and super().is_of(cls)

    def required_of(self, cls: str) -> bool:
        read = self.switch or self.event is not None
        return read and cls not in self.omit_zero and cls not in self.zero and super().required_of(cls)


@dataclass(frozen=True, kw_only=True, eq=False)
class ByProducer(MemberBase):
    """A member that describes columns. `empty`: the JSON for a row without such columns, by producer; without entries,
    an empty array or object.
    """

    empty: Mapping[str, Word]
    empty_by: tuple[Word, ...]
    """The producers with their own `empty`; empty if one value counts for all."""

    def required_of(self, cls: str) -> bool:
        return OMIT not in self.empty.values() and super().required_of(cls)


@dataclass(frozen=True, kw_only=True, eq=False)
class NamesMember(ByProducer):
    """An array of the names of the columns with the flag `flagged`; readers set the flags `also`, too."""

    flagged: Word
    also: tuple[Word, ...]

    @property
    def flags(self) -> tuple[Word, ...]:
        """The flags that a reader sets for a column that is listed."""
        return (self.flagged, *self.also)


@dataclass(frozen=True, kw_only=True, eq=False)
class DeclaredMember(ByProducer):
    """An object from column name to declared type (mysql_type), for every column of the row.

    `full` names the option with which the types are complete; without it they are TiDB's type names.
    """

    full: Word | None
    random_order: bool
    """Whether a producer writes the columns in a different order every time."""

    @property
    def reason(self) -> str | None:
        return f"{self.name}-order" if self.random_order else None


@dataclass(frozen=True, kw_only=True, eq=False)
class MappedMember(ByProducer):
    """An object from column name to another name or number of the column's type, by a mapping of mysql_types.yaml.
    Readers skip it, as it follows from the type.
    """

    mapping: Word
    random_order: bool

    def required_of(self, cls: str) -> bool:
        return False

    @property
    def reason(self) -> str | None:
        return f"{self.name}-order" if self.random_order else None


@dataclass(frozen=True, kw_only=True, eq=False)
class RowsMember(MemberBase):
    """An array of row images: objects from column name to value, encoded by the value table. Image i belongs to event i
    of the message.
    """

    values: Word
    empty: Word | None = None
    """`omit`: a row image without columns is omitted. Readers accept its absence for a row that is marked partial."""
    located: Word | None = None
    """The event field with the location of values that carry a location."""
    utc: Word | None = None
    """The event field that is set to UTC for rows with TIMESTAMP values, which are in UTC."""
    known_by: Word | None = None
    """The event field that records how the column types became known."""
    single: bool = False
    """Whether it is one row image instead of an array: a message is one event."""
    sorted: tuple[Word, ...] = ()
    """The producers that write the columns sorted by the bytes of their names; others use the table's order."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ObjectMember(MemberBase):
    """A member that is another object of the protocol."""

    part: Word


@dataclass(frozen=True, kw_only=True, eq=False)
class ImageMember(ByProducer):
    """A row image with all facts about its columns: an object from column name to an object of facts."""

    part: Word
    """The part that describes how a column is written."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DescriptionMember(MemberBase):
    """An object that describes a table and fills a field of the event."""

    part: Word
    """The part with the members of the description."""
    event: Word


@dataclass(frozen=True, kw_only=True, eq=False)
class ChangesMember(DescriptionMember):
    """A list of the tables that a statement changed, in the form of Kafka connectors."""

    mapping: Word
    """The mapping that gives column types their numbers."""
    classed: Mapping[Word, tuple[Word, ...]]
    """The DDL types whose changes are CREATE, ALTER or DROP. Other types have no message."""
    lists: Mapping[Word, tuple[Word, ...]]
    """The DDL types whose changes lack something (`nothing`, `no_table`) or have more (`old_name`)."""
    renamed: str | None = None
    """The event field with the table before a rename, from which the change takes the old name."""


Member: TypeAlias = (
    Scalar | NamesMember | DeclaredMember | MappedMember | RowsMember | ObjectMember | ImageMember | DescriptionMember
)


@dataclass(frozen=True, kw_only=True, eq=False)
class JsonCase(Located):
    """What a message is if the switch member has this text.

    Either a kind of event, with the members that hold its row images (image -> member id); or, with `skip`, a message
    without events; or the same as another text (`alias`), which an encoder never writes. A skipped message may contain
    only what `skip` names; if it lacks the switch, what any one of these names allows.
    """

    text: Word
    event: Word | None
    images: Mapping[Word, Word]
    when: Word | None
    """The option without which such events have no message."""
    skip: tuple[Word, ...]
    alias: Word | None
    reads: bool = False
    """Whether such messages are only read, never written."""
    const: Mapping[Word, tuple[Word, ...]] = field(default_factory=dict)
    """What fields of these events are that no member carries: the DDL actions of statements, by their names."""
    keep: Keep | None = None
    """The columns of a row image that are written; None: all, whatever options keep."""
    has: Word | None = None
    """For a message without the switch: the id of the member by which it is recognized."""

    @property
    def action(self) -> Word | None:
        """The DDL action of these statements, where the case states one."""
        return self.actions[0] if len(self.actions) == 1 else None

    @property
    def actions(self) -> tuple[Word, ...]:
        """The DDL actions of these statements, if the case states them; empty: any."""
        return next(iter(self.const.values()), ())


@dataclass(frozen=True, kw_only=True, eq=False)
class JsonObject(Located):
    """A JSON object. `members` has them by id, in the order of writing; `order` gives another order for a class of
    events.

    `cases` and `rest` are set in the object with the switch member: the message.
    """

    name: Word
    members: Mapping[str, Member]
    again: tuple[Member, ...] = ()
    """Members whose id another member already has; empty in a valid object."""
    block: BlockWords
    skip_unknown: bool
    """Whether readers skip unknown members; otherwise they are errors."""
    order: Mapping[Word, tuple[Word, ...]]
    cases: Mapping[str, JsonCase]
    rest: Rest | None
    missing: tuple[JsonCase, ...] = ()
    """The cases of a message without the switch: the first whose member is present, else the last."""
    skipped: Mapping[str, Skipped] = field(default_factory=dict)
    """What messages without events may contain, by name."""

    about: str

    @property
    def all_cases(self) -> tuple[JsonCase, ...]:
        """The cases of the switch, followed by those of messages without it."""
        return (*self.cases.values(), *self.missing)

    def ordered(self, cls: str, kind: str = "") -> tuple[Member, ...]:
        """The members that messages of a class or kind can have, in the order of writing."""
        said = {str(key): ids for key, ids in self.order.items()}
        ids = said.get(kind) or said.get(cls)
        chosen = self.members.values() if ids is None else (self.members[id] for id in ids)
        return tuple(one for one in chosen if one.is_of(cls))


@dataclass(frozen=True, kw_only=True, eq=False)
class JsonProtocol(Protocol):
    """A protocol whose values are one JSON object, or several."""

    spelling: Spelling
    objects: Mapping[str, JsonObject]
    lines: Mapping[str, Lines]
    """The parts that are sequences of objects, by name; if there are any, the root is one."""
    parts_described: Mapping[str, DescribedPart] = field(default_factory=dict)
    """The described parts, by name."""
    described: Described | None = None
    """How rows find the description of their table; None: each message describes the columns of its rows."""
    untyped: Location | None = None
    """Where the spec states that nothing tells the types of columns; None: something does."""
    envelopes: Mapping[str, Envelope] = field(default_factory=dict)
    """The parts that are objects in an envelope, by name; if there are any, the root is one."""
    connect: ConnectChapter | None = None
    """How schema blocks write columns."""
    flagged_columns: Mapping[str, FlaggedColumns] = field(default_factory=dict)
    """The parts that consist of a row's flagged columns, by name."""
    records: Records | None = None
    """The record encoding of the same parts; None: there is none."""

    @property
    def always_kept(self) -> tuple[Word, ...]:
        kept = (case.keep for case in self.message.all_cases if case.keep is not None)
        return tuple(one.flagged for one in kept if one.flagged is not None)

    @property
    def other_encoding(self) -> tuple[Word, Word] | None:
        return None if self.records is None else (self.records.option, self.records.choice)

    @property
    def envelope(self) -> Envelope | None:
        """The envelope of the value; None if values have no envelope."""
        return self.envelopes.get(self.root)

    @property
    def key_parts(self) -> tuple[Word, ...]:
        """The different parts that keys are."""
        return tuple({str(one): one for one in self.keys.values()}.values())

    @property
    def parts_in_keys(self) -> frozenset[str]:
        """The parts that keys are, and those that lie in them."""
        held = (one for part in self.key_parts for _, one in self.walk_key(part) if isinstance(one, ObjectMember))
        return frozenset((*map(str, self.key_parts), *(str(one.part) for one in held)))

    @property
    def key_flags(self) -> tuple[Word, ...]:
        return tuple(one.flagged for one in self.flagged_columns.values())

    @property
    def message(self) -> JsonObject:
        """The object of one message: the root, or one object of a sequence."""
        return self.objects[self.message_name]

    @property
    def message_name(self) -> Word:
        """The name of that object."""
        if self.envelope is not None:
            return self.envelope.payload
        return self.lines[self.root].part if self.root in self.lines else self.root

    @property
    def terminator(self) -> Word | None:
        """The option with the text after every message; None if a value is one message."""
        return self.lines[self.root].terminator if self.root in self.lines else None

    @property
    def switch(self) -> Scalar:
        """The message member whose text selects the case."""
        return next(one for one in self.message.members.values() if isinstance(one, Scalar) and one.switch)

    @property
    def column_types(self) -> bool:
        """Whether messages may omit the types of columns."""
        missing = (isinstance(one, DeclaredMember) and one.may_miss for _, one in self.walk())
        return self.untyped is not None or any(missing)

    @property
    def learns(self) -> bool:
        """Whether messages describe tables."""
        return self.described is not None or any(isinstance(one, DescriptionMember) for _, one in self.walk())

    def walk(self) -> Iterator[tuple[tuple[Member, ...], Member]]:
        """Every member of the message and of nested objects, in the order of `members`, each with the object members
        that enclose it.
        """
        yield from self._inside(self.message, ())

    def walk_all(self) -> Iterator[tuple[tuple[Member, ...], Member]]:
        """The same for messages and their keys."""
        yield from self.walk()
        for part in self.key_parts:
            yield from self.walk_key(part)

    def walk_key(self, part: Word) -> Iterator[tuple[tuple[Member, ...], Member]]:
        """The members of a part of a key; columns of a row have none."""
        if part in self.objects:
            yield from self._inside(self.objects[part], ())

    def _inside(self, holder: JsonObject, path: tuple[Member, ...]) -> Iterator[tuple[tuple[Member, ...], Member]]:
        for member in holder.members.values():
            yield path, member
            if isinstance(member, ObjectMember) and member.part in self.objects:
                yield from self._inside(self.objects[member.part], (*path, member))
