"""The ways to choose which columns of a row image are written: all of them, or those of a flag that an option keeps."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import Protocol, Spec
from ..syntax.nodes import Expression, Literal, named
from .constants import constant
from .names import Group, NamesPlan, flag_constants

ABOUT = "Which columns of a row image are written."


@dataclass(frozen=True)
class ColumnsWay:
    """Which columns of a row image are written."""

    name: Expression
    """The constant of its number."""
    flag: Expression
    """The flag that the columns have; 0: all are written."""


def kept_flags(protocol: Protocol) -> tuple[str, ...]:
    """The flags whose columns some option keeps alone, or a key has."""
    kept = [one.keep.flagged for one in protocol.options.values() if one.keep is not None]
    return tuple(dict.fromkeys(str(flag) for flag in (*kept, *protocol.key_flags) if flag is not None))


def names_of_ways(protocol: Protocol) -> Group:
    """The names of the ways, in the order of their numbers."""
    names = ["ALL_COLUMNS", *(constant(f"{flag}_columns") for flag in kept_flags(protocol))]
    return Group(ABOUT, tuple((name, at) for at, name in enumerate(names)))


def planned_ways(spec: Spec, protocol: Protocol, names: NamesPlan) -> tuple[ColumnsWay, ...]:
    """The ways, by the names that the module of names has for them."""
    constants = [named(name) for group in names.groups if group.about == ABOUT for name, _ in group.numbers]
    flags = flag_constants(spec)
    kept = (named(flags[flag]) for flag in kept_flags(protocol))
    return tuple(ColumnsWay(name, flag) for name, flag in zip(constants, (Literal(0), *kept), strict=True))
