"""Facts about column types: how values are stored, what protocols call them, and how declared types are parsed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

_ESCAPES = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}
"""The characters that MySQL escapes with a backslash in a label; any other character stands for itself."""


class Flagged(NamedTuple):
    """How a column type differs if a column flag, such as UNSIGNED or BINARY, is set."""

    flag: int
    storage: str
    spark: str
    name: str | None = None
    """The name of the type with the flag; None: the same as without."""
    length: int | None = None
    """The length of a column declared without one; None: the same as without the flag."""
    greatest: int | None = None
    """The greatest number with the flag; None: it is not a number."""


class ProtocolName(NamedTuple):
    """A protocol's name for a column type."""

    plain: int | str
    flagged: int | str
    """The name with a flag that changes the type."""
    beyond: int | str | None = None
    """The name with such a flag for values above the type's `limit`; None if it is the same."""


class TypeFacts(NamedTuple):
    """A column type."""

    code: int
    names: tuple[str, ...]
    """The names that declare it; the first is the one that is printed."""
    storage: str
    """How its values are stored: int, uint, float, text, bytes, or nothing."""
    spark: str
    """The Spark type, as DDL text; "decimal" if precision and scale come from the column itself."""
    flagged: tuple[Flagged, ...] = ()
    flagged_names: Mapping[int, tuple[str, ...]] = {}
    """By flag: other names, which declare it with that flag."""
    omits: tuple[str, ...] = ()
    """Words that are not printed after its name."""
    labels: str = ""
    """`one` or `several`: it is declared with labels in quotes, and a value is one of them or has any of them."""
    fractions: bool = False
    """Whether its single number is the number of fractional digits."""
    parameters: str = ""
    """The numbers in parentheses: `length` if known, `length_or_0`, `both` length and scale if both are known,
    `both_or_0` where an unknown scale is 0. Empty: none, except for `fractions`.
    """
    checksum: str = ""
    """How its values enter the checksum of a row: `single` as a 32-bit float that is widened, `utc` as a text in UTC,
    `vector` as TiDB's bytes of a vector. Empty: as they are stored.
    """
    length: int | None = None
    """TiDB's length of a column declared without one; None if it follows from the labels, or there is none."""
    limit: int | None = None
    """The greatest value without its flag, if protocols have another name for greater ones."""
    called: Mapping[str, int | str | ProtocolName] = {}
    """By kind of name, what protocols call it; a single name applies with and without a flag."""


class Declared(NamedTuple):
    """A parsed column type."""

    type: int
    """A code of `ColumnType`."""
    flags: int
    """The flags that the text implies."""
    length: int | None
    """The number in parentheses, or the first of two; None if there is none."""
    decimals: int | None
    """Fractional digits: the second number, or the only one of a type with fractional seconds."""
    members: tuple[str, ...]
    """Labels, without quotes."""
    zerofill: bool


MOST_PRECISION = 65
"""The most digits of a DECIMAL."""
MOST_SCALE = 30
"""The most fractional digits of a DECIMAL."""
MOST_RECENT = 512
"""The most declared types that are cached."""
LONGEST_RECENT = 64
"""The longest text that is cached; longer ones have labels, and belong to few columns."""


def decimal_digits(precision: int | None, scale: int | None) -> tuple[int | None, int | None]:
    """Digits of a DECIMAL and its fractional digits, as declared; None for both if no DECIMAL can be declared that way.
    """
    if precision is not None and not (scale or 0) <= precision <= MOST_PRECISION:
        return None, None
    return (None, None) if (scale or 0) > MOST_SCALE else (precision, scale)


class MappedName(NamedTuple):
    """A protocol's name for the type of a column."""

    value: int | str
    beyond: int | str | None
    """The name for values above `limit`; None if it is the same."""
    limit: int | None
    """The greatest value with the ordinary name."""


