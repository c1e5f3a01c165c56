"""Table descriptions as objects of JSON messages: read into `DescribedTable`, and written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tidewire.runtime.errors import DUPLICATE, KIND, MISSING, OUTSIDE, VALUE
from tidewire.runtime.json.json_literals import names_json, text_json
from tidewire.runtime.tables.described_parts import (
    BOOL,
    CLASSES,
    INTEGER,
    TEXT,
    TEXTS,
    UNSIGNED,
    ArrayField,
    DescriptionCache,
    DescriptionWriter,
    NoDescription,
    ObjectField,
)

if TYPE_CHECKING:
    from tidewire.runtime.json.sink import Spelling
    from tidewire.runtime.tables.described_parts import DescribedPart, ScalarField
    from tidewire.runtime.tables.description import DescribedTable

_RANGES = {INTEGER: (-(1 << 63), (1 << 63) - 1), UNSIGNED: (0, (1 << 64) - 1)}
_NUMBER = "a whole number"
_KINDS = {TEXT: "a string", BOOL: "true or false", TEXTS: "an array", INTEGER: _NUMBER, UNSIGNED: _NUMBER}


class JsonDescriptionReader:
    """Reads table descriptions.

    Attributes:
        part: the object that describes a table.
        description: class of descriptions.
        path: position of the last error inside the description, each step after a slash.
    """

    def __init__(self, part: DescribedPart, description: type[DescribedTable]) -> None:
        """
        Args:
            part: the object that describes a table.
            description: class of descriptions.
        """
        self.part = part
        self.description = description
        self._cache = DescriptionCache()
        self._nothing = [json.loads(one) for one in part.nothing]
        self.path = ""

    def read(self, text: bytes) -> DescribedTable | None:
        """Parses a description from the text of an object, which is valid JSON and UTF-8; None if it stands for none.

        Raises:
            NoDescription: it is not a description; `path` is where.
        """
        self.path = ""
        found: DescribedTable | None = self._cache.get(text)
        if found is None and text not in self._cache:
            found = self._made(text)
            self._cache.store(text, found, len(text))
        return found

    def _made(self, text: bytes) -> DescribedTable | None:
        if self._nothing and json.loads(text) in self._nothing:
            return None
        made = self.attributes(self.part, members(text), "")
        try:
            return self.description(**made)
        except ValueError as error:
            raise NoDescription(VALUE, str(error)) from None

    def fail(self, path: str, code: int, detail: str) -> NoDescription:
        """Records the path of an error and returns the error: a code of `errors.REASONS`, and the detail."""
        self.path = path
        return NoDescription(code, detail)

    def attributes(self, part: DescribedPart, found: object, path: str) -> dict[str, Any]:
        """Values of an object's members, by attribute."""
        if not isinstance(found, _Pairs):
            raise self.fail(path, KIND, f"{shown(found)} where an object is expected")
        pairs: dict[str, object] = {}
        names = {one.name for one in part.fields}
        for name, value in found.pairs:
            if name in pairs:
                raise self.fail(f"{path}/{name}", DUPLICATE, "given twice")
            if part.refuses_unknown and name not in names:
                raise self.fail(f"{path}/{name}", KIND, "there is no such member in a description")
            pairs[name] = value
        said: dict[str, Any] = {}
        later: list[tuple[ScalarField, object, str]] = []
        for one in part.fields:
            below = f"{path}/{one.name}"
            value = pairs.get(one.name)
            if isinstance(one, ObjectField) and one.attribute:
                inner = None if value is None else self.attributes(one.part, value, below)
                said[one.attribute] = inner if inner is None else self.made(one.part.describes, inner)
            elif isinstance(one, ObjectField):
                if value is None:
                    raise self.fail(below, MISSING, "it is missing")
                said |= self.attributes(one.part, value, below)
            elif isinstance(one, ArrayField):
                said[one.attribute] = self._each(one, value, below)
            elif not one.attribute:
                continue
            elif value is None:
                if not (one.omitted or one.null):
                    raise self.fail(below, MISSING, "it is missing")
            elif one.numbers:
                later.append((one, value, below))  # its type depends on other members
            else:
                said[one.attribute] = self._scalar(one, value, below)
        for one, value, below in later:
            number = said.get("mysql_type") in one.numbers
            said[one.attribute] = self._typed(UNSIGNED if number else TEXT, value, below)
        return said

    def _each(self, one: ArrayField, found: object, path: str) -> tuple[Any, ...]:
        if found is None:
            return ()
        if not isinstance(found, list):
            raise self.fail(path, KIND, f"{shown(found)} where an array is expected")
        made = []
        for number, item in enumerate(found):
            said = self.attributes(one.part, item, f"{path}/{number}")
            try:
                made.append(self.made(one.part.describes, said))
            except ValueError as error:
                raise self.fail(f"{path}/{number}", VALUE, str(error)) from None
        return tuple(made)

    def made(self, describes: str, said: dict[str, Any]) -> Any:
        """Makes the description of a part from its attributes.

        Raises:
            ValueError: the attributes contradict each other.
        """
        return CLASSES[describes](**said)

    def _scalar(self, one: ScalarField, value: object, path: str) -> object:
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


class JsonDescriptionWriter(DescriptionWriter):
    """Writes descriptions of tables as objects."""

    NULL = b"null"

    def __init__(self, part: DescribedPart, producer: str, protocol: str, spelling: Spelling) -> None:
        """
        Args:
            part, producer: as in `DescriptionWriter`.
            protocol: name of the protocol, for errors.
            spelling: how texts are escaped.
        """
        super().__init__(part, producer)
        self._protocol = protocol
        self._spelling = spelling

    def joined(self, fields: Iterable[tuple[str, bytes]]) -> bytes:
        return b"{%b}" % b",".join([b"%b:%b" % (self._text(name), value) for name, value in fields])

    def array(self, items: Sequence[bytes]) -> bytes:
        return b"[%b]" % b",".join(items)

    def scalar(self, one: ScalarField, value: Any, item: Any) -> bytes | None:
        if one.silent and item.mysql_type in one.silent:
            value = None
        if not value and one.omitted:
            return None
        if value is None:
            return b"null" if one.null else b"false" if one.type == BOOL else b'""' if one.type == TEXT else b"0"
        if one.type == TEXTS:
            return names_json(self._protocol, value, b"[]", self._spelling)
        if one.type == BOOL:
            return b"true" if value else b"false"
        return b"%d" % value if isinstance(value, int) else self._text(value)

    def _text(self, text: str) -> bytes:
        return text_json(self._protocol, text, self._spelling)
