"""Registries that functions refer to go to Spark's tasks, which share one in each process and agree on ids."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

from tidewire.runtime.registry import SavedSchemas, open_registry


def test_tasks_register_and_read(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "topic.registry.json"
    registry = open_registry(str(path))
    assert registry.id_of("first", '"int"') == 1

    def registered(batches: Iterable[pa.RecordBatch]) -> Iterable[pa.RecordBatch]:
        for batch in batches:
            subjects = [f"s{number % 5}" for number in batch.column("id").to_pylist()]
            ids = [registry.id_of(subject, '"long"') for subject in subjects]
            texts = [registry.schema(1) + registry.schema(id) for id in ids]
            yield pa.RecordBatch.from_pydict({"subject": subjects, "id": ids, "texts": texts})

    frame = spark.range(0, 400, 1, 4).mapInArrow(registered, "subject string, id long, texts string")
    found = {(row.subject, row.id, row.texts) for row in frame.collect()}
    assert {subject for subject, _, _ in found} == {"s0", "s1", "s2", "s3", "s4"}
    assert sorted(id for _, id, _ in found) == [2, 3, 4, 5, 6]
    assert {texts for _, _, texts in found} == {'"int""long"'}
    assert {(one.subject, one.id) for one in SavedSchemas(str(path)).schemas[1:]} == {one[:2] for one in found}
    assert [registry.schema(id) for id in range(1, 7)] == ['"int"', *['"long"'] * 5]
