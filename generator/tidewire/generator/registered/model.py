"""The model of protocols whose key and value are Avro records with schemas in a registry.

A record is preceded by the id of its schema. A value can also be empty, or something else after a mark byte. JSON
objects in such values are in the model of JSON protocols.
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
"""The name of a record that consists only of the table's name."""
BOOLEAN, INT, LONG, STRING = "boolean", "int", "long", "string"
"""The types of fields that are neither columns nor records."""

NUMBERED, UUID = 0, 3
"""The first byte of a record whose schema id is a number, and of one whose schema id is a UUID; in the latter case the
second byte is 0.
"""

MARK_WITH_NUMBER = 9
"""The size in bytes of a mark with a number."""

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
    """The fields of a record that are the columns of a row: all of them, or those with a flag."""

    flags: Mapping[str, Word]
    """By producer, the flag of the columns; empty: all columns are present."""
    by: tuple[Word, ...]
    """The producers with their own flag; empty if one counts for all."""
    known_by: Word | None
    """The event field that records the source of column types, if the schema lacks TiDB's type names."""
    utc: Word | None
    """The event field with the time zone of TIMESTAMP values, which are converted to UTC in records."""


@dataclass(frozen=True, kw_only=True, eq=False)
class NamedField(FieldBase):
    """A field with a name of its own."""

    name: Word
    """Its name in the schema."""
    when: tuple[Word, ...]
    """The record has the field if one of these options is set; empty: it always has."""


@dataclass(frozen=True, kw_only=True, eq=False)
class InnerRecord(NamedField):
    """A record, or null."""

    part: Word
    optional: bool
    """Whether schemas say that it can be null, though it is no row image."""
    sent: Mapping[Word, Word]
    """By kind of event, the option without which it is null."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordScalar(NamedField):
    """A number, a text or a boolean: an event field, or the switch, which selects the case."""

    type: Word
    event: Word | None
    of_old: Word | None = None
    """The event field that the record field carries for events with an old row only: the checksum of the row before."""
    switch: bool
    default: Default | None
    """The schema's default for records without the field, which is also written for an event without a value; None:
    there is no default, and an event always has a value.
    """
    const: Default | None
    """A constant value, for a field without data of the event; the following attributes are for such fields, too."""
    option: Word | None
    """The option whose text it contains."""
    nothing: bool
    """Whether it is always null."""
    accepts: tuple[Word, ...] = ()
    """For a constant: the only other texts that readers accept; empty: any."""
    refused: bool = False
    """Whether readers refuse a value that is not empty; encoders write none."""
    states: bool = False
    """Whether a refused value is a statement."""

    @property
    def is_told(self) -> bool:
        """Whether it carries information about the event."""
        return self.switch or self.event is not None

    @property
    def is_read(self) -> bool:
        """Whether a reader uses it."""
        return self.is_told or bool(self.accepts) or self.refused


RecordMember: TypeAlias = RowFields | InnerRecord | RecordScalar


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordCase(Located):
    """The case of a record whose switch has this text: a kind of event, and the field of each row image."""

    text: Word
    event: Word
    images: Mapping[Word, Word]
    when: Word | None
    """The option without which such events have no such record."""
    alias: Word | None
    """The case that it is an alias of; encoders write that one."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RegisteredRecord(Located):
    """A record."""

    part: Word
    named: Word
    """Name in the schema, with {table} in place of the table's name."""
    version: int | None
    """The version in a Kafka Connect schema."""
    fields: Mapping[str, RecordMember]
    """Fields by id, in order."""
    again: tuple[RecordMember, ...]
    """Fields whose id another field already has; empty in a valid record."""
    cases: Mapping[str, RecordCase]
    missing: Word | None
    """The kind of event of a record without the switch."""
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
        """The switch fields; a valid record has at most one."""
        return tuple(one for one in self.scalars if one.switch)


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueMark(Located):
    """A value that is not a record, recognized by its first byte: a JSON object, or the number of an event field."""

    id: Word
    byte: int
    event: Word
    part: Word | None
    carries: Word | None
    """An event field: eight bytes, big endian."""
    when: Word | None
    """The option with which the value is written; None: it always is."""
    producers: tuple[Word, ...]
    """The producers that write it; empty: all."""
    about: str

    @property
    def identifier(self) -> str:
        return identifier(self.id)

    @property
    def is_told_by_length(self) -> bool:
        """Whether a record can begin with the same byte, so that only the length distinguishes them."""
        return self.byte == UUID


