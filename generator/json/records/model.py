"""The model of records: the parts of a protocol once more, each field in its place and with its type in Avro."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...model import Located, Word

PRIMITIVES = ("boolean", "int", "long", "string")
"""What a field can be that is neither an enum nor made of others."""
PLAIN_BRANCHES = ("null", "long", "float", "double", "string", "bytes")
"""What a value in a map can be, beside a record that holds one."""
HOLDS = ("located", "wrapped")
"""What such a record holds: a text with its location, or a number without a sign as a long."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordField(Located):
    """A field. Exactly one of `type`, `array`, `map` and `union` is there."""

    id: Word
    """That of the member that it is, in the part or the message; of others its name."""
    name: Word | None
    """Its name in the record, where that is another one than the member's."""
    type: Word | None
    """A primitive, an enum or a record."""
    array: Word | None
    """The same of each item of an array."""
    map: tuple[Word, ...]
    """The branches that values by column name can be."""
    union: tuple[Word, ...]
    """The records that it can be: what tells is the enum in front of it."""
    optional: bool
    """Whether it is a union of null and the type."""
    only: Mapping[str, tuple[Word, ...]]
    """By producer the types of columns of which it is written; of others it is null. Empty: of all."""
    raw: tuple[Word, ...]
    """The types of columns of whose default it is the bytes."""
    random_order: bool
    """Whether a producer writes the values of a map in another order every time."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Record(Located):
    """A record: of a part, of a class of events, of a value, or that which every message is."""

    name: Word
    part: Word | None
    of: Word | None
    holds: str | None
    fields: Mapping[str, RecordField]
    """In their order."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Records(Located):
    """The records of a protocol."""

    option: Word
    """The option that chooses them."""
    choice: Word
    namespace: str
    root: Word
    values: Word
    """How values are written in them."""
    enums: Mapping[str, tuple[Word, ...]]
    types: Mapping[str, Record]
    """In the order of the union of all of them."""
    about: str

    @property
    def message(self) -> Record:
        """What every message is."""
        return self.types[self.root]

    @property
    def branch(self) -> int:
        """Its number in the union."""
        return list(self.types).index(str(self.root))

    @property
    def begins(self) -> bytes:
        """What every message begins with: that number."""
        return long_bytes(self.branch)

    @property
    def kinds(self) -> tuple[Record, ...]:
        """What messages can be, by the number of the branch."""
        field = next(one for one in self.message.fields.values() if one.union)
        return tuple(self.types[name] for name in field.union)

    def of_class(self, cls: str) -> Record:
        """The record of a class of events."""
        return next(one for one in self.types.values() if one.of == cls)

    def of_part(self, part: str) -> Record:
        """The record of a part."""
        return next(one for one in self.types.values() if one.part == part)


def long_bytes(value: int) -> bytes:
    """A number of 64 bits as records have it: zigzag, 7 bits a byte, low group first."""
    number, found = value << 1 ^ value >> 63, bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def string_bytes(text: str) -> bytes:
    """A text as records have it: behind its length."""
    image = text.encode()
    return long_bytes(len(image)) + image
