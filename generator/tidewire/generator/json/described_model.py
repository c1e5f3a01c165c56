"""The model of described parts: JSON objects that describe the tables whose rows are read.

Everything else about messages is in the model of JSON protocols, which finds these parts by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..model import Located, Word
from .connect_words import BlockWords
from .member_types import BOOL, INTEGER, TEXT, TEXTS, UNSIGNED


@dataclass(frozen=True, kw_only=True, eq=False)
class ToldMember(Located):
    """A member that holds one fact about the table, column or index described."""

    id: Word
    name: Word
    block: BlockWords
    tells: Word
    type: str
    """text, integer, unsigned, bool or texts; nothing: it is null, and holds no fact."""
    numbers: tuple[Word, ...]
    """For a column's default, which is a text: the column types whose defaults are numbers."""
    silent: tuple[Word, ...]
    """The column types whose descriptions never carry this fact."""
    absent: Word | None
    """How the encoder writes an absent value: `omit` leaves the member out, `null` writes null."""
    reads: bool
    """Whether it is only read, never written."""
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class InnerMember(Located):
    """A member that is an object with further facts about the same table, column or index."""

    id: Word
    name: Word
    block: BlockWords
    part: Word
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class EachMember(Located):
    """A member that is an array with one object for each column or index."""

    id: Word
    name: Word
    block: BlockWords
    part: Word
    sorted: tuple[Word, ...]
    """The producers that write the columns or indexes in the order of their ids."""
    hides: tuple[Word, ...]
    """The producers that omit the hidden columns of expression indexes."""
    about: str


TELLS: Mapping[str, Mapping[str, str]] = {
    "table": {"schema": TEXT, "table": TEXT, "id": INTEGER, "version": UNSIGNED, "charset": TEXT, "comment": TEXT},
    "column": {
        "name": TEXT,
        "mysql_type": TEXT,
        "unsigned": BOOL,
        "zerofill": BOOL,
        "length": INTEGER,
        "scale": INTEGER,
        "labels": TEXTS,
        "charset": TEXT,
        "collation": TEXT,
        "nullable": BOOL,
        "default": TEXT,
        "generated": TEXT,
        "comment": TEXT,
        "position": INTEGER,
        "id": INTEGER,
    },
    "index": {"name": TEXT, "columns": TEXTS, "unique": BOOL, "primary": BOOL, "nullable": BOOL},
    "change": {"type": TEXT, "id": TEXT},
    "changed_table": {"charset": TEXT, "key": TEXTS, "comment": TEXT},
    "changed_column": {
        "name": TEXT,
        "type_name": TEXT,
        "type_expression": TEXT,
        "type_number": INTEGER,
        "native_type": INTEGER,
        "length": INTEGER,
        "scale": INTEGER,
        "labels": TEXTS,
        "charset": TEXT,
        "nullable": BOOL,
        "default": TEXT,
        "auto_incremented": BOOL,
        "generated": BOOL,
        "comment": TEXT,
        "position": INTEGER,
    },
}
"""The facts that members state about a table, a column and an index, with their types: the attributes of
tidewire.runtime.tables.description; and about a change of a table, that table, and its columns, as connectors of Kafka
list them: tidewire.runtime.json.table_changes.
"""
ONE: Mapping[str, str] = {
    "table": "a table",
    "column": "a column",
    "index": "an index",
    "change": "a change",
    "changed_table": "a changed table",
    "changed_column": "a column of a changed table",
}
"""How error sentences call each of them."""
TOLD_ALWAYS: Mapping[str, tuple[str, ...]] = {
    "table": ("schema", "table", "column"),
    "column": ("name", "mysql_type"),
    "index": ("name", "columns"),
    "change": ("type", "id", "changed_table"),
    "changed_table": ("changed_column",),
    "changed_column": ("name", "type_name", "position"),
}
"""The facts that every description must contain, and the other things that it must describe."""
SEVERAL: Mapping[str, Mapping[str, str]] = {
    "table": {"column": "columns", "index": "indexes"},
    "changed_table": {"changed_column": "columns"},
}
"""The things that a thing has several of, with their plural."""
INSIDE: Mapping[str, str] = {"change": "changed_table"}
"""The other thing that an object in a thing describes; without an entry it describes the same thing."""
CHANGES = ("change", "changed_table", "changed_column")
"""Things in lists of changes. Any value of theirs may be null."""

DescribedMember: TypeAlias = ToldMember | InnerMember | EachMember


@dataclass(frozen=True, kw_only=True, eq=False)
class DescribedPart(Located):
    """A JSON object that describes a table, a column or an index, or a part of one."""

    name: Word
    describes: Word
    members: Mapping[str, DescribedMember]
    again: tuple[DescribedMember, ...] = ()
    """Members whose id another member already has; empty in a valid part."""
    block: BlockWords
    skip_unknown: bool
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Described(Located):
    """Rows are read with descriptions of their tables, which arrive in other messages."""

    by: Word
    """The event field that holds the version of the description."""
    flags: tuple[Word, ...]
    """The column flags that are derived from a description."""
