"""Errors that users see: a sentence, raised on the driver if it can be known there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, SparkSession
from recorded import bench_value
from spark_frames import Frame

from tidewire.spark import MalformedError, SchemaError, from_ticdc, rows_from_ticdc, table_schema, to_ticdc
from tidewire.spark.workers import _carried

TEXT: Any = "topic"
NOTHING: Any = None
LACKING = """
import sys


class Lacking:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "tidewire":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Lacking())
"""


@pytest.fixture
def without_tidewire(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Executors with a Python that has pandas and pyarrow, and no Tidewire."""
    python = tmp_path / "python"
    (tmp_path / "sitecustomize.py").write_text(LACKING)
    run = f'PYTHONPATH="{tmp_path}:$PYTHONPATH" exec "{sys.executable}" -m pyspark.daemon pyspark.worker'
    python.write_text(f"#!/bin/sh\n{run}\n")
    python.chmod(0o755)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(python))
    return python


@pytest.mark.usefixtures("without_tidewire")
def test_executors_without_tidewire(frame: Frame) -> None:
    with pytest.raises(ImportError) as caught:
        table_schema(frame([bench_value(1)]), "craft", "test.bench")
    assert str(caught.value).startswith("the Python of Spark's executors, ")
    assert "has no Tidewire: install there what the driver's Python, " + sys.executable in str(caught.value)
    assert "PYSPARK_PYTHON (or spark.pyspark.python)" in str(caught.value)
    with pytest.raises(PythonException, match=r"ImportError: the Python of Spark's executors, .* has no Tidewire"):
        from_ticdc(frame([bench_value(1)]), "craft").collect()


def test_workers_are_ready_before_their_first_task(frame: Frame) -> None:
    """They have loaded what tasks need, look for no garbage in it after each, and read no zip file before each."""

    def facts(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import gc
        import sys

        for _ in batches:
            pass
        zips = [place for place in sys.path_importer_cache if "pyspark.zip" in place or "py4j" in place]
        loaded = "tidewire.spark.decoding" in sys.modules
        yield pa.RecordBatch.from_pylist([{"loaded": loaded, "frozen": gc.get_freeze_count(), "zips": str(zips)}])

    rows = frame([b"\x01"])
    (found,) = rows.mapInArrow(facts, "loaded boolean, frozen bigint, zips string").collect()
    assert (found.loaded, found.zips) == (True, "[]")
    assert found.frozen > 50_000


def test_executors_with_another_tidewire() -> None:
    payload = b"cos\nno_such_function_anywhere\n."
    with pytest.raises(ImportError, match=r"cannot load this job's Tidewire \(.*no_such_function_anywhere"):
        next(_carried(payload, "python")(iter([])))


def test_what_a_job_of_ours_finds_is_a_sentence(frame: Frame) -> None:
    with pytest.raises(MalformedError) as caught:
        table_schema(frame([bench_value(1), b"\x01"]), "craft", "test.bench", {"mode": "FAILFAST"})
    assert str(caught.value).startswith("topic t, partition 0, offset 1: craft ")
    assert "\n" not in str(caught.value)


def test_what_the_users_job_finds_is_a_sentence_and_two_lines(frame: Frame) -> None:
    with pytest.raises(PythonException) as caught:
        rows_from_ticdc(frame([b"\x01"]), "craft", "test.bench", "id int", {"mode": "FAILFAST"}).collect()
    text = str(caught.value)
    assert "MalformedError: topic t, partition 0, offset 0: craft " in text
    assert text.count('File "') == 1


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda df: rows_from_ticdc(df, "craft", "a.b", "id int,,"),
            r"'id int,,' is no schema in DDL text such as 'id BIGINT, .*', nor \"variant\": .PARSE_SYNTAX_ERROR",
        ),
        (lambda df: rows_from_ticdc(df, "craft", "a.b", "id nothing"), "'id nothing' is no schema in DDL text"),
        (
            lambda _: rows_from_ticdc(TEXT, "craft", "a.b", "id int"),
            "messages are a Spark DataFrame such as .*not str",
        ),
        (lambda _: from_ticdc(NOTHING, "craft"), "messages are a Spark DataFrame"),
        (lambda _: to_ticdc(pa.table({}), "craft"), "events are a Spark DataFrame .* not Table"),
        (lambda _: table_schema(NOTHING, "craft", "a.b"), "messages are a Spark DataFrame"),
        (
            lambda df: from_ticdc(df.selectExpr("cast(value as string) value"), "craft"),
            r"this one has value STRING; cast it: cast\(value AS BINARY\)",
        ),
    ],
)
def test_what_the_driver_can_tell(make: Callable[[DataFrame], object], sentence: str, frame: Frame) -> None:
    with pytest.raises(SchemaError, match=sentence):
        make(frame([b""]))
