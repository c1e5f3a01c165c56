"""What a statement says of tables without describing them: the columns that it declares anew, all of CREATE TABLE and
those that ALTER TABLE adds or changes; what a table was called that it renames; and which tables exchange a partition.
"""

from __future__ import annotations

from tidewire.runtime.tables.facts import TypesOfTables
from tidewire.runtime.tables.sql_actions import (
    AddColumn,
    CreateTable,
    DeclaredColumn,
    ExchangePartition,
    ModifyColumn,
    Name,
    RenameTable,
    Unknown,
)
from tidewire.runtime.tables.sql_altered import actions_of


def declared_columns(statement: str, types: TypesOfTables) -> dict[str, DeclaredColumn]:
    """The columns that a statement declares, by their names.

    Empty for one that declares none, and for one that cannot be read: TiCDC does the same (pingcap/ticdc
    pkg/sink/codec, where it parses the statements that it sends).

    Args:
        statement: one of SQL; of several each counts.
        types: of the database.
    """
    found: dict[str, DeclaredColumn] = {}
    for action in actions_of(statement, types):
        if isinstance(action, Unknown):
            return {}
        if isinstance(action, AddColumn | ModifyColumn):
            found[action.name] = action
        elif isinstance(action, CreateTable):
            found |= {column.name: column for column in action.columns}
    return found


def renamed_from(statement: str, types: TypesOfTables, schema: str, table: str) -> Name | None:
    """What a table was called before a statement renamed it: its schema and name; None where it renames no such table.

    Args:
        statement: one of SQL.
        types: of the database.
        schema: of the table now, and of tables that the statement names without one.
        table: what it is called now.
    """
    found = {one.new: one.old for one in actions_of(statement, types, schema) if isinstance(one, RenameTable)}
    return found.get(Name(schema, table))


def exchanged_tables(statement: str, schema: str) -> tuple[Name, Name] | None:
    """The partitioned table of a statement that exchanges a partition, and the table that gets it: schemas and names;
    None where it exchanges none.

    Args:
        statement: one of SQL.
        schema: of tables that the statement names without one.
    """
    for action in actions_of(statement, None, schema):
        if isinstance(action, ExchangePartition) and action.partitioned is not None:
            return action.partitioned, action.table
    return None
