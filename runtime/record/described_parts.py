"""Structure of records that describe tables, stated by the generated codec.

`descriptions.py` reads them, and `written_descriptions.py` writes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

STRING, LONG, INT, BOOLEAN, STRINGS = "string", "long", "int", "boolean", "strings"
"""Types of fields: Avro types, or an array of strings."""


@dataclass(frozen=True, slots=True)
class ToldField:
    """A field with a single value."""

    name: str
    """Name of the field in the record."""
    tells: str
    """Attribute of the description."""
    type: str
    """One of the constants above."""
    optional: bool = False
    """Whether it is a union of null and that type."""
    unsigned: bool = False
    """For numbers: whether they cannot be negative."""
    zero: bool = False
    """For numbers: whether readers take 0 as absent."""
    raw: tuple[str, ...] = ()
    """For the default of a column, which is a string: the types (`mysql_type`) for which it is the bytes of a number.
    """
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By producer, the column types for which the field is written; for others it is null. An empty name stands for all
    producers. Empty: all types.
    """


@dataclass(frozen=True, slots=True)
class InnerRecord:
    """A field that is a record with further attributes of the same description."""

    name: str
    part: DescribedRecord


@dataclass(frozen=True, slots=True)
class EachRecord:
    """A field that is an array with a record for each column or index."""

    name: str
    part: DescribedRecord
    tells: str
    """Attribute of the description: columns or indexes."""
    by_id: tuple[str, ...] = ()
    """Producers that write the records in the order of their ids."""


@dataclass(frozen=True, slots=True)
class DescribedRecord:
    """A record that describes a table, a column or an index, or a part of one: its fields in order."""

    describes: str
    fields: tuple[ToldField | InnerRecord | EachRecord, ...]
