"""The model of the shared files: primitives.yaml, events.yaml, mysql_types.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .words import Located, Word

# --- primitives.yaml ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Primitive(Located):
    """A single value on the wire. `range` (inclusive) for integers; `where` is the end from which it can be read."""

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
    """`count` values of one kind, one after the other or columnwise; it never says its own count."""

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
    """How a column's value is written. `wire`: where, None for everywhere. `storage`: the kinds it can carry, and for
    each the codec of the runtime, as module.CONSTANT below the folder of the wire.
    """

    name: Word
    wire: Word | None
    storage: Mapping[Word, str]
    avro: Word | None
    """In a record: the type of Avro that it writes."""
    located: bool
    """Whether a value says the location (a time zone) that it is in, which the event has for all its values."""
    about: str


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
    """A kind of event. `images`: the row images it has, None when the file does not say."""

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
    """Whether events that differ in it are different ones."""
    range: tuple[int, int] | None
    spark: str | None
    means: str | None
    """What the number is: tso, physical (the milliseconds of a tso), sent (milliseconds, by the producer's clock),
    ddl_type, table_id, partition_id, checksum, checksum_before (the row's and the old row's),
    checksum_version; of a text: ddl_class, statement, location (of the whole message), time_zone (of TIMESTAMP
    values); of a truth: partial (the row has some of its columns only), checksum_corrupted; of a description:
    table_after, table_before.
    """
    about: str

    @property
    def limits(self) -> tuple[int, int] | None:
        """The numbers that it can hold; None where it holds none."""
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
    """Optional fields that an event of this class has all the same."""
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
        """The field that means something, None when there is none."""
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
"""The types of event fields and the ranges of those that are numbers on the wire; false is 0, true is 1."""

DDL_CLASS, DDL_TYPE = "ddl_class", "ddl_type"
"""What fields mean that say what a DDL statement is: a text with its class, or the number of its action, as
mysql_types.yaml names them.
"""

STATEMENT = "statement"
"""What a text field means that has the statement itself."""

TABLE_ID = "table_id"
"""What a number means that is TiDB's id of the table."""

POSITIONAL = (TABLE_ID, "partition_id")
"""What fields mean that an event can be given by position, after the row images; the rest is given by name only."""

DESCRIPTION = "description"
"""The type of fields that describe a table."""

TABLE_AFTER = "table_after"
"""What a field means that describes the table as the event leaves it."""

DESCRIPTIONS = (TABLE_AFTER, "table_before")
"""What fields mean that describe tables."""

LOCATION = "location"
"""What a text field means that says where the whole message lies."""

PARTIAL = "partial"
"""What a bool field means that says whether a row has some of its columns only."""

TIME_ZONE = "time_zone"
"""What a text field means that says in which time zone TIMESTAMP values are."""

CHECKSUM = "checksum"
"""What an integer field means that is the checksum of the row."""

ABOUT_CHECKSUM = ("checksum_version", "checksum_corrupted")
"""What fields mean that say something of it."""

CHECKING = (CHECKSUM, "checksum_before", *ABOUT_CHECKSUM, TIME_ZONE)
"""What fields mean without which checksums of rows cannot be verified."""

OWN_TYPES: Mapping[str, str] = {
    **dict.fromkeys((DDL_CLASS, STATEMENT, LOCATION, TIME_ZONE), "text"),
    **dict.fromkeys((PARTIAL, "checksum_corrupted"), "bool"),
    **dict.fromkeys((CHECKSUM, "checksum_before"), "uint64"),
    "checksum_version": "int32",
    **dict.fromkeys(DESCRIPTIONS, DESCRIPTION),
}
"""The type of the fields that mean something, where it is one alone; the others are integers."""

TSO_SHIFT = 18
"""By how many bits the milliseconds of a TSO are above its counter: runtime/tso.py has the same number."""

NEW = "new"
"""The row image of the row as it is from then on, whose columns a class without row images has too."""

COMMIT_TIMES = ("tso", "physical")
"""What fields mean that say when an event was committed, the best first: a class that has such fields needs one."""


# --- mysql_types.yaml -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnFlag(Located):
    """A column flag; `bit` is its value (a power of two). `sql`: the words behind a declared type that set it, the one
    that TiDB prints first; `reads`: those that set it and are never printed, ~ for a name.
    """

    name: Word
    bit: int
    sql: tuple[str, ...]
    reads: tuple[Word, ...]
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class TypeVariant(Located):
    """What a flag changes about a column type; None: unchanged. `sql`: the names that say type and flag, if any."""

    flag: Word
    sql: tuple[str, ...]
    length: int | None
    storage: Word | None
    range: tuple[int, int] | None
    spark: str | None


@dataclass(frozen=True, kw_only=True, eq=False)
class TypeMapping:
    """What a protocol calls a type: `plain`, `flagged` with the flag of `ColumnType.flagged`; both the same where it
    does not matter. `beyond`: with the flag, of values above the range of the type without it.
    """

    plain: int | str
    flagged: int | str
    beyond: int | str | None


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnType(Located):
    """A column type, by its type code (0..255).

    `omits`: words that are not printed behind its name. `fractions`: a single number in parentheses is the digits
    behind the point. `labels`: it is declared with labels instead, of which a value is one or has several.
    `parameters`: the numbers that it is declared with; `length`: that of a column that is declared without.
    `undeclared`: it stands for a type that is not told. `checksum`: as what values count in the checksum of a row,
    where that is not what is stored: single, utc or vector.
    `mappings`: what other protocols call the type.
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
        """The storage kind of values of this type when the flag is set (None: no flag)."""
        variant = self.flagged.get(flag) if flag is not None else None
        return variant.storage if variant is not None and variant.storage is not None else self.storage


@dataclass(frozen=True, kw_only=True, eq=False)
class DdlType(Located):
    """A DDL action and its code; `cls` is what protocols call such statements that have a few words for all.

    `statement`: how such statements begin, ~ for a name; `lists`: whether they do when they
    list one thing (one), more (several) or either (any).
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
    """mysql_types.yaml: column flags, column types, DDL types. `ddl_class`: of DDL types that are not listed.

    `synonyms`: names in a declaration that stand for others. `silent`: words behind a type that say nothing of its
    values, ~ for a name.
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
        """The type that stands for one that is not told."""
        return next((one for one in self.types.values() if one.undeclared), None)

    def declared(self, text: str) -> tuple[ColumnType, Word | None] | None:
        """The type that a name and the word of a flag declare, and the flag; None: they are none."""
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
        """Every class of statements, that of all others last."""
        named = [one.cls for one in self.ddl_types.values() if one.cls != self.ddl_class]
        return (*dict.fromkeys(named), self.ddl_class)
