"""Values of JSON that a producer spells otherwise: whether two messages differ in those of some columns only."""

from __future__ import annotations

import json
from collections.abc import Container
from typing import NamedTuple


class _Members(list[tuple[str, object]]):
    """The members of an object in their order, also those that are there twice."""


class _Number(NamedTuple):
    """A number as it is spelled."""

    spelled: str


def differ_in_columns_only(recorded: bytes, ours: bytes, columns: Container[str], nulls: bool = False) -> bool:
    """Whether two messages are the same JSON but for the members with the names of these columns: their values may be
    others, and be there several times.

    Args:
        recorded: a message.
        ours: the other one.
        columns: the names.
        nulls: whether values may be others only where the recorded message has null.

    Raises:
        ValueError: one of them is not JSON.
    """
    one, other = (
        json.loads(text, object_pairs_hook=_Members, parse_int=_Number, parse_float=_Number)
        for text in (recorded, ours)
    )
    return _alike(one, other, columns, nulls)


def differ_in_members_only(recorded: bytes, ours: bytes, member: str, name: str, named: Container[object]) -> bool:
    """Whether two messages are the same JSON but for one member of objects with these names.

    Args:
        recorded: a message.
        ours: the other one.
        member: the name of the member that may have another value.
        name: the name of the member that has the object's name.
        named: the names.

    Raises:
        ValueError: one of them is not JSON.
    """

    def without(members: list[tuple[str, object]]) -> object:
        is_one = any(key == name and value in named for key, value in members if isinstance(value, str))
        return _Members([(key, None if is_one and key == member else value) for key, value in members])

    one, other = (
        json.loads(text, object_pairs_hook=without, parse_int=_Number, parse_float=_Number) for text in (recorded, ours)
    )
    return bool(one == other)


def _alike(one: object, other: object, columns: Container[str], nulls: bool) -> bool:
    if isinstance(one, _Members) and isinstance(other, _Members):
        left, right = _once(one, columns), _once(other, columns)
        return [name for name, _ in left] == [name for name, _ in right] and all(
            _alike(mine, theirs, columns, nulls) or (name in columns and _may_differ(mine, theirs, nulls))
            for (name, mine), (_, theirs) in zip(left, right, strict=True)
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_alike(*pair, columns, nulls) for pair in zip(one, other, strict=True))
    return type(one) is type(other) and one == other


def _once(members: _Members, columns: Container[str]) -> list[tuple[str, object]]:
    """The members, those of the columns the first time only."""
    seen: set[str] = set()
    found = []
    for name, value in members:
        if name not in seen or name not in columns:
            found.append((name, value))
        seen.add(name)
    return found


def _may_differ(mine: object, theirs: object, nulls: bool) -> bool:
    """Whether they are values of a column: no objects and no arrays, as members of messages can be called like one."""
    return not isinstance(mine, list) and not isinstance(theirs, list) and (mine is None or not nulls)
