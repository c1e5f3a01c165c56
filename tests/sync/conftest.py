"""One Spark session with Iceberg and Delta for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from tidewire.spark import local_session
from tidewire.spark.sync.jars import iceberg_catalog, settings


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    if SparkContext._active_spark_context is not None:
        # another folder's session, made without these jars; its Java stays until the process ends
        SparkContext._active_spark_context.stop()
        SparkContext._gateway = SparkContext._jvm = None
    folder = tmp_path_factory.mktemp("lake")
    session = local_session(
        "tidewire tests of tables",
        cores=2,
        memory="768m",
        conf={
            **settings(["delta", "iceberg"]),
            **iceberg_catalog("ice", str(folder / "iceberg")),
            "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 "
            "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote "
            f"-Dderby.system.home={folder}/derby",
            "spark.sql.adaptive.enabled": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.shuffle.partitions": "1",
            "spark.default.parallelism": "1",
            "spark.databricks.delta.snapshotPartitions": "1",
            "spark.databricks.delta.writeChecksumFile.enabled": "false",
            "spark.databricks.delta.stats.collect": "false",
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
        },
    )
    yield session
    session.stop()
