"""DDL statements: type codes, their classes, and the words that statements begin with."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

NAME = "~"
"""Placeholder in a `Beginning` for a name: one word, or several joined by dots."""

_PART = r"(?:`(?:[^`]|``)*`|\"(?:[^\"]|\"\")*\"|[\w$\x80-\U0010ffff]+)"
_TOKEN = re.compile(
    r"(?P<space>\s+|/\*(?!T!|!).*?\*/|--\s[^\n]*|\#[^\n]*)"
    r"|(?P<string>'(?:[^'\\]|\\.|'')*')"
    rf"|(?P<name>{_PART}(?:\s*\.\s*{_PART})*)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_IGNORED = ("if", "not", "exists")


class Beginning(NamedTuple):
    """How a kind of statement begins."""

    words: str
    code: int
    lists: str
    """`one`, `several` or `any`: how many objects such a statement names."""


class DdlTypes:
    """The DDL actions of a database, by their codes."""

    def __init__(
        self,
        codes: Iterable[int],
        classes: Mapping[str, tuple[int, ...]],
        other: str,
        beginnings: Mapping[str, Mapping[int, Sequence[str]]],
    ) -> None:
        """Args:
            codes: all codes, smallest first.
            classes: codes by name of the class.
            other: the class of all other codes.
            beginnings: by number of objects (one, several, any) and code: the beginnings of statements.
        """
        self._codes = tuple(codes)
        self._classes = {code: cls for cls, members in classes.items() for code in members}
        self._other = other
        self._beginnings = [
            Beginning(words, code, lists)
            for lists, by_code in beginnings.items()
            for code, every in by_code.items()
            for words in every
        ]

    def ddl_class(self, code: int) -> str:
        """The class of a DDL action, also for unknown codes."""
        return self._classes.get(code, self._other)

    def ddl_types_of(self, cls: str) -> tuple[int, ...]:
        """The codes of the DDL actions of a class, smallest first; empty if there is no such class."""
        return tuple(code for code in self._codes if self.ddl_class(code) == cls)

    def ddl_type_of(self, query: str | None, cls: str | None = None, also: Iterable[int] = ()) -> int | None:
        """The code of a statement's DDL action, as determined by its class and first words; None if they do not
        determine it.

        Args:
            query: the statement.
            cls: class of the statement, if known.
            also: further codes that a producer assigns to this class.
        """
        codes = None if cls is None else (*self.ddl_types_of(cls), *also)
        if codes is not None and len(codes) == 1:
            return codes[0]
        return which(self._beginnings, query or "", codes)


def which(beginnings: Sequence[Beginning], statement: str, codes: Container[int] | None = None) -> int | None:
    """The code of the longest matching beginning; None if there is none, or more than one.

    Args:
        beginnings: the candidates.
        statement: statement in SQL.
        codes: codes of possible candidates; None: all.
    """
    words, several = _read(statement)
    found: dict[int, set[int]] = {}
    for one in beginnings:
        if one.lists in ("any", "several" if several else "one"):
            weight = _weight(one.words.split(), words)
            if weight is not None:
                found.setdefault(weight, set()).add(one.code)
    best = found[max(found)] if found else set()
    if len(best) != 1:
        return None
    (code,) = best
    # When the statement contradicts its class, neither decides.
    return code if codes is None or code in codes else None


def _weight(wanted: Sequence[str], words: Sequence[str]) -> int | None:
    """The number of words of a matching beginning; None if the statement begins otherwise."""
    if len(wanted) > len(words):
        return None
    same = [one == NAME or one == word for one, word in zip(wanted, words, strict=False)]
    return sum(one != NAME for one in wanted) if all(same) else None


def _read(statement: str) -> tuple[list[str], bool]:
    """The first words of a statement, and whether it names several objects."""
    words: list[str] = []
    several = False
    depth = 0
    for kind, text in _tokens(statement):
        if kind == "name" and depth == 0:
            words.append(text.lower())
        elif text == "(":
            depth += 1
        elif text == ")":
            depth -= 1
        elif text == "," and depth == 0:
            several = True
    return [word for word in words if word not in _IGNORED], several


def _tokens(statement: str) -> Iterator[tuple[str, str]]:
    for found in _TOKEN.finditer(statement):
        if found.lastgroup is not None and found.lastgroup != "space":
            yield found.lastgroup, found[0]
