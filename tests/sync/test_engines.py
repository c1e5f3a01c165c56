"""Changes that workers merge give the tables that MERGE gives: histories as messages, compared at every publication."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from sync.test_end_to_end import Case, has_ddl, seeds
from tidewire.spark.sync.native.engine import NativeEngine
from tidewire.spark.sync.native.work import Left, Merged
from tidewire.spark.sync.plan import Apply


@pytest.mark.parametrize("seed", seeds(3, has_ddl))
@pytest.mark.parametrize("format", ["delta", "iceberg"])
def test_every_published_version_is_the_source(
    spark: SparkSession, tmp_path: Path, seed: int, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: Counter[str] = Counter()
    was = NativeEngine.merge

    def counted(self: NativeEngine, steps: Mapping[str, Apply]) -> dict[str, Merged | Left]:
        results = was(self, steps)
        found.update("merged" if isinstance(one, Merged) else one.reason for one in results.values())
        return results

    monkeypatch.setattr(NativeEngine, "merge", counted)
    case = Case(spark, tmp_path, seed, "canal-json", format)
    for number in range(len(case.history.batches)):
        case.files.write(number)
    case.sync(engine="auto").once()
    case.compare()
    assert case.compared
    assert max(case.compared) == case.last
    print(found)
    assert found["merged"]
