"""Table descriptions as objects of JSON messages: read into `DescribedTable`, and written.

The generated codec states the members of the objects (`DescribedPart`); this module follows them. Messages that
describe tables are few and mostly repeat the same description, so what was read or written is cached.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tidewire.runtime.errors import DUPLICATE, KIND, MISSING, OUTSIDE, VALUE
from tidewire.runtime.json.json_literals import names_json, text_json
from tidewire.runtime.json.sink import Spelling
from tidewire.runtime.tables.columns import ColumnDescription, IndexDescription
from tidewire.runtime.tables.description import DescribedTable

MOST_KEPT = 1 << 22
"""Bytes of descriptions, as messages write them, at which the cache is cleared."""
TEXT, INTEGER, UNSIGNED, BOOL, TEXTS = "text", "integer", "unsigned", "bool", "texts"
"""Types of members: those of JSON, and an array of strings."""
_RANGES = {INTEGER: (-(1 << 63), (1 << 63) - 1), UNSIGNED: (0, (1 << 64) - 1)}
_NUMBER = "a whole number"
_KINDS = {TEXT: "a string", BOOL: "true or false", TEXTS: "an array", INTEGER: _NUMBER, UNSIGNED: _NUMBER}
_CLASSES: Mapping[str, Callable[..., Any]] = {"column": ColumnDescription, "index": IndexDescription}


class NoDescription(Exception):
    """An object of a message is not a table description: an error code of `errors.REASONS`, and the detail."""

    def __init__(self, code: int, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Told:
    """A member with a single value."""

    name: str
    """Name of the member in the message."""
    tells: str
    """Attribute of the description."""
    type: str
    """One of the constants above."""
    omitted: bool = False
    """Whether the member is omitted if its value is empty: None, false, 0, no strings."""
    null: bool = False
    """Whether the member is null if its value is None."""
    numbers: tuple[str, ...] = ()
    """For the default of a column, which is a string: the types (`mysql_type`) for which it is a number."""
    silent: tuple[str, ...] = ()
    """Column types for which the member has no value."""


@dataclass(frozen=True, slots=True)
class Inner:
    """A member that is an object with further attributes of the same description."""

    name: str
    part: DescribedPart


@dataclass(frozen=True, slots=True)
class Each:
    """A member that is an array with an object for each column or index."""

    name: str
    part: DescribedPart
    tells: str
    """Attribute of the description: columns or indexes."""
    by_id: tuple[str, ...] = ()
    """Producers that write the objects in the order of their ids."""


@dataclass(frozen=True, slots=True)
class DescribedPart:
    """An object that describes a table, a column or an index, or a part of one."""

    describes: str
    members: tuple[Told | Inner | Each, ...]
    skip_unknown: bool = True
    """Whether readers skip members that are not listed."""


class DescriptionReader:
    """Reads table descriptions.

    Attributes:
        description: class of descriptions.
        path: position of the last error inside the description, each step after a slash.
    """

    def __init__(self, part: DescribedPart, description: type[DescribedTable]) -> None:
        """
        Args:
            part: the object that describes a table.
            description: class of descriptions.
        """
        self._part = part
        self.description = description
        self._known: dict[bytes, DescribedTable] = {}
        self._size = 0
        self.path = ""

    def read(self, text: bytes) -> DescribedTable:
        """Parses a description from the text of an object, which is valid JSON and UTF-8.

        Raises:
            NoDescription: it is not a description; `path` is where.
        """
        self.path = ""
        found = self._known.get(text)
        if found is None:
            made = self.said_in(self._part, members(text), "")
            try:
                found = self.description(**made)
            except ValueError as error:
                raise NoDescription(VALUE, str(error)) from None
            self._size += len(text)
            if self._size > MOST_KEPT:
                self._known.clear()
                self._size = len(text)
            self._known[text] = found
        return found

    def fail(self, path: str, code: int, detail: str) -> NoDescription:
        """Records the path of an error and returns the error: a code of `errors.REASONS`, and the detail."""
        self.path = path
        return NoDescription(code, detail)

    def said_in(self, part: DescribedPart, found: object, path: str) -> dict[str, Any]:
        """Values of an object's members, by attribute."""
        if not isinstance(found, _Pairs):
            raise self.fail(path, KIND, f"{shown(found)} where an object is expected")
        pairs: dict[str, object] = {}
        names = {one.name for one in part.members}
        for name, value in found.pairs:
            if name in pairs:
                raise self.fail(f"{path}/{name}", DUPLICATE, "given twice")
            if name not in names and not part.skip_unknown:
                raise self.fail(f"{path}/{name}", KIND, "there is no such member in a description")
            pairs[name] = value
        said: dict[str, Any] = {}
        later: list[tuple[Told, object, str]] = []
        for one in part.members:
            below = f"{path}/{one.name}"
            value = pairs.get(one.name)
            if isinstance(one, Inner):
                if value is None:
                    raise self.fail(below, MISSING, "it is missing")
                said |= self.said_in(one.part, value, below)
            elif isinstance(one, Each):
                said[one.tells] = self._each(one, value, below)
            elif value is None:
                if not (one.omitted or one.null):
                    raise self.fail(below, MISSING, "it is missing")
            elif one.numbers:
                later.append((one, value, below))  # its type depends on other members
            else:
                said[one.tells] = self._scalar(one, value, below)
        for one, value, below in later:
            number = said.get("mysql_type") in one.numbers
            said[one.tells] = self._typed(UNSIGNED if number else TEXT, value, below)
        return said

    def _each(self, one: Each, found: object, path: str) -> tuple[Any, ...]:
        if found is None:
            return ()
        if not isinstance(found, list):
            raise self.fail(path, KIND, f"{shown(found)} where an array is expected")
        made = []
        for number, item in enumerate(found):
            said = self.said_in(one.part, item, f"{path}/{number}")
            try:
                made.append(self.made(one.part.describes, said))
            except ValueError as error:
                raise self.fail(f"{path}/{number}", VALUE, str(error)) from None
        return tuple(made)

    def made(self, describes: str, said: dict[str, Any]) -> Any:
        """Makes the description of a column or an index from its attributes.

        Raises:
            ValueError: the attributes contradict each other.
        """
        return _CLASSES[describes](**said)

    def _scalar(self, one: Told, value: object, path: str) -> object:
        if one.type != TEXTS:
            return self._typed(one.type, value, path)
        if not isinstance(value, list):
            raise self.fail(path, KIND, f"{shown(value)} where an array of texts is expected")
        return tuple(self._typed(TEXT, text, f"{path}/{number}") for number, text in enumerate(value))

    def _typed(self, type: str, value: object, path: str) -> object:
        if type == TEXT and isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError:
                raise self.fail(path, VALUE, "it has a lone surrogate, which is no text") from None
            return value
        if type == BOOL and isinstance(value, bool):
            return value
        if type in _RANGES and isinstance(value, _Digits):
            low, high = _RANGES[type]
            # as text first: what has too many digits is out of range, and only its length is looked at
            number = int(value.text) if len(value.text) <= len(str(high)) + 1 else high + 1
            if not low <= number <= high:
                raise self.fail(path, OUTSIDE, f"{shown(value)} is out of range: {low} to {high} is possible")
            return number
        raise self.fail(path, KIND, f"{shown(value)} where {_KINDS[type]} is expected")


