"""Parses DDL statements into their effects on tables, in order.

Statements are in TiDB's own spelling, as TiCDC publishes them, or as typed by people. What is not understood becomes
`Unknown`, never a guess. The grammar is that of pingcap/tidb pkg/parser/parser.y.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from tidewire.runtime.errors import SqlError
from tidewire.runtime.shortened import shown
from tidewire.runtime.tables.facts import TypesOfTables
from tidewire.runtime.tables.sql_actions import (
    Action,
    AddColumn,
    ChangedKey,
    CreateDatabase,
    CreateTable,
    DeclaredColumn,
    DropColumn,
    DropDatabase,
    DropDefault,
    DropPartition,
    DropTable,
    ExchangePartition,
    ModifyColumn,
    Name,
    NoEffect,
    RecoverTable,
    RenameColumn,
    RenameTable,
    SetDefault,
    Truncate,
    TruncatePartition,
    Unknown,
)
from tidewire.runtime.tables.sql_alter_table import altered, declared, key_columns, known_types, table_name
from tidewire.runtime.tables.sql_columns import IndexText, charset_of, charset_option, read_column
from tidewire.runtime.tables.sql_reader import constraint
from tidewire.runtime.tables.sql_tokens import Clause, executed, statements

__all__ = [
    "Action",
    "AddColumn",
    "ChangedKey",
    "CreateDatabase",
    "CreateTable",
    "DeclaredColumn",
    "DropColumn",
    "DropDatabase",
    "DropDefault",
    "DropPartition",
    "DropTable",
    "ExchangePartition",
    "ModifyColumn",
    "Name",
    "NoEffect",
    "RecoverTable",
    "RenameColumn",
    "RenameTable",
    "SetDefault",
    "Truncate",
    "TruncatePartition",
    "Unknown",
    "actions_of",
]

_KINDS_OF_INDEX = ("UNIQUE", "FULLTEXT", "SPATIAL", "VECTOR", "COLUMNAR", "HYPO")
_OTHERS = {
    "VIEW": "a view",
    "SEQUENCE": "a sequence",
    "USER": "a user",
    "ROLE": "a role",
    "RESOURCE": "a resource group",
    "PLACEMENT": "where data is placed",
    "STATISTICS": "statistics",
    "STATS": "statistics",
    "BINDING": "a binding of a plan",
    "FUNCTION": "a function",
    "PROCEDURE": "a procedure",
    "EVENT": "an event",
    "TRIGGER": "a trigger",
    "RANGE": "where data is placed",
    "INSTANCE": "an instance",
    "SERVER": "a server",
}
"""Objects other than tables, by the word after CREATE, ALTER or DROP."""
_IN_FRONT = {
    "CREATE": ("ALGORITHM", "DEFINER", "SQL", "SESSION", "GLOBAL", "AGGREGATE"),
    "ALTER": ("ALGORITHM", "DEFINER", "SQL"),
    "DROP": ("SESSION", "GLOBAL"),
}
"""Words that precede such objects, with their arguments."""
_KEPT = {
    "ANALYZE": "statistics",
    "OPTIMIZE": "how data is kept",
    "SPLIT": "where data is placed",
    "DISTRIBUTE": "where data is placed",
    "LOCK": "who may use a table",
    "UNLOCK": "who may use a table",
    "GRANT": "who may use a table",
    "REVOKE": "who may use a table",
}
"""Other statements that change neither rows nor columns, by their first word."""
_QUERY = frozenset(("SELECT", "AS", "TABLE", "VALUES", "WITH"))
"""Words that begin a query after the columns of a new table."""


def actions_of(
    statement: str, types: TypesOfTables | None, schema: str = "", key: Collection[str] = ()
) -> tuple[Action, ...]:
    """The effects of a DDL statement, in order.

    If a statement is not understood from some position on, the last action is `Unknown`; without any statement it is
    the only one.

    Args:
        statement: text as in an event; all statements in it count.
        types: types of the database; None: column definitions are not understood.
        schema: schema of tables that the statement names without one.
        key: columns of the table's primary key if known: dropping one of them changes the key.
    """
    try:
        clauses = list(statements(executed(statement)))
    except SqlError as error:
        return (Unknown(statement, str(error)),)
    found = [action for clause in clauses for action in _read(clause, statement, types, schema)]
    if not found:
        return (Unknown(statement, "there is no statement in this text"),)
    kept = {name.lower() for name in key}
    every: list[Action] = []
    for action in found:
        every.append(action)
        if isinstance(action, DropColumn) and action.name.lower() in kept:
            every.append(ChangedKey("dropped", tuple(key), action.table))
            kept = set()
    return tuple(every)


def _read(clause: Clause, statement: str, types: TypesOfTables | None, schema: str) -> list[Action]:
    """The effects of one statement; if any part is not understood, only effects of ALTER TABLE clauses are kept."""
    try:
        found = list(_statement(clause, statement, types, schema))
        if not clause.ended:
            clause.fail("nothing is known that stands here in such a statement")
        return found
    except SqlError as error:
        return [Unknown(statement[clause.tokens[0].start : clause.tokens[-1].end], str(error))]


def _statement(clause: Clause, statement: str, types: TypesOfTables | None, schema: str) -> Iterator[Action]:
    if clause.accept("ALTER", "TABLE") or clause.accept("ALTER", "IGNORE", "TABLE"):
        yield from altered(clause, statement, types, schema)
    elif clause.accept("CREATE", "TABLE"):
        yield _created(clause, types, schema)
    elif clause.accept("DROP", "TABLE") or clause.accept("DROP", "TABLES"):
        conditional = clause.accept("IF", "EXISTS")
        for table in _tables(clause, schema):
            yield DropTable(table, conditional)
        if not clause.accept("RESTRICT"):
            clause.accept("CASCADE")
    elif clause.accept("RENAME", "TABLE") or clause.accept("RENAME", "TABLES"):
        yield from _renamed(clause, schema)
    elif clause.accept("TRUNCATE"):
        clause.accept("TABLE")
        yield Truncate(table_name(clause, schema))
    elif clause.accept("RECOVER", "TABLE"):
        table = table_name(clause, schema)
        if clause.kind() == "NUMBER":  # one of several dropped tables of the same name
            clause.next()
        yield RecoverTable(table, table)
    elif clause.accept("FLASHBACK", "TABLE"):
        table = table_name(clause, schema)
        renamed = clause.accept("TO") and clause.word() not in ("TIMESTAMP", "TSO")
        yield RecoverTable(table, Name(table.schema, clause.name()) if renamed else table)
    else:
        yield _elsewhere(clause, schema)


def _elsewhere(clause: Clause, schema: str) -> Action:
    """The effect of a statement that concerns no table, or only its indexes."""
    first = clause.word()
    if first in _KEPT:
        clause.at = len(clause.tokens)
        return NoEffect(_KEPT[first])
    if first == "RENAME" and clause.word(1) == "USER":
        clause.at = len(clause.tokens)
        return NoEffect("a user")
    if first not in _IN_FRONT:
        clause.fail("no statement is known that begins so and changes tables")
    clause.next()
    clause.accept("OR", "REPLACE")
    for words in (("TEMPORARY",), ("GLOBAL", "TEMPORARY")):
        if clause.accept(*words, "TABLE"):
            clause.at = len(clause.tokens)
            return NoEffect("a temporary table, of whose rows there are no messages")
    if clause.accept("DATABASE") or clause.accept("SCHEMA"):
        return _database(clause, first)
    if clause.accept("INDEX") or (clause.word() in _KINDS_OF_INDEX and clause.accept(clause.word(), "INDEX")):
        return _index(clause, first, schema)
    while clause.word() in _IN_FRONT[first]:
        _passed(clause, (*_IN_FRONT[first], *_OTHERS))
    if clause.word() not in _OTHERS:
        clause.fail(f"what {first} is of is expected here, as TABLE or VIEW")
    reason = _OTHERS[clause.word()]
    clause.at = len(clause.tokens)
    return NoEffect(reason)


def _passed(clause: Clause, until: Collection[str]) -> None:
    """Skips a word with its arguments: DEFINER = `root`@`%`, SQL SECURITY INVOKER."""
    clause.next()
    while not clause.ended and clause.word() not in until:
        clause.next()


def _database(clause: Clause, first: str) -> Action:
    conditional = clause.accept("IF", "NOT", "EXISTS") or clause.accept("IF", "EXISTS")
    if first == "ALTER":
        clause.at = len(clause.tokens)
        return NoEffect("what tables of a schema are made with")
    name = clause.name()
    if first == "DROP":
        return DropDatabase(name, conditional)
    clause.at = len(clause.tokens)  # options, for future tables
    return CreateDatabase(name, conditional)


def _index(clause: Clause, first: str, schema: str) -> Action:
    """Reads CREATE INDEX or DROP INDEX; the latter can also drop the primary key, by its name."""
    unique = first == "DROP" or clause.word(-2) == "UNIQUE"
    clause.accept("IF", "NOT", "EXISTS")
    clause.accept("IF", "EXISTS")
    name = clause.name()
    while not clause.ended and clause.word() != "ON":
        clause.next()
    clause.expect("ON")
    table = table_name(clause, schema)
    clause.at = len(clause.tokens)
    if first == "DROP" and name.upper() == "PRIMARY":
        return ChangedKey("dropped", (), table)
    return NoEffect("an index", unique, table)


def _tables(clause: Clause, schema: str) -> Iterator[Name]:
    """Reads table names separated by commas."""
    yield table_name(clause, schema)
    while clause.accept(","):
        yield table_name(clause, schema)


def _renamed(clause: Clause, schema: str) -> Iterator[Action]:
    while True:
        old = table_name(clause, schema)
        clause.expect("TO")
        yield RenameTable(old, table_name(clause, schema))
        if not clause.accept(","):
            return


def _created(clause: Clause, types: TypesOfTables | None, schema: str) -> CreateTable:
    conditional = clause.accept("IF", "NOT", "EXISTS")
    table = table_name(clause, schema)
    if clause.accept("LIKE"):
        return CreateTable(table, like=table_name(clause, schema), conditional=conditional)
    columns: list[DeclaredColumn] = []
    indexes: list[IndexText] = []
    if clause.word() == "(" and clause.word(1) not in ("SELECT", "WITH", "("):
        _, inside = clause.inside()
        if inside.accept("LIKE"):
            return CreateTable(table, like=table_name(inside, schema), conditional=conditional)
        for part in inside.parts():
            if not constraint(part, indexes, []):
                column = read_column(part, known_types(part, types))
                indexes += column.indexes
                columns.append(declared(DeclaredColumn, column, table))
    key = key_columns(indexes)
    kept = {name.lower() for name in key}
    columns = [replace(one, nullable=False) if one.name.lower() in kept else one for one in columns]
    charset = collation = None
    query = partitioned = False
    depth = 0
    while not clause.ended:
        word = clause.word()
        depth += {"(": 1, ")": -1}.get(word, 0)
        if not depth and not query and word in (*_IN_FRONT, "LIKE"):
            clause.fail("an option of the table or a query is expected here, or a semicolon")
        if not depth and not query and not partitioned and (option := charset_option(clause)) is not None:
            charset, collation = option[0] or charset, option[1] or collation
            continue
        query = query or (not depth and word in _QUERY) or (depth == 1 and word == "SELECT")
        partitioned = partitioned or (not depth and word == "PARTITION" and clause.word(1) == "BY")
        clause.next()
    charset = charset or (None if collation is None else charset_of(collation))
    if charset is not None:
        columns = [one if one.charset or one.collation else replace(one, charset=charset) for one in columns]
    if not columns and not query:
        clause.fail(f"the table {shown(table.table)} has no column")
    return CreateTable(table, tuple(columns), key, None, query, partitioned, conditional)