@dataclass(frozen=True, kw_only=True, eq=False)
class OtherMessages(Located):
    """Records without a row: messages of another protocol, whose schema blocks describe the records."""

    protocol: Word
    kinds: Mapping[Word, str]
    """By kind of event, the text in place of the database name in namespaces; empty: the event's database name."""
    when: Word
    """The option with which they are written."""
    options: Mapping[Word, Default]
    """The fixed options of the other protocol."""
    shared: tuple[Word, ...] = ()
    """The options that it shares with this protocol: texts that both have."""
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Registered(Located):
    """A key or a value: a record after its schema id, or something else that is recognized by its first byte."""

    name: Word
    record: Word
    tombstone: Word | None
    """The kind of event of a message without a value."""
    marks: tuple[ValueMark, ...]
    others: OtherMessages | None
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class RegisteredProtocol(Protocol):
    """A protocol whose key and value are records with the id of a schema in a registry."""

    spelling: Spelling
    """JSON formatting of objects and schemas."""
    schemas: Schemas
    described_by: Word
    """The event field with the version of the description with which a row is read and written."""
    described_flags: tuple[Word, ...]
    roots: Mapping[str, Registered]
    """The parts that a key or a value can be, by name."""
    records: Mapping[str, RegisteredRecord]
    objects: Mapping[str, JsonObject]

    @property
    def value(self) -> Registered:
        """The value."""
        return self.roots[self.root]

    @property
    def key_root(self) -> Registered | None:
        """The key; None: messages have no keys."""
        return None if self.key is None else self.roots.get(self.key)

    @property
    def row(self) -> RegisteredRecord:
        """The value's record."""
        return self.records[self.value.record]

    @property
    def row_key(self) -> RegisteredRecord | None:
        """The key's record."""
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
        """The records nested in the value's."""
        return tuple((one, self.records[one.part]) for one in self.row.inner)

    def is_always(self, inner: InnerRecord) -> bool:
        """Whether schemas say that a record is never null."""
        return not inner.optional and not self.records[inner.part].rows

    @property
    def images(self) -> tuple[InnerRecord | None, ...]:
        """The row images in the value's record, in order; None stands for the record itself."""
        own: tuple[None, ...] = (None,) if self.row.rows else ()
        return (*own, *(one for one, record in self.inside if record.rows))

    @property
    def rows(self) -> tuple[RowFields, ...]:
        """The columns of the row images in values; not empty for valid records."""
        return (*self.row.rows, *(rows for _, record in self.inside for rows in record.rows))

    @property
    def scalars(self) -> tuple[RecordScalar, ...]:
        """The fields of values with information about the event, in order."""
        return tuple(one for _, one in self.pathed_scalars)

    @property
    def all_scalars(self) -> tuple[RecordScalar, ...]:
        """All scalar fields of values."""
        return tuple(one for record in (self.row, *(held for _, held in self.inside)) for one in record.scalars)

    @property
    def pathed_scalars(self) -> tuple[tuple[str, RecordScalar], ...]:
        """`all_scalars` with their paths."""
        found: list[tuple[str, RecordScalar]] = []
        for field in self.row.fields.values():
            if isinstance(field, InnerRecord):
                found += [(f"{field.name}/{one.name}", one) for one in self.records[field.part].scalars if one.is_read]
            elif isinstance(field, RecordScalar) and field.is_read:
                found.append((str(field.name), field))
        return tuple(found)

    @property
    def switches(self) -> tuple[RecordScalar, ...]:
        """The switch fields; a valid protocol has one."""
        return tuple(one for one in self.scalars if one.switch)

    def record_in(self, record: RegisteredRecord, id: str) -> RegisteredRecord:
        """The record with the columns of a row image: this one, or one nested in it."""
        held = record.fields[id]
        return self.records[held.part] if isinstance(held, InnerRecord) else record
