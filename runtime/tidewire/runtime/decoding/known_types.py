"""Types of columns that messages do not declare: given by the user, or a placeholder for unknown types."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from tidewire.runtime.errors import OptionError
from tidewire.runtime.shortened import shown

if TYPE_CHECKING:
    from tidewire.runtime.decoding.declared import TypeText

_NAME = re.compile(r"\s*(?:`((?:[^`]|``)+)`|([^\s`.,;()]+))")
_QUOTED = re.compile(r"'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\"", re.DOTALL)


class KnownTypes:
    """Parses declared types, and holds the types that the user gave.

    Attributes:
        declared: parses a declared type; raises ValueError if it is malformed.
        undeclared: type code of columns whose type is not stated; -1: every column must state it.
        greatest: the greatest value of a column, by type code and flags; None if unknown.
    """

    def __init__(
        self,
        declared: Callable[[str], TypeText],
        undeclared: int = -1,
        types: str = "",
        greatest: Callable[[int, int], int | None] | None = None,
    ) -> None:
        """
        Args:
            declared: parses a declared type; malformed ones get the type `undeclared`, if there is one.
            undeclared: a type code; -1: none.
            types: types of columns that messages do not state, ``schema.table (column type, ...); ...``. Names are
                case-insensitive.
            greatest: see the attribute; None: unknown for all columns.

        Raises:
            OptionError: `types` is malformed.
        """
        self.declared = declared
        self.undeclared = undeclared
        self.greatest = greatest or _unknown
        self.tables: dict[tuple[str, str], dict[str, str]] = {}
        for table, columns in _tables(types):
            known = self.tables.setdefault(table, {})
            for name, text in columns.items():
                if declared(text).type == undeclared:
                    raise _wrong(f"column {shown(name)} has the type {shown(text)}, which is none that TiDB has")
                known[name] = text

    def of(self, table: tuple[str | None, str | None]) -> Mapping[str, str]:
        """The column types that the user gave for a table, by column name in lower case."""
        schema, name = table
        return self.tables.get(((schema or "").lower(), (name or "").lower()), {})


def _unknown(type: int, flags: int) -> int | None:
    """The default of `greatest`: unknown."""
    return None


def _wrong(reason: str) -> OptionError:
    return OptionError(
        f"column types: {reason}; they are written as in shop.orders (id bigint unsigned, note varchar(20)); "
        "shop.customers (...)"
    )


def _tables(text: str) -> Iterator[tuple[tuple[str, str], dict[str, str]]]:
    at = 0
    while text[at:].strip(" \t\r\n;"):
        at += len(text[at:]) - len(text[at:].lstrip(" \t\r\n;"))
        schema, at = _name(text, at)
        if text[at : at + 1] != ".":
            raise _wrong(f"no table, schema.table, stands at {text[at : at + 20]!r}")
        table, at = _name(text, at + 1)
        at += len(text[at:]) - len(text[at:].lstrip())
        if text[at : at + 1] != "(":
            raise _wrong(f"{schema}.{table} has no columns in parentheses")
        columns: dict[str, str] = {}
        while True:
            name, at = _name(text, at + 1)
            start = at
            at = _end(text, at)
            if name in columns:
                raise _wrong(f"column {shown(name)} of {schema}.{table} is there twice")
            columns[name] = text[start:at].strip()
            if text[at : at + 1] == ")":
                break
        at += 1
        yield (schema, table), columns


def _name(text: str, at: int) -> tuple[str, int]:
    """A name in lower case, and the offset after it."""
    found = _NAME.match(text, at)
    if found is None:
        raise _wrong(f"no name stands at {text[at : at + 20]!r}")
    quoted, plain = found.groups()
    name = plain if quoted is None else quoted.replace("``", "`")
    return name.lower(), found.end()


def _end(text: str, at: int) -> int:
    """Offset of the end of a type: its comma, or the parenthesis that closes the table."""
    depth = 0
    while at < len(text):
        quoted = _QUOTED.match(text, at)
        if quoted is not None:
            at = quoted.end()
            continue
        if depth == 0 and text[at] in ",)":
            return at
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    raise _wrong("a table's columns have no end")
