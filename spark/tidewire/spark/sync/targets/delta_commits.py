"""The commits in the log of a Delta table, and whether a version can still be read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession

from tidewire.spark.sync.targets import Table, expired
from tidewire.spark.sync.targets.confs import java, set_for

_ANY_AGE = {"spark.databricks.delta.vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration": "false"}
"""Delta refuses versions that are older than files are kept after their removal, also if all of their files are there:
those of a table that had not changed for long.
"""
_LOST = ("DELTA_VERSION_NOT_FOUND", "DELTA_TRUNCATED_TRANSACTION_LOG", "DELTA_NO_RECREATABLE_HISTORY_FOUND")
"""What Delta's errors for a version contain whose commits were removed from the log."""

_LOOK_AHEAD = 200
"""Commits behind a version of which one may have removed files: in a table to which rows are only added none has."""


def listed(spark: SparkSession, of: Any) -> Any:
    """A Scala sequence as a Java list, which Python iterates over."""
    return java(spark).scala.jdk.javaapi.CollectionConverters.asJava(of)


def lines_of(spark: SparkSession, log: Any, number: int) -> list[str] | None:
    """The actions of a commit, a text of JSON each; None if the log has it no more."""
    names = getattr(getattr(java(spark).org.apache.spark.sql.delta.util, "FileNames$"), "MODULE$")
    try:
        return list(listed(spark, log.store().read(names.unsafeDeltaFile(log.logPath(), number), _conf(log))))
    except Py4JJavaError:
        return None


def time_of(spark: SparkSession, log: Any, number: int) -> float | None:
    """The time of a commit in seconds since 1970, as its writer wrote it down; None if it is not known."""
    for line in lines_of(spark, log, number) or ():
        if line.startswith('{"commitInfo"'):
            at = json.loads(line)["commitInfo"].get("timestamp")
            return None if at is None else float(at) / 1000
    return None


def at_version(table: Table, ref: str, snapshot: Any, version: int) -> DataFrame:
    """The rows of a table at a version.

    Args:
        table, ref: the table, and its name in SQL.
        snapshot: its newest state; None if there is no such table.

    Raises:
        TargetError: the version was expired.
    """
    if snapshot is not None and _vacuumed(table.spark, snapshot, version):
        raise expired(table, f"version {version}")
    try:
        with set_for(table.spark, _ANY_AGE):
            return table.spark.sql(f"select * from {ref} version as of {version}")
    except Exception as error:
        if snapshot is None or not any(one in str(error) for one in _LOST):
            raise
        raise expired(table, f"version {version}") from error


def _vacuumed(spark: SparkSession, snapshot: Any, version: int) -> bool:
    """Whether files of a version were removed, which is known only when they are read otherwise.

    VACUUM removes those first that went first from the table: one of the next commit that took any is looked for.
    """
    log = snapshot.deltaLog()
    since: set[str] = set()
    for number in range(version + 1, min(int(snapshot.version()), version + _LOOK_AHEAD) + 1):
        lines = lines_of(spark, log, number)
        if lines is None:
            return False  # Delta says itself that the version is gone
        added, removed = (set(_paths(lines, kind)) for kind in ("add", "remove"))
        if gone := removed - added - since:
            path = java(spark).org.apache.hadoop.fs.Path(log.dataPath(), unquote(min(gone)))
            return not path.getFileSystem(_conf(log)).exists(path)
        since |= added
    return False


def _paths(lines: list[str], kind: str) -> Iterator[str]:
    begin = f'{{"{kind}"'
    return (str(json.loads(line)[kind]["path"]) for line in lines if line.startswith(begin))


def _conf(log: Any) -> Any:
    return log.newDeltaHadoopConf()
