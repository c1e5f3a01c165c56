"""What a statement says of tables without describing them: the columns that it declares anew, all of CREATE TABLE and
those that ALTER TABLE adds or changes; what a table was called that it renames; and which tables exchange a partition.
"""

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
_PARTS = ("COLUMN", "INDEX", "KEY")
"""What ALTER TABLE can rename but the table."""


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


def renamed_from(statement: str, schema: str, table: str) -> tuple[str, str] | None:
    """What a table was called before a statement renamed it: its schema and name; None where it renames no such table.

    Args:
        statement: one of SQL; of several the first counts.
        schema: of the table now, and of tables that the statement names without one.
        table: what it is called now.
    """
    try:
        clause = next(statements(statement), None)
        if clause is not None and clause.accept("RENAME"):
            # sqlglot does not take such a statement apart
            clause = next(statements(clause.text[clause.tokens[0].end :]), None)
        return None if clause is None else dict(_renamed(clause, schema)).get((schema, table))
    except SqlError:
        return None


def exchanged_tables(statement: str, schema: str) -> tuple[tuple[str, str], tuple[str, str]] | None:
    """The partitioned table of a statement that exchanges a partition, and the table that gets it: schemas and names;
    None where it exchanges none.

    Args:
        statement: one of SQL; of several the first counts.
        schema: of tables that the statement names without one.
    """
    try:
        clause = next(statements(statement), None)
        if clause is None or not clause.accept("ALTER", "TABLE"):
            return None
        partitioned = _table(clause, schema)
        if not clause.accept("EXCHANGE", "PARTITION"):
            return None
        clause.name()
        clause.expect("WITH", "TABLE")
        return partitioned, _table(clause, schema)
    except SqlError:
        return None


def _renamed(clause: Clause, schema: str) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """The tables that a statement renames: what each is called now, and what it was called before."""
    if clause.accept("TABLE"):
        for part in clause.parts():
            before = _table(part, schema)
            part.expect("TO")
            yield _table(part, schema), before
    elif clause.accept("ALTER", "TABLE"):
        before = _table(clause, schema)
        for part in clause.parts():
            if part.accept("RENAME") and part.word() not in _PARTS:
                if not part.accept("TO"):
                    part.accept("AS")
                yield _table(part, schema), before


def _table(clause: Clause, schema: str = "") -> tuple[str, str]:
    """The name of a table, with its schema or this one."""
    name = clause.name()
    return (name, clause.name()) if clause.accept(".") else (schema, name)


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
