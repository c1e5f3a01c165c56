"""Temporary settings and views of a session, and its Java packages."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

from py4j.java_gateway import JavaClass
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

IN_ONE_TASK = {"spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "1"}
"""Settings for a MERGE of few rows into few: stages and their plans are most of its cost."""
_DELTA_STATE = "spark.databricks.delta.snapshotPartitions"
_MOST_TASKS = 50
"""Of those in which Delta reads a log: as many as it has by itself."""


@contextmanager
def set_for(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Sets settings while the block runs."""
    before = {name: spark.conf.get(name, None) for name in settings}
    try:
        for name, value in settings.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, old in before.items():
            if old is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, old)


def files_of(spark: SparkSession, paths: Iterable[str], schema: StructType | str | None = None) -> DataFrame:
    """The rows of Parquet files, by their paths as they are: Spark would take brackets and braces in the name of a
    folder for a pattern.
    """
    reader = spark.read.option("__globPaths__", "false")
    return (reader if schema is None else reader.schema(schema)).parquet(*paths)


@contextmanager
def view_of(frame: DataFrame) -> Iterator[str]:
    """Creates a temporary view while the block runs. Yields its name."""
    name = f"tidewire_{secrets.token_hex(8)}"
    frame.createOrReplaceTempView(name)
    try:
        yield name
    finally:
        frame.sparkSession.catalog.dropTempView(name)


def separate(spark: SparkSession) -> SparkSession:
    """A session for one thread, with the settings and views of another one except two: Iceberg's staging of writes for
    audit before publication, as rows and position would be in two places, and Spark's older rule for the types of
    written values, with which Iceberg accepts nothing.

    Delta reads a table's log in 50 tasks if no setting says otherwise, and each makes its code anew: on two cores a
    third of the CPU of a MERGE of few rows. In this session it is four tasks for each core, and 50 at most.
    """
    session = SparkSession(spark.sparkContext, spark._jsparkSession.cloneSession())
    if session.conf.get(_DELTA_STATE, None) is None:
        session.conf.set(_DELTA_STATE, str(min(_MOST_TASKS, 4 * spark.sparkContext.defaultParallelism)))
    session.conf.set("spark.sql.storeAssignmentPolicy", "ANSI")
    for name in ("spark.wap.branch", "spark.wap.id"):
        session.conf.unset(name)
    return session


@contextmanager
def active(spark: SparkSession) -> Iterator[None]:
    """Makes the session the thread's active one while the block runs: Delta takes settings from there."""
    sessions = java(spark).org.apache.spark.sql.SparkSession
    before = sessions.getActiveSession()
    sessions.setActiveSession(spark._jsparkSession)
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()


def java(spark: SparkSession) -> Any:
    """The Java packages of a session."""
    return _Package("", cast(Any, spark)._jvm._gateway_client)


class _Package:
    """A Java package: a member is a class if its name begins with a capital, otherwise a package.

    The bridge's own packages ask Java at each dot whether there is such a class, which searches all jars.
    """

    def __init__(self, name: str, client: Any) -> None:
        self._name = name
        self._client = client

    def __getattr__(self, name: str) -> Any:
        full = f"{self._name}.{name}" if self._name else name
        return JavaClass(full, self._client) if name[:1].isupper() else _Package(full, self._client)
