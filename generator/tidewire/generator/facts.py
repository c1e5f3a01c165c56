"""The model of the shared files: primitives.yaml, events.yaml, mysql_types.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .words import Located, Word

# --- primitives.yaml ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Primitive(Located):
    """A single value on the wire. `range` (inclusive) is for integers; `where` is the end from which it can be read."""

    name: Word
    python: str  # int | float | str | bytes
    range: tuple[int, int] | None
    where: str  # start | end
    about: str

    @property
    def integer(self) -> bool:
        return self.python == "int"


@dataclass(frozen=True, kw_only=True, eq=False)
class Chunk(Located):
    """`count` values of one kind, one after the other or columnwise; the count itself is elsewhere."""

    name: Word
    python: str  # of an element: int | float | str | bytes
    range: tuple[int, int] | None
    nullable: bool
    about: str

    @property
    def integer(self) -> bool:
        return self.python == "int"


@dataclass(frozen=True, kw_only=True, eq=False)
class Codec(Located):
    """How a column's value is written. `wires`: on which wires, empty for all. `storage`: the storage kinds that it
    supports, each with the codec of the runtime as module.CONSTANT below the folder of the wire.
    """

    name: Word
    wires: tuple[Word, ...]
    storage: Mapping[Word, str]
    avro: Word | None
    """In a record: the Avro type that it writes."""
    located: bool
    """Whether a value carries its location (a time zone), which the event has once for all its values."""
    reads: bool
    """Whether it is only read, never written."""
    about: str

    def is_for(self, wire: str) -> bool:
        """Whether values are written with it on this wire."""
        return not self.wires or wire in self.wires


@dataclass(frozen=True, kw_only=True, eq=False)
class Primitives(Located):
    """primitives.yaml: what the runtime can read and write."""

    about: str
    primitives: Mapping[str, Primitive]
    chunks: Mapping[str, Chunk]
    codecs: Mapping[str, Codec]


# --- events.yaml ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class EventKind(Located):
    """A kind of event. `images`: the row images it has; None if the file does not list them."""

    name: Word
    code: int
    cls: Word
    images: tuple[Word, ...] | None
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class EventField(Located):
    """A field of an event. `type` is a name of `FIELD_RANGES`; `range` (inclusive) narrows it."""

    name: Word
    type: Word
    optional: bool
    identity: bool
    """Whether events that differ in it are different events."""
    range: tuple[int, int] | None
    spark: str | None
    means: str | None
    """The meaning of the field. For a number: tso, physical (the milliseconds of a tso), sent (milliseconds, by the
    producer's clock), ddl_type, table_id, partition_id, checksum, checksum_before (the row's and the old row's),
    checksum_version. For a text: ddl_class, statement, location (of the whole message), time_zone (of TIMESTAMP
    values). For a boolean: partial (the row has only some of its columns), checksum_corrupted. For a description:
    table_after, table_before.
    """
    about: str

    @property
    def limits(self) -> tuple[int, int] | None:
        """The least and the greatest number; None if it is not a number."""
        return self.range or FIELD_RANGES.get(self.type)


@dataclass(frozen=True, kw_only=True, eq=False)
class EventClass(Located):
    """A class of events: its fields in order, its row images, or `columns` (a table's columns without values)."""

    key: Word
    name: Word
    fields: tuple[Word, ...]
    images: tuple[Word, ...]
    columns: bool
    needs: tuple[Word, ...]
    """Optional fields that events of this class must have nevertheless."""
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Storage(Located):
    """A storage kind of column values."""

    name: Word
    arrow: str
    python: str
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Events(Located):
    """events.yaml: the neutral events."""

    about: str
    kinds: Mapping[str, EventKind]
    fields: Mapping[str, EventField]
    classes: Mapping[str, EventClass]
    values: Mapping[str, Storage]

    def meaning(self, role: str) -> Word | None:
        """The field with a meaning; None if there is none."""
        return next((one.name for one in self.fields.values() if one.means == role), None)


FIELD_RANGES: Mapping[str, tuple[int, int] | None] = {
    "uint8": (0, 2**8 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
    "bool": (0, 1),
    "text": None,
    "bytes": None,
    "description": None,
}
"""The types of event fields, with the ranges of those that are numbers on the wire; false is 0, true is 1."""

DDL_CLASS, DDL_TYPE = "ddl_class", "ddl_type"
"""The meanings of fields that classify a DDL statement: a text with its class, or the number of its action, as in
mysql_types.yaml.
"""

STATEMENT = "statement"
"""The meaning of the text field with the statement itself."""

TABLE_ID = "table_id"
"""The meaning of the number that is TiDB's id of the table."""

POSITIONAL = (TABLE_ID, "partition_id")
"""The meanings of fields that are positional arguments of an event, after the row images; others are keyword
arguments.
"""

DESCRIPTION = "description"
"""The type of fields that describe a table."""

TABLE_AFTER = "table_after"
"""The meaning of the field that describes the table after the event."""

TABLE_BEFORE = "table_before"
"""The meaning of the field that describes the table before the event."""

DESCRIPTIONS = (TABLE_AFTER, TABLE_BEFORE)
"""The meanings of fields that describe tables."""

LOCATION = "location"
"""The meaning of the text field with the location of the whole message."""

PARTIAL = "partial"
"""The meaning of the boolean field for a row that has only some of its columns."""

TIME_ZONE = "time_zone"
"""The meaning of the text field with the time zone of TIMESTAMP values."""

CHECKSUM, CHECKSUM_BEFORE = "checksum", "checksum_before"
"""The meaning of the integer field with the checksum of the row."""

ABOUT_CHECKSUM = ("checksum_version", "checksum_corrupted")
"""The meanings of fields with further facts about the checksum."""

CHECKING = (CHECKSUM, "checksum_before", *ABOUT_CHECKSUM, TIME_ZONE)
"""The meanings of the fields that are needed to verify row checksums."""

OWN_TYPES: Mapping[str, str] = {
    **dict.fromkeys((DDL_CLASS, STATEMENT, LOCATION, TIME_ZONE), "text"),
    **dict.fromkeys((PARTIAL, "checksum_corrupted"), "bool"),
    **dict.fromkeys((CHECKSUM, "checksum_before"), "uint64"),
    "checksum_version": "int32",
    **dict.fromkeys(DESCRIPTIONS, DESCRIPTION),
}
"""The required type of fields with certain meanings; the others are integers."""

TSO_SHIFT = 18
"""How many bits the milliseconds of a TSO are shifted to the left (its counter is below them)."""

NEW = "new"
"""The row image of the row after the change; classes without row images have its columns, too."""

COMMIT_TIMES = ("tso", "physical")
"""The meanings of fields with the commit time, the best first: a class that has such fields needs one of them."""


# --- mysql_types.yaml -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnFlag(Located):
    """A column flag; `bit` is its value (a power of two). `sql`: the words after a declared type that set it, TiDB's
    own first; `reads`: words that set it and are never printed, with ~ for a name.
    """

    name: Word
    bit: int
    sql: tuple[str, ...]
    reads: tuple[Word, ...]
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class TypeVariant(Located):
    """How a flag changes a column type; None: it does not. `sql`: the names that declare type and flag together, if
    any.
    """

    flag: Word
    sql: tuple[str, ...]
    length: int | None
    storage: Word | None
    range: tuple[int, int] | None
    spark: str | None


@dataclass(frozen=True, kw_only=True, eq=False)
class TypeMapping:
    """A protocol's name for a type: `plain`, or `flagged` with the flag of `ColumnType.flagged`; both are equal if it
    does not matter. `beyond`: with the flag, for values above the range of the type without it.
    """

    plain: int | str
    flagged: int | str
    beyond: int | str | None


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnType(Located):
    """A column type, by its type code (0..255).

    `omits`: words that are not printed after its name. `fractions`: a single number in parentheses is the number of
    fractional digits. `labels`: it is declared with labels, of which a value has one or several. `parameters`: the
    numbers in its declaration; `length`: the length of a column declared without one. `undeclared`: it represents an
    unknown type. `checksum`: how values enter the checksum of a row, if not as stored: single, utc or vector.
    `mappings`: the names that other protocols use.
    """

    name: Word
    code: int
    sql: tuple[str, ...]
    omits: tuple[Word, ...]
    fractions: bool
    checksum: str | None
    labels: str | None
    parameters: str | None
    length: int | None
    undeclared: bool
    storage: Word
    range: tuple[int, int] | None
    spark: str
    flagged: Mapping[str, TypeVariant]
    mappings: Mapping[str, TypeMapping]
    about: str

    def storage_with(self, flag: str | None) -> str:
        """The storage kind of values of this type with this flag (None: without a flag)."""
        variant = self.flagged.get(flag) if flag is not None else None
        return variant.storage if variant is not None and variant.storage is not None else self.storage


@dataclass(frozen=True, kw_only=True, eq=False)
class DdlType(Located):
    """A DDL action and its code; `cls` is its name in protocols that have only a few classes of statements.
    `statement`: how such statements begin, with ~ for a name; `lists`: whether they do so if they list one thing
    (one), more (several) or either (any).
    """

    name: Word
    code: int
    title: str
    cls: str
    replicated: bool
    statement: tuple[Word, ...]
    lists: str


@dataclass(frozen=True, kw_only=True, eq=False)
class MysqlTypes(Located):
    """mysql_types.yaml: column flags, column types, DDL types. `ddl_class`: the class of DDL types that are not listed.
    `synonyms`: alternative names in declarations. `silent`: words after a type that do not affect its values, with ~
    for a name.
    """

    about: str
    ddl_class: str
    synonyms: Mapping[Word, Word]
    silent: tuple[Word, ...]
    flags: Mapping[str, ColumnFlag]
    types: Mapping[str, ColumnType]
    ddl_types: Mapping[str, DdlType]

    @property
    def undeclared(self) -> ColumnType | None:
        """The type that represents an unknown one."""
        return next((one for one in self.types.values() if one.undeclared), None)

    def declared(self, text: str) -> tuple[ColumnType, Word | None] | None:
        """The type and flag that a declared type name stands for; None if it is no type."""
        names = {str(name): (one, None) for one in self.types.values() for name in one.sql}
        flagged = {
            str(name): (one, variant.flag)
            for one in self.types.values()
            for variant in one.flagged.values()
            for name in variant.sql
        }
        if text in names or text in flagged:
            return names.get(text) or flagged[text]
        name, _, word = text.rpartition(" ")
        flag = next((one.name for one in self.flags.values() if word in one.sql), None)
        return None if flag is None or name not in names else (names[name][0], flag)

    @property
    def ddl_classes(self) -> tuple[str, ...]:
        """Every class of statements; the class for all others comes last."""
        named = [one.cls for one in self.ddl_types.values() if one.cls != self.ddl_class]
        return (*dict.fromkeys(named), self.ddl_class)
