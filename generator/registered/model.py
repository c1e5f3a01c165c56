"""The model of protocols whose key and value are records of Avro, whose schemas a registry has.

A record stands behind the number of its schema. A value can also be nothing, or something else behind a byte that says
what. The objects of JSON that such a value can be are in the model of JSON protocols.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..json.model import JsonObject, identifier
from ..json.spelling_model import Spelling
from ..model import Located, Protocol, Word
from .schemas_chapter import Schemas

ALL = "all"
"""`columns: all`: every column of the table."""
TABLE = "{table}"
"""The name of a record that says nothing else: the table's."""
BOOLEAN, INT, LONG, STRING = "boolean", "int", "long", "string"
"""The types of fields that are no columns and no records."""

NUMBERED, UUID = 0, 3
"""The first byte of a record whose schema has a number, and of one where it has a UUID; there, the second is 0."""

MARK_WITH_NUMBER = 9
"""Bytes of a mark with a number."""

Default: TypeAlias = int | bool | str


@dataclass(frozen=True, kw_only=True, eq=False)
class FieldBase(Located):
    """What every field of a record has."""

    id: Word
    """Its name in the spec and in printed code."""
    about: str

    @property
    def identifier(self) -> str:
        return identifier(self.id)


@dataclass(frozen=True, kw_only=True, eq=False)
class RowFields(FieldBase):
    """Those fields of a record that are the columns of a row: all of them, or those with a flag."""

    flags: Mapping[str, Word]
    """By producer the flag of the columns; no entries: all columns are there."""
    by: tuple[Word, ...]
    """The producers by whom it is said; none when it is said once for all."""
    known_by: Word | None
    """The field of the events that says by what the types of the columns are known, where the schema does not say them
    in TiDB's words."""
    utc: Word | None
    """The field of the events that says the zone of TIMESTAMP values, which are in UTC here."""


@dataclass(frozen=True, kw_only=True, eq=False)
class NamedField(FieldBase):
    """A field with a name of its own."""

    name: Word
    """Its name in the schema."""
    when: tuple[Word, ...]
    """The options with any of which the record has the field; none: it always has."""


@dataclass(frozen=True, kw_only=True, eq=False)
class InnerRecord(NamedField):
    """A record, or null."""

    part: Word
    always: bool
    """Whether it is never null."""
    sent: Mapping[Word, Word]
    """By kind of events the option without which it is null."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordScalar(NamedField):
    """A number, a text, true or false: a field of the event, or the text that says what happened."""

    type: Word
    event: Word | None
    of_old: Word | None
    """The field that it is of events that have their old row only."""
    switch: bool
    default: Default | None
    """What the schema says for records without the field, and what is written where an event has nothing for it; None:
    it has no default, and an event always has something."""
    const: Default | None
    """What it always is, where it says nothing of the event; so do those that follow."""
    option: Word | None
    """The option that it has the text of."""
    nothing: bool
    """Whether it can be null, and is."""
    accepts: tuple[Word, ...] = ()
    """Of a constant: other texts that a reader takes in its place, and no more; none: it takes anything."""
    refused: bool = False
    """Whether a reader refuses what has something in it, and nobody writes it."""
    states: bool = False
    """Whether what it refuses is a statement."""

    @property
    def is_told(self) -> bool:
        """Whether it says something of the event."""
        return self.switch or self.event is not None

    @property
    def is_read(self) -> bool:
        """Whether a reader looks at it."""
        return self.is_told or bool(self.accepts) or self.refused


RecordMember: TypeAlias = RowFields | InnerRecord | RecordScalar


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordCase(Located):
    """What a record is whose switch has this text: a kind of event, and which field has which row image."""

    text: Word
    event: Word
    images: Mapping[Word, Word]
    when: Word | None
    """The option without which such events have no such record."""
    alias: Word | None
    """The case that it is another word for, which writers take."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RegisteredRecord(Located):
    """A record."""

    part: Word
    named: Word
    """Its name in the schema, in which {table} stands for the table's."""
    version: int | None
    """The version that a schema of Kafka Connect says."""
    fields: Mapping[str, RecordMember]
    """By id, in their order."""
    again: tuple[RecordMember, ...]
    """Fields whose id another one has already; a right record has none."""
    cases: Mapping[str, RecordCase]
    missing: Word | None
    """The kind of events that a record without the switch is."""
    about: str

    @property
    def rows(self) -> tuple[RowFields, ...]:
        return tuple(one for one in self.fields.values() if isinstance(one, RowFields))

    @property
    def inner(self) -> tuple[InnerRecord, ...]:
        return tuple(one for one in self.fields.values() if isinstance(one, InnerRecord))

    @property
    def scalars(self) -> tuple[RecordScalar, ...]:
        return tuple(one for one in self.fields.values() if isinstance(one, RecordScalar))

    @property
    def switches(self) -> tuple[RecordScalar, ...]:
        """The fields that say what happened; a right record has one, or none."""
        return tuple(one for one in self.scalars if one.switch)


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueMark(Located):
    """A value that is no record, known by its first byte: an object of JSON, or the number of a field of the events."""

    id: Word
    byte: int
    event: Word
    part: Word | None
    carries: Word | None
    """A field of the events: eight bytes, the most significant first."""
    when: Word | None
    """The option without which such a value is not written."""
    producers: tuple[Word, ...]
    """Who writes it; none: all do."""
    about: str

    @property
    def identifier(self) -> str:
        return identifier(self.id)

    @property
    def is_told_by_length(self) -> bool:
        """Whether a record can begin with its byte, and only its length tells it from one."""
        return self.byte == UUID


