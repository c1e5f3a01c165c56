"""The columns that a statement declares anew: all of CREATE TABLE, and those that ALTER TABLE adds or changes."""

from __future__ import annotations

from collections.abc import Iterator

from tidewire.runtime.errors import SqlError
from tidewire.runtime.tables.facts import TypesOfTables
from tidewire.runtime.tables.sql_columns import ColumnText, read_column
from tidewire.runtime.tables.sql_reader import constraint
from tidewire.runtime.tables.sql_tokens import Clause, statements

_OTHERS = (
    *("PARTITION", "INDEX", "KEY", "UNIQUE", "PRIMARY", "CONSTRAINT", "FOREIGN", "FULLTEXT", "SPATIAL", "CHECK"),
    "STATS_EXTENDED",
)
"""What ALTER TABLE can add but columns."""


def declared_columns(statement: str, types: TypesOfTables) -> dict[str, ColumnText]:
    """The columns that a statement declares, by their names.

    Empty for one that declares none, and for one that cannot be read: TiCDC does the same (pingcap/ticdc
    pkg/sink/codec, where it parses the statements that it sends).

    Args:
        statement: one of SQL; of several the first counts.
        types: of the database.
    """
    try:
        clause = next(statements(statement), None)
        if clause is None:
            return {}
        found = [read_column(part, types) for part in _definitions(clause)]
    except SqlError:
        return {}
    return {one.name: one for one in found}


def _definitions(clause: Clause) -> Iterator[Clause]:
    """The definitions of columns in a statement."""
    if clause.accept("CREATE", "TABLE"):
        clause.accept("IF", "NOT", "EXISTS")
        _table(clause)
        if clause.word() == "(" and clause.word(1) != "LIKE":
            yield from _listed(clause)
    elif clause.accept("ALTER", "TABLE"):
        _table(clause)
        for part in clause.parts():
            yield from _changed(part)


def _table(clause: Clause) -> None:
    clause.name()
    if clause.accept("."):
        clause.name()


def _listed(clause: Clause) -> Iterator[Clause]:
    """The definitions in parentheses, among which there are indexes."""
    for part in clause.inside()[1].parts():
        if not constraint(part, [], []):
            yield part


def _changed(part: Clause) -> Iterator[Clause]:
    """The definitions in one part of ALTER TABLE."""
    if part.accept("ADD"):
        named = part.accept("COLUMN")
        if not named and constraint(Clause(part.text, part.tokens[part.at :]), [], []):
            return
        if not named and part.word() in _OTHERS:
            return
    elif part.accept("MODIFY"):
        part.accept("COLUMN")
    elif part.accept("CHANGE"):
        part.accept("COLUMN")
        part.accept("IF", "EXISTS")
        part.name()
    else:
        return
    if not part.accept("IF", "NOT", "EXISTS"):
        part.accept("IF", "EXISTS")
    if part.word() == "(":
        yield from _listed(part)
        return
    tokens = part.tokens[part.at :]
    one = Clause(part.text, tokens)
    for at in range(len(tokens)):
        one.at = at
        # the name of a column could be one of these words, its type and what follows cannot
        if at and (one.word() == "FIRST" or (one.word() == "AFTER" and at == len(tokens) - 2)):
            tokens = tokens[:at]
            break
    yield Clause(part.text, tokens)
