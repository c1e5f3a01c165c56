"""All versions that the rows of a table had, each with the time for which it was valid (SCD type 2).

They are computed from the table's history: of each key and commit ts the last change counts, as what is between two
changes of one transaction was never to be seen. A version is valid from its commit ts up to that of the next change of
its key, or of the TRUNCATE or DROP TABLE that removed it.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from tidewire.reading.table_names import quoted
from tidewire.runtime.tso import TSO_SHIFT
from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.history_facts import Histories
from tidewire.spark.sync.manifests import Manifests
from tidewire.spark.sync.publish import Published, PublishedTable, Record, found_table, time_of, tso_of, with_one_tso
from tidewire.spark.sync.shapes import METADATA
from tidewire.spark.sync.staged_files import shown
from tidewire.spark.sync.state import Identity
from tidewire.spark.sync.targets import CHANGE_TYPE, Table
from tidewire.spark.sync.targets.confs import view_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FROM, TO, FROM_VERSION, TO_VERSION, CURRENT = COLUMNS = (
    *("_valid_from", "_valid_to", "_valid_from_version", "_valid_to_version", "_is_current"),
)
"""The columns of a version after those of its row: times, commit timestamps, and whether it has no end."""


def scd2(
    spark: SparkSession,
    state: str,
    table: str,
    as_of: int | str | datetime | None = None,
    *,
    since: int | str | datetime | None = None,
) -> DataFrame:
    """All versions of the rows of a table: its columns, then `_valid_from` and `_valid_to` (TIMESTAMP),
    `_valid_from_version` and `_valid_to_version` (the same as commit ts, BIGINT) and `_is_current`. A row is valid at a
    TSO where `_valid_from_version` <= TSO < `_valid_to_version`; both ends are null where it has none.

    Of several changes of a key in one transaction the last one is a version. A delete ends one, and so do TRUNCATE and
    DROP TABLE. An update that changes the key ends the version of the old key. A renamed column is there under both
    names, and a dropped one stays.

    Args:
        spark: a session that can read the tables.
        state: the folder of the synchronisation, which has `into.history`, or `mode: history` for the table.
        table: `schema.table`.
        as_of: a TSO or a time, as for `snapshot`: versions up to it, that at it included; None: up to what is
            published.
        since: a TSO or a time: only versions that began or ended after it. With the key and `_valid_from_version` as
            keys they can be merged into a table that has the versions up to then.

    Raises:
        StateError: there is no history of such a table; its versions cannot be told apart; or `as_of` is later than
            what is published, or earlier than the dump that the table began with.
    """
    of = with_one_tso(state)
    published = Published(state)
    newest = published.at(None)
    if table not in newest.tables:
        raise StateError(f"table {table} is not in the newest published state: there are {', '.join(newest.tables)}")
    one = newest.tables[table]
    history, keys, emptied = _history(spark, published, of, newest, table, one)
    tso = tso_of(spark, as_of)
    loaded = Manifests(state, of.source).newest().tables.get(one.number)
    if tso is not None and loaded is not None and loaded.load and tso < loaded.start - 1:
        raise StateError(
            f"table {table} began with a dump of {loaded.start - 1}, so that its rows at {tso} are not known: give"
            f" as_of={loaded.start - 1} or a later one"
        )
    end = newest.resolved if tso is None else tso + 1
    if end > newest.resolved:
        raise StateError(
            f"{table}: {time_of(end)} ({end - 1}) is not published in {shown(state)} yet: the newest state has all"
            f" changes up to as_of={newest.resolved - 1}"
        )
    if one.parked and one.position.ts < end:
        raise StateError(
            f"table {table} waits since {one.position.ts}: {one.parked}; as_of={one.position.ts - 1} is the last TSO of"
            " which its versions are known"
        )
    rows = history.read(history.version())
    names = [name for name in rows.columns if name.lower() not in METADATA]
    if taken := {name.lower() for name in names} & set(COLUMNS):
        raise StateError(f"table {table} has a column {min(taken)}, as versions have: rename it in the source")
    with view_of(rows) as view:
        found = spark.sql(_text(view, names, keys, [one for one in emptied if one < end], end))
    after = tso_of(spark, since)
    return found if after is None else found.where(f"{FROM_VERSION} > {after} or {TO_VERSION} > {after}")


def _text(view: str, names: list[str], keys: tuple[str, ...], emptied: list[int], end: int) -> str:
    """The versions as SQL.

    Args:
        view: the history.
        names: the columns of rows.
        keys: those of the key.
        emptied: the commit timestamps at which all rows were removed.
        end: the commit ts behind the last change.
    """
    by = ", ".join(map(quoted, keys or names))  # without a key there were no rows yet
    mine = ", ".join(map(quoted, names))
    times = ", ".join(f"{one}L" for one in emptied)
    removed = f"array_min(filter(array({times}), one -> one > _commit_version))" if emptied else "cast(null as bigint)"
    last = (
        f"select *, row_number() over (partition by {by}, _commit_version order by _commit_rank desc) as _nth_"
        f" from {view} where _commit_version < {end}"
    )
    ends = (
        f"select {mine}, {CHANGE_TYPE}, _commit_version as {FROM_VERSION},"
        f" least(lead(_commit_version) over (partition by {by} order by _commit_version), {removed}) as {TO_VERSION}"
        f" from ({last}) where _nth_ = 1"
    )
    return (
        f"select * from (select {mine}, {_time(FROM_VERSION)} as {FROM}, {_time(TO_VERSION)} as {TO}, {FROM_VERSION},"
        f" {TO_VERSION}, {TO_VERSION} is null as {CURRENT} from ({ends}) where {CHANGE_TYPE} <> 'delete')"
    )


def _time(tso: str) -> str:
    """The time of a TSO, as SQL."""
    return f"timestamp_millis(shiftright({tso}, {TSO_SHIFT}))"


def _history(
    spark: SparkSession, published: Published, of: Identity, newest: Record, name: str, table: PublishedTable
) -> tuple[Table, tuple[str, ...], list[int]]:
    """The history of a table, the columns that identify its rows, and the commit timestamps at which all were removed.

    Raises:
        StateError: there is none, or it does not tell which versions belong to one row.
    """
    facts = Histories(published.state).of(table.number)
    there = None
    if facts is not None and facts.own:
        there = found_table(spark, of.into, f"{of.id}/{table.number}", table.place, published)
    elif facts is not None and (kept := newest.histories.get(table.number)) is not None:
        there = found_table(spark, of.history, f"{of.id}/{table.number}h", kept.place, published)
    if there is None or facts is None:
        raise StateError(f"table {name} has no history: begin a synchronisation with into.history, or mode: history")
    if facts.since > facts.start:
        raise StateError(
            f"an older version of Tidewire kept the history of {name}, which tells of no TRUNCATE before {facts.since}:"
            f" tidewire sync reset FILE {name} makes it anew from the topic"
        )
    keys = [one for one in facts.keys if one.columns]
    if len(facts.keys_of(0, newest.resolved)) > 1:
        raise StateError(
            f"rows of {name} were told apart by {', '.join(keys[0].columns)} first, and by other columns since"
            f" {facts.keys[1].ts}: nothing tells which versions before and after belong to one row"
        )
    if facts.keys and not keys:
        raise StateError(f"rows of {name} have no key, or not all columns, so that no version of one is known")
    return there, keys[0].columns if keys else (), facts.truncated(0, newest.resolved)
