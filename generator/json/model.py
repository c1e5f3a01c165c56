"""The model of protocols whose messages are JSON objects.

Objects have members, each of a kind of its own: a scalar, names of columns, what a row image has by column, row
images, another object. One member tells the cases apart: its text is `switch`ed on. Spec, values, options and
whatever does not depend on containers are in the general model.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ..model import Located, Protocol, Word
from .connect_chapter import ConnectChapter
from .described_model import Described, DescribedPart
from .records.model import Records
from .skipped import Skipped
from .spelling_model import Spelling
from .statement_classes import Rest

OMIT = "omit"
"""`absent: omit`: the member is left out."""

Constant: TypeAlias = int | bool | str


def identifier(name: str) -> str:
    """A name of the spec in printed code: no keyword."""
    return f"{name}_" if keyword.iskeyword(name) else str(name)


@dataclass(frozen=True, kw_only=True, eq=False)
class MemberBase(Located):
    """What every member has. A member without `of` is there for all classes of events."""

    id: Word
    """Its name in the spec and in printed code."""
    name: Word
    """Its name in the message."""
    type: Word
    """Of a scalar its type, of others the word that says what it is: list, by_column, part."""
    of: tuple[Word, ...]
    """The classes of events that it is written for."""
    when: Word | None
    """The option without which it is not written."""
    when_of: Mapping[Word, Word] = field(default_factory=dict)
    """By kind of event: the option without which it is not written of such events."""
    may_miss: bool
    """A reader takes messages without it, which have nothing for it; of types: a column that it does not describe has
    one that is not told. A writer always writes it."""
    may_miss_of: tuple[Word, ...]
    """The classes of events whose messages are taken so; none: all."""
    absent: Word | None
    """The JSON that is written when the event has nothing for it, or `omit`. None: the event must have it.

    A reader takes null, a member that is missing and this JSON for it."""
    about: str
    absent_by: Mapping[str, Word] = field(default_factory=dict)
    """`absent` by producer, where they differ."""
    nothing: tuple[Word, ...] = ()
    """Other JSON that stands for nothing: a reader takes it so, and a writer leaves out what it would be written as."""
    producers: tuple[Word, ...] = ()
    """The producers who write it; none: all. A reader takes it from any."""

    @property
    def identifier(self) -> str:
        return identifier(self.id)

    @property
    def nothings(self) -> tuple[str, ...]:
        """The JSON beside null that a reader takes for nothing."""
        said = (self.absent, *self.absent_by.values(), *self.nothing)
        return tuple(dict.fromkeys(str(one) for one in said if one not in (None, OMIT, "null")))

    @property
    def reason(self) -> str | None:
        """The name under which a recording may differ in the member: NAME-order, NAME-value; None: it may not."""
        return None

    @property
    def omitted(self) -> bool:
        """Whether the member is left out when the event has nothing for it."""
        return self.absent == OMIT

    def required_of(self, cls: str) -> bool:
        """Whether a message of this class of events that lacks the member, or has null, is an error."""
        return self.absent is None and self.when is None and not self.misses(cls) and self.is_of(cls)

    def misses(self, cls: str) -> bool:
        """Whether a reader takes messages of this class of events without the member."""
        return self.may_miss and (not self.may_miss_of or cls in self.may_miss_of)

    def is_of(self, cls: str) -> bool:
        """Whether messages of this class of events can have the member."""
        return not self.of or cls in self.of


@dataclass(frozen=True, kw_only=True, eq=False)
class Scalar(MemberBase):
    """A number, a text, true or false. Exactly one of `event`, `const`, `option`, `tells` and `switch` is there; none
    of them where the member is always null.
    """

    event: Word | None
    """The field of the events that it carries."""
    const: Constant | None
    """What is written; a reader takes anything."""
    option: Word | None
    """The option, a text, whose value is written; a reader takes anything."""
    again: bool
    """Whether it says the event's field a second time: a reader takes anything."""
    tells: Word | None
    """`is:` true for events of this class; a reader takes anything."""
    believed: Word | None
    """Of `is:` what a message of that class may have that says false, and has no events."""
    switch: bool
    """Its text says which case the message is."""
    omit_zero: tuple[Word, ...]
    """The classes of events for which 0 is left out."""
    instead: Word | None
    """Another number of the events: where an event has it, it is written in place of the field. A reader cannot tell
    the two, and takes it for the field."""
    zero: tuple[Word, ...]
    """The classes of events for which 0 is written, which says nothing; a reader takes anything."""
    random_value: bool
    """A producer writes another value every time."""
    beside: Word | None = None
    """Of a constant: the member, by its id, with which it is written and without which it is not."""
    accepts: tuple[Word, ...] = ()
    """Of a constant: other texts that a reader takes in its place, and no more; none: it takes anything."""
    refused: bool = False
    """Whether a reader refuses what has something in it, and nobody writes it."""

    @property
    def reason(self) -> str | None:
        return f"{self.name}-value" if self.random_value else None

    @property
    def accepted(self) -> tuple[str, ...] | None:
        """The texts that a reader takes; None: it takes anything."""
        return tuple(map(str, (self.const, *self.accepts))) if self.accepts else () if self.refused else None

    def is_of(self, cls: str) -> bool:
        return not self.refused and super().is_of(cls)

    def required_of(self, cls: str) -> bool:
        read = self.switch or self.event is not None
        return read and cls not in self.omit_zero and cls not in self.zero and super().required_of(cls)


