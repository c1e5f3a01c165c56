"""The plan of the module of table descriptions: the database's types and flags bound to the runtime's classes."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import Spec


@dataclass(frozen=True)
class TablesPlan:
    """The module of table descriptions."""

    source: str
    flags: tuple[str, ...]
    """The constants of column flags."""


def tables_plan(spec: Spec) -> TablesPlan:
    """The plan."""
    types = spec.mysql_types
    return TablesPlan(types.location.file, tuple(name.upper() for name in types.flags))
