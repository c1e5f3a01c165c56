"""Directs Spark's writes into a transaction of an Iceberg table, so that they take effect when it is committed.

Spark's statements name a table of a catalog, and each is a commit of its own. Here the transaction's table is put into
the statement's plan, so that rows, position and columns are one commit of the transaction.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from tidewire.spark.sync.targets.confs import java


def merged(spark: SparkSession, table: Any, changes: DataFrame, sql: str) -> None:
    """Runs a MERGE.

    Args:
        table: of the transaction, `t` in the statement.
        changes: its source, `s` in the statement.
        sql: the statement; its names of target and source are ignored.
    """
    parsed = spark._jsparkSession.sessionState().sqlParser().parsePlan(sql)
    children = [_named("t", _relation(spark, table), spark), _named("s", _plan(changes), spark)]
    _run(spark, parsed.withNewChildren(java(spark).scala.jdk.javaapi.CollectionConverters.asScala(children).toSeq()))


def appended(spark: SparkSession, table: Any, rows: DataFrame) -> None:
    """Appends rows; columns are matched by name."""
    made = _module(_logical(spark), "AppendData")
    _run(spark, made.byName(_relation(spark, table), _plan(rows), getattr(made, "byName$default$3")()))


def overwritten(spark: SparkSession, table: Any, rows: DataFrame) -> None:
    """Replaces all rows; columns are matched by name."""
    made = _module(_logical(spark), "OverwriteByExpression")
    every = java(spark).org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral()
    _run(spark, made.byName(_relation(spark, table), _plan(rows), every, getattr(made, "byName$default$4")()))


def rows_of(spark: SparkSession, table: Any) -> DataFrame:
    """The rows of a table in its loaded state."""
    return DataFrame(_run(spark, _relation(spark, table)), spark)


def _relation(spark: SparkSession, table: Any) -> Any:
    """An Iceberg table as a plan node, without a catalog.

    If the table is partitioned or ordered by functions such as `bucket`, Spark looks for them in the relation's
    catalog: Iceberg has one with only these functions. Without an identifier Spark cannot reload the table by name, as
    it does before it runs a plan (`V2TableRefreshUtil`): rows would bypass the transaction.
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
    """A Scala object."""
    return getattr(getattr(package, f"{name}$"), "MODULE$")


def _run(spark: SparkSession, plan: Any) -> Any:
    return java(spark).org.apache.spark.sql.classic.Dataset.ofRows(spark._jsparkSession, plan)
