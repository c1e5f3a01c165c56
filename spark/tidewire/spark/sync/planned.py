"""A preview of a synchronisation: tables, keys, types, and what would stop it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tidewire.spark.options import load
from tidewire.spark.sync.altering import columns_of_struct
from tidewire.spark.sync.changed_rows import NO_KEY
from tidewire.spark.sync.changelog import StateError, table_name
from tidewire.spark.sync.choices import Chosen
from tidewire.spark.sync.looked_at import MOST, LookedAt, look_at
from tidewire.spark.sync.native.unfit import unfit, unfit_table
from tidewire.spark.sync.publish import time_of
from tidewire.spark.sync.state import Identity
from tidewire.spark.sync.targets import Column, Table, TargetError
from tidewire.spark.sync.targets.confs import active
from tidewire.spark.sync.targets.names import Template
from tidewire.spark.sync.targets.opened import tables_of
from tidewire.spark.sync.targets.places import Places

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ENGINES = {
    "iceberg": "MERGE, merge-on-read",
    "delta": "MERGE, deletion vectors",
    "parquet": "the table is written anew",
}
_NATIVE = {"iceberg": "workers, position deletes", "delta": "workers, delta-rs"}


_CAUSE = re.compile(r"^(?:Caused by)?: (?:[\w$]+\.)*([\w$]+: .+)$", re.MULTILINE)


@dataclass(frozen=True)
class PlannedTable:
    """The preview of one table.

    Attributes:
        table: its name, `schema.table`.
        into: its location.
        format: format of the target.
        engine: how rows are applied.
        mode: state or history.
        schema_changes: how DDL is followed.
        key: the columns that identify rows.
        columns: columns with their Spark types.
        exists: whether this synchronisation has already created the table.
        adds: columns of rows that would be added to the table.
        waits: why it would be parked; empty if it would not.
        limits: statements at which it will wait, as the target does not support them; empty for none.
        not_yet: why it would not be created at once: all its changes are above the watermarks; empty if it would.
        not_native: why workers do not merge its changes; empty if they do, or are not asked to.
    """

    table: str
    into: str
    format: str
    engine: str
    mode: str
    schema_changes: str
    key: list[str]
    columns: dict[str, str]
    exists: bool
    adds: list[str]
    waits: str
    limits: str = ""
    not_yet: str = ""
    not_native: str = ""


def planned(
    spark: SparkSession,
    df: DataFrame,
    protocol: str,
    choice: Chosen,
    target: str,
    known: Identity | None,
    beside: str = "",
    state: str = "",
) -> list[PlannedTable]:
    """The preview of the tables in some messages.

    Args:
        df: the messages; not streaming.
        choice: the user's choices.
        target: of `targets.opened.target_of`.
        known: the identity of the state, if there is one.
        beside: like `target`, of the history tables beside the tables; empty for none.
        state: the state's location.

    Raises:
        StateError: no message can be read, or none is of a table that is kept.
        TargetError: a table of that name has another owner, two tables would be one, or the target cannot be reached.
    """
    seen = look_at(df, load(protocol).NAME, choice.reading)
    found = seen.schemas
    wanted = {name: schema for name, schema in found.items() if name in choice.wanted}
    if not wanted:
        others = ", ".join(sorted(table_name(*name) for name in found)[:10])
        raise StateError(
            f"no row of {protocol} is of a table that is wanted; those that were read are of {others}: compare the"
            " patterns of tables"
            if found
            else f"no row of {protocol} is in the first {MOST:,} messages {seen.undecoded}".rstrip()
            + ": tidewire detect says what they are"
        )
    Places(target, beside, choice.rules.history, choice.by_key).check(table_name(*name) for name in wanted)
    format, _, names = target.partition(":")
    template = Template(names)
    tables = tables_of(spark, target)
    limits = _limits(spark, format, names)
    plans = []
    for name, schema in wanted.items():
        text = table_name(*name)
        keys = [field.name for field in schema if field.metadata["handle_key"]]
        history = choice.rules.history(text)
        columns = columns_of_struct(schema)
        table = tables.table(text, "")
        there = _there(spark, table, text, known, target)
        engine, reason = _engine(spark, None if there is None else table, target, state, choice)
        waits = "" if keys else f"{NO_KEY}: keep all of its changes, with mode: history"
        if choice.engine == "native" and reason:
            waits = waits or f"{reason}, and engine: native was chosen"
        adds = [] if there is None else _lacking(columns, there)
        plans.append(
            PlannedTable(
                text,
                template.path(text) if template.is_path else ".".join(template.parts(text)),
                format,
                "all changes are added" if history else engine,
                "history" if history else "state",
                choice.rules.mode(text),
                keys,
                dict(columns),
                there is not None,
                adds,
                "" if history else waits,
                limits,
                "" if there is not None or choice.by_key else _not_yet(seen, text),
                "" if history else reason,
            )
        )
    return plans


def _engine(spark: SparkSession, table: Table | None, target: str, state: str, choice: Chosen) -> tuple[str, str]:
    """What would merge changes into a table, which may exist, and why not workers."""
    format = target.partition(":")[0]
    if choice.engine == "merge" or format == "parquet":
        return _ENGINES[format], ""
    reason = unfit(target, state, choice)
    if not reason and table is not None:
        with active(spark):
            reason = unfit_table(table)
    return (_ENGINES if reason else _NATIVE)[format], reason


def _not_yet(seen: LookedAt, name: str) -> str:
    """Why a table would not be created at once; empty if it would."""
    first = seen.not_resolved(name)
    if not first:
        return ""
    ts, topic, partition = min((ts, topic, one) for topic, each in seen.watermarks.items() for one, ts in each.items())
    newest = f"has none above {time_of(ts)} ({ts})" if ts else "has none"
    return (
        f"its first change, of {time_of(first)} ({first}), is above the watermarks of these messages: partition"
        f" {partition} of {topic or 'the frame'} {newest}; it is made when each partition has sent a later one"
    )


def _there(
    spark: SparkSession, table: Table, name: str, known: Identity | None, target: str
) -> tuple[Column, ...] | None:
    """The columns of a table that this synchronisation created; None if there is none of that name."""
    try:
        with active(spark):
            owner = table.found_owner()
    except Exception as error:
        raise TargetError(f"the tables of {target} cannot be asked for: {plain(error)}") from None
    if owner is None:
        return None
    if known is None or owner.rpartition("/")[0] != known.id:
        whose = f"to another synchronisation ({owner})" if owner else "to nobody that Tidewire knows"
        raise TargetError(
            f"table {name} exists already and belongs {whose}: drop it, rename it, or choose other names for the target"
        )
    table.owner = owner
    with active(spark):
        return table.columns()


def _limits(spark: SparkSession, format: str, names: str) -> str:
    """A sentence about what tables of a target cannot do; empty if there are no limits."""
    if format != "iceberg" or spark.conf.get(f"spark.sql.catalog.{names.partition('.')[0]}.type", "") != "hadoop":
        return ""
    return (
        "at RENAME TABLE, and at CREATE TABLE after DROP TABLE, it waits: a catalog of Hadoop's type renames no tables;"
        " give the session one of another type (jdbc, rest, hive), or name another folder as into.warehouse"
    )


def plain(error: Exception) -> str:
    """Spark's error about a target in one sentence, or what to do."""
    causes = _CAUSE.findall(str(error))
    text = causes[-1] if causes else (str(error).strip().splitlines() or [type(error).__name__])[0]
    hints: Mapping[str, str] = {
        "JavaPackage": "the session has no jars of the format: start it with the settings of"
        " tidewire.spark.sync.jars.settings, or spark-submit with --packages",
        "REQUIRES_SINGLE_PART_NAMESPACE": "the session does not know the catalog: set spark.sql.catalog.<name>",
        "DATA_SOURCE_NOT_FOUND": "the session has no jars of the format",
        "Unexpected end of input stream": "a packed file ends too early: it is half a file, or still written",
    }
    return next((hint for sign, hint in hints.items() if sign in str(error)), text)


def _lacking(columns: tuple[Column, ...], there: tuple[Column, ...]) -> list[str]:
    names = {one.name.lower() for one in there}
    return [one.name for one in columns if one.name.lower() not in names]
