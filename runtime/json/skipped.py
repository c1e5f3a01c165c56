"""Messages without events: each is looked through before it is skipped, so that none is that holds a row.

Such messages are few, so that this is interpreted.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple, TypeAlias

from tidewire.runtime.errors import MISSING, ROWS, StatedError
from tidewire.runtime.shortened import shortened

Held: TypeAlias = "str | tuple[str, ...] | ListOf | ByName | Skipped"
"""What a value is: integer, text, bool; nothing: null or empty; one of these texts; several values; an object."""

PLAIN: dict[str, type] = {"integer": int, "text": str, "bool": bool}


class ListOf(NamedTuple):
    """An array of such values."""

    each: Held


class ByName(NamedTuple):
    """An object of such values, under any names."""

    each: Held


class Skipped(NamedTuple):
    """What a message without events may have; any member may be null or missing but the first one of a message."""

    members: tuple[tuple[str, Held], ...]

    def wrong(self, found: dict[str, Any]) -> str:
        """The first member by which a message is another one; empty where there is none."""
        known = dict(self.members)
        for name, value in found.items():
            if name not in known or not _is(value, known[name]):
                return name
        first = self.members[0][0]
        return first if found.get(first) is None else ""


def _is(value: Any, held: Held) -> bool:
    """Whether a value is that, or null."""
    if value is None:
        return True
    if isinstance(held, ListOf):
        return isinstance(value, list) and all(_is(one, held.each) for one in value)
    if isinstance(held, ByName):
        return isinstance(value, dict) and all(_is(one, held.each) for one in value.values())
    if isinstance(held, Skipped):
        known = dict(held.members)
        return isinstance(value, dict) and all(name in known and _is(one, known[name]) for name, one in value.items())
    if isinstance(held, str):
        return value in ("", [], {}) if held == "nothing" else type(value) is PLAIN[held]
    return value in held


def pass_over(text: bytes, offset: int, skipped: Skipped, field: int) -> int:
    """Skips a message that says that it has no events.

    Args:
        text: the object, whose grammar has been checked.
        offset: where it is in the message.
        skipped: what it may have.
        field: that says so.

    Raises:
        StatedError: it has more.
    """
    wrong = skipped.wrong(_members(text))
    if wrong:
        sentence = f"such messages have no events and are skipped, but this one would be lost with its {_name(wrong)}"
        raise StatedError(ROWS, field, offset, f"{sentence}. Messages that are skipped have only {_listed(skipped)}")
    return 0


def pass_over_one_of(text: bytes, offset: int, kinds: tuple[Skipped, ...], rows: tuple[str, ...], field: int) -> int:
    """Skips a message that does not say what happened.

    Args:
        text: the object, whose grammar has been checked.
        offset: where it is in the message.
        kinds: what such messages may have, by kind of them.
        rows: the names of the members that are rows.
        field: that says what happened in others.

    Raises:
        StatedError: it is none of these.
    """
    found = _members(text)
    wrong = [one.wrong(found) for one in kinds]
    if not all(wrong):
        return 0
    sentence = "it is missing"
    has = " and ".join(_name(name) for name in rows if name in found)
    names = " and ".join(map(_name, rows))
    if has:
        sentence += f", so that nobody knows what happened to the row in {has}"
    else:  # as the transforms of connectors write rows that they flatten
        sentence += f", as are {names}: this seems to be a row without its envelope. Send it with its envelope"
    sentence += f". Messages without it that are skipped have only {', or only '.join(map(_listed, kinds))}"
    raise StatedError(MISSING, field, offset, sentence)


def _members(text: bytes) -> dict[str, Any]:
    """The members of an object; numbers are not made, which can be of any length."""
    read = json.loads(text.decode("utf-8", "replace"), parse_int=lambda _: 0, parse_float=lambda _: 0.0)
    found: dict[str, Any] = read
    return found


def _name(name: str) -> str:
    return f"`{shortened(name)}`"


def _listed(skipped: Skipped) -> str:
    return ", ".join(_name(name) for name, _ in skipped.members)
