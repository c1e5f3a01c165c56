"""Writes of Spark into a transaction of an Iceberg table: what is written becomes the table when that is committed.

Spark's statements name a table of a catalog, and each is a commit of its own. Here the statement's plan has the
transaction's table in its place, so that rows, position and columns are one commit, which the transaction makes.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from tidewire.spark.sync.targets.confs import java


def merged(spark: SparkSession, table: Any, changes: DataFrame, sql: str) -> None:
    """Runs a MERGE.

    Args:
        spark: the session.
        table: of the transaction, `t` in the statement.
        changes: its source, `s` in the statement.
        sql: the statement; what it calls target and source does not matter.
    """
    parsed = spark._jsparkSession.sessionState().sqlParser().parsePlan(sql)
    children = [_named("t", _relation(spark, table), spark), _named("s", _plan(changes), spark)]
    _run(spark, parsed.withNewChildren(java(spark).scala.jdk.javaapi.CollectionConverters.asScala(children).toSeq()))


def appended(spark: SparkSession, table: Any, rows: DataFrame) -> None:
    """Adds rows, by the names of their columns."""
    made = _module(_logical(spark), "AppendData")
    _run(spark, made.byName(_relation(spark, table), _plan(rows), getattr(made, "byName$default$3")()))


def overwritten(spark: SparkSession, table: Any, rows: DataFrame) -> None:
    """Puts rows in the place of all that are there, by the names of their columns."""
    made = _module(_logical(spark), "OverwriteByExpression")
    every = java(spark).org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral()
    _run(spark, made.byName(_relation(spark, table), _plan(rows), every, getattr(made, "byName$default$4")()))


def rows_of(spark: SparkSession, table: Any) -> DataFrame:
    """The rows of a table as it was loaded."""
    return DataFrame(_run(spark, _relation(spark, table)), spark)


def _relation(spark: SparkSession, table: Any) -> Any:
    """A table of Iceberg as a plan; no catalog knows it.

    Where the table is partitioned or ordered by functions, as `bucket`, Spark asks the relation's catalog for them:
    Iceberg has one that has these alone. Without an identifier Spark cannot load the table anew by its name, as it does
    before it runs a plan (`V2TableRefreshUtil`): rows would go past the transaction.
    """
    jvm = java(spark)
    option = jvm.scala.Option
    functions = option.apply(jvm.org.apache.iceberg.spark.SparkFunctionCatalog.get())
    of = jvm.org.apache.iceberg.spark.source.SparkTable(table)
    return jvm.org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation.create(of, functions, option.empty())


def _plan(frame: DataFrame) -> Any:
    return frame._jdf.queryExecution().analyzed()


def _named(name: str, plan: Any, spark: SparkSession) -> Any:
    return _module(_logical(spark), "SubqueryAlias").apply(name, plan)


def _logical(spark: SparkSession) -> Any:
    return java(spark).org.apache.spark.sql.catalyst.plans.logical


def _module(package: Any, name: str) -> Any:
    """An object of Scala."""
    return getattr(getattr(package, f"{name}$"), "MODULE$")


def _run(spark: SparkSession, plan: Any) -> Any:
    return java(spark).org.apache.spark.sql.classic.Dataset.ofRows(spark._jsparkSession, plan)
