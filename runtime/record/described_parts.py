"""Parts of records that describe tables: what a printed codec says of their fields.

`descriptions.py` reads them, and `written_descriptions.py` writes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

STRING, LONG, INT, BOOLEAN, STRINGS = "string", "long", "int", "boolean", "strings"
"""What a field can be: a type of Avro, or an array of strings."""


@dataclass(frozen=True, slots=True)
class ToldField:
    """A field that says one thing."""

    name: str
    """Its name in the record."""
    tells: str
    """The attribute of the description."""
    type: str
    """One of the constants above."""
    optional: bool = False
    """Whether it is a union of null and that type."""
    unsigned: bool = False
    """Of a number: whether it cannot be negative."""
    zero: bool = False
    """Of a number: whether 0 stands for nothing, which a reader takes so."""
    raw: tuple[str, ...] = ()
    """Of a column's default, a string: the types (`mysql_type`) of which it is the bytes of a number."""
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By producer the types of columns of which it is written, of others it is null; an empty name stands for all
    producers. Empty: of all types."""


@dataclass(frozen=True, slots=True)
class InnerRecord:
    """A field that says several things, as a record."""

    name: str
    part: DescribedRecord


@dataclass(frozen=True, slots=True)
class EachRecord:
    """A field that is an array with a record for each column or index."""

    name: str
    part: DescribedRecord
    tells: str
    """The attribute of the description: columns or indexes."""
    by_id: tuple[str, ...] = ()
    """The producers that write them in the order of their ids."""


@dataclass(frozen=True, slots=True)
class DescribedRecord:
    """A record that describes a table, a column or an index, or says some of that: its fields in their order."""

    describes: str
    fields: tuple[ToldField | InnerRecord | EachRecord, ...]
