"""Tables of Iceberg in a REST catalog: Iceberg's client of such catalogs, and its own handlers of requests."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from sync.rest_catalog import rest_catalog
from sync.test_end_to_end import CRASHED, LONG, Case, CrashError, _once
from tidewire.spark.sync.choices import chosen
from tidewire.spark.sync.jars import iceberg_catalog
from tidewire.spark.sync.maintaining.maintenance import maintain
from tidewire.spark.sync.steps import Steps
from tidewire.spark.sync.targets.iceberg import IcebergTable


@pytest.mark.parametrize("engine", ["native", "merge"] if LONG else ["native"])
def test_published_versions_in_a_rest_catalog_are_the_source(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    """Also where the process dies when a commit was made and nobody heard of it; and when tables were maintained."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with rest_catalog(spark, f"{tmp_path}/names.db", f"{tmp_path}/warehouse") as url:
        for name, value in iceberg_catalog(f"rest_{engine}", None, names=url).items():
            spark.conf.set(name, value)
        case = Case(spark, tmp_path, CRASHED, "canal-json", "iceberg", engine)
        case.into = f"iceberg:rest_{engine}.{{schema}}.{{table}}"
        for number in range(len(case.history.batches)):
            case.files.write(number)
        of, method = (IcebergTable, "add") if engine == "native" else (Steps, "do")
        with monkeypatch.context() as patch:
            _once(patch, of, method, after=True)
            with pytest.raises(CrashError):
                case.sync(threads=1).once()
        case.sync().once()
        case.compare()
        assert max(case.compared) == case.last
        assert [one for one in maintain(spark, case.state, chosen("*.*", {})) if one.failures] == []
        case.compared.clear()
        case.compare()
