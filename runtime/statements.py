"""What a DDL statement does, by the words that it begins with."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

NAME = "~"
"""In a beginning: a name, of one word or several joined by dots."""

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
    """one, several or any: how many things such a statement lists."""


def which(beginnings: Sequence[Beginning], statement: str, codes: Container[int] | None = None) -> int | None:
    """The code of the beginning that says most of the statement; None when there is none, or more than one.

    Args:
        beginnings: what there is to choose from.
        statement: in SQL.
        codes: those that are possible; None: all.
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
    # A statement that says something else than its class is not told by either.
    return code if codes is None or code in codes else None


def _weight(wanted: Sequence[str], words: Sequence[str]) -> int | None:
    """How many words of a beginning the statement says; None when it begins otherwise."""
    if len(wanted) > len(words):
        return None
    same = [one == NAME or one == word for one, word in zip(wanted, words, strict=False)]
    return sum(one != NAME for one in wanted) if all(same) else None


def _read(statement: str) -> tuple[list[str], bool]:
    """The words of a statement up to the first sign behind a few, and whether it lists several things."""
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