def members(text: bytes) -> object:
    """Parses JSON; objects keep all members, also duplicate ones, and numbers keep their source text."""
    return json.loads(text, object_pairs_hook=_Pairs, parse_int=_integer, parse_float=_Fraction)


class _Pairs:
    """A JSON object with all its members, including duplicates."""

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        self.pairs = pairs


@dataclass(frozen=True, slots=True)
class _Digits:
    """An integer as its source text."""

    text: str


def _integer(text: str) -> _Digits:
    return _Digits(text)


@dataclass(frozen=True, slots=True)
class _Fraction:
    """A number with a fraction or an exponent, as its source text."""

    text: str


def shown(value: object) -> str:
    """A JSON value, shortened for errors."""
    match value:
        case _Pairs():
            return "an object"
        case list():
            return "an array"
        case None:
            return "null"
        case _Digits(text) | _Fraction(text):
            return f"`{text if len(text) <= 24 else text[:23] + '…'}`"
        case bool():
            return "`true`" if value else "`false`"
    text = f'"{value}"'
    return f"`{text if len(text) <= 48 else text[:47] + '…'}`".encode("utf-8", "backslashreplace").decode()


@dataclass
class DescriptionWriter:
    """Writes descriptions of tables as objects."""

    protocol: str
    """Name of the protocol, for errors."""
    part: DescribedPart
    spelling: Spelling
    producer: str
    _known: dict[DescribedTable, bytes] = field(default_factory=dict)
    _size: int = 0

    def write(self, description: DescribedTable) -> bytes:
        """The JSON object of a table description.

        Raises:
            EncodeError: a value that is needed is missing, or cannot be represented.
        """
        found = self._known.get(description)
        if found is None:
            found = self.written(self.part, description)
            self._size += len(found)
            if self._size > MOST_KEPT:
                self._known.clear()
                self._size = len(found)
            self._known[description] = found
        return found

    def written(self, part: DescribedPart, said: Any) -> bytes:
        """The JSON object of an item: its attributes as the part's members."""
        members = (b"%b:%b" % (self._text(name), value) for name, value in self._members(part, said))
        return b"{%b}" % b",".join(members)

    def _members(self, part: DescribedPart, said: Any) -> Iterator[tuple[str, bytes]]:
        for one in part.members:
            if isinstance(one, Inner):
                yield one.name, self.written(one.part, said)
            elif isinstance(one, Each):
                items = self._ordered(one, getattr(said, one.tells))
                yield one.name, b"[%b]" % b",".join(self.written(one.part, item) for item in items)
            else:
                value = None if one.silent and said.mysql_type in one.silent else getattr(said, one.tells)
                if not value and one.omitted:
                    continue
                yield one.name, self._value(one, value, said)

    def _ordered(self, one: Each, items: Sequence[Any]) -> Sequence[Any]:
        """The items in the order of their ids, if the producer writes them so and all ids are known."""
        if self.producer in one.by_id and all(item.id is not None for item in items):
            return sorted(items, key=lambda item: item.id)
        return items

    def _value(self, one: Told, value: Any, said: Any) -> bytes:
        if value is None:
            if one.null:
                return b"null"
            if one.type == BOOL:
                return b"false"
            if one.type == TEXT:
                return b'""'
            return b"0"
        if one.type == TEXTS:
            return names_json(self.protocol, value, b"[]", self.spelling)
        if one.type == BOOL:
            return b"true" if value else b"false"
        if isinstance(value, int):
            return b"%d" % value
        return self._text(value)

    def _text(self, text: str) -> bytes:
        return text_json(self.protocol, text, self.spelling)
