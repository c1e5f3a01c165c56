"""A Spark session for tests that reads Kafka and writes Iceberg and Delta tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark import SparkContext
from pyspark.sql import SparkSession

from tidewire.spark import local_session
from tidewire.spark.sync.jars import iceberg_catalog, settings


def lake_session(folder: Path, kinds: Sequence[str], more: Mapping[str, str] | None = None) -> SparkSession:
    """A session with the jars of these kinds, and with two catalogs of Iceberg where they are among them: `ice` in a
    folder, and `old`, as Tidewire made them there before, which renames no tables.
    """
    if SparkContext._active_spark_context is not None:
        # another folder's session, made without these jars; its Java stays until the process ends
        SparkContext._active_spark_context.stop()
        SparkContext._gateway = SparkContext._jvm = None
    return local_session(
        "tidewire tests of tables",
        cores=2,
        memory="768m",
        conf={
            **settings(kinds),
            **(_catalogs(folder) if "iceberg" in kinds else {}),
            "spark.driver.extraJavaOptions": "-XX:ReservedCodeCacheSize=160m "
            f"-Dderby.system.home={folder}/derby",
            "spark.sql.adaptive.enabled": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.shuffle.partitions": "1",
            "spark.default.parallelism": "1",
            "spark.databricks.delta.snapshotPartitions": "1",
            "spark.sql.ui.explainMode": "simple",
            "spark.databricks.delta.writeChecksumFile.enabled": "false",
            "spark.databricks.delta.incrementalCommit.enabled": "false",
            "spark.databricks.delta.stats.collect": "false",
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            **(more or {}),
        },
    )


def _catalogs(folder: Path) -> dict[str, str]:
    hint = folder / "old/any/table/metadata/version-hint.text"
    hint.parent.mkdir(parents=True)
    hint.touch()
    return iceberg_catalog("ice", str(folder / "iceberg")) | iceberg_catalog("old", str(folder / "old"))