@dataclass(frozen=True, kw_only=True, eq=False)
class ByProducer(MemberBase):
    """A member that says something of columns. `empty`: the JSON of a row without columns to say it of, by producer;
    no entries: an empty array or object, as it comes."""

    empty: Mapping[str, Word]
    empty_by: tuple[Word, ...]
    """The producers by whom it is said; none when it is said once for all."""


@dataclass(frozen=True, kw_only=True, eq=False)
class NamesMember(ByProducer):
    """An array of the names of those columns that have the flag `flagged`; a reader gives them the flags `also` too."""

    flagged: Word
    also: tuple[Word, ...]

    @property
    def flags(self) -> tuple[Word, ...]:
        """The flags that a column has whose name a reader finds."""
        return (self.flagged, *self.also)


@dataclass(frozen=True, kw_only=True, eq=False)
class DeclaredMember(ByProducer):
    """An object with the declared type (mysql_type) of every column of the row, by column name.

    `full` names the option with which the types are complete; without it they are TiDB's names of them.
    """

    full: Word | None
    random_order: bool
    """A producer writes the columns in another order every time."""

    @property
    def reason(self) -> str | None:
        return f"{self.name}-order" if self.random_order else None


@dataclass(frozen=True, kw_only=True, eq=False)
class MappedMember(ByProducer):
    """An object with another name or number of every column's type, as a mapping of mysql_types.yaml has it. It is
    derived from the type, so a reader skips it."""

    mapping: Word
    random_order: bool

    def required_of(self, cls: str) -> bool:
        return False

    @property
    def reason(self) -> str | None:
        return f"{self.name}-order" if self.random_order else None


@dataclass(frozen=True, kw_only=True, eq=False)
class RowsMember(MemberBase):
    """An array of row images: objects with values by column name, written as the value table says. Image i is of
    event i of the message."""

    values: Word
    empty: Word | None = None
    """`omit`: a row image without columns is left out, which a reader takes so of a row that says that it is a part."""
    located: Word | None = None
    """The field of the events with the location of those values that say theirs."""
    utc: Word | None = None
    """The field of the events that says UTC of rows with TIMESTAMP values: they are."""
    known_by: Word | None = None
    """The field of the events that says by what the types of the columns are known."""
    single: bool = False
    """Whether it is one row image instead of an array of them: a message is one event."""
    sorted: tuple[Word, ...] = ()
    """The producers that write the columns in the order of the bytes of their names; others in that of the table."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ObjectMember(MemberBase):
    """An object of the protocol."""

    part: Word


@dataclass(frozen=True, kw_only=True, eq=False)
class ImageMember(ByProducer):
    """A row image that says everything of its columns: an object of columns by name, each an object of facts."""

    part: Word
    """How a column is written."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DescriptionMember(MemberBase):
    """An object that describes a table, which is a field of the event."""

    part: Word | None
    """None of changes of tables, whose words are those of connectors to Kafka."""
    event: Word