class ColumnTypes:
    """The column types of a database."""

    def __init__(
        self,
        types: Iterable[TypeFacts],
        undeclared: int | None,
        words: Mapping[str, int],
        phrases: Mapping[int, Iterable[str]],
        printed: Iterable[tuple[int, str]],
    ) -> None:
        """Args:
            types: all column types.
            undeclared: code of the type for an unknown one; None if there is none.
            words: words that follow a type, and the flag that each sets.
            phrases: words that follow a type and are never printed (~ stands for a name), by the flag that they set; 0
                if they do not affect values.
            printed: flags that are printed after a type, and their words.
        """
        self._recent: dict[str, Declared] = {}
        self._types = {int(one.code): one for one in types}
        self._storage = {code: (one.storage, one.spark, one.flagged) for code, one in self._types.items()}
        self._telling = {code: sum(part.flag for part in one.flagged) for code, one in self._types.items()}
        self._undeclared = None if undeclared is None else Declared(int(undeclared), 0, None, None, (), False)
        self._words = {word: int(flag) for word, flag in words.items()}
        self._phrases = [(phrase.split(), int(flag)) for flag, every in phrases.items() for phrase in every]
        # phrases with more words first, and placeholders after fixed words
        self._phrases.sort(key=lambda one: (-len(one[0]), "~" in one[0]))
        self._printed = [(int(flag), word) for flag, word in printed]
        self._names = {name: (code, 0) for code, one in self._types.items() for name in one.names}
        for code, one in self._types.items():
            self._names |= {part.name: (code, part.flag) for part in one.flagged if part.name is not None}
            for flag, names in one.flagged_names.items():
                self._names |= {name: (code, int(flag)) for name in names}
        self._most_words = max(len(name.split()) for name in self._names)

    def storage(self, type: int, flags: int) -> str:
        """How the values of a column are stored: int, uint, float, text, bytes, or nothing for a type that TiDB does
        not have.
        """
        kind, _, flagged = self._storage.get(type, ("nothing", "string", ()))
        for one in flagged:
            if flags & one.flag:
                return one.storage
        return kind

    def spark_type(self, type: int, flags: int) -> str:
        """The Spark type of a column, as DDL text; "decimal" if precision and scale come from the column itself."""
        _, kind, flagged = self._storage.get(type, ("nothing", "string", ()))
        for one in flagged:
            if flags & one.flag:
                return one.spark
        return kind

    def greatest(self, type: int, flags: int) -> int | None:
        """The maximum value of a column with a flag that changes its storage; None if it has no such flag, or is not a
        number.
        """
        flagged = self._storage.get(type, ("nothing", "string", ()))[2]
        return next((one.greatest for one in flagged if flags & one.flag), None)

    def telling_flags(self, type: int) -> int:
        """The flags that change how values of the type are stored; other flags do not."""
        return self._telling.get(type, 0)

    def declared(self, text: str) -> Declared:
        """Parses a declared type in SQL syntax: ``int(10) unsigned zerofill``, ``ENUM('a','b')``, ``double precision``.

        Case is ignored, spaces are allowed between all words and numbers, and `unsigned` may come first. Digits that a
        DECIMAL cannot have are ignored.

        Other names in MySQL are accepted too (``INT8``, ``NATIONAL CHARACTER VARYING``), as are words after the type
        that do not affect values (``CHARACTER SET utf8mb4 COLLATE utf8mb4_bin``).

        Raises:
            ValueError: the text is not a type of TiDB; a sentence says why.
        """
        found = self._recent.get(text)
        if found is None:
            found = self._declared(text)
            if len(text) <= LONGEST_RECENT:
                if len(self._recent) >= MOST_RECENT:
                    self._recent.clear()
                self._recent[text] = found
        return found

    def _declared(self, text: str) -> Declared:
        """`declared` without the cache."""
        head, inside, tail = _parted(text)
        words = head.lower().split()
        first = next((at for at, word in enumerate(words) if word not in self._words), len(words))
        given, words = words[:first], words[first:]
        size = min(self._most_words, len(words))
        while size and " ".join(words[:size]) not in self._names:
            size -= 1
        if not size:
            raise ValueError(f"{_shown(text)} is no type of a column: TiDB has no type {_shown(' '.join(words))}")
        type, flags = self._names[" ".join(words[:size])]
        given += [*words[size:], *tail.lower().split()]
        flags |= self._flags(text, given)
        members: tuple[str, ...] = ()
        numbers: tuple[int, ...] = ()
        if inside is not None and self._types[type].labels:
            members = _labels(text, inside)
        elif inside is not None:
            numbers = _numbers(text, inside)
        length = numbers[0] if numbers else None
        decimals = numbers[1] if len(numbers) > 1 else None
        if decimals is None and self._types[type].fractions:
            length, decimals = None, length
        if self._types[type].spark == "decimal":
            length, decimals = decimal_digits(length, decimals)
        return Declared(type, flags, length, decimals, members, "zerofill" in given)

    def _flags(self, text: str, words: Sequence[str]) -> int:
        """The flags that the words beside a type's name set."""
        flags = at = 0
        while at < len(words):
            if words[at] in self._words:
                flags |= self._words[words[at]]
                at += 1
                continue
            for phrase, flag in self._phrases:
                part = words[at : at + len(phrase)]
                if len(part) == len(phrase) and all(one in ("~", word) for one, word in zip(phrase, part, strict=True)):
                    flags |= flag
                    at += len(phrase)
                    break
            else:
                raise ValueError(
                    f"{_shown(text)} is no type of a column: {_shown(words[at])} says nothing about a type"
                )
        return flags

    def declared_or_undeclared(self, text: str) -> Declared:
        """`declared`, but the type `undeclared` for a text that is not a type of TiDB."""
        try:
            return self.declared(text)
        except ValueError:
            if self._undeclared is None:
                raise
            return self._undeclared

    def type_text(self, type: int, flags: int, zerofill: bool = False) -> str:
        """TiDB's name of a type without its parameters: ``int unsigned zerofill``, ``varbinary``, ``enum``.

        Raises:
            ValueError: there is no such type.
        """
        if type not in self._types:
            raise ValueError(f"{type} is no type code that TiDB has")
        facts = self._types[type]
        text = facts.names[0]
        for one in facts.flagged:
            if flags & one.flag and one.name is not None:
                text = one.name
        words = [word for flag, word in self._printed if flags & flag]
        if zerofill:
            words.append("zerofill")
        return " ".join([text, *(word for word in words if word not in facts.omits)])

    def has(self, type: int) -> bool:
        """Whether a type has this code."""
        return type in self._types

    def facts(self, type: int) -> TypeFacts:
        """The facts about a type.

        Raises:
            LookupError: there is no such type.
        """
        return self._types[type]

    @property
    def undeclared_code(self) -> int | None:
        """The code of the type that represents an undeclared one; None if there is none."""
        return None if self._undeclared is None else self._undeclared.type

    def declaration(
        self,
        type: int,
        flags: int,
        length: int | None = None,
        scale: int | None = None,
        labels: Iterable[str] = (),
        zerofill: bool = False,
        name: str = "",
    ) -> str:
        """A type with its parameters, as SQL declares it: ``decimal(10,2) unsigned``, ``enum('a','b')``.

        Args:
            type: type code.
            length: length, width or number of digits; None if unknown, negative for any.
            scale: fractional digits.
            labels: labels of ENUM or SET; empty if unknown.
            zerofill: whether the type has that word.
            name: name of the type, if it has several (POINT is a GEOMETRY); TiDB's own otherwise.

        Raises:
            ValueError: there is no such type.
        """
        words = self.type_text(type, flags, zerofill).split()
        facts = self._types[type]
        if self._names.get(name, (-1, 0)) == (type, flags & self._telling[type]):
            words[0] = name
        return " ".join([words[0] + _parameters(facts, length, scale, labels), *words[1:]])

    def mapped(self, kind: str, type: int, flags: int) -> MappedName:
        """A protocol's name for a column type.

        Args:
            kind: one of the kinds of names in mysql_types.yaml.
            type: type code.

        Raises:
            LookupError: there is no such name for this type.
        """
        facts = self._types.get(type)
        if facts is None or kind not in facts.called:
            raise LookupError(f"column type {type} has no {kind} name")
        found = facts.called[kind]
        if not isinstance(found, ProtocolName):
            found = ProtocolName(found, found)
        if not flags & self._telling[type]:
            return MappedName(found.plain, None, None)
        return MappedName(found.flagged, found.beyond, None if found.beyond is None else facts.limit)


