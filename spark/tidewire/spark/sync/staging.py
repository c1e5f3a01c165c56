"""Stages a micro-batch: one Spark job decodes it once, for all tables, and its workers write files.

Rows never enter the JVM. A task returns only facts: names and counts of files, watermarks, statements, table
descriptions and what could not be read. The rows are in files with new names; no manifest names the files of a killed
task or a failed job.

A message whose table is not described yet is no dead letter: its description may be in another partition of the same
micro-batch. Such messages are stored in files of their own and read again by a job that has all descriptions of the
batch (`stage`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tidewire.reading.options import ReadOptions, check_timezone
from tidewire.runtime.errors import ContradictionError, OptionError
from tidewire.runtime.tso import TSO_SHIFT
from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.options import read_options
from tidewire.spark.source import kafka_columns
from tidewire.spark.sync.changelog import Action, SourceError, Staged, Statement, table_name
from tidewire.spark.sync.facts import FACTS, Facts, SeenStatement
from tidewire.spark.sync.stage_task import AHEAD_SECONDS, SENT, StageTask
from tidewire.spark.sync.staged_files import full
from tidewire.spark.sync.targets.confs import files_of
from tidewire.spark.sync.wanted import EVERYTHING, Wanted
from tidewire.spark.workers import collected, run_on
from tidewire.tables import TableDescription, TableStore

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def staging_options(protocol: str, options: Mapping[str, Any] | None, timezone: str) -> ReadOptions:
    """Options of `rows_from_ticdc` for staging: a date that does not exist is an error unless the user chose otherwise.

    Raises:
        OptionError: an option is unknown, has a value that it cannot have, or applies only to frames of rows.
    """
    given = dict(options or {})
    names = {name.lower() for name in given}
    for name in ("mode", "columnNameOfCorruptRecord", "misfitColumn", "keep", "rescuedDataColumn", "time", "json"):
        if name.lower() in names:
            raise OptionError(f"option {name} is for frames of rows; tables are kept current without it")
    if "zerodate" not in names:
        given["zeroDate"] = "error"
    chosen = read_options(protocol, given, timezone)
    check_timezone(chosen.timezone, "timezone" if chosen.zoned else "spark.sql.session.timeZone")
    return chosen


def latest() -> int:
    """The greatest plausible commit ts of a watermark at present."""
    return int((time.time() + AHEAD_SECONDS) * 1000) << TSO_SHIFT


def known_by(descriptions: Mapping[str, Any]) -> TableStore:
    """A store of the table descriptions that a manifest contains."""
    return TableStore(TableDescription.from_json(one) for one in descriptions.values())


def stage(
    df: DataFrame,
    protocol: str,
    options: ReadOptions,
    state: str,
    part: str,
    *,
    batch: int = 0,
    query: str = "",
    wanted: Wanted = EVERYTHING,
    resolved: int = 0,
    descriptions: Mapping[str, Any] | None = None,
    apart: Callable[[SeenStatement], tuple[Action, ...]] | None = None,
    few: int | None = None,
    by_offset: bool = False,
    new: Collection[tuple[str, int]] = (),
    firsts: bool = False,
) -> Staged:
    """Stages a micro-batch.

    Args:
        df: its messages, in the form of Kafka's source.
        protocol: name of the protocol.
        options: result of `staging_options`.
        state: the state's location.
        part: the folder for its files, in the state's folder of staged files.
        batch: Spark's number of the batch.
        query: the id of the streaming query.
        wanted: which tables are staged.
        resolved: R of the previous manifest.
        descriptions: table descriptions in the previous manifest.
        apart: returns the actions of a statement.
        few: a table with fewer rows in a task is stored as messages; None: as `mixed.FEW` and `MANY` say.
        by_offset: whether changes are ordered by message offset.
        new: partitions that no earlier batch had.
        firsts: whether to report the smallest offset and the smallest watermark of each partition.

    Returns:
        The facts for the manifest; lists of files, requests and outcomes are added by the caller.

    Raises:
        StateError: a file cannot be written.
        SourceError: a registry gives no answer.
    """
    known = known_by(descriptions or {})
    task = StageTask(
        protocol,
        options,
        arrow_schema(FACTS),
        state,
        part,
        wanted,
        resolved,
        few,
        by_offset=by_offset,
        latest=latest(),
        new=frozenset(new),
        firsts=firsts,
        tables=known,
    )
    facts = _facts_of(df, task)
    if facts.waiting:
        for one in facts.descriptions.values():
            # of two contradicting descriptions the first counts
            with suppress(ContradictionError):
                known.add(TableDescription.from_json(one))
        again = files_of(df.sparkSession, (full(state, path) for path in facts.waiting))
        facts.add(_facts_of(again, replace(task, again=True, tables=known)), counted=False)
    if facts.away:
        raise SourceError(f"{facts.away}; nothing of this micro-batch counts, and it is read again")
    statements = []
    for one in sorted(facts.statements, key=lambda one: (one.topic, one.partition, one.offset)):
        actions = () if apart is None else apart(one)
        if _concerns(one, actions, task.wanted):
            name = table_name(one.schema, one.table) if one.schema or one.table else ""
            statements.append(Statement(one.ts, name, actions, one.query))
    return Staged(
        batch,
        tuple(sorted(facts.rows)),
        watermarks=facts.watermarks,
        statements=tuple(statements),
        dead=tuple(sorted(facts.dead)),
        letters=facts.letters,
        unmergeable=facts.unmergeable,
        missed=facts.missed,
        descriptions=facts.descriptions,
        messages=facts.messages,
        query=query,
        first=facts.first,
        least=facts.least,
    )


def _concerns(seen: SeenStatement, actions: Iterable[Action], wanted: Wanted) -> bool:
    """Whether a statement may concern a kept table: it names no table or a kept one, or one of its actions does."""
    if not seen.table or (seen.schema, seen.table) in wanted:
        return True
    return any(wanted.named(value) for action in actions for _, value in action.facts if isinstance(value, str))


def _facts_of(df: DataFrame, task: StageTask) -> Facts:
    facts = Facts()
    sent = tuple((name, SENT) for name, kind in df.dtypes if name.lower() == SENT and kind == "timestamp")
    for row in collected(run_on(kafka_columns(df, task.protocol, "packed", sent), task, FACTS)):
        facts.take(row.kind, json.loads(row.fact))
    return facts
