"""The ways to select the columns of a row image to write: all, or only those with a flag that an option selects."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import Protocol, Spec
from ..syntax.nodes import Expression, Literal, named
from .constants import constant
from .names import Group, NamesPlan, flag_constants

ABOUT = "Which columns of a row image are written."


@dataclass(frozen=True)
class ColumnsWay:
    """The columns of a row image to write."""

    name: Expression
    """The constant of the way's number."""
    flag: Expression
    """The flag that the columns have; 0: all are written."""


def kept_flags(protocol: Protocol) -> tuple[str, ...]:
    """The flags by which an option, a case or the key selects columns."""
    kept = [one.keep.flagged for one in protocol.options.values() if one.keep is not None]
    flags = (*kept, *protocol.always_kept, *protocol.key_flags)
    return tuple(dict.fromkeys(str(flag) for flag in flags if flag is not None))


def names_of_ways(protocol: Protocol) -> Group:
    """The names of the ways, in the order of their numbers."""
    names = ["ALL_COLUMNS", *(constant(f"{flag}_columns") for flag in kept_flags(protocol))]
    return Group(ABOUT, tuple((name, at) for at, name in enumerate(names)))


def planned_ways(spec: Spec, protocol: Protocol, names: NamesPlan) -> tuple[ColumnsWay, ...]:
    """The ways, with their constants in the module of names."""
    constants = [named(name) for group in names.groups if group.about == ABOUT for name, _ in group.numbers]
    flags = flag_constants(spec)
    kept = (named(flags[flag]) for flag in kept_flags(protocol))
    return tuple(ColumnsWay(name, flag) for name, flag in zip(constants, (Literal(0), *kept), strict=True))
