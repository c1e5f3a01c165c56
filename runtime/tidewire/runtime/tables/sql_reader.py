"""Parses CREATE TABLE statements into table descriptions, as TiDB interprets them.

The text is tokenized by sqlglot's tokenizer for MySQL; column definitions follow TiDB's grammar, parts of which
sqlglot's own parser lacks (FLOAT UNSIGNED, AUTO_RANDOM, CLUSTERED, NATIONAL VARCHAR).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tidewire.runtime.errors import SqlError
from tidewire.runtime.tables.columns import ColumnDescription, IndexDescription
from tidewire.runtime.tables.facts import TypesOfTables
from tidewire.runtime.tables.sql_client import plain_sql
from tidewire.runtime.tables.sql_columns import (
    ColumnText,
    IndexText,
    charset_of,
    charset_option,
    default_collation,
    described_column,
    index_columns,
    read_column,
    reference,
    said_of_clustering,
)
from tidewire.runtime.tables.sql_statements import ALTERED, CREATED, FIRST_WORDS
from tidewire.runtime.tables.sql_text import CLUSTERED
from tidewire.runtime.tables.sql_tokens import Clause, statements

CHARSET = "utf8mb4"
"""TiDB's default character set."""
REFUSED = (
    ("ALTER", "TABLE"),
    ("ALTER", "IGNORE", "TABLE"),
    ("RENAME", "TABLE"),
    ("RENAME", "TABLES"),
    ("CREATE", "INDEX"),
    ("CREATE", "UNIQUE", "INDEX"),
    ("DROP", "INDEX"),
)
"""Statements that change a table: skipping them would result in a wrong description."""

CONSTRAINTS = ("PRIMARY", "UNIQUE", "FOREIGN", "CHECK", "KEY", "INDEX", "FULLTEXT", "SPATIAL")
"""Words that can follow CONSTRAINT without a name between."""


class TableText(NamedTuple):
    """A table as a statement declares it."""

    schema: str | None
    table: str
    columns: tuple[ColumnDescription, ...]
    indexes: tuple[IndexDescription, ...]
    charset: str
    comment: str | None
    clause: Clause
    """Cursor over the statement."""


def read_tables(text: str, types: TypesOfTables, schema: str | None = None) -> Iterator[TableText]:
    """The tables that a text creates, in order; at least one. USE sets the schema, other statements are skipped.

    Args:
        text: SQL, with one or more statements.
        types: types of the database.
        schema: schema of tables whose statement names none.

    Raises:
        SqlError: a table is not determined by its statement; a statement changes a table; no statement creates one; or
            a statement begins with unknown words, such as a misspelt CREATE TABLE.
    """
    plain = plain_sql(text)
    try:
        yield from _tables(plain.text, types, schema)
    except SqlError as error:
        raise SqlError(plain.line(error.line), error.text, error.reason) from None


def _tables(text: str, types: TypesOfTables, schema: str | None) -> Iterator[TableText]:
    first: Clause | None = None
    created = 0
    for clause in statements(text):
        first = first or clause
        if clause.accept("USE"):
            schema = clause.name()
            if clause.ended:
                continue
            clause = Clause(text, clause.tokens[clause.at :])  # the client accepts USE without a semicolon
        for words in REFUSED:
            if clause.accept(*words):
                clause.at = 0
                clause.fail("this changes a table, and is not applied: give the CREATE TABLE of how it is then")
        if not clause.accept("CREATE"):
            _skipped(clause)
            continue
        clause.accept("OR", "REPLACE")
        if clause.accept("GLOBAL", "TEMPORARY") or clause.accept("TEMPORARY"):
            continue
        if clause.accept("TABLE"):
            created += 1
            yield _table(clause, types, schema)
        elif clause.word() not in CREATED:
            clause.fail("what is created is expected here, as TABLE or VIEW")
    if not created:
        found = first or Clause(text, [])
        found.at = 0
        found.fail("a CREATE TABLE is expected in this text, as SHOW CREATE TABLE prints it, and there is none")


def _skipped(clause: Clause) -> None:
    """Checks that a statement is known to create and change no table."""
    known = clause.word() in FIRST_WORDS or clause.word(1) == ":"  # a label in a stored program
    if not known:
        clause.fail("no statement is known that begins so, and a misspelt CREATE TABLE is not skipped")
    if clause.word() == "ALTER" and clause.word(1) not in ALTERED:
        clause.next()
        clause.fail("what is altered is expected here, as DATABASE or VIEW")


def _table(clause: Clause, types: TypesOfTables, schema: str | None) -> TableText:
    clause.accept("IF", "NOT", "EXISTS")
    table = clause.name()
    if clause.accept("."):
        schema, table = table, clause.name()
    if clause.word() != "(" or clause.word(1) == "LIKE":
        clause.fail("the columns of the table are expected in parentheses: LIKE and SELECT do not tell them")
    _, inside = clause.inside()
    columns: list[ColumnText] = []
    indexes: list[IndexText] = []
    foreign: list[IndexText] = []
    for part in inside.parts():
        if not constraint(part, indexes, foreign):
            columns.append(read_column(part, types))
    if not columns:
        clause.fail("a table has a column")
    charset, collation, comment = _options(clause)
    indexes += [index for column in columns for index in column.indexes]
    primary = next((index for index in indexes if index.primary), None)
    keys = {name.lower() for name in primary.columns} if primary else set()
    described = [described_column(one, types, charset, collation, one.name.lower() in keys) for one in columns]
    known = {one.name.lower(): one for one in described}
    for index in (*indexes, *foreign):
        for name in index.columns:
            if name.lower() not in known:
                clause.at = 0
                clause.fail(f"the index {index.name or 'without a name'} is on {name}, and there is no such column")
    found = _indexes(indexes, foreign, described, types)
    return TableText(schema, table, tuple(described), tuple(found), charset, comment, clause)


