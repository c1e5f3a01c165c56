"""Compares JSON messages, ignoring how a producer formats the values of some columns."""

from __future__ import annotations

import json
from collections.abc import Container
from typing import NamedTuple


class _Members(list[tuple[str, object]]):
    """The members of an object in order, including duplicates."""


class _Number(NamedTuple):
    """A number as it is written in JSON."""

    spelled: str


def differ_in_columns_only(recorded: bytes, ours: bytes, columns: Container[str], nulls: bool = False) -> bool:
    """Whether two messages are the same JSON apart from members with the names of these columns, whose values may
    differ and be duplicated.

    Args:
        columns: names of columns.
        nulls: whether values may differ only where the recorded message has null.

    Raises:
        ValueError: a message is not JSON.
    """
    one, other = (
        json.loads(text, object_pairs_hook=_Members, parse_int=_Number, parse_float=_Number)
        for text in (recorded, ours)
    )
    return _alike(one, other, columns, nulls)


def differ_in_members_only(recorded: bytes, ours: bytes, member: str, name: str, named: Container[object]) -> bool:
    """Whether two messages are the same JSON apart from one member of some objects, which are selected by their name.

    Args:
        member: the member whose value may differ.
        name: the member with the name of an object.
        named: names of the objects whose member may differ.

    Raises:
        ValueError: a message is not JSON.
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
    """The members, without duplicates of the columns."""
    seen: set[str] = set()
    found = []
    for name, value in members:
        if name not in seen or name not in columns:
            found.append((name, value))
        seen.add(name)
    return found


def _may_differ(mine: object, theirs: object, nulls: bool) -> bool:
    """Whether both can be column values. Objects and arrays cannot: they are members of messages that a column may be
    named like.
    """
    return not isinstance(mine, list) and not isinstance(theirs, list) and (mine is None or not nulls)
