"""A copy of a synchronisation file whose tables, state and messages are in a scratch folder."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tidewire.cli.shell import CommandError
from tidewire.cli.sync_values import SyncFile

_KEPT = re.compile(
    r"spark\.(driver\.(memory|memoryOverhead|maxResultSize|extraJavaOptions)|executor\.(memory|memoryOverhead)"
    r"|memory\..*|jars|jars\.(packages|excludes|repositories|ivySettings)|log\.level|default\.parallelism"
    r"|python\.worker\..*"
    r"|sql\.(extensions|session\.timeZone|ansi\.enabled|caseSensitive|shuffle\.partitions|adaptive\..*|execution\..*"
    r"|parquet\..*|iceberg\..*)|databricks\.delta\.(properties|schema|merge|optimize|optimizeWrite|autoCompact)\..*)"
)
"""Settings that name no place of tables. All others are left out: a catalog, a metastore, a storage, a cluster."""
_NAMES_PLACE = re.compile(r"location|registry|claim|storage|ur[il]|user|password|secret|token|auth|partitions", re.I)
"""Options of reading that name a place of the user's, or what opens it."""
_OF_PLACES = (
    *("PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET", "PYSPARK_SUBMIT_ARGS", "SPARK_REMOTE", "MASTER"),
    *("SPARK_MASTER", "HADOOP_CONF_DIR", "YARN_CONF_DIR", "HIVE_CONF_DIR", "SPARK_CLASSPATH", "SPARK_DIST_CLASSPATH"),
)
"""Variables by which Spark would find a session, a cluster or a metastore."""
_CATALOG = "rehearsal"


def copied(of: SyncFile, scratch: Path) -> tuple[SyncFile, list[str]]:
    """The copy, and the names of the settings that are left out.

    Args:
        of: the user's file; nothing that it names is opened.
        scratch: an empty folder.

    Raises:
        CommandError: the file lacks what a topic would tell.
    """
    from tidewire.spark.sync.choices import chosen
    from tidewire.spark.sync.rehearsal import hurried

    if of.protocol is None:
        raise CommandError(
            f"{of.path}: source has no protocol, and a rehearsal reads no topic that would tell it: name it"
            " (protocol: canal-json)"
        )
    format = of.into.partition(":")[0]
    conf = {name: value for name, value in of.conf.items() if _KEPT.fullmatch(name)}
    options = {name: value for name, value in of.options.items() if not _NAMES_PLACE.search(name)}
    left_out = sorted((of.conf.keys() - conf.keys()) | (of.options.keys() - options.keys()))
    conf |= {
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.sql.catalogImplementation": "in-memory",
        "spark.databricks.delta.snapshotPartitions": "2",  # 50 tasks for the log of each table otherwise
        "spark.sql.codegen.wholeStage": "false",  # code takes longer to make than a few rows to read without it
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    if "spark.jars" in conf:
        conf = {**_catalogs(format), **conf}
    # where no table is maintained, all that is published is there when it is compared
    options |= hurried.OPTIONS if chosen(of.tables, of.options).maintain_every else {"keepPublished": "36500d"}
    if "applyAfter" in options:
        options |= hurried.WAITING
    made = replace(
        of,
        source={},
        files=str(scratch / "topic"),
        into=_moved(of.into, scratch),
        history=None if of.history is None else _moved(of.history, scratch),
        state=str(scratch / "state"),
        options=options,
        conf=conf,
        warehouse=str(scratch / "warehouse") if format == "iceberg" else None,
        catalog=None,
    )
    return made, left_out


def _catalogs(format: str) -> dict[str, str]:
    """Spark settings for tables of a format, in a session with the user's own jars."""
    from tidewire.spark.sync.jars import EXTENSIONS

    made = {"spark.sql.extensions": EXTENSIONS[format]} if format in EXTENSIONS else {}
    if format == "delta":
        made["spark.sql.catalog.spark_catalog"] = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    return made


def _moved(into: str, scratch: Path) -> str:
    """The target `into`, moved to the scratch folder. Delta tables of a catalog become tables by path."""
    format, _, names = into.partition(":")
    if format == "iceberg":
        catalog, _, rest = names.partition(".")
        return f"iceberg:{_CATALOG}.{names if '{' in catalog else rest}"
    parts = re.split(r"/+", names) if "/" in names else names.split(".")
    kept = [part.rstrip(":") for part in parts if part.strip(".:")]
    return f"{format}:{'/'.join([str(scratch / 'lake'), *kept])}"


def environment(scratch: Path) -> Mapping[str, str]:
    """Environment variables for a process that must not find the user's configuration of Spark."""
    found = {name: value for name, value in os.environ.items() if name not in _OF_PLACES}
    if "PYTHONPATH" in found:
        found["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, found["PYTHONPATH"].split(os.pathsep)))
    conf = scratch / "conf"
    conf.mkdir()
    return {**found, "SPARK_CONF_DIR": str(conf)}