@dataclass(frozen=True, kw_only=True, eq=False)
class ChangesMember(DescriptionMember):
    """A list of the tables that a statement changed, as connectors to Kafka say them."""

    mapping: Word
    """By which the types of columns have numbers."""
    alters: tuple[Word, ...]
    """The DDL types of statements whose changes are ALTER."""
    renames: tuple[Word, ...]
    """Those of statements that say what a table was called before."""
    gone: tuple[Word, ...]
    """The DDL types of statements behind which there is no table."""
    silent: tuple[Word, ...]
    """The DDL types of statements of whose tables nothing is said."""
    creates: tuple[Word, ...]
    """The DDL types of statements whose changes are CREATE."""
    drops: tuple[Word, ...]
    """Those whose changes are DROP; all others have no message."""
    renamed: Word | None
    """The field of the event with the table as it was before, of which the new name's change has the old one."""
    hides: tuple[Word, ...]
    """The producers that leave out the hidden columns of indexes on expressions."""


Member: TypeAlias = (
    Scalar | NamesMember | DeclaredMember | MappedMember | RowsMember | ObjectMember | ImageMember | DescriptionMember
)


@dataclass(frozen=True, kw_only=True, eq=False)
class JsonCase(Located):
    """What a message is whose switched member has this text.

    Either a kind of event, with the members that hold its row images (image -> id of the member), or, with `skip`,
    nothing, or what the case of another text is (`alias`), which a writer never writes so. What is skipped has only
    what is said under the name in `skip`; without the switch, under one of them.
    """

    text: Word
    event: Word | None
    images: Mapping[Word, Word]
    when: Word | None
    """The option without which such events have no message."""
    skip: tuple[Word, ...]
    alias: Word | None
    reads: bool = False
    """Whether such a message is read, and never written."""
    action: Word | None = None
    """The action of all such statements, where they do not say it."""
    has: Word | None = None
    """Of a message without the switch: the member, by its id, that it has."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JsonObject(Located):
    """A JSON object. `members` by id, in the order in which they are written; `order` has another one for a class of
    events.

    `cases` and `rest` stand in the object that has the member that is switched on, the message.
    """

    name: Word
    members: Mapping[str, Member]
    again: tuple[Member, ...] = ()
    """Members whose id another one has already; a right object has none."""
    skip_unknown: bool
    """Whether a reader skips members that are not described; else they are an error."""
    order: Mapping[Word, tuple[Word, ...]]
    cases: Mapping[str, JsonCase]
    rest: Rest | None
    missing: tuple[JsonCase, ...] = ()
    """What a message is that does not have the switch: the first one whose member it has, or the last one."""
    skipped: Mapping[str, Skipped] = field(default_factory=dict)
    """What messages without events may have."""
    skipped_named: Mapping[Word, Word] = field(default_factory=dict)
    """The names of their schemas."""
    about: str

    @property
    def all_cases(self) -> tuple[JsonCase, ...]:
        """Those that the switch tells, then those of messages without it."""
        return (*self.cases.values(), *self.missing)

    def ordered(self, cls: str, kind: str = "") -> tuple[Member, ...]:
        """The members that messages of a class, or a kind, can have, in the order in which they are written."""
        said = {str(key): ids for key, ids in self.order.items()}
        ids = said.get(kind) or said.get(cls)
        chosen = self.members.values() if ids is None else (self.members[id] for id in ids)
        return tuple(one for one in chosen if one.is_of(cls))


@dataclass(frozen=True, kw_only=True, eq=False)
class Lines(Located):
    """Objects one after the other, each followed by the text of the option `terminator` when that is not empty."""

    name: Word
    part: Word
    terminator: Word
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Envelope(Located):
    """An object in Kafka Connect's envelope, `{"payload": ..., "schema": ...}`, with a block that says what it is."""

    name: Word
    payload: Word | None
    """The part that it is; None: `payloads` says which for each class of events."""
    payloads: Mapping[Word, Word]
    """By class of events; that of others is an object without members."""
    blocks: Mapping[Word, Word]
    """The struct that the block is, by class of events."""
    unless: Word | None
    """The option with which there is no block."""
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class FlaggedColumns(Located):
    """An object with those columns of a row that have a flag: of its new image, else of the old one."""

    name: Word
    flagged: Word
    values: Word
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class JsonProtocol(Protocol):
    """A protocol whose values are an object, or lines of them."""

    spelling: Spelling
    objects: Mapping[str, JsonObject]
    lines: Mapping[str, Lines]
    """The parts that are lines, by name; the root is one when there are any."""
    parts_described: Mapping[str, DescribedPart] = field(default_factory=dict)
    """The parts that describe something, by name."""
    described: Described | None = None
    """None: a message says itself what the columns of its rows are."""
    envelopes: Mapping[str, Envelope] = field(default_factory=dict)
    """The parts that are objects in an envelope, by name; the root is one when there are any, and so is the key."""
    connect: ConnectChapter | None = None
    """What schema blocks call columns."""
    flagged_columns: Mapping[str, FlaggedColumns] = field(default_factory=dict)
    """The parts that are columns of a row, by name."""
    records: Records | None = None
    """The same parts as records: another encoding."""

    @property
    def other_encoding(self) -> tuple[Word, Word] | None:
        return None if self.records is None else (self.records.option, self.records.choice)

    @property
    def envelope(self) -> Envelope | None:
        """That of the value; None: a value is an object, or several, without one."""
        return self.envelopes.get(self.root)

    @property
    def key_envelope(self) -> Envelope | None:
        """That of the key."""
        return None if self.key is None else self.envelopes.get(self.key)

    @property
    def key_flags(self) -> tuple[Word, ...]:
        return () if self.key_columns is None else (self.key_columns.flagged,)

    @property
    def key_columns(self) -> FlaggedColumns | None:
        """The columns of a row that are in its key."""
        key = self.key_envelope
        parts = () if key is None else key.payloads.values()
        return next((self.flagged_columns[one] for one in parts if one in self.flagged_columns), None)

    @property
    def message(self) -> JsonObject:
        """The object that a message is: the root, or each of its lines."""
        return self.objects[self.message_name]

    @property
    def message_name(self) -> Word:
        """Its name."""
        if self.envelope is not None and self.envelope.payload is not None:
            return self.envelope.payload
        return self.lines[self.root].part if self.root in self.lines else self.root

    @property
    def terminator(self) -> Word | None:
        """The option with what follows every message; None: a value is one message."""
        return self.lines[self.root].terminator if self.root in self.lines else None

    @property
    def switch(self) -> Scalar:
        """The member of the message that tells the cases apart."""
        return next(one for one in self.message.members.values() if isinstance(one, Scalar) and one.switch)

    @property
    def column_types(self) -> bool:
        """Whether messages need not tell the types of columns."""
        return any(isinstance(one, DeclaredMember) and one.may_miss for _, one in self.walk())

    def walk(self) -> Iterator[tuple[tuple[Member, ...], Member]]:
        """Every member of the message and of the objects in it, in the order of the message's `members`, each with the
        object members that it lies in."""
        yield from self._inside(self.message, ())

    def _inside(self, holder: JsonObject, path: tuple[Member, ...]) -> Iterator[tuple[tuple[Member, ...], Member]]:
        for member in holder.members.values():
            yield path, member
            if isinstance(member, ObjectMember):
                yield from self._inside(self.objects[member.part], (*path, member))
