"""The header of test sessions, the number of examples of property tests, and which tests share a process.

Few examples and always the same ones by default, many random ones with HYPOTHESIS_PROFILE=exhaustive.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import java_archive
import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

import tidewire.runtime
from tidewire.runtime.connect import unknown

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from real_registry import RealRegistry
    from xdist.remote import Producer

    from demo.broker import Broker

TOGETHER = ("_one_lake", "spark")
"""The sessions of Spark, by the fixtures of those who ask for them. One process runs all tests of a session, so that it
starts once; what asks for none runs beside them, whatever folder it is in.
"""
_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "quick",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=60 if tidewire.runtime.compiled else 20,
    suppress_health_check=_SLOW,
)
settings.register_profile("exhaustive", deadline=None, max_examples=3000, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_report_header() -> str:
    """Whether the compiled modules run or their sources, interpreted."""
    return f"tidewire: {tidewire.runtime.compiled_reason}"


TEMPORARY = Path(__file__).parents[1] / "build" / "temporary"
_LEFT = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """What the tests, and the programs that they start, make in the system's temporary folder is made in one of theirs.

    Folders of pytest's own stay where they are: pytest removes those of tests that pass.
    """
    if hasattr(config, "workerinput"):
        return  # the folder is that of the process that started this one
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())
    TEMPORARY.mkdir(parents=True, exist_ok=True)
    own = tempfile.mkdtemp(dir=TEMPORARY)
    java = Path(own, "java")
    java.mkdir()
    submitted = f"-Djava.io.tmpdir='{java}' {java_archive.options()}"
    os.environ.update(TMPDIR=own, SPARK_LOCAL_DIRS=str(java), SPARK_SUBMIT_OPTS=submitted)
    tempfile.tempdir = None


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Removes the temporary folder; but for what Java is still to remove, nothing is in it."""
    if hasattr(session.config, "workerinput"):
        return
    own = Path(tempfile.gettempdir())
    left = session.config.stash[_LEFT] = sorted(one.name for one in own.iterdir() if one.name != "java")
    shutil.rmtree(own, ignore_errors=True)
    if left and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """What the tests left in the temporary folder, which fails them."""
    if left := config.stash.get(_LEFT, []):
        terminalreporter.section("left in the temporary folder")
        terminalreporter.line("\n".join(left))


class TogetherScheduling(LoadScopeScheduling):  # type: ignore[misc]
    """All that shares a session of Spark in one process, and each other file in one; in the order of the tests."""

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False
        self._sessions: dict[str, str] = {}

    def schedule(self) -> None:
        if self.collection is None:
            of_tests = _of_tests()
            self._sessions = json.loads(of_tests.read_text())
            of_tests.unlink()
        super().schedule()

    def _split_scope(self, nodeid: str) -> str:
        return self._sessions.get(nodeid) or nodeid.split("::", 1)[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling | None:
    """What a file made or unpacked for its tests is not made again in another process, unless `--dist` says so."""
    return TogetherScheduling(config, log) if config.getvalue("dist") == "load" else None


def _of_tests() -> Path:
    """Where processes that have collected tests tell the one that distributes them their sessions of Spark."""
    return Path(tempfile.gettempdir(), "java", "sessions.json")


def _session(item: pytest.Item) -> str:
    """The session of Spark of a test."""
    asked = set(getattr(item, "fixturenames", ()))
    return next((one for one in TOGETHER if one in asked), "")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whoever asks for Spark, a registry or a broker is marked `whole`, and so is left out of make test-fast.

    Tests of a session of Spark are the first, that with most of them before the other: as one process runs all of
    them, it would be the last to end.
    """
    for item in items:
        if {"spark", "_one_registry", "_one_broker"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.whole)
    items.sort(key=lambda item: (*TOGETHER, "").index(_session(item)))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """What all tests stand on stays to the end: garbage is not looked for in it again and again."""
    gc.collect()
    gc.freeze()
    if hasattr(session.config, "workerinput"):
        own = Path(tempfile.mkstemp(dir=_of_tests().parent)[1])
        own.write_text(json.dumps({item.nodeid: _session(item) for item in session.items if _session(item)}))
        own.replace(_of_tests())


@pytest.fixture(autouse=True)
def _no_column_was_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process warns of a column once, and here each test does."""
    monkeypatch.setattr(unknown, "_said", set())


@pytest.fixture(scope="session")
def _one_lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """One session of Spark with Kafka, Iceberg and Delta for all tests of two folders: what is not warm yet is slow."""
    from lake import lake_session

    session = lake_session(tmp_path_factory.mktemp("lake"), ["delta", "iceberg", "kafka", "s3"])
    yield session
    session.stop()


@pytest.fixture(scope="session")
def _one_registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealRegistry]:
    from real_registry import real_registry

    registry = real_registry(tmp_path_factory.mktemp("registry"))
    yield registry
    registry.stop()


@pytest.fixture
def a_registry(_one_registry: RealRegistry) -> RealRegistry:
    """A real registry, started for the first test that needs it, and again after one that stopped it.

    It may know schemas of other tests: each has subjects of its own.
    """
    _one_registry.start()
    return _one_registry


@pytest.fixture(scope="session")
def _one_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    from demo.broker import broker

    started = broker(tmp_path_factory.mktemp("broker"), print)
    yield started
    started.stop()


@pytest.fixture
def a_broker(_one_broker: Broker) -> Broker:
    """A real broker of Kafka, started for the first test that needs it, and again after one that stopped it.

    It has topics of other tests: each has some of its own.
    """
    _one_broker.start()
    return _one_broker
