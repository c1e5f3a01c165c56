"""Processes that are killed or terminated during a batch: the state is consistent, and a restart continues."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from sync.test_end_to_end import CRASHED, LONG, Case
from tidewire.spark.sync.how_far import status
from tidewire.spark.sync.manifests import Manifests
from tidewire.spark.sync.publish import Published
from tidewire.spark.sync.staged_files import FOLDER
from tidewire.spark.sync.state import identity

FORMATS = ("parquet", "iceberg", "delta")


def _settings(spark: SparkSession) -> dict[str, str]:
    """Those of this session, for another process."""
    return {
        name: value
        for name, value in spark.sparkContext.getConf().getAll()
        if name.startswith(("spark.sql.", "spark.jars", "spark.databricks.")) and name != "spark.sql.warehouse.dir"
    } | {"spark.driver.extraJavaOptions": "-XX:+UseSerialGC"}


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(one for one in sys.path if one)
    command = [sys.executable, *arguments]
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False)


def _killed(case: Case, point: str, meet: str = "") -> subprocess.CompletedProcess[str]:
    """Runs it in a process of its own, of which something is killed at a point, and which meets another in a folder."""
    asked = {
        "conf": _settings(case.spark),
        "files": str(case.files.folder),
        "protocol": case.protocol,
        "into": case.into,
        "state": case.state,
        "mode": "lenient" if case.history.lenient else "evolve",
        "partitions": case.files.partitions,
        "point": point,
        "engine": case.engine,
        "meet": meet,
    }
    return _run("-c", "import sys; from sync.killed import run; run(sys.argv[1])", json.dumps(asked))


def _case(spark: SparkSession, tmp: Path, format: str, engine: str = "auto") -> Case:
    """A history that is all there."""
    case = Case(spark, tmp, CRASHED, "canal-json", format, engine)
    for number in range(len(case.history.batches)):
        case.files.write(number)
    return case


KILLED = [("parquet", "merge", "staged"), ("iceberg", "merge", "between tables"), ("delta", "native", "merged")]
"""Each starts a session of its own: in the long mode every format dies at all points."""
if LONG:
    KILLED = [(format, "merge", point) for format in FORMATS for point in ("between tables", "staged")]
    KILLED += [(format, "native", "merged") for format in FORMATS[1:]]


@pytest.mark.parametrize(("format", "engine", "point"), KILLED)
def test_it_goes_on_after_it_was_killed(
    spark: SparkSession, tmp_path: Path, format: str, engine: str, point: str
) -> None:
    case = _case(spark, tmp_path, format, engine)
    done = _killed(case, point)
    assert done.returncode == -signal.SIGKILL, done.stderr[-2000:]
    assert Published(case.state).resolved() == []
    case.sync(threads=1).once()
    case.compare()
    assert max(case.compared) == case.last


def test_two_synchronisations_write_one_catalog(spark: SparkSession, tmp_path: Path) -> None:
    """Their first tables are made at one time, in a namespace that is not there yet, and one of them is killed."""
    cases = []
    for name in ("a", "b", "meet"):
        (tmp_path / name).mkdir()
    for name in ("a", "b"):
        cases.append(_case(spark, tmp_path / name, "iceberg"))
        cases[-1].into = f"iceberg:ice.of_two.{name}_{{schema}}_{{table}}"
    with ThreadPoolExecutor(2) as threads:
        run = partial(_killed, meet=str(tmp_path / "meet"))
        killed, other = threads.map(run, cases, ("between tables", ""))
    assert killed.returncode == -signal.SIGKILL, killed.stderr[-2000:]
    assert other.returncode == 0, other.stderr[-2000:]
    assert max(Published(cases[1].state).resolved()) == cases[1].last
    cases[0].sync(threads=1).once()
    for case in cases:
        case.compare()
        assert max(case.compared) == case.last


WORKERS = [("parquet", "merge", "in a worker"), ("delta", "native", "in a merge")]
if LONG:
    WORKERS += [("iceberg", "native", "in a merge"), *((format, "merge", "in a worker") for format in FORMATS[1:])]


@pytest.mark.parametrize(("format", "engine", "point"), WORKERS)
def test_a_worker_that_is_killed_doubles_nothing(
    spark: SparkSession, tmp_path: Path, format: str, engine: str, point: str
) -> None:
    """Its task is run again and writes other files; those of the first are named by nobody, and are removed. Or it had
    committed its table.
    """
    case = _case(spark, tmp_path, format, engine)
    done = _killed(case, point)
    assert done.returncode == 0, done.stderr[-2000:]
    assert Path(case.state, "died").exists()
    case.compare()
    assert max(case.compared) == case.last
    left = {str(one.relative_to(case.state)) for one in Path(case.state, FOLDER).glob("*/*")}
    manifests = Manifests(case.state, identity(case.state).source)
    assert left <= {one.path for one in manifests.rows(manifests.newest())}


def test_a_group_of_processes_that_is_told_to_end_ends_in_silence(spark: SparkSession, tmp_path: Path) -> None:
    """Supervisors send SIGTERM to Java, too, which ends before the step; the next start goes on as after a crash."""
    case = _case(spark, tmp_path, "parquet")
    file = _file(spark, case, tmp_path)
    done = _run("-m", "sync.signalled", str(file), "SIGTERM", "group")
    assert done.returncode == 0, done.stderr[-2000:]
    assert not any(sign in done.stderr for sign in ("Traceback", "Exception", "Errno", "\tat ")), done.stderr[-3000:]
    found = case.sync(threads=1).once()
    assert found.parked == {}
    case.compare()
    assert max(case.compared) == case.last


SIGNALLED = [("delta", "SIGINT")]
if LONG:
    SIGNALLED = [(format, name) for format in FORMATS for name in ("SIGTERM", "SIGINT")]


@pytest.mark.parametrize(("format", "name"), SIGNALLED)
def test_a_command_that_is_told_to_end_goes_on_later(
    spark: SparkSession, tmp_path: Path, format: str, name: str
) -> None:
    """By Ctrl-C, or by what supervises processes: nothing half, no table waits, and it ends as it should."""
    case = _case(spark, tmp_path, format)
    done = _run("-m", "sync.signalled", str(_file(spark, case, tmp_path)), name)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "stopping: what is done of a batch counts, and the rest is done after the next start" in done.stderr
    assert not any(sign in done.stderr for sign in ("Traceback", "Exception", "\tat "))
    found = status(case.state)
    assert (found.parked, found.stopped, found.batches) == ({}, "", 1)
    case.compare()
    found = case.sync(threads=1).once()
    assert found.parked == {}
    case.compare()
    assert max(case.compared) == case.last


def _file(spark: SparkSession, case: Case, tmp_path: Path) -> Path:
    """The case as a file for `tidewire sync`."""
    kind, _, table = case.into.partition(":")
    into: dict[str, Any] = {"format": kind, "table": table}
    if kind == "iceberg":
        into["warehouse"] = spark.conf.get("spark.sql.catalog.ice.warehouse")
    given = {
        "source": {"protocol": case.protocol, "files": str(case.files.folder)},
        "into": into,
        "state": case.state,
        "apply": {"schema_changes": "lenient" if case.history.lenient else "evolve", "threads": 1, "every": "1s"},
        "spark": _settings(spark),
    }
    file = tmp_path / "sync.yaml"
    file.write_text(json.dumps(given))
    return file
