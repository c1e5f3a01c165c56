"""Messages without events: each is looked through before it is skipped, so that none is that has a row or statement.

Such messages are few, so that this is interpreted.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

from tidewire.runtime.errors import MISSING, ROWS, StatedError
from tidewire.runtime.shortened import shortened, shown
from tidewire.runtime.statements import Beginning, which

Held: TypeAlias = "str | tuple[str, ...] | Begins | ListOf | ByName | Skipped"
"""What a value is: integer, text, bool; denied: false; nothing: null or empty; one of these texts; a statement; several
values; an object."""

PLAIN: dict[str, type] = {"integer": int, "text": str, "bool": bool}


MOST_LOOKED_AT = 1 << 10
"""Characters of a statement in which its first words have to be."""
MOST_SAID = 1 << 8
"""Kinds of messages that a process warns of."""
_said: set[str] = set()
"""Those that it has warned of."""


class SkippedStatementWarning(UserWarning):
    """Messages with statements that change no table were skipped; the text says which one was the first."""


class Begins(NamedTuple):
    """A statement that begins with one of these words, whatever their case and the comments before them; or nothing."""

    words: tuple[str, ...]

    def of(self, statement: str) -> bool:
        """Whether this is one."""
        beginnings = [Beginning(one, 0, "any") for one in self.words]
        return which(beginnings, statement[:MOST_LOOKED_AT]) is not None


class ListOf(NamedTuple):
    """An array of such values."""

    each: Held


class ByName(NamedTuple):
    """An object of such values, under any names."""

    each: Held


class Skipped(NamedTuple):
    """What a message without events may have; any member may be null or missing but the first one of a message."""

    members: tuple[tuple[str, Held], ...]
    always: tuple[str, ...] = ()
    """Those that may be null, but not missing."""
    named: str = ""
    """The name of its schema, where one comes with it that has a name; empty: nothing is said of it."""

    def wrong(self, found: dict[str, Any]) -> str:
        """The first member by which a message is another one; empty where there is none."""
        known = dict(self.members)
        for name, value in found.items():
            if name not in known or not _is(value, known[name]):
                return name
        first = self.members[0][0]
        needed = [name for name in self.always if name not in found]
        return first if found.get(first) is None else next(iter(needed), "")

    def is_named(self, name: Any) -> bool:
        """Whether a schema of this name can be its own; null or empty: it has none."""
        return name in (None, "") or not self.named or name == self.named

    def has(self, fields: Iterable[Any]) -> bool:
        """Whether it may have all of the fields of its schema."""
        known = dict(self.members)
        return all(isinstance(one, str) and one in known for one in fields)

    def lost(self, wrong: str) -> str:
        """What an error says of a message that has this member beside, or something else in it."""
        held = dict(self.members).get(wrong)
        if held is None or wrong == self.members[0][0]:
            sentence = "such messages have no events and are skipped, but this one would be lost with its"
            return f"{sentence} {_name(wrong)}. Messages that are skipped have only {_listed(self)}"
        return f"such messages are skipped only where {_name(wrong)} is {_told(held)}: this one would be lost with it"

    def stated(self, found: dict[str, Any]) -> Any:
        """The statement of a message; None or empty where it has none."""
        return next((found.get(name) for name, held in self.members if isinstance(held, Begins)), None)

    def say(self, found: dict[str, Any]) -> None:
        """Warns of a message that is skipped with a statement, once of those whose first members are alike."""
        stated = self.stated(found)
        first = self.members[0][0]
        if not stated or len(_said) >= MOST_SAID or found[first] in _said:
            return
        _said.add(found[first])
        text = (
            f"a message whose {_name(first)} is {shown(found[first])} says {shown(stated)}, which changes no table by "
            "itself: such messages are skipped. This is said once"
        )
        warnings.warn(text, SkippedStatementWarning, stacklevel=3)


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
        whole = isinstance(value, dict) and all(name in known and _is(one, known[name]) for name, one in value.items())
        return whole and all(name in value for name in held.always)
    if isinstance(held, Begins):
        return isinstance(value, str) and (not value or held.of(value))
    if held == "denied":
        return value is False
    if isinstance(held, str):
        return value in ("", [], {}) if held == "nothing" else type(value) is PLAIN[held]
    return value in held


def _told(held: Held) -> str:
    """What a value has to be, in words."""
    if isinstance(held, Begins):
        return f"a statement that begins with {' or '.join(map(_name, held.words))}, or empty"
    if isinstance(held, Skipped):
        return f"an object that has only {_listed(held)}"
    if isinstance(held, ListOf | ByName):
        return f"{'a list' if isinstance(held, ListOf) else 'an object'} of {_told(held.each)}"
    if isinstance(held, str):
        return {"nothing": "empty or null", "denied": "false"}.get(held, held)
    return " or ".join(map(_name, held))


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
    found = _members(text)
    wrong = skipped.wrong(found)
    if wrong:
        raise StatedError(ROWS, field, offset, skipped.lost(wrong))
    skipped.say(found)
    return 0


def says_nothing(text: bytes, offset: int, skipped: Skipped, field: int) -> bool:
    """Whether a message that says of itself that it is no statement has no events: it has nothing but what may be
    skipped. False: it has a statement of another kind, which is its event.

    Args:
        text: the object, whose grammar has been checked.
        offset: where it is in the message.
        skipped: what it may have.
        field: that names its kind.

    Raises:
        StatedError: it is of a kind that is skipped, has no statement, and something that may not be skipped.
    """
    found = _members(text)
    wrong = skipped.wrong(found)
    if wrong:
        if wrong != skipped.members[0][0] and not skipped.stated(found):
            raise StatedError(ROWS, field, offset, skipped.lost(wrong))
        return False
    skipped.say(found)
    return True


def refuse_statement(offset: int, field: int) -> int:
    """A message of a kind that has no statements has one, or says that it is one."""
    sentence = "messages of this kind are no statements, and this says that it is one: the statement would be lost"
    raise StatedError(ROWS, field, offset, sentence)


def pass_over_one_of(
    text: bytes, offset: int, kinds: tuple[Skipped, ...], rows: tuple[str, ...], field: int, block: bytes = b""
) -> int:
    """Skips a message that does not say what happened.

    Args:
        text: the object, whose grammar has been checked.
        offset: where it is in the message.
        kinds: what such messages may have, by kind of them.
        rows: the names of the members that are rows.
        field: that says what happened in others.
        block: what says the message's schema, whose shape has been checked; empty: it has none.

    Raises:
        StatedError: it is none of these.
    """
    found = _members(text)
    schema: dict[str, Any] = json.loads(block, parse_int=str) if block else {}
    name = schema.get("name")
    fields = [one.get("field") for one in schema.get("fields", ())]
    if any(not one.wrong(found) and one.is_named(name) and one.has(fields) for one in kinds):
        return 0
    sentence = "it is missing"
    has = " and ".join(_name(name) for name in rows if name in found)
    names = " and ".join(map(_name, rows))
    if has:
        sentence += f", so that nobody knows what happened to the row in {has}"
    else:  # as the transforms of connectors write rows that they flatten
        sentence += f", as are {names}: this seems to be a row without its envelope. Send it with its envelope"
    sentence += f". Messages without it that are skipped have only {', or only '.join(map(_listed, kinds))}"
    if not any(one.is_named(name) for one in kinds):
        named = " or ".join(_name(one.named) for one in kinds)
        sentence += f", and their schema is {named}, where this one's is {shown(name)}"
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
