"""What a statement states about tables without describing them: the columns that it declares (all of CREATE TABLE, and
those that ALTER TABLE adds or changes); previous names of renamed tables; and tables that exchange a partition.
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
    """The columns that a statement declares, by name.

    Empty if it declares none or cannot be parsed: TiCDC does the same (pingcap/ticdc pkg/sink/codec, where it parses
    the statements that it sends).

    Args:
        statement: SQL text; all statements in it count.
        types: types of the database.
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
    """The previous schema and name of a table that a statement renames; None: it does not rename this table.

    Args:
        statement: SQL text.
        types: types of the database.
        schema: new schema of the table, and schema of tables that the statement names without one.
        table: new name of the table.
    """
    found = {one.new: one.old for one in actions_of(statement, types, schema) if isinstance(one, RenameTable)}
    return found.get(Name(schema, table))


def exchanged_tables(statement: str, schema: str) -> tuple[Name, Name] | None:
    """Schema and name of the partitioned table and of the other table in a statement that exchanges a partition; None:
    it exchanges none.

    Args:
        statement: SQL text.
        schema: schema of tables that the statement names without one.
    """
    for action in actions_of(statement, None, schema):
        if isinstance(action, ExchangePartition) and action.partitioned is not None:
            return action.partitioned, action.table
    return None
