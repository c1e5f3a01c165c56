"""The job behind `make run`, on the shipped capture."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from rich.console import Console

from tidewire.runtime.errors import TidewireError
from tidewire.spark import demo

CAPTURE = Path(__file__).parents[2] / demo.CAPTURE


def test_the_capture_becomes_tables(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Kept:
        """The session of the tests, which the job must not stop."""

        def __getattr__(self, name: str) -> object:
            return getattr(spark, name)

        def stop(self) -> None:
            spark.catalog.clearCache()

    monkeypatch.setattr(demo, "local_session", lambda *_args, **_options: Kept())
    monkeypatch.setattr(demo, "COPIES", 2)
    text = io.StringIO()
    demo.run(CAPTURE, tmp_path / "out", Console(file=text, width=150))
    shown = text.getvalue()
    assert "14 tables are under" in shown
    assert "test.b1: 19 rows" in shown
    assert "could not be decoded" not in shown
    assert [line.split() for line in shown.splitlines() if "│ test.p " in line] == [
        ["│", "test.p", "│", "4", "│", "3", "│", "2", "│", "3", "│", "│"]
    ]
    rows = spark.read.parquet(str(tmp_path / "out" / "test" / "decs"))
    assert rows.schema["id"].dataType.simpleString() == "decimal(20,0)"
    assert rows.filter("_change_type = 'insert'").count() == 8


def test_a_capture_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TidewireError, match=r"there is no capture .*: run this in the repository"):
        demo.run(tmp_path / "none", tmp_path, Console(file=io.StringIO()))
