"""Messages without events: each is checked before it is skipped, so that no row and no statement is lost.

Such messages are few, so this module is not compiled.
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
"""Accepted type of a value: integer, text, bool; denied: false; nothing: null or empty; a tuple: one of these strings;
`Begins`: a statement; `ListOf`, `ByName`: several values; `Skipped`: an object.
"""

PLAIN: dict[str, type] = {"integer": int, "text": str, "bool": bool}


MOST_LOOKED_AT = 1 << 10
"""Characters of a statement among which its first words must be."""
MOST_SAID = 1 << 8
"""Maximum number of warnings per process."""
_said: set[str] = set()
"""First members of messages that have been warned of."""


class SkippedStatementWarning(UserWarning):
    """Messages with statements that change no table were skipped; the text quotes the first one."""


class Begins(NamedTuple):
    """A statement that begins with one of these words, in any case and after any comments; or an empty one."""

    words: tuple[str, ...]

    def of(self, statement: str) -> bool:
        """Whether the statement is of this kind."""
        beginnings = [Beginning(one, 0, "any") for one in self.words]
        return which(beginnings, statement[:MOST_LOOKED_AT]) is not None


class ListOf(NamedTuple):
    """An array whose elements are all of a type."""

    each: Held


class ByName(NamedTuple):
    """An object whose members, under any names, are all of a type."""

    each: Held


class Skipped(NamedTuple):
    """The members that a message without events may have. Any may be null or missing, except the first."""

    members: tuple[tuple[str, Held], ...]
    always: tuple[str, ...] = ()
    """Members that may be null, but not missing."""
    named: str = ""
    """Name of the message's schema; empty: not checked."""

    def wrong(self, found: dict[str, Any]) -> str:
        """The first member that makes the message one of another kind; empty: none."""
        known = dict(self.members)
        for name, value in found.items():
            if name not in known or not _is(value, known[name]):
                return name
        first = self.members[0][0]
        needed = [name for name in self.always if name not in found]
        return first if found.get(first) is None else next(iter(needed), "")

    def is_named(self, name: Any) -> bool:
        """Whether a schema with this name is accepted; null or empty: the schema has no name."""
        return name in (None, "") or not self.named or name == self.named

    def has(self, fields: Iterable[Any]) -> bool:
        """Whether all these schema fields are members."""
        known = dict(self.members)
        return all(isinstance(one, str) and one in known for one in fields)

    def lost(self, wrong: str) -> str:
        """The text of the error for a message with an unexpected member or value."""
        held = dict(self.members).get(wrong)
        if held is None or wrong == self.members[0][0]:
            sentence = "such messages have no events and are skipped, but this one would be lost with its"
            return f"{sentence} {_name(wrong)}. Messages that are skipped have only {_listed(self)}"
        return f"such messages are skipped only where {_name(wrong)} is {_told(held)}: this one would be lost with it"

    def stated(self, found: dict[str, Any]) -> Any:
        """The statement of a message; None or empty: it has none."""
        return next((found.get(name) for name, held in self.members if isinstance(held, Begins)), None)

    def say(self, found: dict[str, Any]) -> None:
        """Warns of a skipped message with a statement, once for each value of the first member."""
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
    """Whether a value is null or of a type."""
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
    """The accepted type in words."""
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
    """Skips a message that is marked as having no events.

    Args:
        text: source text of the object, which is valid JSON.
        offset: offset of the object in the message.
        skipped: what the message may have.
        field: field that marks it.

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
    """Whether a message that is marked as not being a statement has no events, and may be skipped. False: it has a
    statement of another kind, which is its event.

    Args:
        text: source text of the object, which is valid JSON.
        offset: offset of the object in the message.
        skipped: what the message may have.
        field: field that names its kind.

    Raises:
        StatedError: it has no statement, and something that must not be skipped.
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
    """Raises the error of a message with a statement whose kind has none."""
    sentence = "messages of this kind are no statements, and this says that it is one: the statement would be lost"
    raise StatedError(ROWS, field, offset, sentence)


def pass_over_one_of(
    text: bytes, offset: int, kinds: tuple[Skipped, ...], rows: tuple[str, ...], field: int, block: bytes = b""
) -> int:
    """Skips a message that lacks the member with the kind of its event.

    Args:
        text: source text of the object, which is valid JSON.
        offset: offset of the object in the message.
        kinds: the kinds of messages that may be skipped.
        rows: names of the members that hold rows.
        field: field of the missing member.
        block: source text of the message's schema block, already checked; empty: none.

    Raises:
        StatedError: it is none of these kinds.
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
    else:  # such as rows that a connector's transforms have flattened
        sentence += f", as are {names}: this seems to be a row without its envelope. Send it with its envelope"
    sentence += f". Messages without it that are skipped have only {', or only '.join(map(_listed, kinds))}"
    if not any(one.is_named(name) for one in kinds):
        named = " or ".join(_name(one.named) for one in kinds)
        sentence += f", and their schema is {named}, where this one's is {shown(name)}"
    raise StatedError(MISSING, field, offset, sentence)


def _members(text: bytes) -> dict[str, Any]:
    """Members of an object; numbers become 0, because they can be of any length."""
    read = json.loads(text.decode("utf-8", "replace"), parse_int=lambda _: 0, parse_float=lambda _: 0.0)
    found: dict[str, Any] = read
    return found


def _name(name: str) -> str:
    return f"`{shortened(name)}`"


def _listed(skipped: Skipped) -> str:
    return ", ".join(_name(name) for name, _ in skipped.members)