def constraint(part: Clause, indexes: list[IndexText], foreign: list[IndexText]) -> bool:
    """Reads an index or constraint; False: it is a column."""
    if part.kind() == "IDENTIFIER":
        return False
    start, named = part.at, None
    if part.accept("CONSTRAINT"):
        if part.word() not in CONSTRAINTS:
            named = part.name()
    if part.accept("PRIMARY", "KEY"):
        _kind_of_index(part)
        columns, expressions = index_columns(part)
        clustered = said_of_clustering(part)
        indexes.append(IndexText("PRIMARY", columns, True, True, clustered, expressions))
    elif part.accept("UNIQUE"):
        if not part.accept("KEY"):
            part.accept("INDEX")
        indexes.append(_named_index(part, named, True))
    elif part.accept("FOREIGN", "KEY"):
        part.accept("IF", "NOT", "EXISTS")
        own = None if part.word() == "(" else part.name()
        columns, _ = index_columns(part)
        part.expect("REFERENCES")
        reference(part)
        foreign.append(IndexText(named or own or f"fk_{len(foreign) + 1}", columns))
    elif part.word() in ("KEY", "INDEX"):
        part.next()
        indexes.append(_named_index(part, None, False))
    elif part.word() in ("FULLTEXT", "SPATIAL", "VECTOR", "COLUMNAR") and part.word(1) in ("KEY", "INDEX", "("):
        part.at = len(part.tokens)  # does not identify rows, and TiDB may omit it
    elif part.word() == "CHECK" and part.word(1) == "(":
        part.at = len(part.tokens)
    else:
        part.at = start
        return False
    return True


def _named_index(part: Clause, named: str | None, unique: bool) -> IndexText:
    _kind_of_index(part)
    part.accept("IF", "NOT", "EXISTS")
    name = named
    if part.word() != "(":
        name = part.name()
    _kind_of_index(part)
    columns, expressions = index_columns(part)
    return IndexText(name, columns, unique, expressions=expressions)


def _kind_of_index(part: Clause) -> None:
    if part.accept("USING") or part.accept("TYPE"):
        part.next()


def _options(clause: Clause) -> tuple[str, str, str | None]:
    """Reads character set, collation and comment of the table."""
    charset = collation = comment = None
    while not clause.ended:
        if clause.word() in ("SELECT", "AS", "LIKE"):
            clause.fail("a table that is made of a query is not told by its statement: SHOW CREATE TABLE tells it")
        if clause.accept("PARTITION"):
            break
        if (option := charset_option(clause)) is not None:
            charset, collation = option[0] or charset, option[1] or collation
        elif clause.accept("COMMENT"):
            comment = _option(clause)
        else:
            clause.next()
    if charset is None:
        charset = CHARSET if collation is None else charset_of(collation)
    return charset, collation or default_collation(charset), comment


def _option(clause: Clause) -> str:
    clause.accept("=")
    return clause.string() if clause.kind() == "STRING" else clause.name()


def _indexes(
    indexes: Sequence[IndexText],
    foreign: Sequence[IndexText],
    columns: Sequence[ColumnDescription],
    types: TypesOfTables,
) -> Iterator[IndexDescription]:
    """The indexes that TiDB makes, as TiCDC describes them: an integer primary key that is the row's handle is last."""
    known = {one.name.lower(): one for one in columns}
    taken = {index.name.lower() for index in indexes if index.name is not None}
    last: IndexDescription | None = None
    listed = [index for index in indexes if not index.expressions]
    # a foreign key gets an index unless another index begins with its columns
    lengths = {len(one.columns) for one in foreign}
    beginnings = {one for index in listed for one in _beginnings(index, lengths)}
    for one in foreign:
        if tuple([name.lower() for name in one.columns]) not in beginnings:
            listed.append(one)
            beginnings.update(_beginnings(one, lengths))
    numbers: dict[str, int] = {}
    for index in listed:
        parts = [known[name.lower()] for name in index.columns]
        name = index.name
        if name is None:
            name, number = parts[0].name, numbers.get(parts[0].name, 2)
            while name.lower() in taken:
                name, number = f"{parts[0].name}_{number}", number + 1
            numbers[parts[0].name] = number
            taken.add(name.lower())
        own = tuple(one.name for one in parts)
        nullable = any(bool(one.nullable) for one in parts)
        handle = index.primary and len(parts) == 1 and types.is_integer(parts[0]) and index.clustered is not False
        found = IndexDescription(CLUSTERED if handle else name, own, index.unique, index.primary, nullable)
        if handle:
            last = found
        else:
            yield found
    if last is not None:
        yield last


def _beginnings(index: IndexText, lengths: set[int]) -> Iterator[tuple[str, ...]]:
    """Prefixes of an index's columns, one for each length."""
    names = tuple([name.lower() for name in index.columns])
    for length in lengths:
        yield names[:length]
