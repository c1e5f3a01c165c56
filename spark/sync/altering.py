"""What actions of statements mean for a table of the target: its columns, and what changes in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pyspark.sql.types import Row, StructType

from tidewire.mysql import TYPES, ColumnType
from tidewire.runtime.shortened import shown
from tidewire.runtime.tables.sql_actions import DeclaredColumn
from tidewire.runtime.tables.sql_converted import type_meaning, value_of_default
from tidewire.runtime.tables.sql_defaults import Default
from tidewire.spark.infer import merge
from tidewire.spark.labels import LABELLED, labels_of
from tidewire.spark.options import ReadOptions
from tidewire.spark.sync.changelog import Action
from tidewire.spark.sync.targets import (
    AddColumn,
    Change,
    ChangeType,
    Column,
    CopyColumn,
    DropColumn,
    RenameColumn,
    TargetError,
    Truncate,
)
from tidewire.tables import TableDescription

TYPES_OF_TABLES = TableDescription.TYPES
_DECLARED = {
    *("name", "type", "nullable", "charset", "collation", "generated", "stored", "auto_increment", "on_update"),
}


def columns_of_struct(struct: StructType) -> tuple[Column, ...]:
    """The columns that rows have."""
    return tuple(Column(field.name, field.dataType.simpleString()) for field in struct)


def declared_columns(table: str, columns: Iterable[Sequence[Any]], options: ReadOptions) -> tuple[Column, ...]:
    """The columns of a table by the statement that made it; those that rows never have are left out.

    Args:
        table: its name, for errors.
        columns: as an action `CreateTable` has them.
        options: with which rows are read: they say what some types become.
    """
    declared = [_declared(dict(one)) for one in columns]
    return tuple(_column(table, one, options) for one in declared if one.generated is None or one.stored)


def changes_of(table: str, actions: Iterable[Action], options: ReadOptions) -> list[Change]:
    """What actions change in a table.

    Raises:
        TargetError: an action's effect on the rows that are there is not told by its statement.
    """
    found: list[Change] = []
    for action in actions:
        facts: Mapping[str, Any] = dict(action.facts)
        if action.kind in ("AddColumn", "ModifyColumn"):
            column = _declared(facts)
            if column.generated is not None and not column.stored:
                continue  # no row has it
            name, kind = _column(table, column, options)
            if action.kind == "ModifyColumn":
                found.append(ChangeType(name, kind))
            else:
                found.append(AddColumn(name, kind, _default(table, column, kind, options)))
        elif action.kind == "DropColumn":
            found.append(DropColumn(facts["name"]))
        elif action.kind == "RenameColumn":
            found.append(RenameColumn(facts["old"], facts["new"]))
        elif action.kind == "CopyColumn":
            found.append(CopyColumn(facts["old"], facts["new"]))
        elif action.kind == "Truncate":
            found.append(Truncate())
        elif action.kind != "KeepColumn":
            raise TargetError(f"table {table}: a target cannot follow {action.kind}: build the table anew")
    return found


def _declared(facts: Mapping[str, Any]) -> DeclaredColumn:
    """The declaration that an action has."""
    default = facts.get("default")
    return DeclaredColumn(
        **{name: value for name, value in facts.items() if name in _DECLARED},
        default=None if default is None else _as_default(dict(default)),
    )


def _as_default(facts: Mapping[str, Any]) -> Default:
    bits = facts.get("bits")
    return Default(**{**facts, "bits": None if bits is None else bytes.fromhex(bits)})


def _column(table: str, column: DeclaredColumn, options: ReadOptions) -> Column:
    """A column as staged rows have it."""
    try:
        meaning = type_meaning(column, TYPES_OF_TABLES)
    except ValueError as error:
        raise TargetError(f"table {table}, column {shown(column.name)}: {error}") from None
    row = Row(
        name=column.name,
        version=0,
        type=meaning.declared.type,
        flags=meaning.flags,
        mysql_type=column.type if not meaning.precision else f"decimal({meaning.precision},{meaning.scale})",
        digits=None,
        scale=None,
        text=TYPES.storage(meaning.declared.type, meaning.flags) != "bytes",
    )
    (field,) = merge([row], options)
    return Column(field.name, field.dataType.simpleString())


def _default(table: str, column: DeclaredColumn, kind: str, options: ReadOptions) -> str | bytes | None:
    """The value that rows get that are there, as a target takes it."""
    where = f"table {table}: column {shown(column.name)} was added"
    try:
        value = value_of_default(column, TYPES_OF_TABLES)
        meaning = type_meaning(column, TYPES_OF_TABLES)
    except ValueError as error:
        raise TargetError(f"{where}, and the values of rows that are there are not known: {error}") from None
    if value is None:
        return None
    if meaning.declared.type in LABELLED and kind == "string" and isinstance(value, int):
        return _label(value, labels_of(column.type), meaning.declared.type == ColumnType.SET)
    if isinstance(value, str) and kind in ("date", "timestamp", "timestamp_ntz"):
        if meaning.declared.type == ColumnType.TIMESTAMP:
            raise TargetError(f"{where} with the default {value}, in a time zone that no message says")
        if "-00" in value or value.startswith("0000"):
            if options.zero_date == "null":
                return None
            raise TargetError(f"{where} with the default {value}, a date that no calendar has")
    if kind == "binary" and isinstance(value, int):
        return value.to_bytes((value.bit_length() + 7) // 8 or 1)
    return value if isinstance(value, str | bytes) else repr(value)


def _label(value: int, labels: Sequence[str], several: bool) -> str:
    if several:
        return ",".join(label for at, label in enumerate(labels) if value >> at & 1)
    return labels[value - 1] if value else ""
