"""TiDB's checksums of rows are compared while rows are staged: a row that differs is kept apart, and its key waits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from sync.frames import frame_of
from sync.staged_histories import PROTOCOLS, history, messages
from sync.topic import OF_KAFKA, Topic


def test_a_row_whose_checksum_differs_is_not_applied(spark: SparkSession, tmp_path: Path) -> None:
    keys, values = messages(history(), "simple", compute_checksum=True)
    damaged = [one if one is None else one.replace(b"5.50", b"5.05") for one in values]
    assert sum(one != other for one, other in zip(values, damaged, strict=True)) == 1
    rows = [(key, value, "t", 0, at) for at, (key, value) in enumerate(zip(keys, damaged, strict=True))]
    topic = Topic(spark, tmp_path)

    def owners(state: str, **options: Any) -> tuple[set[Any], int]:
        topic.state = str(tmp_path / state)
        into = f"parquet:{tmp_path}/{state}/lake/{{schema}}/{{table}}"
        found = topic.sync(frame_of(spark, rows, OF_KAFKA), "simple", into=into, options=options).once()
        return {one[0] for one in topic.rows("shop.accounts")}, found.dead

    assert PROTOCOLS["simple"][0] == "simple"
    unchecked, unread = owners("unchecked")
    assert (5 in unchecked, unread) == (True, 0)
    checked, unread = owners("checked", **{"verify-checksum": "true"})
    assert (unchecked - checked, unread) == ({5}, 1)
