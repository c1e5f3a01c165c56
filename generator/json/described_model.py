"""The model of parts that describe tables, which rows are read by.

Whatever else messages have is in the model of JSON protocols, where these parts are found by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..model import Located, Word
from .member_types import BOOL, INTEGER, TEXT, TEXTS, UNSIGNED


@dataclass(frozen=True, kw_only=True, eq=False)
class ToldMember(Located):
    """A member of a part that describes something, which tells one thing of it."""

    id: Word
    name: Word
    tells: Word
    type: str
    """text, integer, unsigned, bool or texts."""
    numbers: tuple[Word, ...]
    """Of a column's default, which is a text: the types of columns of which it is a number."""
    silent: tuple[Word, ...]
    """The types of columns of which it is not told, whatever a description says."""
    absent: Word | None
    """`omit`: left out when there is nothing to tell; `null`."""
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class InnerMember(Located):
    """A member of such a part that is an object, which tells more of the same."""

    id: Word
    name: Word
    part: Word
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class EachMember(Located):
    """A member of such a part that has an object for each column or index."""

    id: Word
    name: Word
    part: Word
    sorted: tuple[Word, ...]
    """The producers that write them in the order of their ids."""
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
}
"""What members tell of a table, a column and an index, and of which type they are: the attributes of
runtime/tables/description.py."""
ONE: Mapping[str, str] = {"table": "a table", "column": "a column", "index": "an index"}
"""Each in a sentence."""
TOLD_ALWAYS: Mapping[str, tuple[str, ...]] = {
    "table": ("schema", "table"),
    "column": ("name", "mysql_type"),
    "index": ("name", "columns"),
}
"""What has to be told of each."""

DescribedMember: TypeAlias = ToldMember | InnerMember | EachMember


@dataclass(frozen=True, kw_only=True, eq=False)
class DescribedPart(Located):
    """A JSON object that describes a table, a column or an index, or tells some of that."""

    name: Word
    describes: Word
    members: Mapping[str, DescribedMember]
    again: tuple[DescribedMember, ...] = ()
    """Members whose id another one has already; a right part has none."""
    skip_unknown: bool
    about: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Described(Located):
    """Rows are read by descriptions of their tables, which come apart from them."""

    by: Word
    """The field of the events with the version of the description."""
    flags: tuple[Word, ...]
    """The flags of columns that follow from a description."""