def _parameters(facts: TypeFacts, length: int | None, scale: int | None, labels: Iterable[str]) -> str:
    """The contents of the parentheses after a type's name."""
    if facts.labels:
        shown = ",".join(map(quoted_text, labels))
        return f"({shown})" if shown else ""  # a column with labels always has some: they are unknown
    if facts.fractions:
        return f"({scale})" if scale and scale > 0 else ""
    known = length is not None and length >= 0
    if facts.parameters == "length_or_0":
        return f"({length if known else 0})"
    if not known or not facts.parameters or not length:
        return ""
    if facts.parameters == "length":
        return f"({length})"
    if scale is None or scale < 0:
        return f"({length},0)" if facts.parameters == "both_or_0" else ""
    return f"({length},{scale})"


def quoted_text(text: str) -> str:
    """A text in SQL's single quotes."""
    escaped = text.replace("\\", "\\\\").replace("'", "''").replace("\0", "\\0")
    return (
        f"'{escaped.replace(chr(10), chr(92) + 'n').replace(chr(13), chr(92) + 'r').replace(chr(26), chr(92) + 'Z')}'"
    )


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:59]}…")


def _parted(text: str) -> tuple[str, str | None, str]:
    """The text before, in and after the parentheses."""
    start, stop = text.find("("), text.rfind(")")
    if start < 0 and stop < 0:
        return text, None, ""
    if start < 0 or stop < start:
        raise ValueError(f"{_shown(text)} is no type of a column: its parentheses do not match")
    return text[:start], text[start + 1 : stop], text[stop + 1 :]


