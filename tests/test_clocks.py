"""No test judges by the clock on the wall, which others on the machine hold up: counts, growth and CPU time do."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from hypothesis import settings

TESTS = Path(__file__).resolve().parent
WALL = {"time", "monotonic", "perf_counter", "time_ns", "monotonic_ns", "perf_counter_ns"}
"""Of the module time. What is left are process_time and thread_time."""


def judges() -> list[Path]:
    """Files with a verdict: tests, what they share to measure time, and the fuzzer's engines."""
    return sorted(
        {*TESTS.rglob("test_*.py"), *TESTS.rglob("conftest.py"), *TESTS.glob("fuzz/*engine.py"), TESTS / "timed.py"}
    )


def wall_clocks(text: str) -> Iterator[int]:
    """The lines that ask the wall clock."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="time"), attr=name)) if name in WALL:
                yield node.lineno
            case ast.ImportFrom(module="time", names=names) if {alias.name for alias in names} & WALL:
                yield node.lineno


def limits(text: str) -> Iterator[int]:
    """The lines that give an example of a property test a time."""
    if "from hypothesis import" not in text:
        return
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Name(id="settings"), keywords=keywords):
                for given in keywords:
                    if given.arg == "deadline" and not (
                        isinstance(given.value, ast.Constant) and given.value.value is None
                    ):
                        yield node.lineno


def test_no_test_asks_the_clock_on_the_wall() -> None:
    texts = {str(path.relative_to(TESTS)): path.read_text(encoding="utf-8") for path in judges()}
    assert {"fuzz/engine.py", "timed.py", "test_transcode.py", "conftest.py"} <= set(texts)
    assert [f"{name}:{line}" for name, text in texts.items() for line in wall_clocks(text)] == []
    assert [f"{name}:{line}" for name, text in texts.items() for line in limits(text)] == []


def test_examples_of_properties_may_take_long() -> None:
    assert settings().deadline is None


FROM = "from hypothesis import settings\n"


def test_clocks_are_found() -> None:
    assert list(wall_clocks("import time\ntime.perf_counter()\ntime.process_time()\ntime.monotonic_ns()")) == [2, 4]
    assert list(wall_clocks("from time import process_time\nfrom time import monotonic")) == [2]
    assert list(limits(FROM + "settings(deadline=None)\nsettings(deadline=200)\nother(deadline=5)")) == [3]