@dataclass(frozen=True, kw_only=True, eq=False)
class OtherMessages(Located):
    """Records that are of no row: messages of another protocol, whose blocks say what the records are."""

    protocol: Word
    kinds: Mapping[Word, str]
    """By kind of events, what stands for the database in namespaces; empty: the event's."""
    when: Word
    """The option without which they are not written."""
    options: Mapping[Word, Default]
    """The options of the other protocol that are always the same."""
    shared: tuple[Word, ...]
    """Those that are as this protocol's are."""
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Registered(Located):
    """What a key or a value is: a record behind the number of its schema, or what its first byte says."""

    name: Word
    record: Word
    tombstone: Word | None
    """The kind of events that a record without a value is."""
    marks: tuple[ValueMark, ...]
    others: OtherMessages | None
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class RegisteredProtocol(Protocol):
    """A protocol whose key and value are such records."""

    spelling: Spelling
    """Of JSON: of objects and of schemas."""
    schemas: Schemas
    described_by: Word
    """The field of the events with the version of the description by which a row is read and written."""
    described_flags: tuple[Word, ...]
    roots: Mapping[str, Registered]
    """The parts that a key or a value can be, by name."""
    records: Mapping[str, RegisteredRecord]
    objects: Mapping[str, JsonObject]

    @property
    def value(self) -> Registered:
        """What a value is."""
        return self.roots[self.root]

    @property
    def key_root(self) -> Registered | None:
        """What a key is; None: messages have none."""
        return None if self.key is None else self.roots.get(self.key)

    @property
    def row(self) -> RegisteredRecord:
        """The record that a value is."""
        return self.records[self.value.record]

    @property
    def row_key(self) -> RegisteredRecord | None:
        """The record that a key is."""
        key = self.key_root
        return None if key is None else self.records[key.record]

    @property
    def key_flags(self) -> tuple[Word, ...]:
        rows = () if self.row_key is None else self.row_key.rows
        return tuple({str(flag): flag for one in rows for flag in one.flags.values()}.values())

    @property
    def registry(self) -> Word:
        return self.schemas.registry

    @property
    def inside(self) -> tuple[tuple[InnerRecord, RegisteredRecord], ...]:
        """The records in that of the value."""
        return tuple((one, self.records[one.part]) for one in self.row.inner)

    @property
    def images(self) -> tuple[InnerRecord | None, ...]:
        """Where row images are in the record of the value, in their order: None stands for the record itself."""
        own: tuple[None, ...] = (None,) if self.row.rows else ()
        return (*own, *(one for one, record in self.inside if record.rows))

    @property
    def rows(self) -> tuple[RowFields, ...]:
        """The columns of row images of values; right records have some."""
        return (*self.row.rows, *(rows for _, record in self.inside for rows in record.rows))

    @property
    def scalars(self) -> tuple[RecordScalar, ...]:
        """The fields of values that say something of the event, in their order."""
        return tuple(one for _, one in self.pathed_scalars)

    @property
    def all_scalars(self) -> tuple[RecordScalar, ...]:
        """Those that say nothing of the event as well."""
        return tuple(one for record in (self.row, *(held for _, held in self.inside)) for one in record.scalars)

    @property
    def pathed_scalars(self) -> tuple[tuple[str, RecordScalar], ...]:
        """The same, each with its path."""
        found: list[tuple[str, RecordScalar]] = []
        for field in self.row.fields.values():
            if isinstance(field, InnerRecord):
                found += [(f"{field.name}/{one.name}", one) for one in self.records[field.part].scalars if one.is_read]
            elif isinstance(field, RecordScalar) and field.is_read:
                found.append((str(field.name), field))
        return tuple(found)

    @property
    def switches(self) -> tuple[RecordScalar, ...]:
        """The fields that say what happened; a right protocol has one."""
        return tuple(one for one in self.scalars if one.switch)

    def record_in(self, record: RegisteredRecord, id: str) -> RegisteredRecord:
        """The record that has the columns of a row image: this one, or one inside of it."""
        held = record.fields[id]
        return self.records[held.part] if isinstance(held, InnerRecord) else record
