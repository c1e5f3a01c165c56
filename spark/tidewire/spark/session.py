"""A local Spark session, for experiments and tests."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from pyspark.sql import SparkSession

_SETTINGS = {
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # workers are forked with the modules of tasks already loaded
    "spark.python.daemon.module": "tidewire.spark.daemon",
    "spark.driver.bindAddress": "127.0.0.1",
    # otherwise Arrow in the JVM checks bounds and buffers at each access, for a tenth of a query's time
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -Darrow.enable_unsafe_memory_access=true",
    # limits a batch of large messages to a few megabytes; without it batches have 10,000 rows of any size
    "spark.sql.execution.arrow.maxBytesPerBatch": "4m",
    "spark.sql.session.timeZone": "UTC",
}


def local_session(
    app: str = "tidewire", cores: int | str = "*", memory: str = "1g", conf: Mapping[str, str] | None = None
) -> SparkSession:
    """A session with executors in this process, on this Python and on a Java that is found (`tidewire.spark.java`).

    Args:
        app: name of the application.
        cores: how many, ``"*"`` for all.
        memory: heap of the JVM.
        conf: further settings, which override the defaults (no UI, serial garbage collector, Arrow without its own
            checks, UTC).

    Raises:
        JavaError: there is no Java 17 or newer; the text says what to do.
    """
    from tidewire.spark.java import prepare

    prepare()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings = {
        **_SETTINGS,
        "spark.driver.memory": memory,
        "spark.sql.shuffle.partitions": str(cores if isinstance(cores, int) else os.cpu_count() or 1),
        **(conf or {}),
    }
    builder = SparkSession.builder.master(f"local[{cores}]").appName(app)
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
