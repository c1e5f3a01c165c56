"""Makes a Delta table, or files, older than they are."""

from __future__ import annotations

import json
import os
from pathlib import Path

from pyspark.sql import SparkSession

from tidewire.spark.sync.targets.confs import java

_TIMES = ("deletionTimestamp", "timestamp", "modificationTime", "lastUpdated", "createdTime")


def aged(spark: SparkSession, table: str, days: float) -> None:
    """All commits, files and removals of a table are that many days older."""
    for commit in Path(table, "_delta_log").glob("*.json"):
        lines = [json.loads(line) for line in commit.read_text().splitlines()]
        for line in lines:
            for of in line.values():
                for name in _TIMES:
                    if isinstance(of.get(name), int):
                        of[name] -= int(days * 86_400_000)
        commit.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    for sums in Path(table, "_delta_log").glob(".*.crc"):
        sums.unlink()
    for file in Path(table).rglob("*.*"):
        older(file, days)
    java(spark).org.apache.spark.sql.delta.DeltaLog.clearCache()


def older(file: Path, days: float) -> None:
    """A file was written that many days earlier."""
    at = file.stat().st_mtime - days * 86400
    os.utime(file, (at, at))