def _numbers(text: str, inside: str) -> tuple[int, ...]:
    """One or two numbers."""
    parts = [part.strip() for part in inside.split(",", 2)]
    if len(parts) > 2 or not all(part.isascii() and part.isdigit() and len(part) <= 10 for part in parts):
        raise ValueError(f"{_shown(text)} is no type of a column: one or two numbers stand in its parentheses")
    return tuple(int(part) for part in parts)


def unquoted_text(text: str) -> str:
    """The contents of a text in SQL quotes.

    Raises:
        ValueError: it is not a quoted text.
    """
    (found,) = _labels(text, text)
    return found


def _labels(text: str, inside: str) -> tuple[str, ...]:
    """The labels in quotes; commas and parentheses inside quotes belong to labels."""
    found: list[str] = []
    at, rest = 0, inside.strip()
    while True:
        quote = rest[at : at + 1]
        if quote not in ("'", '"'):
            raise ValueError(f"{_shown(text)} is no type of a column: its labels stand in quotes")
        at += 1
        label: list[str] = []
        while True:
            one = rest[at : at + 1]
            if one == "":
                raise ValueError(f"{_shown(text)} is no type of a column: a label has no end")
            if one == quote and rest[at + 1 : at + 2] != quote:
                break
            if one == quote:
                at += 1
            elif one == "\\" and at + 1 < len(rest):
                at += 1
                one = _ESCAPES.get(rest[at], rest[at])
            label.append(one)
            at += 1
        found.append("".join(label))
        at += 1
        while rest[at : at + 1].isspace():
            at += 1
        if at == len(rest):
            return tuple(found)
        if rest[at] != ",":
            raise ValueError(f"{_shown(text)} is no type of a column: a comma stands between labels")
        at += 1
        while rest[at : at + 1].isspace():
            at += 1
