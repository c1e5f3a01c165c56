"""The model of records: the parts of a protocol as Avro records, with typed fields in a fixed order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...model import Located, Word

PRIMITIVES = ("boolean", "int", "long", "string")
"""The types of a field that is neither an enum nor composed of other types."""
PLAIN_BRANCHES = ("null", "long", "float", "double", "string", "bytes")
"""The branches of a value in a map, besides records that hold a value."""
HELD: Mapping[str, tuple[str, ...]] = {"located": ("string", "string"), "wrapped": ("long",)}
"""The fields of a record that holds a value, by what it contains: the location of a text, and the text; an unsigned
number as a long.
"""


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordField(Located):
    """A field. Exactly one of `type`, `array`, `map` and `union` is set."""

    id: Word
    """The id of its member in the part or message; for a field without a member, its name."""
    name: Word | None = None
    """Its name in the record, if it differs from the member's."""
    type: Word | None
    """A primitive, an enum or a record."""
    array: Word | None = None
    """For a member that is a list: the type of each item: a primitive, an enum or a record."""
    map: tuple[Word, ...] = ()
    """The branches of the values in a map from column name to value."""
    union: tuple[Word, ...] = ()
    """The records of a union; the enum before it says which one."""
    optional: bool = False
    """Whether its type is a union of null and the type."""
    only: Mapping[str, tuple[Word, ...]] = field(default_factory=dict)
    """By producer, the column types for which it is written; for others it is null. Empty: for all."""
    raw: tuple[Word, ...] = ()
    """The column types whose default is written as bytes."""
    random_order: bool = False
    """Whether a producer writes the entries of a map in a different order every time."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Record(Located):
    """A record: for a part, for a class of events, for a value, or the root record."""

    name: Word
    part: Word | None
    of: Word | None
    holds: str | None
    fields: Mapping[str, RecordField]
    """The fields, in order."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Records(Located):
    """The records of a protocol."""

    option: Word
    """The option that selects this encoding."""
    choice: Word
    namespace: str
    root: Word
    values: Word
    """The value table of these records."""
    enums: Mapping[str, tuple[Word, ...]]
    types: Mapping[str, Record]
    """All records by name, in the order of the union of all of them."""
    about: str

    @property
    def message(self) -> Record:
        """The root record: every message is one."""
        return self.types[self.root]

    @property
    def branch(self) -> int:
        """The number of the root record in the union."""
        return list(self.types).index(str(self.root))

    @property
    def begins(self) -> bytes:
        """The first bytes of every message: the branch number of the root record."""
        return long_bytes(self.branch)

    @property
    def kinds(self) -> tuple[Record, ...]:
        """The records that a message can hold, by branch number."""
        field = next(one for one in self.message.fields.values() if one.union)
        return tuple(self.types[name] for name in field.union)

    def of_class(self, cls: str) -> Record:
        """The record of a class of events."""
        return next(one for one in self.types.values() if one.of == cls)

    def of_part(self, part: str) -> Record:
        """The record of a part."""
        return next(one for one in self.types.values() if one.part == part)


def long_bytes(value: int) -> bytes:
    """A 64-bit integer in Avro's encoding: zigzag, 7 bits a byte, low group first."""
    number, found = value << 1 ^ value >> 63, bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def string_bytes(text: str) -> bytes:
    """A text in Avro's encoding: preceded by its length in bytes."""
    image = text.encode()
    return long_bytes(len(image)) + image
