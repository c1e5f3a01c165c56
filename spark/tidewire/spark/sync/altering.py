"""What the actions of DDL statements change in the columns of a target table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import Row, StructType

from tidewire.mysql import TYPES, ColumnType
from tidewire.reading.labels import LABELLED, labels_of
from tidewire.reading.options import ReadOptions
from tidewire.reading.typed import instants
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.shortened import shown
from tidewire.runtime.tables.sql_actions import DeclaredColumn
from tidewire.runtime.tables.sql_defaults import Default
from tidewire.runtime.tso import EPOCH, TSO_SHIFT
from tidewire.spark.infer import merged
from tidewire.spark.sync.changelog import Action
from tidewire.spark.sync.declared import BEFORE
from tidewire.spark.sync.declared_anew import declared_anew
from tidewire.spark.sync.sql_converted import type_meaning, value_of_default
from tidewire.spark.sync.targets import (
    AddColumn,
    Change,
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
    """The columns of a struct of rows."""
    return tuple(Column(field.name, field.dataType.simpleString()) for field in struct)


def declared_columns(table: str, columns: Iterable[Sequence[Any]], options: ReadOptions) -> tuple[Column, ...]:
    """The columns of a table from its CREATE statement; virtual generated columns, which rows never have, are left out.

    Args:
        table: its name, for errors.
        columns: as in an action `CreateTable`.
        options: reading options, which determine some types.
    """
    declared = [_declared(dict(one)) for one in columns]
    return tuple(_column(table, one, options) for one in declared if one.generated is None or one.stored)


class Changes(NamedTuple):
    """The changes that actions make in a table, and notes for the user."""

    changes: list[Change]
    notes: list[str]


def changes_of(
    table: str,
    actions: Iterable[Action],
    options: ReadOptions,
    ts: int,
    columns: Iterable[Column],
    history: bool = False,
) -> Changes:
    """The changes that actions make in a table.

    Args:
        table: its name, for errors.
        actions: of statements of one commit ts.
        ts: the commit ts.
        columns: the table's current columns.
        history: whether it is a history table: existing changes keep their values, only types change.

    Raises:
        TargetError: the statement does not determine an action's effect on existing rows.
    """
    found: list[Change] = []
    notes: list[str] = []
    types = {one.name.lower(): one.type for one in columns}
    actions = tuple(actions)
    _at_once(table, actions)
    for action in actions:
        facts: Mapping[str, Any] = dict(action.facts)
        if action.kind in ("AddColumn", "ModifyColumn"):
            column = _declared(facts)
            if column.generated is not None and not column.stored:
                continue  # rows never have it
            name, kind = _column(table, column, options)
            if action.kind == "ModifyColumn":
                if (old := types.get(name.lower())) is not None:
                    found += declared_anew(table, column, old, kind, action.get(BEFORE), options.enum, history)
                    types[name.lower()] = kind
            else:
                types[name.lower()] = kind
                default, note = _default(table, column, kind, options, ts)
                found.append(AddColumn(name, kind, default))
                notes += [note] if note else []
        elif action.kind == "DropColumn":
            found.append(DropColumn(facts["name"]))
            types.pop(facts["name"].lower(), None)
        elif action.kind == "RenameColumn":
            found.append(RenameColumn(facts["old"], facts["new"]))
            if (old := types.pop(facts["old"].lower(), None)) is not None:
                types[facts["new"].lower()] = old
        elif action.kind == "CopyColumn":
            found.append(CopyColumn(facts["old"], facts["new"]))
            if (old := types.get(facts["old"].lower())) is not None:
                types[facts["new"].lower()] = old
        elif action.kind == "Truncate":
            found.append(Truncate())
        elif action.kind != "KeepColumn":
            raise TargetError(f"table {table}: a target cannot follow {action.kind}: build the table anew")
    return Changes(found, notes)


def _at_once(table: str, actions: Iterable[Action]) -> None:
    """Refuses a statement that uses the old name of a column after renaming it: the parts of a statement are applied
    one after the other here, but all at once by the database.

    Raises:
        TargetError: for example, two columns swap their names.
    """
    made: set[str] = set()
    for one in actions:
        was = one.get("old") or (one.get("name") if one.kind in ("DropColumn", "KeepColumn") else None)
        if was is not None and was.lower() in made:
            raise TargetError(
                f"table {table}: one statement gives the name {shown(was)} to a column and means the one before with it"
                f" ({one.kind}), and Tidewire does one after the other: change the columns by hand"
            )
        if one.kind in ("AddColumn", "RenameColumn", "CopyColumn"):
            made.add((one.get("new") or one.get("name")).lower())


def _declared(facts: Mapping[str, Any]) -> DeclaredColumn:
    """The column declaration in an action."""
    default = facts.get("default")
    return DeclaredColumn(
        **{name: value for name, value in facts.items() if name in _DECLARED},
        default=None if default is None else _as_default(dict(default)),
    )


def _as_default(facts: Mapping[str, Any]) -> Default:
    bits = facts.get("bits")
    return Default(**{**facts, "bits": None if bits is None else bytes.fromhex(bits)})


def _column(table: str, column: DeclaredColumn, options: ReadOptions) -> Column:
    """A column with the type that it has in staged rows."""
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
    (field,) = merged([row], options)
    return Column(field.name, field.dataType.simpleString())


def _default(
    table: str, column: DeclaredColumn, kind: str, options: ReadOptions, ts: int
) -> tuple[str | bytes | None, str]:
    """The default for existing rows, as a target takes it, and a note for the user."""
    where = f"table {table}: column {shown(column.name)} was added"
    if column.default is not None and column.default.kind == "now" and kind in ("timestamp", "timestamp_ntz"):
        return _time_of(ts, column, kind, options), (
            f"{where} with the time of its statement as default: rows that were there got that of its commit ts, from"
            " which the source may differ by the seconds that it took"
        )
    try:
        value = value_of_default(column, TYPES_OF_TABLES)
        meaning = type_meaning(column, TYPES_OF_TABLES)
    except ValueError as error:
        raise TargetError(f"{where}, and the values of rows that are there are not known: {error}") from None
    if value is None:
        return None, ""
    if meaning.declared.type in LABELLED and kind == "string" and isinstance(value, int):
        return _label(value, labels_of(column.type), meaning.declared.type == ColumnType.SET), ""
    if isinstance(value, str) and kind in ("date", "timestamp", "timestamp_ntz"):
        if "-00" in value or value.startswith("0000"):
            if options.zero_date == "null":
                return None, ""
            raise TargetError(f"{where} with the default {value}, a date that no calendar has")
        if meaning.declared.type == ColumnType.TIMESTAMP:
            moment = instants(column_of([datetime.fromisoformat(value)], pa.timestamp("us")), options.timezone)
            return f"{moment.cast(pa.timestamp('us'))[0].as_py()}Z", (
                f"{where} with the default {value}, which was read in the time zone {options.timezone}: the session of"
                " the statement may have had another one"
            )
    if kind == "binary" and isinstance(value, int):
        return value.to_bytes((value.bit_length() + 7) // 8 or 1), ""
    return value if isinstance(value, str | bytes) else repr(value), ""


def _time_of(ts: int, column: DeclaredColumn, kind: str, options: ReadOptions) -> str:
    """The time of a commit ts, with the fractional digits of a column."""
    digits = type_meaning(column, TYPES_OF_TABLES).scale or 0
    moment = EPOCH + timedelta(milliseconds=ts >> TSO_SHIFT)
    if kind == "timestamp_ntz":
        zone = column_of([moment], pa.timestamp("us", options.timezone))
        moment = pc.local_timestamp(zone)[0].as_py()
    text = f"{moment:%Y-%m-%d %H:%M:%S.%f}"
    return text[: 20 + digits].rstrip(".") + ("Z" if kind == "timestamp" else "")


def _label(value: int, labels: Sequence[str], several: bool) -> str:
    if several:
        return ",".join(label for at, label in enumerate(labels) if value >> at & 1)
    return labels[value - 1] if value else ""
